#include "sim/model/step/stages.h"

#include "sim/model/step/plan.h"

namespace stencil::equation {

Program make_program(
    const Equations& equations, const Integrator& scheme, bool float64, double dt, bool errors) {
    return StepPlan(equations, scheme, float64, dt, errors).plan();
}

ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64) {
    return StepPlan(equations, SteppingScheme::euler, float64).plan_view(formulas);
}

Program make_start_program(const Equations& equations, bool float64) {
    return StepPlan(equations, SteppingScheme::euler, float64).plan_start();
}

}  // namespace stencil::equation
