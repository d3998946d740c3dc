#include "sim/examples/ridge/l_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stencil::ridge {
namespace {

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

ReportCurve l_curve(const Bidiagonal& bidiagonal, std::span<const CurvePoint> points, const Scale& scale) {
    const auto place = [&](const auto& at, std::string name, bool marked) {
        return ReportPoint{scale.residual(at.residual), scale.solution(at.solution), std::move(name), marked};
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
        }
        curve.series.push_back(std::move(line));
    }
    ReportSeries solved{"solved, with its c", {}, false, true, false};
    ReportSeries plotted{"|A x - d| with a broadcasting mistake", {}, true, true, true};
    for (const CurvePoint& point : points) {
        const char* doubt = point.error <= kShownError ? "" : "?";
        solved.points.push_back(place(point.check, label(scale.coefficient(point.c)) + doubt, false));
        plotted.points.push_back(
            {scale.residual(point.check.broadcast), scale.solution(point.check.solution), "", false});
    }
    curve.series.push_back(std::move(solved));
    if (const double c = corner_of(bidiagonal, low, high); c > 0) {
        curve.series.push_back({fmt::format("corner, c = {}", label(scale.coefficient(c))),
                                {place(bidiagonal.norms_at(c), "", true)},
                                false,
                                true,
                                false});
    }
    curve.series.push_back(std::move(plotted));
    return curve;
}

std::shared_ptr<const LiveCurve> live_l_curve(const Bidiagonal& bidiagonal,
                                              std::span<const CurvePoint> points,
                                              const Scale& scale) {
    const auto [low, high] = range_of(points);
    if (!(high > low)) return nullptr;
    auto live = std::make_shared<LiveCurve>(
        LiveCurve{"l_curve", "c", scale.coefficient(low), scale.coefficient(high), {}});
    live->at = [bidiagonal, scale](double given) {
        const double c = std::ldexp(given, -scale.a);
        const Bidiagonal::Norms at = bidiagonal.norms_at(c);
        LivePoint point;
        point.x = scale.residual(at.residual);
        point.y = scale.solution(at.solution);
        point.numbers = {{"|A x - d|", point.x}, {"|x|", point.y}};
        return point;
    };
    return live;
}

}  // namespace stencil::ridge
