// Linear stability analysis (von Neumann) about uniform states.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sim/model/matrices.h"
#include "sim/model/step/stages.h"

namespace stencil::equation {

/// The point of linearisation: uniform components, at one position and time.
struct UniformState {
    std::vector<double> components, parameters;
    double spacing = 1, dt = 1;
    int nx = 1, ny = 1;
    double x = 0, y = 0, t = 0;
    std::vector<double> data = {};  ///< values of pictures and arrays; 1 if missing
    bool for_limit = false;         ///< limiters count with the steepest slopes that they let pass
};

/// The value of a formula at the uniform state.
double value_at(const Equations& equations, Node formula, const UniformState& state);

/// The Fourier symbol of a convolution: it multiplies a wave e^(i (kx column + ky row)) by at(kx, ky).
class KernelSymbol {
  public:
    /// The symbol for a field of this size, whose axes are cut at 1024 cells. Symbols are cached for later
    /// calls, at least those of all `kernels` of the model.
    static std::shared_ptr<const KernelSymbol> of(const ConvolutionKernel& kernel,
                                                  int columns,
                                                  int rows,
                                                  const std::vector<double>& scalars,
                                                  std::size_t kernels);
    Complex at(double kx, double ky) const;
    /// The sum of the kernel over all offsets times the area of a cell.
    double sum() const { return sum_; }
    /// Whether waves (kx, ky) and (kx, -ky) behave differently.
    bool directed() const { return directed_; }

    /// Use of(), which caches symbols.
    KernelSymbol(std::vector<double> table, int columns, int rows);

  private:
    Complex sum_at(double kx, double ky) const;

    /// The rectangle of offsets outside of which the kernel is 0 up to rounding, and its values inside.
    int first_x_ = 0, first_y_ = 0, nx_ = 0, ny_ = 0;
    std::vector<double> values_;
    double sum_ = 0;
    bool directed_ = false;
    mutable std::mutex mutex_;
    mutable std::map<std::pair<double, double>, Complex> known_;
};

/// Formulas linearised at a uniform state, as Fourier symbols.
class Linearisation {
  public:
    Linearisation(const Equations& equations, const std::vector<Node>& formulas, const UniformState& state)
        : Linearisation(equations, formulas) {
        move_to(state);
    }
    /// Must be moved to a state before it is used.
    Linearisation(const Equations& equations, const std::vector<Node>& formulas);
    void move_to(const UniformState& state);

    /// The Jacobian entry (r, c): how formula r responds to a wave e^(i (kx column + ky row)) in component c
    /// under the discrete stencils; kx, ky in radians per cell. Random numbers count as 0. A global value
    /// responds to the uniform wave only, with `without_globals` to none.
    Matrix at(double kx, double ky, bool without_globals = false) const;
    /// The response of the formulas to a cell whose neighbours all lie beyond the edge of `inside`, where
    /// ghost cells follow from it by the conditions there: the arrangement in which these conditions have
    /// most weight.
    Matrix at_edge() const;
    /// Whether a condition at the edge of `inside` changes what a cell's neighbours are.
    bool has_edge() const { return !edges_.empty(); }
    /// Number of components, sensitivities excluded.
    int components() const { return columns_; }
    double value(std::size_t formula) const { return values_[formula]; }
    /// Whether odd differences make waves (kx, ky) and (kx, -ky) behave differently.
    bool directed() const { return directed_; }
    friend bool operator==(const Linearisation& a, const Linearisation& b) {
        return a.parts_ == b.parts_ && a.roots_ == b.roots_ && a.values_ == b.values_ &&
               a.elliptic_ == b.elliptic_ && a.kernels_ == b.kernels_ && a.mirrors_ == b.mirrors_;
    }

  private:
    void find_kernels(const UniformState& state);
    /// The coefficients of the symbol of an elliptic equation's left side.
    std::vector<double> coefficients(const Elliptic& equation) const;
    /// The Jacobian of the formulas, given the responses of all parts (`slopes`).
    Matrix rows_of(const std::vector<Complex>& slopes) const;

