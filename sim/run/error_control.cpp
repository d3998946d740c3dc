#include "sim/run/error_control.h"

#include <algorithm>
#include <cmath>

#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/step/stages.h"
#include "sim/text/error.h"

namespace stencil {

constexpr double kSafety = 0.9, kLeastFactor = 0.2, kMostFactor = 5;
constexpr double kLeastError = 1e-4;  // smaller ones say little about the next step
constexpr double kLowersFrom = 0.95, kRaisesFrom = 1.15;

void require_error_control(const Problem& spec) {
    if (spec.integrator->error_order == 0)
        throw InputError(Given{"tolerance"},
                         "{} does not estimate its error: take --integrator {}",
                         name_of(spec.integrator),
                         equation::listed_integrators([](const auto& row) { return row.error_order > 0; }));
    const equation::Equations& equations = *spec.model->equations;
    for (const auto& component : equations.components)
        if (equations.graph.depends(component.formula).random)
            throw InputError(Given{"tolerance"},
                             "the random numbers in the rate of {} need fixed steps: give --dt",
                             component.name);
}

double step_factor(double error, double before, int error_order) {
    if (!std::isfinite(error)) return 1;
    const double k = error_order + 1, now = std::max(error, kLeastError);
    const double factor = before > 0
                              ? std::pow(now, -0.7 / k) * std::pow(std::max(before, kLeastError), 0.4 / k)
                              : std::pow(now, -1 / k);
    const double next = std::clamp(kSafety * factor, kLeastFactor, kMostFactor);
    return next < kLowersFrom || next > kRaisesFrom ? next : 1;
}

double retry_factor(double error, int error_order) {
    if (!std::isfinite(error)) return kLeastFactor;
    return std::clamp(kSafety * std::pow(error, -1.0 / (error_order + 1)), kLeastFactor, kSafety);
}

}  // namespace stencil
