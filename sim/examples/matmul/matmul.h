// The factors of the matmul example, and the references for its results.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "sim/examples/context.h"
#include "sim/examples/report.h"

namespace stencil::matmul {

struct MatmulProblem {
    MatmulShape shape;
    int repetitions = 1;  ///< of the product and its sums, in what is timed
    std::uint64_t seed = 0;
    bool centred = false;

    double operations() const { return shape.operations() * repetitions; }
};

MatmulProblem matmul_problem(const OptionValues& options);

/// A (m, k) and B (k, n) on the host, row-major.
template <class T>
using MatmulFactors = std::vector<AlignedBuffer<T>>;

/// As NumPy's default_rng(seed).random gives them, A and then B; centred ones are less 0.5. Throws
/// MachineError where they and C do not fit in memory, and Cancelled.
template <class T>
MatmulFactors<T> make_factors(const MatmulProblem& problem, ExampleContext& context);

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

template <class T>
MatmulReference make_reference(const MatmulFactors<T>& factors,
                               const MatmulShape& shape,
                               ExampleContext& context);

/// The result of one method.
template <class T>
struct MatmulResult {
    std::vector<T> sums;         ///< (n)
    std::vector<T> rows;         ///< those of the reference
    std::vector<T> stored_sums;  ///< of the C that was left in memory, all of it, summed apart
};

/// How far from the reference a row may be.
struct MatmulLimits {
    double error = 0;     ///< relative 2-norm, for well-conditioned sums of 5000 products
    bool bounded = true;  ///< |error| <= (k + 1) u |A| |B| has to hold for each value
};

/// Fills the row's error, check and failed, and adds the single errors to its further numbers.
template <class T>
void compare(const MatmulResult<T>& result,
             const MatmulReference& reference,
             MatmulLimits limits,
             ReportRow& row);

}  // namespace stencil::matmul
