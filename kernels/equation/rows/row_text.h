// A program as header-free C, one function per stage, for the system's compiler.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// The functions' argument: `struct Rows` of the text. Pointers point to cell (0, 0) of an array, or to the
/// input at the field's first column or row.
template <class T>
struct RowArguments {
    T* const* arrays;
    const T* const* columns;
    const T* const* rows;
    const T* const* random;  ///< by stream, for one row; such stages are run row by row
    const T* uniforms;
    const T* globals;
    std::ptrdiff_t pitch;  ///< distance between the rows of an array
    int nx;
};

/// Runs rows [y, y_end) of a stage. Arrays must have their ghost cells, and room for whole tiles of
/// kLeastTile cells.
template <class T>
using RowFunction = void (*)(const RowArguments<T>* arguments, int y, int y_end);

/// The text defines onceN() and stageN() (see RowFunction) for `Real` float or double. Every operation is
/// written out, so the bits are those of the program if the compiler contracts nothing (-ffp-contract=off).
std::string row_text(const Program& program, bool float64);

/// The name of a function: "once0", "stage2".
std::string row_function_name(bool once, std::size_t stage);

}  // namespace stencil::equation
