// The table of time integrators, and the programs of a model: a time step, the initial state, and formulas of
// the state.
#pragma once

#include <complex>
#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/equation/required.h"
#include "sim/model/equations.h"
#include "sim/model/integrator.h"

namespace stencil::equation {

class StepPlan;
struct Matrix;

/// An explicit Runge-Kutta scheme (Butcher's tableau): k_i = f(u + dt sum_j a[i][j] k_j) at time node(i), and
/// the step is u + dt sum_i weights[i] k_i.
struct Tableau {
    std::vector<std::vector<double>> a;  ///< row i has i entries
    std::vector<double> weights;
    /// The step's weights minus those of the embedded scheme, i.e. the weights of the estimated error; the
    /// last one is for the rates after the step.
    std::vector<double> errors;

    /// The time of stage i, in steps after the step's start.
    double node(std::size_t i) const;
    /// The weights of the state at stage i; those of the step if i is the number of stages.
    const std::vector<double>& row(std::size_t i) const { return i < a.size() ? a[i] : weights; }
};

/// How a step changes a small wave, for the stability analysis. Exactly one of the two functions is given.
struct WaveStep {
    /// The amplification of a wave with rate * dt = z, if a step is a function of the rate.
    double (*amplification)(const Integrator&, std::complex<double> z) = nullptr;
    /// The matrix of a step for this Jacobian, whose implicit part is `linear` (zero: none).
    Matrix (*matrix)(const Matrix& jacobian, const Matrix& linear, double dt) = nullptr;
    /// Whether a step may be unstable while a larger one is stable, for rates without growth: the stability
    /// region has narrow places along the negative axis.
    bool has_narrow_region = false;
};

/// A time integrator: all its properties. A row without one of the required members does not compile.
struct IntegratorRow {
    std::string name;
    std::string_view help;  ///< one line
    Required<int> order;    ///< order of accuracy in dt
    Required<void (*)(StepPlan&)> add_stages;
    Required<WaveStep> wave;
    const Tableau* tableau = nullptr;  ///< for explicit Runge-Kutta schemes whose stages follow from it
    int stages = 0;                    ///< the default if NAME:NUMBER chooses the number of stages; else 0
    int error_order = 0;               ///< order in dt of its estimate of a step's error; 0: no estimate
    bool is_multistep = false;         ///< whether it keeps the rates of the step before
    bool is_implicit = false;          ///< whether it solves the linear part of the rates by transforms
    bool steps_maps = false;           ///< whether components may be maps, u' = ...
    /// Whether noise that multiplies a field has its values at the step's start, as Ito's; else
    /// Stratonovich's.
    bool takes_ito() const { return order == 1 || is_multistep; }
};
const std::vector<IntegratorRow>& integrators();
/// The names of the integrators that satisfy `which`, listed as in a sentence: "bs32 or dp54". [:STAGES]
/// follows those with a choice of stages.
std::string listed_integrators(const std::function<bool(const IntegratorRow&)>& which,
                               const char* conjunction = "or");

inline constexpr int kLeastStages = 2, kMostStages = 32;

/// Parameters gamma and delta of ARS(2,2,2), as in the paper.
inline constexpr double kGamma = 1 - std::numbers::sqrt2 / 2;
inline constexpr double kDelta = 1 - 1 / (2 * kGamma);

/// Whether steps in this precision round dt * rate before adding it. A multiply-add would break the ties that
/// dt = 1/10 makes (every tenth sum of a rate that equals a component) to the side to which dt was rounded.
/// In float64 this is too small to matter, and a power of two has no such ties: both ways have the same bits.
bool rounds_increments(bool float64, double dt);

/// Plans one step of the equations by an integrator. `dt` decides only how increments are rounded. With
/// `errors` the program also estimates the error of the step, per component and relative to 1 + |u|, without
/// changing the step by a bit. `fast` makes a Program::fast, with fewer operations and other bits. Throws
/// InputError if the integrator cannot step the equations.
Program make_program(const Equations& equations,
                     const Integrator& scheme,
                     bool float64,
                     double dt = 1,
                     bool errors = false,
                     bool fast = false);

/// A program that fills the arrays with the initial state, ignoring their contents. Components without an
/// initial value are 0.
Program make_start_program(const Equations& equations, bool float64);

/// Evaluates formulas of the state without changing it; after the step, `arrays` hold the results.
struct ViewProgram {
    Program program;
    std::vector<int> arrays;
};
ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64);

/// The intermediates to materialise so that every stage reaches one cell, arguments before users. Chooses the
/// cheaper of two plans: store all arguments of operators that reach too far, or all operators within them;
/// where `can_store` refuses an argument, the operators in it. `conditions` are formulas that the roots need
/// of cells beside a side.
using CanStore = std::function<bool(Node)>;
std::vector<Node> find_cut(const Graph& graph,
                           const std::vector<Node>& roots,
                           const CanStore& can_store,
                           const std::vector<Node>& conditions);

/// The formulas of x and y (and parameters) that are cheaper to precompute than to evaluate wherever `roots`
/// and `stored` read them. Those read diagonally are left out unless arrays have valid `corners`.
std::vector<Node> find_coefficients(const Graph& graph,
                                    const std::vector<Node>& roots,
                                    const std::vector<Node>& stored,
                                    bool corners);

}  // namespace stencil::equation
