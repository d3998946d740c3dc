// Initial states.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/field/field.h"
#include "sim/field/row_source.h"
#include "sim/initial/initial.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/typed_run.h"

namespace stencil {

/// The state at step 0 of a spec with decided size; formulas are evaluated in float64. Stores the hash of a
/// file for the first component in the spec. Throws InputError if a file cannot be read or does not have the
/// spec's hash.
State make_start(RunSpec& spec);

/// The initial state as a row generator, so that each process makes its own rows. Null if rows depend on the
/// whole: pictures, models with data, arrays in Fortran order, some initial conditions. Does not read whole
/// files; see keep_hash(). Throws InputError.
std::shared_ptr<const RowSource> start_recipe(const RunSpec& spec);

/// The fields of .npy files of one shape, in their precision. Throws InputError.
std::shared_ptr<const RowSource> file_rows(const std::vector<std::filesystem::path>& files);

/// Uniform noise in `count` fields.
std::shared_ptr<const RowSource> noise_rows(
    int nx, int ny, DType dtype, std::size_t count, std::uint64_t seed, int threads);

/// Converts to the spec's precision and size.
Field fitted(Field field, const Problem& spec);

/// For each component of the next model its index in the present one; -1 if new.
std::vector<int> kept_components(const Problem& now, const Problem& next);

/// The initial state for the next model and size: kept components' as they are, new ones' generated.
std::shared_ptr<const RowSource> carried_start(const std::shared_ptr<const RowSource>& start,
                                               const RunSpec& next,
                                               const std::vector<int>& kept);

/// Rebuilds the row generator described by RowSource::recipe(). Throws InputError if this process cannot.
std::shared_ptr<const RowSource> read_recipe(const std::string& recipe);

/// Stores the hash of the first component's file. Throws InputError if the spec has another one.
void keep_hash(Problem& spec, const std::string& hash);

/// The equations and data for solvers of a general model. Reads files, unless `with_data` is false; throws
/// InputError.
std::shared_ptr<const TypedRun> typed_run(const RunSpec& spec, bool with_data = true);

/// About the bytes that evaluate_starts() takes for all rows; 0 if no component has a formula.
double start_bytes(const RunSpec& spec);

/// The parsed initial condition of a component; empty if it is the text's own formula.
InitialChoice initial_choice(const Problem& spec, std::size_t component = 0);
InitialRequest request_of(const Problem& spec, const InitialChoice& choice);

/// Evaluates the initial formulas of all components on rows [first, first + rows).
std::vector<Field> evaluate_starts(const Problem& spec, int first, int rows, ThreadPool& threads);

/// What is legal but may surprise: the notes of the text, and one on a coefficient of div(D*grad(u)) that is
/// small in a layer of one or two cells, where the arithmetic mean lets too much pass, unless the field is
/// too large to look.
std::vector<std::string> notes_of(const Problem& spec);
/// The size of the first array or picture that the run starts from, or else that its text names as an array.
std::optional<Size> size_of_files(const Problem& spec);

/// Leaves cells that an array has as NaN outside of the shape: adds `inside = known("FILE")` to a text
/// without `inside`, with a note. The size must be known.
void leave_out_gaps(RunSpec& spec);

/// The files of all components' initial conditions.
std::vector<std::string> start_files(const Problem& spec);

/// The equations with the run's boundary and grid spacing instead of the text's. `formulas` become their
/// `extra`. Runs that differ in other settings share them, and the programs made of them.
std::shared_ptr<const PlannedEquations> planned_equations(const Problem& spec,
                                                          const std::vector<std::string>& formulas = {});

/// The text's pictures and arrays at the field's size, in order. Throws InputError.
std::vector<std::shared_ptr<const Array<double>>> read_data(const Problem& spec);

}  // namespace stencil
