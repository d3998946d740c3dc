// The programs of a model: a time step, the initial state, and formulas of the state.
#pragma once

#include <functional>
#include <vector>

#include "kernels/equation/program.h"
#include "sim/model/equations.h"
#include "sim/model/step/integrators.h"

namespace stencil::equation {

/// Plans one step of the equations by an integrator. `dt` decides only how increments are rounded. With
/// `errors` the program estimates the error of the step beside it: by each component, relative to 1 + |u|;
/// the step has the same bits. Throws InputError if the integrator cannot step the equations.
Program make_program(
    const Equations& equations, const Integrator& scheme, bool float64, double dt = 1, bool errors = false);

/// A program that fills the arrays with the initial state, ignoring their contents. Components without an
/// initial value are 0.
Program make_start_program(const Equations& equations, bool float64);

/// Evaluates formulas of the state without changing it; `arrays` hold the results after the step.
struct ViewProgram {
    Program program;
    std::vector<int> arrays;
};
ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64);

/// The intermediates to materialise so that every stage reaches one cell, arguments before users. Chooses the
/// cheaper of two plans: store all arguments of operators that reach too far, or all operators within them;
/// where `can_store` refuses an argument, the operators in it.
using CanStore = std::function<bool(Node)>;
std::vector<Node> find_cut(
    const Graph& graph, const std::vector<Node>& roots, const CanStore& can_store = [](Node) {
        return true;
    });

/// The formulas of x and y (and parameters) that are cheaper to precompute than to evaluate wherever `roots`
/// and `stored` read them. Those read diagonally are left out unless arrays have valid `corners`.
std::vector<Node> find_coefficients(const Graph& graph,
                                    const std::vector<Node>& roots,
                                    const std::vector<Node>& stored,
                                    bool corners);

}  // namespace stencil::equation
