// The steps that a GPU makes of many runs together, whose states stay on the CPU between calls.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "sim/solvers/solver.h"

namespace stencil {

class GpuBatches {
  public:
    /// Spreads runs over all GPUs, or takes the one that was chosen. Compiles at first use. Needs CUDA.
    GpuBatches();
    ~GpuBatches();

    /// Why it takes no steps of a solver, in one line; empty if it does. May be called by several threads at
    /// a time.
    std::string why_not(Solver& solver);

    struct Steps {
        Solver* solver = nullptr;
        long long steps = 0;
        double seconds = 0;        ///< the solver's share of the time, once they are made
        std::string why_not = {};  ///< in one line, if they were not
    };
    /// Makes steps that it takes, each with the bits of a solver on the GPU.
    void advance(std::span<Steps> all, int threads);
    /// The kernel of the last steps, in words.
    const std::string& way() const { return way_; }

  private:
    struct Families;

    std::unique_ptr<Families> families_;
    std::string way_;
};

}  // namespace stencil
