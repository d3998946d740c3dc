// Measured peak FMA rate, the arithmetic roofline.
#pragma once

#include <cstdint>
#include <functional>

#include "kernels/methods/method.h"
#include "sim/field/field.h"
#include "sim/machine/best_of.h"

namespace stencil {

/// Instructions issued and the time they took.
struct IssuedPiece {
    double instructions = 0;
    double seconds = 0;
};

/// Independent FMAs on the whole device, in pieces of about two milliseconds: short enough that some run
/// undisturbed and that other work can interleave. Repeats until the fastest piece has stood for a while.
class IssueRate {
  public:
    /// Issues `rounds` >= 1 rounds of instructions.
    using Issue = std::function<IssuedPiece(std::int64_t rounds)>;

    /// Allocates. Throws CudaError.
    IssueRate(Device device, DType dtype, int threads);
    explicit IssueRate(Issue issue);

    /// Runs some pieces, up to about ten milliseconds.
    void work();
    bool done() const { return rates_.done(); }

    /// Instructions per second, counted per lane: one on a 16-wide vector counts 16. 0 before the first
    /// piece. Use fastest() if other work ran at the same time.
    double median() const { return rates_.median(); }
    double fastest() const { return rates_.best(); }

  private:
    void work_on_piece();

    Issue issue_;
    std::int64_t rounds_;  ///< per piece
    double most_rounds_per_second_ = 0;
    BestOf rates_;
};

/// The median of several pieces.
double measure_issue_rate(Device device, DType dtype, int threads);

}  // namespace stencil
