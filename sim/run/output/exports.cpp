#include "sim/run/output/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

#include "sim/files/atomic_file.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/output/looks.h"
#include "sim/run/output/measures.h"
#include "sim/run/output/run_figure.h"
#include "sim/run/simulation.h"
#include "sim/spread/spread_solver.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"
#include "sim/view/radial_spectrum.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

void write_picture(const Path& path, const Field& field, const Colormap& colors, const RangeRule& rule) {
    write_png(path, field, colors, find_range(field, rule, colors.diverging));
}

template <figure::FigureFormat format>
void write_run_figure_as(const Path& path, const RunOutput& run, const OutputField&) {
    write_run_figure(path, format, run);
}

FieldSet field_set(const RunOutput& run) {
    FieldSet set{run_notes(run.spec), {run.steps, time_at(run.spec, run.steps)}, {}};
    for (const OutputField& f : run.fields) set.fields.push_back({output_name(run.spec, f.formula), &f.end});
    for (const OutputField& f : run.fields) {
        const std::string name = output_name(run.spec, f.formula);
        set.fields.push_back({"initial_" + name, f.start.get()});
        set.fields.push_back({"laplacian_" + name, &f.laplacian});
    }
    return set;
}

template <SolverArray::Kind kind>
void write_array(const Path& path, const RunOutput& run, const OutputField& field) {
    if (!run.spread) return write_npy(path, kind == SolverArray::Kind::field ? field.end : field.laplacian);
    Solver& solver = run.spread->solver();
    solver.show(field.formula);
    solver.write_npy(path, {kind});
    solver.show(run.spread->now().shown());
}

void write_start(const Path& path, const RunOutput& run, const OutputField& field) {
    if (!run.spread) return write_npy(path, *field.start);
    const auto names = names_of(run.spread->now().model->components);
    const auto component = std::ranges::find(names, field.formula);
    if (component == names.end())
        write_npy(path, *run.spread->start_of(field.formula));
    else
        write_npy(path, *run.spread->start(), std::size_t(component - names.begin()));
}

constexpr bool kOfRun = true;

constexpr Export kExports[] = {
    {"initial.npy", true, "the field at the start", write_start},
    {"field.npy", true, "the field at the end", write_array<SolverArray::Kind::field>},
    {"laplacian.npy", true, "its Laplacian", write_array<SolverArray::Kind::laplacian>},
    {"field.png",
     true,
     "the field at the end, one pixel a cell",
     [](auto& path, auto& run, auto& field) {
         write_picture(path, field.end, field_colors(run.spec), run.spec.range);
     }},
    {"laplacian.png",
     true,
     "its Laplacian, one pixel a cell",
     [](auto& path, auto& run, auto& field) {
         write_picture(path, field.laplacian, laplacian_colors(run.spec, false), run.spec.laplacian_range);
     }},
    {"figure.png",
     true,
     "start, end and Laplacian with titles, axes and colour bars",
     write_run_figure_as<figure::FigureFormat::png>,
     kOfRun},
    {"figure.svg", false, "the same for the web", write_run_figure_as<figure::FigureFormat::svg>, kOfRun},
    {"figure.pdf", false, "the same for print", write_run_figure_as<figure::FigureFormat::pdf>, kOfRun},
    {"field.vti",
     false,
     "all fields at the end, at the start and their Laplacians, for ParaView",
     [](auto& path, auto& run, auto&) { write_vti(path, field_set(run)); },
     kOfRun},
    {"field.h5",
     false,
     "the same as HDF5, with the settings",
     [](auto& path, auto& run, auto&) { write_hdf5(path, field_set(run)); },
     kOfRun,
     "libhdf5"},
    {"timings.json",
     true,
     "what was run, and how fast",
     [](auto& path, auto& run, auto&) { write_text_file(path, json_text(run.timings)); },
     kOfRun},
    {"spec.json",
     true,
     "the settings, to run it again with --spec",
     [](auto& path, auto& run, auto&) { write_text_file(path, json_text(to_json(run.spec))); },
     kOfRun},
    {"statistics.csv",
     false,
     "min, max, mean and total: at the start, every N steps (--every) and at the end",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, statistics_csv(field.tables->measures, table_units(run.spec)));
     }},
    {"histogram.csv",
     false,
     "how many cells at the end hold which values",
     [](auto& path, auto&, auto& field) { write_text_file(path, histogram_csv(*field.tables->histogram)); }},
    {"profile.csv",
     false,
     "the values at the end along each --profile",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, profile_csv(field.tables->profiles, table_units(run.spec)));
     },
     false,
     "profile"},
    {"probes.csv",
     false,
     "the values of each --probe, at the steps of statistics.csv",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, probes_csv(field.tables->measures, table_units(run.spec)));
     },
     false,
     "probe"},
    {"spectrum.csv", false, "mean power of the field's waves by their wave number", write_spectrum_csv},
    {"spectrum.png", false, "the same as a plot", write_spectrum_png},
    {"contours.csv", false, "the lines of --contours, point by point", write_contours_csv, false, "contours"},
    {"contours.svg", false, "the field with these lines", write_contours_svg, false, "contours"},
    {"surface.png",
     false,
     "the field as a surface, whose height is the value, seen from --surface",
     write_surface_png},
    {"phase.csv",
     false,
     "how many cells have which pair of values of the first two components",
     write_phase_csv,
     kOfRun,
     "components"},
    {"phase.png",
     false,
     "the same as a plot, with the way of each --probe",
     write_phase_png,
     kOfRun,
     "components"},
};

