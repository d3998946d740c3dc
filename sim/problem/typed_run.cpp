#include "sim/problem/typed_run.h"

#include "kernels/equation/operations.h"
#include "sim/model/sides.h"
#include "sim/text/error.h"

namespace stencil {

using namespace equation;

Shown::Shown(const TypedRun& run, const std::string& text, std::optional<Boundary> boundary)
    : equations(run.with_formula(text)) {
    if (boundary) set_all_sides(equations, name_of(*boundary));
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
    const int reach = halo_rows(view.program, view.arrays.front()) + 1;
    if (reach > depth)
        throw InputError("'" + text + "' looks over " + std::to_string(reach) +
                         " rows, and processes share " + std::to_string(depth) +
                         " here: take one process alone");
}

}  // namespace stencil
