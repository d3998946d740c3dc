// The table of time integrators, and the programs of a model: a time step, the initial state, and formulas of
// the state.
#pragma once

#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"

namespace stencil::equation {

class StepPlan;

/// The time integrators: euler; heun (SSP form, Shu & Osher 1988); midpoint (the explicit one); ab2
/// (Adams-Bashforth, with the variable-step weights, and begun by an Euler step); bs32, dp54 (tableaus.h);
/// rk4; rkl2 (Runge-Kutta-Legendre, tableaus.h); symplectic (semi-implicit Euler: components in turn, each
/// from the newest values; leapfrog for waves); imex (implicit in the linear part by transforms: ARS(2,2,2),
/// Ascher, Ruuth & Spiteri, Appl. Numer. Math. 25, 1997).
enum class SteppingScheme { euler, heun, midpoint, ab2, bs32, rk4, dp54, rkl2, symplectic, imex };

/// An integrator with the number of its stages, where one may choose it; else 0.
struct Integrator {
    SteppingScheme scheme = SteppingScheme::euler;
    int stages = 0;
    Integrator(SteppingScheme its_scheme = SteppingScheme::euler, int its_stages = 0)
        : scheme(its_scheme), stages(its_stages) {}
    operator SteppingScheme() const { return scheme; }
};

struct IntegratorRow {
    SteppingScheme scheme;
    std::string name;
    std::string_view help;  ///< one line
    int order;              ///< of accuracy in dt
    void (*add_stages)(StepPlan&);
    int stages = 0;             ///< the usual number, where NAME:NUMBER chooses one; else 0
    int error_order = 0;        ///< order in dt of its estimate of a step's error; 0: it has none
    bool is_multistep = false;  ///< whether it keeps the rates of the step before
};
const std::vector<IntegratorRow>& integrators();
/// An integrator's row in the table.
const IntegratorRow& row_of(SteppingScheme scheme);

/// The integrator of that name, or NAME:STAGES. Throws InputError if there is none.
Integrator scheme_of(std::string_view name);
inline constexpr int kLeastStages = 2, kMostStages = 32;

/// Parameters gamma and delta of ARS(2,2,2), as in the paper.
inline constexpr double kGamma = 1 - std::numbers::sqrt2 / 2;
inline constexpr double kDelta = 1 - 1 / (2 * kGamma);

/// Whether steps in this precision round dt * rate before adding it. A multiply-add would break the ties that
/// dt = 1/10 makes (every tenth sum of a rate that equals a component) to the side to which dt was rounded.
/// In float64 this is too small to matter, and a power of two has no such ties: both ways have the same bits.
bool rounds_increments(bool float64, double dt);

/// Plans one step of the equations by an integrator. `dt` decides only how increments are rounded. With
/// `errors` the program estimates the error of the step beside it: by each component, relative to 1 + |u|;
/// the step has the same bits. Throws InputError if the integrator cannot step the equations.
Program make_program(
    const Equations& equations, const Integrator& scheme, bool float64, double dt = 1, bool errors = false);

/// A program that fills the arrays with the initial state, ignoring their contents. Components without an
/// initial value are 0.
Program make_start_program(const Equations& equations, bool float64);

/// Evaluates formulas of the state without changing it; `arrays` hold the results after the step.
struct ViewProgram {
    Program program;
    std::vector<int> arrays;
};
ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64);

/// The intermediates to materialise so that every stage reaches one cell, arguments before users. Chooses the
/// cheaper of two plans: store all arguments of operators that reach too far, or all operators within them;
/// where `can_store` refuses an argument, the operators in it.
using CanStore = std::function<bool(Node)>;
std::vector<Node> find_cut(
    const Graph& graph, const std::vector<Node>& roots, const CanStore& can_store = [](Node) {
        return true;
    });

/// The formulas of x and y (and parameters) that are cheaper to precompute than to evaluate wherever `roots`
/// and `stored` read them. Those read diagonally are left out unless arrays have valid `corners`.
std::vector<Node> find_coefficients(const Graph& graph,
                                    const std::vector<Node>& roots,
                                    const std::vector<Node>& stored,
                                    bool corners);

}  // namespace stencil::equation
