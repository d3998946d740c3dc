// Initial conditions: a table of named ones, and files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernels/field/boundary.h"
#include "sim/field/field.h"
#include "sim/files/channel.h"

namespace stencil {

class ThreadPool;

/// A parameter of an initial condition, as in gaussian:sigma=0.2.
struct InitialParameter {
    std::string_view name;
    double standard;
    double least;
    double most;
    std::string_view help;
};

struct InitialRequest {
    int nx = 0;
    int ny = 0;
    std::uint64_t seed = 0;
    Boundary boundary = Boundary::zero;
    std::map<std::string, double, std::less<>>
        parameters;  ///< all of the condition's parameters, given or default
    /// The rows to make, of a field of shape (ny, nx).
    int first = 0;
    int rows = ny;
    ThreadPool* threads = nullptr;  ///< worker threads; null: the caller alone

    double parameter(std::string_view name) const { return parameters.find(name)->second; }
};

struct InitialCondition {
    std::string_view name;
    std::string_view help;
    std::span<const InitialParameter> parameters;
    bool random;              ///< depends on the seed
    bool by_rows;             ///< can make some rows alone; else makes all
    int bytes_per_cell;       ///< peak host memory while it is made, result included
    std::string_view sample;  ///< --initial argument for its picture in the gallery
    Array<double> (*make)(const InitialRequest&);
};

/// The table. A new initial condition is a function and a row there.
std::span<const InitialCondition> initial_conditions();

/// A parsed --initial: a row of the table with its parameters, a file, or a formula. All members are empty
/// for an empty text, which stands for the model's own initial condition.
struct InitialChoice {
    const InitialCondition* condition = nullptr;  ///< null for files and formulas
    std::map<std::string, double, std::less<>> parameters = {};
    std::string file = {}, formula = {};
    Channel channel = Channel::grey;  ///< the channel of a picture to read
    std::string variable = {};        ///< the array's name in a file of several
    bool required = false;            ///< the file must have that name
};

/// Parses --initial. A text is a file if it has an ending of the formats in field_file.h, begins with an
/// existing folder, is `-`, or names an existing file but no row of the table. It is a formula (not parsed
/// here) if it contains a sign, space or number that no name contains. Throws InputError for unknown names
/// and parameters.
InitialChoice parse_initial(std::string_view text);

/// Size of a file's array or picture; empty for conditions of the table, which have any size.
std::optional<std::pair<int, int>> initial_size(const InitialChoice& choice);

/// Makes the field of a condition or file. Pictures are resampled to (ny, nx); arrays must have that shape.
/// Cells that the array leaves out are NaN. Throws InputError for unusable files.
Field make_initial(const InitialChoice& choice, const InitialRequest& request);

/// Throws InputError if the file's array is not (ny, nx).
void require_array_size(const std::string& file, int nx, int ny, const InitialRequest& request);

/// The tutorial's jagged picture (see sim/initial/jagged.cpp).
Array<double> make_jagged(const InitialRequest& request);

/// Rows [first, first + rows) of the noise: default_rng(seed).random((ny, nx), dtype=float32), the same
/// values in either precision.
Field make_noise_rows(
    DType dtype, int nx, int first, int rows, std::uint64_t seed, ThreadPool* threads = nullptr);

}  // namespace stencil
