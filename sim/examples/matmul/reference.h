// What the results of the example are compared with.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/examples/matmul/operands.h"
#include "sim/examples/report/report.h"

namespace stencil::matmul {

/// The sums of all columns, and some rows of C, the first and the last among them. Sums are taken in long
/// double, which has 11 bits more than float64 on x86, and rounded once.
struct MatmulReference {
    MatmulShape shape;
    std::vector<double> sums;          ///< (n)
    std::vector<double> sums_of_size;  ///< (n), the same of |A| |B|
    std::vector<std::int64_t> rows;
    std::vector<double> c;          ///< (rows, n)
    std::vector<double> c_of_size;  ///< (rows, n), of |A| |B|
};

/// Estimated seconds of make_reference().
double reference_seconds(const MatmulShape& shape, int threads);

template <class T>
MatmulReference make_reference(const MatmulOperands<T>& operands,
                               const MatmulShape& shape,
                               ExampleContext& context);

/// What a way of multiplying came to.
template <class T>
struct MatmulResult {
    std::vector<T> sums;         ///< (n)
    std::vector<T> rows;         ///< those of the reference
    std::vector<T> stored_sums;  ///< of the C that was left in memory, all of it, summed apart
};

/// How far from the reference a row may be.
struct MatmulLimits {
    double error = 0;     ///< relative 2-norm, for well-conditioned sums of 5000 products
    bool bounded = true;  ///< |error| <= k u |A| |B| has to hold for each value
};

/// Fills the row's error, check and failed, and adds the single errors to its further numbers.
template <class T>
void compare(const MatmulResult<T>& result,
             const MatmulReference& reference,
             MatmulLimits limits,
             ReportRow& row);

}  // namespace stencil::matmul
