#include "sim/run/output/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <numbers>
#include <span>
#include <utility>
#include <vector>

#include "sim/figure/chart.h"
#include "sim/files/atomic_file.h"
#include "sim/problem/panes.h"
#include "sim/problem/spread.h"
#include "sim/run/output/dispersion.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/view/arrows.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

// The arrows of --arrows over a picture of the final field; empty if none are asked for.
std::vector<figure::FigureLine> arrow_lines(const OutputField& field) {
    std::vector<figure::FigureLine> lines;
    auto shapes = arrow_shapes(field.arrows);
    const auto outside = [&](SamplePoint at) {
        return at.x < 0 || at.y < 0 || at.x > field.end.nx() || at.y > field.end.ny();
    };
    std::erase_if(shapes, [&](const ArrowShape& shape) {
        return outside(shape.tail) || outside(shape.tip) || outside(shape.left) || outside(shape.right);
    });
    // White lines with a black outline are visible over any colour.
    for (const auto& [color, width] : {std::pair{Rgb{0, 0, 0}, 1.1}, std::pair{Rgb{255, 255, 255}, 0.5}})
        for (const ArrowShape& shape : shapes) {
            lines.push_back({{shape.tail, shape.tip}, color, width});
            lines.push_back({{shape.left, shape.tip, shape.right}, color, width});
        }
    return lines;
}

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

// `name, rest`, or the rest alone.
std::string behind(const std::string& name, const std::string& rest) {
    return name.empty() ? rest : name + ", " + rest;
}

std::string caption(const RunOutput& run) {
    const auto& t = run.timings;
    // Shows a setting that changed during the run with both values.
    const auto change = [](std::string_view first, std::string_view last) {
        return first == last ? std::string(first) : fmt::format("{} at first and {} at the end", first, last);
    };
    const Field& end = run.fields.front().end;
    std::string text = behind(caption_of(run.now),
                              fmt::format("{}x{} cells, {}, {} boundary",
                                          end.nx(),
                                          end.ny(),
                                          name_of(end.dtype()),
                                          change(boundary_text(run.document), boundary_text(run.now))));
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

// The mean of the finite cells.
double mean_of(const Field& field) {
    double total = 0, count = 0;
    for (const double value : field.values()) {
        if (!std::isfinite(value)) continue;
        total += value;
        ++count;
    }
    return count > 0 ? total / count : 0;
}

constexpr double kViewWidth = 12;   // cm, of a single pane
constexpr double kLeastPane = 155;  // points, of one in a row
constexpr double kMostInRow = 3;

figure::PageSize page_size(const RunSpec& spec) {
    return {spec.figure_size.width * figure::kPointsPerCm, spec.figure_size.height * figure::kPointsPerCm};
}

// The time, or the step where the time is unknown.
std::string moment_of(const RunOutput& run) {
    const Unit& unit = run.now.unit_time;
    const auto time = time_at(run.document, run.steps);
    return !time ? fmt::format("step {}", run.steps)
                 : fmt::format("t = {:.6g}{}{}", *time, unit.given() ? " " : "", unit.name);
}

std::string view_title(const RunOutput& run) {
    return behind(caption_of(run.now), moment_of(run));
}

Field difference_of(const Field& end, const Field& start) {
    Array<double> values(end.nx(), end.ny());
    const std::vector<double> now = end.values(), before = start.values();
    std::ranges::transform(now, before, values.cells().begin(), std::minus());
    return Field(std::move(values));
}

// The circle of --wave-ring in the middle of the field; none if no wave grows, or if it does not fit.
void add_wave_ring(const RunOutput& run, figure::FigurePanel& panel) {
    if (!run.now.wave_ring || !why_no_dispersion(run.now).empty()) return;
    const auto fastest = dispersion_of(run).fastest;
    const double radius = fastest ? fastest->length() / run.now.dx / 2 : 0;
    const int nx = panel.field->nx(), ny = panel.field->ny();
    if (radius == 0 || 2 * radius > std::min(nx, ny)) return;
    constexpr int kCorners = 180;
    figure::FigureLine ring;
    for (int i = 0; i <= kCorners; ++i) {
        const double angle = 2 * std::numbers::pi * i / kCorners;
        ring.points.push_back({nx / 2.0 + radius * std::cos(angle), ny / 2.0 + radius * std::sin(angle)});
    }
    for (const auto& [color, width] : {std::pair{Rgb{0, 0, 0}, 2.2}, std::pair{Rgb{255, 255, 255}, 1.0}}) {
        ring.color = color;
        ring.width = width;
        panel.lines.push_back(ring);
    }
}

figure::FigurePanel pane_panel(const RunOutput& run, Pane pane, bool one_of_several, Field& difference) {
    const RunSpec& spec = run.now;
    const std::string formula = formula_of(pane, spec);
    const OutputField& field = *std::ranges::find(run.fields, formula, &OutputField::formula);
    const Quantity quantity = quantity_of(pane);
    if (quantity == Quantity::difference) difference = difference_of(field.end, *field.start);
    const Field& shown = quantity == Quantity::difference  ? difference
                         : quantity == Quantity::laplacian ? field.laplacian
                         : quantity == Quantity::base      ? *field.start
                                                           : field.end;
    figure::FigurePanel one = panel(one_of_several ? title_of(pane, spec) : view_title(run),
                                    shown,
                                    colormap(colormap_of(pane, spec)),
                                    rule_of(pane, spec),
                                    quantity_label(pane, spec));
    one.axes = figure_axes(spec);
    one.axes.lengths = true;
    if (pane == Pane::surface) one.surface = &spec.surface;
    // A shape that moves was elsewhere at the start.
    if (pane != Pane::surface && quantity != Quantity::base) figure::add_outline(one, run.outline);
    if (pane == Pane::surface || quantity == Quantity::difference || quantity == Quantity::laplacian)
        return one;
    figure::add_contours(one, spec.contours);
    if (quantity == Quantity::base) return one;
    std::ranges::move(arrow_lines(*std::ranges::find(run.fields, spec.shown(), &OutputField::formula)),
                      std::back_inserter(one.lines));
    add_wave_ring(run, one);
    return one;
}

}  // namespace

