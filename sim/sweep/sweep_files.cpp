#include "sim/sweep/sweep_files.h"

#include <algorithm>
#include <array>

#include "sim/files/atomic_file.h"
#include "sim/files/exchange/field_set.h"
#include "sim/run/output/exports.h"
#include "sim/sweep/sweep_figure.h"
#include "sim/sweep/sweep_table.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void write_picture(const std::filesystem::path& path, const SweepResults& results) {
    const auto format = figure::format_named(path.extension().string().substr(1));
    if (results.map.empty())
        write_sweep_pictures(path, format, results.sweep, results.store);
    else
        write_sweep_map(path, format, results.sweep, results.map);
}

void write_table(const std::filesystem::path& path, const SweepResults& results) {
    write_text_file(path, sweep_csv(results.sweep));
}

// Dimensions and fields of netCDF share their names.
std::string scale_name(const std::string& name, const RunSpec& run) {
    const bool taken = name == "x" || name == "y" || find_component(*run.model, name);
    return taken ? "vary_" + name : name;
}

void write_grid(const std::filesystem::path& path, const SweepResults& results) {
    const Sweep& sweep = results.sweep;
    const SweepSpec& spec = sweep.spec();
    const RunSpec& run = sweep.resolved();
    FieldGrid grid;
    grid.run = run_notes(run, run);
    grid.run.spec = json_text(to_json(spec));
    if (spec.listed) {
        grid.scales.push_back({"run", {}});
        for (std::size_t i = 0; i < sweep.count(); ++i) grid.scales.front().values.push_back(double(i + 1));
        for (const Vary& one : spec.vary)
            grid.numbers.push_back({scale_name(one.name, run), axis_values(one)});
    }
    for (std::size_t axis = spec.vary.size(); axis-- > 0 && !spec.listed;) {
        const Vary& one = spec.vary[axis];
        const bool words = std::ranges::any_of(one.values, [](const auto& v) { return !read_real(v); });
        grid.scales.push_back(
            {scale_name(one.name, run), axis_values(one), words ? one.values : std::vector<std::string>()});
    }
    for (SweepColumn& column : sweep_columns(sweep))
        grid.numbers.push_back({std::move(column.name), std::move(column.values)});
    for (std::size_t i = 0; i < sweep.count(); ++i) grid.status.push_back(sweep.run(i).status);
    for (const std::string& formula : results.store.planes()) grid.names.push_back(output_name(run, formula));
    grid.dtype = run.dtype;
    grid.nx = run.size->nx;
    grid.ny = run.size->ny;
    grid.field = [&](std::size_t i, std::size_t plane) { return results.store.field(i, plane); };
    write_hdf5_grid(path, grid);
}

}  // namespace

std::span<const SweepFile> sweep_files() {
    static constexpr std::array kRows{
        SweepFile{"csv", "sweep.csv", "a row a run", true, false, nullptr, write_table},
        SweepFile{
            "png", "sweep.png", "the runs along the axes of what varies", true, true, nullptr, write_picture},
        SweepFile{"pdf", "sweep.pdf", "the same, to print", false, true, nullptr, write_picture},
        SweepFile{"svg", "sweep.svg", "the same, for pages", false, true, nullptr, write_picture},
        SweepFile{"npy", "fields.npy", "the fields of all runs, for NumPy", true, true},
        SweepFile{"h5",
                  "sweep.h5",
                  "fields and numbers over axes named by what varies, for xarray",
                  false,
                  true,
                  why_no_hdf5,
                  write_grid},
    };
    return kRows;
}

std::vector<const SweepFile*> parse_sweep_files(const std::string& list) {
    std::vector<const SweepFile*> files;
    const auto known = names_of(sweep_files());
    for (const std::string& name : split(list, ',')) {
        const bool all = name == "all", standard = name == "default";
        if (!all && !standard && !contains(known, name))
            throw InputError(Given{"export"}, unknown_name_message("file", name, known));
        for (const SweepFile& row : sweep_files()) {
            if (!all && !(standard && row.standard) && row.name != name) continue;
            const std::string why = row.why_not ? row.why_not() : "";
            if (!why.empty() && all) continue;
            if (!why.empty()) throw MachineError("{}: {}", row.file, why);
            if (!contains(files, &row)) files.push_back(&row);
        }
    }
    return files;
}

bool needs_fields(std::span<const SweepFile* const> files, const std::string& map) {
    return std::ranges::any_of(files, [&](const SweepFile* row) {
        return row->of_fields && (map.empty() || row->write != write_picture);
    });
}

void write_sweep_spec(const std::filesystem::path& folder, const SweepSpec& sweep) {
    write_text_file(folder / "spec.json", json_text(to_json(sweep)));
}

std::vector<std::filesystem::path> write_sweep_files(const std::filesystem::path& folder,
                                                     std::span<const SweepFile* const> files,
                                                     const SweepResults& results) {
    std::vector<std::filesystem::path> written{folder / "spec.json"};
    for (const SweepFile* row : files) {
        written.push_back(folder / row->file);
        if (row->write) row->write(written.back(), results);
    }
    return written;
}

}  // namespace stencil
