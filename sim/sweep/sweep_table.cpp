#include "sim/sweep/sweep_table.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "sim/text/json.h"
#include "sim/text/parse.h"

namespace stencil {

std::vector<SweepColumn> sweep_columns(const Sweep& sweep) {
    std::vector<SweepColumn> columns;
    const auto add = [&](std::string name, const std::function<double(const SweptRun&)>& value) {
        SweepColumn column{std::move(name), {}};
        for (std::size_t i = 0; i < sweep.count(); ++i) {
            const SweptRun& run = sweep.run(i);
            column.values.push_back(run.field_hash.empty() ? kNoNumber : value(run));
        }
        // What varies has its own column.
        if (std::ranges::find(sweep.spec().vary, column.name, &Vary::name) == sweep.spec().vary.end())
            columns.push_back(std::move(column));
    };
    const auto& observe = sweep.spec().observe;
    for (std::size_t i = 0; i < observe.size(); ++i)
        add(observe[i], [i](const SweptRun& run) { return run.observed[i]; });
    add("steps", [](const SweptRun& run) { return double(run.steps); });
    add("time", [](const SweptRun& run) { return run.time; });
    add("dt", [](const SweptRun& run) { return run.dt; });
    const auto& components = sweep.resolved().model->components;
    for (std::size_t c = 0; c < components.size(); ++c)
        for (const auto& [name, member] : {std::pair{"min", &Statistics::min},
                                           std::pair{"max", &Statistics::max},
                                           std::pair{"mean", &Statistics::mean}})
            add(components[c].name + "_" + name,
                [c, member](const SweptRun& run) { return run.statistics[c].*member; });
    add("wavelength", [](const SweptRun& run) { return run.wavelength; });
    add("growth", [](const SweptRun& run) { return run.growth; });
    return columns;
}

std::string sweep_csv(const Sweep& sweep) {
    using Json = nlohmann::ordered_json;
    const SweepSpec& spec = sweep.spec();
    const auto columns = sweep_columns(sweep);
    std::vector<Json> names;
    for (const Vary& one : spec.vary) names.emplace_back(one.name);
    names.emplace_back("status");
    names.emplace_back("ended_by");
    for (const SweepColumn& column : columns) names.emplace_back(column.name);
    names.emplace_back("field_hash");
    std::string text = csv_line(names);
    for (std::size_t i = 0; i < sweep.count(); ++i) {
        const SweptRun& run = sweep.run(i);
        std::vector<Json> cells;
        for (std::size_t axis = 0; axis < spec.vary.size(); ++axis) cells.emplace_back(spec.value(i, axis));
        cells.emplace_back(run.ended() ? run.status : "waiting");
        cells.emplace_back(run.ended_by);
        for (const SweepColumn& column : columns)
            cells.push_back(column.name == "steps" && !run.field_hash.empty()
                                ? Json(run.steps)
                                : finite_or_null(column.values[i]));
        cells.emplace_back(run.field_hash);
        text += csv_line(cells);
    }
    return text;
}

std::vector<double> axis_values(const Vary& vary) {
    std::vector<double> values, places;
    for (const std::string& text : vary.values) {
        places.push_back(double(places.size()));
        if (const auto value = read_real(text)) values.push_back(*value);
    }
    return values.size() == places.size() ? values : places;
}

}  // namespace stencil
