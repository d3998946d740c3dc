#include "kernels/equation/row_machine.h"

#include <algorithm>
#include <utility>

#include "kernels/equation/scalar_machine.h"

#if !defined(__x86_64__)
// Vectors of a length unknown to the compiler cannot be kept in arrays.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/equation/row_machine.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil::equation {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// No wider than the cache line that rows are aligned to.
template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;
template <class T>
using Vec = hn::Vec<Tag<T>>;
template <class T>
constexpr int kLanes = int(hn::MaxLanes(Tag<T>()));

// A tile is `count` vectors, which the compiler keeps in registers throughout run_tile().
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

template <Code code, class V>
HWY_INLINE V result(V a, V b, V c, V d) {
    if constexpr (code == Code::add) return hn::Add(a, b);
    if constexpr (code == Code::subtract) return hn::Sub(a, b);
    if constexpr (code == Code::multiply) return hn::Mul(a, b);
    if constexpr (code == Code::fma) return hn::MulAdd(a, b, c);
    if constexpr (code == Code::fnma) return hn::NegMulAdd(a, b, c);
    if constexpr (code == Code::fms) return hn::MulSub(a, b, c);
    if constexpr (code == Code::sum4) return hn::Add(hn::Add(a, b), hn::Add(c, d));
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
    ((v[j] = result<code>(
          first.vector(v[j], j), second.vector(v[j], j), third.vector(v[j], j), fourth.vector(v[j], j))),
     ...);
}

constexpr int form(Source a, Source b, Source c = Source::none) {
    return int(a) + 4 * int(b) + 16 * int(c);
}

// The forms that compile_rows() makes, those of two arguments and those of three.
template <Code code, class T, int count>
HWY_INLINE void chain_two(const TileOperation<T>& o, std::ptrdiff_t x, Vectors<T, count>& v) {
    using enum Source;
    constexpr auto each = std::make_index_sequence<std::size_t(count)>();
    switch (form(o.sources[0], o.sources[1])) {
        case form(previous, cells):
            return chain<code, previous, cells, none, none, T, count>(o, x, v, each);
        case form(previous, scalar):
            return chain<code, previous, scalar, none, none, T, count>(o, x, v, each);
        case form(cells, previous):
            return chain<code, cells, previous, none, none, T, count>(o, x, v, each);
        case form(cells, cells):
            return chain<code, cells, cells, none, none, T, count>(o, x, v, each);
        case form(cells, scalar):
            return chain<code, cells, scalar, none, none, T, count>(o, x, v, each);
        case form(scalar, previous):
            return chain<code, scalar, previous, none, none, T, count>(o, x, v, each);
        default:
            return chain<code, scalar, cells, none, none, T, count>(o, x, v, each);
    }
}

template <Code code, class T, int count>
HWY_INLINE void chain_three(const TileOperation<T>& o, std::ptrdiff_t x, Vectors<T, count>& v) {
    using enum Source;
    constexpr auto each = std::make_index_sequence<std::size_t(count)>();
    switch (form(o.sources[0], o.sources[1], o.sources[2])) {
        case form(previous, cells, cells):
            return chain<code, previous, cells, cells, none, T, count>(o, x, v, each);
        case form(previous, cells, scalar):
            return chain<code, previous, cells, scalar, none, T, count>(o, x, v, each);
        case form(previous, scalar, cells):
            return chain<code, previous, scalar, cells, none, T, count>(o, x, v, each);
        case form(previous, scalar, scalar):
            return chain<code, previous, scalar, scalar, none, T, count>(o, x, v, each);
        case form(cells, cells, previous):
            return chain<code, cells, cells, previous, none, T, count>(o, x, v, each);
        case form(cells, cells, cells):
            return chain<code, cells, cells, cells, none, T, count>(o, x, v, each);
        case form(cells, cells, scalar):
            return chain<code, cells, cells, scalar, none, T, count>(o, x, v, each);
        case form(cells, scalar, previous):
            return chain<code, cells, scalar, previous, none, T, count>(o, x, v, each);
        case form(cells, scalar, cells):
            return chain<code, cells, scalar, cells, none, T, count>(o, x, v, each);
        default:
            return chain<code, cells, scalar, scalar, none, T, count>(o, x, v, each);
    }
}

