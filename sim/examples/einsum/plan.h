// The steps that compute an einsum: sums, products and matrix products of strided arrays.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "kernels/examples/einsum/arithmetic.h"
#include "sim/examples/einsum/subscripts.h"

namespace stencil::einsum {

/// Tensors are numbered: the operands, then what the steps make.
struct PlanStep {
    std::variant<ProductShape, SumShape, MatrixProductShape> shape;
    std::string kind;  ///< "matrix product"
    double flops = 0;

    int a = 0;
    int b = -1;  ///< second factor or weights; -1: there is none
    int out = 0;
    std::string subscripts = {};  ///< "j,jk->k"
    double values_moved = 0;      ///< read and written, each once
};

struct PlanTensor {
    std::int64_t values = 0;
    std::int64_t place = 0;  ///< of an intermediate: values before it in the scratch memory
};

struct Plan {
    std::size_t operands = 0;
    std::vector<PlanTensor> tensors;  ///< the last one is the result
    std::vector<PlanStep> steps;      ///< none where the result is empty, or all zeros
    std::int64_t scratch_values = 0;  ///< that all intermediates take
    std::int64_t largest_intermediate = 0;

    int result() const { return int(tensors.size()) - 1; }
    double flops() const;
    double values_moved() const;
};

/// First sums out what occurs in one operand alone, then multiplies in the order with the fewest operations.
/// Operands lie in C order without gaps, as does the result. Throws InputError where an axis is longer than
/// matrix products allow.
Plan make_plan(const Contraction& contraction);

template <class Array>
auto pointers_to(const std::vector<Array>& arrays) {
    std::vector<decltype(std::declval<const Array&>().data())> pointers;
    for (const auto& array : arrays) pointers.push_back(array.data());
    return pointers;
}

/// Executes the plan with one side's arithmetic and pointers.
template <class T>
void execute_plan(const Plan& plan,
                  EinsumArithmetic<T>& arithmetic,
                  std::span<const T* const> operands,
                  T* scratch,
                  T* result) {
    const auto at = [&](int tensor) -> const T* {
        if (tensor < 0) return nullptr;
        if (std::size_t(tensor) < plan.operands) return operands[std::size_t(tensor)];
        return tensor == plan.result() ? result : scratch + plan.tensors[std::size_t(tensor)].place;
    };
    if (plan.steps.empty()) arithmetic.zero(plan.tensors.back().values, result);
    for (const PlanStep& step : plan.steps) {
        T* const out = const_cast<T*>(at(step.out));
        if (const auto* product = std::get_if<ProductShape>(&step.shape))
            arithmetic.multiply(*product, at(step.a), at(step.b), out);
        else if (const auto* sum = std::get_if<SumShape>(&step.shape))
            arithmetic.sum(*sum, at(step.a), at(step.b), out);
        else
            arithmetic.multiply_matrices(
                std::get<MatrixProductShape>(step.shape), at(step.a), at(step.b), out);
    }
}

}  // namespace stencil::einsum
