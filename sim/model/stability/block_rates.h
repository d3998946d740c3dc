// The Jacobians and growth rates of waves at one uniform state, by blocks of components that depend on each
// other.
#pragma once

#include <optional>
#include <vector>

#include "sim/model/stability/step_matrix.h"

namespace stencil::equation {

struct Wave {
    double kx = 0, ky = 0;  ///< radians per cell
    bool at_edge = false;   ///< instead of a wave: a cell all of whose neighbours lie beyond the edge of
                            ///< `inside`
};

/// A term left out of a component's rate, to see whether it sets the limit.
struct LeftOut {
    int component = 0;
    std::size_t root = 0;
};

/// The Jacobians of the equations at one state.
class Jacobians {
  public:
    /// `rows` are those of the roots, at any state.
    Jacobians(const Equations& equations,
              const std::vector<Node>& roots,
              const std::vector<LinearTerm>& implicit,
              Linearisation rows,
              const UniformState& state);

    int components() const { return rows_.components(); }
    bool directed() const { return rows_.directed(); }
    bool has_edge() const { return rows_.has_edge(); }
    bool same_as(const Jacobians& other) const {
        return rows_ == other.rows_ && coefficients_ == other.coefficients_;
    }

    Matrix jacobian(const Wave& k, const std::optional<LeftOut>& without = {}) const;
    /// The Jacobian of the implicit part.
    Matrix linear(const Wave& k, const std::optional<LeftOut>& without = {}) const;
    /// The contribution of first derivatives alone: the coefficient of 1/spacing in the symbol, which is
    /// fitted as a polynomial in 1/spacing. Empty if it is not such a polynomial.
    std::optional<Matrix> advection(const Wave& k) const;

  private:
    Matrix reduced(Matrix rows, const std::optional<LeftOut>& without) const;

    const Equations& equations_;
    const std::vector<Node>& roots_;
    UniformState state_;
    Linearisation rows_;
    const std::vector<LinearTerm>& implicit_;
    std::vector<double> coefficients_;
};

/// The equations at one state, with or without a term, split into independent blocks.
class BlockSystem {
  public:
    BlockSystem(const Jacobians& symbol,
                const Composition& composition,
                const std::optional<LeftOut>& without = {});

    struct Block {
        std::vector<int> components;
        Composition composition;
        double reaction;  ///< largest rate of the uniform mode
    };
    std::vector<Block> blocks;

    /// The Jacobians and growth rates of one wave in each block.
    struct Seen {
        Wave wave;
        std::vector<Matrix> jacobians;
        std::vector<std::vector<Complex>> rates;
    };
    Seen seen(const Wave& wave) const;

    Matrix of(const Block& block, const Matrix& whole) const {
        return part_of(whole, block.components, block.components);
    }
    Matrix linear(const Wave& wave) const { return symbol_.linear(wave, without_); }
    const Jacobians& symbol() const { return symbol_; }

  private:
    const Jacobians& symbol_;
    std::optional<LeftOut> without_;
};

}  // namespace stencil::equation
