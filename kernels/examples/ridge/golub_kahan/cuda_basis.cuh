// The Golub-Kahan vectors V in pieces of device memory, and linear combinations of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/ridge/lsmr.h"

namespace stencil {

/// Solutions that combine() puts together in one pass over V, and the shares into which it cuts the steps so
/// that more threads take part than V has columns.
inline constexpr int kSolutionsAtOnce = 5, kBasisSplits = 16;

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
                                CudaStream& stream);

  private:
    void add_steps(std::size_t steps, CudaStream& stream);

    std::int64_t columns_, pitch_;
    std::vector<CudaMemory> pieces_;
    std::size_t partial_bytes_;
    CudaMemory partial_;  // kBasisSplits x kSolutionsAtOnce x columns
    CudaMemory y_;        // kSolutionsAtOnce x steps
    CudaMemory x_;        // columns
};

}  // namespace stencil
