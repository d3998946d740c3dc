// Runs a stage of a step, row by row.
#pragma once

#include <memory>
#include <set>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/equation/rows/row_machine.h"
#include "kernels/equation/rows/row_text.h"

namespace stencil::equation {

template <class T>
struct PreparedStage {
    explicit PreparedStage(const Stage& stage);

    const Stage* stage;
    RowProgram rows;
    std::vector<T> constants;
    std::set<int> reached;  ///< arrays whose neighbours it reads
    RowFunction<T> compiled = nullptr;
};

/// The data that a step's stages share.
template <class T>
struct StepFrame {
    const Program& program;
    const EquationSetup& setup;
    std::ptrdiff_t pitch;   ///< distance between the rows of an array
    std::vector<T*> cells;  ///< cell (0, 0) of each array; ghost cells surround the field
    std::shared_ptr<const InputValues<T>> inputs;
    long long step;
    const T* globals;  ///< global values, at the time when a stage is run
};

/// Runs rows of a stage in any order in which the adjacent rows have reached the previous stage or this one.
template <class T>
class StageRows {
  public:
    /// `registers` has room for kTile values per register of the stage.
    StageRows(const PreparedStage<T>& stage, const StepFrame<T>& frame, T* registers);

    /// Runs rows [y, y_end). In float32 the thread must flush subnormals.
    void run(int y, int y_end);

  private:
    /// An array with the coefficients of its ghost cells; null for periodic sides.
    struct Reached {
        T* cells;
        std::array<const GhostLine<T>*, 4> lines;
        bool of_time;
    };
    /// A pointer that advances from row to row.
    struct Moving {
        T** pointer;
        T* row_0;
        std::ptrdiff_t step;
    };
    struct RowPointer {
        T* row_0;
        std::ptrdiff_t step;  ///< distance between rows
        bool along_row;
    };

    void bind(T* registers);
    void bind_compiled();
    RowPointer row_pointer(const Operand& operand, T* registers) const;
    void fill_ghosts(const Reached& array, int y) const;
    void run_row_at(int y);
    void run_plain(int y);

    const PreparedStage<T>& stage_;
    const StepFrame<T>& frame_;
    std::vector<Reached> reached_;
    std::vector<TileOperation<T>> operations_;
    std::vector<Moving> moving_;
    std::vector<RandomRow> random_;
    RowArguments<T> arguments_{};  ///< argument of a compiled stage, which points to the vectors below
    std::vector<const T*> columns_, rows_, random_cells_;
    AlignedBuffer<T> random_memory_;
    std::vector<T> values_;  ///< of the scalar interpreter
    int last_ = -2;          ///< the row that was run last
};

}  // namespace stencil::equation
