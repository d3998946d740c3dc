// What a run leaves behind: a table of files.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"
#include "sim/run/output/measures.h"
#include "sim/view/value_range.h"

namespace stencil {

struct Colormap;
struct RunSpec;
class Solver;

/// What the files are made of. Fields are in the run's precision.
struct RunOutput {
    const RunSpec* spec = nullptr;  ///< resolved: every choice made
    const Field* start = nullptr;
    const Field* end = nullptr;
    const Field* laplacian = nullptr;  ///< of `end`
    long long steps = 0;               ///< done, which is fewer than asked for where a run was interrupted
    nlohmann::ordered_json timings;
    const MeasureTables* tables = nullptr;  ///< needed by the tables, *.csv
};

/// A file by its name; writing throws MachineError.
struct Export {
    std::string_view name;
    bool standard;  ///< written where no list is given
    std::string_view help;
    void (*write)(const std::filesystem::path& path, const RunOutput& run);
    /// The setting without which there is no such file; empty: there always is.
    std::string_view needs = {};
};

/// The table. A new export is a function and a row there.
std::span<const Export> exports();

/// A kind of numbered file of one moment of the run.
struct FrameExport {
    std::string_view name;    ///< in --export: "frames.png"
    std::string_view ending;  ///< of the files: ".png"
    std::string_view help;
    void (*write)(const std::filesystem::path& path,
                  const Field& field,
                  const RunSpec& spec,
                  ValueRange range);
};

std::span<const FrameExport> frame_exports();

/// The colour tables of a run's pictures. They follow --colormap; the figure keeps the Laplacian in the
/// inferno of the classic one unless told otherwise.
const Colormap& field_colors(const RunSpec& spec);
const Colormap& laplacian_colors(const RunSpec& spec, bool in_figure);

std::vector<std::string> default_exports();
bool is_frame_export(std::string_view name);

/// One of the tables of what was measured.
bool is_table_export(std::string_view name);

/// Adds one item of a list to the names chosen: a name, `default`, or `all` (but what needs a setting of its
/// own; frames.png joins it where --every is given). Throws InputError.
void add_export(std::string_view item, std::vector<std::string>& chosen);

/// Throws InputError where a picture that was asked for is larger than its format holds.
void check_exports(const RunSpec& spec);

/// Host bytes per cell that writing takes beyond the fields themselves.
double export_bytes_per_cell(const RunSpec& spec);

/// The tables of a moment: what was measured over the run, the histogram over the range of the pictures, and
/// the profile along a line where there is one.
MeasureTables make_tables(Solver& solver,
                          const RunSpec& now,
                          Measures measures,
                          const std::optional<ProfileLine>& line);

/// Writes the files chosen, in the table's order; returns their paths.
std::vector<std::filesystem::path> write_exports(const std::filesystem::path& folder, const RunOutput& run);

/// What the frames of a run that goes on take along.
struct FrameProgress {
    std::optional<ValueRange> range;  ///< that all frames share
    long long count = 0;              ///< files
};

/// Writes the numbered files of one moment: frames/field_<step>.png and .npy. Keeps the colour range that the
/// frames share.
class FrameWriter {
  public:
    FrameWriter(std::filesystem::path folder, const RunSpec& spec, FrameProgress progress = {});
    const FrameProgress& progress() const { return progress_; }

    /// Removes the numbered files in the folder that are of later steps, of this run or of an earlier one: -1
    /// for all of them.
    void remove_later(long long step) const;

    bool wanted() const { return !kinds_.empty(); }
    void write(const Field& field, long long step);
    long long count() const { return progress_.count; }
    const std::filesystem::path& folder() const { return folder_; }

  private:
    std::filesystem::path folder_;
    std::shared_ptr<const RunSpec> spec_;
    std::vector<const FrameExport*> kinds_;
    FrameProgress progress_;
    int digits_;
};

}  // namespace stencil
