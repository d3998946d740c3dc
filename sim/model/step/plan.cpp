#include "sim/model/step/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/model/step/collect.h"
#include "sim/model/step/linear_part.h"
#include "sim/text/error.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kMostCoefficients = 16;  // more arrays would make steps memory-bound

}  // namespace

StepPlan::StepPlan(
    const Equations& equations, const Integrator& integrator, bool float64, double dt, bool errors, bool fast)
    : model_(equations),
      g_(model_.graph),
      integrator_(equations.solved_alone ? Integrator() : integrator),
      float64_(float64),
      rounds_increments_(!fast && rounds_increments(float64, dt)),
      inputs_(g_, float64),
      reflections_(model_),
      globals_(model_.parameters.size()),
      arrays_(model_, reflections_, globals_) {
    program_.fast = fast;
    for (Evolving& c : model_.components) c.formula = continued(c.formula);
    find_globals();
    components_ = int(model_.components.size());
    const IntegratorRow& row = *integrator_.row;
    program_.past = row.is_multistep ? components_ : 0;
    program_.errors = errors && row.error_order > 0 ? components_ : 0;
    program_.components = components_ + program_.past + program_.errors;
    for (int c = 0; c < components_; ++c) arrays_.add_component(c, "", 0);
    if (program_.past > 0) values(" rate before");
    if (program_.errors > 0) values(" error before");
    for (std::size_t d = 0; d < model_.data.size(); ++d)
        data_.push_back(arrays_.add_insulated(model_.data[d].file, reflections_.wraps(), int(d)));
    if (model_.inside) store_inside(stages_of_inside());
}

Program StepPlan::plan() {
    for (const Evolving& c : model_.components)
        if (!c.rate && !integrator_->steps_maps)
            throw InputError(Given{"integrator"},
                             "`{}' = ...` is a step of its own, which {} takes",
                             c.name,
                             listed_integrators([](const auto& row) { return row.steps_maps; }));
    // If components wrap differently, each reader of a coefficient decides how it wraps, so no coefficient is
    // stored.
    keeps_coefficients_ = reflections_.agree();
    for (int c = 0; c < components_; ++c) program_.next.push_back(arrays_.add_component(c, "'", 1));
    if (program_.past > 0) std::ranges::copy(values(" rate"), std::back_inserter(program_.next));
    if (program_.errors > 0) std::ranges::copy(values(" error"), std::back_inserter(program_.next));
    add_globals(stages_of_inside());
    integrator_->add_stages.value(*this);
    store_coefficients();
    return finished();
}

ViewProgram StepPlan::plan_view(std::vector<Node> formulas) {
    for (Node& formula : formulas) formula = continued(formula);
    for (const Node formula : formulas) globals_.add(g_, formula);
    for (int c = 0; c < components_; ++c) program_.next.push_back(c);
    add_globals(stages_of_inside());
    Lowering lowering = reading(prepare(formulas, present(), 0));
    std::vector<Output> outputs;
    Arrays arrays;
    for (const Node formula : formulas) {
        arrays.push_back(
            arrays_.add_insulated(fmt::format("view {}", arrays.size() + 1), reflections_.wraps()));
        outputs.push_back({lowering.value(formula), arrays.back()});
    }
    program_.stages.push_back(lowering.stage(outputs));
    return {finished(), std::move(arrays)};
}

Program StepPlan::plan_start() {
    program_.once.clear();
    program_.stages.clear();
    for (int c = 0; c < components_; ++c) program_.next.push_back(arrays_.add_component(c, "'", 0));
    std::vector<Node> starts;
    for (const Evolving& c : model_.components) starts.push_back(c.initial.value_or(g_.number(0)));
    inside_.clear();
    const int of_steps = globals_.count();
    globals_ = GlobalTable(model_.parameters.size());
    for (const Node start : starts) globals_.add(g_, start);
    add_globals(program_.stages);
    Lowering lowering = reading(prepare(starts, present(), 0));
    std::vector<Output> outputs;
    for (std::size_t c = 0; c < starts.size(); ++c)
        outputs.push_back({lowering.value(starts[c]), program_.next[c]});
    program_.stages.push_back(lowering.stage(outputs));
    Program program = finished();
    // Conditions at sides, which the initial state does not need, refer to the global values of steps.
    program.globals = std::max(program.globals, of_steps);
    return program;
}

Node StepPlan::continued(Node formula) {
    try {
        return reflections_.continued(formula);
    } catch (const Meaningless& what) {
        throw InputError(meaningless_sentence(what));
    }
}

