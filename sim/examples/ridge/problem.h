// The problem of the ridge example: its options, and the matrix, right-hand side and coefficients, drawn at
// random or read.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"
#include "sim/examples/example.h"

namespace stencil::ridge {

/// The parameters from which a problem is drawn.
struct RandomProblem {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    double density = 0;
    std::uint64_t seed = 0;

    std::int64_t nonzeros() const;
};

/// `nonzeros()` distinct places, each set of places as likely as any other, with values uniform on [0, 1) of
/// 24 bits. The same matrix for the same numbers everywhere. `pause` is called now and then, and may throw.
template <class T>
SparseMatrix<T> random_matrix(const RandomProblem& problem, const std::function<void()>& pause);

/// Normally distributed with mean 3 and deviation 1, as the tutorial's data.
std::vector<double> random_data(const RandomProblem& problem, const std::function<void()>& pause);

struct RidgeProblem {
    std::variant<SparseMatrix<float>, SparseMatrix<double>> a;
    std::vector<double> d;  ///< rows
    std::vector<std::string> notes = {};
    /// The powers of two by which a and d are to be multiplied; a file's values were divided by them.
    int matrix_exponent = 0, data_exponent = 0;
};

/// The problem of these options, with values of `float32` where they are float32 numbers. Throws InputError.
RidgeProblem make_ridge_problem(const OptionValues& options,
                                bool float32,
                                const std::function<void()>& pause);

/// "LOW:HIGH:COUNT" (geometric) or "C,C,...", ascending and each once. Throws InputError.
std::vector<double> parse_coefficients(const std::string& text);

/// The example's options, for its row in the table.
std::span<const ExampleOption> ridge_options();

struct RidgeSettings {
    std::vector<double> coefficients;  ///< ascending
    double tolerance = 1e-6;
    /// --methods auto: what is sensible for the size; otherwise those named.
    bool automatic = true;
    bool lsmr = true, cholesky = true, svd = true;
};

/// Throws InputError.
RidgeSettings read_ridge_settings(const OptionValues& options);

}  // namespace stencil::ridge
