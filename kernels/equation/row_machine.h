// Operations a block of cells at a time: registers are short rows in the first-level cache.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/equation/random.h"

namespace stencil::equation {

/// Cells of a block: of what a register holds.
inline constexpr int kBlock = 256;

/// Where a value is read or written.
struct Operand {
    enum class Kind : std::uint8_t {
        none,
        reg,
        constant,
        uniform,
        column,
        row,
        load,
        output
    } kind = Kind::none;
    std::int8_t dx = 0, dy = 0;
    int index = 0;
};

struct RowOperation {
    Code code = Code::add;
    Operand to;
    std::array<Operand, 4> from;
    int stream = 0;
};

/// A stage with its registers given out: as few as are needed at a time.
struct RowProgram {
    std::vector<RowOperation> operations;
    std::vector<double> constants;
    int registers = 0;
};

RowProgram compile_rows(const Stage& stage);

/// An operation with its pointers found; all are at the block's first cell.
template <class T>
struct BlockOperation {
    Code code;
    T* to;
    const T* from[4];
};

/// Runs operations over `cells` cells, rounded up to whole vectors; every pointer must reach as far.
/// Code::random is not one of them.
template <class T>
void run_block(const BlockOperation<T>* operations, std::size_t count, int cells);

/// This processor rounds a multiply-add once; without that, run_block() would have other bits, and must not
/// be called.
bool has_row_machine();

}  // namespace stencil::equation
