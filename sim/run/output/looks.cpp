#include "sim/run/output/looks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "sim/figure/field_charts.h"
#include "sim/figure/figure.h"
#include "sim/figure/paper.h"
#include "sim/files/atomic_file.h"
#include "sim/run/output/exports.h"
#include "sim/view/arrows.h"
#include "sim/view/contour_lines.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

constexpr int kPlaneBins = 256;

std::string moment(const RunOutput& run) {
    return fmt::format("{}, after {} steps", run.now.model->name, run.steps);
}

std::vector<double> values_of(const Field& field) {
    return field.visit(
        [](const auto& cells) { return std::vector<double>(cells.cells().begin(), cells.cells().end()); });
}

RadialSpectrum spectrum_of(const RunOutput& run, const OutputField& field) {
    const int nx = field.end.nx(), ny = field.end.ny();
    const double spacing = run.now.spacing();
    return radial_spectrum(values_of(field.end), nx, ny, nx * spacing, ny * spacing);
}

struct Contours {
    ValueRange range;
    std::vector<ContourLine> lines;
};

Contours contours_of(const RunOutput& run, const OutputField& field) {
    Contours found;
    found.range = find_range(field.end, run.now.range, field_colors(run.now).diverging);
    found.lines = contour_lines(field.end, contour_levels(run.now.contours, found.range));
    return found;
}

PlaneDensity plane_of(const RunOutput& run) {
    return plane_density(values_of(run.fields[0].end), values_of(run.fields[1].end), kPlaneBins);
}

// Trajectories of the probes in the phase plane, at steps where both components were measured.
std::vector<figure::ChartSeries> ways_of(const RunOutput& run) {
    std::vector<figure::ChartSeries> ways;
    if (!run.fields[0].tables || !run.fields[1].tables) return ways;
    const auto &across = run.fields[0].tables->measures.probes(),
               &up = run.fields[1].tables->measures.probes();
    for (std::size_t p = 0; p < std::min(across.size(), up.size()); ++p) {
        figure::ChartSeries way{fmt::format("({}, {})", across[p].x, across[p].y), {}, true, false};
        way.color = figure::series_color(p + 1);
        const auto& steps = across[p].steps;
        for (std::size_t i = 0; i < up[p].steps.size(); ++i) {
            const auto same = std::ranges::lower_bound(steps, up[p].steps[i]);
            if (same != steps.end() && *same == up[p].steps[i])
                way.points.push_back({across[p].values[std::size_t(same - steps.begin())], up[p].values[i]});
        }
        ways.push_back(std::move(way));
    }
    return ways;
}

// Bilinear interpolation, as Solver::sample() with `smooth`.
double interpolated(const Field& field, SamplePoint at) {
    const auto along = [](double place, int cells, int& low) {
        const double from_centre = std::clamp(place - 0.5, 0.0, double(cells - 1));
        low = std::min(int(from_centre), std::max(0, cells - 2));
        return from_centre - low;
    };
    int x = 0, y = 0;
    const double across = along(at.x, field.nx(), x), down = along(at.y, field.ny(), y);
    const int right = std::min(x + 1, field.nx() - 1), below = std::min(y + 1, field.ny() - 1);
    return field.visit([&](const auto& cells) {
        return std::lerp(std::lerp(double(cells.at(x, y)), double(cells.at(right, y)), across),
                         std::lerp(double(cells.at(x, below)), double(cells.at(right, below)), across),
                         down);
    });
}

