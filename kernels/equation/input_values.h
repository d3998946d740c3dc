// The inputs of a program's steps besides its arrays, rounded to the run's precision.
#pragma once

#include <vector>

#include "kernels/equation/program.h"
#include "kernels/field/slab.h"

namespace stencil::equation {

struct EquationSetup {
    int nx = 0, ny = 0;
    double spacing = 1, dt = 1;
    std::vector<double> parameters;  ///< the model's parameters
    std::uint64_t seed = 0;
    bool plain = false;  ///< scalar interpreter, one cell at a time: the reference
    Slab slab = {};      ///< the part of a distributed field that the (ny, nx) cells are
};

/// Times are time + (step' - step) dt, so that errors do not accumulate.
struct Clock {
    long long step = 0;
    double time = 0;
};

/// The ghost cells along a side: alpha * edge + beta; empty for a periodic side. Each line has one extra
/// entry at both ends, which top and bottom use for the corners.
template <class T>
struct GhostLine {
    std::vector<T> alpha, beta;
};

template <class T>
class InputValues {
  public:
    explicit InputValues(const Program& program);

    /// Updates the inputs for the step after `step` steps, which starts at `time`; without `all`, only those
    /// that depend on time. Returns whether any changed.
    bool update(const EquationSetup& setup, long long step, double time, bool all);
    /// Whether any input differs from step to step.
    bool of_time() const;

    const std::vector<T>& uniforms() const { return uniforms_; }
    /// Input `index` at cell 0; there is one entry before it, and more than kLeastTile after the last cell's.
    const T* column(int index) const { return columns_[std::size_t(index)].data() + 1; }
    const T* row(int index) const { return rows_[std::size_t(index)].data() + 1; }
    /// The coefficients of the linear part's terms.
    const std::vector<double>& linear() const { return linear_; }
    const GhostLine<T>& ghosts(int array, std::size_t side) const {
        return ghosts_[std::size_t(array)][side];
    }

  private:
    void update_places(const EquationSetup& setup, const std::vector<double>& scalars);
    bool update_ghosts(const EquationSetup& setup, int array, std::vector<double> scalars, bool all);

    const Program& program_;
    std::vector<T> uniforms_;
    std::vector<double> linear_;
    std::vector<std::vector<T>> columns_, rows_;
    std::vector<std::array<GhostLine<T>, 4>> ghosts_;
};

extern template class InputValues<float>;
extern template class InputValues<double>;

}  // namespace stencil::equation
