#include "sim/examples/einsum/direct_loop.h"

#include <algorithm>

namespace stencil::einsum {
namespace {

// By operand, how far a step along a label leads; an axis of length 1 is repeated.
std::vector<std::vector<std::int64_t>> strides_of(const Contraction& contraction) {
    std::vector<std::vector<std::int64_t>> all;
    for (std::size_t i = 0; i < contraction.operands.size(); ++i) {
        auto& strides = all.emplace_back(contraction.sizes.size());
        std::int64_t stride = 1;
        for (std::size_t axis = contraction.operands[i].size(); axis-- > 0;) {
            if (contraction.shapes[i][axis] != 1)
                strides[std::size_t(contraction.operands[i][axis])] += stride;
            stride *= contraction.shapes[i][axis];
        }
    }
    return all;
}

std::vector<std::size_t> summed_labels(const Contraction& contraction) {
    std::vector<std::size_t> summed;
    for (std::size_t label = 0; label < contraction.sizes.size(); ++label)
        if (std::ranges::find(contraction.output, int(label)) == contraction.output.end())
            summed.push_back(label);
    return summed;
}

}  // namespace

double direct_terms(const Contraction& contraction) {
    double terms = 1;
    for (const std::size_t label : summed_labels(contraction)) terms *= double(contraction.sizes[label]);
    return terms;
}

template <class T>
long double direct_value(const Contraction& contraction,
                         std::span<const T* const> operands,
                         std::int64_t index) {
    const auto strides = strides_of(contraction);
    std::vector<std::int64_t> at(operands.size());
    for (std::size_t i = contraction.output.size(); i-- > 0;) {
        const auto label = std::size_t(contraction.output[i]);
        const std::int64_t k = index % contraction.sizes[label];
        index /= contraction.sizes[label];
        for (std::size_t o = 0; o < operands.size(); ++o) at[o] += k * strides[o][label];
    }
    const std::vector<std::size_t> summed = summed_labels(contraction);
    for (const std::size_t label : summed)
        if (contraction.sizes[label] == 0) return 0;
    std::vector<std::int64_t> counter(summed.size());
    long double sum = 0;
    for (;;) {
        long double term = 1;
        for (std::size_t o = 0; o < operands.size(); ++o) term *= (long double)(operands[o][at[o]]);
        sum += term;
        std::size_t i = summed.size();
        for (; i > 0; --i) {
            const std::size_t label = summed[i - 1];
            const bool done = ++counter[i - 1] == contraction.sizes[label];
            const std::int64_t steps = done ? 1 - contraction.sizes[label] : 1;
            for (std::size_t o = 0; o < operands.size(); ++o) at[o] += steps * strides[o][label];
            if (!done) break;
            counter[i - 1] = 0;
        }
        if (i == 0) return sum;
    }
}

template long double direct_value(const Contraction&, std::span<const float* const>, std::int64_t);
template long double direct_value(const Contraction&, std::span<const double* const>, std::int64_t);

}  // namespace stencil::einsum
