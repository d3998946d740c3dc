#include "sim/run/output/exports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <new>

#include "kernels/cuda/profile_range.h"
#include "sim/files/names_together.h"
#include "sim/problem/panes.h"
#include "sim/run/output/measures.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/view/arrows.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

// Whether the text can be a component's name.
bool is_word(std::string_view text) {
    return std::ranges::all_of(text,
                               [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
}

// Inserts the suffix: field.npy with "-u" is field-u.npy.
std::string file_name(const Artifact& row, const std::string& suffix) {
    return fmt::format("{}{}.{}", row.stem, row.is(kOfRun) ? "" : suffix, row.format);
}

Measures with_probes(const RunSpec& spec, Size field) {
    Measures measures(0);
    for (const RunSpec::Cell& cell : spec.probes) measures.add_probe(cell.x, cell.y, field.nx, field.ny);
    return measures;
}

}  // namespace

void check_exports(const RunSpec& document) {
    const RunSpec spec = document.at_end();
    for (const Artifact* row : chosen_artifacts(spec)) {
        if (const std::string why = row->why_not(spec); !why.empty())
            throw InputError("{}: {}: leave it out with --export", row->name, why);
        if (row->needs.check) row->needs.check(spec);
        if (!row->needs.why_no_library) continue;
        if (const std::string why = row->needs.why_no_library(); !why.empty())
            throw MachineError("--export {}: {}", row->name, why);
    }
}

double export_bytes_per_cell(const RunSpec& spec) {
    int most = 0;
    for (const Artifact* row : chosen_artifacts(spec)) most = std::max(most, row->needs.bytes_per_cell);
    return double(bytes_of(spec.dtype)) + most;  // percentiles sort a copy
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
        if (exports_any(now, kRows))
            measures.at(formula).add_row(simulation.step(), simulation.solver(), formula, *now.size);
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
    const auto [x, y] = corner_of(now);
    return {names_of(now.model->components),
            cell_size(now),
            x,
            y,
            now.unit_length.name,
            now.unit_time.name,
            json_text(to_json(document))};
}

RunOutput run_output(Simulation& simulation, bool with_cells) {
    RunOutput output{simulation.now(), simulation.spec(), {}, {}, simulation.step(), {}, nullptr};
    output.document.steps = output.steps;
    Solver& solver = simulation.solver();
    constexpr double kArrowsAlong = 32;  // the longer side
    for (const std::string& formula : output_formulas(output.now)) {
        OutputField& field = output.fields.emplace_back();
        field.formula = formula;
        field.suffix = output_suffix(output.now, formula);
        if (!with_cells) continue;
        field.start = simulation.start_of(formula);
        field.end = solver.field(formula);
        field.laplacian = solver.laplacian(formula);
        if (output.now.drawn_arrows().empty()) continue;
        const auto [nx, ny] = *output.now.size;
        const auto lattice =
            arrow_lattice({0, 0, double(nx), double(ny)}, nx, ny, std::max(nx, ny) / kArrowsAlong);
        field.arrows = measure_arrows(solver, output.now, formula, lattice);
    }
    if (with_cells && output.now.draws_outline())
        output.outline = shape_outline(solver.field(std::string("inside")));
    return output;
}

std::vector<std::string> export_files(const RunSpec& spec) {
    std::vector<std::string> names;
    for (const Artifact* row : chosen_artifacts(spec))
        if (row->write)
            for (const std::string& formula : output_formulas(spec))
                names.push_back(file_name(*row, output_suffix(spec, formula)));
    return names;
}

WrittenFiles write_exports(const Path& folder, const RunOutput& run, WriteProgress* progress) {
    const ProfileRange range("export");
    WrittenFiles written;
    std::vector<std::pair<const Artifact*, const OutputField*>> files;
    const auto write = [&](const Artifact& row, const OutputField& field) {
        const Path path = folder / file_name(row, field.suffix);
        try {
            row.write({path, run, field, row.format});
            written.files.push_back(path);
        } catch (const std::bad_alloc&) {
            written.failures.push_back(path.string() + ": not enough host memory");
        } catch (const std::exception& error) {
            written.failures.emplace_back(error.what());
        }
    };
    for (const Artifact* row : chosen_artifacts(run.now)) {
        if (!row->write) continue;
        for (const OutputField& field : run.fields) {
            if ((row->is_table() || row->is(kRows)) && !field.tables) continue;
            files.emplace_back(row, &field);
            if (row->is(kOfRun)) break;
        }
        for (const OutputField& field : run.gone)
            if (row->is_table() && row->is(kSeries)) files.emplace_back(row, &field);
    }
    if (progress) progress->all = files.size();
    const NamesTogether together;
    for (const auto& [row, field] : files) {
        if (progress && progress->cancelled) break;
        write(*row, *field);
        if (progress) ++progress->done;
    }
    return written;
}

}  // namespace stencil
