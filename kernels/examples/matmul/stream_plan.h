// How a product that does not fit in GPU memory is cut into pieces that do.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "kernels/examples/matmul/matmul_shape.h"
#include "kernels/field/divide.h"

namespace stencil::matmul {

/// Tiles of C stay on the device while panels of A (tile.m x tile.k) and B (tile.k x tile.n) stream past
/// them; the last ones of each direction may be smaller.
struct StreamPlan {
    MatmulShape whole;
    MatmulShape tile;
    std::size_t bytes = 0;  ///< of device memory

    std::int64_t tiles_down() const { return ceil_div(whole.m, tile.m); }
    std::int64_t tiles_across() const { return ceil_div(whole.n, tile.n); }
    std::int64_t panels() const { return ceil_div(whole.k, tile.k); }
    /// All different shapes of products that it consists of.
    std::vector<MatmulShape> shapes() const;
    /// Values that are brought to the device in all.
    double values_in() const;
};

/// Bytes of device memory for a plan with its tile.
using StreamBytes = std::function<std::size_t(const StreamPlan&)>;

/// The plan with the least to transfer that fits into the given bytes; none where even the smallest doesn't.
std::optional<StreamPlan> plan_stream(const MatmulShape& whole, std::size_t budget, const StreamBytes& bytes);

/// The plan that takes the least memory.
StreamPlan smallest_stream(const MatmulShape& whole, const StreamBytes& bytes);

}  // namespace stencil::matmul
