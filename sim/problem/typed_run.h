// Equations and data that solvers of typed equations share, and shown formulas.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/field/field.h"
#include "sim/problem/planned_equations.h"

namespace stencil {

struct TypedRun {
    explicit TypedRun(std::shared_ptr<const PlannedEquations> its_plans)
        : plans(std::move(its_plans)), equations(plans->equations()) {}

    std::shared_ptr<const PlannedEquations> plans;
    const equation::Equations& equations;  ///< with the run's boundary and grid spacing
    equation::Integrator scheme;
    bool controls_error = false;                             ///< dt is chosen by the error of a step
    long long global_every = 1;                              ///< steps that share their global values
    std::uint64_t seed = 0;                                  ///< of random numbers
    std::vector<std::shared_ptr<const Array<double>>> data;  ///< pictures and arrays at the field's size
    /// Returns the equations with a formula as their `extra`; `boundary`, if given, replaces the run's.
    /// Throws InputError.
    std::function<std::shared_ptr<const PlannedEquations>(const std::string& formula,
                                                          std::optional<Boundary> boundary)>
        with_formula;
    std::uint64_t memory_limit = std::numeric_limits<std::uint64_t>::max();  ///< RunSpec::memory_limit
};

/// A shown formula; `component` is set if it equals one.
struct Shown {
    std::shared_ptr<const PlannedEquations> plans;
    std::optional<std::size_t> component;

    /// `boundary`, if given, replaces the run's. Throws InputError for an invalid formula.
    Shown(const TypedRun& run, const std::string& text, std::optional<Boundary> boundary = {});
    /// A program for the formula or its Laplacian (for unit spacing).
    std::shared_ptr<const equation::ViewProgram> program(bool laplacian, bool float64) const {
        return plans->view(laplacian, float64);
    }
};

/// Throws InputError if evaluating and interpolating the formula needs more halo rows than `depth`.
void require_reach(const equation::ViewProgram& view, const std::string& text, int depth);

}  // namespace stencil
