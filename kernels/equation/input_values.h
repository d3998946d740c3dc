// The inputs of a program's steps in their precision: what a backend reads beside its arrays.
#pragma once

#include <vector>

#include "kernels/equation/program.h"
#include "kernels/field/slab.h"

namespace stencil::equation {

struct EquationSetup {
    int nx = 0, ny = 0;
    double spacing = 1, dt = 1;
    std::vector<double> parameters;  ///< of the model
    std::uint64_t seed = 0;
    bool plain = false;  ///< one cell at a time, as the operations are written: the reference
    Slab slab = {};      ///< what of the field the (ny, nx) cells are
};

/// Times count from here in equal steps.
struct Clock {
    long long step = 0;
    double time = 0;
};

/// The ghost cells along a side: alpha * edge + beta. Empty where the side is periodic. There is an entry
/// before the first cell's and one after the last one's, which those of the top and bottom have for corners.
template <class T>
struct GhostLine {
    std::vector<T> alpha, beta;
};

template <class T>
class InputValues {
  public:
    explicit InputValues(const Program& program);

    /// For the step that begins at this time, as the one after `step` steps. What differs from step to step
    /// is worked out each time, the rest where `all`. True where anything changed.
    bool update(const EquationSetup& setup, long long step, double time, bool all);
    /// Anything differs from step to step.
    bool of_time() const;

    const std::vector<T>& uniforms() const { return uniforms_; }
    /// Of input `index`, at cell 0; there is an entry before the field's, and more than kLeastTile after.
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
