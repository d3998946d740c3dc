// The machine's limit for arithmetic: how many floating-point instructions it issues, measured.
#pragma once

#include <memory>
#include <vector>

#include "kernels/method.h"
#include "sim/field.h"

namespace stencil {

/// Independent fused multiply-adds on all of a device, in pieces of work of about ten milliseconds, so that
/// others can go on in between.
class IssueRate {
  public:
    /// Allocates. Throws CudaError.
    IssueRate(Device device, DType dtype, int threads);
    ~IssueRate();

    void work();
    bool done() const;

    /// Instructions per second, counted per cell: one on a vector of 16 cells counts 16 times. The median
    /// piece, and the fastest one, which is the one to take where something else was at work beside it; 0
    /// before the first.
    double median() const;
    double fastest() const;

  private:
    struct Load;
    std::unique_ptr<Load> load_;
    std::int64_t rounds_ = 0;  ///< of a piece; 0: not known yet
    std::vector<double> rates_;
};

/// The median of several pieces.
double measure_issue_rate(Device device, DType dtype, int threads);

}  // namespace stencil
