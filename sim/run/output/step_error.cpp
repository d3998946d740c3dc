#include "sim/run/output/step_error.h"

#include <algorithm>

#include "sim/model/equations.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {

void require_comparable(const RunSpec& spec) {
    const auto* equations = spec.model->equations.get();
    if (spec.model->built_in)
        throw InputError("--compare dt/2: diffusion has no time step here; type du/dt = D*lap(u)");
    for (const auto& component : equations->components) {
        if (!component.rate) throw InputError("--compare dt/2: the model gives the next value outright");
        if (equations->graph.depends(component.formula).random)
            throw InputError("--compare dt/2: the model's random numbers differ from step to step");
    }
    if (!spec.edits.empty()) throw InputError("--compare dt/2: the run has changes on its way (--at)");
}

std::vector<std::pair<std::string, double>> step_errors(Simulation& run) {
    RunSpec spec = run.spec();
    spec.dt = format_real(spec.time_step() / 2);
    spec.every = spec.checkpoint = 0;
    check_solver_memory(spec, query_machine());
    Simulation half(spec, run.start());
    half.apply(Advance{2 * run.step()});
    std::vector<std::pair<std::string, double>> errors;
    for (const Component& component : spec.model->components) {
        run.solver().set_base(half.solver(), component.name);
        const double norm = run.solver().norm(Quantity::base);
        const double difference = run.solver().norm({component.name, Quantity::difference});
        errors.emplace_back(component.name, norm > 0 ? difference / norm : 0);
    }
    return errors;
}

}  // namespace stencil
