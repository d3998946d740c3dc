// Equations that runs share, and the programs made of them.
#pragma once

#include <cstddef>
#include <memory>
#include <tuple>
#include <vector>

#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/problem/newest.h"

namespace stencil {

/// Equations do not change; a program is made when it is first asked for. Several threads may ask at a time.
class PlannedEquations {
  public:
    explicit PlannedEquations(equation::Equations equations) : equations_(std::move(equations)) {}

    const equation::Equations& equations() const { return equations_; }

    /// equation::make_program(). Throws InputError.
    std::shared_ptr<const equation::Program> step(const equation::Integrator& scheme,
                                                  bool float64,
                                                  double dt = 1,
                                                  bool errors = false,
                                                  bool fast = false) const;
    /// A program for the first of Equations::extra, or its Laplacian for unit spacing.
    std::shared_ptr<const equation::ViewProgram> view(bool laplacian, bool float64) const;

    /// In place of an index in Equations::extra: the component begins by the text's formula, or by no
    /// formula.
    static constexpr int kOwnFormula = -1, kNoFormula = -2;
    /// The initial values in float64, by a formula for each component.
    std::shared_ptr<const equation::Program> start(const std::vector<int>& formulas) const;

  private:
    static constexpr std::size_t kMost = 8;

    equation::Equations equations_;
    mutable Newest<std::tuple<equation::Integrator, bool, bool, bool, bool>, equation::Program> steps_{kMost};
    mutable Newest<std::pair<bool, bool>, equation::ViewProgram> views_{kMost};
    mutable Newest<std::vector<int>, equation::Program> starts_{kMost};
};

}  // namespace stencil
