// A sparse matrix as the GPU reads it, and products of its rows with a vector: compressed rows with 16-bit
// columns where they suffice, padded to whole groups of four nonzeros and cut into segments, each of which
// one warp multiplies.
//
//     row 0   gggg gggg gggg gg      g: a group of 4 nonzeros, the load of one thread
//             segment 0   | seg. 1   up to 128 groups: 4 loads of each of a warp's 32 threads
//     row 1   gggg                   a row begins a segment of its own
//
// 16-bit columns are 6 bytes a float32 nonzero instead of 8, and products take as long as reading them.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <vector>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/reductions.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/examples/ridge/golub_kahan/cuda_vectors.cuh"
#include "kernels/examples/ridge/sparse_matrix.h"
#include "kernels/field/divide.h"

namespace stencil {

inline constexpr int kGroup = 4;            // nonzeros that one thread loads at once
inline constexpr int kSegmentGroups = 128;  // groups of a segment at most: four for each thread of a warp
/// Matrices up to this many columns take 16 bits for a column.
inline constexpr std::int64_t kNarrowColumns = 65536;

/// Consecutive groups of one row: the work of one warp.
struct RowSegment {
    std::uint32_t group = 0;   ///< the first
    std::uint32_t groups = 0;  ///< 1 to kSegmentGroups
};

/// The packed rows as a kernel reads them. All pointers are on the device.
template <class T, class I>
struct PackedView {
    const RowSegment* segments = nullptr;
    const std::uint32_t* row_segments = nullptr;  ///< rows + 1; a row without nonzeros has no segment
    const T* value = nullptr;                     ///< kGroup to a group; padding is 0 at some column
    const I* column = nullptr;
    const std::uint32_t* parts = nullptr;  ///< each block's rows: about the same work for all
};

/// Deals out one row's nonzeros by the banks of shared memory that their columns lie in.
class BankOrder {
  public:
    static constexpr std::size_t kBanks = 16;  // of float64

    void sort(const std::uint32_t* column, std::size_t count) {
        for (auto& bank : banks_) bank.clear();
        for (std::size_t k = 0; k < count; ++k) banks_[column[k] % kBanks].push_back(std::uint32_t(k));
        next_.fill(0);
    }

    /// One of the wanted bank, or of the one with most left.
    std::size_t take(std::size_t wanted) {
        if (left(wanted) == 0)
            for (std::size_t bank = 0; bank < kBanks; ++bank)
                if (left(bank) > left(wanted)) wanted = bank;
        return banks_[wanted][next_[wanted]++];
    }

  private:
    std::size_t left(std::size_t bank) const { return banks_[bank].size() - next_[bank]; }

