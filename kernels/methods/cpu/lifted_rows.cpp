#include "kernels/methods/cpu/lifted_rows.h"

#include <hwy/cache_control.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/methods/cpu/lifted_rows.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Vectors no wider than a cache line, to which blocks are aligned.
template <class T>
using Tag = hn::CappedTag<T, 64 / sizeof(T)>;

template <class T>
constexpr int kLanes = int(hn::MaxLanes(Tag<T>()));

// Shuffles within 16 bytes are cheap, so this many columns are transposed together.
template <class T>
constexpr int kTile = kLanes<T> < int(16 / sizeof(T)) ? kLanes<T> : int(16 / sizeof(T));

#if HWY_TARGET == HWY_SCALAR

template <class D, class T>
HWY_INLINE hn::Vec<D> load_pieces(D d, const T* p, int) {
    return hn::Load(d, p);
}

template <class D, class T>
HWY_INLINE void store_pieces(D d, hn::Vec<D> v, T* p, int) {
    hn::Store(v, d, p);
}

template <class D, class V>
HWY_INLINE void transpose(D, V*) {}

#else

// Gathers 16 bytes each from p, p + stride, p + 2 stride ... into one vector.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_pieces(D d, const T* p, int stride) {
    if constexpr (hn::MaxLanes(d) <= kTile<T>) {
        return hn::LoadU(d, p);
    } else {
        const hn::Half<D> half;
        const int lanes = int(hn::MaxLanes(half));
        const auto low = load_pieces(half, p, stride);
        return hn::Combine(d, load_pieces(half, p + lanes / kTile<T> * stride, stride), low);
    }
}

template <class D, class T>
HWY_INLINE void store_pieces(D d, hn::Vec<D> v, T* p, int stride) {
    if constexpr (hn::MaxLanes(d) <= kTile<T>) {
        hn::StoreU(v, d, p);
    } else {
        const hn::Half<D> half;
        const int lanes = int(hn::MaxLanes(half));
        store_pieces(half, hn::LowerHalf(half, v), p, stride);
        store_pieces(half, hn::UpperHalf(half, v), p + lanes / kTile<T> * stride, stride);
    }
}

// Transposes the kTile x kTile cells in each 16-byte lane group of kTile vectors.
template <class D, class V>
HWY_INLINE void transpose(D d, V* v) {
    using T = hn::TFromD<D>;
    if constexpr (kTile<T> == 2) {
        const V low = hn::InterleaveLower(d, v[0], v[1]);
        v[1] = hn::InterleaveUpper(d, v[0], v[1]);
        v[0] = low;
    } else if constexpr (kTile<T> == 4) {
        const hn::Repartition<double, D> pairs;
        const auto a = hn::BitCast(pairs, hn::InterleaveLower(d, v[0], v[1]));
        const auto b = hn::BitCast(pairs, hn::InterleaveUpper(d, v[0], v[1]));
        const auto e = hn::BitCast(pairs, hn::InterleaveLower(d, v[2], v[3]));
        const auto f = hn::BitCast(pairs, hn::InterleaveUpper(d, v[2], v[3]));
        v[0] = hn::BitCast(d, hn::InterleaveLower(pairs, a, e));
        v[1] = hn::BitCast(d, hn::InterleaveUpper(pairs, a, e));
        v[2] = hn::BitCast(d, hn::InterleaveLower(pairs, b, f));
        v[3] = hn::BitCast(d, hn::InterleaveUpper(pairs, b, f));
    }
}

#endif

template <class T>
HWY_INLINE T* vector_at(const LiftedBlock<T>& block, int column, int row) {
    return block.cells + (column * kBlockRows + row) * kLanes<T>;
}

template <class T>
void lift(const T* line, int row, const LiftedBlock<T>& block) {
    const Tag<T> d;
    constexpr int tile = kTile<T>;
    for (int k = 0; k < block.columns; k += tile) {
        hn::Vec<Tag<T>> v[tile];
        for (int i = 0; i < tile; ++i)
            v[i] = load_pieces(d, line + i * block.columns + k, tile * block.columns);
        transpose(d, v);
        for (int i = 0; i < tile; ++i) hn::Store(v[i], d, vector_at(block, k + i, row));
    }
}

