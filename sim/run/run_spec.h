// Everything that is needed to repeat a run.
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
#include "sim/field/field.h"
#include "sim/model/model.h"
#include "sim/run/edit.h"
#include "sim/run/output/measures.h"
#include "sim/run/solvers/step_parameters.h"
#include "sim/run/units.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil {

namespace user_kernel {
struct UserKernel;
}

/// The largest width and height: what int indices and their neighbours can count.
inline constexpr int kMaxCells = 1 << 30;
inline constexpr long long kMaxSteps = 1'000'000'000'000;

struct Size {
    int nx = 2000;
    int ny = 2000;
    friend bool operator==(const Size&, const Size&) = default;
};

struct RunSpec {
    std::optional<Size> size;  ///< unset: the file's own, or 2000x2000
    long long steps = 10000;
    std::shared_ptr<const Model> model;  ///< never null
    std::vector<double> parameters;      ///< of the model, in the order of its table
    Boundary boundary = Boundary::zero;
    bool boundary_as_typed = false;  ///< each side and component as the model's text has it
    // Of typed equations. Empty or 0: as the text has it.
    std::string dt;  ///< a number, or a share of the stable limit, "0.8limit", until the run begins
    double dx = 0;
    std::string stepper;
    std::string show;                ///< what is seen and measured, a formula; else the first component
    std::string initial = "jagged";  ///< of the first component; empty: the model's own
    std::map<std::string, std::string> initials;  ///< of further components, by name
    std::string initial_hash;  ///< field_hash() of what the initial file held; empty: of any
    std::uint64_t seed = 3966789;
    DType dtype = DType::float32;
    std::string method = "auto";
    std::string backend = "auto";
    int threads = 0;  ///< 0: all that there are
    /// Steps in place of the method as long as it fits the run (user_kernel::fits); no part of what repeats
    /// it.
    std::shared_ptr<const user_kernel::UserKernel> kernel;
    bool allow_unstable = false;
    EditList edits;  ///< changes in mid-run
    std::uint64_t memory_limit =
        std::numeric_limits<std::uint64_t>::max();  ///< bytes, of host and GPU memory each

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
    std::vector<Bookmark> bookmarks;  ///< of the window

    long long every = 0;       ///< 0: no frames
    long long checkpoint = 0;  ///< every N steps; 0: none
    std::vector<std::string> exports;
    std::string colormap;            ///< empty: viridis
    std::string laplacian_colormap;  ///< empty: the colormap where one is given, else inferno
    RangeRule range;
    RangeRule laplacian_range{RangeRule::Kind::percentile, 5, 95};
    Unit unit_length, unit_time;  ///< what a length and a time of 1 are in the world
    std::string contours;         ///< levels of the field's values, or how many; empty: none
    std::string arrows;           ///< "gradient" of what is shown, or two components, "u,v"; empty: none
    SurfaceView surface;
    bool range_per_frame = false;  ///< each frame its own range, rather than the first one's for all

    RunSpec();

    /// Another model, with its parameters and boundary as they are by default.
    void use_model(std::shared_ptr<const Model> another);

    /// A component of the arrows that the model does not have; empty: all are there.
    std::string missing_arrow() const;

    /// Of a typed model. The methods of diffusion step by euler alone: any other stepper takes those of typed
    /// equations. Throws InputError for an unknown name.
    void use_stepper(std::string_view name);
    void use_general_methods();

    /// A parameter of the model by its name; throws InputError where the model has none of that name.
    double parameter(std::string_view name) const;
    /// Throws InputError too where the value is not allowed.
    void set_parameter(std::string_view name, double value);

    /// The parameter that stability bounds, and its largest stable value now; empty: any is stable.
    struct Bound {
        const ModelParameter* parameter = nullptr;
        double value = 0, largest = 0;
        bool exceeded() const { return value > largest; }
    };
    std::optional<Bound> stability() const;

    /// What solvers step with.
    StepParameters params() const;
    /// The distance of cells, and the time step; 0 while it is open.
    double spacing() const;
    double time_step() const;
    /// What is seen: a component's name or another formula.
    std::string shown() const;

    /// Throws InputError where settings contradict each other, now or after an edit.
    void validate() const;
};

/// The row of the spec's method on its backend; the first of that name where the backend is `auto`, null
/// where the method is.
const Method* method_of(const RunSpec& spec);

/// "coefficient 0.2": all of the model's parameters, for people.
std::string parameter_text(const RunSpec& spec);

/// Of the first one where the name is empty. Throws InputError.
std::size_t component_index(const Model& model, std::string_view name);

inline constexpr std::string_view kAsTyped = "as typed";

/// "periodic", or "as typed" where sides or components differ.
std::string_view boundary_text(const RunSpec& spec);

/// A method of this name is there on either device.
bool runs_on_both(std::string_view method);

/// The same with one setting changed, and what depends on it: a backend brings its own method
/// where the present one does not run on it, and a method its backend. Throws
/// InputError.
RunSpec changed(RunSpec spec, std::string_view setting, std::string_view value);

/// spec.json and back. Reading throws InputError, naming what is wrong; `file` stands in the message.
nlohmann::ordered_json to_json(const RunSpec& spec);

RunSpec spec_from_json(const std::string& text, const std::string& file);
/// From a file. Throws InputError where it cannot be read.
RunSpec read_spec(const std::string& file);

}  // namespace stencil
