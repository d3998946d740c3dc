// A program as C, header-free, one function a stage: what the system's compiler makes rows of.
#pragma once

#include <cstddef>
#include <string>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// What the functions are given: `struct Rows` of the text. Pointers are to cell (0, 0) of an array, or to
/// the value at the field's first column or row.
template <class T>
struct RowArguments {
    T* const* arrays;
    const T* const* columns;
    const T* const* rows;
    const T* const* random;  ///< by their streams: those of the row, which is run alone
    const T* uniforms;
    std::ptrdiff_t pitch;  ///< from row to row of an array
    int nx;
};

/// Runs rows [y, y_end) of a stage, whose arrays have their ghost cells, and room for kLeastTile cells a row.
template <class T>
using RowFunction = void (*)(const RowArguments<T>* arguments, int y, int y_end);

/// The text defines, for `Real` float or double, onceN() and stageN() as RowFunction says. Every operation is
/// written out, so that the bits are the program's where the compiler contracts nothing (-ffp-contract=off).
std::string row_text(const Program& program, bool float64);

/// "once0", "stage2": the name of a function.
std::string row_function_name(bool once, std::size_t stage);

}  // namespace stencil::equation
