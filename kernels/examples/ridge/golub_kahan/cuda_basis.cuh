// The Golub-Kahan vectors V in pieces of device memory, and linear combinations of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/examples/ridge/golub_kahan/cuda_vectors.cuh"
#include "kernels/examples/ridge/lsmr.h"
#include "kernels/field/divide.h"

namespace stencil {

/// Solutions that combine() puts together in one pass over V, and the shares into which it cuts the steps so
/// that more threads take part than V has columns.
inline constexpr int kSolutionsAtOnce = 5, kBasisSplits = 16;

/// partial[split][solution][column] += sum of y[solution][k] V[k][column] over the split's share of `steps`
/// steps.
struct BasisSum {
    const double* basis;
    std::int64_t pitch;
    const double* y;  ///< each solution's, `y_pitch` apart, from the piece's first step on
    std::int64_t y_pitch;
    int steps;
    int columns;
    double* partial;
};

__global__ void add_basis_kernel(const BasisSum sum) {
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
__global__ void finish_solution_kernel(
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

    /// For up to so many steps; pieces are allocated as the steps need them, what combine() works in at once.
    CudaBasis(std::int64_t columns, std::int64_t steps)
        : columns_(columns),
          pitch_((std::max<std::int64_t>(1, columns) + 31) / 32 * 32),
          partial_bytes_(sizeof(double) * std::size_t(columns) * kBasisSplits * kSolutionsAtOnce),
          partial_(partial_bytes_),
          y_(sizeof(double) * std::size_t(std::max<std::int64_t>(1, steps)) * kSolutionsAtOnce),
          x_(sizeof(double) * std::size_t(columns)) {}

    std::int64_t pitch() const { return pitch_; }
    std::size_t piece_bytes() const { return std::size_t(pitch_) * kStepsOfPiece * sizeof(double); }

    /// Room for step k; steps of one piece follow each other.
    double* at(std::int64_t k) {
        const auto piece = std::size_t(k / kStepsOfPiece);
        while (pieces_.size() <= piece) pieces_.emplace_back(piece_bytes());
        return static_cast<double*>(pieces_[piece].data()) + k % kStepsOfPiece * pitch_;
    }

    /// x = V y + xi q of each solution, one after the other (solutions x columns). `q` null: none.
    std::vector<double> combine(std::span<const ProjectedSolution> solutions,
                                const double* q,
                                CudaStream& stream) {
        std::size_t steps = 0;
        for (const ProjectedSolution& solution : solutions) steps = std::max(steps, solution.y.size());
        const auto n = std::size_t(columns_);
        std::vector<double> x(n * solutions.size(), 0.0);
        if (n == 0) return x;
        const cudaStream_t s = cuda_handle(stream);
        for (std::size_t first = 0; first < solutions.size(); first += kSolutionsAtOnce) {
            const std::size_t end = std::min(solutions.size(), first + kSolutionsAtOnce);
            std::vector<double> y(std::max<std::size_t>(1, steps) * kSolutionsAtOnce, 0.0);
            for (std::size_t i = first; i < end; ++i)
                std::ranges::copy(solutions[i].y, y.begin() + std::ptrdiff_t((i - first) * steps));
            CUDA_CHECK(cudaMemcpyAsync(y_.data(), y.data(), sizeof(double) * y.size(), cudaMemcpyDefault, s));
            add_steps(steps, stream);
            for (std::size_t i = first; i < end; ++i) {
                finish_solution_kernel<<<unsigned(ceil_div(n, std::size_t(kThreads))), kThreads, 0, s>>>(
                    as<double>(partial_), int(i - first), as<double>(x_), solutions[i].xi, q, int(n));
                check_launch("finish_solution_kernel");
                CUDA_CHECK(
                    cudaMemcpyAsync(x.data() + i * n, x_.data(), sizeof(double) * n, cudaMemcpyDefault, s));
            }
            stream.synchronize();
        }
        return x;
    }

  private:
    static constexpr int kThreads = 256;

    // partial = the splits' shares of V y, piece by piece of V.
    void add_steps(std::size_t steps, CudaStream& stream) {
        const cudaStream_t s = cuda_handle(stream);
        const auto n = std::size_t(columns_);
        CUDA_CHECK(cudaMemsetAsync(partial_.data(), 0, partial_bytes_, s));
        for (std::size_t k = 0; k < steps; k += kStepsOfPiece) {
            const int count = int(std::min<std::size_t>(kStepsOfPiece, steps - k));
            const dim3 grid(unsigned(ceil_div(n, std::size_t(kThreads))), kBasisSplits);
            add_basis_kernel<<<grid, kThreads, 0, s>>>({at(std::int64_t(k)),
                                                        pitch_,
                                                        as<double>(y_) + k,
                                                        std::int64_t(steps),
                                                        count,
                                                        int(n),
                                                        as<double>(partial_)});
            check_launch("add_basis_kernel");
        }
    }

    std::int64_t columns_, pitch_;
    std::vector<CudaMemory> pieces_;
    std::size_t partial_bytes_;
    CudaMemory partial_;  // kBasisSplits x kSolutionsAtOnce x columns
    CudaMemory y_;        // kSolutionsAtOnce x steps
    CudaMemory x_;        // columns
};

}  // namespace stencil
