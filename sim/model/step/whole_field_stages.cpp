// The stages that solve elliptic equations and convolve fields.
#include <map>
#include <optional>
#include <set>

#include "sim/model/step/collect.h"
#include "sim/model/step/linear_part.h"
#include "sim/model/step/plan.h"

namespace stencil::equation {

// If the conditions of a solved field are inhomogeneous, its right side contains the unknown. It is read as
// zeros, whose ghost cells contribute the given values.
void StepPlan::bind_unknowns(Bindings& source, const std::vector<Node>& formulas) {
    std::set<int> equations;
    for (const Node formula : formulas)
        g_.walk(formula, [&](Node node) {
            if (g_[node].op == Op::unknown) equations.insert(g_[node].index);
        });
    for (const int equation : equations)
        source.unknowns[equation] = arrays_.add_unknown(equation, source.time);
}

void StepPlan::add_whole_fields(const std::vector<Node>& nodes, Bindings& source) {
    std::map<Node, std::vector<Node>> by_argument;  // convolutions of one field share its transform
    for (const Node node : nodes)
        if (g_[node].op == Op::solved)
            solve(node, source);
        else
            by_argument[g_[node].args[0]].push_back(node);
    for (const auto& [argument, convolutions] : by_argument) convolve(convolutions, source);
}

// Adds the stage that convolves one field with several kernels, and binds the results.
void StepPlan::convolve(const std::vector<Node>& nodes, Bindings& source) {
    const Node argument = g_[nodes.front()].args[0];
    std::vector<int> kernels;
    for (const Node node : nodes) kernels.push_back(g_[node].index);
    LinearPart part = lowered_convolutions(model_, reflections_, argument, kernels);
    const auto [entry, is_new] =
        part_of_kernels_.try_emplace({kernels, part.outside}, int(program_.linear.size()));
    if (is_new) program_.linear.push_back(std::move(part));
    if (convolved_ < 0) convolved_ = arrays_.add_insulated("convolved", reflections_.wraps());
    Lowering lowering = reading(source);
    const int value = collected(g_, lowering, {argument, g_.number(1), -1, {}, false});
    program_.stages.push_back(lowering.stage({{value, convolved_}}));
    Solve& solve = program_.stages.back().solve;
    solve = {{convolved_}, {}, entry->second};
    for (const Node node : nodes) solve.to.push_back(arrays_.stored(node, source.time));
    for (std::size_t i = 0; i < nodes.size(); ++i) source.stored[nodes[i]] = solve.to[i];
}

// Adds the stages that solve an elliptic equation, and binds its solution.
void StepPlan::solve(Node node, Bindings& source) {
    const int index = g_[node].index;
    const Node rest = g_[node].args[0];
    const auto [entry, is_new] = part_of_.try_emplace(index, int(program_.linear.size()));
    if (is_new) program_.linear.push_back(lowered_elliptic(model_, index));
    if (right_ < 0) right_ = arrays_.add_insulated("right side", reflections_.wraps());
    const int to = arrays_.stored(node, source.time);
    Lowering lowering = reading(source);
    const int value = collected(g_, lowering, {rest, g_.number(1), -1, {}, false});
    program_.stages.push_back(lowering.stage({{value, right_}}));
    program_.stages.back().solve = {{right_}, {to}, entry->second};
    source.stored[node] = to;
}

}  // namespace stencil::equation
