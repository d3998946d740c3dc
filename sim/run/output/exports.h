// Writes the exports of a run: those files of the table in artifacts.cpp that --export names.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/field/field.h"
#include "sim/figure/figure.h"
#include "sim/files/exchange/field_set.h"
#include "sim/problem/artifact.h"
#include "sim/problem/run_spec.h"
#include "sim/run/output/dispersion.h"
#include "sim/run/output/measures.h"
#include "sim/text/json.h"
#include "sim/view/shape_outline.h"

namespace stencil {

class Simulation;
class Solver;

/// A component or another shown formula, in the run's precision.
struct OutputField {
    std::string formula;
    std::string suffix;  ///< of file names: "-u"; empty for a single field
    std::shared_ptr<const Field> start;
    Field end, laplacian;
    std::optional<MeasureTables> tables;  ///< filled if tables (*.csv) are exported
    Arrows arrows = {};                   ///< at the end, if the run has any
};

/// The data that export files are made from: the run at its end, with fields named as in its final model.
struct RunOutput {
    RunSpec now;       ///< at the end
    RunSpec document;  ///< repeats the run
    std::vector<OutputField> fields;
    /// Tables of components and formulas that a model change has removed, up to that change.
    std::vector<OutputField> gone = {};
    long long steps = 0;  ///< steps done; fewer than asked for if interrupted
    nlohmann::ordered_json timings;
    /// A distributed run, whose arrays each process writes itself; null: they are in `fields`.
    Simulation* spread = nullptr;
    ShapeOutline outline = {};  ///< of the model's shape at the end, if it is drawn
};

/// The formulas that get files: all components, and the shown formula if it is another.
std::vector<std::string> output_formulas(const RunSpec& spec);
/// Suffix of a formula's files: "-u" if there are several fields, "-shown" for one that is no component.
std::string output_suffix(const RunSpec& spec, const std::string& formula);

/// Name of the shown formula in files that hold several fields.
inline constexpr std::string_view kShown = "shown";
/// Name of a formula in files that hold several fields: itself if it is a component, else kShown.
std::string output_name(const RunSpec& spec, const std::string& formula);
/// Metadata about the run, for files of other programs' formats.
RunNotes run_notes(const RunSpec& now, const RunSpec& document);

/// The fields of the run as it is now, without tables; without cells if they stay distributed.
RunOutput run_output(Simulation& simulation, bool with_cells = true);

/// Time series by formula. A component added during the run starts its series then; that of a removed one
/// ends.
using MeasuresOf = std::map<std::string, Measures>;
/// Empty time series. Throws InputError if a probe lies outside of the field.
MeasuresOf make_measures(const RunSpec& spec);
void add_measures(MeasuresOf& measures, Simulation& simulation);
/// Adds the final tables, with these series.
void add_tables(RunOutput& output, Solver& solver, MeasuresOf measures);

/// A file to be written by a row of the table.
struct ExportedFile {
    const std::filesystem::path& path;
    const RunOutput& run;
    const OutputField& field;  ///< the first field if the file is of the whole run
    std::string_view format;
};

using ExportWriter = void(const ExportedFile& file);

/// The coordinates of the run's cells in figures: lengths where the text has `dx` or `origin`, else cells.
figure::FigureAxes figure_axes(const RunSpec& spec);

// Figures of the run (figures.cpp).

/// The text's title, else the model's name; empty for a typed text without a title.
std::string caption_of(const RunSpec& spec);

/// Writes one row per field: initial and final field and Laplacian.
ExportWriter write_run_figure;
/// The rows of Measures::rows(), the first on top. Throws InputError if there are none.
Array<double> kept_rows(const OutputField& field);
ExportWriter write_rows_over_time;
/// The panes of --view as on the canvas, at the size of --figure-size.
ExportWriter write_view;
/// The dispersion relation above the measured spectrum.
ExportWriter write_dispersion;
/// At the end.
DispersionRelation dispersion_of(const RunOutput& run);

/// Checks all chosen files before the run. Throws InputError, or MachineError for a missing library.
void check_exports(const RunSpec& spec);

/// Host memory per cell that writing needs in addition to the fields.
double export_bytes_per_cell(const RunSpec& spec);

/// The tables at the current step: the given series, a histogram over the pictures' range, and profiles.
MeasureTables make_tables(Solver& solver, const RunSpec& now, const std::string& formula, Measures measures);

/// Names of all files that a run with this spec writes.
std::vector<std::string> export_files(const RunSpec& spec);

struct WrittenFiles {
    std::vector<std::filesystem::path> files;
    std::vector<std::string> failures;  ///< one sentence per file that could not be written
};

/// Progress and cancellation, shared with other threads.
struct WriteProgress {
    std::atomic<std::size_t> done{0}, all{0};  ///< files; 0 of 0 before the first
    std::atomic<bool> cancelled{false};
};

/// Writes the chosen files in the table's order. A failure does not stop the others.
WrittenFiles write_exports(const std::filesystem::path& folder,
                           const RunOutput& run,
                           WriteProgress* progress = nullptr);

}  // namespace stencil
