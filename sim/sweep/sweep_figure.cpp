#include "sim/sweep/sweep_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/cpu/thread_pool.h"
#include "sim/figure/chart.h"
#include "sim/files/atomic_file.h"
#include "sim/machine/host_memory.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/sweep/sweep_table.h"
#include "sim/text/parse.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

constexpr int kMostPixels = 4096;        // of the longer side of a mosaic
constexpr std::size_t kLongestRow = 12;  // tiles of a sweep over one setting
constexpr std::size_t kMostPanels = 12;  // of further settings
constexpr double kTilePoints = 26, kLeastWidth = 432, kMostWidth = 1440, kAround = 150;
constexpr const char* kContours = "6";
constexpr Rgb kWhite{255, 255, 255};

// How the runs of one panel lie: columns x rows places, row 0 below.
struct Lattice {
    std::size_t columns = 1, rows = 1, first = 0, runs = 1;
    std::string x_name, y_name;
    std::vector<std::string> x, y;  ///< the values along the axes

    bool holds(std::size_t column, std::size_t row) const { return row * columns + column < runs; }
    std::size_t run(std::size_t column, std::size_t row) const { return first + row * columns + column; }
};

std::string value_text(const std::string& text) {
    const auto value = read_real(text);
    return value ? figure::number_text(*value, 3) : text;
}

std::vector<std::string> value_texts(const Vary& vary) {
    std::vector<std::string> texts;
    for (const std::string& value : vary.values) texts.push_back(value_text(value));
    return texts;
}

// Half again as many columns as rows; more where that leaves no place empty.
std::size_t columns_for(std::size_t count) {
    const auto usual = std::size_t(std::ceil(std::sqrt(1.5 * double(count))));
    for (std::size_t columns = usual; columns <= 2 * usual; ++columns)
        if (count % columns == 0) return columns;
    return usual;
}

// One setting, and a list, fill rows one after the other.
Lattice wrapped(const SweepSpec& spec) {
    const std::size_t count = spec.count();
    Lattice lattice;
    lattice.runs = count;
    const Vary& vary = spec.vary.front();
    if (count <= kLongestRow && !spec.listed) {
        lattice.columns = count;
        lattice.x_name = vary.name;
        lattice.x = value_texts(vary);
        lattice.y = {""};
        return lattice;
    }
    lattice.columns = columns_for(count);
    lattice.rows = (count + lattice.columns - 1) / lattice.columns;
    lattice.x_name = "run of the row";
    lattice.y_name = spec.listed ? "run" : vary.name;
    for (std::size_t i = 0; i < lattice.columns; ++i) lattice.x.push_back(std::to_string(i + 1));
    for (std::size_t i = 0; i < lattice.rows; ++i)
        lattice.y.push_back(spec.listed ? std::to_string(i * lattice.columns + 1)
                                        : value_text(vary.values[i * lattice.columns]));
    return lattice;
}

// A panel for each combination of the settings behind the first two.
std::vector<Lattice> lattices_of(const SweepSpec& spec) {
    if (spec.listed || spec.vary.size() == 1) return {wrapped(spec)};
    Lattice one;
    one.columns = spec.vary[0].values.size();
    one.rows = spec.vary[1].values.size();
    one.runs = one.columns * one.rows;
    one.x_name = spec.vary[0].name;
    one.y_name = spec.vary[1].name;
    one.x = value_texts(spec.vary[0]);
    one.y = value_texts(spec.vary[1]);
    std::vector<Lattice> all;
    for (; one.first < spec.count() && all.size() < kMostPanels; one.first += one.runs) all.push_back(one);
    return all;
}

std::string panel_title(const SweepSpec& spec, const Lattice& lattice, const std::string& of) {
    std::string title = of;
    for (std::size_t axis = 2; axis < spec.vary.size() && !spec.listed; ++axis)
        title += fmt::format(", {} = {}", spec.vary[axis].name, value_text(spec.value(lattice.first, axis)));
    return title;
}

// Marks at the middles of the places, as many as have room.
std::vector<figure::Tick> marks(const std::vector<std::string>& texts, std::size_t most, bool downwards) {
    std::vector<figure::Tick> all;
    const std::size_t every = (texts.size() + most - 1) / most;
    for (std::size_t i = 0; i < texts.size(); i += every) {
        const double place = (double(i) + 0.5) / double(texts.size());
        all.push_back({downwards ? 1 - place : place, texts[i]});
    }
    return all;
}

figure::FigurePanel panel_of(const Lattice& lattice, double width) {
    constexpr double kMarkPoints = 34, kRowPoints = 16;
    figure::FigurePanel panel;
    panel.axes.lengths = true;
    const double height = width * double(lattice.rows) / double(lattice.columns);
    const auto across = std::size_t(std::max(2.0, width / kMarkPoints)),
               down = std::size_t(std::max(2.0, height / kRowPoints));
    panel.axes.along_x = {.name = lattice.x_name, .marks = marks(lattice.x, across, false)};
    panel.axes.along_y = {.name = lattice.y_name, .marks = marks(lattice.y, down, true)};
    return panel;
}

