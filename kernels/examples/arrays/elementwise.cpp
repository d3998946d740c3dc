#include "kernels/examples/arrays/elementwise.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/examples/arrays/elementwise.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Up to 39000 Highway's sines and cosines are right to 3 units of the last place; beyond they are not.
constexpr double kLargestEasyArgument = 30000;

template <class T>
T chosen_scalar(T y) {
    return y > T(0.5) ? 2 * y : y / 2;
}

template <class D, class V>
V chosen(D d, V y) {
    using T = hn::TFromD<D>;
    return hn::IfThenElse(hn::Gt(y, hn::Set(d, T(0.5))), hn::Add(y, y), hn::Mul(y, hn::Set(d, T(0.5))));
}

// `fast` on all lanes, and `exact` in place of it on each whose argument is beyond its range, or no number.
template <class D, class V, class Fast, class Exact>
HWY_INLINE V guarded(D d, V x, V argument, const Fast& fast, const Exact& exact) {
    using T = hn::TFromD<D>;
    const auto easy = hn::Le(hn::Abs(argument), hn::Set(d, T(kLargestEasyArgument)));
    const V result = fast(argument);
    if (HWY_LIKELY(hn::AllTrue(d, easy))) return result;
    HWY_ALIGN T xs[hn::MaxLanes(d)], arguments[hn::MaxLanes(d)], results[hn::MaxLanes(d)];
    hn::Store(x, d, xs);
    hn::Store(argument, d, arguments);
    hn::Store(result, d, results);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
        if (!(std::abs(arguments[i]) <= T(kLargestEasyArgument))) results[i] = exact(xs[i]);
    return hn::Load(d, results);
}

