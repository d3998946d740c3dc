// What solvers of typed equations share: what they are made from, and what is shown of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/equation/input_values.h"
#include "sim/field/field.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/run/solvers/solver.h"

namespace stencil {

struct TypedRun {
    equation::Equations equations;  ///< with the run's boundary and distance of cells
    equation::SteppingScheme scheme = equation::SteppingScheme::euler;
    std::uint64_t seed = 0;                                  ///< of random numbers
    std::vector<std::shared_ptr<const Array<double>>> data;  ///< pictures and arrays, at the field's size
    /// The same equations with a formula as their `extra`. Throws InputError.
    std::function<equation::Equations(const std::string& formula)> with_formula;
};

/// Of the setup's steps.
equation::EquationSetup equation_setup(const SolverSetup& setup);

/// What is seen: a component as it is, or a formula that is worked out.
struct Shown {
    equation::Equations equations;
    equation::Node formula = 0;
    std::optional<std::size_t> component;

    /// Under this boundary in place of the run's, where there is one. Throws InputError where it cannot be
    /// read.
    Shown(const TypedRun& run, const std::string& text, std::optional<Boundary> boundary = {});
    /// Its Laplacian, for a distance of 1, or itself.
    equation::ViewProgram program(bool laplacian, bool float64) const;
};

/// Throws InputError where what is seen reaches further than a halo of so many rows, between two cells too.
void require_reach(const equation::ViewProgram& view, const std::string& text, int depth);

// What a checkpoint keeps of a clock.
InnerNumbers numbers_of(const equation::Clock& clock);
std::optional<equation::Clock> clock_of(const InnerNumbers& numbers);

}  // namespace stencil
