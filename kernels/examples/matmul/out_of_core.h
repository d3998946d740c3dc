// Out-of-core matrix products: operands that do not fit in GPU memory pass through it in pieces.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/field/divide.h"

namespace stencil {
class ThreadPool;
}

namespace stencil::matmul {

/// Tiles of C stay on the device while panels of A (tile.m x tile.k) and B (tile.k x tile.n) pass by; the
/// last ones of each direction may be smaller.
struct OutOfCorePlan {
    MatmulShape whole;
    MatmulShape tile;
    std::size_t bytes = 0;  ///< of device memory

    std::int64_t tiles_down() const { return ceil_div(whole.m, tile.m); }
    std::int64_t tiles_across() const { return ceil_div(whole.n, tile.n); }
    std::int64_t panels() const { return ceil_div(whole.k, tile.k); }
    /// All different shapes of products that it consists of.
    std::vector<MatmulShape> shapes() const;
    /// Elements that are brought to the device in all.
    double elements_in() const;
};

/// Bytes of device memory for a plan with its tile.
using PlanBytes = std::function<std::size_t(const OutOfCorePlan&)>;

/// The plan with the least to transfer that fits into the given bytes; none where even the smallest doesn't.
std::optional<OutOfCorePlan> plan_out_of_core(const MatmulShape& whole,
                                              std::size_t budget,
                                              const PlanBytes& bytes);

/// The plan that takes the least memory.
OutOfCorePlan smallest_out_of_core(const MatmulShape& whole, const PlanBytes& bytes);

/// Bytes of device memory that an out-of-core product of this plan allocates, exactly.
template <class T>
std::size_t out_of_core_bytes(MatmulMethod method, const OutOfCorePlan& plan, std::size_t workspace);

/// The product and its sums. The call's arrays are the host's, its shape the plan's. Returns when C and the
/// sums are there. `pause` is called after each panel and may throw. The same bits from call to call. Throws
/// CudaError.
template <class T>
using OutOfCoreMatmul = std::function<void(const MatmulCall<T>& call, const std::function<void()>& pause)>;

/// Copies to the device, products and copies to the host go on at the same time, each with two buffers; host
/// memory is copied through page-locked buffers by the threads. Throws CudaError.
template <class T>
OutOfCoreMatmul<T> make_out_of_core_matmul(MatmulMethod method,
                                           const OutOfCorePlan& plan,
                                           std::size_t workspace,
                                           ThreadPool& threads);

}  // namespace stencil::matmul