Program StepPlan::finished() {
    inputs_.take(program_);
    program_.globals = globals_.count();
    program_.arrays = arrays_.take(program_);
    return std::move(program_);
}

std::vector<Node> StepPlan::formulas() const {
    std::vector<Node> nodes;
    for (const Evolving& c : model_.components) nodes.push_back(c.formula);
    return nodes;
}

StepPlan::Arrays StepPlan::present() const {
    Arrays arrays;
    for (int c = 0; c < components_; ++c) arrays.push_back(c);
    return arrays;
}

StepPlan::Arrays StepPlan::state_at(const std::string& suffix, double time) {
    Arrays arrays;
    for (int c = 0; c < components_; ++c) arrays.push_back(arrays_.add_component(c, suffix, time));
    return arrays;
}

StepPlan::Arrays StepPlan::state_of_stage(int number, double time) {
    Arrays arrays;
    for (int c = 0; c < components_; ++c) arrays.push_back(arrays_.add_stage(c, number, time));
    return arrays;
}

StepPlan::Arrays StepPlan::values(const std::string& suffix) {
    Arrays arrays;
    for (const Evolving& c : model_.components)
        arrays.push_back(arrays_.add_insulated(c.name + suffix, reflections_.wraps()));
    return arrays;
}

Lowering StepPlan::rates_of(const Arrays& state, double time) {
    return reading(prepare(formulas(), state, time));
}

Lowering StepPlan::rate_of_one(int c, const Arrays& state, const std::vector<double>& ahead) {
    return reading(prepare({model_.components[std::size_t(c)].formula}, state, 0, ahead));
}

void StepPlan::add_linear_parts(double share) {
    if (has_shape())
        throw InputError(Given{"integrator", integrator_->name},
                         "transforms need the whole field, and `inside` bounds it: take another integrator");
    for (ImplicitPart& each : lowered_linear_parts(model_, integrator_, share)) {
        program_.linear.push_back(std::move(each.part));
        implicit_.push_back(std::move(each.components));
    }
}

// The stages that evaluate the shape: those of a step if the shape moves, else setup stages.
std::vector<Stage>& StepPlan::stages_of_inside() {
    if (!model_.inside) return program_.once;
    const Dependence& d = g_.depends(*model_.inside);
    return d.time || d.evolving ? program_.stages : program_.once;
}

// During a step, a moving shape stays as it was at the step's start.
void StepPlan::store_inside(std::vector<Stage>& stages) {
    Lowering lowering = reading({present(), data_, {}, {}, 0});
    const Node flag = g_.make(Op::select, {*model_.inside, g_.number(1), g_.number(0)});
    std::vector<Output> outputs;
    for (const Wraps wraps : reflections_.all_wraps()) {
        inside_[wraps] = arrays_.add_insulated("inside", wraps);
        outputs.push_back({lowering.value(flag), inside_[wraps]});
    }
    stages.push_back(lowering.stage(outputs));
}

// Setup stage: computes coefficients of x and y once instead of at every step.
void StepPlan::store_coefficients() {
    if (coefficients_.empty()) return;
    Lowering lowering = reading({{}, {}, {}, {}, 0});
    std::vector<Output> outputs;
    for (const auto& [node, array] : coefficients_) outputs.push_back({lowering.value(node), array});
    program_.once.push_back(lowering.stage(outputs));
}

void StepPlan::use_coefficients(Bindings& source,
                                const std::vector<Node>& formulas,
                                const std::vector<Node>& cut) {
    // Ghost cells above and below exist for the field's own columns only, so corners need a periodic y.
    const bool corners = reflections_.wraps()[1];
    for (const Node node : find_coefficients(g_, formulas, cut, corners)) {
        if (!coefficients_.contains(node) && coefficients_.size() < kMostCoefficients)
            coefficients_[node] = arrays_.add_coefficient(node);
        if (coefficients_.contains(node)) source.stored[node] = coefficients_[node];
    }
}

