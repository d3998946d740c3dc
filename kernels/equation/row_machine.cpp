#include "kernels/equation/row_machine.h"

#include <hwy/detect_targets.h>

#include "kernels/equation/scalar_machine.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/equation/row_machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil::equation {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
using Vec = hn::Vec<D>;

// One vector of a value after the other: f of as many arguments as the operation has.
template <int count, class T, class F>
void each(const BlockOperation<T>& o, std::size_t cells, F&& f) {
    const hn::ScalableTag<T> d;
    for (std::size_t i = 0; i < cells; i += hn::Lanes(d)) {
        const auto a = hn::LoadU(d, o.from[0] + i);
        if constexpr (count == 1) {
            hn::StoreU(f(d, a), d, o.to + i);
        } else {
            const auto b = hn::LoadU(d, o.from[1] + i);
            if constexpr (count == 2) {
                hn::StoreU(f(d, a, b), d, o.to + i);
            } else {
                const auto c = hn::LoadU(d, o.from[2] + i);
                if constexpr (count == 3)
                    hn::StoreU(f(d, a, b, c), d, o.to + i);
                else
                    hn::StoreU(f(d, a, b, c, hn::LoadU(d, o.from[3] + i)), d, o.to + i);
            }
        }
    }
}

template <class T>
void one_by_one(const BlockOperation<T>& o, std::size_t cells) {
    for (std::size_t i = 0; i < cells; ++i)
        o.to[i] = apply(o.code, o.from[0][i], o.from[1] != nullptr ? o.from[1][i] : T(0), T(0), T(0));
}

template <class D, class V>
V two_to(D d, V n) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    const auto biased = hn::Add(hn::ConvertTo(di, n), hn::Set(di, Bits<T>::kBias));
    return hn::BitCast(d, hn::ShiftLeft<Bits<T>::kMantissa>(biased));
}

template <class T>
void scale(const BlockOperation<T>& o, std::size_t cells) {
    each<2>(o, cells, [](auto d, auto a, auto n) {
        const auto least = hn::Set(d, T(2 - 2 * Bits<T>::kBias)), most = hn::Set(d, T(2 * Bits<T>::kBias));
        const auto above = hn::IfThenElse(hn::Gt(n, least), n, least);
        const auto whole = hn::IfThenElse(hn::Lt(above, most), above, most);
        const auto half = hn::Floor(hn::Mul(whole, hn::Set(d, T(0.5))));
        return hn::Mul(hn::Mul(a, two_to(d, half)), two_to(d, hn::Sub(whole, half)));
    });
}

template <class T>
void run_one(const BlockOperation<T>& o, std::size_t n) {
    const auto truth = [](auto d, auto mask) { return hn::IfThenElseZero(mask, hn::Set(d, T(1))); };
    switch (o.code) {
        case Code::add:
            return each<2>(o, n, [](auto, auto a, auto b) { return hn::Add(a, b); });
        case Code::subtract:
            return each<2>(o, n, [](auto, auto a, auto b) { return hn::Sub(a, b); });
        case Code::multiply:
            return each<2>(o, n, [](auto, auto a, auto b) { return hn::Mul(a, b); });
        case Code::divide:
            return each<2>(o, n, [](auto, auto a, auto b) { return hn::Div(a, b); });
        case Code::fma:
            return each<3>(o, n, [](auto, auto a, auto b, auto c) { return hn::MulAdd(a, b, c); });
        case Code::fnma:
            return each<3>(o, n, [](auto, auto a, auto b, auto c) { return hn::NegMulAdd(a, b, c); });
        case Code::fms:
            return each<3>(o, n, [](auto, auto a, auto b, auto c) { return hn::MulSub(a, b, c); });
        case Code::sum4:
            return each<4>(o, n, [](auto, auto a, auto b, auto c, auto e) {
                return hn::Add(hn::Add(a, b), hn::Add(c, e));
            });
        case Code::negate:
            return each<1>(o, n, [](auto, auto a) { return hn::Neg(a); });
        case Code::sqrt:
            return each<1>(o, n, [](auto, auto a) { return hn::Sqrt(a); });
        case Code::abs:
            return each<1>(o, n, [](auto, auto a) { return hn::Abs(a); });
        case Code::floor:
            return each<1>(o, n, [](auto, auto a) { return hn::Floor(a); });
        case Code::minimum:
            return each<2>(o, n, [](auto, auto a, auto b) { return hn::IfThenElse(hn::Lt(a, b), a, b); });
        case Code::maximum:
            return each<2>(o, n, [](auto, auto a, auto b) { return hn::IfThenElse(hn::Gt(a, b), a, b); });
        case Code::less:
            return each<2>(o, n, [&](auto d, auto a, auto b) { return truth(d, hn::Lt(a, b)); });
        case Code::less_or_equal:
            return each<2>(o, n, [&](auto d, auto a, auto b) { return truth(d, hn::Le(a, b)); });
        case Code::equal:
            return each<2>(o, n, [&](auto d, auto a, auto b) { return truth(d, hn::Eq(a, b)); });
        case Code::select:
            // As an equality, because NaN is not 0 and Ne() is false for it on some processors.
            return each<3>(o, n, [](auto d, auto a, auto b, auto c) {
                return hn::IfThenElse(hn::Eq(a, hn::Zero(d)), c, b);
            });
        case Code::scale:
            return scale(o, n);
        default:
            return one_by_one(o, n);
    }
}

template <class T>
void run_all(const BlockOperation<T>* operations, std::size_t count, int cells) {
    const std::size_t lanes = hn::Lanes(hn::ScalableTag<T>());
    const std::size_t whole = (std::size_t(cells) + lanes - 1) / lanes * lanes;
    for (std::size_t i = 0; i < count; ++i) run_one(operations[i], whole);
}

void run_float(const BlockOperation<float>* operations, std::size_t count, int cells) {
    run_all(operations, count, cells);
}
void run_double(const BlockOperation<double>* operations, std::size_t count, int cells) {
    run_all(operations, count, cells);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil::equation
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil::equation {

HWY_EXPORT(run_float);
HWY_EXPORT(run_double);

template <>
void run_block(const BlockOperation<float>* operations, std::size_t count, int cells) {
    HWY_DYNAMIC_DISPATCH(run_float)(operations, count, cells);
}
template <>
void run_block(const BlockOperation<double>* operations, std::size_t count, int cells) {
    HWY_DYNAMIC_DISPATCH(run_double)(operations, count, cells);
}

bool has_row_machine() {
#if HWY_ARCH_X86
    return (hwy::SupportedTargets() & (HWY_AVX2 | HWY_AVX3)) != 0;
#else
    return true;
#endif
}

}  // namespace stencil::equation
#endif