template <class T>
void lower(const LiftedBlock<T>& block, int row, T* line) {
    const Tag<T> d;
    constexpr int tile = kTile<T>;
    for (int k = 0; k < block.columns; k += tile) {
        hn::Vec<Tag<T>> v[tile];
        for (int i = 0; i < tile; ++i) v[i] = hn::Load(d, vector_at(block, k + i, row));
        transpose(d, v);
        for (int i = 0; i < tile; ++i)
            store_pieces(d, v[i], line + i * block.columns + k, tile * block.columns);
    }
}

template <class T>
void copy(const T* from, T* to, int n, bool past_caches) {
    const Tag<T> d;
    const int whole = n / kLanes<T> * kLanes<T>;
    if (past_caches)
        for (int x = 0; x < whole; x += kLanes<T>) hn::Stream(hn::LoadU(d, from + x), d, to + x);
    else
        for (int x = 0; x < whole; x += kLanes<T>) hn::StoreU(hn::LoadU(d, from + x), d, to + x);
    for (int x = whole; x < n; ++x) to[x] = from[x];
}

// Addresses of a column's vectors: two rows carried over from the block above, then those of the block.
template <class T>
struct ColumnAt {
    T* carry;
    T* cells;

    HWY_INLINE T* row(int r) const { return r < 2 ? carry + r * kLanes<T> : cells + (r - 2) * kLanes<T>; }
    HWY_INLINE ColumnAt next() const { return {carry + 2 * kLanes<T>, cells + kBlockRows * kLanes<T>}; }
};

constexpr int kRows = kBlockRows + 2;

template <class T>
using Column = hn::Vec<Tag<T>>[kRows];

template <class T>
HWY_INLINE void load_column(const ColumnAt<T>& at, int shift, Column<T>& column) {
    for (int r = 0; r < kRows; ++r) column[r] = hn::LoadU(Tag<T>(), at.row(r) + shift);
}

// Steps one column in place; `center` holds its old values. `side` holds the western column on entry and the
// eastern one on return, so that the caller alternates two arrays without moving registers.
template <bool Scaled, class T>
HWY_INLINE void step_column(const ColumnAt<T>& at,
                            const ColumnAt<T>& east,
                            Column<T>& side,
                            const Column<T>& center,
                            hn::Vec<Tag<T>> ratio,
                            hn::Vec<Tag<T>> scale) {
    const Tag<T> d;
    side[0] = hn::Load(d, east.row(0));
    for (int r = 1; r <= kBlockRows; ++r) {
        const auto west = side[r];
        side[r] = hn::Load(d, east.row(r));
        const auto vertical = hn::Add(center[r - 1], center[r + 1]);
        auto sum = hn::MulAdd(ratio, center[r], hn::Add(vertical, hn::Add(west, side[r])));
        if constexpr (Scaled) sum = hn::Mul(scale, sum);
        hn::Store(sum, d, at.cells + (r - 1) * kLanes<T>);
    }
    side[kRows - 1] = hn::Load(d, east.row(kRows - 1));
    hn::Store(center[kRows - 2], d, at.row(0));
    hn::Store(center[kRows - 1], d, at.row(1));
}

// Beyond its ends a row continues in the next lane, i.e. one cell further in memory. The first and last lane
// read arbitrary values there, which only reach the invalid end cells.
template <bool Scaled, class T>
void step(const LiftedBlock<T>& block, T* carry, const StepWeights<T>& weights) {
    const Tag<T> d;
    const auto ratio = hn::Set(d, weights.ratio);
    const auto scale = hn::Set(d, weights.scale);
    const int last = block.columns - 1;

    ColumnAt<T> at{carry, block.cells};
    HWY_ALIGN T beyond[kRows * kLanes<T>];
    const ColumnAt<T> end{beyond, beyond + 2 * kLanes<T>};
    Column<T> a, b;
    load_column<T>(at, 1, a);
    for (int r = 0; r < kRows; ++r) hn::Store(a[r], d, end.row(r));
    load_column<T>({carry + last * 2 * kLanes<T>, vector_at(block, last, 0)}, -1, a);
    load_column<T>(at, 0, b);

    // The number of columns is even.
    for (int k = 0; k < last - 1; k += 2) {
        const ColumnAt<T> second = at.next();
        const ColumnAt<T> third = second.next();
        step_column<Scaled, T>(at, second, a, b, ratio, scale);
        step_column<Scaled, T>(second, third, b, a, ratio, scale);
        at = third;
    }
    step_column<Scaled, T>(at, at.next(), a, b, ratio, scale);
    step_column<Scaled, T>(at.next(), end, b, a, ratio, scale);
}