// Adds the stages that materialise what `formulas` need of the state in `from`, and returns the bindings.
Bindings StepPlan::prepare(const std::vector<Node>& formulas,
                           const Arrays& from,
                           double time,
                           std::vector<double> ahead) {
    Bindings source{from, data_, {}, inside_, time, differenced(formulas), std::move(ahead), &globals_};
    const std::vector<Node> conditions = reflections_.conditions_of(formulas);
    bind_unknowns(source, formulas);
    bind_unknowns(source, conditions);
    const auto can_store = [&](Node node) { return reflections_.is_definite(node); };
    const std::vector<Node> cut = find_cut(g_, formulas, can_store, conditions);
    if (keeps_coefficients_) use_coefficients(source, formulas, cut);
    const std::vector<std::vector<Node>> levels = levels_of(cut);
    for (const auto& nodes : levels) {
        std::vector<Node> direct, whole;
        for (const Node node : nodes) (is_whole_field(g_[node].op) ? whole : direct).push_back(node);
        add_whole_fields(whole, source);
        if (direct.empty()) continue;
        Lowering lowering = reading(source);
        std::vector<Output> outputs;
        for (const Node node : direct)
            outputs.push_back(
                {collected(g_, lowering, {node, g_.number(1), first_component(g_, node), {}, false}),
                 arrays_.stored(node, time)});
        program_.stages.push_back(lowering.stage(outputs));
        for (const Node node : direct) source.stored[node] = arrays_.stored(node, time);
    }
    return source;
}

// The products that an operator reads at several cells.
std::set<Node> StepPlan::differenced(const std::vector<Node>& formulas) const {
    std::set<Node> products;
    for (const Node formula : formulas)
        g_.walk(
            formula,
            [&](Node node) {
                const Expression& e = g_[node];
                for (std::size_t i = 0; reaches_neighbours(e.op) && i < e.count; ++i)
                    if (g_[e.args[i]].op == Op::multiply) products.insert(e.args[i]);
            },
            false);
    return products;
}

// Groups the intermediates by how many others they depend on in turn. Nodes come after their arguments.
std::vector<std::vector<Node>> StepPlan::levels_of(const std::vector<Node>& cut) {
    const std::set<Node> stored(cut.begin(), cut.end());
    std::map<Node, int> known;
    const auto level_of = [&](const auto& self, Node node) -> int {
        if (const auto done = known.find(node); done != known.end()) return done->second;
        int level = 0;
        if (!is_global(g_[node].op))
            for (const Node needed : reflections_.needs(node))
                level = std::max(level, self(self, needed) + (stored.contains(needed) ? 1 : 0));
        return known[node] = level;
    };
    std::vector<std::vector<Node>> levels;
    for (const Node node : cut) {
        const auto level = std::size_t(level_of(level_of, node));
        levels.resize(std::max(levels.size(), level + 1));
        levels[level].push_back(node);
    }
    return levels;
}

int StepPlan::advanced(Lowering& lowering, int c, double factor, std::optional<int> base) {
    const Node step = g_.multiply(g_.number(factor), g_.leaf(Op::dt));
    const Node rate = model_.components[std::size_t(c)].formula;
    return collected(g_, lowering, {rate, step, c, base, rounds_increments_, program_.fast});
}

int StepPlan::rate(Lowering& lowering, int c) {
    const Node rate = model_.components[std::size_t(c)].formula;
    return collected(g_, lowering, {rate, g_.number(1), c, std::nullopt, false});
}

int StepPlan::increment(Lowering& lowering, int slope) {
    Builder& b = lowering.builder();
    const int dt = lowering.value(g_.leaf(Op::dt));
    return rounds_increments_ ? b.uncontracted_product(dt, slope) : b.multiply(dt, slope);
}

int StepPlan::added(Lowering& lowering, int c, int slope) {
    Builder& b = lowering.builder();
    return b.add(b.input(Code::load, c), increment(lowering, slope));
}

int StepPlan::kept_inside(Lowering& lowering, int value, int c) const {
    if (inside_.empty()) return value;
    Builder& b = lowering.builder();
    return b.select(b.input(Code::load, inside_.begin()->second), value, b.input(Code::load, c));
}

int StepPlan::zero_outside(Lowering& lowering, int value) const {
    if (inside_.empty()) return value;
    Builder& b = lowering.builder();
    return b.select(b.input(Code::load, inside_.begin()->second), value, b.constant(0));
}

Program make_program(
    const Equations& equations, const Integrator& scheme, bool float64, double dt, bool errors, bool fast) {
    return StepPlan(equations, scheme, float64, dt, errors, fast).plan();
}

ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64) {
    return StepPlan(equations, {}, float64).plan_view(formulas);
}

Program make_start_program(const Equations& equations, bool float64) {
    return StepPlan(equations, {}, float64).plan_start();
}

}  // namespace stencil::equation
