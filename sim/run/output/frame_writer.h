// The numbered files that a run leaves behind on its way.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"
#include "sim/run/run_spec.h"
#include "sim/view/value_range.h"

namespace stencil {

class Simulation;
class Solver;
struct FieldSeries;
struct FieldSet;

/// A kind of numbered file of one moment of the run.
struct FrameExport {
    std::string_view name;    ///< in --export: "frames.png"
    std::string_view ending;  ///< of the files: ".png"
    std::string_view help;
    /// A file of one field ...
    void (*write)(const std::filesystem::path& path,
                  const Field& field,
                  const RunSpec& now,
                  ValueRange range);
    /// ... or one of all fields, and in the end one of all moments.
    void (*write_all)(const std::filesystem::path& path, const FieldSet& set) = nullptr;
    std::string_view series = {};
    void (*write_series)(const std::filesystem::path& path, const FieldSeries& series) = nullptr;
};

std::span<const FrameExport> frame_exports();
bool is_frame_export(std::string_view name);

/// Frames of one shape, from a step on: what a file that shows them all as one can be made of.
struct FrameSeries {
    long long first = 0;
    std::vector<std::string> names;  ///< of the fields
    DType dtype = DType::float32;
    int nx = 0, ny = 0;
    bool fits(const FrameSeries& other) const {
        return names == other.names && dtype == other.dtype && nx == other.nx && ny == other.ny;
    }
};

/// What the frames of a run that goes on take along.
struct FrameProgress {
    std::map<std::string, ValueRange> ranges;  ///< that all frames of a formula share
    long long count = 0;                       ///< files
    std::vector<FrameSeries> series = {};      ///< a new one where the fields' shape or names changed
};

/// Writes the numbered files of one moment: frames/field_<step>.png and .npy, of each field that the model
/// has then with its suffix, .vti and .h5 with all of them. Keeps the colour range that the frames of a field
/// share.
class FrameWriter {
  public:
    FrameWriter(std::filesystem::path folder, const RunSpec& spec, FrameProgress progress = {});
    const FrameProgress& progress() const { return progress_; }

    /// Removes the numbered files in the folder that are of later steps, of this run or of an earlier one: -1
    /// for all of them.
    void remove_later(long long step) const;

    bool wanted() const { return !kinds_.empty(); }
    bool has_pictures() const;
    void write(Simulation& simulation);
    /// What stands for all moments that there are files of, those of a run before it was resumed among them:
    /// field.h5, and field-2.h5 from where on an edit gave the fields another shape or other names.
    void finish(const Simulation& simulation) const;
    long long count() const { return progress_.count; }
    const std::filesystem::path& folder() const { return folder_; }

  private:
    bool writes_in_place(const Solver& solver) const;
    void write(const Field& field, const std::string& formula, const RunSpec& now, long long step);
    void begin_series(const RunSpec& now, long long step);
    std::filesystem::path numbered(const std::string& start, long long step, std::string_view ending) const;

    std::filesystem::path folder_;
    std::vector<const FrameExport*> kinds_;
    FrameProgress progress_;
    int digits_;
};

}  // namespace stencil
