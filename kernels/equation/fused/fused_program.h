// A program's step, analysed for a pipeline of rows: the arrays whose rows each stage holds (liveness), and
// the values that it carries from one row to the next.
#pragma once

#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// A stage that reads neighbours, merged with the following ones that do not.
struct FusedStage {
    Stage stage;  ///< sums of four are split into two pairs and their sum
    /// The arrays of which it holds rows: first those handed to it, because it or a later stage reads them,
    /// then those that are only read, by this stage.
    std::vector<int> live;
    /// `carried`: operations computed one row ahead, when the row below is there; they depend on the row
    /// above but not below. Or, if that takes fewer registers, `kept`: the arrays whose row above is kept
    /// instead.
    std::vector<int> carried, kept;
};

class FusedProgram {
  public:
    explicit FusedProgram(const Program& program);

    /// The arrays whose rows a stage hands on, in the order in which the next stage or step expects them.
    std::vector<int> after(std::size_t stage) const;
    /// Whether an array's ghost cells beyond a side use the same coefficients along the side and in every
    /// step.
    bool is_even(int array, std::size_t side) const;
    /// Rows that the levels of one step hold in registers; a level is a stage of a step.
    int held_rows() const;
    /// Estimated instructions per cell and step; sums that neighbouring cells share count once.
    double operations() const;

    const Program& program;
    std::vector<int> from;  ///< the arrays that a step reads: components, then those that are only read
    /// Whether the steps can be fused: no implicit solves, and either all arrays are periodic along an axis
    /// or none.
    bool fuses() const;
    int only_read() const { return int(from.size()) - program.components; }
    bool is_only_read(int array) const;
    /// Operations that read only the cell itself, before any stage reads neighbours; computed when a row is
    /// loaded.
    Stage leading;
    std::vector<FusedStage> stages;
    bool of_time = false;  ///< uniforms or ghost cells differ from step to step
    bool wraps_x = false, wraps_y = false;

  private:
    void find_live();
};

}  // namespace stencil::equation
