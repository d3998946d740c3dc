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

/// An argument is forwarded from the previous operation, one value per cell, or one per row.
enum class Source : std::uint8_t { none, previous, cells, scalar };

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

/// Operations whose result the next one can take as `previous`, in registers. All others use memory operands.
inline constexpr auto kChainedKernels = make_chained_kernels();

/// The location of an operand.
struct Operand {
    enum class Kind : std::uint8_t {
        none,
        reg,
        constant,
        uniform,
        global,
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

/// A stage after register allocation.
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
    /// -1: to the row's first cell, advances with the tile; 0: to a register or scalar.
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

/// Whether this CPU has FMA; without it run_row() would give other bits and must not be called.
bool has_row_machine();

}  // namespace stencil::equation
