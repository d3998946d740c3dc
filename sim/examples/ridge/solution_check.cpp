#include "sim/examples/ridge/solution_check.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace stencil::ridge {
namespace {

double norm(std::span<const double> a) {
    return std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0));
}

double share(double part, double whole) {
    return part == 0 ? 0 : whole > 0 ? part / whole : std::numeric_limits<double>::infinity();
}

}  // namespace

template <class T>
SolutionChecker<T>::SolutionChecker(const SparseMatrix<T>& a,
                                    ThreadPool& threads,
                                    std::function<void()> pause)
    : pause_(std::move(pause)),
      forward_(a, threads),
      back_((pause_(), transposed(a)), threads),
      image_(std::size_t(a.rows)),
      gradient_(std::size_t(a.columns)) {
    for (const T value : a.value) frobenius_ += double(value) * double(value);
    frobenius_ = std::sqrt(frobenius_);
}

template <class T>
SolutionCheck SolutionChecker<T>::check(std::span<const double> x, std::span<const double> d, double c) {
    SolutionCheck result;
    pause_();
    forward_.multiply(x.data(), image_.data());
    pause_();
    // A (n,) vector less an (n, 1) one is every difference of two values, an n x n matrix: its norm.
    const double rows = double(d.size());
    const double image = norm(image_), data = norm(d);
    const double image_sum = std::accumulate(image_.begin(), image_.end(), 0.0);
    const double data_sum = std::accumulate(d.begin(), d.end(), 0.0);
    result.broadcast =
        std::sqrt(std::max(0.0, rows * (image * image + data * data) - 2 * image_sum * data_sum));
    for (std::size_t i = 0; i < d.size(); ++i) image_[i] = d[i] - image_[i];
    pause_();
    back_.multiply(image_.data(), gradient_.data());
    for (std::size_t j = 0; j < x.size(); ++j) gradient_[j] -= c * c * x[j];
    result.residual = norm(image_);
    result.solution = norm(x);
    result.gradient = norm(gradient_);
    result.bound = share(result.gradient, c * c * result.solution);
    result.gradient_share = share(result.gradient, frobenius_ * result.residual + c * c * result.solution);
    return result;
}

double largest_error(std::span<const double> x, std::span<const double> truth, std::int64_t columns) {
    double largest = 0;
    const auto n = std::size_t(columns);
    for (std::size_t at = 0; at + n <= x.size(); at += n) {
        double difference = 0, length = 0;
        for (std::size_t j = at; j < at + n; ++j) {
            difference += (x[j] - truth[j]) * (x[j] - truth[j]);
            length += truth[j] * truth[j];
        }
        largest = std::max(largest, share(std::sqrt(difference), std::sqrt(length)));
    }
    return largest;
}

template class SolutionChecker<float>;
template class SolutionChecker<double>;

}  // namespace stencil::ridge
