#include "sim/examples/ridge/l_curve.h"

#include <fmt/format.h>

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

constexpr int kLinePoints = 120;

constexpr double kShownError = 0.1;

struct Range {
    double low = 0, high = 0;  // of the coefficients above 0 whose solutions are known
};

Range range_of(std::span<const CurvePoint> points) {
    Range range;
    for (const CurvePoint& point : points) {
        if (point.c <= 0 || !(point.error <= kShownError)) continue;
        range.low = range.low == 0 ? point.c : std::min(range.low, point.c);
        range.high = std::max(range.high, point.c);
    }
    return range;
}

std::string label(double c) {
    return c >= 100 && c < 1e6 ? fmt::format("{:.0f}", c) : fmt::format("{:.2g}", c);
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
    return 2 * double(a_.nonzeros()) * (sizeof(T) + sizeof(std::uint32_t)) +
           32 * double(a_.rows + a_.columns);
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

double corner_of(const Bidiagonal& bidiagonal, double low, double high) {
    if (!(low > 0) || !(high > low)) return 0;
    const double step = std::log(high / low) / (kLinePoints - 1);
    std::vector<double> c, x, y;
    for (int i = 0; i < kLinePoints; ++i) {
        c.push_back(low * std::exp(step * i));
        const Bidiagonal::Norms at = bidiagonal.norms_at(c.back());
        x.push_back(std::log(at.residual));
        y.push_back(std::log(at.solution));
    }
    double most = 0;
    std::size_t corner = 0;
    for (std::size_t i = 1; i + 1 < c.size(); ++i) {
        const double dx = x[i + 1] - x[i - 1], dy = y[i + 1] - y[i - 1];
        const double ddx = x[i + 1] - 2 * x[i] + x[i - 1], ddy = y[i + 1] - 2 * y[i] + y[i - 1];
        // With growing c the curve runs to the right and down; at its corner it turns to the left.
        const double curvature = 4 * (dx * ddy - dy * ddx) / std::pow(dx * dx + dy * dy, 1.5);
        if (std::isfinite(curvature) && curvature > most) {
            most = curvature;
            corner = i;
        }
    }
    return corner > 1 && corner + 2 < c.size() ? c[corner] : 0;
}

ReportCurve l_curve(const Bidiagonal& bidiagonal, std::span<const CurvePoint> points) {
    const auto place = [](const auto& at, std::string name, bool marked) {
        return ReportPoint{at.residual, at.solution, std::move(name), marked};
    };
    ReportCurve curve;
    curve.id = "l_curve";
    curve.title = "L-curve";
    curve.x_label = "residual |A x - d|";
    curve.y_label = "solution |x|";
    curve.log_x = curve.log_y = true;
    const auto [low, high] = range_of(points);
    if (high > low) {
        ReportSeries line{"all c", {}, true, false, false};
        for (int i = 0; i < kLinePoints; ++i) {
            const double c = low * std::pow(high / low, i / (kLinePoints - 1.0));
            line.points.push_back(place(bidiagonal.norms_at(c), "", false));
            line.points.back().note = fmt::format("c: {:.4g}", c);
        }
        curve.series.push_back(std::move(line));
    }
    ReportSeries solved{"solved, with its c", {}, false, true, false};
    ReportSeries plotted{"|A x - d| with a broadcasting mistake", {}, true, true, true};
    for (const CurvePoint& point : points) {
        const char* doubt = point.error <= kShownError ? "" : "?";
        solved.points.push_back(place(point.check, label(point.c) + doubt, false));
        plotted.points.push_back({point.check.broadcast, point.check.solution});
    }
    curve.series.push_back(std::move(solved));
    if (const double c = corner_of(bidiagonal, low, high); c > 0) {
        curve.series.push_back({fmt::format("corner, c = {}", label(c)),
                                {place(bidiagonal.norms_at(c), "", true)},
                                false,
                                true,
                                false});
    }
    curve.series.push_back(std::move(plotted));
    return curve;
}

}  // namespace stencil::ridge
