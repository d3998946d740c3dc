#include "kernels/equation/rows/row_machine.h"

#include <algorithm>
#include <limits>

#include "kernels/equation/rows/scalar_machine.h"
#include "kernels/field/divide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/equation/rows/row_machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil::equation {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

// Vectors no wider than a cache line, to which rows are aligned.
template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vec = hn::Vec<Tag<T>>;
template <class T>
constexpr int kLanes = int(hn::MaxLanes(Tag<T>()));

template <class T>
HWY_INLINE T* at(T* pointer, std::ptrdiff_t moves, std::ptrdiff_t x) {
    return pointer + (moves & x);
}

// Applies f to the operands, a vector at a time. A scalar is read from a vector of copies, so that the loop
// has no branches.
template <class T, class F>
HWY_INLINE void each(const TileOperation<T>& o, std::ptrdiff_t x, int cells, F&& f) {
    const Tag<T> d;
    HWY_ALIGN T copies[4][kLanes<T>];
    const T* from[4];
    std::ptrdiff_t moves[4];
    for (std::size_t k = 0; k < 4; ++k) {
        const bool per_cell = o.from[k] != nullptr && !o.scalar[k];
        if (!per_cell) hn::Store(hn::Set(d, o.from[k] == nullptr ? T(0) : *o.from[k]), d, copies[k]);
        from[k] = per_cell ? at(o.from[k], o.from_moves[k], x) : copies[k];
        moves[k] = per_cell ? -1 : 0;
    }
    const auto load = [&](std::size_t k, std::ptrdiff_t i) { return hn::LoadU(d, from[k] + (i & moves[k])); };
    T* to = at(o.to, o.to_moves, x);
    for (std::ptrdiff_t i = 0; i < cells; i += kLanes<T>)
        hn::StoreU(f(d, load(0, i), load(1, i), load(2, i), load(3, i)), d, to + i);
}

// random_cell() for consecutive cells; 32-bit words are in the lower halves of 64-bit lanes.
template <class T>
void random_cells(const TileOperation<T>& o, std::ptrdiff_t x, int cells) {
    const hn::CappedTag<std::uint64_t, 8> d;
    const hn::Repartition<std::uint32_t, decltype(d)> words;
    const auto product = [&](auto a, std::uint32_t factor) {
        return hn::MulEven(hn::BitCast(words, a), hn::Set(words, factor));
    };
    const auto lower = [&](auto a) { return hn::And(a, hn::Set(d, 0xFFFFFFFFu)); };
    T* to = at(o.to, o.to_moves, x);
    const auto first = hn::Iota(d, 0);
    for (int i = 0; i < cells; i += int(hn::MaxLanes(d))) {
        PhiloxBlock block = philox_block(o.random->key, 0, o.random->y);
        auto a = hn::Add(first, hn::Set(d, std::uint64_t(x + i))), b = hn::Set(d, block.counter[1]);
        auto c = hn::Set(d, block.counter[2]), e = hn::Set(d, block.counter[3]);
        for (int round = 0; round < kPhiloxRounds; ++round) {
            const auto p = product(a, kPhiloxFactors[0]), q = product(c, kPhiloxFactors[1]);
            a = hn::Xor(hn::Xor(hn::ShiftRight<32>(q), b), hn::Set(d, block.key[0]));
            c = hn::Xor(hn::Xor(hn::ShiftRight<32>(p), e), hn::Set(d, block.key[1]));
            b = q;
            e = p;
            for (std::size_t k = 0; k < block.key.size(); ++k) block.key[k] += kPhiloxWeyl[k];
        }
        const hn::RebindToFloat<decltype(d)> df;
        const auto number = [&](auto bits) {
            return hn::ConvertTo(df, hn::BitCast(hn::RebindToSigned<decltype(d)>(), bits));
        };
        if constexpr (sizeof(T) == 4) {
            const auto value = hn::Mul(number(hn::ShiftRight<8>(lower(a))), hn::Set(df, 0x1p-24));
            const hn::Rebind<float, decltype(d)> half;
            hn::StoreU(hn::DemoteTo(half, value), half, to + i);
        } else {
            const auto bits = hn::Xor(hn::ShiftLeft<21>(lower(a)), hn::ShiftRight<11>(lower(b)));
            hn::StoreU(hn::Mul(number(bits), hn::Set(df, 0x1p-53)), df, to + i);
        }
    }
}

