// Actions on a session, sent by the window and by tests.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/view/brush.h"
#include "sim/model/ending.h"
#include "sim/run/output/film_request.h"
#include "sim/session/beside.h"

namespace stencil::user_kernel {
struct UserKernel;
}

namespace stencil::action {

struct Run {
    bool on = true;
};

/// Makes exactly this number of steps, then pauses.
struct Step {
    long long steps = 1;
};

/// Returns to step 0 with the present settings.
struct Reset {};

/// Goes to exactly this step as fast as possible, then pauses. A step that the run has passed is recomputed
/// bit for bit from the nearest stored state. The later steps stay available until an action changes the run
/// there; undoing that action brings them back.
struct Jump {
    long long step = 0;
    /// true: by a method of exact n-step propagation; false: by steps; empty: the former if the method is
    /// `auto` and steps would take long
    std::optional<bool> at_once = {};
};

/// Ends a long action of the session itself: an order of steps, the benchmark, the initial condition being
/// made, or the float64 reference catching up.
struct Cancel {};

/// Ends an export after the file being written.
struct CancelExport {};

/// Pauses a run at exactly this step, at this time, or where a condition is true; empty: never.
struct StopAt {
    std::optional<Ending> at;
};

/// Sets the steps between two frames; 0: as many as fit into the time budget.
struct Pace {
    long long steps_per_frame = 0;
    double budget_ms = 12;
};

/// Multiplies the present number of steps between two frames by a factor; the result is at least one.
struct ScalePace {
    double factor = 2;
};

/// Changes a setting, named as on the command line (coefficient, boundary, method, backend, threads, dtype,
/// size, model, equation, integrator, dx, dt, show, initial, seed, allow-unstable, range, laplacian-range,
/// colormap, laplacian-colormap), or a parameter of the model. Changes of one slider drag, or of continuous
/// typing, are `continuing`; they are undone together.
struct Change {
    std::string setting;
    std::string value;
    bool continuing = false;
    bool anew = false;  ///< model or equation: start a new run, at the model's own size
};

/// Paints a segment; one not joined to the previous begins a new stroke. A stroke is undone as a whole.
struct Paint {
    BrushPiece piece;
    std::optional<std::size_t> component = {};  ///< empty: the shown component, or the first if none is shown
};

struct Undo {
    int times = 1;
};
struct Redo {
    int times = 1;
};

/// Bookmarks the present state.
struct SetBookmark {};
/// Renames a bookmark, given by its index.
struct NameBookmark {
    std::size_t index = 0;
    std::string name;
};
struct RemoveBookmark {
    std::size_t index = 0;
};
/// Goes to the bookmark's state: within the present run like Jump, otherwise as a change that can be undone.
struct GoToBookmark {
    std::size_t index = 0;
};
/// Chooses the bookmark that the pane from_bookmark is compared with.
struct Compare {
    std::size_t index = 0;
};

/// Opens a spec.json or the folder of a run (repeated from its start up to its step), a ready run by name
/// (which continues), or a picture or array as the initial condition.
struct Open {
    std::string path;
};

/// Shows the runs of a sweep as tiles, up to the step at which its base ends; null: none.
struct ShowSweep {
    std::shared_ptr<const SweepSpec> sweep;
};

/// Shows run B beside the run; empty: none. Changes of one slider drag are `continuing`; they are undone
/// together.
struct ShowRunB {
    std::optional<RunB> run;
    bool continuing = false;
};

/// Goes on with a run of the sweep in place of the present run, which undo brings back.
struct OpenTile {
    std::size_t run = 0;
};

/// Writes the table and the picture of the sweep as `stencilscope sweep` does.
struct ExportSweep {
    std::string folder;
};

/// Sets the targets and free parameters of the fit. Without any the fit is forgotten.
struct PlanFit {
    fitting::FitWords words;
};
/// Fits the run with its present settings, from step 0 on, in the background.
struct StartFit {};
/// Ends the fit; what it has found stays.
struct CancelFit {};
/// Gives the parameters the estimates of the fit.
struct TakeFit {};
/// Writes the files of `stencilscope fit --out FOLDER`.
struct ExportFit {
    std::string folder;
};

/// Writes the files of `run --out FOLDER --export FILES` for the present state.
struct Export {
    std::string folder;
    std::vector<std::string> files;
    bool replace = false;  ///< overwrite existing files instead of writing to FOLDER-2
};

/// Writes the state to FOLDER/checkpoint, as `run --checkpoint` does; Resume continues from one.
struct SaveCheckpoint {
    std::string folder;
};
struct Resume {
    std::string folder;
};

/// Records a frame every `every` steps: if a film's ending is given, to FOLDER/film.mp4, .webm or .gif, until
/// the requested length is reached; otherwise to numbered files in FOLDER/frames. every == 0 ends the
/// recording.
struct Record {
    std::string folder;
    long long every = 0;
    bool png = true;
    bool npy = false;
    std::string film = {};     ///< such as ".mp4"; empty: no film
    FilmRequest choices = {};  ///< options of the film except its file
};

/// Makes a film of the run from its start up to the present step, by repeating it beside the session: with a
/// frame every `every` steps, or with as many as the requested length needs.
struct Film {
    std::string folder;
    std::string ending;  ///< such as ".mp4"
    FilmRequest choices = {};
    long long every = 0;
};

/// Adds a message about something done outside the session.
struct Tell {
    std::string text;
    std::string folder = {};  ///< where files were written; empty: none
    bool failed = false;
};

/// Adds a probe, which records the value of cell (x, y) over time.
struct AddProbe {
    int x = 0, y = 0;
};
struct RemoveProbe {
    int index = 0;
};

/// Writes statistics.csv and, if there are such measurements, histogram.csv, profile.csv and probes.csv.
struct ExportMeasures {
    std::string folder;
};

/// Times every method of the backend with the run's present settings, while the run is paused; most actions
/// end the benchmark.
struct MeasureSuite {};

/// Steps with a user's kernel or, if null, with the method again. A new method, backend or model drops the
/// kernel.
struct UseKernel {
    std::shared_ptr<const user_kernel::UserKernel> kernel;
};

struct DismissMessage {
    int id = 0;
};

}  // namespace stencil::action

namespace stencil {

using Action = std::variant<action::Run,
                            action::Step,
                            action::Reset,
                            action::Jump,
                            action::Cancel,
                            action::CancelExport,
                            action::StopAt,
                            action::Pace,
                            action::ScalePace,
                            action::Change,
                            action::Paint,
                            action::Undo,
                            action::Redo,
                            action::SetBookmark,
                            action::NameBookmark,
                            action::RemoveBookmark,
                            action::GoToBookmark,
                            action::Compare,
                            action::Open,
                            action::ShowSweep,
                            action::ShowRunB,
                            action::OpenTile,
                            action::ExportSweep,
                            action::PlanFit,
                            action::StartFit,
                            action::CancelFit,
                            action::TakeFit,
                            action::ExportFit,
                            action::Export,
                            action::SaveCheckpoint,
                            action::Resume,
                            action::Record,
                            action::Film,
                            action::Tell,
                            action::AddProbe,
                            action::RemoveProbe,
                            action::ExportMeasures,
                            action::MeasureSuite,
                            action::UseKernel,
                            action::DismissMessage>;

}  // namespace stencil
