// Long work over an array, cut so that somebody may end it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/thread_pool.h"
#include "sim/examples/context.h"

namespace stencil {

/// Elements that even slow functions have done in some tenths of a second.
inline constexpr std::int64_t kPieceLength = 1 << 20;

/// work(begin, end) over [0, n) on all threads of the context. Throws Cancelled between two pieces.
template <class F>
void in_pieces(ExampleContext& context, std::int64_t n, const F& work) {
    for (std::int64_t first = 0; first < n; first += kPieceLength) {
        context.pause();
        context.threads().for_ranges(
            std::min(kPieceLength, n - first),
            [&](std::int64_t begin, std::int64_t end) { work(first + begin, first + end); });
    }
}

}  // namespace stencil