template <class D, class V>
V two_to(D d, V n) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    const auto biased = hn::Add(hn::ConvertTo(di, n), hn::Set(di, Bits<T>::kBias));
    return hn::BitCast(d, hn::ShiftLeft<Bits<T>::kMantissa>(biased));
}

template <class D, class V>
V scale(D d, V a, V n) {
    using T = hn::TFromD<D>;
    const auto least = hn::Set(d, T(2 - 2 * Bits<T>::kBias)), most = hn::Set(d, T(2 * Bits<T>::kBias));
    const auto above = hn::IfThenElse(hn::Gt(n, least), n, least);
    const auto whole = hn::IfThenElse(hn::Lt(above, most), above, most);
    const auto half = hn::Floor(hn::Mul(whole, hn::Set(d, T(0.5))));
    return hn::Mul(hn::Mul(a, two_to(d, half)), two_to(d, hn::Sub(whole, half)));
}

// Scales subnormal numbers like normal_of().
template <class D, class V>
V normal(D d, V a) {
    using T = hn::TFromD<D>;
    const auto least = hn::Set(d, std::numeric_limits<T>::min());
    return hn::IfThenElse(
        hn::Lt(a, least), hn::Mul(a, hn::Set(d, T(std::int64_t(1) << Bits<T>::kMantissa))), a);
}

template <class D, class V>
V exponent(D d, V a) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    const auto biased = hn::ShiftRight<Bits<T>::kMantissa>(hn::BitCast(di, normal(d, a)));
    const auto below = hn::IfThenElseZero(hn::Lt(a, hn::Set(d, std::numeric_limits<T>::min())),
                                          hn::Set(d, T(Bits<T>::kMantissa)));
    return hn::Sub(hn::ConvertTo(d, hn::Sub(biased, hn::Set(di, Bits<T>::kBias))), below);
}

template <class D, class V>
V significand(D d, V a) {
    using T = hn::TFromD<D>;
    const hn::RebindToSigned<D> di;
    const auto mask = hn::Set(di, (typename Bits<T>::Integer(1) << Bits<T>::kMantissa) - 1);
    const auto fraction = hn::And(hn::BitCast(di, normal(d, a)), mask);
    return hn::BitCast(d, hn::Or(fraction, hn::BitCast(di, hn::Set(d, T(1)))));
}

template <class T>
void run_operation(const TileOperation<T>& o, std::ptrdiff_t x, int n) {
    const auto unary = [&](auto f) { each(o, x, n, [&](auto, auto a, auto, auto, auto) { return f(a); }); };
    const auto binary = [&](auto f) {
        each(o, x, n, [&](auto, auto a, auto b, auto, auto) { return f(a, b); });
    };
    const auto ternary = [&](auto f) {
        each(o, x, n, [&](auto, auto a, auto b, auto c, auto) { return f(a, b, c); });
    };
    const auto truth = [](auto mask) { return hn::IfThenElseZero(mask, hn::Set(Tag<T>(), T(1))); };
    switch (o.code) {
        case Code::add:
            return binary([](auto a, auto b) { return hn::Add(a, b); });
        case Code::subtract:
            return binary([](auto a, auto b) { return hn::Sub(a, b); });
        case Code::multiply:
            return binary([](auto a, auto b) { return hn::Mul(a, b); });
        case Code::divide:
            return binary([](auto a, auto b) { return hn::Div(a, b); });
        case Code::fma:
            return ternary([](auto a, auto b, auto c) { return hn::MulAdd(a, b, c); });
        case Code::fnma:
            return ternary([](auto a, auto b, auto c) { return hn::NegMulAdd(a, b, c); });
        case Code::fms:
            return ternary([](auto a, auto b, auto c) { return hn::MulSub(a, b, c); });
        case Code::sum4:
            return each(o, x, n, [](auto, auto a, auto b, auto c, auto d) {
                return hn::Add(hn::Add(a, b), hn::Add(c, d));
            });
        case Code::negate:
            return unary([](auto a) { return hn::Neg(a); });
        case Code::sqrt:
            return unary([](auto a) { return hn::Sqrt(a); });
        case Code::abs:
            return unary([](auto a) { return hn::Abs(a); });
        case Code::floor:
            return unary([](auto a) { return hn::Floor(a); });
        case Code::minimum:
            return binary([](auto a, auto b) { return hn::IfThenElse(hn::Lt(a, b), a, b); });
        case Code::maximum:
            return binary([](auto a, auto b) { return hn::IfThenElse(hn::Gt(a, b), a, b); });
        case Code::less:
            return binary([&](auto a, auto b) { return truth(hn::Lt(a, b)); });
        case Code::less_or_equal:
            return binary([&](auto a, auto b) { return truth(hn::Le(a, b)); });
        case Code::equal:
            return binary([&](auto a, auto b) { return truth(hn::Eq(a, b)); });
        case Code::select:
            // An equality, because Ne() is false for NaN on some processors.
            return ternary(
                [](auto a, auto b, auto c) { return hn::IfThenElse(hn::Eq(a, hn::Zero(Tag<T>())), c, b); });
        case Code::scale:
            return binary([](auto a, auto b) { return scale(Tag<T>(), a, b); });
        case Code::exponent:
            return unary([](auto a) { return exponent(Tag<T>(), a); });
        case Code::significand:
            return unary([](auto a) { return significand(Tag<T>(), a); });
        default:
            return random_cells(o, x, n);
    }
}