figure::FigureAxes figure_axes(const RunSpec& spec) {
    const auto [x, y] = corner_of(spec);
    const bool lengths = spec.dx != 1 || spec.model->equations->statements->origin.has_value();
    figure::FigureAxes axes{cell_size(spec), x, y, spec.unit_length.name, lengths};
    for (const std::size_t axis : {0, 1})
        if (const auto spread = spread_along(spec, axis))
            (axis == 0 ? axes.along_x : axes.along_y) = {spread->name, spread->first, spread->last};
    return axes;
}

void write_view(const ExportedFile& file) {
    const RunOutput& run = file.run;
    const RunSpec& spec = run.now;
    const std::vector<Pane> shown = panes_of(spec);
    if (contains(shown, Pane::xt)) {
        const OutputField& field = *std::ranges::find(run.fields, spec.shown(), &OutputField::formula);
        return write_rows_over_time({file.path, run, field, file.format});
    }
    std::vector<Field> differences(shown.size());
    std::vector<figure::FigurePanel> panels;
    for (std::size_t i = 0; i < shown.size(); ++i)
        panels.push_back(pane_panel(run, shown[i], shown.size() > 1, differences[i]));
    const figure::PageSize size = page_size(spec);
    // Several panes share a row if each is wide enough for its axes.
    const double columns = size.width > 0 ? std::floor(size.width / kLeastPane) : kMostInRow;
    const figure::FigurePage page{std::size_t(std::clamp(columns, 1.0, kMostInRow)),
                                  shown.size() > 1 ? view_title(run) : "",
                                  {size.width > 0     ? size.width
                                   : shown.size() > 1 ? 0
                                                      : kViewWidth * figure::kPointsPerCm,
                                   size.height}};
    figure::write_figure(file.path, figure::format_named(file.format), panels, "", page);
}

Array<double> kept_rows(const OutputField& field) {
    static const SharedList<MeasuredRow> none;
    const auto& rows = field.tables ? field.tables->measures.rows() : none;
    if (rows.empty()) throw InputError("xt: rows are kept by `run` while it exports xt, and by the window");
    Array<double> cells(int(rows.back().values.size()), int(rows.size()));
    for (int y = 0; y < cells.ny(); ++y) std::ranges::copy(rows[std::size_t(y)].values, &cells.at(0, y));
    return cells;
}

