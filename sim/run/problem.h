// Problem and execution: the parts of a run that scheduled changes may modify.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/model/model.h"
#include "sim/run/solvers/step_parameters.h"

namespace stencil {

namespace equation {
enum class SteppingScheme;
}
namespace user_kernel {
struct UserKernel;
}

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
    // If empty or 0, the model's text decides.
    std::string
        dt;  ///< a number, or a share of the stable limit such as "0.8limit", decided when the run begins
    double dx = 0;
    std::string stepper;
    std::string initial = "jagged";               ///< of the first component; empty: from the model
    std::map<std::string, std::string> initials;  ///< of further components, by name
    std::string initial_hash;                     ///< expected field_hash() of the initial file; empty: any
    std::uint64_t seed = 3966789;
    DType dtype = DType::float32;

    /// A parameter of the model by name. Throws InputError if there is none of that name.
    double parameter(std::string_view name) const;
    /// Throws InputError if the name or the value is not allowed.
    void set_parameter(std::string_view name, double value);

    /// The parameter with a stability limit, its value and the limit; nullopt: none.
    struct Bound {
        const ModelParameter* parameter = nullptr;
        double value = 0, largest = 0;
        bool exceeded() const { return value > largest; }
    };
    std::optional<Bound> stability() const;

    /// The parameters of a step, for solvers.
    StepParameters params() const;
    /// Grid spacing and time step; the time step is 0 while undecided.
    double spacing() const;
    double time_step() const;
    /// Name and scheme of the time integrator.
    std::string integrator() const;
    equation::SteppingScheme scheme() const;
    /// Whether the equation solver is needed. Otherwise the model is du/dt = D lap(u) with constant, uniform
    /// D by euler, which the diffusion methods solve.
    bool is_general() const;
    /// The Method::model of the methods that solve it.
    std::string_view family() const { return is_general() ? kEquation : kDiffusion; }
};

struct Execution {
    std::string method = "auto";
    std::string backend = "auto";
    int threads = 0;  ///< 0: all hardware threads
    /// User kernel that replaces the method while it fits (user_kernel::fits). Not saved in spec.json.
    std::shared_ptr<const user_kernel::UserKernel> kernel;
};

struct Configuration : Problem, Execution {};

/// Index of a component by name; 0 for an empty name. Throws InputError.
std::size_t component_index(const Model& model, std::string_view name);

/// All parameters as text: "coefficient 0.2".
std::string parameter_text(const Problem& problem);

inline constexpr std::string_view kAsTyped = "as typed";

/// "periodic", or "as typed" if sides or components differ.
std::string_view boundary_text(const Problem& problem);

}  // namespace stencil
