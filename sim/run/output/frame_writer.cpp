#include "sim/run/output/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

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
};

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

void FrameWriter::write(Simulation& simulation) {
    // It may have been removed in mid-run; where it cannot be made again, the file says why.
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    for (const std::string& formula : output_formulas(*spec_)) {
        simulation.solver().show(formula);
        write(simulation.field(), formula, simulation.step());
    }
    simulation.solver().show(simulation.now().shown());
}

void FrameWriter::write(const Field& field, const std::string& formula, long long step) {
    if (!progress_.ranges.contains(formula) || spec_->range_per_frame)
        progress_.ranges[formula] = find_range(field, spec_->range, field_colors(*spec_).diverging);
    const std::string start = "field" + output_suffix(*spec_, formula);
    for (const FrameExport* kind : kinds_) {
        kind->write(folder_ / fmt::format("{}_{:0{}}{}", start, step, digits_, kind->ending),
                    field,
                    *spec_,
                    progress_.ranges[formula]);
        ++progress_.count;
    }
}

void FrameWriter::remove_later(long long step) const {
    std::error_code ignored;
    std::vector<Path> later;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
        const Path name = entry.path().filename();
        const std::string stem = name.stem().string();
        const std::string digits = stem.substr(stem.rfind('_') + 1);
        const bool ours = (stem.starts_with("field_") || stem.starts_with("field-")) && digits.size() >= 6 &&
                          std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }) &&
                          std::ranges::find(kFrameExports, name.extension().string(), &FrameExport::ending) !=
                              std::end(kFrameExports);
        if (ours && std::strtoll(digits.c_str(), nullptr, 10) > step) later.push_back(entry.path());
    }
    for (const Path& file : later) std::filesystem::remove(file, ignored);
}

}  // namespace stencil
