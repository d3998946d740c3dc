#include "kernels/examples/ridge/cpu_product.h"

#include <algorithm>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/examples/ridge/cpu_product.cpp"
#include <hwy/foreach_target.h>
// Highway compiles the rest of this file once per instruction set.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace stencil {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

const hn::ScalableTag<double> kDouble;
using Doubles = hn::Vec<decltype(kDouble)>;

HWY_INLINE Doubles load_values(const float* p) {
    return hn::PromoteTo(kDouble, hn::LoadU(hn::Rebind<float, decltype(kDouble)>(), p));
}

HWY_INLINE Doubles load_values(const double* p) {
    return hn::LoadU(kDouble, p);
}

template <class I>
HWY_INLINE Doubles gather(const double* x, const I* index) {
    const hn::Rebind<std::int64_t, decltype(kDouble)> wide;
    const hn::Rebind<std::int32_t, decltype(kDouble)> middle;
    const auto loaded = hn::LoadU(hn::Rebind<I, decltype(kDouble)>(), index);
    if constexpr (sizeof(I) == 2)
        return hn::GatherIndex(kDouble, x, hn::PromoteTo(wide, hn::PromoteTo(middle, loaded)));
    else
        return hn::GatherIndex(
            kDouble,
            x,
            hn::BitCast(wide, hn::PromoteTo(hn::Rebind<std::uint64_t, decltype(kDouble)>(), loaded)));
}

// Prefetches explicitly: with hardware prefetching alone this loop reaches half of the memory bandwidth.
template <class V>
HWY_INLINE void fetch_ahead(const V* p, std::int64_t count) {
    constexpr std::int64_t kAhead = 1024, kLine = 64;
    const char* bytes = reinterpret_cast<const char*>(p) + kAhead;
    for (std::int64_t at = 0; at < count * std::int64_t(sizeof(V)); at += kLine) hwy::Prefetch(bytes + at);
}

// Four accumulators, because an addition depends on the previous one.
template <class T, class I>
HWY_INLINE double dot(const T* value, const I* index, std::int64_t count, const double* x) {
    const std::int64_t lanes = std::int64_t(hn::Lanes(kDouble));
    auto s0 = hn::Zero(kDouble), s1 = s0, s2 = s0, s3 = s0;
    std::int64_t k = 0;
    for (; k + 4 * lanes <= count; k += 4 * lanes) {
        fetch_ahead(value + k, 4 * lanes);
        fetch_ahead(index + k, 4 * lanes);
        s0 = hn::MulAdd(load_values(value + k), gather(x, index + k), s0);
        s1 = hn::MulAdd(load_values(value + k + lanes), gather(x, index + k + lanes), s1);
        s2 = hn::MulAdd(load_values(value + k + 2 * lanes), gather(x, index + k + 2 * lanes), s2);
        s3 = hn::MulAdd(load_values(value + k + 3 * lanes), gather(x, index + k + 3 * lanes), s3);
    }
    for (; k + lanes <= count; k += lanes) s0 = hn::MulAdd(load_values(value + k), gather(x, index + k), s0);
    double sum = hn::GetLane(hn::SumOfLanes(kDouble, hn::Add(hn::Add(s0, s1), hn::Add(s2, s3))));
    for (; k < count; ++k) sum += double(value[k]) * x[index[k]];
    return sum;
}

template <class T, class I>
void add_rows(const ProductRows& rows, const T* value, const I* index) {
    for (std::int64_t i = rows.begin; i < rows.end; ++i) {
        const std::int64_t first = rows.start[i];
        rows.y[i] += dot(value + first, index + first, rows.start[i + 1] - first, rows.x);
    }
}

