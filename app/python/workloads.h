// What Python asks for beside a simulation; results are JSON.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "app/python/held_simulation.h"

namespace stencil::python {

/// bench.json of a ladder. Words are the options of `stencilscope bench`. Ctrl-C ends it.
std::string bench(const Words& words);

/// report.json of an example. Words are its options on the command line, and `out`.
std::string example(const std::string& name, const Words& words);

/// Every model: name, title, components, parameters, source and text.
std::string models();

/// Every setting of a run: name, what stands for its value (empty: a switch), help, and whether it may be
/// given several times.
std::string setting_table();

}  // namespace stencil::python
