#include "kernels/equation/builder.h"

#include <bit>

namespace stencil::equation {

constexpr int kNotContracted = 1;  // index of a product that is never contracted into an FMA

int Builder::insert(const Operation& operation) {
    const Key key{operation.code,
                  operation.dx,
                  operation.dy,
                  operation.index,
                  std::bit_cast<std::uint64_t>(operation.number),
                  operation.args};
    const auto [entry, is_new] = values_by_operation_.try_emplace(key, int(operations_.size()));
    if (is_new) operations_.push_back(operation);
    return entry->second;
}

int Builder::constant(double number) {
    return insert({.number = number});
}

int Builder::input(Code code, int index, int dx, int dy) {
    return insert({.code = code, .dx = std::int8_t(dx), .dy = std::int8_t(dy), .index = index});
}

int Builder::make(Code code, int a, int b, int c, int d) {
    return insert({.code = code, .args = {a, b, c, d}});
}

int Builder::uncontracted_product(int a, int b) {
    return insert({.code = Code::multiply, .index = kNotContracted, .args = {a, b, -1, -1}});
}

int Builder::polynomial(int x, const std::vector<double>& c) {
    int sum = constant(c.back());
    for (std::size_t i = c.size() - 1; i-- > 0;) sum = fma(sum, x, constant(c[i]));
    return sum;
}

namespace {

std::vector<int> count_uses(const Operations& operations, const std::vector<int>& values) {
    std::vector<int> uses(operations.size(), 0);
    for (const int value : values) ++uses[std::size_t(value)];
    for (std::size_t i = operations.size(); i-- > 0;)
        if (uses[i] > 0)
            for (const int argument : operations[i].args)
                if (argument >= 0) ++uses[std::size_t(argument)];
    return uses;
}

// Contracts a product into a sum (FMA), the right argument first.
void contract(Operation& sum, const Operations& all, const std::vector<int>& uses) {
    const auto product = [&](int value) {
        const Operation& o = all[std::size_t(value)];
        return o.code == Code::multiply && o.index != kNotContracted && uses[std::size_t(value)] == 1;
    };
    const auto [a, b, c, d] = sum.args;
    if (product(b)) {
        const auto& factors = all[std::size_t(b)].args;
        sum.code = sum.code == Code::add ? Code::fma : Code::fnma;
        sum.args = {factors[0], factors[1], a, -1};
    } else if (product(a)) {
        const auto& factors = all[std::size_t(a)].args;
        sum.code = sum.code == Code::add ? Code::fma : Code::fms;
        sum.args = {factors[0], factors[1], b, -1};
    }
}

}  // namespace

Operations finish(const Operations& operations, std::vector<int>& values) {
    Operations all = operations;
    const std::vector<int> uses = count_uses(all, values);
    for (Operation& operation : all)
        if (operation.code == Code::add || operation.code == Code::subtract) contract(operation, all, uses);
    return without_dead_code(all, values);
}

Operations without_dead_code(const Operations& operations, std::vector<int>& values) {
    const std::vector<int> uses = count_uses(operations, values);
    std::vector<int> moved_to(operations.size(), -1);
    Operations kept;
    for (std::size_t i = 0; i < operations.size(); ++i) {
        if (uses[i] == 0) continue;
        moved_to[i] = int(kept.size());
        kept.push_back(operations[i]);
        for (int& argument : kept.back().args)
            if (argument >= 0) argument = moved_to[std::size_t(argument)];
    }
    for (int& value : values) value = moved_to[std::size_t(value)];
    return kept;
}

}  // namespace stencil::equation
