#include "sim/run/keep_choices.h"

#include <algorithm>
#include <tuple>

#include "sim/model/equations.h"

namespace stencil {
namespace {

using equation::Equations;

bool starts_in_text(const Equations& text, std::string_view component) {
    const auto row = std::ranges::find(text.components, component, &equation::Evolving::name);
    return row == text.components.end() || row->initial;
}

// Restores initial conditions of components for which neither text has one.
void keep_starts(RunSpec& spec, const RunSpec& before) {
    const Equations &now = *spec.model->equations, &old = *before.model->equations;
    for (std::size_t c = 0; c < before.model->components.size(); ++c) {
        const std::string& name = before.model->components[c].name;
        if (starts_in_text(now, name) || starts_in_text(old, name)) continue;
        const auto given = before.initials.find(name);
        const std::string what = c == 0                           ? before.initial
                                 : given == before.initials.end() ? ""
                                                                  : given->second;
        if (what.empty()) continue;
        if (spec.model->components.front().name == name)
            spec.initial = what;
        else
            spec.initials[name] = what;
    }
    if (spec.initial == before.initial) spec.initial_hash = before.initial_hash;
}

void keep_parameters(RunSpec& spec, const RunSpec& before) {
    for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
        const ModelParameter& row = spec.model->parameters[i];
        const auto old = before.model->index_of(row.name);
        if (old && before.model->parameters[*old].value == row.value)
            spec.parameters[i] = before.parameters[*old];
    }
}

}  // namespace

void keep_choices(RunSpec& spec, const RunSpec& before) {
    if (before.model->built_in) return;
    const Equations &now = *spec.model->equations, &old = *before.model->equations;
    keep_parameters(spec, before);
    keep_starts(spec, before);
    if (now.dt && now.dt == old.dt) spec.dt = before.dt;
    if (now.size == old.size) spec.size = before.size;
    if (now.steps == old.steps) spec.steps = before.steps;
    if (!before.stepper.empty()) spec.stepper = before.stepper;
    if (now.spacing == old.spacing) spec.dx = before.dx;
    RunSpec own = before;
    own.use_model(before.model);
    const auto sides = [](const RunSpec& s) { return std::pair(s.boundary, s.boundary_as_typed); };
    if (sides(own) == sides(spec)) std::tie(spec.boundary, spec.boundary_as_typed) = sides(before);
}

}  // namespace stencil
