// A typed equation as operations in their order: the one form from which every way of stepping works. Each
// operation is rounded once, as IEEE 754 has it, but that float32 takes numbers below 2^-126 for zeros (those
// of a pattern's far surroundings cost processors three times the whole field); what an implementation fuses,
// reorders or approximates otherwise has other bits.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/field/boundary.h"

namespace stencil::equation {

enum class Code : std::uint8_t {
    // Inputs.
    constant,  ///< `number`, rounded to the precision
    scalar,    ///< the scalar `index`: of the model's parameters and the run (kScalar...)
    uniform,   ///< the uniform `index`, rounded to the precision: the same in every cell
    column,    ///< the column input `index`: differs from column to column alone
    row,       ///< the row input `index`
    x,         ///< the cell centre's place; in the programs of inputs alone
    y,
    load,    ///< the array `index`, `dx` columns and `dy` rows further on (-1, 0 or 1)
    random,  ///< uniform in [0, 1): a pure function of cell, step, seed and the stream `index`
    // Operations on a, b, c.
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
    scale,        ///< a 2^b, b a whole number, as a 2^floor(b / 2) times the rest
    exponent,     ///< of a > 0: the whole number n for which a 2^-n is in [1, 2)
    significand,  ///< a 2^-exponent(a)
};

/// The value of operation i of a list is its number i.
struct Operation {
    Code code = Code::constant;
    std::int8_t dx = 0, dy = 0;
    int index = 0;
    double number = 0;
    std::array<int, 4> args{-1, -1, -1, -1};
};

using Operations = std::vector<Operation>;

/// Operation `value` is what the array `array` gets.
struct Output {
    int value = 0;
    int array = 0;
};

/// `to` = (1 - share dt L)^-1 `from`, L a program's linear part: arrays of all components in their order.
struct Solve {
    std::vector<int> from, to;
};

/// All outputs of a stage depend on arrays that earlier stages made, at most one cell away.
struct Stage {
    Operations operations;
    std::vector<Output> outputs;
    Solve solve = {};  ///< then; empty: nothing
};

/// Scalars of every model; its parameters follow.
enum : int { kTime, kStep, kDt, kSpacing, kColumns, kRows, kParameters };

/// Inputs are worked out in float64 and rounded once: uniforms of scalars (and other uniforms), column inputs
/// of x too, row inputs of y too. `outputs` are in the order of their indices.
struct Inputs {
    Operations operations;
    std::vector<int> outputs;
    bool of_time = false;  ///< differ from step to step
    /// A column or row input beyond the sides has the value that it has at the field's other end.
    std::vector<bool> wraps = {};
};

/// The ghost cells of an array beyond one side: alpha * edge + beta, both along the side, in float64 and
/// rounded once.
struct Ghosts {
    bool periodic = false;
    Inputs coefficients;  ///< alpha, beta: of scalars and x or y
};

struct ArrayInfo {
    std::string name;
    int component = -1;            ///< of which it is a value; -1: of none
    int data = -1;                 ///< given from outside, the model's data `data`; never written
    double time = 0;               ///< of its values, in steps after the step's beginning
    std::array<Ghosts, 4> ghosts;  ///< left, right, top, bottom
};

/// What the implicit part of a step is made of: of a wave in component `column`, the rate of component `row`
/// is the sum of coefficient * X^x_power * Y^y_power, where the second differences e + w - 2 c and n + s - 2
/// c multiply the wave by X and Y. All components have the same boundary along an axis.
struct LinearPart {
    struct Term {
        int row = 0, column = 0, x_power = 0, y_power = 0;
    };
    std::vector<Term> terms;
    Inputs coefficients;  ///< of the terms: of scalars, in float64
    double share = 0;     ///< of dt
    Boundary along_x = Boundary::periodic, along_y = Boundary::periodic;
};

/// One step. The arrays 0 ... components - 1 hold the state; `next` are those that hold it after the step.
struct Program {
    int components = 0;
    std::vector<ArrayInfo> arrays;
    std::vector<int> next;
    std::vector<Stage> once;  ///< what depends on the place and parameters alone
    std::vector<Stage> stages;
    Inputs uniforms, columns, rows;
    LinearPart linear;  ///< without terms where no stage solves
};

/// Which of a program's arrays are periodic along an axis, 0 along x. Where some are and others not, rows at
/// both ends of the field need each other and what stands beyond it as well: no way of stepping takes several
/// steps in one pass then.
enum class Wrapping : std::uint8_t { none, some, all };
inline Wrapping wrapping(const Program& program, std::size_t axis) {
    std::size_t wrapped = 0;
    for (const ArrayInfo& array : program.arrays) wrapped += array.ghosts[2 * axis].periodic ? 1 : 0;
    return wrapped == 0 ? Wrapping::none : wrapped == program.arrays.size() ? Wrapping::all : Wrapping::some;
}

}  // namespace stencil::equation
