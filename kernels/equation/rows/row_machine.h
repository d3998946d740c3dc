// Operations along a row, a tile of cells at a time: what an operation makes stays in the processor's
// registers for the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/equation/random.h"

namespace stencil::equation {

/// Cells of the largest tile, and of the smallest, for which every row must have room.
template <class T>
inline constexpr int kTile = 1024 / sizeof(T);
template <class T>
inline constexpr int kLeastTile = 256 / sizeof(T);

/// What an argument is to the machine: made by the operation before, a value a cell, or one for all of a row.
enum class Source : std::uint8_t { none, previous, cells, scalar };

/// An operation with the sources of its arguments.
struct Kernel {
    Code code = Code::add;
    std::array<Source, 4> sources{};
    constexpr bool operator==(const Kernel&) const = default;
};

constexpr auto make_chained_kernels() {
    using enum Source;
    std::array<Kernel, 52> kernels;
    std::size_t n = 0;
    for (const Code code : {Code::add, Code::subtract, Code::multiply})
        for (const Source a : {previous, cells, scalar})
            for (const Source b : {previous, cells, scalar})
                if (a != b || a == cells) kernels[n++] = {code, {a, b}};
    for (const Code code : {Code::fma, Code::fnma, Code::fms})
        for (const Source b : {cells, scalar}) {
            kernels[n++] = {code, {cells, b, previous}};
            for (const Source a : {previous, cells})
                for (const Source c : {cells, scalar}) kernels[n++] = {code, {a, b, c}};
        }
    kernels[n] = {Code::sum4, {cells, cells, cells, cells}};
    return kernels;
}

/// Those that keep their result for the next operation's `previous`. The others know cells and scalars alone.
inline constexpr auto kChainedKernels = make_chained_kernels();

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
    Kernel kernel;
    int chained = -1;  ///< its place in kChainedKernels
    Operand to;        ///< none: no other than the next operation takes it
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

/// The random numbers of a row.
struct RandomRow {
    RandomKey key;
    int y = 0;
};

/// An operation with its pointers found.
template <class T>
struct TileOperation {
    Kernel kernel;
    int chained = -1;
    T* to = nullptr;
    std::array<T*, 4> from{};  ///< only read
    /// -1: the pointer is to the row's first cell; 0: to a tile's, or to a scalar.
    std::ptrdiff_t to_moves = 0;
    std::array<std::ptrdiff_t, 4> from_moves{};
    const RandomRow* random = nullptr;
};

/// Runs operations over `cells` cells, tile by tile; the last one ends at a multiple of kLeastTile. What an
/// operation writes may be what those before it read in the same cells, but of no other tile.
template <class T>
void run_row(const TileOperation<T>* operations, std::size_t count, int cells);

/// to[i] = a[i] b[i] + c[i], rounded once, on every processor.
void multiply_add(const float* a, const float* b, const float* c, float* to, int n);
void multiply_add(const double* a, const double* b, const double* c, double* to, int n);

/// This processor rounds a multiply-add once; without that, run_row() would have other bits, and must not be
/// called.
bool has_row_machine();

}  // namespace stencil::equation
