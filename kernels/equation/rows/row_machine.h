// The vector interpreter: runs operations along a row, one tile of cells at a time.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/equation/program.h"
#include "kernels/equation/random.h"

namespace stencil::equation {

/// Cells of a tile, and of the smallest one, which ends a row. Rows must have room for whole smallest tiles.
template <class T>
inline constexpr int kTile = 1024 / sizeof(T);
template <class T>
inline constexpr int kLeastTile = 256 / sizeof(T);

/// The location of an operand. In memory it is an input or a constant, or an array: `code` is `load` also for
/// outputs.
struct Operand {
    enum class Kind : std::uint8_t { none, reg, memory } kind = Kind::none;
    Code code = Code::load;
    std::int8_t dx = 0, dy = 0;
    int index = 0;

    /// Whether it has one value per row, instead of one per cell.
    bool is_scalar() const { return code == Code::constant || code == Code::uniform || code == Code::row; }
    friend bool operator==(const Operand&, const Operand&) = default;
};

struct RowOperation {
    Code code;
    Operand to;
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
    Code code = Code::add;
    std::array<bool, 4> scalar{};  ///< by argument: one value per row
    T* to = nullptr;
    std::array<T*, 4> from{};  ///< read only; null if there is no such argument
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
