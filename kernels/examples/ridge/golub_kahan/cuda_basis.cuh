// The Golub-Kahan vectors V in pieces of device or page-locked host memory, and linear combinations of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/ridge/golub_kahan/bidiagonal.h"
#include "kernels/field/divide.h"

namespace stencil {

/// Solutions that combine() puts together in one pass over V, and the shares into which it cuts the steps so
/// that more threads take part than V has columns.
inline constexpr int kSolutionsAtOnce = 5, kBasisSplits = 16;

class CudaBasis {
  public:
    static constexpr int kStepsOfPiece = 256;

    /// The pieces on the device, made at once; further ones come on the host as they are needed.
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

    /// x = V y + xi q of each solution, one after the other (solutions x columns). `q` null: none.
    std::vector<double> combine(std::span<const ProjectedSolution> solutions,
                                const double* q,
                                CudaStream& stream);

  private:
    struct Scratch;
    void add_steps(const Scratch& scratch, std::size_t steps, CudaStream& stream);

    std::int64_t columns_ = 0;
    std::int64_t pitch_ = 0;
    std::vector<double*> pieces_;
    std::vector<CudaMemory> device_;
    std::vector<CudaHostMemory> host_;
};

}  // namespace stencil