// Writes the means of blocks of `edge` x `edge` cells, fewer at the far sides.
void write_means(const Field& field, int edge, FieldView<float> means) {
    field.visit([&](const auto& cells) {
        for (int y = 0; y < means.ny; ++y)
            for (int x = 0; x < means.nx; ++x) {
                const int columns = std::min(edge, cells.nx() - x * edge),
                          rows = std::min(edge, cells.ny() - y * edge);
                double sum = 0;
                for (int j = 0; j < rows; ++j) {
                    const auto* row = cells.view().row(y * edge + j) + x * edge;
                    for (int i = 0; i < columns; ++i) sum += double(row[i]);
                }
                means.at(x, y) = float(sum / (columns * rows));
            }
    });
}

// The tiles side by side, in blocks of `edge` cells where all cells are too many.
Array<float> mosaic_of(const Lattice& lattice, const SweepStore& store, std::size_t plane) {
    const Field one = store.field(lattice.first, plane);
    const double longer = double(std::max(one.nx() * lattice.columns, one.ny() * lattice.rows));
    const int edge = std::max(1, int(std::ceil(longer / kMostPixels)));
    const int nx = (one.nx() + edge - 1) / edge, ny = (one.ny() + edge - 1) / edge;
    Array<float> mosaic(nx * int(lattice.columns), ny * int(lattice.rows));
    std::ranges::fill(mosaic.cells(), float(kNoNumber));
    const auto tile_at = [&](std::size_t column, std::size_t row) {
        float* const first = &mosaic.at(nx * int(column), ny * int(lattice.rows - 1 - row));
        return FieldView<float>{first, nx, ny, mosaic.nx()};
    };
    constexpr std::int64_t kLeastTiles = 8;  // of a thread
    ThreadPool(available_threads())
        .for_ranges(
            std::int64_t(lattice.runs),
            [&](std::int64_t begin, std::int64_t end) {
                for (auto run = std::size_t(begin); run < std::size_t(end); ++run)
                    write_means(store.field(lattice.first + run, plane),
                                edge,
                                tile_at(run % lattice.columns, run / lattice.columns));
            },
            kLeastTiles);
    if (lattice.holds(lattice.columns - 1, lattice.rows - 1)) return mosaic;
    // Places behind the last run look like its lowest value, and not like runs that failed.
    float lowest = std::numeric_limits<float>::infinity();
    for (const float value : mosaic.cells()) lowest = std::fmin(lowest, value);
    for (std::size_t column = 0; column < lattice.columns; ++column)
        if (!lattice.holds(column, lattice.rows - 1)) {
            const FieldView<float> tile = tile_at(column, lattice.rows - 1);
            for (int y = 0; y < ny; ++y) std::fill_n(tile.row(y), nx, lowest);
        }
    return mosaic;
}

// White lines between the tiles.
void add_grid(figure::FigurePanel& panel, const Lattice& lattice) {
    const double nx = panel.field->nx(), ny = panel.field->ny();
    for (std::size_t i = 1; i < lattice.columns; ++i) {
        const double x = nx * double(i) / double(lattice.columns);
        panel.lines.push_back({{{x, 0}, {x, ny}}, kWhite, 0.5});
    }
    for (std::size_t i = 1; i < lattice.rows; ++i) {
        const double y = ny * double(i) / double(lattice.rows);
        panel.lines.push_back({{{0, y}, {nx, y}}, kWhite, 0.5});
    }
}

std::string caption_of(const Sweep& sweep) {
    const RunSpec& spec = sweep.resolved();
    std::size_t failed = 0;
    for (std::size_t i = 0; i < sweep.count(); ++i) failed += sweep.run(i).is_done() ? 0 : 1;
    std::string text = fmt::format("{}, {} runs of {}x{} cells, {}",
                                   spec.model->name,
                                   sweep.count(),
                                   spec.size->nx,
                                   spec.size->ny,
                                   name_of(spec.dtype));
    const auto varies = [&](std::string_view name) {
        return std::ranges::find(sweep.spec().vary, name, &Vary::name) != sweep.spec().vary.end();
    };
    if (!varies(setting_name::boundary)) text += fmt::format(", {} boundary", boundary_text(spec));
    for (const ModelParameter& row : spec.model->parameters)
        if (!varies(row.name))
            text += fmt::format(", {} {}", row.name, format_real(spec.parameter(row.name)));
    if (failed > 0) text += fmt::format("; {} of them, in magenta, not done", failed);
    return text;
}

