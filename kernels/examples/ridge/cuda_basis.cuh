// The vectors of V as they come, in pieces of device or page-locked host memory, and sums of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/ridge/bidiagonal.h"
#include "kernels/field/divide.h"

namespace stencil {

/// partial[split][solution][column] += sum of y[solution][k] V[k][column] over the split's share of `steps`
/// steps.
inline constexpr int kBasisSplits = 16;
inline constexpr int kSolutionsAtOnce = 5;

struct BasisSum {
    const double* basis;
    std::int64_t pitch;
    const double* y;  ///< each solution's, `y_pitch` apart, from the piece's first step on
    std::int64_t y_pitch;
    int steps;
    int columns;
    double* partial;
};

static __global__ void add_basis_kernel(const BasisSum sum) {
    const int column = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= sum.columns) return;
    const int share = ceil_div(sum.steps, kBasisSplits);
    const int begin = share * int(blockIdx.y), end = min(sum.steps, begin + share);
    double sums[kSolutionsAtOnce] = {};
#pragma unroll 4
    for (int k = begin; k < end; ++k) {
        const double v = sum.basis[k * sum.pitch + column];
#pragma unroll
        for (int s = 0; s < kSolutionsAtOnce; ++s) sums[s] = fma(sum.y[s * sum.y_pitch + k], v, sums[s]);
    }
#pragma unroll
    for (int s = 0; s < kSolutionsAtOnce; ++s)
        sum.partial[(std::size_t(blockIdx.y) * kSolutionsAtOnce + s) * sum.columns + column] += sums[s];
}

/// x = the sum of all splits + xi q.
static __global__ void finish_solution_kernel(
    const double* partial, int solution, double* x, double xi, const double* q, int columns) {
    const int column = int(blockIdx.x * blockDim.x + threadIdx.x);
    if (column >= columns) return;
    double sum = 0;
    for (int split = 0; split < kBasisSplits; ++split)
        sum += partial[(std::size_t(split) * kSolutionsAtOnce + solution) * columns + column];
    x[column] = q ? fma(xi, q[column], sum) : sum;
}

class CudaBasis {
  public:
    static constexpr int kStepsOfPiece = 256;

    /// So many pieces on the device, made at once; further ones come on the host as they are needed.
    CudaBasis(std::int64_t columns, std::int64_t device_pieces)
        : columns_(columns), pitch_(pitch_of(columns)) {
        for (std::int64_t i = 0; i < device_pieces; ++i)
            pieces_.push_back(static_cast<double*>(device_.emplace_back(piece_bytes(columns)).data()));
    }

    static std::int64_t pitch_of(std::int64_t columns) {
        return (std::max<std::int64_t>(1, columns) + 31) / 32 * 32;
    }
    static std::size_t piece_bytes(std::int64_t columns) {
        return std::size_t(pitch_of(columns)) * kStepsOfPiece * sizeof(double);
    }
    /// Of what combine() takes for itself, for processes of up to `steps` steps.
    static std::size_t scratch_bytes(std::int64_t columns, std::int64_t steps) {
        return sizeof(double) * (std::size_t(kBasisSplits) * kSolutionsAtOnce * std::size_t(columns) +
                                 std::size_t(kSolutionsAtOnce) * std::size_t(steps) + std::size_t(columns));
    }

    std::int64_t pitch() const { return pitch_; }

    /// Steps that there is room for, with `host_bytes` more on the host.
    std::int64_t capacity(std::size_t host_bytes) const {
        return std::int64_t(device_.size() + host_bytes / piece_bytes(columns_)) * kStepsOfPiece;
    }

    /// Room for step k; steps of one piece follow each other.
    double* at(std::int64_t k) {
        const auto piece = std::size_t(k / kStepsOfPiece);
        while (pieces_.size() <= piece)
            pieces_.push_back(static_cast<double*>(host_.emplace_back(piece_bytes(columns_)).data()));
        return pieces_[piece] + k % kStepsOfPiece * pitch_;
    }

    std::vector<double> combine(std::span<const ProjectedSolution> solutions,
                                const double* q,
                                CudaStream& stream);

  private:
    std::int64_t columns_ = 0;
    std::int64_t pitch_ = 0;
    std::vector<double*> pieces_;
    std::vector<CudaMemory> device_;
    std::vector<CudaHostMemory> host_;
};

inline std::vector<double> CudaBasis::combine(std::span<const ProjectedSolution> solutions,
                                              const double* q,
                                              CudaStream& stream) {
    std::size_t steps = 0;
    for (const ProjectedSolution& solution : solutions) steps = std::max(steps, solution.y.size());
    const auto n = std::size_t(columns_);
    std::vector<double> x(n * solutions.size(), 0.0);
    if (n == 0) return x;
    const std::size_t partial_bytes = sizeof(double) * n * kBasisSplits * kSolutionsAtOnce;
    const CudaMemory partial(partial_bytes);
    const CudaMemory y(sizeof(double) * std::max<std::size_t>(1, steps) * kSolutionsAtOnce);
    const CudaMemory result(sizeof(double) * n);
    const cudaStream_t s = cuda_handle(stream);
    const unsigned blocks = unsigned((n + 255) / 256);
    for (std::size_t first = 0; first < solutions.size(); first += kSolutionsAtOnce) {
        const std::size_t end = std::min(solutions.size(), first + kSolutionsAtOnce);
        std::vector<double> packed(std::max<std::size_t>(1, steps) * kSolutionsAtOnce, 0.0);
        for (std::size_t i = first; i < end; ++i)
            std::ranges::copy(solutions[i].y, packed.begin() + std::ptrdiff_t((i - first) * steps));
        CUDA_CHECK(
            cudaMemcpyAsync(y.data(), packed.data(), sizeof(double) * packed.size(), cudaMemcpyDefault, s));
        CUDA_CHECK(cudaMemsetAsync(partial.data(), 0, partial_bytes, s));
        for (std::size_t k = 0; k < steps; k += kStepsOfPiece) {
            const int count = int(std::min<std::size_t>(kStepsOfPiece, steps - k));
            add_basis_kernel<<<dim3(blocks, kBasisSplits), 256, 0, s>>>(
                {at(std::int64_t(k)),
                 pitch_,
                 static_cast<const double*>(y.data()) + k,
                 std::int64_t(steps),
                 count,
                 int(n),
                 static_cast<double*>(partial.data())});
            check_launch("add_basis_kernel");
        }
        for (std::size_t i = first; i < end; ++i) {
            finish_solution_kernel<<<blocks, 256, 0, s>>>(static_cast<const double*>(partial.data()),
                                                          int(i - first),
                                                          static_cast<double*>(result.data()),
                                                          solutions[i].xi,
                                                          q,
                                                          int(n));
            check_launch("finish_solution_kernel");
            CUDA_CHECK(
                cudaMemcpyAsync(x.data() + i * n, result.data(), sizeof(double) * n, cudaMemcpyDefault, s));
        }
        stream.synchronize();
    }
    return x;
}

}  // namespace stencil
