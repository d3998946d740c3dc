#include "kernels/equation/rows/row_machine.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "kernels/equation/operations.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/equation/rows/row_machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#if HWY_MAJOR < 1  // Ubuntu 22.04: it does not say which targets round a product and a sum once
#undef HWY_NATIVE_FMA
#define HWY_NATIVE_FMA (HWY_TARGET != HWY_SSSE3 && HWY_TARGET != HWY_SSE4)
#endif

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

// A tile of `count` vectors, which stays in registers throughout run_tile().
template <class T, int count>
using Vectors = std::array<Vec<T>, std::size_t(count)>;

template <class T>
HWY_INLINE T* at(T* pointer, std::ptrdiff_t moves, std::ptrdiff_t x) {
    return pointer + (moves & x);
}

template <Source source, class T>
class Argument {
  public:
    HWY_INLINE Argument(const TileOperation<T>& o, std::size_t k, std::ptrdiff_t x) {
        if constexpr (source == Source::cells) cells_ = at(o.from[k], o.from_moves[k], x);
        if constexpr (source == Source::scalar) scalar_ = hn::Set(Tag<T>(), *o.from[k]);
    }
    HWY_INLINE Vec<T> vector(Vec<T> previous, std::size_t j) const {
        if constexpr (source == Source::cells)
            return hn::LoadU(Tag<T>(), cells_ + j * std::size_t(kLanes<T>));
        else if constexpr (source == Source::scalar)
            return scalar_;
        else
            return previous;
    }

  private:
    const T* cells_ = nullptr;
    Vec<T> scalar_ = hn::Zero(Tag<T>());
};

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

// The vector form of each instruction; one without does not compile.
template <Code code, class D, class V>
HWY_INLINE V result(D tag, V a, V b, V c, V d) {
    const auto truth = [&](auto mask) { return hn::IfThenElseZero(mask, hn::Set(tag, 1)); };
    if constexpr (code == Code::add)
        return hn::Add(a, b);
    else if constexpr (code == Code::subtract)
        return hn::Sub(a, b);
    else if constexpr (code == Code::multiply)
        return hn::Mul(a, b);
    else if constexpr (code == Code::divide)
        return hn::Div(a, b);
    else if constexpr (code == Code::fma)
        return hn::MulAdd(a, b, c);
    else if constexpr (code == Code::fnma)
        return hn::NegMulAdd(a, b, c);
    else if constexpr (code == Code::fms)
        return hn::MulSub(a, b, c);
    else if constexpr (code == Code::sum4)
        return hn::Add(hn::Add(a, b), hn::Add(c, d));
    else if constexpr (code == Code::negate)
        return hn::Neg(a);
    else if constexpr (code == Code::sqrt)
        return hn::Sqrt(a);
    else if constexpr (code == Code::abs)
        return hn::Abs(a);
    else if constexpr (code == Code::floor)
        return hn::Floor(a);
    else if constexpr (code == Code::minimum)
        return hn::IfThenElse(hn::Lt(a, b), a, b);
    else if constexpr (code == Code::maximum)
        return hn::IfThenElse(hn::Gt(a, b), a, b);
    else if constexpr (code == Code::less)
        return truth(hn::Lt(a, b));
    else if constexpr (code == Code::less_or_equal)
        return truth(hn::Le(a, b));
    else if constexpr (code == Code::equal)
        return truth(hn::Eq(a, b));
    else if constexpr (code == Code::select)
        // An equality, because Ne() is false for NaN on some processors.
        return hn::IfThenElse(hn::Eq(a, hn::Zero(tag)), c, b);
    else if constexpr (code == Code::scale)
        return scale(tag, a, b);
    else if constexpr (code == Code::exponent)
        return exponent(tag, a);
    else if constexpr (code == Code::significand)
        return significand(tag, a);
    else
        static_assert(code == Code::random, "an instruction has no vector form");
}