figure::FigurePage page_of(const Sweep& sweep, const Lattice& lattice, std::size_t panels) {
    const FigureSize& size = sweep.resolved().figure_size;
    figure::FigurePage page{std::min<std::size_t>(panels, 3), ""};
    const double width = std::clamp(kTilePoints * double(lattice.columns) + kAround, kLeastWidth, kMostWidth);
    page.size = {size.width > 0 ? size.width * figure::kPointsPerCm : width * double(page.columns),
                 size.height * figure::kPointsPerCm};
    return page;
}

double panel_width(const figure::FigurePage& page) {
    return std::max(kAround, page.size.width / double(page.columns) - kAround);
}

}  // namespace

void write_sweep_pictures(const std::filesystem::path& path,
                          figure::FigureFormat format,
                          const Sweep& sweep,
                          const SweepStore& store) {
    const RunSpec& spec = sweep.resolved();
    const std::string shown = spec.shown();
    const auto plane = std::size_t(std::ranges::find(store.planes(), shown) - store.planes().begin());
    const auto lattices = lattices_of(sweep.spec());
    const figure::FigurePage page = page_of(sweep, lattices.front(), lattices.size());
    const std::string& name = spec.chosen_colormap(shown);
    const Colormap& colors = colormap(name.empty() ? "viridis" : name);
    std::vector<Field> fields;
    for (const Lattice& lattice : lattices) fields.emplace_back(mosaic_of(lattice, store, plane));
    ValueRange range;
    double low = kNoNumber, high = kNoNumber;
    for (const Field& field : fields) {  // one colour bar is for all
        range = find_range(field, spec.coloring(shown).range, colors.diverging);
        low = std::fmin(low, range.low);
        high = std::fmax(high, range.high);
    }
    range.low = low;
    range.high = high;
    std::vector<figure::FigurePanel> panels;
    for (std::size_t i = 0; i < lattices.size(); ++i) {
        figure::FigurePanel panel = panel_of(lattices[i], panel_width(page));
        panel.title = panel_title(sweep.spec(), lattices[i], shown);
        panel.value_label = shown;
        panel.field = &fields[i];
        panel.colors = &colors;
        panel.range = range;
        add_grid(panel, lattices[i]);
        panels.push_back(std::move(panel));
    }
    figure::write_figure(path, format, panels, caption_of(sweep), page);
}

void write_sweep_map(const std::filesystem::path& path,
                     figure::FigureFormat format,
                     const Sweep& sweep,
                     const std::string& name) {
    const SweepSpec& spec = sweep.spec();
    const auto columns = sweep_columns(sweep);
    const std::vector<double>& values = std::ranges::find(columns, name, &SweepColumn::name)->values;
    if (spec.vary.size() == 1 || spec.listed) {
        figure::Chart chart{"map", name, spec.listed ? "run" : spec.vary.front().name, name};
        chart.log_x = spec.vary.front().log;
        const std::vector<double> along = axis_values(spec.vary.front());
        figure::ChartSeries series{name, {}};
        for (std::size_t i = 0; i < values.size(); ++i)
            series.points.push_back({spec.listed ? double(i + 1) : along[i], values[i]});
        chart.series = {series};
        write_text_file(path, figure::chart_file(chart, caption_of(sweep), format));
        return;
    }
    const auto lattices = lattices_of(spec);
    const figure::FigurePage page = page_of(sweep, lattices.front(), lattices.size());
    const std::string& chosen = sweep.resolved().colormap;
    const Colormap& colors = colormap(chosen.empty() ? "viridis" : chosen);
    const std::string& contours = sweep.resolved().contours;
    std::vector<Field> fields;
    for (const Lattice& lattice : lattices) {
        Array<double> map(int(lattice.columns), int(lattice.rows));
        for (int y = 0; y < map.ny(); ++y)
            for (int x = 0; x < map.nx(); ++x)
                map.at(x, map.ny() - 1 - y) = values[lattice.run(std::size_t(x), std::size_t(y))];
        fields.emplace_back(std::move(map));
    }
    Array<double> all(int(values.size()), 1);
    std::ranges::copy(values, all.cells().begin());
    const ValueRange range = find_range(Field(std::move(all)), sweep.resolved().range, colors.diverging);
    std::vector<figure::FigurePanel> panels;
    for (std::size_t i = 0; i < lattices.size(); ++i) {
        figure::FigurePanel panel = panel_of(lattices[i], panel_width(page));
        panel.title = panel_title(spec, lattices[i], name);
        panel.value_label = name;
        panel.field = &fields[i];
        panel.colors = &colors;
        panel.range = range;
        figure::add_contours(panel, contours.empty() ? kContours : contours);
        panels.push_back(std::move(panel));
    }
    figure::write_figure(path, format, panels, caption_of(sweep), page);
}

}  // namespace stencil
