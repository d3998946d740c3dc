// The complete description of a run, as in spec.json and on the command line.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/methods/method.h"
#include "kernels/view/resample.h"
#include "sim/field/field.h"
#include "sim/model/ending.h"
#include "sim/model/integrator.h"
#include "sim/model/model.h"
#include "sim/model/time_step.h"
#include "sim/problem/event.h"
#include "sim/problem/step_parameters.h"
#include "sim/problem/units.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil {

struct InitialChoice;
namespace user_kernel {
struct UserKernel;
}

// --- Problem and execution: what scheduled changes may modify

/// Largest width and height for which int indices of neighbours cannot overflow.
inline constexpr int kMaxCells = 1 << 30;

struct Size {
    int nx = 2000;
    int ny = 2000;
    friend bool operator==(const Size&, const Size&) = default;
};

struct Problem {
    std::optional<Size> size;            ///< unset: the initial file's, or 2000x2000
    std::shared_ptr<const Model> model;  ///< never null
    std::vector<double> parameters;      ///< values, in the order of the model's table
    Boundary boundary = Boundary::zero;
    bool boundary_as_typed = false;  ///< boundary conditions per side and component from the model's text
    TimeStep dt;
    double dx = 1;  ///< distance of cells
    equation::Integrator integrator;
    long long global_every = 0;                   ///< steps that share their global values; 0: 1
    std::string initial = "jagged";               ///< of the first component; empty: from the model
    std::map<std::string, std::string> initials;  ///< of further components, by name
    std::string initial_hash;                     ///< expected field_hash() of the initial file; empty: any
    std::uint64_t seed = 3966789;
    DType dtype = DType::float32;

    /// A parameter of the model by name. Throws InputError if there is none of that name.
    double parameter(std::string_view name) const;
    /// Throws InputError if the name or the value is not allowed.
    void set_parameter(std::string_view name, double value);

    /// The largest stable value of the parameter that diffusion is proportional to, for explicit steps of a
    /// fixed dt; nullopt for other models and steps, whose limit depends on the field (sim/run/stability.h).
    struct Bound {
        const ModelParameter* parameter = nullptr;
        double value = 0, largest = 0;
        bool exceeded() const;
    };
    std::optional<Bound> stability() const;

    /// The parameters of a step, for solvers.
    StepParameters params() const;
    /// 0 while undecided.
    double time_step() const;
    /// The axis along which a line has one cell (equation::flat_axis); empty for other fields.
    std::optional<std::size_t> flat_axis() const;
    /// Whether the equation solver is needed. Otherwise the model is du/dt = D lap(u) with constant, uniform
    /// D by euler on a field of two dimensions, which the diffusion methods solve.
    bool is_general() const;
    /// The Method::model of the methods that solve it.
    std::string_view family() const { return is_general() ? kEquation : kDiffusion; }

    friend bool operator==(const Problem&, const Problem&) = default;
};

struct Execution {
    std::string method = "auto";
    std::string backend = "auto";
    int threads = 0;  ///< 0: all hardware threads
    /// User kernel that replaces the method while it fits (user_kernel::fits). Not saved in spec.json.
    std::shared_ptr<const user_kernel::UserKernel> kernel;
};

struct Configuration : Problem, Execution {
    /// The dt that a run or a new text began with because none was chosen. A text does not state it. 0: one
    /// was chosen, or it is undecided.
    double usual_dt = 0;
    /// Sets the present dt, as the run decided it.
    void decide_dt(double step);
};

/// Index of a component by name.
std::optional<std::size_t> find_component(const Model& model, std::string_view name);
/// As above; 0 for an empty name. Throws InputError.
std::size_t component_index(const Model& model, std::string_view name);

/// What an event gives a component: a formula of the state, a condition or a file. Throws InputError.
InitialChoice values_of(const Model& model, const SetField& field);

/// All parameters, each after a comma: ", coefficient 0.2".
std::string parameter_text(const Problem& problem);

inline constexpr std::string_view kAsTyped = "as typed";

/// "periodic", or "as typed" if sides or components differ.
std::string_view boundary_text(const Problem& problem);

// --- Presentation and output: neither changes a bit of the fields

/// Width and height of a figure in cm; 0: as wide as is usual, and as high as its contents.
struct FigureSize {
    double width = 0, height = 0;
    static constexpr double kLeast = 4, kMost = 100;
};

/// How the values of a formula are coloured.
struct Coloring {
    std::string colormap;  ///< empty: the text's own, or viridis
    RangeRule range;
    std::string unit;  ///< of the values, beside their colours; empty: none
    friend bool operator==(const Coloring&, const Coloring&) = default;
};

