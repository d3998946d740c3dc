#include "sim/examples/ridge/solution_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace stencil::ridge {
namespace {

long double norm(std::span<const long double> a) {
    return std::sqrt(std::inner_product(a.begin(), a.end(), a.begin(), 0.0L));
}

double share(long double part, long double whole) {
    return double(part == 0 ? 0 : whole > 0 ? part / whole : std::numeric_limits<long double>::infinity());
}

template <class T>
std::vector<long double> product(const SparseMatrix<T>& a,
                                 std::span<const long double> x,
                                 ThreadPool& threads) {
    std::vector<long double> y(std::size_t(a.rows));
    threads.for_ranges(a.rows, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
            for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k)
                y[i] += (long double)(a.value[k]) * x[a.column[k]];
    });
    return y;
}

}  // namespace

template <class T>
SolutionChecker<T>::SolutionChecker(const SparseMatrix<T>& a,
                                    ThreadPool& threads,
                                    std::function<void()> pause)
    : pause_(std::move(pause)), threads_(threads), a_(a) {
    pause_();
    back_ = transposed(a);
    for (const T value : a.value) frobenius_ += double(value) * double(value);
    frobenius_ = std::sqrt(frobenius_);
}

template <class T>
SolutionCheck SolutionChecker<T>::check(std::span<const double> x, std::span<const double> d, double c) {
    constexpr long double kRounding = 4 * std::numeric_limits<long double>::epsilon();
    SolutionCheck result;
    pause_();
    const std::vector<long double> wide(x.begin(), x.end()), data(d.begin(), d.end());
    std::vector<long double> residual = product<T>(a_, wide, threads_);
    // A (n,) vector less an (n, 1) one is every difference of two values, an n x n matrix: its norm.
    const auto rows = (long double)(d.size());
    const long double image = norm(residual), of_data = norm(data);
    const long double sums = std::accumulate(residual.begin(), residual.end(), 0.0L) *
                             std::accumulate(data.begin(), data.end(), 0.0L);
    result.broadcast =
        double(std::sqrt(std::max(0.0L, rows * (image * image + of_data * of_data) - 2 * sums)));
    for (std::size_t i = 0; i < data.size(); ++i) residual[i] = data[i] - residual[i];
    pause_();
    std::vector<long double> gradient = product<T>(back_, residual, threads_);
    const long double c2 = (long double)(c)*c;
    for (std::size_t j = 0; j < x.size(); ++j) gradient[j] -= c2 * wide[j];
    gradient_.assign(gradient.begin(), gradient.end());
    const long double length = norm(wide), left = norm(residual), g = norm(gradient);
    result.residual = double(left);
    result.solution = double(length);
    result.gradient = double(g);
    result.bound = share(g + kRounding * frobenius_ * (of_data + frobenius_ * length), c2 * length);
    result.gradient_share = share(g, frobenius_ * left + c2 * length);
    return result;
}

template <class T>
double SolutionChecker<T>::bytes_of_step() const {
    const double index = std::max(a_.rows, a_.columns) <= 65536 ? 2 : 4;
    return 2 * double(a_.nonzeros()) * (sizeof(T) + index) + 32 * double(a_.rows + a_.columns);
}

double length_of(std::span<const double> a) {
    return double(norm(std::vector<long double>(a.begin(), a.end())));
}

double relative_error(std::span<const double> x, std::span<const double> right) {
    std::vector<double> off(x.size());
    std::ranges::transform(x, right, off.begin(), std::minus());
    return share(length_of(off), length_of(right));
}

template class SolutionChecker<float>;
template class SolutionChecker<double>;

}  // namespace stencil::ridge