void add_any_rows(const ProductRows& rows) {
    std::visit(
        [&](const auto* value, const auto* index) { add_rows(rows, value, index); }, rows.value, rows.index);
}

}  // namespace HWY_NAMESPACE
}  // namespace stencil
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace stencil {

HWY_EXPORT(add_any_rows);

namespace {

constexpr std::int64_t kBlockColumns = 4096;  // 32 KiB of x
constexpr std::int64_t kWorthBlocking = 64;   // average nonzeros per row and block
constexpr std::size_t kWorthThreads = 40000;  // nonzeros; about ten microseconds

// Divides the rows into `parts` ranges of about equal work, counting a row as much as a nonzero: returns
// parts + 1 ascending row numbers.
std::vector<std::int64_t> even_parts(const std::vector<std::int64_t>& start, int parts) {
    const auto rows = std::int64_t(start.size()) - 1;
    const std::int64_t work = start.back() + rows;
    std::vector<std::int64_t> bounds{0};
    for (int part = 1; part < parts; ++part) {
        const std::int64_t target = work / parts * part + work % parts * part / parts;
        std::int64_t bound = bounds.back();
        while (bound < rows && start[std::size_t(bound)] + bound < target) ++bound;
        bounds.push_back(bound);
    }
    bounds.push_back(rows);
    return bounds;
}

}  // namespace

template <class T>
CpuProduct<T>::CpuProduct(const SparseMatrix<T>& a, ThreadPool& threads)
    : threads_(threads),
      rows_(a.rows),
      columns_(a.columns),
      bounds_(even_parts(a.start, threads.size())),
      value_(a.value.size()) {
    const std::int64_t blocks = std::max<std::int64_t>(1, ceil_div(columns_, kBlockColumns));
    const bool blocked = a.nonzeros() / std::max<std::int64_t>(1, rows_) / blocks >= kWorthBlocking;
    const bool narrow = blocked || columns_ <= 65536;
    block_columns_ = blocked ? kBlockColumns : std::max<std::int64_t>(1, columns_);
    blocks_ = blocked ? blocks : 1;
    if (narrow)
        fill(a, index_.template emplace<AlignedBuffer<std::uint16_t>>(a.value.size()));
    else
        fill(a, index_.template emplace<AlignedBuffer<std::uint32_t>>(a.value.size()));
}

template <class T>
template <class I>
void CpuProduct<T>::fill(const SparseMatrix<T>& a, AlignedBuffer<I>& index) {
    start_.reserve(std::size_t(blocks_ * (rows_ + 1)));
    std::vector<std::int64_t> next(a.start.begin(), a.start.end() - 1);
    std::int64_t filled = 0;
    for (std::int64_t block = 0; block < blocks_; ++block) {
        const std::int64_t first = block * block_columns_;
        const std::int64_t end = std::min(columns_, first + block_columns_);
        for (std::int64_t i = 0; i < rows_; ++i) {
            start_.push_back(filled);
            auto k = std::size_t(next[std::size_t(i)]);
            const auto row_end = std::size_t(a.start[std::size_t(i) + 1]);
            for (; k < row_end && std::int64_t(a.column[k]) < end; ++k, ++filled) {
                index.data()[filled] = I(std::int64_t(a.column[k]) - first);
                value_.data()[filled] = a.value[k];
            }
            next[std::size_t(i)] = std::int64_t(k);
        }
        start_.push_back(filled);
    }
}

template <class T>
void CpuProduct<T>::multiply(const double* x, double* y) const {
    const auto task = [&](int thread) {
        const std::int64_t begin = bounds_[std::size_t(thread)];
        const std::int64_t end = bounds_[std::size_t(thread) + 1];
        std::fill(y + begin, y + end, 0.0);
        for (std::int64_t block = 0; block < blocks_; ++block) {
            std::visit(
                [&](const auto& index) {
                    HWY_DYNAMIC_DISPATCH(add_any_rows)
                    ({start_.data() + block * (rows_ + 1),
                      value_.data(),
                      index.data(),
                      x + block * block_columns_,
                      y,
                      begin,
                      end});
                },
                index_);
        }
    };
    if (value_.size() + std::size_t(rows_) >= kWorthThreads) {
        threads_.run(task);
    } else {
        for (int thread = 0; thread < threads_.size(); ++thread) task(thread);
    }
}

template class CpuProduct<float>;
template class CpuProduct<double>;

}  // namespace stencil
#endif
