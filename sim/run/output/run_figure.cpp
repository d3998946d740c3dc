#include "sim/run/output/run_figure.h"

#include <fmt/format.h>

#include <span>
#include <vector>

#include "sim/run/output/exports.h"
#include "sim/run/output/looks.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

figure::FigurePanel panel(
    std::string title, const Field& field, const Colormap& colors, const RangeRule& rule, std::string label) {
    return {std::move(title), &field, &colors, find_range(field, rule, colors.diverging), std::move(label)};
}

std::string start_text(const Problem& spec, const std::string& formula) {
    const auto given = spec.initials.find(formula);
    const bool first = formula == spec.model->components.front().name;
    const std::string what = given != spec.initials.end() ? given->second : first ? spec.initial : "";
    return what.empty() ? "Start" : "Start: " + std::filesystem::path(what).filename().string();
}

std::string end_text(const RunOutput& run) {
    const std::string time = run.now.unit_time.given() ? time_text(run.document, run.steps) : std::string();
    return fmt::format("After {} steps{}{}", run.steps, time.empty() ? "" : ", ", time);
}

std::string caption(const RunOutput& run) {
    const auto& t = run.timings;
    // Shows a setting that changed during the run with both values.
    const auto change = [](std::string_view first, std::string_view last) {
        return first == last ? std::string(first) : fmt::format("{} at first and {} at the end", first, last);
    };
    const Field& end = run.fields.front().end;
    std::string text = fmt::format("{}{}x{} cells, {}, {} boundary",
                                   run.now.model->built_in ? "" : run.now.model->name + ", ",
                                   end.nx(),
                                   end.ny(),
                                   name_of(end.dtype()),
                                   change(boundary_text(run.document), boundary_text(run.now)));
    for (const ModelParameter& row : run.now.model->parameters) {
        const std::string last = format_real(run.now.parameter(row.name));
        const bool is_new = !run.document.model->index_of(row.name);
        const std::string first = is_new ? last : format_real(run.document.parameter(row.name));
        text += fmt::format(", {} {}", row.name, change(first, last));
    }
    text += fmt::format(", {} steps", run.steps);
    if (!t.at("jumps").is_null())
        text += fmt::format("; {} on {}: {} jump{} in {:.4g} ms",
                            t.at("method").get<std::string>(),
                            t.at("device").get<std::string>(),
                            t.at("jumps").get<long long>(),
                            t.at("jumps") == 1 ? "" : "s",
                            t.at("seconds").get<double>() * 1e3);
    else if (!t.at("us_per_step").is_null())  // null if nothing was stepped since the method changed
        text += fmt::format("; {} on {}: {:.3g} us/step, {:.3g} GCells/s",
                            t.at("method").get<std::string>(),
                            t.at("device").get<std::string>(),
                            t.at("us_per_step").get<double>(),
                            t.at("gcells_per_s").get<double>());
    return text;
}

}  // namespace

void write_run_figure(const std::filesystem::path& path, figure::FigureFormat format, const RunOutput& run) {
    const RunSpec& spec = run.now;
    const Colormap& colors = field_colors(spec);
    std::vector<figure::FigurePanel> panels;
    for (const OutputField& f : run.fields) {
        panels.push_back(panel(start_text(run.document, f.formula), *f.start, colors, spec.range, f.formula));
        panels.push_back(panel(end_text(run), f.end, colors, spec.range, f.formula));
        for (figure::FigurePanel& values : std::span(panels).last(2))
            values.contours = contour_levels(spec.contours, values.range);
        panels.back().lines = arrow_lines(run, f);
        panels.push_back(panel("Laplacian",
                               f.laplacian,
                               laplacian_colors(spec, true),
                               spec.laplacian_range,
                               "Laplacian of " + f.formula));
    }
    for (figure::FigurePanel& one : panels) {
        one.cell = cell_size(spec);
        one.unit = spec.unit_length.name;
    }
    figure::write_figure(path, format, panels, caption(run));
}

}  // namespace stencil
