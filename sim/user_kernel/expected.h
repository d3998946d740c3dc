// What a kernel is checked against: the reference in float64, from a field on which faults show.
#pragma once

#include <memory>
#include <vector>

#include "sim/field/state.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/solver.h"

namespace stencil::user_kernel {

class Expected {
  public:
    /// Random everywhere, at the edges too, of the values that the model's own start has: every number is a
    /// float.
    Expected(const RunSpec& run, Size size);

    /// By some steps, to what `right` is then.
    void advance(int steps);

    const State& start() const { return start_; }
    const Array<double>& right(std::size_t component) const {
        return right_.components[component].as<double>();
    }
    /// How far a right result of this precision may be from it: several times what the program's own in
    /// float32 is away, in units of the precision's rounding.
    double tolerance(std::size_t component, DType dtype) const;
    double largest(std::size_t component) const { return largest_[component]; }

  private:
    State start_, right_;
    std::unique_ptr<Solver> reference_, float32_;
    std::vector<double> distance_;  ///< of float32 from the reference, of each component
    std::vector<double> largest_;   ///< |value| so far
};

}  // namespace stencil::user_kernel
