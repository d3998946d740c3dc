#include "kernels/methods/spectral/mode_product.h"

#include <algorithm>
#include <cstddef>

#include "kernels/field/divide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/methods/spectral/mode_product.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Two vectors of lines for each of kRowsTogether rows of the result stay in registers.
template <class T>
void products(const T* factors, int n, const T* from, T* to) {
    constexpr int kLines = kLinesTogether<T>;
    const hn::CappedTag<T, 32 / sizeof(T)> d;
    const auto lanes = int(hn::Lanes(d));
    for (int k = 0; k < n; k += kRowsTogether, factors += std::ptrdiff_t(n) * kRowsTogether)
        for (int line = 0; line < kLines; line += 2 * lanes) {
            auto a0 = hn::Zero(d), a1 = a0, b0 = a0, b1 = a0, c0 = a0, c1 = a0, e0 = a0, e1 = a0;
            const T* f = factors;
            const T* in = from + line;
            for (int i = 0; i < n; ++i, f += kRowsTogether, in += kLines) {
                const auto x0 = hn::LoadU(d, in), x1 = hn::LoadU(d, in + lanes);
                const auto a = hn::Set(d, f[0]), b = hn::Set(d, f[1]);
                a0 = hn::MulAdd(a, x0, a0);
                a1 = hn::MulAdd(a, x1, a1);
                b0 = hn::MulAdd(b, x0, b0);
                b1 = hn::MulAdd(b, x1, b1);
                const auto c = hn::Set(d, f[2]), e = hn::Set(d, f[3]);
                c0 = hn::MulAdd(c, x0, c0);
                c1 = hn::MulAdd(c, x1, c1);
                e0 = hn::MulAdd(e, x0, e0);
                e1 = hn::MulAdd(e, x1, e1);
            }
            const auto put = [&](int row, auto first, auto second) {
                if (k + row >= n) return;
                T* const out = to + std::ptrdiff_t(k + row) * kLines + line;
                hn::StoreU(first, d, out);
                hn::StoreU(second, d, out + lanes);
            };
            put(0, a0, a1);
            put(1, b0, b1);
            put(2, c0, c1);
            put(3, e0, e1);
        }
}

void products_float(const float* factors, int n, const float* from, float* to) {
    products(factors, n, from, to);
}

void products_double(const double* factors, int n, const double* from, double* to) {
    products(factors, n, from, to);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(products_float);
HWY_EXPORT(products_double);

template <class T>
std::vector<T> packed_factors(const std::vector<T>& matrix, int n) {
    constexpr int kTogether = kRowsTogether;
    std::vector<T> packed(std::size_t(round_up(n, kTogether)) * std::size_t(n));
    for (int i = 0; i < n; ++i)
        for (int k = 0; k < n; ++k)
            packed[std::size_t((k / kTogether * n + i) * kTogether + k % kTogether)] =
                matrix[std::size_t(i) * std::size_t(n) + std::size_t(k)];
    return packed;
}
template std::vector<float> packed_factors(const std::vector<float>&, int);
template std::vector<double> packed_factors(const std::vector<double>&, int);

template <>
void multiply_lines(const std::vector<float>& packed, int n, const float* from, float* to) {
    HWY_DYNAMIC_DISPATCH(products_float)(packed.data(), n, from, to);
}
template <>
void multiply_lines(const std::vector<double>& packed, int n, const double* from, double* to) {
    HWY_DYNAMIC_DISPATCH(products_double)(packed.data(), n, from, to);
}

}  // namespace stencil
#endif
