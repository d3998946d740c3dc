// The reference solution for checking a user's kernel, from an initial field that reveals faults.
#pragma once

#include <memory>
#include <vector>

#include "sim/field/state.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"

namespace stencil::user_kernel {

class Expected {
  public:
    /// Starts from random cells, also at the edges, with values of the model's own start; all are floats.
    Expected(const RunSpec& run, Size size);

    /// Advances the state that `right` returns.
    void advance(int steps);

    const State& start() const { return start_; }
    const Array<double>& right(std::size_t component) const {
        return right_.components[component].as<double>();
    }
    /// Returns the allowed error: several times the program's own in float32, scaled to the precision.
    double tolerance(std::size_t component, DType dtype) const;
    double largest(std::size_t component) const { return largest_[component]; }

  private:
    State start_, right_;
    std::unique_ptr<Solver> reference_, float32_;
    std::vector<double> distance_;  ///< error of float32, of each component
    std::vector<double> largest_;   ///< largest |value| so far
};

}  // namespace stencil::user_kernel
