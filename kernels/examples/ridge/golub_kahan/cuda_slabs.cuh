// The Golub-Kahan process with a matrix that does not fit the GPU: slabs of its rows come from page-locked
// memory in every step, each once. A slab's rows give their part of A v and, at once, what they add to A^T u.
#pragma once

#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/staged_copies.h"
#include "kernels/examples/ridge/golub_kahan/cuda_basis.cuh"
#include "kernels/examples/ridge/golub_kahan/cuda_golub_kahan.h"
#include "kernels/examples/ridge/golub_kahan/cuda_vectors.cuh"
#include "kernels/examples/ridge/golub_kahan/segments.cuh"
#include "kernels/examples/ridge/golub_kahan/slab_layout.h"
#include "kernels/field/divide.h"

namespace stencil {

struct SlabScalars {
    double alpha = 0, beta = 1;  ///< of the v and u that are stored before their normalisation
};

/// u = A v - alpha u of the slab's rows, with the old u normalised. A warp for each row.
template <class T, class I>
__global__ void slab_forward_kernel(
    PackedView<T, I> a, int rows, const double* v, double* u, const SlabScalars* scalars) {
    const int row = int((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (row >= rows) return;
    double sum = 0;
    const std::uint64_t policy = cache_policies().keep;
    for (std::uint32_t segment = a.row_segments[row]; segment < a.row_segments[row + 1]; ++segment) {
        SegmentShare<T, I> share;
        share.load(a, segment, policy);
        sum += share.dot(v);
    }
    sum = warp_sum(sum);
    const double beta = scalars->beta;
    if (threadIdx.x % 32 == 0) u[row] = sum - scalars->alpha * (beta > 0 ? u[row] / beta : 0);
}

/// w += A^T u of the slab's rows, in fixed point: integers are the same in whatever order the rows come. The
/// step of a column is so small that it stands for less than float64's rounding, and so large that no sum
/// over a column of its length overflows.
template <class T, class I>
__global__ void slab_back_kernel(
    PackedView<T, I> a, int rows, const double* u, const double* scale, long long* w) {
    const int row = int((blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (row >= rows) return;
    const double factor = u[row];
    const std::uint64_t policy = cache_policies().pass;
    for (std::uint32_t segment = a.row_segments[row]; segment < a.row_segments[row + 1]; ++segment) {
        SegmentShare<T, I> share;
        share.load(a, segment, policy);
#pragma unroll
        for (int k = 0; k < SegmentShare<T, I>::kGroups; ++k)
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                if (share.value[k][i] == T(0)) continue;
                const std::uint32_t column = share.column[k][i];
                const double product = factor * double(share.value[k][i]) * scale[column];
                atomicAdd(reinterpret_cast<unsigned long long*>(w + column),
                          static_cast<unsigned long long>(__double2ll_rn(product)));
            }
    }
}

/// v = A^T u - beta v from the integers, which become 0; u and the old v normalised.
static __global__ void slab_finish_kernel(long long* w,
                                          const double* scale,
                                          const double* unit_v,
                                          double* v,
                                          int columns,
                                          const SlabScalars* scalars) {
    const int j = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (j >= columns) return;
    const double beta = scalars->beta;
    const double sum = scale[j] > 0 && beta > 0 ? double(w[j]) / scale[j] / beta : 0;
    v[j] = unit_v ? sum - beta * unit_v[j] : sum;
    w[j] = 0;
}

static __global__ void slab_normalise_kernel(
    const double* v, int columns, const SlabScalars* scalars, double* unit_v, double* basis) {
    const int j = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (j >= columns) return;
    const double alpha = scalars->alpha;
    const double value = alpha > 0 ? v[j] / alpha : 0;
    unit_v[j] = value;
    basis[j] = value;
}

/// |x|, by one block.
static __global__ void slab_norm_kernel(const double* x, int count, double* norm, double* copy) {
    double sum = 0;
    for (int i = threadIdx.x; i < count; i += blockDim.x) sum += x[i] * x[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) *norm = *copy = sqrt(sum);
}

template <class T, class I>
class StreamedGolubKahan final : public GolubKahan {
  public:
    StreamedGolubKahan(const SparseMatrix<T>& a,
                       ThreadPool& threads,
                       CudaStream& stream,
                       const CudaRidgeOptions& options)
        : stream_(stream),
          rows_(a.rows),
          columns_(a.columns),
          buffers_{CudaMemory(std::size_t(options.plan.slab_bytes)),
                   CudaMemory(std::size_t(options.plan.slab_bytes))},
          u_(sizeof(double) * std::size_t(rows_)),
          v_(sizeof(double) * std::size_t(columns_)),
          unit_v_(sizeof(double) * std::size_t(columns_)),
          w_(sizeof(long long) * std::size_t(columns_)),
          scale_(to_device(column_scales(a), stream)),
          scalars_(sizeof(SlabScalars)),
          basis_(a.columns, 0),
          trace_(2 * sizeof(double)) {
        capacity_ = std::min(options.steps, basis_.capacity(options.host_bytes));
        cut(a, threads, std::size_t(options.plan.slab_bytes));
        CUDA_CHECK(
            cudaMemsetAsync(w_.data(), 0, sizeof(long long) * std::size_t(columns_), cuda_handle(stream_)));
    }

    ~StreamedGolubKahan() override {
        finish(copies_);
        finish(stream_);
    }

    void start(std::span<const double> d, bool) override {
        stream_.synchronize();
        bidiagonal_ = {};
        double sum = 0;
        for (const double value : d) sum += value * value;
        const double beta = std::sqrt(sum);
        std::vector<double> u(d.begin(), d.end());
        for (double& value : u) value = beta > 0 ? value / beta : 0;
        CUDA_CHECK(cudaMemcpyAsync(
            u_.data(), u.data(), u.size() * sizeof(double), cudaMemcpyDefault, cuda_handle(stream_)));
        const SlabScalars scalars;
        CUDA_CHECK(cudaMemcpyAsync(
            scalars_.data(), &scalars, sizeof scalars, cudaMemcpyDefault, cuda_handle(stream_)));
        pass(false);
        bidiagonal_.beta.push_back(beta);
        bidiagonal_.alpha.push_back(beta > 0 ? trace()[1] : 0);
    }

    void advance(int steps) override {
        const std::int64_t target = std::min<std::int64_t>(capacity_, bidiagonal_.steps() + steps);
        while (bidiagonal_.steps() < target && !ended()) {
            pass(true);
            append(trace()[0], trace()[1]);
        }
    }

    std::vector<double> combine(std::span<const ProjectedSolution> solutions) override {
        return basis_.combine(solutions, nullptr, stream_);
    }

  private:
    struct Slab {
        std::int64_t first;
        int rows;
        SlabLayout layout;
        CudaHostMemory memory;
    };

    // 2^62 steps of a column stand for more than any |A^T u| with |u| <= 2 |A|.
    static std::vector<double> column_scales(const SparseMatrix<T>& a) {
        std::vector<double> squares(std::size_t(std::max<std::int64_t>(1, a.columns)), 0.0);
        double all = 0;
        for (std::size_t k = 0; k < a.value.size(); ++k) {
            const double square = double(a.value[k]) * double(a.value[k]);
            squares[a.column[k]] += square;
            all += square;
        }
        const double longest = std::max(1.0, 2 * std::sqrt(all));
        for (double& square : squares) {
            if (square == 0) continue;
            int exponent = 0;
            std::frexp(longest * std::sqrt(square), &exponent);
            square = std::ldexp(1.0, 61 - exponent);
        }
        return squares;
    }

    void cut(const SparseMatrix<T>& a, ThreadPool& threads, std::size_t room) {
        const std::size_t nonzero = sizeof(T) + sizeof(I);
        for (std::int64_t first = 0; first < rows_;) {
            std::int64_t end = first;
            std::size_t groups = 0, segments = 0;
            while (end < rows_) {
                const auto more = std::size_t(packed_groups(a.start, end, end + 1));
                const std::size_t more_segments = ceil_div(more, kSegmentGroups);
                const SlabLayout layout((groups + more) * kGroup,
                                        segments + more_segments,
                                        std::size_t(end + 1 - first),
                                        nonzero);
                if (layout.bytes > room && end > first) break;
                groups += more;
                segments += more_segments;
                ++end;
            }
            add_slab(pack_rows<T, I>(a, first, end, threads), first);
            first = end;
        }
    }

    void add_slab(const PackedRows<T, I>& packed, std::int64_t first) {
        const SlabLayout layout(
            packed.value.size(), packed.segments.size(), std::size_t(packed.rows), sizeof(T) + sizeof(I));
        CudaHostMemory memory(layout.bytes);
        char* to = static_cast<char*>(memory.data());
        std::memcpy(to + layout.value, packed.value.data(), packed.value.size() * sizeof(T));
        std::memcpy(to + layout.column, packed.column.data(), packed.column.size() * sizeof(I));
        std::memcpy(
            to + layout.segments, packed.segments.data(), packed.segments.size() * sizeof(RowSegment));
        std::memcpy(to + layout.row_segments, packed.row_segments.data(), packed.row_segments.size() * 4);
        slabs_.push_back({first, int(packed.rows), layout, std::move(memory)});
    }

    const double* trace() const { return static_cast<const double*>(trace_.data()); }

    // A whole step, or only its second half with u in place. Waits for it.
    void pass(bool forward) {
        const cudaStream_t s = cuda_handle(stream_);
        const unsigned column_blocks = unsigned((columns_ + 255) / 256);
        auto* scalars = as<SlabScalars>(scalars_);
        auto* trace = static_cast<double*>(trace_.data());
        if (forward) {
            slab_normalise_kernel<<<column_blocks, 256, 0, s>>>(
                as<double>(v_), int(columns_), scalars, as<double>(unit_v_), basis_.at(bidiagonal_.steps()));
            check_launch("slab_normalise_kernel");
        }
        for (std::size_t i = 0; i < slabs_.size(); ++i) work_on(slabs_[i], i % 2, forward);
        if (forward) {
            slab_norm_kernel<<<1, 1024, 0, s>>>(as<double>(u_), int(rows_), &scalars->beta, trace);
            check_launch("slab_norm_kernel");
        }
        slab_finish_kernel<<<column_blocks, 256, 0, s>>>(as<long long>(w_),
                                                         as<double>(scale_),
                                                         forward ? as<double>(unit_v_) : nullptr,
                                                         as<double>(v_),
                                                         int(columns_),
                                                         scalars);
        check_launch("slab_finish_kernel");
        slab_norm_kernel<<<1, 1024, 0, s>>>(as<double>(v_), int(columns_), &scalars->alpha, trace + 1);
        check_launch("slab_norm_kernel");
        stream_.synchronize();
    }

    // Brings the slab to a buffer as soon as that is free, and multiplies there.
    void work_on(const Slab& slab, std::size_t buffer, bool forward) {
        const cudaStream_t s = cuda_handle(stream_);
        turns_[buffer].fill(copies_, stream_, [&] {
            enqueue_to_device(buffers_[buffer].data(), slab.memory.data(), slab.layout.bytes, copies_);
        });
        const char* at = static_cast<const char*>(buffers_[buffer].data());
        const PackedView<T, I> a{reinterpret_cast<const RowSegment*>(at + slab.layout.segments),
                                 reinterpret_cast<const std::uint32_t*>(at + slab.layout.row_segments),
                                 reinterpret_cast<const T*>(at + slab.layout.value),
                                 reinterpret_cast<const I*>(at + slab.layout.column)};
        const unsigned blocks = unsigned((slab.rows + 7) / 8);
        double* u = as<double>(u_) + slab.first;
        if (forward) {
            slab_forward_kernel<T, I>
                <<<blocks, 256, 0, s>>>(a, slab.rows, as<double>(unit_v_), u, as<SlabScalars>(scalars_));
            check_launch("slab_forward_kernel");
        }
        slab_back_kernel<T, I><<<blocks, 256, 0, s>>>(a, slab.rows, u, as<double>(scale_), as<long long>(w_));
        check_launch("slab_back_kernel");
        turns_[buffer].release(stream_);
    }

    CudaStream& stream_;
    CudaStream copies_;
    std::int64_t rows_, columns_;
    CudaMemory buffers_[2];
    BufferTurns turns_[2];
    CudaMemory u_, v_, unit_v_, w_, scale_, scalars_;
    CudaBasis basis_;
    CudaHostMemory trace_;
    std::vector<Slab> slabs_;
};

}  // namespace stencil
