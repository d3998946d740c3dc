// From equations to a step: what reaches beyond one neighbour is stored on the way, and steppers are more
// stages.
#pragma once

#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"

namespace stencil::equation {

/// The steppers: euler; heun (Heun 1900, in the form of Shu & Osher 1988); rk4 (Kutta 1901); symplectic,
/// which steps the components one after the other, each by the newest values of those before it
/// (semi-implicit Euler; of a wave, leapfrog); imex, which solves for the linear part by transforms
/// (ARS(2,2,2) of Ascher, Ruuth & Spiteri, Appl. Numer. Math. 25, 1997).
enum class SteppingScheme { euler, heun, rk4, symplectic, imex };

struct StepperRow {
    SteppingScheme scheme;
    std::string name;
    std::string_view help;  ///< one line
};
const std::vector<StepperRow>& steppers();

/// Throws InputError for another name.
SteppingScheme scheme_of(std::string_view name);

/// Of imex: the share of dt that its implicit stages take, which damps without bound what is stiff, and the
/// weight of the first explicit rate in the second stage (gamma and delta in the paper).
inline constexpr double kImplicitShare = 1 - std::numbers::sqrt2 / 2;
inline constexpr double kFirstWeight = 1 - 1 / (2 * kImplicitShare);

/// One step of the equations. Throws InputError where the scheme cannot step them.
Program make_program(const Equations& equations, SteppingScheme scheme, bool float64);

/// The state at the start as a step's outcome: what it finds in the arrays counts for nothing. Components
/// without a formula for their start are 0.
Program make_start_program(const Equations& equations, bool float64);

/// Works out formulas of the state, which stays as it is: `arrays` hold them after the step.
struct ViewProgram {
    Program program;
    std::vector<int> arrays;
};
ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64);

/// The expressions that are stored before `roots` are worked out, so that each reaches one cell from what is
/// stored: the cheaper of two cuts, all arguments of operators that reach too far, or all operators inside
/// them, and those for an argument that `can_store` says no of. Each comes after those that it needs.
using CanStore = std::function<bool(Node)>;
std::vector<Node> find_cut(
    const Graph& graph, const std::vector<Node>& roots, const CanStore& can_store = [](Node) {
        return true;
    });

/// The expressions of x and y together, and of parameters, that cost more to work out anew, where `roots` and
/// what is `stored` for them read them, than to keep in an array. Not those that are read diagonally, unless
/// an array has true ghost cells in the `corners`.
std::vector<Node> find_places(const Graph& graph,
                              const std::vector<Node>& roots,
                              const std::vector<Node>& stored,
                              bool corners);

}  // namespace stencil::equation
