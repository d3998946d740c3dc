// What a run starts from.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/field/row_source.h"
#include "sim/field/state.h"
#include "sim/initial/initial.h"
#include "sim/run/run_spec.h"
#include "sim/run/solvers/typed_run.h"

namespace stencil {

/// The state at step 0 of a spec whose size is decided, in whatever precision it is made; formulas are worked
/// out in float64. Of a file for the first component the spec keeps the hash; throws InputError where a file
/// cannot be read, or is not the one of which the spec has the hash.
State make_start(RunSpec& spec);

/// The same as a recipe, of which rows are made wherever they are wanted; null where the whole is needed to
/// make any: pictures, models with data, arrays in Fortran order, conditions that are not by rows. Files are
/// not looked through (keep_hash()). Throws InputError.
std::shared_ptr<const RowSource> start_recipe(const RunSpec& spec);

/// The fields of .npy files of one shape, in their own precision; any values. Throws InputError.
std::shared_ptr<const RowSource> file_rows(const std::vector<std::filesystem::path>& files);

/// Uniform noise in `count` fields.
std::shared_ptr<const RowSource> noise_rows(
    int nx, int ny, DType dtype, std::size_t count, std::uint64_t seed, int threads);

/// In the spec's precision and size.
Field fitted(Field field, const Problem& spec);

/// The number in the present model of each component of the next one; -1: it is new.
std::vector<int> kept_components(const Problem& now, const Problem& next);

/// The start under the next model and size: the present one of components that are kept, made for the others.
std::shared_ptr<const RowSource> carried_start(const std::shared_ptr<const RowSource>& start,
                                               const RunSpec& next,
                                               const std::vector<int>& kept);

/// What a RowSource::recipe() says. Throws InputError where this process cannot have it.
std::shared_ptr<const RowSource> read_recipe(const std::string& recipe);

/// Of the file of the first component: throws InputError where the spec has another one.
void keep_hash(Problem& spec, const std::string& hash);

/// What solvers of a general model are made from, its files read. Throws InputError.
std::shared_ptr<const TypedRun> typed_run(const Problem& spec);

/// What a component starts from, taken apart; all empty for the text's own formula.
InitialChoice initial_choice(const Problem& spec, std::size_t component = 0);
InitialRequest request_of(const Problem& spec, const InitialChoice& choice);

/// Of each component the rows [first, first + rows), by its formula.
std::vector<Field> evaluate_starts(const Problem& spec, int first, int rows, ThreadPool& threads);

/// The file that a component starts from; empty where it is none.
std::string start_file(const Problem& spec, std::size_t component);
/// Every one of them.
std::vector<std::string> start_files(const Problem& spec);

/// The equations with the run's own choices in place of the text's: boundary and distance of cells.
/// `formulas` become their `extra`.
equation::Equations run_equations(const Problem& spec, const std::vector<std::string>& formulas = {});

/// The pictures and arrays of the text at the field's size, in their order. Throws InputError.
std::vector<std::shared_ptr<const Array<double>>> read_data(const Problem& spec);

}  // namespace stencil