bool chosen(const RunSpec& spec, std::string_view name) {
    return contains(spec.exports, name);
}

// field.npy with the suffix "-u" is field-u.npy.
std::string file_name(const Export& row, const std::string& suffix) {
    const Path name = row.name;
    return name.stem().string() + (row.of_run ? "" : suffix) + name.extension().string();
}

}  // namespace

const Colormap& field_colors(const RunSpec& spec) {
    return colormap(spec.colormap.empty() ? "viridis" : spec.colormap);
}

const Colormap& laplacian_colors(const RunSpec& spec, bool in_figure) {
    if (!spec.laplacian_colormap.empty()) return colormap(spec.laplacian_colormap);
    return colormap(spec.colormap.empty() || in_figure ? "inferno" : spec.colormap);
}

std::span<const Export> exports() {
    return kExports;
}

std::vector<std::string> default_exports() {
    std::vector<std::string> names;
    for (const Export& row : kExports)
        if (row.standard) names.emplace_back(row.name);
    return names;
}

bool is_table_export(std::string_view name) {
    constexpr std::string_view kTables[] = {"statistics.csv", "histogram.csv", "profile.csv", "probes.csv"};
    return std::ranges::find(kTables, name) != std::end(kTables);
}

void add_export(std::string_view item, std::vector<std::string>& names) {
    std::vector<std::string> added{std::string(item)};
    if (item == "default") {
        added = default_exports();
    } else if (item == "all") {
        added.clear();
        for (const Export& row : kExports)
            if (row.needs.empty()) added.emplace_back(row.name);
    } else {
        std::vector<std::string> known = names_of(kExports);
        for (const FrameExport& row : frame_exports()) known.emplace_back(row.name);
        known.insert(known.end(), {"default", "all"});
        if (!contains(known, item))
            throw InputError("--export: " + unknown_name_message("file", item, known));
    }
    for (const std::string& name : added)
        if (!contains(names, name)) names.push_back(name);
}

std::string why_not_exported(std::string_view name, const RunSpec& spec) {
    if (name.starts_with("contours.") && spec.contours.empty()) return "there are none (see --contours)";
    if (name.starts_with("phase.") && spec.model->components.size() < 2)
        return "it is of two components, and the model has one";
    const bool cell_a_pixel = name == "field.png" || name == "laplacian.png" || name == "frames.png";
    if (!cell_a_pixel || !spec.size || 1LL * spec.size->nx * spec.size->ny <= kMaxPngCells) return "";
    return fmt::format("{}x{} is more than a PNG of one pixel a cell can hold here ({} cells)",
                       spec.size->nx,
                       spec.size->ny,
                       kMaxPngCells);
}

void check_exports(const RunSpec& spec) {
    for (const std::string& name : spec.exports)
        if (const std::string why = why_not_exported(name, spec); !why.empty())
            throw InputError(fmt::format("{}: {}: leave it out with --export", name, why));
    const auto hdf5 = std::ranges::find_if(spec.exports, [](auto& name) { return name.ends_with(".h5"); });
    if (hdf5 != spec.exports.end() && !why_no_hdf5().empty())
        throw MachineError(fmt::format("--export {}: {}", *hdf5, why_no_hdf5()));
    const auto spectrum =
        std::ranges::find_if(spec.exports, [](auto& name) { return name.starts_with("spectrum."); });
    if (spectrum != spec.exports.end() && !why_no_spectrum().empty())
        throw MachineError(fmt::format("--export {}: {}", *spectrum, why_no_spectrum()));
}

