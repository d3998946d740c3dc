#include "kernels/examples/arrays/reduce.h"

#include <algorithm>
#include <vector>

#include "kernels/cpu/openblas.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

constexpr std::int64_t kBlock = 2048;               // terms, added in vectors
constexpr std::int64_t kMinBlocks = 8;              // blocks that are worth waking a thread for
constexpr std::int64_t kLargestBlasCall = 1 << 30;  // OpenBLAS counts in 32 bits

// In 32 sums side by side, which the compiler keeps in vectors.
template <class T, class Term>
T block_sum(std::int64_t n, const Term& term) {
    constexpr std::int64_t kSums = 32;
    T sums[kSums] = {};
    std::int64_t i = 0;
    for (; i + kSums <= n; i += kSums)
        for (std::int64_t k = 0; k < kSums; ++k) sums[k] += term(i + k);
    for (std::int64_t k = 0; i < n; ++i, ++k) sums[k] += term(i);
    for (std::int64_t half = kSums / 2; half > 0; half /= 2)
        for (std::int64_t k = 0; k < half; ++k) sums[k] += sums[k + half];
    return sums[0];
}

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
            const T *const from_x = x + first, *const from_y = y ? y + first : nullptr;
            blocks[std::size_t(i)] =
                y ? block_sum<T>(count, [=](std::int64_t k) { return from_x[k] * from_y[k]; })
                  : block_sum<T>(count, [=](std::int64_t k) { return from_x[k]; });
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