    std::array<std::vector<std::uint32_t>, kBanks> banks_;
    std::array<std::size_t, kBanks> next_{};
};

/// The packed matrix on the device. Within a row, nonzeros are put in such an order that as far as possible
/// the 16 threads of half a warp find their columns in 16 different banks of shared memory; a row's sum is
/// always taken in that order.
template <class T, class I>
class PackedRows {
  public:
    /// Throws CudaError, and std::length_error beyond 2^32 groups.
    PackedRows(const SparseMatrix<T>& a, int blocks, ThreadPool& threads, CudaStream& stream) {
        std::vector<std::int64_t> group{0};  // where each row's begin
        std::vector<RowSegment> segments;
        std::vector<std::uint32_t> row_segments{0};
        for (std::size_t row = 0; row < std::size_t(a.rows); ++row) {
            std::int64_t at = group.back();
            group.push_back(at + ceil_div(a.start[row + 1] - a.start[row], kGroup));
            for (; at < group.back(); at += kSegmentGroups)
                segments.push_back(
                    {std::uint32_t(at),
                     std::uint32_t(std::min<std::int64_t>(kSegmentGroups, group.back() - at))});
            row_segments.push_back(std::uint32_t(segments.size()));
        }
        if (group.back() > std::numeric_limits<std::uint32_t>::max())
            throw std::length_error("a sparse matrix of more than 2^34 nonzeros");
        std::vector<T> value(std::size_t(group.back() * kGroup), T(0));
        std::vector<I> column(value.size(), I(0));
        threads.for_ranges(a.rows, [&](std::int64_t begin, std::int64_t end) {
            BankOrder order;
            for (auto i = std::size_t(begin); i < std::size_t(end); ++i) {
                const auto from = std::size_t(a.start[i]), count = std::size_t(a.start[i + 1]) - from;
                order.sort(a.column.data() + from, count);
                const std::size_t to = std::size_t(group[i]) * kGroup;
                for (std::size_t k = 0; k < count; ++k) {
                    const std::size_t taken = from + order.take(k / kGroup % BankOrder::kBanks);
                    value[to + k] = a.value[taken];
                    column[to + k] = I(a.column[taken]);
                }
            }
        });
        std::vector<std::uint32_t> parts;
        for (const std::int64_t part : even_parts(a.start, blocks)) parts.push_back(std::uint32_t(part));
        segment_count_ = segments.size();
        CudaTimer timer;
        timer.start(stream);
        value_ = to_device(value, stream);
        column_ = to_device(column, stream);
        segments_ = to_device(segments, stream);
        row_segments_ = to_device(row_segments, stream);
        parts_ = to_device(parts, stream);
        timer.stop(stream);
        upload_seconds_ = timer.seconds();
    }

    PackedView<T, I> view() const {
        return {as<RowSegment>(segments_),
                as<std::uint32_t>(row_segments_),
                as<T>(value_),
                as<I>(column_),
                as<std::uint32_t>(parts_)};
    }
    std::size_t segment_count() const { return segment_count_; }
    double upload_seconds() const { return upload_seconds_; }

  private:
    CudaMemory value_, column_, segments_, row_segments_, parts_;
    std::size_t segment_count_ = 0;
    double upload_seconds_ = 0;
};

/// One thread's share of a segment.
template <class T, class I>
struct SegmentShare {
    static constexpr int kGroups = kSegmentGroups / 32;
    AlignedVector<T, kGroup> value[kGroups];
    AlignedVector<I, kGroup> column[kGroups];

    __device__ void load(const PackedView<T, I>& a, std::uint32_t segment) {
        const RowSegment place = a.segments[segment];
#pragma unroll
        for (int k = 0; k < kGroups; ++k) {
            const std::uint32_t group = threadIdx.x % 32 + 32 * k;
            value[k] = {};
            column[k] = {};
            if (group >= place.groups) continue;
            value[k] = load_once<kGroup>(a.value + std::size_t(kGroup) * (place.group + group));
            column[k] = load_once<kGroup>(a.column + std::size_t(kGroup) * (place.group + group));
        }
    }

    __device__ double dot(const double* x) const {
        double sums[kGroups] = {};
#pragma unroll
        for (int i = 0; i < kGroup; ++i)
#pragma unroll
            for (int k = 0; k < kGroups; ++k) sums[k] = fma(double(value[k][i]), x[column[k][i]], sums[k]);
        return (sums[0] + sums[1]) + (sums[2] + sums[3]);
    }
};

/// Sums of the segments from `segment` to `end` with the vector x, by the block; the next segment is on its
/// way while one is summed.
template <class T, class I>
__device__ void sum_segments(
    const PackedView<T, I>& a, std::uint32_t segment, std::uint32_t end, const double* x, double* sums) {
    const std::uint32_t warps = blockDim.x / 32;
    segment += threadIdx.x / 32;
    SegmentShare<T, I> now;
    if (segment < end) now.load(a, segment);
    while (segment < end) {
        const std::uint32_t next = segment + warps;
        SegmentShare<T, I> coming;
        if (next < end) coming.load(a, next);
        const double sum = warp_sum(now.dot(x));
        if (threadIdx.x % 32 == 0) sums[segment] = sum;
        now = coming;
        segment = next;
    }
}

}  // namespace stencil
