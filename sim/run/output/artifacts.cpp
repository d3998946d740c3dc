// The table of the files that --export names: a row per kind of file, and the functions that write them.
#include "sim/problem/artifact.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/distributed/distributed_solver.h"
#include "sim/files/atomic_file.h"
#include "sim/files/held_arrays.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/problem/panes.h"
#include "sim/run/output/exports.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/output/phase_plane.h"
#include "sim/run/output/spectrum.h"
#include "sim/run/simulation.h"
#include "sim/text/json.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"
#include "sim/web/web_page.h"

namespace stencil {
namespace {

FieldSet field_set(const RunOutput& run) {
    FieldSet set{run_notes(run.now, run.document), {run.steps, time_at(run.document, run.steps)}, {}};
    for (const OutputField& f : run.fields) set.fields.push_back({output_name(run.now, f.formula), &f.end});
    for (const OutputField& f : run.fields) {
        const std::string name = output_name(run.now, f.formula);
        set.fields.push_back({"initial_" + name, f.start.get()});
        set.fields.push_back({"laplacian_" + name, &f.laplacian});
    }
    return set;
}

template <Quantity quantity>
void write_array(const ExportedFile& to) {
    if (!to.run.spread)
        return write_npy(to.path, quantity == Quantity::value ? to.field.end : to.field.laplacian);
    SolverArray array;
    array.observable = {to.field.formula, quantity};
    to.run.spread->solver().write_npy(to.path, array);
}

void write_start(const ExportedFile& to) {
    Simulation* const spread = to.run.spread;
    if (!spread) return write_npy(to.path, *to.field.start);
    if (const auto component = find_component(*spread->now().model, to.field.formula))
        write_npy(to.path, *spread->start(), *component);
    else
        write_npy(to.path, *spread->start_of(to.field.formula));
}

template <Quantity quantity>
void write_picture(const ExportedFile& to) {
    const RunSpec& now = to.run.now;
    const bool laplacian = quantity == Quantity::laplacian;
    const Field& field = laplacian ? to.field.laplacian : to.field.end;
    const Colormap& colors = laplacian ? laplacian_colors(now, false) : field_colors(now, to.field.formula);
    const RangeRule& rule = laplacian ? now.laplacian_range : now.coloring(to.field.formula).range;
    write_png(to.path, field, colors, find_range(field, rule, colors.diverging));
}

// A run that was changed on the way begins at its end: a page repeats no changes.
void write_web_page(const ExportedFile& to) {
    const RunOutput& run = to.run;
    const bool changed = !run.document.edits.until(run.steps).empty();
    const long long step = changed ? run.steps : 0;
    const double time = time_at(run.document, step).value_or(0) / run.now.unit_time.size;
    WebStart start{run.now, run.document, step, time, {}};
    for (const OutputField& field : run.fields) {
        const Field* cells = changed ? &field.end : field.start.get();
        if (find_component(*run.now.model, field.formula)) start.state.push_back(cells);
        if (field.formula == run.now.shown()) start.shown = cells;
    }
    write_text_file(to.path, web_page(start));
}

// Writes a table, with a column of the time if it has no steps.
void write_table(const ExportedFile& to, const std::string& table) {
    write_text_file(to.path, with_time(table, to.run.document, to.run.steps));
}

void write_chart(const ExportedFile& to, const figure::Chart& chart) {
    const std::string name = caption_of(to.run.now);
    const std::string moment =
        fmt::format("{}{}after {} steps", name, name.empty() ? "" : ", ", to.run.steps);
    write_text_file(to.path, figure::chart_file(chart, moment, figure::format_named(to.format)));
}

TableUnits units_of(const ExportedFile& to) {
    return table_units(to.run.now, to.run.document);
}

// All fields by place: a line per cell.
void write_cells(const ExportedFile& to) {
    const RunSpec& now = to.run.now;
    const RunNotes notes = run_notes(now, to.run.document);
    const TableUnits units = units_of(to);
    const std::string time = units.time ? "," + units.time_cell(to.run.steps) : ",";
    std::string head = units.place_head();
    for (const OutputField& field : to.run.fields)
        head += with_unit(output_name(now, field.formula), now.value_unit(field.formula)) + ",";
    head += units.time_head();
    head.back() = '\n';
    AtomicFile file(to.path);
    file.write(head);
    const Field& first = to.run.fields.front().end;
    std::string text;
    for (int y = 0; y < first.ny(); ++y) {
        text.clear();
        for (int x = 0; x < first.nx(); ++x) {
            const auto out = std::back_inserter(text);
            fmt::format_to(out, "{},{}", notes.x + (x + 0.5) * notes.dx, notes.y + (y + 0.5) * notes.dx);
            for (const OutputField& field : to.run.fields)
                field.end.visit([&](const auto& cells) { fmt::format_to(out, ",{}", cells.at(x, y)); });
            text.append(time, 0, time.size() - 1);
            text += '\n';
        }
        file.write(text);
    }
    file.commit();
}

// One row per point: level, number of the line, x, y.
std::string contours_of(const ExportedFile& to) {
    const RunSpec& now = to.run.now;
    const std::string& formula = to.field.formula;
    const ValueRange range =
        find_range(to.field.end, now.coloring(formula).range, field_colors(now, formula).diverging);
    const TableUnits units = units_of(to);
    std::string text = "level,line," + units.place_head();
    text.back() = '\n';
    int number = 0;
    for (const ContourLine& line : contour_lines(to.field.end, contour_levels(now.contours, range))) {
        ++number;
        for (const SamplePoint& at : line.points)
            text += fmt::format("{},{},{},{}\n", line.level, number, units.x(at.x), units.y(at.y));
    }
    return text;
}

figure::Density plane_of(const RunOutput& run) {
    constexpr int kBins = 256;
    return plane_density(run.fields[0].end.values(), run.fields[1].end.values(), kBins);
}

// Trajectories of the probes in the phase plane, at steps where both components were measured.
std::vector<ProbeTrajectory> trajectories_of(const RunOutput& run) {
    std::vector<ProbeTrajectory> trajectories;
    if (!run.fields[0].tables || !run.fields[1].tables) return trajectories;
    const auto &across = run.fields[0].tables->measures.probes(),
               &up = run.fields[1].tables->measures.probes();
    for (std::size_t p = 0; p < std::min(across.size(), up.size()); ++p) {
        ProbeTrajectory& way = trajectories.emplace_back(across[p].x, across[p].y);
        const auto& steps = across[p].steps;
        for (std::size_t i = 0; i < up[p].steps.size(); ++i) {
            const auto same = std::ranges::lower_bound(steps, up[p].steps[i]);
            if (same != steps.end() && *same == up[p].steps[i])
                way.points.push_back({across[p].values[std::size_t(same - steps.begin())], up[p].values[i]});
        }
    }
    return trajectories;
}

std::string why_no_picture(const RunSpec& spec) {
    if (!spec.size || 1LL * spec.size->nx * spec.size->ny <= kMaxPngCells) return "";
    return fmt::format("{}x{} is more than a PNG of one pixel per cell can hold here ({} cells)",
                       spec.size->nx,
                       spec.size->ny,
                       kMaxPngCells);
}

// Other runs, and differences from other moments, exist only in a session.
std::string why_no_view(const RunSpec& spec) {
    for (const Pane pane : panes_of(spec))
        if (pane == Pane::from_reference || is_of_session(pane))
            return fmt::format("--view {} is only for the canvas of the window", row_of(pane).name);
    return "";
}

std::string why_no_plane(const RunSpec& spec) {
    return spec.model->components.size() < 2 ? "it shows two components, and the model has one" : "";
}

constexpr FrameFormat kPngFrames{
    [](auto& path, auto& field, auto& colors, ValueRange range) { write_png(path, field, colors, range); }};
constexpr FrameFormat kNpyFrames{[](auto& path, auto& field, auto&, ValueRange) { write_npy(path, field); }};
constexpr FrameFormat kVtiFrames{nullptr, write_vti, "field.pvd", write_pvd};
constexpr FrameFormat kHdf5Frames{nullptr, write_hdf5, "field.h5", write_hdf5_series};

// A row is easier to read in two or three lines.
// clang-format off
std::vector<Artifact> rows() {
    using enum ExportGroup;
    using namespace std::literals;
    return {
        {"initial", {"npy"}, data, kStandard | kStart, "the field at the start", write_start},
        {"field", {"npy"}, data, kStandard, "the field at the end", write_array<Quantity::value>},
        {"laplacian", {"npy"}, data, kStandard, "its Laplacian", write_array<Quantity::laplacian>},
        {"xt", {"npy"}, data, kByName | kRows,
         "the middle row over time, a row a moment: at each --every, else 256 times",
         [](auto& to) { write_npy(to.path, Field(kept_rows(to.field)).to(to.run.now.dtype)); }},
        {"field", {"png"}, pictures, kStandard | kCells, "the field at the end, one pixel per cell",
         write_picture<Quantity::value>, {.why_not = why_no_picture, .bytes_per_cell = 12}},
        {"laplacian", {"png"}, pictures, kStandard | kCells, "its Laplacian, one pixel per cell",
         write_picture<Quantity::laplacian>, {.why_not = why_no_picture, .bytes_per_cell = 12}},
        {"figure", {"png", "svg", "pdf"}, figures, kStandard | kOfRun | kCells, "start, end and Laplacian",
         write_run_figure},
        {"field", {"vti"}, paraview, kOfRun | kCells, "end, start and Laplacians of all fields, for ParaView",
         [](auto& to) { write_vti(to.path, field_set(to.run)); }},
        {"field", {"h5"}, paraview, kOfRun | kCells | kByName, "the same as HDF5, with the settings",
         [](auto& to) { write_hdf5(to.path, field_set(to.run)); }, {.why_no_library = why_no_hdf5}},
        {"field", {"nc"}, paraview, kOfRun | kCells | kByName, "the same as classic netCDF",
         [](auto& to) { write_netcdf(to.path, field_set(to.run)); }, {.why_no_library = why_no_netcdf}},
        {"web", {"html"}, run, kOfRun | kCells | kByName,
         "a page that steps the run in any browser, with its sliders", write_web_page,
         {.why_not = why_no_web_page, .check = require_web_page}},
        {"timings", {"json"}, run, kStandard | kOfRun | kSpeed, "what was run, and how fast",
         [](auto& to) { write_text_file(to.path, json_text(to.run.timings)); }},
        {"spec", {"json"}, run, kStandard | kOfRun, "the settings, to run it again with --spec",
         [](auto& to) {
             const std::string text = json_text(to_json(to.run.document));
             write_arrays_named(text, to.path.parent_path());
             write_text_file(to.path, text);
         }},
        {"field", {"csv"}, tables, kOfRun | kCells | kByName,
         "all fields at the end, a line per cell with its x and y", write_cells},
        {"statistics", {"csv"}, tables, kSeries,
         "min, max, mean and total: at the start, at each --every and at the end",
         [](auto& to) { write_text_file(to.path, statistics_csv(to.field.tables->measures, units_of(to))); }},
        {"histogram", {"csv"}, tables, kEndTables, "how many cells at the end hold which values",
         [](auto& to) { write_table(to, histogram_csv(*to.field.tables->histogram)); }},
        {"profile", {"csv"}, tables, kEndTables | kByName | kImplied,
         "the values at the end along each --profile",
         [](auto& to) { write_table(to, profile_csv(to.field.tables->profiles, units_of(to))); },
         {.why_not = [](auto& spec) {
             return spec.profiles.empty() ? "it needs a line: --profile X0,Y0,X1,Y1; L in the window"s : "";
         }}},
        {"probes", {"csv"}, tables, kSeries | kByName | kImplied,
         "the values of each --probe, at the steps of statistics.csv",
         [](auto& to) { write_text_file(to.path, probes_csv(to.field.tables->measures, units_of(to))); },
         {.why_not = [](auto& spec) {
             return spec.probes.empty() ? "it needs a probe: --probe X,Y, or P in the window"s : "";
         }}},
        {"spectrum", {"csv"}, tables, kCells, "mean power of the field's waves by their wave number",
         [](auto& to) { write_table(to, spectrum_csv(spectrum_of(to.field.end, to.run.now))); },
         {.why_no_library = why_no_spectrum, .bytes_per_cell = 16}},
        {"spectrum", {"png"}, figures, kCells, "spectrum: mean power by wave number",
         [](auto& to) {
             const RunSpec& now = to.run.now;
             const auto& [length, unit] = now.unit_length;
             write_chart(to, spectrum_chart(spectrum_of(to.field.end, now), to.field.formula, length, unit));
         },
         {.why_no_library = why_no_spectrum, .bytes_per_cell = 16}},
        {"contours", {"csv"}, tables, kCells | kByName, "the contours, point by point (--contours)",
         [](auto& to) { write_table(to, contours_of(to)); },
         {.why_not = [](auto& spec) {
             return spec.contours.empty() ? "no contours are chosen (--contours)"s : "";
         }}},
        {"view", {"png", "svg", "pdf"}, figures, kOfRun | kCells | kView,
         "what the canvas shows (--view), with model and time, as wide as --figure-size",
         write_view, {.why_not = why_no_view, .bytes_per_cell = 16}},
        {"xt", {"png", "svg", "pdf"}, figures, kByName | kRows,
         "x-t picture (kymograph): the middle row over time, downwards", write_rows_over_time},
        {"dispersion", {"csv"}, tables, kOfRun | kCells | kByName,
         "growth rate and frequency of small waves about a steady state, by wave number",
         [](auto& to) { write_text_file(to.path, dispersion_csv(dispersion_of(to.run), to.run.now)); },
         {.why_not = why_no_dispersion, .bytes_per_cell = 16}},
        {"dispersion", {"png", "svg", "pdf"}, figures, kOfRun | kCells | kByName,
         "dispersion relation, above the field's spectrum",
         write_dispersion, {.why_not = why_no_dispersion, .bytes_per_cell = 16}},
        {"phase", {"csv"}, tables, kOfRun | kCells | kByName,
         "how many cells have which pair of values of the first two components",
         [](auto& to) {
             write_table(to, plane_csv(plane_of(to.run), to.run.fields[0].formula, to.run.fields[1].formula));
         },
         {.why_not = why_no_plane, .bytes_per_cell = 16}},
        {"phase", {"png"}, figures, kOfRun | kCells | kSeries | kByName,
         "phase plane of the first two components, with the way of each --probe",
         [](auto& to) {
             write_chart(to, plane_chart(plane_of(to.run), to.run.fields[0].formula, to.run.fields[1].formula,
                                         trajectories_of(to.run)));
         },
         {.why_not = why_no_plane, .bytes_per_cell = 16}},
        {"frames", {"png"}, pictures, kStandard | kCells, "with --every: a numbered picture of each moment",
         nullptr, {.why_not = why_no_picture, .bytes_per_cell = 12}, &kPngFrames},
        {"frames", {"npy"}, data, 0, "with --every: a numbered array of each moment",
         nullptr, {}, &kNpyFrames},
        {"frames", {"vti"}, paraview, kCells,
         "with --every: for ParaView, all fields of each moment, and field.pvd, which plays them",
         nullptr, {}, &kVtiFrames},
        {"frames", {"h5"}, paraview, kCells,
         "with --every: HDF5, all fields of each moment, and field.h5, which shows them as one",
         nullptr, {.why_no_library = why_no_hdf5}, &kHdf5Frames},
    };
}
// clang-format on

}  // namespace

std::span<const Artifact> artifacts() {
    static const std::vector<Artifact> table = [] {
        std::vector<Artifact> all;
        for (Artifact row : rows())
            for (const std::string_view format : row.formats) {
                if (format.empty()) break;
                row.format = format;
                row.name = fmt::format("{}.{}", row.stem, format);
                if (format != row.formats[0]) {
                    row.traits &= ~kStandard;
                    row.help = format == "svg" ? "the same for the web" : "the same for print";
                }
                all.push_back(row);
            }
        return all;
    }();
    return table;
}

}  // namespace stencil
