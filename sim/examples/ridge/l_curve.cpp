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

template <class Real>
long double norm(std::span<const Real> a) {
    return std::sqrt((long double)(std::inner_product(a.begin(), a.end(), a.begin(), Real(0))));
}

double share(long double part, long double whole) {
    return double(part == 0 ? 0 : whole > 0 ? part / whole : std::numeric_limits<long double>::infinity());
}

template <class T, class Real>
std::vector<Real> product(const SparseMatrix<T>& a, std::span<const Real> x, ThreadPool& threads) {
    std::vector<Real> y(std::size_t(a.rows));
    threads.for_ranges(a.rows, [&](std::int64_t begin, std::int64_t end) {
        for (auto i = std::size_t(begin); i < std::size_t(end); ++i)
            for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k)
                y[i] += Real(a.value[k]) * x[a.column[k]];
    });
    return y;
}

// A^T r - c^2 x
template <class T, class Real>
std::vector<Real> gradient_of(const SparseMatrix<T>& back,
                              std::span<const Real> residual,
                              std::span<const Real> x,
                              double c,
                              ThreadPool& threads) {
    std::vector<Real> gradient = product<T, Real>(back, residual, threads);
    for (std::size_t j = 0; j < x.size(); ++j) gradient[j] -= Real(c) * c * x[j];
    return gradient;
}

constexpr int kLinePoints = 120;
constexpr double kShownError = 0.1;

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
    std::vector<long double> residual = product<T, long double>(a_, wide, threads_);
    // A (n,) vector less an (n, 1) one is every difference of two values, an n x n matrix: its norm.
    const auto rows = (long double)(d.size());
    const long double image = norm<long double>(residual), of_data = norm<long double>(data);
    const long double sums = std::accumulate(residual.begin(), residual.end(), 0.0L) *
                             std::accumulate(data.begin(), data.end(), 0.0L);
    result.broadcast =
        double(std::sqrt(std::max(0.0L, rows * (image * image + of_data * of_data) - 2 * sums)));
    for (std::size_t i = 0; i < data.size(); ++i) residual[i] = data[i] - residual[i];
    pause_();
    const auto gradient = gradient_of<T, long double>(back_, residual, wide, c, threads_);
    const long double length = norm<long double>(wide), left = norm<long double>(residual);
    const long double g = norm<long double>(gradient), c2 = (long double)(c)*c;
    result.residual = double(left);
    result.solution = double(length);
    result.gradient = double(g);
    result.bound = share(g + kRounding * frobenius_ * (of_data + frobenius_ * length), c2 * length);
    result.gradient_share = share(g, frobenius_ * left + c2 * length);
    return result;
}

template <class T>
std::vector<Wide> SolutionChecker<T>::gradient(std::span<const Wide> x,
                                               std::span<const double> d,
                                               double c) const {
    pause_();
    std::vector<Wide> residual = product<T, Wide>(a_, x, threads_);
    for (std::size_t i = 0; i < d.size(); ++i) residual[i] = d[i] - residual[i];
    pause_();
    return gradient_of<T, Wide>(back_, residual, x, c, threads_);
}

template <class T>
double SolutionChecker<T>::bytes_of_step() const {
    return 2 * double(a_.nonzeros()) * (sizeof(T) + sizeof(std::uint32_t)) +
           32 * double(a_.rows + a_.columns);
}

double refine(std::vector<Wide>& x, const VectorMap& gradient, const VectorMap& inverse) {
    constexpr int kMost = 10;
    constexpr double kRounding = 1e-18;
    double last = std::numeric_limits<double>::infinity();
    for (int step = 0; step < kMost; ++step) {
        const std::vector<Wide> change = inverse(gradient(x));
        const double size = share(norm<Wide>(change), norm<Wide>(x));
        if (!(size < 0.3 * last) && !(size <= kRounding))
            return size < 1e-9 ? 10 * size : std::numeric_limits<double>::infinity();
        for (std::size_t j = 0; j < x.size(); ++j) x[j] += change[j];
        last = size;
        if (size <= kRounding) break;
    }
    return last;
}

double length_of(std::span<const double> a) {
    return double(norm<long double>(std::vector<long double>(a.begin(), a.end())));
}

double relative_error(std::span<const double> x, std::span<const double> right) {
    std::vector<double> off(x.size());
    std::ranges::transform(x, right, off.begin(), std::minus());
    return share(length_of(off), length_of(right));
}

template class SolutionChecker<float>;
template class SolutionChecker<double>;

double corner_of(const NormsAt& norms, double low, double high) {
    if (!(low > 0) || !(high > low)) return 0;
    constexpr double kBeyond = 10;
    constexpr int kPoints = 500;
    low /= kBeyond;
    const double step = std::log(kBeyond * high / low) / (kPoints - 1);
    std::vector<double> c, x, y;
    for (int i = 0; i < kPoints; ++i) {
        c.push_back(low * std::exp(step * i));
        const Bidiagonal::Norms at = norms(c.back());
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

std::pair<double, double> range_of(std::span<const CurvePoint> points) {
    double low = 0, high = 0;
    for (const CurvePoint& point : points) {
        if (point.c <= 0 || !(point.error <= kShownError)) continue;
        low = low == 0 ? point.c : std::min(low, point.c);
        high = std::max(high, point.c);
    }
    return {low, high};
}

ReportCurve l_curve(const NormsAt& norms,
                    std::span<const CurvePoint> points,
                    std::pair<double, double> range,
                    double corner) {
    const auto place = [](const auto& at, std::string name, bool marked) {
        return ReportPoint{at.residual, at.solution, std::move(name), marked};
    };
    ReportCurve curve;
    curve.id = "l_curve";
    curve.title = "L-curve";
    curve.x_label = "residual |A x - d|";
    curve.y_label = "solution |x|";
    curve.log_x = curve.log_y = true;
    const auto [low, high] = range;
    if (high > low) {
        ReportSeries line{"all c", {}, true, false, false};
        for (int i = 0; i < kLinePoints; ++i) {
            const double c = low * std::pow(high / low, i / (kLinePoints - 1.0));
            line.points.push_back(place(norms(c), "", false));
            line.points.back().note = fmt::format("c: {:.4g}", c);
        }
        curve.series.push_back(std::move(line));
    }
    ReportSeries solved{"solved, with its c", {}, false, true, false};
    ReportSeries plotted{"|A x - d| with a broadcasting mistake", {}, true, true, true};
    for (const CurvePoint& point : points) {
        solved.points.push_back(
            place(point, label(point.c) + (point.error <= kShownError ? "" : "?"), false));
        plotted.points.push_back({point.broadcast, point.solution});
    }
    curve.series.push_back(std::move(solved));
    if (corner >= low && corner <= high && corner > 0)
        curve.series.push_back({fmt::format("corner, c = {}", label(corner)),
                                {place(norms(corner), "", true)},
                                false,
                                true,
                                false});
    curve.series.push_back(std::move(plotted));
    return curve;
}

}  // namespace stencil::ridge
