// The intermediate representation of typed equations: a list of instructions in order, from which all
// executors work. Each operation is rounded once, as in IEEE 754, except that float32 subnormals are flushed
// to zero (otherwise near-empty regions triple the run time on CPUs). An executor must not fuse, reorder or
// approximate operations, so that all have the same bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/methods/spectral/modes.h"

namespace stencil::equation {

enum class Code : std::uint8_t {
    // Inputs.
    constant,  ///< the constant `number`, rounded to the precision
    scalar,    ///< the scalar `index`: a parameter of the model or a value of the run (kTime ...)
    uniform,   ///< the uniform `index`, rounded to the precision; the same in every cell
    global,    ///< the global value `index`, rounded to the precision
    column,    ///< the column input `index`, which depends on the column only
    row,       ///< the row input `index`, which depends on the row only
    x,         ///< coordinates of the cell centre; only in programs of inputs
    y,
    load,    ///< the array `index`, `dx` columns and `dy` rows away (-1, 0 or 1)
    random,  ///< uniform in [0, 1): a pure function of cell, step, seed and the stream `index`
    // Operations on a, b, c, d.
    add,
    subtract,
    multiply,
    divide,
    fma,   ///< a b + c, rounded once
    fnma,  ///< c - a b, rounded once
    fms,   ///< a b - c, rounded once
    sum4,  ///< (a + b) + (c + d)
    negate,
    sqrt,
    abs,
    floor,
    minimum,  ///< a < b ? a : b
    maximum,  ///< a > b ? a : b
    less,     ///< 1 or 0
    less_or_equal,
    equal,
    select,       ///< a != 0 ? b : c
    scale,        ///< a 2^b for integer b, in two factors so that the result may be subnormal
    exponent,     ///< for a > 0: the integer n for which a 2^-n is in [1, 2)
    significand,  ///< a 2^-exponent(a)
};

/// Operation i of a list computes value i.
struct Operation {
    Code code = Code::constant;
    std::int8_t dx = 0, dy = 0;
    int index = 0;
    double number = 0;
    std::array<int, 4> args{-1, -1, -1, -1};
    friend bool operator==(const Operation&, const Operation&) = default;
};

using Operations = std::vector<Operation>;

struct Output {
    int value = 0;
    int array = 0;
    friend bool operator==(const Output&, const Output&) = default;
};

/// Applies an operator to whole fields. A linear part computes `to` = A^-1 `from`, field by field in order;
/// kernels compute each of `to` as the convolution of the one field `from` with its kernel.
struct Solve {
    std::vector<int> from, to;
    int part = 0;  ///< index in Program::linear
    friend bool operator==(const Solve&, const Solve&) = default;
};

/// Computes a global value from an array's cells, in float64. Sums are in the order of
/// kernels/view/statistics/sum_tree.h, so their bits depend on the field's size only. A NaN in any cell makes
/// the result NaN.
struct Reduction {
    enum class Kind : std::uint8_t { sum, mean, minimum, maximum } kind = Kind::sum;
    int array = 0, global = 0;
    int cells = -1;  ///< the global value that a mean divides by; -1: the number of cells
    friend bool operator==(const Reduction&, const Reduction&) = default;
};

/// A stage reads arrays at most one cell away, as earlier stages left them.
struct Stage {
    Operations operations;
    std::vector<Output> outputs;
    Solve solve = {};                        ///< after the outputs; empty: none
    std::vector<Reduction> reductions = {};  ///< after the outputs, in order
    bool of_globals = false;                 ///< needed only by steps that take global values
    friend bool operator==(const Stage&, const Stage&) = default;
};

/// The scalars of every model, followed by its parameters and the global values. kPast is dt divided by the
/// previous step's dt, for programs that keep data of that step; 0 if there was none.
enum : int { kTime, kStep, kDt, kPast, kSpacing, kColumns, kRows, kParameters };

/// Computed in float64 and rounded once: uniforms from scalars and uniforms, column inputs also from x, row
/// inputs also from y. `outputs` are in the order of their indices.
struct Inputs {
    Operations operations;
    std::vector<int> outputs;
    bool of_time = false;     ///< depends on time
    bool of_globals = false;  ///< depends on global values, hence on time; only ghost cells do
    /// For each column or row input: whether it wraps around beyond the sides.
    std::vector<bool> wraps = {};
    friend bool operator==(const Inputs&, const Inputs&) = default;
};

/// The ghost cells of an array beyond one side: alpha * edge + beta, computed along the side in float64 and
/// rounded once.
struct Ghosts {
    bool periodic = false;
    Inputs coefficients;  ///< alpha and beta, from scalars and x or y
    friend bool operator==(const Ghosts&, const Ghosts&) = default;
};

struct ArrayInfo {
    std::string name;
    int component = -1;  ///< the component whose value it holds; -1: none
    int data = -1;    ///< the model's data of this index, supplied from outside and never written; -1: none
    double time = 0;  ///< the time of its values, in steps after the step's start
    std::array<Ghosts, 4> ghosts;  ///< left, right, top, bottom
    friend bool operator==(const ArrayInfo&, const ArrayInfo&) = default;
};

/// How a field continues beyond both ends of an axis when it is convolved. `mirrored` and `negated` repeat
/// its mirror image at each end, `negated` with the opposite sign.
enum class Outside : std::uint8_t { periodic, mirrored, negated, zero };

/// The period, in cells, of the field extended by `outside`. With zeros, the length that avoids wrap-around
/// in a convolution.
constexpr int torus_length(Outside outside, int cells) {
    return outside == Outside::periodic ? cells : 2 * cells;
}

/// The kernel K of a convolution: the sum of K(x - x', y - y') u(x', y') dx^2 over all cells (x', y').
struct ConvolutionKernel {
    Inputs formula;  ///< a function of the offsets x and y and of scalars, in float64
    /// Formulas whose sums over all offsets are appended to the program's scalars without its global values.
    /// Each may use the sums before it.
    std::vector<Inputs> sums;
    friend bool operator==(const ConvolutionKernel&, const ConvolutionKernel&) = default;
};

/// A linear operator L with constant coefficients, whose matrix A a solve inverts by FFT: the linear part of
/// the rates for IMEX, the left side of an elliptic equation. For a mode in field `column`, L in field `row`
/// is the sum of coefficient * X^x_power * Y^y_power, where X and Y are the eigenvalues of the second
/// differences e + w - 2 c and n + s - 2 c. All fields have the same modes along an axis.
struct LinearPart {
    /// A is 1 - share dt L for a step, and -L for an equation, in which modes with L = 0 are set to 0.
    enum class Matrix { step, equation };
    struct Term {
        int row = 0, column = 0, x_power = 0, y_power = 0;
        friend bool operator==(const Term&, const Term&) = default;
    };
    Matrix matrix = Matrix::step;
    int fields = 1;  ///< number of coupled fields
    std::vector<Term> terms;
    /// The terms' coefficients, which follow from scalars, in float64. An axis with general modes adds the
    /// ratio of ghost to edge cell at each of its sides.
    Inputs coefficients;
    double share = 0;  ///< the implicit share of dt
    Modes along_x = Modes::periodic, along_y = Modes::periodic;
    /// If not empty, the operator is instead the convolutions of one field with these kernels, and the field
    /// continues by `outside` along x and y.
    std::vector<ConvolutionKernel> kernels = {};
    std::array<Outside, 2> outside = {};
    friend bool operator==(const LinearPart&, const LinearPart&) = default;
};

/// One step. Arrays 0 ... components - 1 hold the state, the arrays `next` the state after the step. The
/// components behind the model's are what a multistep integrator keeps for the next step (`past` of them),
/// followed by `errors` estimated errors of the step.
struct Program {
    int components = 0, past = 0, errors = 0;
    std::vector<ArrayInfo> arrays;
    std::vector<int> next;
    std::vector<Stage> once;  ///< setup stages, which depend only on position and parameters
    std::vector<Stage> stages;
    Inputs uniforms, columns, rows;
    std::vector<LinearPart> linear;  ///< the operators of the stages' solves
    int globals = 0;                 ///< number of global values
    /// For method `fast`: CUDA kernels contract, and use functions of the hardware (elementary.h).
    bool fast = false;
    friend bool operator==(const Program&, const Program&) = default;
};

/// Which arrays are periodic along an axis (0: x). If only some are, no executor fuses steps, because rows at
/// both ends of the field need each other as well as ghost cells.
enum class Wrapping : std::uint8_t { none, some, all };
inline Wrapping wrapping(const Program& program, std::size_t axis) {
    std::size_t wrapped = 0;
    for (const ArrayInfo& array : program.arrays) wrapped += array.ghosts[2 * axis].periodic ? 1 : 0;
    return wrapped == 0 ? Wrapping::none : wrapped == program.arrays.size() ? Wrapping::all : Wrapping::some;
}

}  // namespace stencil::equation
