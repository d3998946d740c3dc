#include "kernels/machine/issue_rate.h"

#include <type_traits>
#include <vector>

#include "kernels/cpu/thread_pool.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/machine/issue_rate.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Two FMA units with a latency of four cycles need 8 independent chains; 12 leave a margin and still fit the
// 16 registers of AVX2.
constexpr int kChains = 12;

// Without FMA support a multiply-add is two instructions.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_SSE2 || HWY_TARGET == HWY_SSSE3 || HWY_TARGET == HWY_SSE4
constexpr int kInstructions = 2;
#else
constexpr int kInstructions = 1;
#endif

template <class T>
std::int64_t issue(std::int64_t rounds, T* result) {
    const hn::CappedTag<T, 64 / sizeof(T)> d;
    using V = decltype(hn::Zero(d));
    // Converges to 0.5: no overflow, no subnormals, and nothing the compiler could fold.
    const V factor = hn::Set(d, T(0.75));
    const V term = hn::Set(d, T(0.125));
    V a = hn::Iota(d, T(0)), b = hn::Iota(d, T(1)), c = hn::Iota(d, T(2)), e = hn::Iota(d, T(3));
    V f = hn::Iota(d, T(4)), g = hn::Iota(d, T(5)), h = hn::Iota(d, T(6)), i = hn::Iota(d, T(7));
    V j = hn::Iota(d, T(8)), k = hn::Iota(d, T(9)), l = hn::Iota(d, T(10)), m = hn::Iota(d, T(11));
    for (std::int64_t round = 0; round < rounds; ++round) {
        a = hn::MulAdd(a, factor, term);
        b = hn::MulAdd(b, factor, term);
        c = hn::MulAdd(c, factor, term);
        e = hn::MulAdd(e, factor, term);
        f = hn::MulAdd(f, factor, term);
        g = hn::MulAdd(g, factor, term);
        h = hn::MulAdd(h, factor, term);
        i = hn::MulAdd(i, factor, term);
        j = hn::MulAdd(j, factor, term);
        k = hn::MulAdd(k, factor, term);
        l = hn::MulAdd(l, factor, term);
        m = hn::MulAdd(m, factor, term);
    }
    const V all =
        hn::Add(hn::Add(hn::Add(a, b), hn::Add(c, e)),
                hn::Add(hn::Add(hn::Add(f, g), hn::Add(h, i)), hn::Add(hn::Add(j, k), hn::Add(l, m))));
    *result = hn::GetLane(hn::SumOfLanes(d, all));
    return rounds * kChains * kInstructions * std::int64_t(hn::Lanes(d));
}

std::int64_t issue_float(std::int64_t rounds, float* result) {
    return issue(rounds, result);
}

std::int64_t issue_double(std::int64_t rounds, double* result) {
    return issue(rounds, result);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(issue_float);
HWY_EXPORT(issue_double);

template <class T>
std::int64_t cpu_issue(ThreadPool& threads, std::int64_t rounds) {
    struct alignas(64) Own {
        std::int64_t count = 0;
        T result = 0;
    };
    std::vector<Own> all(std::size_t(threads.size()));
    threads.run([&](int i) {
        Own& own = all[std::size_t(i)];
        if constexpr (std::is_same_v<T, float>)
            own.count = HWY_DYNAMIC_DISPATCH(issue_float)(rounds, &own.result);
        else
            own.count = HWY_DYNAMIC_DISPATCH(issue_double)(rounds, &own.result);
    });
    std::int64_t count = 0;
    for (const Own& own : all) count += own.count;
    return count;
}

template std::int64_t cpu_issue<float>(ThreadPool&, std::int64_t);
template std::int64_t cpu_issue<double>(ThreadPool&, std::int64_t);

}  // namespace stencil
#endif
