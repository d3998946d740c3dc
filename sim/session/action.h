// What a person can do to a session. The window sends these, the tests send the same.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "kernels/view/brush.h"

namespace stencil::user_kernel {
struct UserKernel;
}

namespace stencil::action {

struct Run {
    bool on = true;
};

/// Exactly this number of steps, and then it stands still.
struct Step {
    long long steps = 1;
};

/// Back to the start; keeps the settings.
struct Reset {};

/// As fast as it goes to exactly this step, and then it stands still. To one that the run has been at it goes
/// from the nearest state that was kept, bit by bit, and nothing is lost until something else is done there:
/// that leaves the later steps behind, and undoing it brings them back.
struct Jump {
    long long step = 0;
    /// By a method that jumps, or by steps; empty: at once where the method is `auto` and steps take long.
    std::optional<bool> at_once = {};
};

/// Ends whatever takes long and is the session's own: an order, the ladder, a field that is being made, the
/// float64 run on its way to the present step.
struct Cancel {};

/// Ends the files that are being written, after the one in work.
struct CancelExport {};

/// A run stops at exactly this step; empty: it goes on.
struct StopAt {
    std::optional<long long> step;
};

/// Steps between two frames: exactly this number, or, where 0, as many as fit into the budget.
struct Pace {
    long long steps_per_frame = 0;
    double budget_ms = 12;
};

/// This factor times the steps between two frames as there are now, whatever that is by then; at least one.
struct ScalePace {
    double factor = 2;
};

/// A setting of the run by its name on the command line: coefficient, boundary, method, backend, threads,
/// dtype, size, model, equation, stepper, dx, dt, show, initial, seed, allow-unstable, range,
/// laplacian-range, colormap, laplacian-colormap; or a parameter of the model.
/// `continuing`: one drag of a slider, or one while of typing, which is undone as a whole.
struct Change {
    std::string setting;
    std::string value;
    bool continuing = false;
    bool anew = false;  ///< of a model or equation: a run of its own, from its start and in its size
};

/// A piece that is not joined begins a stroke, which is undone as a whole.
struct Paint {
    BrushPiece piece;
    std::optional<std::size_t> component = {};  ///< empty: the one that is shown, else the first
};

struct Undo {
    int times = 1;
};
struct Redo {
    int times = 1;
};

/// The present moment is kept under a name.
struct SetBookmark {};
/// By its number in the list.
struct NameBookmark {
    std::size_t index = 0;
    std::string name;
};
struct RemoveBookmark {
    std::size_t index = 0;
};
/// To its moment: of this run as by Jump, of another one as a change that can be undone.
struct GoToBookmark {
    std::size_t index = 0;
};
/// The pane from_bookmark is the difference from this one.
struct Compare {
    std::size_t index = 0;
};

/// A spec.json or the folder of a run: that session from its start, up to its step. The name of a ready run:
/// that one, and it runs on. A picture or array: the initial condition.
struct Open {
    std::string path;
};

/// What `run --out FOLDER --export FILES` would write now.
struct Export {
    std::string folder;
    std::vector<std::string> files;
    bool replace = false;  ///< files that are there, rather than writing to FOLDER-2
};

/// The whole state to FOLDER/checkpoint, as `run --checkpoint` writes it, and a session that goes on from
/// one.
struct SaveCheckpoint {
    std::string folder;
};
struct Resume {
    std::string folder;
};

/// From now on a frame every `every` steps: of FOLDER/film.mp4, .webm or .gif where there is a film's ending,
/// else numbered files in FOLDER/frames. every == 0 ends it.
struct Record {
    std::string folder;
    long long every = 0;
    bool png = true;
    bool npy = false;
    std::string film = {};  ///< ".mp4", say; empty: none
    double fps = 30;
    bool figure = false;  ///< the film has axes, colour bar and step
};

/// What somebody beside the session has done, among its messages.
struct Tell {
    std::string text;
    std::string folder;  ///< what was written is there; empty: nothing was
    bool failed = false;
};

/// A probe on cell (x, y) keeps its values over time.
struct AddProbe {
    int x = 0, y = 0;
};
struct RemoveProbe {
    int index = 0;
};

/// statistics.csv, and histogram.csv, profile.csv, probes.csv where there are such.
struct ExportMeasures {
    std::string folder;
};

/// Every method of the backend on a field of this size, precision and boundary, while the run stands still;
/// any other order ends it.
struct MeasureLadder {};

/// A kernel of the user's takes the place of the method; null: the method steps again. Another method,
/// backend or model takes over by itself.
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
                            action::Export,
                            action::SaveCheckpoint,
                            action::Resume,
                            action::Record,
                            action::Tell,
                            action::AddProbe,
                            action::RemoveProbe,
                            action::ExportMeasures,
                            action::MeasureLadder,
                            action::UseKernel,
                            action::DismissMessage>;

}  // namespace stencil