Arrows arrows_of(const RunOutput& run, const OutputField& field) {
    constexpr double kAlong = 32;  // arrows along the longer side
    const int nx = field.end.nx(), ny = field.end.ny();
    const ArrowLattice lattice =
        arrow_lattice({0, 0, double(nx), double(ny)}, nx, ny, std::max(nx, ny) / kAlong);
    const auto components = arrow_components(run.now.drawn_arrows());
    std::vector<SamplePoint> vectors;
    if (components.empty()) {
        const std::vector<SamplePoint> points = gradient_points(lattice, nx, ny);
        std::vector<double> values;
        for (const SamplePoint& at : points) values.push_back(interpolated(field.end, at));
        vectors = gradients(points, values);
    } else {
        const auto end_of = [&](const std::string& name) -> const Field& {
            return std::ranges::find(run.fields, name, &OutputField::formula)->end;
        };
        const Field &across = end_of(components[0]), &down = end_of(components[1]);
        for (int row = 0; row < lattice.ny; ++row)
            for (int column = 0; column < lattice.nx; ++column) {
                const SamplePoint at = lattice.at(column, row);
                vectors.push_back({interpolated(across, at), interpolated(down, at)});
            }
    }
    return measured_arrows(lattice, std::move(vectors));
}

void write_chart(const Path& path, const figure::Chart& chart, const RunOutput& run) {
    write_text_file(path, figure::chart_file(chart, moment(run), figure::FigureFormat::png));
}

}  // namespace

std::vector<figure::FigureLine> arrow_lines(const RunOutput& run, const OutputField& field) {
    std::vector<figure::FigureLine> lines;
    if (run.now.drawn_arrows().empty()) return lines;
    const auto shapes = arrow_shapes(arrows_of(run, field));
    // White lines with a black outline are visible over any colour.
    for (const auto& [color, width] : {std::pair{Rgb{0, 0, 0}, 1.1}, std::pair{Rgb{255, 255, 255}, 0.5}})
        for (const ArrowShape& shape : shapes) {
            lines.push_back({{shape.tail, shape.tip}, color, width});
            lines.push_back({{shape.left, shape.tip, shape.right}, color, width});
        }
    return lines;
}

void write_spectrum_csv(const Path& path, const RunOutput& run, const OutputField& field) {
    write_text_file(path, spectrum_csv(spectrum_of(run, field)));
}

void write_spectrum_png(const Path& path, const RunOutput& run, const OutputField& field) {
    write_chart(path, figure::spectrum_chart(spectrum_of(run, field), field.formula), run);
}

void write_contours_csv(const Path& path, const RunOutput& run, const OutputField& field) {
    write_text_file(path, contours_csv(contours_of(run, field).lines));
}

void write_contours_svg(const Path& path, const RunOutput& run, const OutputField& field) {
    const Colormap& colors = field_colors(run.now);
    const Contours contours = contours_of(run, field);
    figure::FigurePanel panel{"Contours", &field.end, &colors, contours.range, field.formula};
    panel.cell = cell_size(run.now);
    panel.unit = run.now.unit_length.name;
    // A line lies on the colour of its own level, so that decides between black and white.
    for (const ContourLine& line : contours.lines) {
        const Rgb on = colors.at(line.level, contours.range);
        const bool light = 0.2126 * on.r + 0.7152 * on.g + 0.0722 * on.b > 127.5;
        panel.lines.push_back({line.points, light ? Rgb{0, 0, 0} : Rgb{255, 255, 255}});
    }
    write_figure(path, figure::FigureFormat::svg, {&panel, 1}, moment(run));
}

void write_surface_png(const Path& path, const RunOutput& run, const OutputField& field) {
    const Colormap& colors = field_colors(run.now);
    figure::FigurePanel panel{moment(run), &field.end, &colors, {}, field.formula};
    panel.range = find_range(field.end, run.now.range, colors.diverging);
    panel.surface = &run.now.surface;
    write_figure(path, figure::FigureFormat::png, {&panel, 1}, "");
}

void write_phase_csv(const Path& path, const RunOutput& run, const OutputField&) {
    write_text_file(path, plane_csv(plane_of(run), run.fields[0].formula, run.fields[1].formula));
}

void write_phase_png(const Path& path, const RunOutput& run, const OutputField&) {
    write_chart(
        path,
        figure::plane_chart(plane_of(run), run.fields[0].formula, run.fields[1].formula, ways_of(run)),
        run);
}

}  // namespace stencil
