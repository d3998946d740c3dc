// How a simulation of Python begins: from settings and arrays, or from a checkpoint.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/python/held_simulation.h"
#include "sim/field/row_source.h"
#include "sim/run/simulation.h"

namespace stencil::python {

/// The spec of a ready run, a spec.json or the default, with these settings. Throws InputError.
RunSpec spec_of(const std::string& named, const Words& words);

struct NamedField {
    std::string component;  ///< empty: the first component
    Field field;
};

/// Arrays of shape (ny, nx) by the names of components. Throws InputError.
std::vector<NamedField> fields_of(const nb::dict& arrays);
/// Throws InputError for settings by which a run writes files on its way.
void refuse_files_on_the_way(std::string_view setting);

/// Properties of the start that the simulation itself does not record.
struct Beginning {
    std::shared_ptr<const RowSource> start = nullptr;
    std::vector<std::string> files = {};   ///< by component: the spec's file name for a given array
    std::string method = "", choice = "";  ///< which method `auto` chose, and why; empty: not by `auto`
};

/// Begins a run from given arrays, which determine the size, and the precision unless `words` sets it. Throws
/// what Simulation and resolve() throw.
Simulation begin(RunSpec spec, std::vector<NamedField> given, const Words& words, Beginning& beginning);
/// Resumes from the checkpoint in a folder.
Simulation resumed(const std::string& folder);

}  // namespace stencil::python
