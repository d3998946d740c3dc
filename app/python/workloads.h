// Functions of the Python module besides the simulation; results are JSON text.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "app/python/held_simulation.h"

namespace stencil::python {

/// Runs the benchmark with options of `stencilscope bench` and returns bench.json. Ctrl-C ends it.
std::string bench(const Words& words);

/// Runs an example and returns report.json. Words are its command-line options, and `out`.
std::string example(const std::string& name, const Words& words);

/// Lists every model: name, title, components, parameters, source and text.
std::string models();

/// Lists every setting of a run: name, value (empty: a switch), help, and whether it may be repeated.
std::string setting_table();

}  // namespace stencil::python