double export_bytes_per_cell(const RunSpec& spec) {
    // Percentiles sort a copy; a PNG needs its pixels, the filtered ones and the compressed ones.
    const bool pictures =
        chosen(spec, "field.png") || chosen(spec, "laplacian.png") || chosen(spec, "frames.png");
    // The spectrum takes the values and their waves in float64, the plane two components.
    const bool float64 = std::ranges::any_of(spec.exports, [](const std::string& name) {
        return name.starts_with("spectrum.") || name.starts_with("phase.");
    });
    return double(bytes_of(spec.dtype)) + std::max(pictures ? 12 : 0, float64 ? 16 : 0);
}

MeasureTables make_tables(Solver& solver,
                          const RunSpec& now,
                          Measures measures,
                          std::span<const ProfileLine> lines) {
    constexpr int kHistogramBins = 256;
    MeasureTables tables{std::move(measures), {}, {}};
    const ValueRange range = measure_range(solver, Quantity::value, now.range, field_colors(now).diverging);
    tables.histogram = measure_histogram(solver, Quantity::value, range, kHistogramBins);
    for (const ProfileLine& line : lines)
        tables.profiles.push_back(measure_profile(solver, Quantity::value, line));
    return tables;
}

std::vector<std::string> output_formulas(const RunSpec& spec) {
    std::vector<std::string> formulas = names_of(spec.model->components);
    if (!contains(formulas, spec.shown())) formulas.push_back(spec.shown());
    return formulas;
}

std::string output_suffix(const RunSpec& spec, const std::string& formula) {
    const std::vector<std::string> components = names_of(spec.model->components);
    if (!contains(components, formula)) return "-shown";
    return components.size() > 1 || !contains(components, spec.shown()) ? "-" + formula : "";
}

std::string output_name(const RunSpec& spec, const std::string& formula) {
    return contains(names_of(spec.model->components), formula) ? formula : "shown";
}

RunNotes run_notes(const RunSpec& spec) {
    return {names_of(spec.model->components),
            cell_size(spec),
            spec.unit_length.name,
            spec.unit_time.name,
            json_text(to_json(spec))};
}

bool needs_cells(const RunSpec& spec) {
    return std::ranges::any_of(spec.exports, [](std::string_view name) {
        return !name.ends_with(".npy") && !name.ends_with(".json") && !is_table_export(name) &&
               !is_frame_export(name);
    });
}

std::vector<OutputField> output_fields(Simulation& simulation, bool with_cells) {
    const RunSpec& now = simulation.now();
    std::vector<OutputField> fields;
    for (const std::string& formula : output_formulas(now)) {
        if (!with_cells) {
            fields.push_back({formula, output_suffix(now, formula), nullptr, {}, {}, std::nullopt});
            continue;
        }
        simulation.solver().show(formula);
        fields.push_back({formula,
                          output_suffix(now, formula),
                          simulation.start_of(formula),
                          simulation.field(),
                          simulation.laplacian(),
                          std::nullopt});
    }
    simulation.solver().show(now.shown());
    return fields;
}

std::vector<std::string> export_files(const RunSpec& spec) {
    std::vector<std::string> names;
    for (const Export& row : kExports)
        for (const std::string& formula : output_formulas(spec))
            if (chosen(spec, row.name)) names.push_back(file_name(row, output_suffix(spec, formula)));
    return names;
}

WrittenFiles write_exports(const Path& folder, const RunOutput& run, WriteProgress* progress) {
    WrittenFiles written;
    std::vector<std::pair<const Export*, const OutputField*>> files;
    const auto write = [&](const Export& row, const OutputField& field) {
        const Path path = folder / file_name(row, field.suffix);
        try {
            row.write(path, run, field);
            written.files.push_back(path);
        } catch (const std::bad_alloc&) {
            written.failures.push_back(path.string() + ": not enough host memory");
        } catch (const std::exception& error) {
            written.failures.emplace_back(error.what());
        }
    };
    for (const Export& row : kExports) {
        if (!chosen(run.spec, row.name)) continue;
        for (const OutputField& field : run.fields) {
            if (is_table_export(row.name) && !field.tables) continue;
            files.emplace_back(&row, &field);
            if (row.of_run) break;
        }
    }
    if (progress) progress->all = files.size();
    for (const auto& [row, field] : files) {
        if (progress && progress->cancelled) break;
        write(*row, *field);
        if (progress) ++progress->done;
    }
    return written;
}

}  // namespace stencil
