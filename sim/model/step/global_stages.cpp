// The stages that compute global values, such as mean(u).
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "kernels/equation/global_values.h"
#include "sim/model/step/plan.h"

namespace stencil::equation {
namespace {

Reduction::Kind kind_of(Op op) {
    using enum Reduction::Kind;
    return op == Op::mean ? mean : op == Op::total ? sum : op == Op::least ? minimum : maximum;
}

}  // namespace

// Finds the global values in formulas and conditions.
void StepPlan::find_globals() {
    const auto add = [&](const Condition& side) {
        for (const Node part : {side.value, side.flux, side.right}) globals_.add(g_, part);
    };
    for (const Evolving& c : model_.components) {
        std::ranges::for_each(c.sides, add);
        if (c.edge) add(*c.edge);
        for (const auto& held : c.held)
            if (held) globals_.add(g_, *held);
    }
    for (const Defined& d : model_.definitions) {
        for (const auto& side : d.sides)
            if (side) add(*side);
        if (d.edge) add(*d.edge);
    }
    globals_of_sides_ = globals_.count() > 0;
    for (const Node formula : formulas()) globals_.add(g_, formula);
}

// Adds the stages that compute the global values. Those whose arguments read no neighbours come first, since
// the conditions at the sides may need them. The stage that counts the cells inside is added to `counting`.
void StepPlan::add_globals(std::vector<Stage>& counting) {
    std::map<Node, int> depths;
    int sides = 0, deepest = 0;
    for (const bool near : {true, false})
        for (const auto& [node, index] : globals_.indices()) {
            int most = 0, depth = 0;
            g_.walk(g_[node].args[0], [&](Node part) {
                most = std::max(most, g_.radius(part));
                if (is_global(g_[part].op)) depth = std::max(depth, depths[part]);
            });
            if ((most == 0) != near) continue;
            depths[node] = std::max(depth + 1, near ? 0 : sides + 1);
            deepest = std::max(deepest, depths[node]);
            if (near && globals_of_sides_) sides = deepest;
        }
    const std::size_t first = program_.stages.size();
    for (int depth = 1; depth <= deepest; ++depth) {
        std::vector<Node> nodes;
        for (const auto& [node, own] : depths)
            if (own == depth) nodes.push_back(node);
        add_stage_of_globals(nodes, counting);
    }
    for (std::size_t i = first; i < program_.stages.size(); ++i) program_.stages[i].of_globals = true;
}

void StepPlan::add_stage_of_globals(const std::vector<Node>& nodes, std::vector<Stage>& counting) {
    std::vector<Node> formulas;
    for (const Node node : nodes) {
        const Reduction::Kind kind = kind_of(g_[node].op);
        Node formula = g_[node].args[0];
        if (model_.inside) {
            if (kind == Reduction::Kind::mean && cells_inside_ < 0) count_inside(counting);
            formula = g_.make(Op::select, {*model_.inside, formula, g_.number(neutral_of(kind))});
        }
        formulas.push_back(formula);
    }
    Lowering lowering = reading(prepare(formulas, present(), 0));
    std::vector<Output> outputs;
    std::vector<Reduction> reductions;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        outputs.push_back({lowering.value(formulas[i]), scratch(i)});
        reductions.push_back(
            {kind_of(g_[nodes[i]].op), scratch(i), globals_.index_of(nodes[i]), cells_inside_});
    }
    program_.stages.push_back(lowering.stage(outputs));
    program_.stages.back().reductions = std::move(reductions);
}

void StepPlan::count_inside(std::vector<Stage>& stages) {
    cells_inside_ = globals_.add();
    const Node flag = g_.make(Op::select, {*model_.inside, g_.number(1), g_.number(0)});
    Lowering lowering = reading({present(), data_, {}, {}, 0});
    stages.push_back(lowering.stage({{lowering.value(flag), scratch(0)}}));
    stages.back().reductions = {{Reduction::Kind::sum, scratch(0), cells_inside_}};
}

// The array for the argument of the i-th global value of a stage.
int StepPlan::scratch(std::size_t i) {
    while (scratch_.size() <= i)
        scratch_.push_back(
            arrays_.add_insulated(fmt::format("summed {}", scratch_.size() + 1), reflections_.wraps()));
    return scratch_[i];
}

}  // namespace stencil::equation
