// What a run starts from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sim/field/state.h"
#include "sim/initial/initial.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/typed_run.h"

namespace stencil {

/// The state at step 0 of a spec whose size is decided, in whatever precision it is made; formulas are worked
/// out in float64. Of a file for the first component the spec keeps the hash; throws InputError where a file
/// cannot be read, or is not the one of which the spec has the hash.
State make_start(RunSpec& spec);

/// What solvers of a general model are made from, its files read. Throws InputError.
std::shared_ptr<const TypedRun> typed_run(const RunSpec& spec);

/// The first component's, taken apart.
InitialChoice initial_choice(const RunSpec& spec);

/// Every file that the start is made of.
std::vector<std::string> start_files(const RunSpec& spec);

/// The equations with the run's own choices in place of the text's: boundary and distance of cells.
/// `formulas` become their `extra`.
equation::Equations run_equations(const RunSpec& spec, const std::vector<std::string>& formulas = {});

/// Of a typed model.
equation::SteppingScheme stepping_scheme(const RunSpec& spec);

/// The pictures and arrays of the text at the field's size, in their order. Throws InputError.
std::vector<std::shared_ptr<const Array<double>>> read_data(const RunSpec& spec);

}  // namespace stencil
