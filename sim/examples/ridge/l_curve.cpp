#include "sim/examples/ridge/l_curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace stencil::ridge {
namespace {

constexpr int kLinePoints = 120;

// From one coefficient to the next rounding differs by up to 5 times, as found on random matrices.
constexpr double kScatter = 8;

struct Range {
    double low = 0, high = 0;  // of the coefficients above 0
};

Range range_of(std::span<const CurvePoint> points) {
    Range range;
    for (const CurvePoint& point : points) {
        if (point.c <= 0) continue;
        range.low = range.low == 0 ? point.c : std::min(range.low, point.c);
        range.high = std::max(range.high, point.c);
    }
    return range;
}

std::string label(double c) {
    return c >= 100 && c < 1e6 ? fmt::format("{:.0f}", c) : fmt::format("{:.2g}", c);
}

}  // namespace

FurtherBound::FurtherBound(std::span<const CurvePoint> solved, double frobenius) : frobenius_(frobenius) {
    for (const CurvePoint& point : solved) {
        const SolutionCheck& check = point.check;
        if (check.gradient > point.gradient)
            rounding_ = std::max(rounding_,
                                 (check.gradient - point.gradient) / check.gradient * check.gradient_share);
    }
    rounding_ *= kScatter;
}

double FurtherBound::at(double c, const ProjectedSolution& x) const {
    const double step = c * c * x.solution;
    const double gradient = x.gradient + rounding_ * (frobenius_ * x.residual + step);
    return gradient == 0 ? 0 : step > 0 ? gradient / step : std::numeric_limits<double>::infinity();
}

double corner_of(const Bidiagonal& bidiagonal, double low, double high) {
    if (!(low > 0) || !(high > low)) return 0;
    const double step = std::log(high / low) / (kLinePoints - 1);
    std::vector<double> c, x, y;
    for (int i = 0; i < kLinePoints; ++i) {
        c.push_back(low * std::exp(step * i));
        const ProjectedSolution at = bidiagonal.solve(c.back());
        x.push_back(std::log(at.residual));
        y.push_back(std::log(at.solution));
    }
    double most = 0, corner = 0;
    for (std::size_t i = 1; i + 1 < c.size(); ++i) {
        const double dx = x[i + 1] - x[i - 1], dy = y[i + 1] - y[i - 1];
        const double ddx = x[i + 1] - 2 * x[i] + x[i - 1], ddy = y[i + 1] - 2 * y[i] + y[i - 1];
        // With growing c the curve runs to the right and down; at its corner it turns to the left.
        const double curvature = 4 * (dx * ddy - dy * ddx) / std::pow(dx * dx + dy * dy, 1.5);
        if (std::isfinite(curvature) && curvature > most) {
            most = curvature;
            corner = c[i];
        }
    }
    return corner;
}

ReportCurve l_curve(const Bidiagonal& bidiagonal, std::span<const CurvePoint> points) {
    ReportCurve curve;
    curve.id = "l_curve";
    curve.title = "L-curve";
    curve.x_label = "residual |A x - d|";
    curve.y_label = "solution |x|";
    curve.log_x = curve.log_y = true;
    const auto [low, high] = range_of(points);
    if (high > low) {
        ReportSeries line{"all c, from the process", {}, true, false, false};
        for (int i = 0; i < kLinePoints; ++i) {
            const ProjectedSolution at =
                bidiagonal.solve(low * std::pow(high / low, i / (kLinePoints - 1.0)));
            line.points.push_back({at.residual, at.solution, "", false});
        }
        curve.series.push_back(std::move(line));
    }
    ReportSeries solved{"solved, with its c", {}, false, true, false};
    ReportSeries plotted{"|A x - d| with a broadcasting mistake", {}, true, true, true};
    for (const CurvePoint& point : points) {
        solved.points.push_back({point.check.residual, point.check.solution, label(point.c), false});
        plotted.points.push_back({point.check.broadcast, point.check.solution, "", false});
    }
    curve.series.push_back(std::move(solved));
    if (const double c = corner_of(bidiagonal, low, high); c > 0) {
        const ProjectedSolution at = bidiagonal.solve(c);
        curve.series.push_back({fmt::format("corner, c = {}", label(c)),
                                {{at.residual, at.solution, "", true}},
                                false,
                                true,
                                false});
    }
    curve.series.push_back(std::move(plotted));
    return curve;
}

std::shared_ptr<const LiveCurve> live_l_curve(const Bidiagonal& bidiagonal,
                                              std::span<const CurvePoint> points,
                                              const FurtherBound& bound) {
    const auto [low, high] = range_of(points);
    if (!(high > low)) return nullptr;
    auto live = std::make_shared<LiveCurve>(LiveCurve{"l_curve", "c", low, high, {}});
    live->at = [bidiagonal, bound](double c) {
        const ProjectedSolution at = bidiagonal.solve(c);
        LivePoint point;
        point.x = at.residual;
        point.y = at.solution;
        point.numbers = {{"|A x - d|", at.residual}, {"|x|", at.solution}, {"error bound", bound.at(c, at)}};
        return point;
    };
    return live;
}

}  // namespace stencil::ridge
