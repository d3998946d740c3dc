// The sizes of a matrix product.
#pragma once

#include <cstdint>

namespace stencil::matmul {

/// C (m x n) = A (m x k) B (k x n), all row-major without gaps between the rows.
struct MatmulShape {
    std::int64_t m = 0;
    std::int64_t k = 0;
    std::int64_t n = 0;

    bool operator==(const MatmulShape&) const = default;

    /// A multiplication and an addition each.
    double operations() const { return 2.0 * double(m) * double(k) * double(n); }
};

}  // namespace stencil::matmul
