#include "sim/fit/least_squares.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace stencil::fitting {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargestDamping = 1e12;

// Singular values of the scaled Jacobian below this share of the largest are roundings of float32 runs.
constexpr double kSingular = 1e-5;

Eigen::Map<const Rows> rows_of(std::span<const double> entries, std::size_t columns) {
    return {entries.data(), Eigen::Index(entries.size() / columns), Eigen::Index(columns)};
}

double half_square(const std::vector<double>& values) {
    return 0.5 * Eigen::Map<const VectorXd>(values.data(), Eigen::Index(values.size())).squaredNorm();
}

}  // namespace

bool Evaluation::is_finite() const {
    const auto finite = [](double value) { return std::isfinite(value); };
    return std::ranges::all_of(residuals, finite) && std::ranges::all_of(jacobian, finite);
}

LeastSquares::LeastSquares(std::vector<Variable> variables, const StopRules& rules)
    : variables_(std::move(variables)), rules_(rules) {
    for (const Variable& v : variables_) asked_.push_back(std::clamp(v.start, v.low, v.high));
    best_ = asked_;
}

bool LeastSquares::is_at_bound(std::size_t i) const {
    return best_[i] <= variables_[i].low || best_[i] >= variables_[i].high;
}

// A variable at a bound is free if the cost falls towards the inside, and one that changes nothing never.
std::vector<std::size_t> LeastSquares::free_variables() const {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < variables_.size(); ++i) {
        const bool leaves = (best_[i] <= variables_[i].low && gradient_[i] > 0) ||
                            (best_[i] >= variables_[i].high && gradient_[i] < 0);
        if (!leaves && scale_[i] > 0) free.push_back(i);
    }
    return free;
}

void LeastSquares::tell(Evaluation evaluation) {
    if (begun_ && evaluation.residuals.size() != at_best_.residuals.size())
        throw std::logic_error("another number of residuals");
    const bool finite = evaluation.is_finite();
    if (!begun_ && !finite) throw std::logic_error("no values at the start");
    const double cost = finite ? half_square(evaluation.residuals) : kInfinity;
    const double before = cost_, gain = before - cost;
    const bool better = !begun_ || (gain >= 0 && gain > 1e-4 * expected_);
    iterations_.push_back({asked_, cost, damping_, better});
    if (!better) {
        damping_ *= growth_;
        growth_ *= 2;
        return propose();
    }
    const bool settled = begun_ && gain <= rules_.cost * before && expected_ <= rules_.cost * before;
    if (begun_) damping_ *= std::max(0.1, 1 - std::pow(2 * gain / expected_ - 1, 3));
    growth_ = 2;
    best_ = asked_;
    at_best_ = std::move(evaluation);
    cost_ = cost;
    begun_ = true;
    take();
    if (settled)
        outcome_ = Outcome::converged;
    else
        propose();
}

void LeastSquares::begin_again() {
    begun_ = false;
    cost_ = kInfinity;
    asked_ = best_;
    outcome_ = Outcome::none;
}

// Keeps the normal equations at the best point.
void LeastSquares::take() {
    const std::size_t n = variables_.size();
    const auto j = rows_of(at_best_.jacobian, n);
    const Eigen::Map<const VectorXd> r(at_best_.residuals.data(), Eigen::Index(at_best_.residuals.size()));
    normal_.resize(n * n);
    gradient_.resize(n);
    scale_.resize(n);
    Eigen::Map<Rows> normal(normal_.data(), Eigen::Index(n), Eigen::Index(n));
    normal.noalias() = j.transpose() * j;
    Eigen::Map<VectorXd>(gradient_.data(), Eigen::Index(n)).noalias() = j.transpose() * r;
    for (std::size_t i = 0; i < n; ++i) scale_[i] = std::max(scale_[i], normal_[i * n + i]);
}

