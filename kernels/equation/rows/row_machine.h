// The vector interpreter: runs operations along a row, one tile of cells at a time, and forwards results to
// the next operation in registers.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/equation/random.h"

namespace stencil::equation {

/// Cells of the largest and of the smallest tile. Rows must have room for whole smallest tiles.
template <class T>
inline constexpr int kTile = 1024 / sizeof(T);
template <class T>
inline constexpr int kLeastTile = 256 / sizeof(T);

/// The source of an argument: forwarded from the previous operation, one value per cell, or one for the whole
/// row.
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

/// Register-forwarded operations, which keep their result for the next one's `previous`. All others use
/// memory operands only.
inline constexpr auto kChainedKernels = make_chained_kernels();

/// A location from which a value is read or to which it is written.
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
    int chained = -1;  ///< index into kChainedKernels; -1: not forwarded
    Operand to;        ///< none: only the next operation uses it
    std::array<Operand, 4> from;
    int stream = 0;
};

/// A stage after register allocation, with as few registers as possible.
struct RowProgram {
    std::vector<RowOperation> operations;
    std::vector<double> constants;
    int registers = 0;
};

RowProgram compile_rows(const Stage& stage);

/// The key of a row's random numbers.
struct RandomRow {
    RandomKey key;
    int y = 0;
};

/// An operation with resolved pointers.
template <class T>
struct TileOperation {
    Kernel kernel;
    int chained = -1;
    T* to = nullptr;
    std::array<T*, 4> from{};  ///< read only
    /// -1: points to the row's first cell and advances with the tile; 0: points to a register or a scalar.
    std::ptrdiff_t to_moves = 0;
    std::array<std::ptrdiff_t, 4> from_moves{};
    const RandomRow* random = nullptr;
};

/// Runs operations over `cells` cells, tile by tile; the last one ends at a multiple of kLeastTile. An
/// operation may overwrite what earlier ones read in the same cells, but not what they read in other tiles.
template <class T>
void run_row(const TileOperation<T>* operations, std::size_t count, int cells);

/// to[i] = a[i] b[i] + c[i], rounded once, on every processor.
void multiply_add(const float* a, const float* b, const float* c, float* to, int n);
void multiply_add(const double* a, const double* b, const double* c, double* to, int n);

/// Whether this CPU has FMA instructions. Without them run_row() would have other bits and must not be
/// called.
bool has_row_machine();

}  // namespace stencil::equation
