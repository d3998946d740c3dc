#include "sim/problem/planned_equations.h"

#include <utility>

namespace stencil {

using equation::Equations;
using equation::Evolving;
using equation::Node;
using equation::Op;
using equation::Program;
using equation::ViewProgram;

std::shared_ptr<const Program> PlannedEquations::step(
    const equation::Integrator& scheme, bool float64, double dt, bool errors, bool fast) const {
    return steps_.get({scheme, float64, equation::rounds_increments(float64, dt), errors, fast}, [&] {
        return std::make_shared<Program>(make_program(equations_, scheme, float64, dt, errors, fast));
    });
}

std::shared_ptr<const ViewProgram> PlannedEquations::view(bool laplacian, bool float64) const {
    return views_.get({laplacian, float64}, [&] {
        const Node formula = equations_.extra.front();
        if (!laplacian)
            return std::make_shared<ViewProgram>(make_view_program(equations_, {formula}, float64));
        Equations copy = equations_;
        const Node node = copy.graph.make(Op::laplacian, {formula});
        return std::make_shared<ViewProgram>(make_view_program(copy, {node}, float64));
    });
}

std::shared_ptr<const Program> PlannedEquations::start(const std::vector<int>& formulas) const {
    return starts_.get(formulas, [&] {
        Equations copy = equations_;
        // What is given beside the text depends on no parameter.
        for (Evolving& c : copy.components)
            if (c.tangent_of && formulas[std::size_t(*c.tangent_of)] != kOwnFormula) c.initial.reset();
        for (std::size_t c = 0; c < formulas.size(); ++c)
            if (formulas[c] >= 0) copy.components[c].initial = copy.extra[std::size_t(formulas[c])];
        return std::make_shared<Program>(make_start_program(copy, true));
    });
}

}  // namespace stencil
