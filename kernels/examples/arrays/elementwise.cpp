#include "kernels/examples/arrays/elementwise.h"

#include <algorithm>

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

// Highway's sines and cosines have errors below 3 ulp for arguments up to 39000, but not beyond.
constexpr double kLargestEasyArgument = 30000;

template <class D, class V>
V chosen(D d, V y) {
    using T = hn::TFromD<D>;
    return hn::IfThenElse(hn::Gt(y, hn::Set(d, T(0.5))), hn::Add(y, y), hn::Mul(y, hn::Set(d, T(0.5))));
}

// `fast` on all lanes, except those whose argument is out of range or NaN: they use the standard library.
template <class D, class V, class Fast>
HWY_INLINE V guarded(D d, Map map, V x, V argument, const Fast& fast) {
    using T = hn::TFromD<D>;
    const auto easy = hn::Le(hn::Abs(argument), hn::Set(d, T(kLargestEasyArgument)));
    const V result = fast(argument);
    if (HWY_LIKELY(hn::AllTrue(d, easy))) return result;
    HWY_ALIGN T xs[hn::MaxLanes(d)], arguments[hn::MaxLanes(d)], results[hn::MaxLanes(d)];
    hn::Store(x, d, xs);
    hn::Store(argument, d, arguments);
    hn::Store(result, d, results);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
        if (!(std::abs(arguments[i]) <= T(kLargestEasyArgument))) results[i] = map_value(map, xs[i]);
    return hn::Load(d, results);
}

template <class T, class F>
void map_all(const T* a, const T* b, T* to, std::int64_t n, const F& f) {
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
void map_range(Map map, const T* a, const T* b, T* to, std::int64_t n) {
    switch (map) {
        case Map::sine_of_line:  // 2x is exact, so adding 1 rounds as in separate passes
            return map_all(a, a, to, n, [](auto d, auto v, auto) {
                const auto line = hn::Add(hn::Add(v, v), hn::Set(d, T(1)));
                return guarded(d, Map::sine_of_line, v, line, [&](auto angle) { return hn::Sin(d, angle); });
            });
        case Map::chain:
            return map_all(a, a, to, n, [](auto d, auto v, auto) {
                return guarded(d, Map::chain, v, v, [&](auto angle) {
                    return chosen(d, hn::Exp(d, hn::Mul(hn::Sin(d, angle), hn::Cos(d, angle))));
                });
            });
        case Map::sine:
            return map_all(a, a, to, n, [](auto d, auto v, auto) {
                return guarded(d, Map::sine, v, v, [&](auto angle) { return hn::Sin(d, angle); });
            });
        case Map::cosine:
            return map_all(a, a, to, n, [](auto d, auto v, auto) {
                return guarded(d, Map::cosine, v, v, [&](auto angle) { return hn::Cos(d, angle); });
            });
        case Map::square:
            return map_all(a, a, to, n, [](auto, auto v, auto) { return hn::Mul(v, v); });
        case Map::twice:
            return map_all(a, a, to, n, [](auto, auto v, auto) { return hn::Add(v, v); });
        case Map::plus_one:
            return map_all(a, a, to, n, [](auto d, auto v, auto) { return hn::Add(v, hn::Set(d, T(1))); });
        case Map::exponential:  // hn::Exp handles neither NaN nor overflow
            return map_all(a, a, to, n, [](auto d, auto v, auto) {
                // Scaled so that arguments beyond the range of the exponential are beyond that of guarded().
                constexpr double kLargest = sizeof(T) == 4 ? 80 : 700;
                const auto scaled = hn::Mul(v, hn::Set(d, T(kLargestEasyArgument / kLargest)));
                return guarded(d, Map::exponential, v, scaled, [&](auto) { return hn::Exp(d, v); });
            });
        case Map::choose:
            return map_all(a, a, to, n, [](auto d, auto v, auto) { return chosen(d, v); });
        case Map::product:
            return map_all(a, b, to, n, [](auto, auto v, auto w) { return hn::Mul(v, w); });
        case Map::sum:
            return map_all(a, b, to, n, [](auto, auto v, auto w) { return hn::Add(v, w); });
    }
}

void map_float(Map map, const float* a, const float* b, float* to, std::int64_t n) {
    map_range(map, a, b, to, n);
}
void map_double(Map map, const double* a, const double* b, double* to, std::int64_t n) {
    map_range(map, a, b, to, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(map_float);
HWY_EXPORT(map_double);

template <class T>
void cpu_map(ThreadPool& threads, Map map, const T* a, const T* b, T* to, std::int64_t n) {
    constexpr std::int64_t kMinElements = 8192;  // elements that are worth waking a thread for
    const auto part = [&](std::int64_t begin, std::int64_t end) {
        const T* const second = (takes_two(map) ? b : a) + begin;
        if constexpr (sizeof(T) == 4)
            HWY_DYNAMIC_DISPATCH(map_float)(map, a + begin, second, to + begin, end - begin);
        else
            HWY_DYNAMIC_DISPATCH(map_double)(map, a + begin, second, to + begin, end - begin);
    };
    threads.for_ranges(n, part, kMinElements);
}

template void cpu_map<float>(ThreadPool&, Map, const float*, const float*, float*, std::int64_t);
template void cpu_map<double>(ThreadPool&, Map, const double*, const double*, double*, std::int64_t);

}  // namespace stencil
#endif
