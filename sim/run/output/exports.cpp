#include "sim/run/output/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <new>

#include "sim/distributed/distributed_solver.h"
#include "sim/files/atomic_file.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/run/output/dispersion.h"
#include "sim/run/output/frame_writer.h"
#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/view/analysis.h"
#include "sim/view/arrows.h"
#include "sim/view/colormap.h"
#include "sim/web/web_page.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

void write_picture(const Path& path, const Field& field, const Colormap& colors, const RangeRule& rule) {
    write_png(path, field, colors, find_range(field, rule, colors.diverging));
}

using FigureWriter = void(const Path& path, figure::FigureFormat format, const RunOutput& run);

template <FigureWriter* write, figure::FigureFormat format>
void write_as(const Path& path, const RunOutput& run, const OutputField&) {
    write(path, format, run);
}

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
void write_array(const Path& path, const RunOutput& run, const OutputField& field) {
    if (!run.spread) return write_npy(path, quantity == Quantity::value ? field.end : field.laplacian);
    SolverArray array;
    array.observable = {field.formula, quantity};
    run.spread->solver().write_npy(path, array);
}

void write_start(const Path& path, const RunOutput& run, const OutputField& field) {
    if (!run.spread) return write_npy(path, *field.start);
    if (const auto component = find_component(*run.spread->now().model, field.formula))
        write_npy(path, *run.spread->start(), *component);
    else
        write_npy(path, *run.spread->start_of(field.formula));
}

// A run that was changed on the way begins at its end: a page repeats no changes.
void write_web_page(const Path& path, const RunOutput& run, const OutputField&) {
    const bool changed = !run.document.edits.until(run.steps).empty();
    const long long step = changed ? run.steps : 0;
    const double time = time_at(run.document, step).value_or(0) / run.now.unit_time.size;
    WebStart start{run.now, run.document, step, time, {}};
    for (const OutputField& field : run.fields) {
        const Field* cells = changed ? &field.end : field.start.get();
        if (find_component(*run.now.model, field.formula)) start.state.push_back(cells);
        if (field.formula == run.now.shown()) start.shown = cells;
    }
    write_text_file(path, web_page(start));
}

struct ExportRow {
    std::string_view name;
    ExportWriter* write;
};

constexpr ExportRow kWriters[] = {
    {"initial.npy", write_start},
    {"field.npy", write_array<Quantity::value>},
    {"laplacian.npy", write_array<Quantity::laplacian>},
    {"field.png",
     [](auto& path, auto& run, auto& field) {
         write_picture(
             path, field.end, field_colors(run.now, field.formula), run.now.coloring(field.formula).range);
     }},
    {"laplacian.png",
     [](auto& path, auto& run, auto& field) {
         write_picture(path, field.laplacian, laplacian_colors(run.now, false), run.now.laplacian_range);
     }},
    {"figure.png", write_as<write_run_figure, figure::FigureFormat::png>},
    {"figure.svg", write_as<write_run_figure, figure::FigureFormat::svg>},
    {"figure.pdf", write_as<write_run_figure, figure::FigureFormat::pdf>},
    {"field.vti", [](auto& path, auto& run, auto&) { write_vti(path, field_set(run)); }},
    {"field.h5", [](auto& path, auto& run, auto&) { write_hdf5(path, field_set(run)); }},
    {"web.html", write_web_page},
    {"timings.json", [](auto& path, auto& run, auto&) { write_text_file(path, json_text(run.timings)); }},
    {"spec.json",
     [](auto& path, auto& run, auto&) { write_text_file(path, json_text(to_json(run.document))); }},
    {"statistics.csv",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, statistics_csv(field.tables->measures, table_units(run.now, run.document)));
     }},
    {"histogram.csv",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, with_time(histogram_csv(*field.tables->histogram), run.document, run.steps));
     }},
    {"profile.csv",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path,
                         with_time(profile_csv(field.tables->profiles, table_units(run.now, run.document)),
                                   run.document,
                                   run.steps));
     }},
    {"probes.csv",
     [](auto& path, auto& run, auto& field) {
         write_text_file(path, probes_csv(field.tables->measures, table_units(run.now, run.document)));
     }},
    {"spectrum.csv", write_spectrum_csv},
    {"spectrum.png", write_spectrum_png},
    {"contours.csv", write_contours_csv},
    {"contours.svg", write_contours_svg},
    {"surface.png", write_surface_png},
    {"view.png", write_as<write_view, figure::FigureFormat::png>},
    {"view.svg", write_as<write_view, figure::FigureFormat::svg>},
    {"view.pdf", write_as<write_view, figure::FigureFormat::pdf>},
    {"dispersion.csv", write_dispersion_csv},
    {"dispersion.png", write_as<write_dispersion, figure::FigureFormat::png>},
    {"dispersion.svg", write_as<write_dispersion, figure::FigureFormat::svg>},
    {"dispersion.pdf", write_as<write_dispersion, figure::FigureFormat::pdf>},
    {"phase.csv", write_phase_csv},
    {"phase.png", write_phase_png},
};

