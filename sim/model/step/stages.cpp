#include "sim/model/step/stages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "kernels/equation/global_values.h"
#include "sim/model/step/arrays.h"
#include "sim/model/step/collect.h"
#include "sim/model/step/linear_part.h"
#include "sim/model/step/lowering.h"
#include "sim/model/step/reflections.h"
#include "sim/model/step/tableaus.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kMostCoefficients = 16;  // more arrays would make steps memory-bound

class Planner {
  public:
    Planner(const Equations& equations,
            const Integrator& scheme,
            bool float64,
            double dt = 1,
            bool errors = false)
        : model_(equations),
          g_(model_.graph),
          scheme_(scheme),
          float64_(float64),
          rounds_increments_(rounds_increments(float64, dt)),
          inputs_(g_, float64),
          reflections_(model_),
          globals_(model_.parameters.size()),
          arrays_(model_, reflections_, globals_) {
        for (Evolving& c : model_.components) c.formula = continued(c.formula);
        find_globals();
        components_ = int(model_.components.size());
        program_.past = scheme == SteppingScheme::ab2 ? components_ : 0;
        program_.errors = errors && row_of(scheme).error_order > 0 ? components_ : 0;
        program_.components = components_ + program_.past + program_.errors;
        for (int c = 0; c < components_; ++c) arrays_.add_component(c, "", 0);
        if (program_.past > 0) between(" rate before");
        if (program_.errors > 0) between(" error before");
        for (std::size_t d = 0; d < model_.data.size(); ++d)
            data_.push_back(arrays_.add_insulated(model_.data[d].file, reflections_.wraps(), int(d)));
        if (model_.inside) store_inside(stages_of_inside());
    }

    Program plan() {
        require_rates();
        // If components wrap differently, each reader of a coefficient decides how it wraps, so none is
        // stored.
        keeps_coefficients_ = reflections_.agree();
        for (int c = 0; c < components_; ++c) program_.next.push_back(arrays_.add_component(c, "'", 1));
        if (program_.past > 0) std::ranges::copy(between(" rate"), std::back_inserter(program_.next));
        if (program_.errors > 0) std::ranges::copy(between(" error"), std::back_inserter(program_.next));
        add_globals(stages_of_inside());
        switch (scheme_.scheme) {
            case SteppingScheme::euler:
                euler();
                break;
            case SteppingScheme::heun:
                heun();
                break;
            case SteppingScheme::midpoint:
                midpoint();
                break;
            case SteppingScheme::ab2:
                ab2();
                break;
            case SteppingScheme::bs32:
            case SteppingScheme::dp54:
                runge_kutta(*tableau_of(scheme_));
                break;
            case SteppingScheme::rk4:
                rk4();
                break;
            case SteppingScheme::rkl2:
                legendre(legendre_stages(scheme_.stages));
                break;
            case SteppingScheme::symplectic:
                symplectic();
                break;
            case SteppingScheme::imex:
                imex();
                break;
        }
        store_coefficients();
        return finished();
    }

