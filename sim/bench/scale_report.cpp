#include "sim/bench/scale_report.h"

#include <fmt/format.h>

#include "sim/figure/paper.h"
#include "sim/text/csv.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

std::string name_of(Scaling scaling) {
    return scaling == Scaling::strong ? "strong" : "weak";
}

std::string title_of(const Scaled& scale) {
    const LadderSpec& ladder = scale.spec.ladder;
    const Size size = ladder.sizes.front();
    return fmt::format("{} scaling of {}, {}, {}x{}{} {}",
                       scale.spec.scaling == Scaling::strong ? "Strong" : "Weak",
                       ladder.run.model->name,
                       ladder.methods.front(),
                       size.nx,
                       size.ny,
                       scale.spec.scaling == Scaling::strong ? "" : " a process,",
                       stencil::name_of(ladder.run.dtype));
}

Json row_json(const ScaleRow& row) {
    const bool several = row.processes > 1;
    const auto of_several = [&](auto value) { return several ? Json(value) : Json(); };
    const auto of_alone = [&](auto value) { return row.seconds_alone > 0 ? Json(value) : Json(); };
    Json json;
    json["processes"] = row.processes;
    json["nx"] = row.size.nx;
    json["ny"] = row.size.ny;
    json["steps"] = row.steps;
    json["repeats"] = row.repeats;
    json["us_per_step"] = row.seconds * 1e6;
    json["spread"] = row.spread;
    json["gcells_per_s"] = row.jumps ? Json() : Json(row.gcells_per_s());
    json["efficiency"] = row.efficiency;
    json["efficiency_against_slowest"] = of_alone(row.efficiency_against_slowest());
    json["exchange_share"] = of_alone(row.exchange_share());
    json["bytes_per_step"] = of_several(row.bytes_per_step);
    json["bytes_per_step_formula"] = of_several(row.formula_bytes_per_step);
    json["messages_per_step"] = of_several(row.messages_per_step);
    json["efficiency_predicted"] = row.predicted ? Json(*row.predicted) : Json();
    json["field_hash"] = row.hash.empty() ? Json() : Json(row.hash);
    return json;
}

std::string percent(const Json& value) {
    return value.is_null() ? "-" : fmt::format("{:.1f} %", 100 * value.get<double>());
}

}  // namespace

Json to_json(const Scaled& scale) {
    const LadderSpec& ladder = scale.spec.ladder;
    Json json;
    json["program"] = "stencilscope";
    json["version"] = STENCILSCOPE_VERSION;
    json["scaling"] = name_of(scale.spec.scaling);
    json["device"] = scale.device;
    json["backend"] = ladder.run.backend;
    json["threads"] = ladder.run.threads;
    json["method"] = ladder.methods.front();
    json["model"] = ladder.run.model->name;
    json["dtype"] = std::string(stencil::name_of(ladder.run.dtype));
    json["boundary"] = std::string(boundary_text(ladder.run));
    json["same_bits"] = scale.spec.scaling == Scaling::strong ? Json(scale.same_bits) : Json();
    json["interrupted"] = scale.interrupted;
    json["rows"] = Json::array();
    for (const ScaleRow& row : scale.rows) json["rows"].push_back(row_json(row));
    json["predicted"] = Json::array();
    for (const auto& [processes, efficiency] : scale.foretold)
        json["predicted"].push_back({{"processes", processes}, {"efficiency", efficiency}});
    return json;
}

std::string to_csv(const Scaled& scale) {
    return csv_table(to_json(scale)["rows"]);
}

std::string to_text(const Scaled& scale) {
    std::string text =
        fmt::format("{}\n{}; {} boundary\n{:>9} {:>15} {:>10} {:>8} {:>9} {:>10} {:>10} {:>9} {:>10} {:>9}\n",
                    title_of(scale),
                    scale.device,
                    boundary_text(scale.spec.ladder.run),
                    "processes",
                    "size",
                    !scale.rows.empty() && scale.rows.front().jumps ? "us/jump" : "us/step",
                    "spread",
                    "GCells/s",
                    "efficiency",
                    "of slowest",
                    "exchange",
                    "MB/step",
                    "predicted");
    for (const ScaleRow& row : scale.rows) {
        const Json json = row_json(row);
        text += fmt::format("{:>9} {:>15} {:>10.4g} {:>8} {:>9} {:>10} {:>10} {:>9} {:>10} {:>9}\n",
                            row.processes,
                            fmt::format("{}x{}", row.size.nx, row.size.ny),
                            row.seconds * 1e6,
                            percent(json["spread"]),
                            row.jumps ? "-" : fmt::format("{:.4g}", row.gcells_per_s()),
                            percent(json["efficiency"]),
                            percent(json["efficiency_against_slowest"]),
                            percent(json["exchange_share"]),
                            row.processes == 1 ? "-" : fmt::format("{:.3g}", row.bytes_per_step / 1e6),
                            percent(json["efficiency_predicted"]));
    }
    if (scale.spec.scaling == Scaling::strong && scale.rows.size() > 1)
        text += scale.same_bits ? "The fields of all are equal to the bit.\n" : "THE FIELDS DIFFER.\n";
    for (const auto& [processes, efficiency] : scale.foretold)
        text += fmt::format("{:>9} predicted, not measured: {:.1f} %\n", processes, 100 * efficiency);
    return text;
}

figure::Chart scale_chart(const Scaled& scale) {
    figure::Chart chart{"scale", title_of(scale), "processes", "efficiency", true, false};
    figure::ChartSeries measured{"measured", {}}, slowest{"against the slowest alone", {}},
        model{"predicted", {}};
    model.dashed = true;
    for (const ScaleRow& row : scale.rows) {
        const double x = row.processes;
        chart.x_ticks.push_back(x);
        measured.points.push_back({.x = x, .y = row.efficiency});
        if (row.seconds_alone > 0) slowest.points.push_back({.x = x, .y = row.efficiency_against_slowest()});
        if (row.predicted) model.points.push_back({.x = x, .y = *row.predicted});
    }
    for (const auto& [processes, efficiency] : scale.foretold) {
        chart.x_ticks.push_back(processes);
        model.points.push_back({.x = double(processes), .y = efficiency});
    }
    for (figure::ChartSeries* series : {&measured, &slowest, &model})
        if (!series->points.empty()) chart.series.push_back(std::move(*series));
    chart.limits.push_back({"no loss", 1});
    return chart;
}

std::string draw_scale(const Scaled& scale, figure::FigureFormat format) {
    return figure::chart_file(scale_chart(scale), scale.device, format);
}

}  // namespace stencil