template <class T>
void run_all(const TileOperation<T>* operations, std::size_t count, int cells) {
    // The last tile extends beyond the row's end; shifted back, it might read what it has overwritten.
    for (int x = 0; x < cells; x += kTile<T>) {
        const int n = std::min(kTile<T>, round_up(cells - x, kLeastTile<T>));
        for (std::size_t i = 0; i < count; ++i) run_operation(operations[i], x, n);
    }
}

template <class T>
void multiply_add_all(const T* a, const T* b, const T* c, T* to, int n) {
    const auto run = [&](auto d, int x) {
        hn::StoreU(hn::MulAdd(hn::LoadU(d, a + x), hn::LoadU(d, b + x), hn::LoadU(d, c + x)), d, to + x);
    };
    int x = 0;
    for (; x + kLanes<T> <= n; x += kLanes<T>) run(Tag<T>(), x);
    for (; x < n; ++x) run(hn::CappedTag<T, 1>(), x);
}

#else

// Never called, because has_row_machine() is false.
template <class T>
void run_all(const TileOperation<T>*, std::size_t, int) {}

template <class T>
void multiply_add_all(const T* a, const T* b, const T* c, T* to, int n) {
    for (int x = 0; x < n; ++x) to[x] = std::fma(a[x], b[x], c[x]);
}

#endif

void run_float(const TileOperation<float>* operations, std::size_t count, int cells) {
    run_all(operations, count, cells);
}
void run_double(const TileOperation<double>* operations, std::size_t count, int cells) {
    run_all(operations, count, cells);
}

void multiply_add_float(const float* a, const float* b, const float* c, float* to, int n) {
    multiply_add_all(a, b, c, to, n);
}
void multiply_add_double(const double* a, const double* b, const double* c, double* to, int n) {
    multiply_add_all(a, b, c, to, n);
}

bool rounds_once() {
    return HWY_NATIVE_FMA != 0;
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil::equation
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil::equation {

HWY_EXPORT(run_float);
HWY_EXPORT(run_double);
HWY_EXPORT(multiply_add_float);
HWY_EXPORT(multiply_add_double);
HWY_EXPORT(rounds_once);

template <>
void run_row(const TileOperation<float>* operations, std::size_t count, int cells) {
    HWY_DYNAMIC_DISPATCH(run_float)(operations, count, cells);
}
template <>
void run_row(const TileOperation<double>* operations, std::size_t count, int cells) {
    HWY_DYNAMIC_DISPATCH(run_double)(operations, count, cells);
}

void multiply_add(const float* a, const float* b, const float* c, float* to, int n) {
    HWY_DYNAMIC_DISPATCH(multiply_add_float)(a, b, c, to, n);
}
void multiply_add(const double* a, const double* b, const double* c, double* to, int n) {
    HWY_DYNAMIC_DISPATCH(multiply_add_double)(a, b, c, to, n);
}

bool has_row_machine() {
    return HWY_DYNAMIC_DISPATCH(rounds_once)();
}

}  // namespace stencil::equation
#endif
