#include "sim/model/model.h"

#include <algorithm>

#include "kernels/field/diffusion_params.h"
#include "sim/model/equations.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

Model diffusion() {
    Model model = *model_of_text(
        "# Diffusion, one explicit step: u <- u + coefficient * (north + south + east + west - 4 u)\n"
        "du/dt = coefficient*lap(u)\n"
        "coefficient = 0.2 in [0.0001, 0.25]\n"
        "dx = 1; dt = 1; boundary = zero; size = 2000x2000; steps = 10000\n",
        "diffusion");
    model.built_in = true;
    model.help = "heat spreads: every cell moves towards the mean of its neighbours";
    ModelParameter& coefficient = model.parameters.front();
    coefficient.symbol = "C";
    coefficient.help = "D dt / dx^2; stable up to 0.25";
    coefficient.about =
        "How much of the difference to its neighbours a cell gives or takes in one step: D dt / dx^2.";
    coefficient.positive = true;
    model.stable = StableLimit{
        "coefficient",
        kStabilityLimit,
        0.2,
        0.5,
        "in two dimensions the finest pattern, a checkerboard, grows with every step",
        "the checkerboard mode never decays and comes to dominate the Laplacian; 0.2 is free of it"};
    return model;
}

}  // namespace

std::optional<std::size_t> Model::index_of(std::string_view parameter) const {
    const auto row = std::ranges::find(parameters, parameter, &ModelParameter::name);
    if (row == parameters.end()) return std::nullopt;
    return std::size_t(row - parameters.begin());
}

bool Model::reads(const std::string& formula) const {
    if (std::ranges::find(components, formula, &Component::name) != components.end()) return true;
    const std::lock_guard lock(answers_->guard);
    const auto known = answers_->reads.find(formula);
    if (known != answers_->reads.end()) return known->second;
    bool reads = true;
    try {
        equation::read_equations(text, {formula});
    } catch (const InputError&) {
        reads = false;
    }
    return answers_->reads[formula] = reads;
}

std::span<const std::shared_ptr<const Model>> models() {
    static const std::vector<std::shared_ptr<const Model>> table{std::make_shared<Model>(diffusion())};
    return table;
}

}  // namespace stencil