template <class T>
void step(const LiftedBlock<T>& block, T* carry, const StepWeights<T>& weights) {
    if (weights.scale == T(1))
        step<false, T>(block, carry, weights);
    else
        step<true, T>(block, carry, weights);
}

template <class T, class V>
HWY_INLINE V stepped(const std::array<const T*, 4>& rows, int x, V west, V east, V ratio, V scale) {
    const Tag<T> d;
    const auto vertical = hn::Add(hn::LoadU(d, rows[0] + x), hn::LoadU(d, rows[2] + x));
    const auto center = hn::LoadU(d, rows[1] + x);
    return hn::Mul(scale, hn::MulAdd(ratio, center, hn::Add(vertical, hn::Add(west, east))));
}

template <class T>
void step_row(const std::array<const T*, 4>& rows,
              const std::array<T, 2>& sides,
              T* to,
              int n,
              const StepWeights<T>& weights,
              bool past_caches) {
    const Tag<T> d;
    const T* const center = rows[1];
    const auto ratio = hn::Set(d, weights.ratio);
    const auto scale = hn::Set(d, weights.scale);
    const auto west_side = hn::IfThenElse(hn::FirstN(d, 1), hn::Set(d, sides[0]), hn::LoadU(d, center - 1));
    const int last = (n - 1) / kLanes<T> * kLanes<T>;
    for (int x = 0; x < last; x += kLanes<T>) {
        hwy::Prefetch(rows[3] + x);
        const auto west = x == 0 ? west_side : hn::LoadU(d, center + x - 1);
        const auto v = stepped(rows, x, west, hn::LoadU(d, center + x + 1), ratio, scale);
        if (past_caches)
            hn::Stream(v, d, to + x);
        else
            hn::StoreU(v, d, to + x);
    }
    const auto cells = std::size_t(n - last);
    const auto west = last == 0 ? west_side : hn::LoadU(d, center + last - 1);
    const auto east =
        hn::IfThenElse(hn::FirstN(d, cells - 1), hn::LoadU(d, center + last + 1), hn::Set(d, sides[1]));
    const auto v = stepped(rows, last, west, east, ratio, scale);
#if HWY_MAJOR >= 1
    hn::BlendedStore(v, hn::FirstN(d, cells), d, to + last);
#else  // Ubuntu 22.04
    alignas(64) T all[kLanes<T>];
    hn::Store(v, d, all);
    std::copy_n(all, cells, to + last);
#endif
}

template <class T>
constexpr LiftedRows<T> kRowsOf{kLanes<T>, lift<T>, lower<T>, copy<T>, step<T>, step_row<T>};

// HWY_EXPORT needs functions.
const LiftedRows<float>& rows_float() {
    return kRowsOf<float>;
}
const LiftedRows<double>& rows_double() {
    return kRowsOf<double>;
}
const char* target_name() {
    return hwy::TargetName(HWY_TARGET);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(rows_float);
HWY_EXPORT(rows_double);
HWY_EXPORT(target_name);

template <>
const LiftedRows<float>& lifted_rows() {
    return HWY_DYNAMIC_DISPATCH(rows_float)();
}

template <>
const LiftedRows<double>& lifted_rows() {
    return HWY_DYNAMIC_DISPATCH(rows_double)();
}

const char* simd_target() {
    return HWY_DYNAMIC_DISPATCH(target_name)();
}

}  // namespace stencil
#endif
