// What a run leaves behind: a table of files.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"
#include "sim/files/exchange/field_set.h"
#include "sim/run/output/measures.h"
#include "sim/run/run_spec.h"
#include "sim/text/json.h"
#include "sim/view/value_range.h"

namespace stencil {

struct Colormap;
class Simulation;
class Solver;

/// A component of the state, or another formula that is shown, in the run's precision.
struct OutputField {
    std::string formula;
    std::string suffix;  ///< of its files' names: "-u"; empty where there is one field alone
    std::shared_ptr<const Field> start;
    Field end, laplacian;
    std::optional<MeasureTables> tables;  ///< needed by the tables, *.csv
};

/// What the files are made of: all of them show the run as it is at the end, and name its fields by the
/// components that its model has then.
struct RunOutput {
    RunSpec now;       ///< at the end
    RunSpec document;  ///< what repeats the run
    std::vector<OutputField> fields;
    /// Of components and formulas that the model had on the way and has no more: their tables of the steps
    /// until then.
    std::vector<OutputField> gone = {};
    long long steps = 0;  ///< done, which is fewer than asked for where a run was interrupted
    nlohmann::ordered_json timings;
    /// Several processes' run, whose arrays are written where they are; null: they are in `fields`.
    Simulation* spread = nullptr;
};

/// Of what a run leaves files: its components, and what is shown where that is another formula.
std::vector<std::string> output_formulas(const RunSpec& spec);
/// "-u" for a formula where there are several; "-shown" for what is no component.
std::string output_suffix(const RunSpec& spec, const std::string& formula);

/// Name of what is no component in files of several fields.
inline constexpr std::string_view kShown = "shown";
/// By which files of several fields call it: its formula, or kShown for what is no component.
std::string output_name(const RunSpec& spec, const std::string& formula);
/// For them.
RunNotes run_notes(const RunSpec& now, const RunSpec& document);

/// The run now and its fields, without tables; without their cells where they stay with several processes.
RunOutput run_output(Simulation& simulation, bool with_cells = true);

/// Measures of each formula of the run, however many moments. A component that comes on the way begins its
/// series then, and that of one that goes ends there.
using MeasuresOf = std::map<std::string, Measures>;
/// Without a moment yet. Throws InputError where a probe is outside of the field.
MeasuresOf make_measures(const RunSpec& spec);
void add_measures(MeasuresOf& measures, Simulation& simulation);
/// The tables of the end, with these measures.
void add_tables(RunOutput& output, Solver& solver, MeasuresOf measures);

/// One of the files is made of all of a field at once.
bool needs_cells(const RunSpec& spec);

/// A file by its name, or, with several fields, one of each: field-u.npy; writing throws MachineError.
struct Export {
    std::string_view name;
    bool standard;  ///< written where no list is given
    std::string_view help;
    void (*write)(const std::filesystem::path& path, const RunOutput& run, const OutputField& field);
    bool of_run = false;  ///< one file, whatever the number of fields
    /// The setting or library without which there is no such file; empty: there always is.
    std::string_view needs = {};
};

/// The table. A new export is a function and a row there.
std::span<const Export> exports();

/// The colour tables of a run's pictures. They follow --colormap; the figure keeps the Laplacian in the
/// inferno of the classic one unless told otherwise.
const Colormap& field_colors(const RunSpec& spec);
const Colormap& laplacian_colors(const RunSpec& spec, bool in_figure);

std::vector<std::string> default_exports();

/// One of the tables of what was measured.
bool is_table_export(std::string_view name);

/// Adds one item of a list to the names chosen: a name, `default`, or `all` (but what needs a setting of its
/// own; frames.png joins it where --every is given). Throws InputError.
void add_export(std::string_view item, std::vector<std::string>& chosen);

/// Why there can be no such file of a run of this size; empty: there can.
std::string why_not_exported(std::string_view name, const RunSpec& spec);

/// Throws InputError, or MachineError for want of a library, where there can be no such file at the end of
/// the run as was asked for.
void check_exports(const RunSpec& spec);

/// Host bytes per cell that writing takes beyond the fields themselves.
double export_bytes_per_cell(const RunSpec& spec);

/// The tables of a moment: what was measured over the run, the histogram over the range of the pictures, and
/// the profiles along lines.
MeasureTables make_tables(Solver& solver, const RunSpec& now, const std::string& formula, Measures measures);

/// The names of the files that a run with this spec writes.
std::vector<std::string> export_files(const RunSpec& spec);

struct WrittenFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> failures;  ///< a sentence for each file that could not be written
};

/// How far the files are, and whether the others are still wanted: for other threads.
struct WriteProgress {
    std::atomic<std::size_t> done{0}, all{0};  ///< files; 0 of 0 before the first
    std::atomic<bool> cancelled{false};
};

/// Writes the files chosen, in the table's order; one that fails keeps none of the others from being written.
WrittenFiles write_exports(const std::filesystem::path& folder,
                           const RunOutput& run,
                           WriteProgress* progress = nullptr);

}  // namespace stencil
