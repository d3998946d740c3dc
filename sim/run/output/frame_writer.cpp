#include "sim/run/output/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "sim/files/exchange/field_set.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

constexpr FrameExport kFrameExports[] = {
    {"frames.png",
     ".png",
     "with --every: a numbered picture of each moment",
     [](auto& path, auto& field, auto& spec, ValueRange range) {
         write_png(path, field, field_colors(spec), range);
     }},
    {"frames.npy",
     ".npy",
     "with --every: a numbered array of each moment",
     [](auto& path, auto& field, auto&, ValueRange) { write_npy(path, field); }},
    {"frames.vti",
     ".vti",
     "with --every: for ParaView, all fields of each moment, and field.pvd, which plays them",
     nullptr,
     write_vti,
     "field.pvd",
     write_pvd},
    {"frames.h5",
     ".h5",
     "with --every: HDF5, all fields of each moment, and field.h5, which shows them as one",
     nullptr,
     write_hdf5,
     "field.h5",
     write_hdf5_series},
};

bool is_number(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The step in the name of a numbered file; -1 for other files.
long long step_of(const Path& name) {
    const std::string stem = name.stem().string();
    const std::string digits = stem.substr(stem.rfind('_') + 1);
    const bool ours = (stem.starts_with("field_") || stem.starts_with("field-")) && digits.size() >= 6 &&
                      is_number(digits) &&
                      std::ranges::find(kFrameExports, name.extension().string(), &FrameExport::ending) !=
                          std::end(kFrameExports);
    return ours ? std::strtoll(digits.c_str(), nullptr, 10) : -1;
}

}  // namespace

std::span<const FrameExport> frame_exports() {
    return kFrameExports;
}

bool is_frame_export(std::string_view name) {
    return std::ranges::find(kFrameExports, name, &FrameExport::name) != std::end(kFrameExports);
}

FrameWriter::FrameWriter(Path folder, const RunSpec& spec, FrameProgress progress)
    : folder_(std::move(folder)),
      spec_(std::make_shared<RunSpec>(spec)),
      progress_(std::move(progress)),
      digits_(std::max(6, int(std::to_string(spec.steps).size()))) {
    // A checkpoint keeps the ends alone.
    for (auto& [formula, range] : progress_.ranges) range.scale = spec.range.scale;
    if (spec.every == 0) return;
    for (const FrameExport& row : kFrameExports)
        if (contains(spec.exports, row.name)) kinds_.push_back(&row);
}

bool FrameWriter::has_pictures() const {
    return std::ranges::any_of(kinds_, [](const FrameExport* kind) { return kind->ending == ".png"; });
}

// Arrays of several processes, and nothing else of them.
bool FrameWriter::writes_in_place(const Solver& solver) const {
    return solver.processes() > 1 &&
           std::ranges::all_of(kinds_, [](const FrameExport* kind) { return kind->ending == ".npy"; });
}

void FrameWriter::write(Simulation& simulation) {
    // It may have been removed in mid-run; where it cannot be made again, the file says why.
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    const bool whole = std::ranges::any_of(kinds_, &FrameExport::write_all);
    const long long step = simulation.step();
    std::vector<std::pair<std::string, Field>> fields;
    for (const std::string& formula : output_formulas(*spec_)) {
        simulation.solver().show(formula);
        if (writes_in_place(simulation.solver())) {
            const std::string start = "field" + output_suffix(*spec_, formula);
            simulation.solver().write_npy(numbered(start, step, ".npy"), {});
            ++progress_.count;
            continue;
        }
        Field field = simulation.field();
        write(field, formula, step);
        if (whole) fields.emplace_back(output_name(*spec_, formula), std::move(field));
    }
    simulation.solver().show(simulation.now().shown());
    FieldSet set{run_notes(*spec_), {step, time_at(*spec_, step)}, {}};
    for (const auto& [name, field] : fields) set.fields.push_back({name, &field});
    for (const FrameExport* kind : kinds_) {
        if (!kind->write_all) continue;
        kind->write_all(numbered("field", step, kind->ending), set);
        ++progress_.count;
    }
}

void FrameWriter::finish() const {
    for (const FrameExport* kind : kinds_) {
        if (!kind->write_series) continue;
        FieldSeries series{run_notes(*spec_), {}, spec_->dtype, spec_->size->nx, spec_->size->ny, {}};
        for (const std::string& formula : output_formulas(*spec_))
            series.names.push_back(output_name(*spec_, formula));
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            const Path name = entry.path().filename();
            if (const long long step = step_of(name); step >= 0 && name.extension() == kind->ending)
                series.parts.push_back({name.string(), {step, time_at(*spec_, step)}});
        }
        std::ranges::sort(series.parts, {}, [](const auto& part) { return part.moment.step; });
        if (!series.parts.empty()) kind->write_series(folder_ / kind->series, series);
    }
}

Path FrameWriter::numbered(const std::string& start, long long step, std::string_view ending) const {
    return folder_ / fmt::format("{}_{:0{}}{}", start, step, digits_, ending);
}

void FrameWriter::write(const Field& field, const std::string& formula, long long step) {
    if (!progress_.ranges.contains(formula) || spec_->range_per_frame)
        progress_.ranges[formula] = find_range(field, spec_->range, field_colors(*spec_).diverging);
    const std::string start = "field" + output_suffix(*spec_, formula);
    for (const FrameExport* kind : kinds_) {
        if (!kind->write) continue;
        kind->write(numbered(start, step, kind->ending), field, *spec_, progress_.ranges[formula]);
        ++progress_.count;
    }
}

void FrameWriter::remove_later(long long step) const {
    std::error_code ignored;
    std::vector<Path> later;
    for (const FrameExport& row : kFrameExports)
        if (!row.series.empty()) later.push_back(folder_ / row.series);
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored))
        if (step_of(entry.path().filename()) > step) later.push_back(entry.path());
    for (const Path& file : later) std::filesystem::remove(file, ignored);
}

}  // namespace stencil
