#include "sim/run/problem.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

std::size_t index_in(const Model& model, std::string_view name) {
    if (const auto index = model.index_of(name)) return *index;
    throw InputError(unknown_name_message("parameter", name, names_of(model.parameters)));
}

}  // namespace

StepParameters Problem::params() const {
    StepParameters all{{0, boundary}, parameters, time_step()};
    if (!is_general()) all.coefficient = model->diffusivity(parameters) * all.dt / (spacing() * spacing());
    return all;
}

double Problem::spacing() const {
    return dx > 0 ? dx : model->equations->spacing;
}

double Problem::time_step() const {
    return model->built_in ? *model->equations->dt : read_real(dt).value_or(0);
}

std::string Problem::integrator() const {
    return stepper.empty() ? model->equations->stepper : stepper;
}

equation::SteppingScheme Problem::scheme() const {
    return equation::scheme_of(integrator());
}

bool Problem::is_general() const {
    return !model->diffusivity || scheme() != equation::SteppingScheme::euler;
}

std::size_t component_index(const Model& model, std::string_view name) {
    if (name.empty()) return 0;
    const auto found = std::ranges::find(model.components, name, &Component::name);
    if (found == model.components.end())
        throw InputError(unknown_name_message("component", name, names_of(model.components)));
    return std::size_t(found - model.components.begin());
}

std::string_view boundary_text(const Problem& spec) {
    return spec.boundary_as_typed ? kAsTyped : name_of(spec.boundary);
}

double Problem::parameter(std::string_view name) const {
    return parameters[index_in(*model, name)];
}

void Problem::set_parameter(std::string_view name, double value) {
    const std::size_t index = index_in(*model, name);
    if (model->parameters[index].positive && value <= 0) {
        const bool bounded = model->stable && model->stable->parameter == name;
        throw InputError(fmt::format("--{} {}: must be above 0{}",
                                     name,
                                     value,
                                     bounded ? fmt::format(" and at most {}", stability()->largest) : ""));
    }
    parameters[index] = value;
}

std::optional<Problem::Bound> Problem::stability() const {
    if (!model->stable) return std::nullopt;
    const std::size_t index = index_in(*model, model->stable->parameter);
    return Bound{&model->parameters[index], parameters[index], model->stable->largest(parameters)};
}

std::string parameter_text(const Problem& spec) {
    std::string text;
    for (std::size_t i = 0; i < spec.parameters.size(); ++i)
        text +=
            fmt::format("{}{} {}", i == 0 ? "" : ", ", spec.model->parameters[i].name, spec.parameters[i]);
    return text;
}

}  // namespace stencil
