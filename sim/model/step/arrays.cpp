#include "sim/model/step/arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/equation/operations.h"

namespace stencil::equation {
int first_component(const Graph& graph, Node node) {
    int first = -1;
    graph.walk(
        node,
        [&](Node part) {
            const Expression& e = graph[part];
            if (e.op == Op::component && (first < 0 || e.index < first)) first = e.index;
        },
        false);
    return first;
}

int ArrayTable::add(ArrayInfo info, Node node) {
    for (std::size_t side = 0; side < info.ghosts.size(); ++side) {
        const auto coefficients = reflections_.ghosts(node, side);
        info.ghosts[side].periodic = !coefficients;
        if (coefficients)
            info.ghosts[side].coefficients =
                lower_inputs(g_, {coefficients->begin(), coefficients->end()}, &globals_);
    }
    arrays_.push_back(std::move(info));
    return int(arrays_.size()) - 1;
}

int ArrayTable::add_component(int c, const std::string& suffix, double time) {
    ArrayInfo info;
    info.name = model_.components[std::size_t(c)].name + suffix;
    info.component = c;
    info.time = time;
    return add(std::move(info), g_.leaf(Op::component, c));
}

int ArrayTable::add_insulated(const std::string& name, Wraps wraps, int data) {
    ArrayInfo info;
    info.name = name;
    info.data = data;
    for (std::size_t side = 0; side < info.ghosts.size(); ++side)
        insulate(info.ghosts[side], wraps[side / 2]);
    arrays_.push_back(std::move(info));
    return int(arrays_.size()) - 1;
}

void ArrayTable::insulate(Ghosts& side, bool periodic) {
    side = {periodic, {}};
    if (!periodic) side.coefficients = lower_inputs(g_, {g_.number(1), g_.number(0)});
}

int ArrayTable::add_unknown(int equation, double time) {
    const Node node = g_.leaf(Op::unknown, equation);
    const auto [entry, is_new] = unknowns_.try_emplace({node, time}, 0);
    if (!is_new) return entry->second;
    ArrayInfo info;
    info.name = fmt::format("{} at 0", model_.elliptic[std::size_t(equation)].name);
    info.time = time;
    return entry->second = add(std::move(info), node);
}

std::vector<ArrayInfo> ArrayTable::take(const Program& program) {
    std::vector<bool> reached(arrays_.size());
    for (const auto* stages : {&program.once, &program.stages})
        for (const Stage& stage : *stages)
            for (const int array : arrays_read(stage, true)) reached[std::size_t(array)] = true;
    for (std::size_t i = 0; i < arrays_.size(); ++i)
        for (std::size_t side = 0; side < arrays_[i].ghosts.size() && !reached[i]; ++side)
            if (const bool wraps = reflections_.wraps()[side / 2]; arrays_[i].ghosts[side].periodic != wraps)
                insulate(arrays_[i].ghosts[side], wraps);
    return std::move(arrays_);
}

int ArrayTable::add_coefficient(Node node) {
    ArrayInfo info;
    info.name = fmt::format("coefficient {}", ++coefficients_);
    return add(std::move(info), node);
}

double ArrayTable::time_of_ghosts(Node node, double time) {
    bool of_time = false;
    for (std::size_t side = 0; side < 4; ++side)
        if (const auto coefficients = reflections_.ghosts(node, side))
            for (const Node part : *coefficients) of_time = of_time || g_.depends(part).time;
    return of_time ? time : 0;
}

int ArrayTable::add_stage(int c, int number, double time) {
    const std::tuple key{c, number, time_of_ghosts(g_.leaf(Op::component, c), time)};
    const auto known = of_stages_.find(key);
    if (known != of_stages_.end()) return known->second;
    return of_stages_[key] = add_component(c, fmt::format(" stage {}", of_stages_.size() + 1), time);
}

int ArrayTable::stored(Node node, double time) {
    const std::pair key{node, time_of_ghosts(node, time)};
    const auto known = stored_.find(key);
    if (known != stored_.end()) return known->second;
    const auto defined = std::ranges::find(model_.definitions, node, &Defined::formula);
    ArrayInfo info;
    info.name =
        defined != model_.definitions.end() ? defined->name : fmt::format("stage {}", stored_.size() + 1);
    info.time = time;
    return stored_[key] = add(std::move(info), node);
}

}  // namespace stencil::equation