    // A symbol times a sum of other parts; the first parts are the components themselves.
    struct Part {
        struct Summand {
            int part = 0;
            double factor = 0;
            friend bool operator==(const Summand&, const Summand&) = default;
        };
        Op op = Op::stored;  ///< operator whose symbol multiplies the sum; Op::stored: 1
        int index = 0;       ///< of the equation if `solved`, of the kernel if `convolved`
        std::int8_t column = 0, row = 0;
        int count = 0;
        std::array<Summand, 3> terms{};
        friend bool operator==(const Part&, const Part&) = default;
    };

    const Equations& equations_;
    std::vector<Node> formulas_, order_;  ///< order_: all nodes of the formulas, arguments first
    int columns_ = 0;
    double axes_ = 2;  ///< 1 on a line
    bool directed_ = false;
    std::vector<double> value_;  ///< indexed by node
    std::vector<int> part_;      ///< indexed by node; -1: constant, so without response to waves
    std::vector<Part> parts_;
    std::vector<std::vector<double>> elliptic_;                   ///< coefficients of each equation's symbol
    std::map<int, ConvolutionKernel> lowered_;                    ///< the kernels that formulas use
    std::map<int, std::shared_ptr<const KernelSymbol>> kernels_;  ///< symbols of these kernels
    std::vector<double> scalars_;                                 ///< for which kernels_ was computed
    std::vector<int> roots_;                                      ///< the part of each formula; -1: constant
    std::vector<double> values_;
    std::map<Node, Condition> edges_;  ///< of components and stored definitions, at the edge of `inside`
    std::map<int, double> mirrors_;    ///< by part: the ratio of a ghost cell there to its cell
};

/// The formulas of all components in order, without sensitivities (which grow at the same rates).
std::vector<Node> formulas_of(const Equations& equations);
/// The dispersion relation of the discretised equations: growth rates (real parts, largest first) and
/// frequencies of waves along x with k radians per cell. Components that are functions of others (v' =
/// lap(u)) have no rate: they are substituted into the others' rates.
std::vector<Complex> dispersion(const Equations& equations, const UniformState& state, double k);

/// A uniform state and its residual: the largest rate of a component, or change of a map. Infinite if rates
/// are not finite.
struct BaseState {
    std::vector<double> components;
    double residual = 0;
    bool steady = false;  ///< steady at all positions and times
};

/// The steady state that Newton's method reaches from `state` by steps that each reduce the residual; `state`
/// itself, with its residual, if it reaches none.
BaseState steady_state(const Equations& equations, const UniformState& state);

/// The largest stable time step and the term that limits it.
struct StableStep {
    double dt = 0;          ///< infinity: always stable; 0: never; NaN: unknown
    std::string component;  ///< component of that term
    std::string term;       ///< as typed; empty if no single term sets the limit
    bool downwind = false;  ///< no step is stable: first derivatives are taken downwind
    bool known() const { return !std::isnan(dt); }
};

/// The largest step that is stable for all given states and for waves in all directions. A step is stable if
/// it damps each wave or lets it grow faster than the exact solution by at most a tenth of the fastest exact
/// growth rate (von Neumann's condition |G| <= 1 + O(dt), Lax & Richtmyer 1956). Unknown if the rates are not
/// finite at any state. The result is at most `enough`: larger limits are not distinguished.
StableStep stable_step(const Equations& equations,
                       const Integrator& scheme,
                       const std::vector<UniformState>& states,
                       double enough = std::numeric_limits<double>::infinity());
/// Whether a step is stable for a few waves only, which takes a small part of the time.
bool is_stable_at_few_waves(const Equations& equations,
                            const Integrator& scheme,
                            const std::vector<UniformState>& states,
                            double dt);

}  // namespace stencil::equation
