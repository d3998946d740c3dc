#include "sim/bench/work_precision_report.h"
#include "sim/text/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/figure/paper.h"
#include "sim/text/csv.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;

std::string note_of(const WorkPrecision& measured, const WorkPrecisionRow& row) {
    if (!row.why_not.empty()) return row.why_not;
    if (!std::isfinite(row.error)) return "nothing finite is left of the field to compare";
    return measured.shows(row) ? "" : "no further from the reference than that may be from the truth";
}

Json row_json(const WorkPrecision& measured, const WorkPrecisionRow& row) {
    const auto of_run = [&](auto value) { return row.method ? Json(value) : Json(); };
    Json json;
    json["stepper"] = row.stepper;
    json["method"] = row.method ? Json(std::string(row.method->name)) : Json();
    json["dtype"] = of_run(std::string(name_of(row.dtype)));
    json["dt"] = of_run(row.dt);
    json["steps"] = of_run(row.steps);
    json["seconds"] = of_run(row.seconds);
    json["error"] = row.method ? finite_or_null(row.error) : Json();
    json["note"] = note_of(measured, row);
    return json;
}

std::string title_of(const WorkPrecision& measured) {
    const RunSpec& run = measured.spec.run;
    return fmt::format("{} on {}x{} cells until t = {:.4g}",
                       run.model->name,
                       run.size->nx,
                       run.size->ny,
                       measured.spec.until);
}

std::string note_of(const WorkPrecision& measured) {
    return fmt::format(
        "{}; {} boundary, seed {}; against rk4 in float64 with dt {:.3g}, which is {:.1e} from twice its dt",
        measured.device,
        boundary_text(measured.spec.run),
        measured.spec.run.seed,
        measured.reference_dt,
        measured.reference_error);
}

}  // namespace

Json to_json(const WorkPrecision& measured) {
    const RunSpec& run = measured.spec.run;
    Json json;
    json["program"] = "stencilscope";
    json["version"] = STENCILSCOPE_VERSION;
    json["device"] = measured.device;
    json["backend"] = run.backend;
    json["threads"] = run.threads;
    json["model"] = run.model->name;
    json["model_text"] = run.model->text;
    for (std::size_t i = 0; i < run.parameters.size(); ++i)
        json["parameters"][run.model->parameters[i].name] = run.parameters[i];
    json["boundary"] = std::string(boundary_text(run));
    json["seed"] = run.seed;
    json["nx"] = run.size->nx;
    json["ny"] = run.size->ny;
    json["until"] = measured.spec.until;
    json["reference"] = {{"stepper", "rk4"},
                         {"dtype", "float64"},
                         {"dt", finite_or_null(measured.reference_dt)},
                         {"error", finite_or_null(measured.reference_error)}};
    json["interrupted"] = measured.interrupted;
    json["rows"] = Json::array();
    for (const WorkPrecisionRow& row : measured.rows) json["rows"].push_back(row_json(measured, row));
    return json;
}

std::string to_csv(const WorkPrecision& measured) {
    return csv_table(to_json(measured)["rows"]);
}

std::string to_text(const WorkPrecision& measured) {
    std::string text = fmt::format("{}\n{}\n{:<10} {:<9} {:<7} {:>10} {:>8} {:>10} {:>8}\n",
                                   title_of(measured),
                                   note_of(measured),
                                   "stepper",
                                   "method",
                                   "dtype",
                                   "dt",
                                   "steps",
                                   "seconds",
                                   "error");
    for (const WorkPrecisionRow& row : measured.rows) {
        const std::string note = note_of(measured, row);
        text += row.method ? fmt::format("{:<10} {:<9} {:<7} {:>10.4g} {:>8} {:>10.4g} {:>8}{}\n",
                                         row.stepper,
                                         row.method->name,
                                         name_of(row.dtype),
                                         row.dt,
                                         row.steps,
                                         row.seconds,
                                         std::isfinite(row.error) ? fmt::format("{:.1e}", row.error) : "-",
                                         note.empty() ? "" : "  " + note)
                           : fmt::format("{:<10} {}\n", row.stepper, note);
    }
    return text;
}

figure::Chart work_precision_chart(const WorkPrecision& measured) {
    figure::Chart chart{"work-precision", title_of(measured), "seconds", "relative error", true, true};
    std::vector<std::string> steppers;
    const bool several = measured.spec.methods.size() > 1;
    double least = std::numeric_limits<double>::infinity();
    for (const WorkPrecisionRow& row : measured.rows) {
        if (!measured.shows(row) || row.error == 0) continue;
        if (steppers.empty() || steppers.back() != row.stepper) steppers.push_back(row.stepper);
        const std::string name = fmt::format(
            "{} {}{}", row.stepper, name_of(row.dtype), several ? fmt::format(" {}", row.method->name) : "");
        if (chart.series.empty() || chart.series.back().name != name) {
            chart.series.push_back({name, {}});
            chart.series.back().dashed = row.dtype == DType::float32;
            chart.series.back().color = figure::series_color(steppers.size() - 1);
        }
        chart.series.back().points.push_back(
            {.x = row.seconds, .y = row.error, .note = fmt::format("dt {:.4g}", row.dt)});
        least = std::min(least, row.error);
    }
    // Only within the chart.
    for (const DType dtype : measured.spec.dtypes) {
        const double rounding = dtype == DType::float32 ? 0x1p-24 : 0x1p-53;
        if (rounding > least / 100)
            chart.limits.push_back({fmt::format("rounding of {}", name_of(dtype)), rounding});
    }
    return chart;
}

std::string draw_work_precision(const WorkPrecision& measured, figure::FigureFormat format) {
    return figure::chart_file(work_precision_chart(measured), note_of(measured), format);
}

}  // namespace stencil