// Solves the damped normal equations, and cuts the step at the bounds.
LeastSquares::Step LeastSquares::step_with(double damping, const std::vector<std::size_t>& free) const {
    const auto n = Eigen::Index(variables_.size());
    const Eigen::Map<const Rows> normal(normal_.data(), n, n);
    const Eigen::Map<const VectorXd> gradient(gradient_.data(), n), scale(scale_.data(), n);
    const std::vector<Eigen::Index> of(free.begin(), free.end());
    const VectorXd unit = VectorXd(scale(of)).cwiseSqrt().cwiseInverse();
    MatrixXd damped = unit.asDiagonal() * MatrixXd(normal(of, of)) * unit.asDiagonal();
    damped.diagonal().array() += damping;
    const VectorXd solved =
        damped.ldlt().solve(-VectorXd(gradient(of)).cwiseProduct(unit)).cwiseProduct(unit);
    Step step{best_};
    VectorXd made = VectorXd::Zero(n);
    for (std::size_t k = 0; k < free.size(); ++k) {
        double& to = step.to[free[k]];
        to = std::clamp(to + solved[Eigen::Index(k)], variables_[free[k]].low, variables_[free[k]].high);
        const double change = made[of[k]] = to - best_[free[k]];
        const double size = variables_[free[k]].size;
        step.moved = std::max(step.moved, std::abs(change) / std::max({std::abs(to), size, 1e-300}));
        if (size > 0) step.reach = std::max(step.reach, std::abs(change) / size);
    }
    step.expected = -gradient.dot(made) - 0.5 * made.dot(normal * made);
    return step;
}

// Asks for the next step, or ends where none is left: the linear model promises nothing, or every step that
// it promises something of fails.
void LeastSquares::propose() {
    constexpr double kRounding = 1e-4;  // of residuals in float32, as a step relative to the variables
    constexpr double kFirstReach = 0.2;
    const std::vector<std::size_t> free = free_variables();
    if (free.empty() || cost_ == 0) {
        outcome_ = Outcome::converged;
        return;
    }
    // A short step that failed did so by roundings.
    constexpr double kShort = 1e-6;
    const Step undamped = step_with(0, free);
    const double least = iterations_.back().taken ? rules_.step : kShort;
    if (undamped.expected >= 0 && (undamped.expected <= rules_.cost * cost_ || undamped.moved <= least)) {
        outcome_ = Outcome::converged;
        return;
    }
    if (int(iterations_.size()) >= rules_.most_iterations) {
        outcome_ = Outcome::most_iterations;
        return;
    }
    for (; damping_ < kLargestDamping; damping_ *= 2) {
        const Step step = step_with(damping_, free);
        if (!(step.expected > 0)) continue;  // cut at a bound
        if (iterations_.size() == 1 && step.reach > kFirstReach) continue;
        if (step.moved <= rules_.step) break;
        asked_ = step.to;
        expected_ = step.expected;
        return;
    }
    outcome_ = undamped.moved <= kRounding ? Outcome::converged : Outcome::stuck;
}

Uncertainty uncertainty_of(std::span<const double> jacobian, const std::vector<bool>& fixed) {
    const std::size_t n = fixed.size();
    Uncertainty result;
    result.covariance.assign(n * n, std::numeric_limits<double>::quiet_NaN());
    std::vector<Eigen::Index> free;
    const auto j = rows_of(jacobian, n);
    for (std::size_t i = 0; i < n; ++i) {
        if (fixed[i]) continue;
        if (j.col(Eigen::Index(i)).squaredNorm() > 0)
            free.push_back(Eigen::Index(i));
        else
            result.undetermined.push_back(i);
    }
    if (free.empty()) return result;
    const MatrixXd normal = j(Eigen::all, free).transpose() * j(Eigen::all, free);
    const VectorXd unit = normal.diagonal().cwiseSqrt().cwiseInverse();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> waves(unit.asDiagonal() * normal * unit.asDiagonal());
    const VectorXd& values = waves.eigenvalues();
    const double least = kSingular * kSingular * values.maxCoeff();
    MatrixXd inverse = MatrixXd::Zero(normal.rows(), normal.cols());
    std::vector<bool> loose(free.size());
    for (Eigen::Index k = 0; k < values.size(); ++k) {
        const VectorXd direction = waves.eigenvectors().col(k);
        if (values[k] > least) {
            inverse += direction * direction.transpose() / values[k];
            continue;
        }
        constexpr double kPart = 0.1;  // of the direction
        for (Eigen::Index i = 0; i < direction.size(); ++i)
            if (std::abs(direction[i]) > kPart) loose[std::size_t(i)] = true;
    }
    for (std::size_t a = 0; a < free.size(); ++a) {
        if (loose[a]) result.undetermined.push_back(std::size_t(free[a]));
        for (std::size_t b = 0; b < free.size(); ++b)
            if (!loose[a] && !loose[b])
                result.covariance[std::size_t(free[a]) * n + std::size_t(free[b])] =
                    inverse(Eigen::Index(a), Eigen::Index(b)) * unit[Eigen::Index(a)] * unit[Eigen::Index(b)];
    }
    std::ranges::sort(result.undetermined);
    return result;
}

}  // namespace stencil::fitting
