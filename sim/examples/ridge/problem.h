// What the ridge example solves: its matrix, right-hand side and coefficients, drawn at random or read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/examples/ridge/sparse_matrix.h"
#include "sim/examples/option.h"

namespace stencil {

/// What a problem is drawn from.
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
    SparseMatrix<float> a32;  ///< exactly one of the two is filled
    SparseMatrix<double> a64;
    bool narrow = true;     ///< a32
    std::vector<double> d;  ///< rows
    std::vector<std::string> notes;

    std::int64_t rows() const { return narrow ? a32.rows : a64.rows; }
    std::int64_t columns() const { return narrow ? a32.columns : a64.columns; }
    std::int64_t nonzeros() const { return narrow ? a32.nonzeros() : a64.nonzeros(); }
};

/// What the options ask for where there is no --matrix.
RandomProblem random_problem(const OptionValues& options);

/// The problem of these options, with values of `float32` where they are float32 numbers. Throws InputError.
RidgeProblem make_ridge_problem(const OptionValues& options,
                                bool float32,
                                const std::function<void()>& pause);

/// "LOW:HIGH:COUNT" (geometric) or "C,C,...", ascending and each once. Throws InputError.
std::vector<double> parse_coefficients(const std::string& text, const std::string& setting);

}  // namespace stencil
