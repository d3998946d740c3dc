// The initial conditions: a table of names, and files.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/field/boundary.h"
#include "sim/field/field.h"

namespace stencil {

class ThreadPool;

/// A number that an initial condition can be given, as in gaussian:sigma=0.2.
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
        parameters;  ///< all of the condition's, each given or standard
    /// Of the field, which is (ny, nx), these rows alone.
    int first = 0;
    int rows = ny;
    ThreadPool* threads = nullptr;  ///< that make it together; without, the caller does alone

    double parameter(std::string_view name) const { return parameters.find(name)->second; }
};

struct InitialCondition {
    std::string_view name;
    std::string_view help;
    std::span<const InitialParameter> parameters;
    bool random;              ///< takes the seed
    bool by_rows;             ///< makes some rows alone; else always all
    int bytes_per_cell;       ///< of host memory at the most while it is made, the result included
    std::string_view sample;  ///< as --initial takes it: what its picture in the gallery shows
    Array<double> (*make)(const InitialRequest&);
};

/// The table. A new initial condition is a function and a row there.
std::span<const InitialCondition> initial_conditions();

/// The text of --initial, taken apart: a row of the table with its parameters, a file, or a formula of x and
/// y. All are empty for an empty text: a model's own start.
struct InitialChoice {
    const InitialCondition* condition = nullptr;  ///< null for a file or formula
    std::map<std::string, double, std::less<>> parameters = {};
    std::string file = {}, formula = {};
};

/// Throws InputError for unknown names and parameters, with what is allowed. A text is a file where it ends
/// in .npy, .png, .jpg or .jpeg, begins with a folder that exists, or names a file that exists and is no
/// row's name; a formula, which is not looked into, where it has a sign, space or number that no name has.
InitialChoice parse_initial(std::string_view text);

/// By its name a .npy file; another one is a picture.
bool is_array_file(const std::string& file);

/// Columns and rows of a file's array or picture; empty for the table's conditions, which come in any size.
std::optional<std::pair<int, int>> initial_size(const InitialChoice& choice);

/// Makes the field of a condition or file. A picture is resampled to (ny, nx); an array must have that shape.
/// Throws InputError for files that cannot be used.
Field make_initial(const InitialChoice& choice, const InitialRequest& request);

/// Throws InputError where a file's array is not (ny, nx).
void require_array_size(const std::string& file, int nx, int ny, const InitialRequest& request);

// The table's functions, each (rows, nx) in float64.

/// The tutorial's jagged picture (see sim/initial/jagged.cpp).
Array<double> make_jagged(const InitialRequest& request);
/// default_rng(seed).random((ny, nx), dtype=float32): the same field in either precision.
Array<double> make_noise(const InitialRequest& request);
/// Rows [first, first + rows) of the same, in a run's precision.
Field make_noise_rows(
    DType dtype, int nx, int first, int rows, std::uint64_t seed, ThreadPool* threads = nullptr);
Array<double> make_gaussian(const InitialRequest& request);
Array<double> make_disk(const InitialRequest& request);
Array<double> make_checkerboard(const InitialRequest& request);
/// An eigenmode of the discrete Laplacian under the request's boundary: every step multiplies it by one
/// number.
Array<double> make_sine(const InitialRequest& request);

}  // namespace stencil