// Cells or rows are repeated, so that the picture is about square.
void write_rows_over_time(const ExportedFile& file) {
    const RunSpec& now = file.run.now;
    const Array<double> once = kept_rows(file.field);
    const int wide = std::max(1, once.ny() / once.nx()), high = std::max(1, once.nx() / once.ny());
    const Field field(rows_over_time(file.field.tables->measures.rows(), once.nx() * wide, once.ny() * high));
    const std::string& formula = file.field.formula;
    figure::FigurePanel one = panel(caption_of(now),
                                    field,
                                    field_colors(now, formula),
                                    now.coloring(formula).range,
                                    value_label(now, formula));
    const bool upright = now.size->nx == 1;
    const double along = double(upright ? now.size->ny : now.size->nx);
    const auto& rows = file.field.tables->measures.rows();
    const auto first = time_at(file.run.document, rows.front().step),
               last = time_at(file.run.document, rows.back().step);
    const auto [corner_x, corner_y] = corner_of(now);
    const auto end = [&](const std::optional<double>& time, long long step) {
        return first && last ? *time : double(step);
    };
    one.axes = {
        cell_size(now) * along / field.nx(), upright ? corner_y : corner_x, 0, now.unit_length.name, true};
    one.axes.along_y = {first && last ? "t" : "step",
                        end(first, rows.front().step),
                        end(last, rows.back().step),
                        first && last ? now.unit_time.name : ""};
    one.x_name = upright ? "y" : "x";
    const figure::FigurePage page{1, "", page_size(now)};
    figure::write_figure(file.path, figure::format_named(file.format), {&one, 1}, "", page);
}

DispersionRelation dispersion_of(const RunOutput& run) {
    std::vector<double> means;
    for (const Component& component : run.now.model->components)
        means.push_back(mean_of(std::ranges::find(run.fields, component.name, &OutputField::formula)->end));
    const double time = time_at(run.document, run.steps).value_or(0) / run.now.unit_time.size;
    return dispersion_relation(run.now, means, time);
}

void write_dispersion(const ExportedFile& file) {
    const RunOutput& run = file.run;
    const RunSpec& now = run.now;
    const DispersionRelation relation = dispersion_of(run);
    std::vector<figure::Chart> charts{dispersion_chart(relation, now)};
    const OutputField& shown = *std::ranges::find(run.fields, now.shown(), &OutputField::formula);
    const RadialSpectrum spectrum =
        why_no_spectrum().empty() ? spectrum_of(shown.end, now) : RadialSpectrum();
    if (!spectrum.power.empty())
        charts.push_back(dispersion_spectrum(relation, spectrum, shown.formula, now));
    const std::string name = caption_of(now);
    charts.front().title =
        behind(name.empty() ? "Dispersion relation" : "Dispersion relation of " + name, moment_of(run));
    write_text_file(file.path,
                    figure::chart_file(charts,
                                       "of small waves " + relation.about(now),
                                       figure::format_named(file.format),
                                       page_size(now)));
}

std::string caption_of(const RunSpec& spec) {
    const Model& model = *spec.model;
    if (!model.equations->title.empty()) return model.equations->title;
    return model.name == "typed" ? "" : model.name;
}

void write_run_figure(const ExportedFile& file) {
    const RunOutput& run = file.run;
    const RunSpec& spec = run.now;
    std::vector<figure::FigurePanel> panels;
    for (const OutputField& f : run.fields) {
        const Colormap& colors = field_colors(spec, f.formula);
        const RangeRule& range = spec.coloring(f.formula).range;
        const std::string label = value_label(spec, f.formula);
        panels.push_back(panel(start_text(run.document, f.formula), *f.start, colors, range, label));
        panels.push_back(panel(end_text(run), f.end, colors, range, label));
        for (figure::FigurePanel& values : std::span(panels).last(2))
            figure::add_contours(values, spec.contours);
        std::ranges::move(arrow_lines(f), std::back_inserter(panels.back().lines));
        panels.push_back(panel("Laplacian",
                               f.laplacian,
                               laplacian_colors(spec, true),
                               spec.laplacian_range,
                               "Laplacian of " + f.formula));
        for (figure::FigurePanel& at_end : std::span(panels).last(2))
            figure::add_outline(at_end, run.outline);
    }
    for (figure::FigurePanel& one : panels) one.axes = figure_axes(spec);
    figure::write_figure(file.path, figure::format_named(file.format), panels, caption(run));
}

}  // namespace stencil