/// Settings as asked for. If a model lacks something, its own default is used while it is stepped.
struct Presentation : Coloring {
    std::string show;                        ///< formula shown and measured; empty: the first component
    std::map<std::string, Coloring> colors;  ///< of formulas that have their own, by formula
    std::string laplacian_colormap;          ///< empty: coolwarm, or colormap if diverging
    RangeRule laplacian_range{RangeRule::Kind::percentile, 5, 95};
    Unit unit_length, unit_time;  ///< physical length and time of 1
    std::string contours;         ///< contour levels, or their number; empty: none
    std::string arrows;           ///< "gradient" of the shown formula, or two formulas "u,v"; empty: none
    bool outline = true;          ///< of the model's shape, if it has one
    SurfaceView surface;
    std::string view;              ///< a row or group of panes (sim/problem/panes.h); empty: the field
    FigureSize figure_size;        ///< of figures of the view
    bool wave_ring = false;        ///< a circle as wide as the fastest growing wave is long
    bool range_per_frame = false;  ///< a range for each frame instead of the first one's for all
};

/// A line across the field, in cells.
struct ProfileLine {
    SamplePoint from, to;
    friend bool operator==(const ProfileLine&, const ProfileLine&) = default;
};

struct Output {
    Interval every;       ///< of frames
    Interval checkpoint;  ///< of checkpoints
    std::vector<std::string> exports;

    struct Cell {
        int x = 0, y = 0;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    std::vector<Cell> probes;
    std::vector<ProfileLine> profiles;
    struct Bookmark {
        long long step = 0;
        std::string name;
        friend bool operator==(const Bookmark&, const Bookmark&) = default;
    };
    std::vector<Bookmark> bookmarks;  ///< named steps, set in the window
};

// --- The run

/// How a run begins, what happens during it, and what is shown and written. A Simulation keeps one
/// Configuration for the start and one for now, and everything else once.
struct RunSpec : Configuration, Presentation, Output, Ending {
    static constexpr long long kDefaultSteps = 10000;
    bool allow_unstable = false;
    bool allow_overflow = false;  ///< goes on where a field is not finite
    std::uint64_t memory_limit =
        std::numeric_limits<std::uint64_t>::max();  ///< bytes, for host and GPU memory each
    EventList edits;                                ///< what its user did, and planned
    StepLog dt_log;                                 ///< what it decided

    RunSpec();

    /// Switches to another model with its default parameters and boundary.
    void use_model(std::shared_ptr<const Model> another);

    /// The shown formula: as asked for if the model has it, else the text's default.
    std::string shown() const;
    /// The arrows asked for if the model reads their formulas; else none.
    std::string drawn_arrows() const;
    /// Whether the model has a shape whose outline is to be drawn.
    bool draws_outline() const;
    /// The colours of a formula: its own, or those of all that have none.
    const Coloring& coloring(const std::string& formula) const;
    /// The unit of a formula's values: its own, or for the shown one unit_value.
    std::string value_unit(const std::string& formula) const;
    /// Those of the shown formula, to change them.
    Coloring& coloring();
    /// The colormap asked for, else the text's; may be empty.
    const std::string& chosen_colormap(const std::string& formula) const;

    /// The steps that the run is likely to make: up to its end time by the present dt; the default where
    /// nothing is known.
    long long likely_steps() const;

    /// The spec after all scheduled changes up to the last step.
    RunSpec at_end() const;

    /// Throws InputError if settings contradict each other, now or after a scheduled change.
    void validate() const;
    /// Throw InputError if a formula, or one of the arrows, exists at no moment of the run.
    void require_formula(const std::string& formula) const;
    void require_arrows() const;
};

/// The row of the spec's method on its backend; with backend `auto` the first of that name, with method
/// `auto` null.
const Method* method_of(const Configuration& spec);

/// Whether both devices have a method of this name.
bool runs_on_both(std::string_view method);

/// The run with one setting changed, and what depends on it: a backend replaces a method that it lacks, and a
/// method brings its backend. All front ends change settings by it; text_of_run() then states the value if a
/// text can. Throws InputError.
RunSpec with_setting(RunSpec spec, std::string_view setting, std::string_view value);

/// The parameters with their values and ranges, as sliders of notebooks and web pages need them.
nlohmann::ordered_json sliders_json(const Problem& problem);

/// Write and parse spec.json. Parsing throws InputError that names `file` and what is wrong.
nlohmann::ordered_json to_json(const RunSpec& spec);

RunSpec spec_from_json(const std::string& text, const std::string& file);
/// Reads a spec.json. Throws InputError.
RunSpec read_spec(const std::string& file);

}  // namespace stencil
