#include "sim/run/output/frame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "sim/files/exchange/field_set.h"
#include "sim/problem/panes.h"
#include "sim/run/output/exports.h"
#include "sim/run/simulation.h"
#include "sim/text/names.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Path = std::filesystem::path;

bool is_number(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The step in the name of a numbered file; -1 for other files.
long long step_of(const Path& name) {
    const std::string stem = name.stem().string();
    const std::string digits = stem.substr(stem.rfind('_') + 1);
    const bool ours = (stem.starts_with("field_") || stem.starts_with("field-")) && digits.size() >= 6 &&
                      is_number(digits) && std::ranges::any_of(artifacts(), [&](const Artifact& row) {
                          return row.frames && name.extension() == fmt::format(".{}", row.format);
                      });
    return ours ? std::strtoll(digits.c_str(), nullptr, 10) : -1;
}

// Names of successive series: field.h5, field-2.h5 ...
std::string series_name(const Path& first, std::size_t i) {
    if (i == 0) return first.string();
    return fmt::format("{}-{}{}", first.stem().string(), i + 1, first.extension().string());
}

bool is_series(const Path& name) {
    return std::ranges::any_of(artifacts(), [&](const Artifact& row) {
        const Path series = row.frames ? row.frames->series : "";
        if (series.empty() || name.extension() != series.extension()) return false;
        const std::string stem = name.stem().string(), first = series.stem().string() + "-";
        const bool numbered = stem.starts_with(first) && stem.size() > first.size() &&
                              is_number(std::string_view(stem).substr(first.size()));
        return name == series || numbered;
    });
}

}  // namespace

FrameWriter::FrameWriter(Path folder, const RunSpec& spec, FrameProgress progress)
    : folder_(std::move(folder)),
      progress_(std::move(progress)),
      digits_(spec.open() ? 9 : std::max(6, int(std::to_string(spec.steps).size()))) {
    // Checkpoints keep only the range's ends, so the scale comes from the spec.
    for (auto& [formula, range] : progress_.ranges) range.scale = spec.coloring(formula).range.scale;
    if (!spec.every.given()) return;
    for (const Artifact* row : chosen_artifacts(spec))
        if (row->frames) kinds_.push_back(row);
}

bool FrameWriter::has_pictures() const {
    return std::ranges::any_of(kinds_, [](auto* kind) { return kind->group == ExportGroup::pictures; });
}

// Whether a distributed run writes only arrays, which each process writes itself.
bool FrameWriter::writes_in_place(const Solver& solver) const {
    return solver.processes() > 1 &&
           std::ranges::none_of(kinds_, [](auto* kind) { return kind->is(kCells); });
}

void FrameWriter::write(Simulation& simulation) {
    // Recreates a folder removed during the run; if that fails, writing the file reports why.
    std::error_code ignored;
    std::filesystem::create_directories(folder_, ignored);
    const bool whole = std::ranges::any_of(kinds_, [](auto* kind) { return kind->frames->write_all; });
    const long long step = simulation.step();
    const RunSpec& now = simulation.now();
    begin_series(now, step);
    std::vector<std::pair<std::string, Field>> fields;
    for (const std::string& formula : output_formulas(now)) {
        if (writes_in_place(simulation.solver())) {
            SolverArray array;
            array.observable = formula;
            simulation.solver().write_npy(numbered("field" + output_suffix(now, formula), step, "npy"),
                                          array);
            ++progress_.count;
            continue;
        }
        Field field = simulation.solver().field(formula);
        write(field, formula, now, step);
        if (whole) fields.emplace_back(output_name(now, formula), std::move(field));
    }
    if (!whole) return;
    const RunSpec document = simulation.spec();
    FieldSet set{run_notes(now, document), {step, time_at(document, step)}, {}};
    for (const auto& [name, field] : fields) set.fields.push_back({name, &field});
    for (const Artifact* kind : kinds_) {
        if (!kind->frames->write_all) continue;
        kind->frames->write_all(numbered("field", step, kind->format), set);
        ++progress_.count;
    }
}

void FrameWriter::begin_series(const RunSpec& now, long long step) {
    FrameSeries series{step, {}, now.dtype, now.size->nx, now.size->ny};
    for (const std::string& formula : output_formulas(now)) series.names.push_back(output_name(now, formula));
    if (progress_.series.empty() || !progress_.series.back().fits(series))
        progress_.series.push_back(std::move(series));
}

void FrameWriter::finish(const Simulation& simulation) const {
    const RunSpec document = simulation.spec();
    const auto& all = progress_.series;
    for (const Artifact* kind : kinds_) {
        if (!kind->frames->write_series) continue;
        std::vector<FieldSeries> files;
        for (const FrameSeries& one : all) {
            RunNotes notes = run_notes(simulation.now(), document);
            notes.components = one.names;
            std::erase(notes.components, std::string(kShown));
            files.push_back({std::move(notes), one.names, one.dtype, one.nx, one.ny, {}});
        }
        for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
            const Path name = entry.path().filename();
            const long long step = step_of(name);
            if (step < 0 || name.extension() != fmt::format(".{}", kind->format) || all.empty()) continue;
            const auto later = std::ranges::upper_bound(all, step, {}, &FrameSeries::first);
            const auto place = std::max<std::ptrdiff_t>(later - all.begin() - 1, 0);
            files[std::size_t(place)].parts.push_back({name.string(), {step, time_at(document, step)}});
        }
        for (std::size_t i = 0; i < files.size(); ++i) {
            std::ranges::sort(files[i].parts, {}, [](const auto& part) { return part.moment.step; });
            if (!files[i].parts.empty())
                kind->frames->write_series(folder_ / series_name(kind->frames->series, i), files[i]);
        }
    }
}

Path FrameWriter::numbered(const std::string& start, long long step, std::string_view format) const {
    return folder_ / fmt::format("{}_{:0{}}.{}", start, step, digits_, format);
}

void FrameWriter::write(const Field& field, const std::string& formula, const RunSpec& now, long long step) {
    const Colormap& colors = field_colors(now, formula);
    if (!progress_.ranges.contains(formula) || now.range_per_frame)
        progress_.ranges[formula] = find_range(field, now.coloring(formula).range, colors.diverging);
    const std::string start = "field" + output_suffix(now, formula);
    for (const Artifact* kind : kinds_) {
        if (!kind->frames->write) continue;
        kind->frames->write(numbered(start, step, kind->format), field, colors, progress_.ranges[formula]);
        ++progress_.count;
    }
}

void FrameWriter::remove_later(long long step) const {
    std::error_code ignored;
    if (std::filesystem::is_symlink(folder_, ignored)) return;  // another's files
    std::vector<Path> later;
    for (const auto& entry : std::filesystem::directory_iterator(folder_, ignored)) {
        const Path name = entry.path().filename();
        if (step_of(name) > step || is_series(name)) later.push_back(entry.path());
    }
    for (const Path& file : later) std::filesystem::remove(file, ignored);
}

}  // namespace stencil
