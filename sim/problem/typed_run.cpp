#include "sim/problem/typed_run.h"

#include "kernels/equation/operations.h"
#include "sim/text/error.h"

namespace stencil {

using namespace equation;

Shown::Shown(const TypedRun& run, const std::string& text, std::optional<Boundary> boundary)
    : plans(run.with_formula(text, boundary)) {
    const Equations& equations = plans->equations();
    const Expression& e = equations.graph[equations.extra.front()];
    if (e.op == Op::component) component = std::size_t(e.index);
}

void require_reach(const ViewProgram& view, const std::string& text, int depth) {
    const int reach = halo_rows(view.program, view.arrays.front()) + 1;
    if (reach > depth)
        throw InputError("'" + text + "' looks over " + std::to_string(reach) +
                         " rows, and processes share " + std::to_string(depth) +
                         " here: take one process alone");
}

}  // namespace stencil
