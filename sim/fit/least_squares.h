// Nonlinear least squares within bounds: the method of Levenberg and Marquardt, projected onto the bounds.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace stencil::fitting {

struct Variable {
    double start = 0;
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    /// Typical size: the first step changes no variable by more than a fifth of it. 0: not known.
    double size = 0;
};

/// Residuals at a point, and their derivatives: a row a residual, a column a variable.
struct Evaluation {
    std::vector<double> residuals;
    std::vector<double> jacobian;

    bool is_finite() const;
};

enum class Outcome {
    none,
    converged,
    stuck,  ///< the cost falls nowhere along the steps that the derivatives promise
    most_iterations
};

struct StopRules {
    int most_iterations = 50;  ///< evaluations
    double cost = 1e-9;        ///< relative decrease of the cost below which the fit has converged
    double step = 1e-9;        ///< step relative to the variables, likewise
};

/// One evaluation: of the start, or of a step, which was taken if it lowered the cost.
struct Iteration {
    std::vector<double> at;
    double cost = 0;  ///< half the sum of squares; infinite where there are no values
    double damping = 0;
    bool taken = false;
};

/// Asks for evaluations one by one, so that whoever makes them may show, cut and resume the work.
class LeastSquares {
  public:
    LeastSquares(std::vector<Variable> variables, const StopRules& rules);

    /// The point to evaluate next.
    const std::vector<double>& ask() const { return asked_; }
    /// The values there; if they are not finite, the step was too long. Those of the start must be finite.
    void tell(Evaluation evaluation);
    /// Begins anew at the best point, as the residuals are to be computed in another way.
    void begin_again();

    bool done() const { return outcome_ != Outcome::none; }
    Outcome outcome() const { return outcome_; }
    const std::vector<Iteration>& iterations() const { return iterations_; }

    // The best point so far.
    const std::vector<double>& best() const { return best_; }
    const Evaluation& at_best() const { return at_best_; }
    double cost() const { return cost_; }
    bool is_at_bound(std::size_t variable) const;

  private:
    void take();
    void propose();
    std::vector<std::size_t> free_variables() const;
    struct Step {
        std::vector<double> to;
        double expected = 0;  ///< decrease of the cost by the linear model
        double moved = 0;     ///< relative to the variables
        double reach = 0;     ///< relative to their typical sizes
    };
    Step step_with(double damping, const std::vector<std::size_t>& free) const;

    std::vector<Variable> variables_;
    StopRules rules_;
    std::vector<double> best_, asked_;
    Evaluation at_best_;
    std::vector<double> normal_, gradient_, scale_;  ///< J'J row by row, J'r, and the largest diagonal so far
    double cost_ = std::numeric_limits<double>::infinity();
    double expected_ = 0;  ///< decrease of the cost that the linear model promises for the step asked for
    double damping_ = 1e-3, growth_ = 2;
    bool begun_ = false;
    Outcome outcome_ = Outcome::none;
    std::vector<Iteration> iterations_;
};

/// What the derivatives at the best point tell of the variables' uncertainty.
struct Uncertainty {
    std::vector<double>
        covariance;  ///< row by row, for residuals of variance 1; NaN where a variable is fixed
    /// Variables of a direction in which the residuals do not change: none of them can be told alone.
    std::vector<std::size_t> undetermined;
};

/// `fixed` are variables that do not count, as they are at a bound.
Uncertainty uncertainty_of(std::span<const double> jacobian, const std::vector<bool>& fixed);

}  // namespace stencil::fitting
