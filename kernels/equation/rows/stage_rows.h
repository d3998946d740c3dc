// A stage of a step, row by row.
#pragma once

#include <memory>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/program.h"
#include "kernels/equation/rows/row_machine.h"
#include "kernels/equation/rows/row_text.h"

namespace stencil::equation {

/// A stage made ready to run.
template <class T>
struct PreparedStage {
    explicit PreparedStage(const Stage& stage);

    const Stage* stage;
    RowProgram rows;
    std::vector<T> constants;
    std::vector<int> reached;  ///< arrays of which it reads neighbours
    RowFunction<T> compiled = nullptr;
};

/// A step as its stages see it.
template <class T>
struct StepFrame {
    const Program& program;
    const EquationSetup& setup;
    std::ptrdiff_t pitch;   ///< from row to row of an array
    std::vector<T*> cells;  ///< cell (0, 0) of each array; ghost cells stand around the field
    std::shared_ptr<const InputValues<T>> inputs;
    long long step;
};

/// Runs rows of a stage in any order in which those beside a row are as far as the stage before or this one.
template <class T>
class StageRows {
  public:
    /// `registers` has room for kTile values of each of the stage's registers.
    StageRows(const PreparedStage<T>& stage, const StepFrame<T>& frame, T* registers);

    /// Rows [y, y_end); the thread takes subnormal numbers for zeros in float32.
    void run(int y, int y_end);

  private:
    /// An array with its ghost cells' coefficients; null where the side is periodic.
    struct Reached {
        T* cells;
        std::array<const GhostLine<T>*, 4> lines;
        bool of_time;
    };
    /// A pointer that goes from row to row.
    struct Moving {
        T** pointer;
        T* row_0;
        std::ptrdiff_t step;
    };
    struct Place {
        T* row_0;
        std::ptrdiff_t step;  ///< from row to row
        bool along_row;
    };

    void bind(T* registers);
    void bind_compiled();
    Place place(const Operand& operand, T* registers) const;
    void fill_ghosts(const Reached& array, int y) const;
    void fill_sides(const Reached& array, int y) const;
    void run_row_at(int y);
    void run_plain(int y);

    const PreparedStage<T>& stage_;
    const StepFrame<T>& frame_;
    std::vector<Reached> reached_;
    std::vector<TileOperation<T>> operations_;
    std::vector<Moving> moving_;
    std::vector<RandomRow> random_;
    RowArguments<T> arguments_{};  ///< of a compiled stage, with what it points to
    std::vector<const T*> columns_, rows_, random_cells_;
    AlignedBuffer<T> random_memory_;
    std::vector<T> values_;  ///< of the plain way
    int last_ = -2;          ///< the row before
};

extern template struct PreparedStage<float>;
extern template struct PreparedStage<double>;
extern template class StageRows<float>;
extern template class StageRows<double>;

}  // namespace stencil::equation
