// The numbered files that a run writes along the way.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"
#include "sim/problem/artifact.h"
#include "sim/problem/run_spec.h"
#include "sim/view/value_range.h"

namespace stencil {

class Simulation;
class Solver;
struct Colormap;
struct FieldSeries;
struct FieldSet;

/// Writes the numbered files of a row of the table of exports.
struct FrameFormat {
    /// Writes one field ...
    void (*write)(const std::filesystem::path& path,
                  const Field& field,
                  const Colormap& colors,
                  ValueRange range);
    /// ... or all fields of one step; write_series makes one file that refers to all steps.
    void (*write_all)(const std::filesystem::path& path, const FieldSet& set) = nullptr;
    std::string_view series = {};
    void (*write_series)(const std::filesystem::path& path, const FieldSeries& series) = nullptr;
};

/// Frames of one shape and set of names, which one series file can describe.
struct FrameSeries {
    long long first = 0;
    std::vector<std::string> names;  ///< of the fields
    DType dtype = DType::float32;
    int nx = 0, ny = 0;
    bool fits(const FrameSeries& other) const {
        return names == other.names && dtype == other.dtype && nx == other.nx && ny == other.ny;
    }
};

/// State of the frames, kept by checkpoints.
struct FrameProgress {
    std::map<std::string, ValueRange> ranges;  ///< by formula, shared by all its frames
    long long count = 0;                       ///< number of files
    std::vector<FrameSeries> series = {};      ///< a new one begins where shape or names change
};

/// Writes the numbered files of a step: frames/field_<step>.png and .npy per field, .vti and .h5 with all
/// fields. Keeps the colour range that a field's frames share.
class FrameWriter {
  public:
    FrameWriter(std::filesystem::path folder, const RunSpec& spec, FrameProgress progress = {});
    const FrameProgress& progress() const { return progress_; }

    /// Removes numbered files of later steps, also an earlier run's; -1 removes all.
    void remove_later(long long step) const;

    bool wanted() const { return !kinds_.empty(); }
    bool has_pictures() const;
    void write(Simulation& simulation);
    /// Writes the series files over all frames, including those from before a resume: field.h5, then
    /// field-2.h5 from where an edit changed the fields' shape or names.
    void finish(const Simulation& simulation) const;
    long long count() const { return progress_.count; }
    const std::filesystem::path& folder() const { return folder_; }

  private:
    bool writes_in_place(const Solver& solver) const;
    void write(const Field& field, const std::string& formula, const RunSpec& now, long long step);
    void begin_series(const RunSpec& now, long long step);
    std::filesystem::path numbered(const std::string& start, long long step, std::string_view format) const;

    std::filesystem::path folder_;
    std::vector<const Artifact*> kinds_;
    FrameProgress progress_;
    int digits_;
};

}  // namespace stencil
