// The table of time integrators.
#include "sim/model/step/stages.h"
#include "sim/text/names.h"

namespace stencil::equation {

const std::vector<StepperRow>& steppers() {
    using enum SteppingScheme;
    static const std::vector<StepperRow> rows{
        {euler, "euler", "One evaluation a step, error proportional to dt"},
        {heun, "heun", "Two evaluations a step, error proportional to dt^2 (Heun 1900)"},
        {rk4, "rk4", "Four evaluations a step, error proportional to dt^4 (Kutta 1901)"},
        {symplectic,
         "symplectic",
         "Components one after the other, each by the newest values: leapfrog for waves"},
        {imex,
         "imex",
         "Two evaluations a step, the linear part solved for by transforms: large steps where it is stiff, "
         "error proportional to dt^2 (Ascher, Ruuth & Spiteri 1997)"},
    };
    return rows;
}

SteppingScheme scheme_of(std::string_view name) {
    return row_named(steppers(), "stepper", name, "--stepper: ").scheme;
}

}  // namespace stencil::equation
