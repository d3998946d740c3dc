// What the example multiplies.
#pragma once

#include <cstdint>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/examples/matmul/matmul_shape.h"
#include "sim/examples/context.h"

namespace stencil::matmul {

struct MatmulProblem {
    MatmulShape shape;
    int repetitions = 1;  ///< of the product and its sums, in what is timed
    std::uint64_t seed = 0;
    bool centred = false;

    double operations() const { return shape.operations() * repetitions; }
};

MatmulProblem matmul_problem(const ExampleRequest& request);

/// Estimated seconds of make_operands().
double random_seconds(const MatmulShape& shape);

/// On the host, row-major.
template <class T>
struct MatmulOperands {
    AlignedBuffer<T> a;  ///< (m, k)
    AlignedBuffer<T> b;  ///< (k, n)
};

/// As NumPy's default_rng(seed).random gives them, A and then B; centred ones are less 0.5. Throws
/// MachineError where they and C do not fit in memory, and Cancelled.
template <class T>
MatmulOperands<T> make_operands(const MatmulProblem& problem, ExampleContext& context);

}  // namespace stencil::matmul
