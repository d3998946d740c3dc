// A program's step as what a pipeline of rows needs of it: which arrays each stage holds rows of, and what it
// keeps from one row to the next.
#pragma once

#include <vector>

#include "kernels/equation/program.h"

namespace stencil::equation {

/// A stage that reads beyond its own cell, and with it those after it that do not.
struct FusedStage {
    Stage stage;  ///< sums of four as two pairs and their sum
    /// The arrays that it has rows of: those that are handed to it, because it or a later stage reads them,
    /// and then those that are only read, by this stage.
    std::vector<int> live;
    /// What is worked out for the next row already, once the row below it and its own are there: operations
    /// that depend on the row above and on none below. Or, where those are fewer, `kept`: the arrays whose
    /// row above is kept as it is.
    std::vector<int> carried, kept;
};

class FusedProgram {
  public:
    explicit FusedProgram(const Program& program);

    /// The arrays whose rows a stage hands on, in the order in which the next one, or the next step, has
    /// them.
    std::vector<int> after(std::size_t stage) const;
    /// Whether an array's ghost cells beyond a side are made alike all along it and in every step.
    bool is_even(int array, std::size_t side) const;
    /// Rows of registers that the levels of one step hold, a level being a stage of a step.
    int held_rows() const;
    /// Instructions per cell and step, about: sums that neighbouring cells share count once.
    double operations() const;

    const Program& program;
    std::vector<int> from;  ///< the arrays that a step begins with: components, then those only read
    /// Whether its levels can be run in one pass: nothing solves for whole rows, and arrays do not differ in
    /// which of them wrap around.
    bool fuses() const;
    int only_read() const { return int(from.size()) - program.components; }
    bool is_only_read(int array) const;
    /// What a step works out of a row's own cells before anything reads beyond them: done where a row comes
    /// in.
    Stage leading;
    std::vector<FusedStage> stages;
    bool of_time = false;  ///< uniforms or ghost cells differ from step to step
    bool wraps_x = false, wraps_y = false;

  private:
    void find_live();
};

}  // namespace stencil::equation
