// The machine's limit for arithmetic: how many floating-point instructions it issues, measured.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/machine/fastest.h"

namespace stencil {

/// Some instructions, and the time that they took.
struct IssuedPiece {
    double instructions = 0;
    double seconds = 0;
};

/// Independent fused multiply-adds on all of a device, in pieces of work of about two milliseconds, so that
/// others can go on in between, and a piece has a chance to run from its beginning to its end without them.
/// Pieces follow each other until the fastest has not been surpassed for a while.
class IssueRate {
  public:
    /// Does `rounds` rounds of instructions, at least 1.
    using Issue = std::function<IssuedPiece(std::int64_t rounds)>;

    /// Allocates. Throws CudaError.
    IssueRate(Device device, DType dtype, int threads);
    explicit IssueRate(Issue issue);

    /// Some pieces: up to about ten milliseconds.
    void work();
    bool done() const { return rates_.done(); }

    /// Instructions per second, counted per cell: one on a vector of 16 cells counts 16 times. The median
    /// piece, and the fastest one, which is the one to take where something else was at work beside it; 0
    /// before the first.
    double median() const { return rates_.median(); }
    double fastest() const { return rates_.best(); }

  private:
    void work_on_piece();

    Issue issue_;
    std::int64_t rounds_;  ///< of a piece
    double most_rounds_per_second_ = 0;
    Fastest rates_;
};

/// The median of several pieces.
double measure_issue_rate(Device device, DType dtype, int threads);

}  // namespace stencil
