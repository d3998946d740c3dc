// Equations and data that solvers of typed equations share, and shown formulas.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"

namespace stencil {

struct TypedRun {
    equation::Equations equations;  ///< with the run's boundary and grid spacing
    equation::Integrator scheme;
    bool controls_error = false;                             ///< dt is chosen by the error of a step
    long long global_every = 1;                              ///< steps that share their global values
    std::uint64_t seed = 0;                                  ///< of random numbers
    std::vector<std::shared_ptr<const Array<double>>> data;  ///< pictures and arrays at the field's size
    /// Returns the equations with a formula as their `extra`. Throws InputError.
    std::function<equation::Equations(const std::string& formula)> with_formula;
    std::uint64_t memory_limit = std::numeric_limits<std::uint64_t>::max();  ///< RunSpec::memory_limit
};

/// A shown formula; `component` is set if it equals one.
struct Shown {
    equation::Equations equations;
    equation::Node formula = 0;
    std::optional<std::size_t> component;

    /// `boundary`, if given, replaces the run's. Throws InputError for an invalid formula.
    Shown(const TypedRun& run, const std::string& text, std::optional<Boundary> boundary = {});
    /// A program for the formula or its Laplacian (for unit spacing).
    equation::ViewProgram program(bool laplacian, bool float64) const;
};

/// Throws InputError if evaluating and interpolating the formula needs more halo rows than `depth`.
void require_reach(const equation::ViewProgram& view, const std::string& text, int depth);

}  // namespace stencil
