#include "kernels/examples/arrays/reduce.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/openblas.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/examples/arrays/reduce.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// 8 accumulators are 2 FMA units times 4 cycles of latency.
template <bool kTwo, class T>
T block_sum(const T* x, const T* y, std::int64_t n) {
    const hn::ScalableTag<T> d;
    using V = decltype(hn::Zero(d));
    const auto lanes = std::int64_t(hn::Lanes(d));
    constexpr int kSums = 8;
    const auto add = [&](V sum, std::int64_t i) {
        const V from_x = hn::LoadU(d, x + i);
        if constexpr (kTwo)
            return hn::MulAdd(from_x, hn::LoadU(d, y + i), sum);
        else
            return hn::Add(sum, from_x);
    };
    V a = hn::Zero(d), b = a, c = a, e = a, f = a, g = a, h = a, k = a;
    std::int64_t i = 0;
    for (; i + kSums * lanes <= n; i += kSums * lanes) {
        a = add(a, i);
        b = add(b, i + lanes);
        c = add(c, i + 2 * lanes);
        e = add(e, i + 3 * lanes);
        f = add(f, i + 4 * lanes);
        g = add(g, i + 5 * lanes);
        h = add(h, i + 6 * lanes);
        k = add(k, i + 7 * lanes);
    }
    for (; i + lanes <= n; i += lanes) a = add(a, i);
    const V all = hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)), hn::Add(hn::Add(f, g), hn::Add(h, k)));
    T sum = hn::GetLane(hn::SumOfLanes(d, all));
    for (; i < n; ++i) sum += kTwo ? x[i] * y[i] : x[i];
    return sum;
}

// With y these are the blocks of a dot product, without y of a sum.
float sum_float(const float* x, const float* y, std::int64_t n) {
    return y ? block_sum<true>(x, y, n) : block_sum<false>(x, x, n);
}
double sum_double(const double* x, const double* y, std::int64_t n) {
    return y ? block_sum<true>(x, y, n) : block_sum<false>(x, x, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(sum_float);
HWY_EXPORT(sum_double);

namespace {

constexpr std::int64_t kBlock = 2048;               // terms, added in vectors
constexpr std::int64_t kMinBlocks = 8;              // blocks that are worth waking a thread for
constexpr std::int64_t kLargestBlasCall = 1 << 30;  // OpenBLAS counts in 32 bits

template <class T>
T add_in_pairs(std::vector<T>& values) {
    for (std::size_t count = values.size(); count > 1; count = (count + 1) / 2) {
        for (std::size_t i = 0; i < count / 2; ++i) values[i] = values[2 * i] + values[2 * i + 1];
        if (count % 2 == 1) values[count / 2] = values[count - 1];
    }
    return values.empty() ? T(0) : values[0];
}

float blas_part(const float* x, const float* y, blasint n) {
    return y ? OPENBLAS(cblas_sdot)(n, x, 1, y, 1) : OPENBLAS(cblas_sasum)(n, x, 1);
}
double blas_part(const double* x, const double* y, blasint n) {
    return y ? OPENBLAS(cblas_ddot)(n, x, 1, y, 1) : OPENBLAS(cblas_dasum)(n, x, 1);
}

}  // namespace

template <class T>
T serial_sum(T start, const T* x, std::int64_t n) {
    T sum = start;
    for (std::int64_t i = 0; i < n; ++i) sum += x[i];
    return sum;
}

template <class T>
T cpu_sum(ThreadPool& threads, const T* x, const T* y, std::int64_t n) {
    std::vector<T> blocks(std::size_t(ceil_div(n, kBlock)));
    const auto add_blocks = [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
            const std::int64_t first = i * kBlock, count = std::min(kBlock, n - first);
            const T* const second = y ? y + first : nullptr;
            if constexpr (sizeof(T) == 4)
                blocks[std::size_t(i)] = HWY_DYNAMIC_DISPATCH(sum_float)(x + first, second, count);
            else
                blocks[std::size_t(i)] = HWY_DYNAMIC_DISPATCH(sum_double)(x + first, second, count);
        }
    };
    threads.for_ranges(std::int64_t(blocks.size()), add_blocks, kMinBlocks);
    return add_in_pairs(blocks);
}

template <class T>
T blas_sum(int threads, const T* x, const T* y, std::int64_t n) {
    OPENBLAS(openblas_set_num_threads)(threads);
    T sum = 0;
    for (std::int64_t i = 0; i < n; i += kLargestBlasCall)
        sum += blas_part(x + i, y ? y + i : nullptr, blasint(std::min(kLargestBlasCall, n - i)));
    return sum;
}

template float serial_sum<float>(float, const float*, std::int64_t);
template double serial_sum<double>(double, const double*, std::int64_t);
template float cpu_sum<float>(ThreadPool&, const float*, const float*, std::int64_t);
template double cpu_sum<double>(ThreadPool&, const double*, const double*, std::int64_t);
template float blas_sum<float>(int, const float*, const float*, std::int64_t);
template double blas_sum<double>(int, const double*, const double*, std::int64_t);

}  // namespace stencil
#endif
