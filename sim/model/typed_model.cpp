// Makes a Model from a text.

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/sides.h"
#include "sim/model/stability/linearisation.h"
#include "sim/text/error.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

using namespace equation;

// The formula without its uniform factors; empty if one of them changes with time.
std::optional<Node> without_factors(const Graph& g, Node node) {
    const Expression& e = g[node];
    const bool quotient = e.op == Op::divide, product = e.op == Op::multiply;
    if (e.op == Op::negate) return without_factors(g, e.args[0]);
    if (!quotient && !product) return node;
    const std::size_t factor = quotient || g.depends(e.args[1]).uniform() ? 1 : 0;
    const Dependence& depends = g.depends(e.args[factor]);
    if (!depends.uniform() || depends.time) return std::nullopt;
    return without_factors(g, e.args[1 - factor]);
}

std::optional<Boundary> boundary_of(Graph& g, const Conditions& sides) {
    for (const BoundaryRow& row : kBoundaries) {
        const Condition all = *condition_of_word(g, row.name);
        if (std::ranges::all_of(sides, [&](const Condition& side) { return side == all; }))
            return row.boundary;
    }
    return std::nullopt;
}

// Whether the model is du/dt = D lap(u) with constant, uniform D.
bool is_diffusion(Equations& equations) {
    Graph& g = equations.graph;
    if (equations.components.size() != 1 || equations.inside || !equations.elliptic.empty()) return false;
    const Evolving& u = equations.components.front();
    const auto core = without_factors(g, u.formula);
    return u.rate && core && *core == g.make(Op::laplacian, {g.leaf(Op::component)}) &&
           boundary_of(g, u.sides).has_value();
}

// The rate of the checkerboard mode is -8 D / spacing^2 (unit spacing here).
double diffusivity_of(const Equations& equations, std::span<const double> values) {
    UniformState state;
    state.components = {0};
    state.parameters.assign(values.begin(), values.end());
    const Node formula = equations.components.front().formula;
    const double pi = std::numbers::pi;
    return Linearisation(equations, {formula}, state).at(pi, pi)(0, 0).real() / -8;
}

std::shared_ptr<const Model> compile(const std::string& text,
                                     const std::string& name,
                                     const std::vector<std::string>& notes) {
    auto equations = std::make_shared<Equations>(read_equations(text));
    if (!equations->show.empty()) read_equations(text, {equations->show});
    equations->notes.insert(equations->notes.begin(), notes.begin(), notes.end());
    auto model = std::make_shared<Model>();
    model->name = !name.empty() ? name : !equations->title.empty() ? equations->title : "typed";
    model->help = !equations->about.empty() ? equations->about : equations->title;
    model->text = text;
    model->parameters = equations->parameters;
    const auto all = boundary_of(equations->graph, equations->components.front().sides);
    model->boundary = all.value_or(Boundary::zero);
    const auto has_it = [&](const auto& each) { return boundary_of(equations->graph, each.sides) == all; };
    const auto is_held = [](const Evolving& c) { return c.held != decltype(c.held){}; };
    model->uniform_boundary = all && std::ranges::none_of(equations->components, is_held) &&
                              std::ranges::all_of(equations->components, has_it) &&
                              std::ranges::all_of(equations->elliptic, has_it);
    for (const Evolving& component : equations->components) model->components.push_back({component.name});
    if (is_diffusion(*equations))
        model->diffusivity = [equations](std::span<const double> values) {
            return diffusivity_of(*equations, values);
        };
    model->equations = equations;
    return model;
}

}  // namespace

std::shared_ptr<const Model> model_of_text(const std::string& text,
                                           const std::string& name,
                                           std::vector<std::string> notes) {
    const bool reads_files = text.find("table(") != text.npos;
    if (!notes.empty() || reads_files) return compile(text, name, notes);
    static std::mutex mutex;
    static std::map<std::pair<std::string, std::string>, std::weak_ptr<const Model>> in_use;
    {
        const std::lock_guard lock(mutex);
        std::erase_if(in_use, [](const auto& each) { return each.second.expired(); });
        const auto known = in_use.find({text, name});
        if (known != in_use.end())
            if (auto model = known->second.lock()) return model;
    }
    auto model = compile(text, name, notes);
    const std::lock_guard lock(mutex);
    in_use[{text, name}] = model;
    static std::array<std::shared_ptr<const Model>, 4> newest;  // a sweep makes the same one again and again
    std::ranges::rotate(newest, newest.begin() + 1);
    newest.back() = model;
    return model;
}

std::span<const Preset> presets() {
    return embedded_models();
}

const Preset* find_preset(std::string_view name) {
    const auto row = std::ranges::find(presets(), name, &Preset::name);
    return row == presets().end() ? nullptr : &*row;
}

bool is_preset(const Model& model) {
    const Preset* preset = find_preset(model.name);
    return preset && preset->text == model.text;
}

std::shared_ptr<const Model> find_model(std::string_view name) {
    const Preset* preset = find_preset(name);
    if (!preset) throw InputError(Given{"model"}, unknown_name_message("model", name, names_of(presets())));
    return model_of_text(std::string(preset->text), std::string(name));
}

}  // namespace stencil