template <Code code, Source a, Source b, Source c, Source d, class T, int count, std::size_t... j>
HWY_INLINE void chain(const TileOperation<T>& o,
                      std::ptrdiff_t x,
                      Vectors<T, count>& v,
                      std::index_sequence<j...>) {
    const Argument<a, T> first(o, 0, x);
    const Argument<b, T> second(o, 1, x);
    const Argument<c, T> third(o, 2, x);
    const Argument<d, T> fourth(o, 3, x);
    ((v[j] = result<code>(Tag<T>(),
                          first.vector(v[j], j),
                          second.vector(v[j], j),
                          third.vector(v[j], j),
                          fourth.vector(v[j], j))),
     ...);
}

template <int k, class T, int count>
HWY_INLINE void run_chained(const TileOperation<T>& o, std::ptrdiff_t x, Vectors<T, count>& v) {
    constexpr Kernel kernel = kChainedKernels[std::size_t(k)];
    constexpr auto each = std::make_index_sequence<std::size_t(count)>();
    chain<kernel.code, kernel.sources[0], kernel.sources[1], kernel.sources[2], kernel.sources[3], T, count>(
        o, x, v, each);
}

// Applies f to operands in memory, a vector at a time.
template <class T, class F>
void each(const TileOperation<T>& o, std::ptrdiff_t x, int cells, F&& f) {
    const Tag<T> d;
    const auto load = [&](std::size_t k, int i) {
        if (o.kernel.sources[k] == Source::none) return hn::Zero(d);
        if (o.kernel.sources[k] == Source::scalar) return hn::Set(d, *o.from[k]);
        return hn::LoadU(d, at(o.from[k], o.from_moves[k], x) + i);
    };
    T* to = at(o.to, o.to_moves, x);
    for (int i = 0; i < cells; i += kLanes<T>)
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

template <class T, std::size_t row>
void run_row_of_table(const TileOperation<T>& o, std::ptrdiff_t x, int cells) {
    constexpr Code code = kOperations[row].code;
    if constexpr (code == Code::random)
        random_cells(o, x, cells);
    else
        each(o, x, cells, [](auto d, auto a, auto b, auto c, auto e) { return result<code>(d, a, b, c, e); });
}

template <class T>
HWY_NOINLINE void run_unchained(const TileOperation<T>& o, std::ptrdiff_t x, int cells) {
    [&]<std::size_t... row>(std::index_sequence<row...>) {
        static constexpr std::array kRun{&run_row_of_table<T, row>...};
        kRun[std::size_t(o.kernel.code) - std::size_t(kOperations.front().code.value)](o, x, cells);
    }
    (std::make_index_sequence<kOperations.size()>());
}

template <class T, int count, std::size_t... j>
HWY_INLINE void store(T* to, const Vectors<T, count>& v, std::index_sequence<j...>) {
    (hn::StoreU(v[j], Tag<T>(), to + j * std::size_t(kLanes<T>)), ...);
}

template <class T, int count>
void run_tile(const TileOperation<T>* o, const TileOperation<T>* end, std::ptrdiff_t x) {
    constexpr auto each = std::make_index_sequence<std::size_t(count)>();
    using enum Source;
    Vectors<T, count> v{};
    for (; o != end; ++o) {
        if (o->chained < 0) {
            run_unchained(*o, x, count * kLanes<T>);
            v = {};
            continue;
        }
        [&]<int... k>(std::integer_sequence<int, k...>) {
            ((o->chained == k && (run_chained<k, T, count>(*o, x, v), true)) || ...);
        }
        (std::make_integer_sequence<int, int(kChainedKernels.size())>());
        if (o->to != nullptr) store<T, count>(at(o->to, o->to_moves, x), v, each);
    }
}

template <class T>
void run_all(const TileOperation<T>* operations, std::size_t count, int cells) {
    const TileOperation<T>* end = operations + count;
    constexpr int least = kLeastTile<T>;
    int x = 0;
    // The last tile extends beyond the row's end; shifted back, it might read what it has overwritten.
#if HWY_TARGET <= HWY_AVX3
    // With 32 vector registers, half of them hold a tile.
    for (; cells - x >= kTile<T>; x += kTile<T>) run_tile<T, kTile<T> / kLanes<T>>(operations, end, x);
#endif
    for (; x < cells; x += least) run_tile<T, least / kLanes<T>>(operations, end, x);
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
