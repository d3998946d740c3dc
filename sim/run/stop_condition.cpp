#include "sim/run/stop_condition.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/model/ending.h"
#include "sim/model/equations.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// The condition as a formula. "steady:E" compares the largest |rate| of each component.
std::string condition_formula(const Model& model, const std::string& condition) {
    const auto bound = steady_bound(condition);
    if (!bound) return condition;
    std::string formula;
    for (const equation::Evolution& one : equation::read_statements(model.text).evolutions) {
        if (!one.rate)
            throw InputError(
                Given{"until", condition}, "{} has no rate: the text gives its next value", one.component);
        formula += fmt::format(
            "{}max(abs({})) < {}", formula.empty() ? "" : " and ", equation::to_text(one.formula), *bound);
    }
    return formula;
}

}  // namespace

void require_whole_field_value(const Model& model, const std::string& formula, const Given& given) {
    const auto read = equation::read_equations(model.text, {formula});
    if (!read.graph.depends(read.extra.front()).uniform())
        throw InputError(given,
                         "differs from cell to cell: take max(...), min(...), mean(...) or integral(...)");
}

void require_condition(const Model& model, const std::string& condition) {
    if (condition.empty()) return;
    const std::string formula = condition_formula(model, condition);
    if (steady_bound(condition))
        for (const equation::Evolving& component : model.equations->components)
            if (model.equations->graph.depends(component.formula).random)
                throw InputError(
                    Given{"until", condition}, "{} has noise, which is never steady", component.name);
    require_whole_field_value(model, formula, Given{"until", quotable(condition)});
}

long long next_look(long long step) {
    const long long stride = step < 100 ? 1 : step < 1000 ? 10 : 100;
    return step - step % stride + stride;
}

// A scheduled change may have given the run another model.
void StopCondition::look(Simulation& simulation) {
    if (model_ != simulation.now().model) {
        require_condition(*simulation.now().model, condition_);
        model_ = simulation.now().model;
        formula_ = condition_formula(*model_, condition_);
    }
    const double value = simulation.solver().sample(formula_, {{{0.5, 0.5}}}, false).front();
    met_ = std::isfinite(value) && value != 0;
}

void StopCondition::begin(Simulation& simulation) {
    const long long step = simulation.step();
    if (!condition_.empty() && (step == 0 || next_look(step - 1) == step)) look(simulation);
}

Observer StopCondition::observer() {
    return {[this](const RunClock& clock) { return condition_.empty() ? Due{} : Due{next_look(clock.step)}; },
            [this](Simulation& simulation) { look(simulation); }};
}

}  // namespace stencil
