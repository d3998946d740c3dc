#include "sim/sweep/sweep_table.h"

#include <algorithm>
#include <utility>

#include "sim/run/stop_condition.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {

std::vector<SweepMeasure> sweep_measures(const SweepSpec& spec) {
    std::vector<SweepMeasure> measures;
    const auto add = [&](std::string name, std::function<double(const SweptRun&)> value) {
        // What varies has its own column.
        if (std::ranges::find(spec.vary, name, &Vary::name) == spec.vary.end())
            measures.push_back({std::move(name), std::move(value)});
    };
    for (std::size_t i = 0; i < spec.observe.size(); ++i)
        add(spec.observe[i], [i](const SweptRun& run) { return run.observed[i]; });
    add("steps", [](const SweptRun& run) { return double(run.steps); });
    add("time", [](const SweptRun& run) { return run.time; });
    add("dt", [](const SweptRun& run) { return run.dt; });
    const auto& components = spec.base.model->components;
    for (std::size_t c = 0; c < components.size(); ++c)
        for (const auto& [name, member] : {std::pair{"min", &Statistics::min},
                                           std::pair{"max", &Statistics::max},
                                           std::pair{"mean", &Statistics::mean}})
            add(components[c].name + "_" + name,
                [c, member](const SweptRun& run) { return run.statistics[c].*member; });
    add("wavelength", [](const SweptRun& run) { return run.wavelength; });
    add("growth", [](const SweptRun& run) { return run.growth; });
    return measures;
}

std::vector<SweepColumn> sweep_columns(const Sweep& sweep) {
    std::vector<SweepColumn> columns;
    for (const auto& [name, value] : sweep_measures(sweep.spec())) {
        SweepColumn column{name, {}};
        for (std::size_t i = 0; i < sweep.count(); ++i) {
            const SweptRun& run = sweep.run(i);
            column.values.push_back(run.field_hash.empty() ? kNoNumber : value(run));
        }
        columns.push_back(std::move(column));
    }
    return columns;
}

SweepSpec with_map_observed(SweepSpec spec) {
    const std::string& map = spec.map;
    const auto measures = sweep_measures(spec);
    if (map.empty() || std::ranges::find(measures, map, &SweepMeasure::name) != measures.end()) return spec;
    require_whole_field_value(*spec.base.model, map, Given{"map", quotable(map)});
    spec.observe.push_back(map);
    return spec;
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
