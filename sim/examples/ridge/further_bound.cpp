#include "sim/examples/ridge/further_bound.h"

#include <algorithm>
#include <limits>

namespace stencil {
namespace {

// From one coefficient to the next rounding differs by up to 5 times, as found on random matrices.
constexpr double kScatter = 8;

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

}  // namespace stencil
