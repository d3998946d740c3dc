// The class HeldSimulation of Python: a simulation usable from several threads, and run with the GIL
// released.
#pragma once

#include <nanobind/nanobind.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace stencil::python {

namespace nb = nanobind;

/// Settings as pairs of name and text, as typed on the command line.
using Words = std::vector<std::pair<std::string, std::string>>;

/// Thrown if the field is no longer finite: Python's FloatingPointError.
class NotFiniteError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

void add_simulation(nb::module_& module);
void add_sweep(nb::module_& module);
/// The class HeldFit: a fit, or the residuals alone as a function of the parameters.
void add_fit(nb::module_& module);

}  // namespace stencil::python
