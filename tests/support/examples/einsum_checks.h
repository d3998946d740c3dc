// Expected results of einsum: NumPy's rules as a loop over all labels.
#pragma once

#include "sim/examples/einsum/plan.h"
#include "tests/support/catch.h"
#include "tests/support/examples/einsum_cases.h"

namespace stencil_test {

/// Computes the result and its shape by the definition, without the code under test, from C-order operands.
struct NaiveEinsum {
    std::vector<std::int64_t> shape;
    std::vector<double> values, magnitudes;

    NaiveEinsum(const EinsumCase& one, const std::vector<std::vector<double>>& operands);
};

template <class T>
std::vector<std::vector<T>> random_operands(Dice& random, const Shapes& shapes) {
    std::vector<std::vector<T>> operands;
    for (const auto& shape : shapes) {
        auto& operand = operands.emplace_back(std::size_t(stencil::einsum::product_of(shape)));
        for (T& value : operand) value = T(random.uniform(-1, 1));
    }
    return operands;
}

/// Returns the largest error relative to the sum of magnitudes; NaN if a value is NaN.
template <class T>
double einsum_error(const NaiveEinsum& truth, const std::vector<T>& result) {
    REQUIRE(result.size() == truth.values.size());
    double worst = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double off = std::abs(double(result[i]) - truth.values[i]);
        if (std::isnan(off)) return off;
        if (off > 0) worst = std::max(worst, off / truth.magnitudes[i]);
    }
    return worst;
}

template <class T>
constexpr double kEinsumTolerance = sizeof(T) == 4 ? 2e-6 : 1e-14;

template <class T>
NaiveEinsum naive_einsum(const EinsumCase& one, const std::vector<std::vector<T>>& operands) {
    std::vector<std::vector<double>> wide;
    for (const auto& operand : operands) wide.emplace_back(operand.begin(), operand.end());
    return NaiveEinsum(one, wide);
}

inline stencil::einsum::Contraction contraction_of(const EinsumCase& one) {
    return stencil::einsum::bind_subscripts(stencil::einsum::parse_subscripts(one.subscripts), one.shapes);
}

}  // namespace stencil_test