    ViewProgram plan_view(std::vector<Node> formulas) {
        for (Node& formula : formulas) formula = continued(formula);
        for (const Node formula : formulas) globals_.add(g_, formula);
        for (int c = 0; c < components_; ++c) program_.next.push_back(c);
        add_globals(stages_of_inside());
        Lowering lowering(g_, inputs_, reflections_, float64_, prepare(formulas, present(), 0));
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

    Program plan_start() {
        program_.once.clear();
        program_.stages.clear();
        for (int c = 0; c < components_; ++c) program_.next.push_back(arrays_.add_component(c, "'", 0));
        std::vector<Node> starts;
        for (const Evolving& c : model_.components) starts.push_back(c.initial.value_or(g_.number(0)));
        inside_.clear();
        globals_ = GlobalTable(model_.parameters.size());
        for (const Node start : starts) globals_.add(g_, start);
        add_globals(program_.stages);
        Lowering lowering(g_, inputs_, reflections_, float64_, prepare(starts, present(), 0));
        std::vector<Output> outputs;
        for (std::size_t c = 0; c < starts.size(); ++c)
            outputs.push_back({lowering.value(starts[c]), program_.next[c]});
        program_.stages.push_back(lowering.stage(outputs));
        return finished();
    }

  private:
    using Arrays = std::vector<int>;

    Node continued(Node formula) {
        try {
            return reflections_.continued(formula);
        } catch (const Meaningless& what) {
            throw InputError(meaningless_sentence(what));
        }
    }

    Program finished() {
        inputs_.take(program_);
        program_.globals = globals_.count();
        program_.arrays = arrays_.take(program_);
        return std::move(program_);
    }

    void require_rates() const {
        if (scheme_ == SteppingScheme::euler) return;
        for (const Evolving& c : model_.components)
            if (!c.rate)
                throw InputError("--stepper: `{}' = ...` is a step of its own, which `euler` takes", c.name);
    }

    // A shape that moves is that of the step's start, for all of the step.
    void store_inside(std::vector<Stage>& stages) {
        Lowering lowering(g_, inputs_, reflections_, float64_, {present(), data_, {}, {}, 0});
        const Node flag = g_.make(Op::select, {*model_.inside, g_.number(1), g_.number(0)});
        std::vector<Output> outputs;
        for (const Wraps wraps : reflections_.all_wraps()) {
            inside_[wraps] = arrays_.add_insulated("inside", wraps);
            outputs.push_back({lowering.value(flag), inside_[wraps]});
        }
        stages.push_back(lowering.stage(outputs));
    }

    // Setup stage: computes coefficients of x and y once instead of at every step.
    void store_coefficients() {
        if (coefficients_.empty()) return;
        Lowering lowering(g_, inputs_, reflections_, float64_, {{}, {}, {}, {}, 0});
        std::vector<Output> outputs;
        for (const auto& [node, array] : coefficients_) outputs.push_back({lowering.value(node), array});
        program_.once.push_back(lowering.stage(outputs));
    }

    void use_coefficients(Bindings& source, const std::vector<Node>& formulas, const std::vector<Node>& cut) {
        // Ghost cells above and below are made for the field's own columns, so corners need a periodic y.
        const bool corners = reflections_.wraps()[1];
        for (const Node node : find_coefficients(g_, formulas, cut, corners)) {
            if (!coefficients_.contains(node) && coefficients_.size() < kMostCoefficients)
                coefficients_[node] = arrays_.add_coefficient(node);
            if (coefficients_.contains(node)) source.stored[node] = coefficients_[node];
        }
    }

    // The stages that look at the shape: those of a step if it moves, else those of the setup.
    std::vector<Stage>& stages_of_inside() {
        if (!model_.inside) return program_.once;
        const Dependence& d = g_.depends(*model_.inside);
        return d.time || d.evolving ? program_.stages : program_.once;
    }

    // Finds the global values in formulas and conditions.
    void find_globals() {
        const auto add = [&](const Condition& side) {
            for (const Node part : {side.value, side.flux, side.right}) globals_.add(g_, part);
        };
        for (const Evolving& c : model_.components) {
            std::ranges::for_each(c.sides, add);
            if (c.edge) add(*c.edge);
        }
        for (const Defined& d : model_.definitions) {
            for (const auto& side : d.sides)
                if (side) add(*side);
            if (d.edge) add(*d.edge);
        }
        globals_of_sides_ = globals_.count() > 0;
        for (const Node formula : formulas()) globals_.add(g_, formula);
    }

    // Adds the stages that make the global values. Those of conditions are made of single cells and
    // come first, since neighbours beyond the sides may need them. The number of cells inside is counted in
    // `counting`.
    void add_globals(std::vector<Stage>& counting) {
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
        for (int depth = 1; depth <= deepest; ++depth) {
            std::vector<Node> nodes;
            for (const auto& [node, own] : depths)
                if (own == depth) nodes.push_back(node);
            add_stage_of_globals(nodes, counting);
        }
    }

    void add_stage_of_globals(const std::vector<Node>& nodes, std::vector<Stage>& counting) {
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
        Lowering lowering(g_, inputs_, reflections_, float64_, prepare(formulas, present(), 0));
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

    void count_inside(std::vector<Stage>& stages) {
        cells_inside_ = globals_.add();
        const Node flag = g_.make(Op::select, {*model_.inside, g_.number(1), g_.number(0)});
        Lowering lowering(g_, inputs_, reflections_, float64_, {present(), data_, {}, {}, 0});
        stages.push_back(lowering.stage({{lowering.value(flag), scratch(0)}}));
        stages.back().reductions = {{Reduction::Kind::sum, scratch(0), cells_inside_}};
    }

    static Reduction::Kind kind_of(Op op) {
        using enum Reduction::Kind;
        return op == Op::mean ? mean : op == Op::total ? sum : op == Op::least ? minimum : maximum;
    }

    // The array that the i-th global value of a stage is made of.
    int scratch(std::size_t i) {
        while (scratch_.size() <= i)
            scratch_.push_back(
                arrays_.add_insulated(fmt::format("summed {}", scratch_.size() + 1), reflections_.wraps()));
        return scratch_[i];
    }

    // Adds the stages that materialise what `formulas` need of the state in `from`, and returns the bindings.
    Bindings prepare(const std::vector<Node>& formulas,
                     const Arrays& from,
                     double time,
                     std::vector<double> ahead = {}) {
        Bindings source{from, data_, {}, inside_, time, differenced(formulas), std::move(ahead), &globals_};
        bind_unknowns(source, formulas);
        const auto can_store = [&](Node node) { return reflections_.is_definite(node); };
        const std::vector<Node> cut = find_cut(g_, formulas, can_store);
        if (keeps_coefficients_) use_coefficients(source, formulas, cut);
        const std::vector<std::vector<Node>> levels = levels_of(cut);
        for (const auto& nodes : levels) {
            std::vector<Node> direct, solved;
            for (const Node node : nodes) (g_[node].op == Op::solved ? solved : direct).push_back(node);
            for (const Node node : solved) solve(node, source);
            if (direct.empty()) continue;
            Lowering lowering(g_, inputs_, reflections_, float64_, source);
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

    // Where the sides of a solved field are given, its argument contains the unknown: at 0 its ghost cells
    // leave their share of the right side.
    void bind_unknowns(Bindings& source, const std::vector<Node>& formulas) {
        std::set<int> equations;
        for (const Node formula : formulas)
            g_.walk(formula, [&](Node node) {
                if (g_[node].op == Op::unknown) equations.insert(g_[node].index);
            });
        for (const int equation : equations)
            source.unknowns[equation] = arrays_.add_unknown(equation, source.time);
    }

    // Adds the stages that solve an elliptic equation, and binds its solution.
    void solve(Node node, Bindings& source) {
        const int index = g_[node].index;
        const Node rest = g_[node].args[0];
        const auto [entry, is_new] = part_of_.try_emplace(index, int(program_.linear.size()));
        if (is_new) program_.linear.push_back(lowered_elliptic(model_, index));
        const LinearPart& part = program_.linear[std::size_t(entry->second)];
        if (right_ < 0) right_ = arrays_.add_insulated("right side", reflections_.wraps());
        const int to = arrays_.stored(node, source.time);
        const auto sign = sign_of(part);
        const auto signed_value = [&](Lowering& lowering, int value) {
            return sign ? lowering.builder().multiply(lowering.value(*sign), value) : value;
        };
        Lowering lowering(g_, inputs_, reflections_, float64_, source);
        const int value = collected(g_, lowering, {rest, g_.number(1), -1, {}, false});
        program_.stages.push_back(lowering.stage({{signed_value(lowering, value), right_}}));
        if (sign && signed_ < 0) signed_ = arrays_.add_insulated("solution", reflections_.wraps());
        program_.stages.back().solve = {{right_}, {sign ? signed_ : to}, entry->second};
        if (sign) {
            Lowering back(g_, inputs_, reflections_, float64_, source);
            const int solution = back.builder().input(Code::load, signed_);
            program_.stages.push_back(back.stage({{signed_value(back, solution), to}}));
        }
        source.stored[node] = to;
    }

    // (-1)^i along the axes where the part has it.
    std::optional<Node> sign_of(const LinearPart& part) {
        std::optional<Node> sign;
        for (const bool along_x : {true, false}) {
            if (!(along_x ? part.signed_x : part.signed_y)) continue;
            const Node place = g_.divide(g_.leaf(along_x ? Op::x : Op::y), g_.leaf(Op::spacing));
            const Node half = g_.multiply(g_.number(0.5), g_.make(Op::floor, {place}));
            const Node even = g_.make(Op::equal, {g_.make(Op::floor, {half}), half});
            const Node own = g_.make(Op::select, {even, g_.number(1), g_.number(-1)});
            sign = sign ? g_.multiply(*sign, own) : own;
        }
        return sign;
    }

    // The products that an operator reads at several cells.
    std::set<Node> differenced(const std::vector<Node>& formulas) const {
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
    std::vector<std::vector<Node>> levels_of(const std::vector<Node>& cut) const {
        std::vector<bool> stored(g_.size());
        for (const Node node : cut) stored[node] = true;
        std::vector<int> level(g_.size());
        for (Node node = 0; node < g_.size(); ++node)
            for (int i = 0; i < g_[node].count && !is_global(g_[node].op); ++i) {
                const Node argument = g_[node].args[std::size_t(i)];
                level[node] = std::max(level[node], level[argument] + (stored[argument] ? 1 : 0));
            }
        std::vector<std::vector<Node>> levels;
        for (const Node node : cut) {
            levels.resize(std::max(levels.size(), std::size_t(level[node]) + 1));
            levels[std::size_t(level[node])].push_back(node);
        }
        return levels;
    }

    std::vector<Node> formulas() const {
        std::vector<Node> nodes;
        for (const Evolving& c : model_.components) nodes.push_back(c.formula);
        return nodes;
    }

    Arrays present() const {
        Arrays arrays;
        for (int c = 0; c < components_; ++c) arrays.push_back(c);
        return arrays;
    }

    // Adds the stage that writes combine(lowering, c) for each component c.
    template <class Combine>
    void finish_stage(const Bindings& source, const Arrays& to, Combine&& combine) {
        Lowering lowering(g_, inputs_, reflections_, float64_, source);
        std::vector<Output> outputs;
        for (int c = 0; c < components_; ++c) {
            const int value = combine(lowering, c);
            outputs.push_back({kept_inside(lowering, value, c), to[std::size_t(c)]});
        }
        program_.stages.push_back(lowering.stage(outputs));
    }

    // Cells outside of `inside` keep their value.
    int kept_inside(Lowering& lowering, int value, int c) const {
        if (inside_.empty()) return value;
        Builder& b = lowering.builder();
        return b.select(b.input(Code::load, inside_.begin()->second), value, b.input(Code::load, c));
    }

    // The value of component c, base + factor * dt * rate; without a base, the increment alone.
    int advanced(Lowering& lowering, int c, double factor, std::optional<int> base) {
        const Node step = g_.multiply(g_.number(factor), g_.leaf(Op::dt));
        const Node rate = model_.components[std::size_t(c)].formula;
        return collected(g_, lowering, {rate, step, c, base, rounds_increments_});
    }

    void euler() {
        const Bindings source = prepare(formulas(), present(), 0);
        finish_stage(source, program_.next, [&](Lowering& l, int c) {
            const Evolving& component = model_.components[std::size_t(c)];
            return component.rate ? advanced(l, c, 1, c) : l.value(component.formula);
        });
    }

    Arrays middle(const std::string& suffix, double time) {
        Arrays arrays;
        for (int c = 0; c < components_; ++c) arrays.push_back(arrays_.add_component(c, suffix, time));
        return arrays;
    }

    void heun() {
        const Arrays one = middle("1", 1);
        finish_stage(
            prepare(formulas(), present(), 0), one, [&](Lowering& l, int c) { return advanced(l, c, 1, c); });
        finish_stage(prepare(formulas(), one, 1), program_.next, [&](Lowering& l, int c) {
            Builder& b = l.builder();
            const int two = advanced(l, c, 1, one[std::size_t(c)]);
            return b.multiply(b.constant(0.5), b.add(b.input(Code::load, c), two));
        });
    }

    // Writes the step's start + factor * dt * the rates of the state in `from`, which is at its own time.
    void add_increment(const Arrays& from, double time, const Arrays& to, double factor) {
        finish_stage(prepare(formulas(), from, time), to, [&](Lowering& l, int c) {
            return advanced(l, c, factor, c);
        });
    }

    void midpoint() {
        const Arrays half = middle("2", 0.5);
        add_increment(present(), 0, half, 0.5);
        add_increment(half, 0.5, program_.next, 1);
    }

    // Saves arrays by keeping no rates: with d_k the increments to the stage states, the step adds (d_2 + 2
    // d_3 + d_4) / 3 + dt rate_4 / 6.
    void rk4() {
        const Arrays two = middle("2", 0.5), three = middle("3", 0.5), four = middle("4", 1);
        add_increment(present(), 0, two, 0.5);
        add_increment(two, 0.5, three, 0.5);
        add_increment(three, 0.5, four, 1);
        finish_stage(prepare(formulas(), four, 1), program_.next, [&](Lowering& l, int c) {
            Builder& b = l.builder();
            const auto load = [&](const Arrays& arrays) {
                return b.input(Code::load, arrays[std::size_t(c)]);
            };
            const int start = b.input(Code::load, c);
            const auto change = [&](const Arrays& arrays) { return b.subtract(load(arrays), start); };
            const int changes = b.fma(b.constant(2), change(three), b.add(change(two), change(four)));
            const int rate = advanced(l, c, 1.0 / 6, std::nullopt);
            return b.add(start, b.fma(b.constant(1.0 / 3), changes, rate));
        });
    }

    // The rate of component c, for integrators that keep rates.
    int rate_of(Lowering& lowering, int c) {
        const Node rate = model_.components[std::size_t(c)].formula;
        return collected(g_, lowering, {rate, g_.number(1), c, std::nullopt, false});
    }

    // dt * slope, for integrators that keep rates.
    int increment(Lowering& lowering, int slope) {
        Builder& b = lowering.builder();
        const int dt = lowering.value(g_.leaf(Op::dt));
        return rounds_increments_ ? b.uncontracted_product(dt, slope) : b.multiply(dt, slope);
    }

    // The value of component c at the step's start + dt * slope.
    int added(Lowering& lowering, int c, int slope) {
        Builder& b = lowering.builder();
        return b.add(b.input(Code::load, c), increment(lowering, slope));
    }

    // The slope (1 + w/2) f - w/2 f_before, where w is dt over that of the step before, is the rate halfway
    // through a step of any length. Without a step before, w is 0: an Euler step, whose error of order dt^2
    // is made once.
    void ab2() {
        Lowering lowering(g_, inputs_, reflections_, float64_, prepare(formulas(), present(), 0));
        Builder& b = lowering.builder();
        const Node half = g_.multiply(g_.number(0.5), g_.leaf(Op::past));
        std::vector<Output> outputs;
        for (int c = 0; c < components_; ++c) {
            const int rate = rate_of(lowering, c), before = b.input(Code::load, components_ + c);
            // Rates from before a new start may be no numbers, so they are no factors of 0.
            const int kept = b.select(lowering.value(half), before, b.constant(0));
            const int newer = b.multiply(lowering.value(g_.add(g_.number(1), half)), rate);
            const int slope = b.make(Code::fnma, lowering.value(half), kept, newer);
            outputs.push_back(
                {kept_inside(lowering, added(lowering, c, slope), c), program_.next[std::size_t(c)]});
            outputs.push_back({rate, program_.next[std::size_t(components_ + c)]});
        }
        program_.stages.push_back(lowering.stage(outputs));
    }

    // Each stage writes its rates, if a later one needs them, and the next one's state.
    void runge_kutta(const Tableau& tableau) {
        const std::size_t count = tableau.weights.size();
        std::vector<Arrays> rates;
        Arrays state = present();
        for (std::size_t i = 0; i < count; ++i) {
            Lowering lowering(
                g_, inputs_, reflections_, float64_, prepare(formulas(), state, tableau.node(i)));
            const bool last = i + 1 == count;
            const std::vector<double>& weights = tableau.row(i + 1);
            const bool keeps = !last || program_.errors > 0;
            if (keeps) rates.push_back(between(fmt::format(" rate {}", i + 1)));
            for (int c = 0; last ? false : c < components_; ++c)
                state[std::size_t(c)] = arrays_.add_stage(c, int(i % 2), tableau.node(i + 1));
            if (last) state = program_.next;
            std::vector<Output> outputs;
            for (int c = 0; c < components_; ++c) {
                const int rate = rate_of(lowering, c);
                if (keeps) outputs.push_back({rate, rates[i][std::size_t(c)]});
                const int slope = weighted(lowering, weights, rates, c, rate);
                outputs.push_back(
                    {kept_inside(lowering, added(lowering, c, slope), c), state[std::size_t(c)]});
            }
            program_.stages.push_back(lowering.stage(outputs));
        }
        if (program_.errors > 0) estimate_errors(tableau, rates);
    }

    // The difference from the embedded scheme, relative to 1 + |u| before or after the step. A stage of its
    // own leaves the step as it is without.
    void estimate_errors(const Tableau& tableau, const std::vector<Arrays>& rates) {
        Lowering lowering(g_, inputs_, reflections_, float64_, prepare(formulas(), stepped(), 1));
        Builder& b = lowering.builder();
        std::vector<Output> outputs;
        for (int c = 0; c < components_; ++c) {
            const int slope = weighted(lowering, tableau.errors, rates, c, rate_of(lowering, c));
            const int error = b.multiply(lowering.value(g_.leaf(Op::dt)), slope);
            const int before = b.make(Code::abs, b.input(Code::load, c));
            const int after = b.make(Code::abs, b.input(Code::load, program_.next[std::size_t(c)]));
            const int size = b.add(b.constant(1), b.make(Code::maximum, before, after));
            int relative = b.make(Code::divide, error, size);
            if (!inside_.empty())
                relative = b.select(b.input(Code::load, inside_.begin()->second), relative, b.constant(0));
            outputs.push_back({relative, program_.next[std::size_t(components_ + program_.past + c)]});
        }
        program_.stages.push_back(lowering.stage(outputs));
    }

    // The components after the step.
    Arrays stepped() const { return {program_.next.begin(), program_.next.begin() + components_}; }

    // The weighted sum of earlier stages' rates and of the newest one.
    static int weighted(Lowering& lowering,
                        const std::vector<double>& weights,
                        const std::vector<Arrays>& rates,
                        int c,
                        int newest) {
        Builder& b = lowering.builder();
        int sum = -1;
        for (std::size_t j = 0; j < weights.size(); ++j) {
            if (weights[j] == 0) continue;
            const int rate = j + 1 < weights.size() ? b.input(Code::load, rates[j][std::size_t(c)]) : newest;
            const int weight = b.constant(weights[j]);
            sum = sum < 0 ? b.multiply(weight, rate) : b.fma(weight, rate, sum);
        }
        return sum;
    }

    // States of three stages are kept at a time, and the rates at the step's start. All sums are of changes,
    // so that a state at rest stays at rest.
    void legendre(const std::vector<LegendreStage>& stages) {
        const Arrays first = between(" rate 1");
        Arrays before = present(), state = present();
        for (std::size_t j = 0; j < stages.size(); ++j) {
            const LegendreStage& stage = stages[j];
            const double time = j > 0 ? stages[j - 1].node : 0;
            Lowering lowering(g_, inputs_, reflections_, float64_, prepare(formulas(), state, time));
            Builder& b = lowering.builder();
            Arrays to = program_.next;
            for (int c = 0; c < components_ && j + 1 < stages.size(); ++c)
                to[std::size_t(c)] = arrays_.add_stage(c, int(j % 3), stage.node);
            std::vector<Output> outputs;
            for (int c = 0; c < components_; ++c) {
                const int start = b.input(Code::load, c), rate = rate_of(lowering, c);
                int slope = b.multiply(b.constant(stage.rate), rate);
                if (j == 0)
                    outputs.push_back({rate, first[std::size_t(c)]});
                else
                    slope = b.fma(b.constant(stage.start), b.input(Code::load, first[std::size_t(c)]), slope);
                int change = increment(lowering, slope);
                const auto add_change = [&](double weight, const Arrays& of) {
                    const int since = b.subtract(b.input(Code::load, of[std::size_t(c)]), start);
                    change = b.fma(b.constant(weight), since, change);
                };
                if (j > 1) add_change(stage.nu, before);
                if (j > 0) add_change(stage.mu, state);
                outputs.push_back({kept_inside(lowering, b.add(start, change), c), to[std::size_t(c)]});
            }
            program_.stages.push_back(lowering.stage(outputs));
            before = std::exchange(state, to);
        }
    }

    void symplectic() {
        Arrays state = present();
        std::vector<double> ahead(state.size());
        for (const int c : in_turn()) {
            const Node formula = model_.components[std::size_t(c)].formula;
            Lowering lowering(g_, inputs_, reflections_, float64_, prepare({formula}, state, 0, ahead));
            const int value = kept_inside(lowering, advanced(lowering, c, 1, c), c);
            program_.stages.push_back(lowering.stage({{value, program_.next[std::size_t(c)]}}));
            state[std::size_t(c)] = program_.next[std::size_t(c)];
            ahead[std::size_t(c)] = 1;
        }
    }

    // Tangents need the state before their component is advanced, so they are stepped first.
    std::vector<int> in_turn() const {
        std::vector<int> order;
        const auto& components = model_.components;
        for (int own = 0; own < int(components.size()); ++own) {
            if (components[std::size_t(own)].tangent_of) continue;
            for (int c = 0; c < int(components.size()); ++c)
                if (components[std::size_t(c)].tangent_of == own) order.push_back(c);
            order.push_back(own);
        }
        return order;
    }

    Arrays between(const std::string& suffix) {
        Arrays arrays;
        for (const Evolving& c : model_.components)
            arrays.push_back(arrays_.add_insulated(c.name + suffix, reflections_.wraps()));
        return arrays;
    }

    // Writes state + change, for stages that need no rate.
    void add_changed(const Arrays& change, const Arrays& to) {
        Lowering lowering(g_, inputs_, reflections_, float64_, {});
        Builder& b = lowering.builder();
        std::vector<Output> outputs;
        for (std::size_t c = 0; c < to.size(); ++c)
            outputs.push_back({b.add(b.input(Code::load, int(c)), b.input(Code::load, change[c])), to[c]});
        program_.stages.push_back(lowering.stage(outputs));
    }

    // ARS(2,2,2) in terms of increments d, with F the whole rate and L its linear part:
    //   (1 - g dt L) d_1 = g dt F(u),                                            u_1 = u + d_1
    //   (1 - g dt L) d_2 = g dt F(u) + (1 - delta) dt F(u_1) - (1 - delta / g) d_1,   next = u + d_2
    // This equals the paper's scheme with F - L u as explicit part. Boundaries stay in F, transforms round
    // the increments alone, and states at rest stay at rest.
    void imex() {
        if (!inside_.empty())
            throw InputError(
                "--stepper imex: transforms need the whole field, and `inside` bounds it: take another "
                "stepper");
        const int part = int(program_.linear.size());
        program_.linear.push_back(lowered_linear_part(model_));
        const Node dt = g_.leaf(Op::dt);
        const Arrays right = between(" right"), change = between(" change"), one = middle("1", kGamma);
        finish_stage(prepare(formulas(), present(), 0), right, [&](Lowering& l, int c) {
            const int rate = l.value(model_.components[std::size_t(c)].formula);
            return l.builder().multiply(l.value(g_.multiply(g_.number(kGamma), dt)), rate);
        });
        program_.stages.back().solve = {right, change, part};
        add_changed(change, one);
        finish_stage(prepare(formulas(), one, kGamma), program_.next, [&](Lowering& l, int c) {
            Builder& b = l.builder();
            const int rate = l.value(model_.components[std::size_t(c)].formula);
            const int step = l.value(g_.multiply(g_.number(1 - kDelta), dt));
            const int explicit_part = b.fma(step, rate, b.input(Code::load, right[std::size_t(c)]));
            const int back = b.constant(1 - kDelta / kGamma);
            return b.make(Code::fnma, back, b.input(Code::load, change[std::size_t(c)]), explicit_part);
        });
        program_.stages.back().solve = {program_.next, change, part};
        add_changed(change, program_.next);
    }

    Equations model_;
    Graph& g_;
    Integrator scheme_;
    bool float64_, rounds_increments_;
    InputTable inputs_;
    Reflections reflections_;
    GlobalTable globals_;
    ArrayTable arrays_;
    Program program_;     ///< complete except for its arrays
    int components_ = 0;  ///< of the model
    Arrays data_, scratch_;
    int cells_inside_ = -1;  ///< the global value that counts them
    bool globals_of_sides_ = false;
    std::map<Wraps, int> inside_;
    bool keeps_coefficients_ = false;  ///< only for programs of many steps, not for views or initial values
    std::map<Node, int> coefficients_;
    std::map<int, int> part_of_;    ///< the linear part of each elliptic equation that is solved
    int right_ = -1, signed_ = -1;  ///< the arrays that all solves of elliptic equations share
};

}  // namespace

const std::vector<StepperRow>& steppers() {
    using enum SteppingScheme;
    static const std::vector<StepperRow> rows{
        {euler, "euler", "One evaluation per step, error proportional to dt", 1},
        {heun, "heun", "Two evaluations per step, error proportional to dt^2 (Heun 1900)", 2},
        {midpoint,
         "midpoint",
         "Two evaluations per step, the second one halfway, error proportional to dt^2 (Runge 1895)",
         2},
        {ab2,
         "ab2",
         "One evaluation per step, beside that of the step before, error proportional to dt^2 "
         "(Adams & Bashforth 1883)",
         2},
        {bs32,
         "bs32",
         "Three evaluations per step, error proportional to dt^3 (Bogacki & Shampine 1989)",
         3,
         0,
         2},
        {rk4, "rk4", "Four evaluations per step, error proportional to dt^4 (Kutta 1901)", 4},
        {dp54,
         "dp54",
         "Six evaluations per step, error proportional to dt^5 (Dormand & Prince 1980)",
         5,
         0,
         4},
        {rkl2,
         "rkl2",
         "For diffusion: s evaluations make steps of (s^2 + s - 2)/4 times Euler's limit, error proportional "
         "to dt^2; rkl2:s, s = 9 without (Meyer, Balsara & Aslam 2014)",
         2,
         9},
        {symplectic,
         "symplectic",
         "Components one after the other, each by the newest values: leapfrog for waves",
         1},
        {imex,
         "imex",
         "Two evaluations per step, the linear part solved by transforms: large steps where it is stiff, "
         "error proportional to dt^2 (Ascher, Ruuth & Spiteri 1997)",
         2},
    };
    return rows;
}

const StepperRow& row_of(SteppingScheme scheme) {
    return *std::ranges::find(steppers(), scheme, &StepperRow::scheme);
}

Integrator scheme_of(std::string_view name) {
    const std::size_t colon = name.find(':');
    const StepperRow& row = row_named(steppers(), "stepper", name.substr(0, colon), "--stepper: ");
    if (colon == name.npos) return {row.scheme, row.stages};
    const auto stages = read_real(name.substr(colon + 1));
    if (row.stages == 0) throw InputError("--stepper {}: {} has no number", quotable(name), row.name);
    if (!stages || *stages != std::floor(*stages) || *stages < kLeastStages || *stages > kMostStages)
        throw InputError("--stepper {}: {} has {} to {} stages, e.g. {}:{}",
                         quotable(name),
                         row.name,
                         kLeastStages,
                         kMostStages,
                         row.name,
                         row.stages);
    return {row.scheme, int(*stages)};
}

bool rounds_increments(bool float64, double dt) {
    int exponent = 0;
    return !float64 && std::frexp(float(dt), &exponent) != 0.5f;
}

Program make_program(
    const Equations& equations, const Integrator& scheme, bool float64, double dt, bool errors) {
    return Planner(equations, scheme, float64, dt, errors).plan();
}

ViewProgram make_view_program(const Equations& equations, const std::vector<Node>& formulas, bool float64) {
    return Planner(equations, SteppingScheme::euler, float64).plan_view(formulas);
}

Program make_start_program(const Equations& equations, bool float64) {
    return Planner(equations, SteppingScheme::euler, float64).plan_start();
}

}  // namespace stencil::equation