// f of a vector of each argument after the other, for operations that take their arguments from memory.
template <class T, class F>
void each(const TileOperation<T>& o, std::ptrdiff_t x, int cells, F&& f) {
    const Tag<T> d;
    const auto load = [&](std::size_t k, int i) {
        if (o.sources[k] == Source::none) return hn::Zero(d);
        if (o.sources[k] == Source::scalar) return hn::Set(d, *o.from[k]);
        return hn::LoadU(d, at(o.from[k], o.from_moves[k], x) + i);
    };
    T* to = at(o.to, o.to_moves, x);
    for (int i = 0; i < cells; i += kLanes<T>)
        hn::StoreU(f(d, load(0, i), load(1, i), load(2, i), load(3, i)), d, to + i);
}

template <Code code, class T>
void each_result(const TileOperation<T>& o, std::ptrdiff_t x, int cells) {
    each(o, x, cells, [](auto, auto a, auto b, auto c, auto d) { return result<code>(a, b, c, d); });
}

template <class T>
void one_by_one(const TileOperation<T>& o, std::ptrdiff_t x, int cells) {
    T* to = at(o.to, o.to_moves, x);
    for (int i = 0; i < cells; ++i) {
        if (o.code == Code::random) {
            to[i] = random_cell<T>(o.random->key, int(x) + i, o.random->y);
            continue;
        }
        std::array<T, 4> a{};
        for (std::size_t k = 0; k < a.size(); ++k)
            if (o.sources[k] != Source::none)
                a[k] = at(o.from[k], o.from_moves[k], x)[o.sources[k] == Source::scalar ? 0 : i];
        to[i] = apply(o.code, a[0], a[1], a[2], a[3]);
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

template <class T>
HWY_NOINLINE void run_unchained(const TileOperation<T>& o, std::ptrdiff_t x, int n) {
    const auto truth = [](auto d, auto mask) { return hn::IfThenElseZero(mask, hn::Set(d, T(1))); };
    switch (o.code) {
        case Code::add:
            return each_result<Code::add>(o, x, n);
        case Code::subtract:
            return each_result<Code::subtract>(o, x, n);
        case Code::multiply:
            return each_result<Code::multiply>(o, x, n);
        case Code::fma:
            return each_result<Code::fma>(o, x, n);
        case Code::fnma:
            return each_result<Code::fnma>(o, x, n);
        case Code::fms:
            return each_result<Code::fms>(o, x, n);
        case Code::sum4:
            return each_result<Code::sum4>(o, x, n);
        case Code::divide:
            return each(o, x, n, [](auto, auto a, auto b, auto, auto) { return hn::Div(a, b); });
        case Code::negate:
            return each(o, x, n, [](auto, auto a, auto, auto, auto) { return hn::Neg(a); });
        case Code::sqrt:
            return each(o, x, n, [](auto, auto a, auto, auto, auto) { return hn::Sqrt(a); });
        case Code::abs:
            return each(o, x, n, [](auto, auto a, auto, auto, auto) { return hn::Abs(a); });
        case Code::floor:
            return each(o, x, n, [](auto, auto a, auto, auto, auto) { return hn::Floor(a); });
        case Code::minimum:
            return each(
                o, x, n, [](auto, auto a, auto b, auto, auto) { return hn::IfThenElse(hn::Lt(a, b), a, b); });
        case Code::maximum:
            return each(
                o, x, n, [](auto, auto a, auto b, auto, auto) { return hn::IfThenElse(hn::Gt(a, b), a, b); });
        case Code::less:
            return each(o, x, n, [&](auto d, auto a, auto b, auto, auto) { return truth(d, hn::Lt(a, b)); });
        case Code::less_or_equal:
            return each(o, x, n, [&](auto d, auto a, auto b, auto, auto) { return truth(d, hn::Le(a, b)); });
        case Code::equal:
            return each(o, x, n, [&](auto d, auto a, auto b, auto, auto) { return truth(d, hn::Eq(a, b)); });
        case Code::select:
            // As an equality, because NaN is not 0 and Ne() is false for it on some processors.
            return each(o, x, n, [](auto d, auto a, auto b, auto c, auto) {
                return hn::IfThenElse(hn::Eq(a, hn::Zero(d)), c, b);
            });
        case Code::scale:
            return each(o, x, n, [](auto d, auto a, auto b, auto, auto) { return scale(d, a, b); });
        default:
            return one_by_one(o, x, n);
    }
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
        if (!o->chained) {
            run_unchained(*o, x, count * kLanes<T>);
            v = {};
            continue;
        }
        switch (o->code) {
            case Code::add:
                chain_two<Code::add, T, count>(*o, x, v);
                break;
            case Code::subtract:
                chain_two<Code::subtract, T, count>(*o, x, v);
                break;
            case Code::multiply:
                chain_two<Code::multiply, T, count>(*o, x, v);
                break;
            case Code::fma:
                chain_three<Code::fma, T, count>(*o, x, v);
                break;
            case Code::fnma:
                chain_three<Code::fnma, T, count>(*o, x, v);
                break;
            case Code::fms:
                chain_three<Code::fms, T, count>(*o, x, v);
                break;
            default:
                chain<Code::sum4, cells, cells, cells, cells, T, count>(*o, x, v, each);
                break;
        }
        if (o->to != nullptr) store<T, count>(at(o->to, o->to_moves, x), v, each);
    }
}

// Tiles of one size over cells from x on, the last one moved back to end where the row does.
template <class T, int count>
int run_tiles(const TileOperation<T>* begin, const TileOperation<T>* end, int x, int cells, bool all) {
    constexpr int tile = count * kLanes<T>;
    for (; x + tile <= cells; x += tile) run_tile<T, count>(begin, end, x);
    if (!all || x >= cells) return x;
    run_tile<T, count>(begin, end, std::max(0, cells - tile));
    return cells;
}

template <class T>
void run_all(const TileOperation<T>* operations, std::size_t count, int cells) {
#if HWY_NATIVE_FMA
    const TileOperation<T>* end = operations + count;
    constexpr int least = kLeastTile<T> / kLanes<T>;
    int x = 0;
#if HWY_TARGET <= HWY_AVX3
    // As many vectors as leave enough of the 32 registers for arguments.
    x = run_tiles<T, kTile<T> / kLanes<T>>(operations, end, x, cells, false);
#endif
    run_tiles<T, least>(operations, end, x, cells, true);
#else
    // has_row_machine() says that there is none.
    static_cast<void>(operations), static_cast<void>(count), static_cast<void>(cells);
#endif
}

void run_float(const TileOperation<float>* operations, std::size_t count, int cells) {
    run_all(operations, count, cells);
}
void run_double(const TileOperation<double>* operations, std::size_t count, int cells) {
    run_all(operations, count, cells);
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
HWY_EXPORT(rounds_once);

template <>
void run_row(const TileOperation<float>* operations, std::size_t count, int cells) {
    HWY_DYNAMIC_DISPATCH(run_float)(operations, count, cells);
}
template <>
void run_row(const TileOperation<double>* operations, std::size_t count, int cells) {
    HWY_DYNAMIC_DISPATCH(run_double)(operations, count, cells);
}

bool has_row_machine() {
    return HWY_DYNAMIC_DISPATCH(rounds_once)();
}

}  // namespace stencil::equation
#endif
