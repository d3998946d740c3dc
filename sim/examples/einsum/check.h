// References for the results of the example.
#pragma once

#include <span>

#include "sim/examples/context.h"
#include "sim/examples/einsum/subscripts.h"

namespace stencil::einsum {

/// Norms of a result against what it should be.
struct ErrorNorms {
    double error = 0, reference = 0;
    double relative() const { return reference > 0 ? error / reference : error; }
};
template <class T>
ErrorNorms error_norms(std::span<const T> result, std::span<const double> reference);

/// Fills the row's error and check from some values of the result by the definition, as many as are quick;
/// kNotMeasured where one value already takes too long. Throws Cancelled.
void check_by_definition(ReportRow& row,
                         const Contraction& contraction,
                         std::span<const double* const> operands,
                         std::span<const double> result,
                         const ExampleContext& context);

}  // namespace stencil::einsum
