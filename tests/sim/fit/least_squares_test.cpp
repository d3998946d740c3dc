// The method of Levenberg and Marquardt on functions whose minima are known.

#include "sim/fit/least_squares.h"

#include "tests/support/catch.h"

using namespace stencil::fitting;

namespace {

using Function = std::function<Evaluation(const std::vector<double>&)>;

LeastSquares minimised(std::vector<Variable> variables, const Function& function) {
    LeastSquares fit(std::move(variables), {.most_iterations = 200, .cost = 1e-20, .step = 1e-12});
    while (!fit.done()) fit.tell(function(fit.ask()));
    return fit;
}

// Rosenbrock (1960): a bent valley whose lowest point is (1, 1).
Evaluation rosenbrock(const std::vector<double>& p) {
    return {{10 * (p[1] - p[0] * p[0]), 1 - p[0]}, {-20 * p[0], 10, -1, 0}};
}

// The line a + b*t at t = 0, 1, 2, 3 against 1, 3, 4, 8.
Evaluation line(const std::vector<double>& p) {
    const std::vector<double> values{1, 3, 4, 8};
    Evaluation result;
    for (std::size_t t = 0; t < values.size(); ++t) {
        result.residuals.push_back(p[0] + p[1] * double(t) - values[t]);
        result.jacobian.insert(result.jacobian.end(), {1, double(t)});
    }
    return result;
}

}  // namespace

TEST_CASE("A fit goes along a bent valley to its lowest point") {
    const LeastSquares fit = minimised({{-1.2}, {1}}, rosenbrock);
    CHECK(fit.outcome() == Outcome::converged);
    CHECK(std::abs(fit.best()[0] - 1) < 1e-8);
    CHECK(std::abs(fit.best()[1] - 1) < 1e-8);
}

TEST_CASE("A fit of a line has the least squares and the covariance of the textbook") {
    const LeastSquares fit = minimised({{0}, {0}}, line);
    // The normal equations [4 6; 6 14] p = [16; 35], solved by hand: p = (0.7, 2.2).
    CHECK(std::abs(fit.best()[0] - 0.7) < 1e-9);
    CHECK(std::abs(fit.best()[1] - 2.2) < 1e-9);
    CHECK(std::abs(fit.cost() - 0.9) < 1e-12);
    const Uncertainty found = uncertainty_of(fit.at_best().jacobian, {false, false});
    const double expected[] = {0.7, -0.3, -0.3, 0.2};
    for (std::size_t i = 0; i < 4; ++i) CHECK(std::abs(found.covariance[i] - expected[i]) < 1e-12);
    CHECK(found.undetermined.empty());
}

TEST_CASE("A minimum beyond a bound is found on the bound") {
    const LeastSquares fit = minimised({{-1.2, -2, 0.5}, {1}}, rosenbrock);
    CHECK(fit.outcome() == Outcome::converged);
    CHECK(fit.best()[0] == 0.5);
    CHECK(fit.is_at_bound(0));
    CHECK_FALSE(fit.is_at_bound(1));
    CHECK(std::abs(fit.best()[1] - 0.25) < 1e-8);
    const Uncertainty found = uncertainty_of(fit.at_best().jacobian, {true, false});
    CHECK(std::isnan(found.covariance[0]));
    CHECK(std::abs(found.covariance[3] - 0.01) < 1e-12);
}

TEST_CASE("A step to where there are no values is taken back and shortened") {
    // The first step from 5 leads to -8, where a logarithm has no value.
    const auto logarithm = [](const std::vector<double>& p) -> Evaluation {
        return {{std::log(p[0]) + 1}, {1 / p[0]}};
    };
    const LeastSquares fit = minimised({{5}}, logarithm);
    CHECK(fit.outcome() == Outcome::converged);
    CHECK(std::abs(fit.best()[0] - std::exp(-1)) < 1e-8);
    CHECK(std::ranges::any_of(fit.iterations(), [](const Iteration& one) { return std::isinf(one.cost); }));
}

TEST_CASE(
    "Variables that only a sum of is seen are named as not determined, and a third one keeps its error") {
    // Rows (1, 1, 0) and (0, 0, 2): p0 + p1 and p2.
    const std::vector<double> jacobian{1, 1, 0, 0, 0, 2, 1, 1, 0};
    const Uncertainty found = uncertainty_of(jacobian, {false, false, false});
    CHECK(found.undetermined == std::vector<std::size_t>{0, 1});
    CHECK(std::isnan(found.covariance[0]));
    CHECK(std::abs(found.covariance[8] - 0.25) < 1e-12);
    const Uncertainty none = uncertainty_of(std::vector<double>{1, 0, 1, 0}, {false, false});
    CHECK(none.undetermined == std::vector<std::size_t>{1});
}

TEST_CASE("A fit ends after the most evaluations, and says where it was") {
    LeastSquares fit({{-1.2}, {1}}, {.most_iterations = 3});
    while (!fit.done()) fit.tell(rosenbrock(fit.ask()));
    CHECK(fit.outcome() == Outcome::most_iterations);
    CHECK(fit.iterations().size() == 3);
    CHECK(fit.cost() < 12.1);  // half of 24.2, that of the start
}
