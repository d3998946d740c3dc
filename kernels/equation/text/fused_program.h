// A program's step, analysed for a pipeline of rows: which rows each stage holds (liveness), and what it
// carries from row to row.
#pragma once

#include <string>
#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

struct FieldCells {
    int nx = 0, ny = 0;
};

/// A stage that reads neighbours, merged with the following ones that do not.
struct FusedStage {
    Stage stage;  ///< sums of four are split into two pairs and their sum
    /// The arrays whose rows it holds: those handed to it, because it or a later stage reads them, then the
    /// read-only ones that it reads.
    std::vector<int> live;
    /// `carried`: operations computed one row ahead, which depend on the row above but not below. Or, if
    /// fewer, `kept`: arrays whose row above is kept.
    std::vector<int> carried, kept;
};

/// Why no kernel makes several steps of the program, in one line; empty if one may.
std::string why_single_steps(const Program& program);

class FusedProgram {
  public:
    explicit FusedProgram(const Program& program);

    /// The arrays whose rows a stage hands on, in the order that the next one expects.
    std::vector<int> after(std::size_t stage) const;
    /// Whether an array's ghost cells have the same coefficients all along a side and in every step.
    bool is_even(int array, std::size_t side) const;
    /// Rows of registers that the levels (stages) of one step hold.
    int held_rows() const;
    /// Estimated instructions per cell and step; sums that neighbouring cells share count once.
    double operations() const;

    const Program& program;
    std::vector<int> from;  ///< the arrays that a step reads: components, then those that are only read
    int only_read() const { return int(from.size()) - program.components; }
    bool is_only_read(int array) const;
    /// Operations on the cell alone, before any stage reads neighbours; done when a row is loaded.
    Stage leading;
    std::vector<FusedStage> stages;
    bool of_time = false;  ///< uniforms or ghost cells differ from step to step
    bool wraps_x = false, wraps_y = false;

  private:
    void find_live();
};

}  // namespace stencil::equation