template <class T, class F>
void map(const T* a, const T* b, T* to, std::int64_t n, const F& f) {
    const hn::ScalableTag<T> d;
    const auto lanes = std::int64_t(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) hn::StoreU(f(d, hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
    if (i == n) return;
    HWY_ALIGN T last_a[hn::MaxLanes(d)] = {}, last_b[hn::MaxLanes(d)] = {}, last[hn::MaxLanes(d)];
    std::copy(a + i, a + n, last_a);
    std::copy(b + i, b + n, last_b);
    hn::Store(f(d, hn::Load(d, last_a), hn::Load(d, last_b)), d, last);
    std::copy(last, last + (n - i), to + i);
}

template <class T>
void sine(const T* x, T* to, std::int64_t n) {
    map(x, x, to, n, [](auto d, auto v, auto) {
        return guarded(
            d, v, v, [&](auto angle) { return hn::Sin(d, angle); }, [](T one) { return std::sin(one); });
    });
}

template <class T>
void cosine(const T* x, T* to, std::int64_t n) {
    map(x, x, to, n, [](auto d, auto v, auto) {
        return guarded(
            d, v, v, [&](auto angle) { return hn::Cos(d, angle); }, [](T one) { return std::cos(one); });
    });
}

// 2x is exact, so adding 1 rounds as it does in passes of their own.
template <class T>
void sine_of_line(const T* x, T* to, std::int64_t n) {
    map(x, x, to, n, [](auto d, auto v, auto) {
        const auto line = hn::Add(hn::Add(v, v), hn::Set(d, T(1)));
        return guarded(
            d,
            v,
            line,
            [&](auto angle) { return hn::Sin(d, angle); },
            [](T one) { return std::sin(2 * one + 1); });
    });
}

template <class T>
void chain(const T* x, T* to, std::int64_t n) {
    map(x, x, to, n, [](auto d, auto v, auto) {
        return guarded(
            d,
            v,
            v,
            [&](auto angle) { return chosen(d, hn::Exp(d, hn::Mul(hn::Sin(d, angle), hn::Cos(d, angle)))); },
            [](T one) { return chosen_scalar(std::exp(std::sin(one) * std::cos(one))); });
    });
}

// Highway's exponential has no sense of numbers that are none, nor of those that overflow.
template <class T>
void exponential(const T* x, T* to, std::int64_t n) {
    constexpr double largest = sizeof(T) == 4 ? 80 : 700;
    map(x, x, to, n, [](auto d, auto v, auto) {
        // Scaled so that what lies beyond the range of the exponential lies beyond that of the guard.
        const auto scaled = hn::Mul(v, hn::Set(d, T(kLargestEasyArgument / largest)));
        return guarded(
            d, v, scaled, [&](auto) { return hn::Exp(d, v); }, [](T one) { return std::exp(one); });
    });
}

template <class T>
void elementwise(Expression expression, const T* x, T* to, std::int64_t n) {
    switch (expression) {
        case Expression::sine_of_line:
            return sine_of_line(x, to, n);
        case Expression::sine:
            return sine(x, to, n);
        case Expression::square:
            return map(x, x, to, n, [](auto, auto v, auto) { return hn::Mul(v, v); });
        case Expression::chain:
            return chain(x, to, n);
    }
}

template <class T>
void pass(Pass which, const T* a, const T* b, T* to, std::int64_t n) {
    switch (which) {
        case Pass::twice:
            return map(a, a, to, n, [](auto, auto v, auto) { return hn::Add(v, v); });
        case Pass::plus_one:
            return map(a, a, to, n, [](auto d, auto v, auto) { return hn::Add(v, hn::Set(d, T(1))); });
        case Pass::sine:
            return sine(a, to, n);
        case Pass::cosine:
            return cosine(a, to, n);
        case Pass::square:
            return map(a, a, to, n, [](auto, auto v, auto) { return hn::Mul(v, v); });
        case Pass::exponential:
            return exponential(a, to, n);
        case Pass::choose:
            return map(a, a, to, n, [](auto d, auto v, auto) { return chosen(d, v); });
        case Pass::product:
            return map(a, b, to, n, [](auto, auto v, auto w) { return hn::Mul(v, w); });
        case Pass::sum:
            return map(a, b, to, n, [](auto, auto v, auto w) { return hn::Add(v, w); });
    }
}

void elementwise_float(Expression expression, const float* x, float* to, std::int64_t n) {
    elementwise(expression, x, to, n);
}
void elementwise_double(Expression expression, const double* x, double* to, std::int64_t n) {
    elementwise(expression, x, to, n);
}
void pass_float(Pass which, const float* a, const float* b, float* to, std::int64_t n) {
    pass(which, a, b, to, n);
}
void pass_double(Pass which, const double* a, const double* b, double* to, std::int64_t n) {
    pass(which, a, b, to, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(elementwise_float);
HWY_EXPORT(elementwise_double);
HWY_EXPORT(pass_float);
HWY_EXPORT(pass_double);

namespace {

void elementwise_one(Expression expression, const float* x, float* to, std::int64_t n) {
    HWY_DYNAMIC_DISPATCH(elementwise_float)(expression, x, to, n);
}
void elementwise_one(Expression expression, const double* x, double* to, std::int64_t n) {
    HWY_DYNAMIC_DISPATCH(elementwise_double)(expression, x, to, n);
}
void pass_one(Pass which, const float* a, const float* b, float* to, std::int64_t n) {
    HWY_DYNAMIC_DISPATCH(pass_float)(which, a, b, to, n);
}
void pass_one(Pass which, const double* a, const double* b, double* to, std::int64_t n) {
    HWY_DYNAMIC_DISPATCH(pass_double)(which, a, b, to, n);
}

constexpr std::int64_t kMinElements = 8192;  // that are worth a thread

}  // namespace

template <class T>
void cpu_elementwise(ThreadPool& threads, Expression expression, const T* x, T* y, std::int64_t n) {
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        elementwise_one(expression, x + begin, y + begin, end - begin);
    };
    threads.for_ranges(n, part, kMinElements);
}

template <class T>
void cpu_pass(ThreadPool& threads, Pass which, const T* a, const T* b, T* to, std::int64_t n) {
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        pass_one(which, a + begin, (b ? b : a) + begin, to + begin, end - begin);
    };
    threads.for_ranges(n, part, kMinElements);
}

template void cpu_elementwise<float>(ThreadPool&, Expression, const float*, float*, std::int64_t);
template void cpu_elementwise<double>(ThreadPool&, Expression, const double*, double*, std::int64_t);
template void cpu_pass<float>(ThreadPool&, Pass, const float*, const float*, float*, std::int64_t);
template void cpu_pass<double>(ThreadPool&, Pass, const double*, const double*, double*, std::int64_t);

}  // namespace stencil
#endif
