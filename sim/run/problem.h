// What is solved, and how: the parts of a run that an event may change.
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

/// The largest width and height: what int indices and their neighbours can count.
inline constexpr int kMaxCells = 1 << 30;

struct Size {
    int nx = 2000;
    int ny = 2000;
    friend bool operator==(const Size&, const Size&) = default;
};

struct Problem {
    std::optional<Size> size;            ///< unset: the file's own, or 2000x2000
    std::shared_ptr<const Model> model;  ///< never null
    std::vector<double> parameters;      ///< of the model, in the order of its table
    Boundary boundary = Boundary::zero;
    bool boundary_as_typed = false;  ///< each side and component as the model's text has it
    // Empty or 0: as the model's text has it.
    std::string dt;  ///< a number, or a share of the stable limit, "0.8limit", until the run begins
    double dx = 0;
    std::string stepper;
    std::string initial = "jagged";               ///< of the first component; empty: the model's own
    std::map<std::string, std::string> initials;  ///< of further components, by name
    std::string initial_hash;  ///< field_hash() of what the initial file held; empty: of any
    std::uint64_t seed = 3966789;
    DType dtype = DType::float32;

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
    /// The name of the integrator, and what it is.
    std::string integrator() const;
    equation::SteppingScheme scheme() const;
    /// The fast methods of diffusion do not fit: they step du/dt = D lap(u), D the same everywhere, by euler.
    bool is_general() const;
    /// The word that says which methods solve it (Method::model).
    std::string_view family() const { return is_general() ? kEquation : kDiffusion; }
};

struct Execution {
    std::string method = "auto";
    std::string backend = "auto";
    int threads = 0;  ///< 0: all that there are
    /// User kernel that replaces the method while it fits (user_kernel::fits). Not saved in spec.json.
    std::shared_ptr<const user_kernel::UserKernel> kernel;
};

struct Configuration : Problem, Execution {};

/// Of the first one where the name is empty. Throws InputError.
std::size_t component_index(const Model& model, std::string_view name);

/// "coefficient 0.2": all of the model's parameters, for people.
std::string parameter_text(const Problem& problem);

inline constexpr std::string_view kAsTyped = "as typed";

/// "periodic", or "as typed" where sides or components differ.
std::string_view boundary_text(const Problem& problem);

}  // namespace stencil
