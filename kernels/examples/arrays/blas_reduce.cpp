#include <cblas.h>

#include <algorithm>

#include "kernels/examples/arrays/reduce.h"

namespace stencil {
namespace {

// OpenBLAS counts in 32 bits.
constexpr std::int64_t kLargestCall = 1 << 30;

float absolute_sum_of(const float* x, blasint n) {
    return cblas_sasum(n, x, 1);
}
double absolute_sum_of(const double* x, blasint n) {
    return cblas_dasum(n, x, 1);
}
float dot_of(const float* x, const float* y, blasint n) {
    return cblas_sdot(n, x, 1, y, 1);
}
double dot_of(const double* x, const double* y, blasint n) {
    return cblas_ddot(n, x, 1, y, 1);
}

}  // namespace

template <class T>
T blas_absolute_sum(int threads, const T* x, std::int64_t n) {
    openblas_set_num_threads(threads);
    T sum = 0;
    for (std::int64_t i = 0; i < n; i += kLargestCall)
        sum += absolute_sum_of(x + i, blasint(std::min(kLargestCall, n - i)));
    return sum;
}

template <class T>
T blas_dot(int threads, const T* x, const T* y, std::int64_t n) {
    openblas_set_num_threads(threads);
    T sum = 0;
    for (std::int64_t i = 0; i < n; i += kLargestCall)
        sum += dot_of(x + i, y + i, blasint(std::min(kLargestCall, n - i)));
    return sum;
}

template float blas_absolute_sum<float>(int, const float*, std::int64_t);
template double blas_absolute_sum<double>(int, const double*, std::int64_t);
template float blas_dot<float>(int, const float*, const float*, std::int64_t);
template double blas_dot<double>(int, const double*, const double*, std::int64_t);

}  // namespace stencil
