#include "sim/model/step/arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "sim/model/step/lowering.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kSideCount = 4;

}  // namespace

int first_component(const Graph& graph, Node node) {
    int first = -1;
    graph.walk(node, [&](Node part) {
        const Expression& e = graph[part];
        if (e.op == Op::component && (first < 0 || e.index < first)) first = e.index;
    });
    return first;
}

int ArrayTable::add(ArrayInfo info) {
    arrays_.push_back(std::move(info));
    return int(arrays_.size()) - 1;
}

int ArrayTable::add_component(int c, const std::string& suffix, double time) {
    const Evolving& component = model_.components[std::size_t(c)];
    ArrayInfo info;
    info.name = component.name + suffix;
    info.component = c;
    info.time = time;
    for (std::size_t s = 0; s < kSideCount; ++s) info.ghosts[s] = ghosts(component.sides[s]);
    return add(std::move(info));
}

// From the value on the face, (ghost + edge) / 2, and the flux across it, (ghost - edge) / spacing.
Ghosts ArrayTable::ghosts(const Condition& condition) {
    Ghosts ghosts;
    ghosts.periodic = condition.periodic;
    if (condition.periodic) return ghosts;
    // Where it can be a number it is one, which generated code has a use for.
    const auto is_zero = [&](Node node) { return g_.number_of(node) == 0.0; };
    const Node spacing = g_.leaf(Op::spacing), half = g_.number(0.5);
    const Node value = g_.multiply(half, condition.value);
    const Node flux = is_zero(condition.flux)                        ? condition.flux
                      : condition.flux == g_.multiply(half, spacing) ? half
                                                                     : g_.divide(condition.flux, spacing);
    const Node sum = g_.add(value, flux);
    const Node alpha = is_zero(value) ? g_.number(1) : g_.divide(g_.subtract(flux, value), sum);
    const std::vector<Node> roots{alpha, g_.divide(condition.right, sum)};
    ghosts.coefficients = lower_inputs(g_, roots);
    return ghosts;
}

int ArrayTable::add_insulated(const std::string& name, int data) {
    ArrayInfo info;
    info.name = name;
    info.data = data;
    const auto& sides = model_.components.front().sides;
    const Node zero = g_.number(0), one = g_.number(1);
    for (std::size_t s = 0; s < kSideCount; ++s)
        info.ghosts[s] = ghosts({sides[s].periodic, zero, one, zero});
    return add(std::move(info));
}

// 0 * edge + formula.
int ArrayTable::add_place(Node node) {
    const Node spacing = g_.leaf(Op::spacing);
    const Node before = g_.multiply(g_.number(-0.5), spacing);
    const auto after = [&](Op cells) { return g_.multiply(g_.add(g_.leaf(cells), g_.number(0.5)), spacing); };
    const std::array centres{before, after(Op::columns), before, after(Op::rows)};
    ArrayInfo info;
    info.name = fmt::format("place {}", ++places_);
    for (std::size_t s = 0; s < kSideCount; ++s) {
        info.ghosts[s].periodic = model_.components.front().sides[s].periodic;
        if (info.ghosts[s].periodic) continue;
        const Node across = g_.leaf(s < 2 ? Op::x : Op::y);
        info.ghosts[s].coefficients = lower_inputs(g_, {g_.number(0), node}, {{across, centres[s]}});
    }
    return add(std::move(info));
}

int ArrayTable::stored(Node node, double time) {
    const auto defined = std::ranges::find(model_.definitions, node, &Defined::formula);
    const Conditions sides = stored_sides(node);
    const bool of_time = std::ranges::any_of(sides, [&](const Condition& c) {
        return g_.depends(c.value).time || g_.depends(c.flux).time || g_.depends(c.right).time;
    });
    const std::pair key{node, of_time ? time : 0};
    const auto known = stored_.find(key);
    if (known != stored_.end()) return known->second;
    ArrayInfo info;
    info.name =
        defined != model_.definitions.end() ? defined->name : fmt::format("stage {}", stored_.size() + 1);
    info.time = time;
    for (std::size_t s = 0; s < kSideCount; ++s) info.ghosts[s] = ghosts(sides[s]);
    return stored_[key] = add(std::move(info));
}

// What is stored takes the conditions of the component that it is made of, with nothing on the right (of
// u = 1 it takes "= 0"), unless the text gives it its own.
Conditions ArrayTable::stored_sides(Node node) {
    const auto defined = std::ranges::find(model_.definitions, node, &Defined::formula);
    Conditions sides = model_.components[std::size_t(std::max(0, first_component(g_, node)))].sides;
    for (std::size_t s = 0; s < kSideCount; ++s) {
        sides[s].right = g_.number(0);
        if (defined != model_.definitions.end() && defined->sides[s]) sides[s] = *defined->sides[s];
    }
    return sides;
}

}  // namespace stencil::equation