static_assert(std::ranges::equal(kWriters, kExports, {}, &ExportRow::name, &Export::name),
              "each row of kExports needs one of kWriters");

bool chosen(const RunSpec& spec, std::string_view name) {
    return contains(spec.exports, name);
}

// Differences from other runs and moments exist only in a session.
std::string why_no_view(const RunSpec& spec) {
    for (const Pane pane : panes_of(spec))
        if (pane == Pane::from_reference || pane == Pane::from_bookmark)
            return fmt::format("--view {} is only for the canvas of the window", row_of(pane).name);
    return "";
}

// Whether the text can be a component's name.
bool is_word(std::string_view text) {
    return std::ranges::all_of(text,
                               [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
}

// Inserts the suffix: field.npy with "-u" is field-u.npy.
std::string file_name(const Export& row, const std::string& suffix) {
    const Path name = row.name;
    return name.stem().string() + (row.of_run ? "" : suffix) + name.extension().string();
}

Measures with_probes(const RunSpec& spec, Size field) {
    Measures measures(0);
    for (const RunSpec::Cell& cell : spec.probes) measures.add_probe(cell.x, cell.y, field.nx, field.ny);
    return measures;
}

}  // namespace

std::string why_not_exported(std::string_view name, const RunSpec& spec) {
    if (name.starts_with("contours.") && spec.contours.empty()) return "no contours are chosen (--contours)";
    if (name.starts_with("phase.") && spec.model->components.size() < 2)
        return "it shows two components, and the model has one";
    if (name.starts_with("dispersion.")) return why_no_dispersion(*spec.model);
    if (name.starts_with("view.")) return why_no_view(spec);
    if (name == "web.html") return why_no_web_page(spec);
    const bool cell_a_pixel = name == "field.png" || name == "laplacian.png" || name == "frames.png";
    if (!cell_a_pixel || !spec.size || 1LL * spec.size->nx * spec.size->ny <= kMaxPngCells) return "";
    return fmt::format("{}x{} is more than a PNG of one pixel per cell can hold here ({} cells)",
                       spec.size->nx,
                       spec.size->ny,
                       kMaxPngCells);
}

void check_exports(const RunSpec& document) {
    const RunSpec spec = document.at_end();
    for (const std::string& name : spec.exports)
        if (const std::string why = why_not_exported(name, spec); !why.empty())
            throw InputError("{}: {}: leave it out with --export", name, why);
    if (chosen(spec, "web.html")) require_web_page(spec);
    const auto hdf5 = std::ranges::find_if(spec.exports, [](auto& name) { return name.ends_with(".h5"); });
    if (hdf5 != spec.exports.end() && !why_no_hdf5().empty())
        throw MachineError("--export {}: {}", *hdf5, why_no_hdf5());
    const auto spectrum =
        std::ranges::find_if(spec.exports, [](auto& name) { return name.starts_with("spectrum."); });
    if (spectrum != spec.exports.end() && !why_no_spectrum().empty())
        throw MachineError("--export {}: {}", *spectrum, why_no_spectrum());
}

double export_bytes_per_cell(const RunSpec& spec) {
    // Percentiles sort a copy; a PNG needs its pixels, filtered rows and compressed data.
    const bool pictures =
        chosen(spec, "field.png") || chosen(spec, "laplacian.png") || chosen(spec, "frames.png");
    // The spectrum needs values and transform in float64, the phase plane two components, a view differences.
    const bool float64 = std::ranges::any_of(spec.exports, [](const std::string& name) {
        return name.starts_with("spectrum.") || name.starts_with("phase.") ||
               name.starts_with("dispersion.") || name.starts_with("view.");
    });
    return double(bytes_of(spec.dtype)) + std::max(pictures ? 12 : 0, float64 ? 16 : 0);
}

MeasureTables make_tables(Solver& solver, const RunSpec& now, const std::string& formula, Measures measures) {
    constexpr int kHistogramBins = 256;
    MeasureTables tables{std::move(measures), {}, {}};
    const ValueRange range =
        measure_range(solver, formula, now.coloring(formula).range, field_colors(now, formula).diverging);
    tables.histogram = measure_histogram(solver, formula, range, kHistogramBins);
    for (const ProfileLine& line : now.profiles)
        tables.profiles.push_back(measure_profile(solver, formula, line));
    return tables;
}

MeasuresOf make_measures(const RunSpec& spec) {
    MeasuresOf measures;
    for (const std::string& formula : output_formulas(spec))
        measures.emplace(formula, with_probes(spec, *spec.size));
    return measures;
}

void add_measures(MeasuresOf& measures, Simulation& simulation) {
    const RunSpec& now = simulation.now();
    for (const std::string& formula : output_formulas(now)) {
        // Probes were checked against the initial size; outside of a smaller field their values are NaN.
        if (!measures.contains(formula)) measures.emplace(formula, with_probes(now, {kMaxCells, kMaxCells}));
        measures.at(formula).add(simulation.step(), simulation.solver(), formula);
    }
}

void add_tables(RunOutput& output, Solver& solver, MeasuresOf measures) {
    for (OutputField& field : output.fields) {
        auto own = measures.extract(field.formula);
        field.tables =
            make_tables(solver, output.now, field.formula, own ? std::move(own.mapped()) : Measures(0));
    }
    int others = 1;
    for (auto& [formula, series] : measures) {
        OutputField& field = output.gone.emplace_back();
        field.formula = formula;
        field.suffix = is_word(formula) ? "-" + formula : fmt::format("-{}-{}", kShown, ++others);
        field.tables = MeasureTables{std::move(series), {}, {}};
    }
}

std::vector<std::string> output_formulas(const RunSpec& spec) {
    std::vector<std::string> formulas = names_of(spec.model->components);
    if (!contains(formulas, spec.shown())) formulas.push_back(spec.shown());
    return formulas;
}

std::string output_suffix(const RunSpec& spec, const std::string& formula) {
    if (!find_component(*spec.model, formula)) return fmt::format("-{}", kShown);
    const bool several = spec.model->components.size() > 1 || !find_component(*spec.model, spec.shown());
    return several ? "-" + formula : "";
}

std::string output_name(const RunSpec& spec, const std::string& formula) {
    return find_component(*spec.model, formula) ? formula : std::string(kShown);
}

RunNotes run_notes(const RunSpec& now, const RunSpec& document) {
    return {names_of(now.model->components),
            cell_size(now),
            now.unit_length.name,
            now.unit_time.name,
            json_text(to_json(document))};
}

bool needs_cells(const RunSpec& spec) {
    return std::ranges::any_of(spec.exports, [](std::string_view name) {
        return !name.ends_with(".npy") && !name.ends_with(".json") && !is_table_export(name) &&
               !is_frame_export(name);
    });
}

RunOutput run_output(Simulation& simulation, bool with_cells) {
    RunOutput output{simulation.now(), simulation.spec(), {}, {}, {}, simulation.step(), {}, nullptr};
    output.document.steps = output.steps;
    for (const std::string& formula : output_formulas(output.now)) {
        OutputField& field = output.fields.emplace_back();
        field.formula = formula;
        field.suffix = output_suffix(output.now, formula);
        if (!with_cells) continue;
        field.start = simulation.start_of(formula);
        field.end = simulation.solver().field(formula);
        field.laplacian = simulation.solver().laplacian(formula);
    }
    if (with_cells)
        for (const std::string& formula : arrow_formulas(output.now.drawn_arrows()))
            if (!contains(output_formulas(output.now), formula))
                output.arrows.emplace_back(formula, simulation.solver().field(formula));
    if (with_cells && output.now.draws_outline())
        output.outline = shape_outline(simulation.solver().field(std::string("inside")));
    return output;
}

std::vector<std::string> export_files(const RunSpec& spec) {
    std::vector<std::string> names;
    for (const Export& row : kExports)
        for (const std::string& formula : output_formulas(spec))
            if (chosen(spec, row.name)) names.push_back(file_name(row, output_suffix(spec, formula)));
    return names;
}

ExportWriter* export_writer(std::string_view name) {
    const auto row = std::ranges::find(kWriters, name, &ExportRow::name);
    return row == std::end(kWriters) ? nullptr : row->write;
}

WrittenFiles write_exports(const Path& folder, const RunOutput& run, WriteProgress* progress) {
    WrittenFiles written;
    std::vector<std::pair<const Export*, const OutputField*>> files;
    const auto write = [&](const Export& row, const OutputField& field) {
        const Path path = folder / file_name(row, field.suffix);
        try {
            export_writer(row.name)(path, run, field);
            written.files.push_back(path);
        } catch (const std::bad_alloc&) {
            written.failures.push_back(path.string() + ": not enough host memory");
        } catch (const std::exception& error) {
            written.failures.emplace_back(error.what());
        }
    };
    for (const Export& row : kExports) {
        if (!chosen(run.now, row.name)) continue;
        for (const OutputField& field : run.fields) {
            if (is_table_export(row.name) && !field.tables) continue;
            files.emplace_back(&row, &field);
            if (row.of_run) break;
        }
        for (const OutputField& field : run.gone)
            if (row.name == "statistics.csv" || row.name == "probes.csv") files.emplace_back(&row, &field);
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
