#include "sim/run/solvers/typed_run.h"

#include "sim/model/sides.h"
#include "sim/text/error.h"

namespace stencil {

using namespace equation;

EquationSetup equation_setup(const SolverSetup& setup) {
    EquationSetup made;
    made.nx = setup.nx;
    made.ny = setup.ny;
    made.slab = setup.slab;
    made.spacing = setup.typed->equations.spacing;
    made.dt = setup.params.dt;
    made.parameters = setup.params.values;
    made.seed = setup.typed->seed;
    made.plain = setup.method->float64_state;
    return made;
}

Shown::Shown(const TypedRun& run, const std::string& text, std::optional<Boundary> boundary)
    : equations(run.with_formula(text)) {
    if (boundary)
        for (Evolving& each : equations.components)
            each.sides.fill(*condition_of_word(equations.graph, name_of(*boundary)));
    formula = equations.extra.front();
    const Expression& e = equations.graph[formula];
    if (e.op == Op::component) component = std::size_t(e.index);
}

ViewProgram Shown::program(bool laplacian, bool float64) const {
    Equations copy = equations;
    const Node node = laplacian ? copy.graph.make(Op::laplacian, {formula}) : formula;
    return make_view_program(copy, {node}, float64);
}

void require_reach(const ViewProgram& view, const std::string& text, int depth) {
    const int reach = int(view.program.once.size() + view.program.stages.size()) + 1;
    if (reach > depth)
        throw InputError("'" + text + "' looks over " + std::to_string(reach) +
                         " rows, and processes share " + std::to_string(depth) +
                         " here: take one process alone");
}

InnerNumbers numbers_of(const Clock& clock) {
    return {{"clock_step", std::int64_t(clock.step)}, {"clock_time", clock.time}};
}

std::optional<Clock> take_clock(InnerNumbers& numbers) {
    const auto step = numbers.extract("clock_step"), time = numbers.extract("clock_time");
    if (!step || !time) return std::nullopt;
    const auto* whole = std::get_if<std::int64_t>(&step.mapped());
    const auto* real = std::get_if<double>(&time.mapped());
    if (!whole || !real) return std::nullopt;
    return Clock{*whole, *real};
}

}  // namespace stencil
