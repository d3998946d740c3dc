#include "kernels/examples/einsum/cpu_product.h"

#include <algorithm>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

namespace stencil::einsum {
namespace {

struct Axis {
    std::int64_t count = 1, a = 0, b = 0, out = 0;
};

/// The output in blocks of two axes: `along` is contiguous in the output, and `across` in a factor that is
/// not contiguous along the first. So whole cache lines of both are used up while they are there.
struct Walk {
    Axis along, across;
    Axis others[ProductShape::kMaxAxes];
    int other_count = 0;
    std::int64_t block_along = 1, block_across = 1;
    std::int64_t blocks_along = 1, blocks_across = 1, blocks = 1;

    explicit Walk(const ProductShape& shape) {
        Axis axes[ProductShape::kMaxAxes];
        std::int64_t stride = 1;
        for (int i = shape.axes - 1; i >= 0; --i) {
            axes[i] = {shape.count[i], shape.a[i], shape.b[i], stride};
            stride *= shape.count[i];
        }
        int chosen = -1;
        if (shape.axes > 0) along = axes[shape.axes - 1];
        for (int i = 0; i + 1 < shape.axes; ++i)
            if ((axes[i].a == 1 && along.a > 1) || (axes[i].b == 1 && along.b > 1)) chosen = i;
        const bool turns = chosen >= 0;
        if (!turns) chosen = shape.axes - 2;
        if (chosen >= 0) across = axes[chosen];
        for (int i = 0; i + 1 < shape.axes; ++i)
            if (i != chosen) others[other_count++] = axes[i];
        block_along = std::min<std::int64_t>(along.count, turns ? 64 : 8192);
        block_across =
            std::min<std::int64_t>(across.count, turns ? 64 : std::max<std::int64_t>(1, 8192 / block_along));
        blocks_along = ceil_div(along.count, block_along);
        blocks_across = ceil_div(across.count, block_across);
        blocks = blocks_along * blocks_across;
        for (int i = 0; i < other_count; ++i) blocks *= others[i].count;
    }
};

template <class T, class Value>
void fill_block(const Walk& walk, std::int64_t block, T* out, Value value) {
    const std::int64_t x0 = block % walk.blocks_along * walk.block_along;
    block /= walk.blocks_along;
    const std::int64_t y0 = block % walk.blocks_across * walk.block_across;
    block /= walk.blocks_across;
    std::int64_t a = x0 * walk.along.a + y0 * walk.across.a, b = x0 * walk.along.b + y0 * walk.across.b,
                 at = x0 * walk.along.out + y0 * walk.across.out;
    for (int i = walk.other_count; i-- > 0;) {
        const Axis& axis = walk.others[i];
        const std::int64_t k = block % axis.count;
        block /= axis.count;
        a += k * axis.a;
        b += k * axis.b;
        at += k * axis.out;
    }
    const std::int64_t width = std::min(walk.block_along, walk.along.count - x0);
    const std::int64_t height = std::min(walk.block_across, walk.across.count - y0);
    for (std::int64_t y = 0; y < height; ++y) {
        T* const row = out + at + y * walk.across.out;
        const std::int64_t row_a = a + y * walk.across.a, row_b = b + y * walk.across.b;
        for (std::int64_t x = 0; x < width; ++x) row[x] = value(row_a, row_b, x);
    }
}

template <class T, class Value>
void fill(ThreadPool& threads, const std::function<void()>& between, const Walk& walk, T* out, Value value) {
    constexpr std::int64_t kPiece = 8192;  // blocks of at most 8192 values
    for (std::int64_t start = 0; start < walk.blocks; start += kPiece) {
        threads.for_ranges(std::min(kPiece, walk.blocks - start), [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t block = start + begin; block < start + end; ++block)
                fill_block(walk, block, out, value);
        });
        between();
    }
}

}  // namespace

template <class T>
void cpu_strided_product(ThreadPool& threads,
                         const std::function<void()>& between,
                         const ProductShape& shape,
                         const T* a,
                         const T* b,
                         T* out) {
    if (shape.values() == 0) return;
    const Walk walk(shape);
    const std::int64_t sa = walk.along.a, sb = walk.along.b;
    using Index = std::int64_t;
    const auto run = [&](auto value) { fill(threads, between, walk, out, value); };
    // The loops that the compiler makes vectors of, then any other.
    if (!b && sa == 1)
        run([=](Index i, Index, Index x) { return a[i + x]; });
    else if (!b)
        run([=](Index i, Index, Index x) { return a[i + x * sa]; });
    else if (sa == 1 && sb == 1)
        run([=](Index i, Index j, Index x) { return a[i + x] * b[j + x]; });
    else if (sa == 1 && sb == 0)
        run([=](Index i, Index j, Index x) { return a[i + x] * b[j]; });
    else if (sa == 0 && sb == 1)
        run([=](Index i, Index j, Index x) { return a[i] * b[j + x]; });
    else
        run([=](Index i, Index j, Index x) { return a[i + x * sa] * b[j + x * sb]; });
}

template void cpu_strided_product(
    ThreadPool&, const std::function<void()>&, const ProductShape&, const float*, const float*, float*);
template void cpu_strided_product(
    ThreadPool&, const std::function<void()>&, const ProductShape&, const double*, const double*, double*);

}  // namespace stencil::einsum
