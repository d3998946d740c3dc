// In which order the operands of an einsum are multiplied, two at a time.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>
#include <vector>

namespace stencil::einsum {

/// 52 letters and at most 64 axes of an ellipsis.
using LabelSet = std::bitset<128>;

/// One pair. Results are numbered after the operands, in the order of the steps.
struct PathStep {
    int a = 0, b = 0;
    LabelSet keeps;  ///< the result's labels
    double flops = 0;
};

struct PathProblem {
    std::vector<LabelSet> operands;
    LabelSet output;
    std::vector<std::int64_t> sizes;  ///< by label
};

/// The number of values over these labels.
double values_of(const LabelSet& labels, std::span<const std::int64_t> sizes);

/// The cheapest order by floating-point operations, of equally cheap ones that with the smallest
/// intermediates: of all orders up to 8 operands; beyond, greedily, the pair first whose product removes
/// the most values.
std::vector<PathStep> find_path(const PathProblem& problem);

}  // namespace stencil::einsum
