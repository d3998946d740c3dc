#include "sim/model/stability/block_rates.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace stencil::equation {
namespace {

// Groups components that depend on each other; each group is stepped independently of the others.
std::vector<std::vector<int>> blocks_of(Matrix reaches) {
    const int n = reaches.rows;
    const auto at = [&](int r, int c) { return r == c || reaches(r, c) != 0.0; };
    for (int k = 0; k < n; ++k)
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c)
                if (at(r, k) && at(k, c)) reaches(r, c) = 1;
    std::vector<std::vector<int>> blocks;
    std::vector<bool> taken(std::size_t(n), false);
    for (int r = 0; r < n; ++r) {
        if (taken[std::size_t(r)]) continue;
        blocks.emplace_back();
        for (int c = r; c < n; ++c)
            if (at(r, c) && at(c, r)) {
                taken[std::size_t(c)] = true;
                blocks.back().push_back(c);
            }
    }
    return blocks;
}

// Growth rates of a block; none if it consists of maps.
std::vector<Complex> rates_of(const BlockSystem::Block& block, const Matrix& jacobian) {
    const auto& [rates, maps] = block.composition;
    if (maps.empty()) return eigenvalues(jacobian);
    if (rates.empty()) return {};
    const auto composed = block.composition.composed(jacobian);
    return eigenvalues(composed ? *composed : part_of(jacobian, rates, rates));
}

}  // namespace

Jacobians::Jacobians(const Equations& equations,
                     const std::vector<Node>& roots,
                     const std::vector<LinearTerm>& implicit,
                     Linearisation rows,
                     const UniformState& state)
    : equations_(equations), roots_(roots), state_(state), rows_(std::move(rows)), implicit_(implicit) {
    rows_.move_to(state);
    for (const LinearTerm& term : implicit)
        coefficients_.push_back(value_at(equations, term.coefficient, state));
}

Matrix Jacobians::jacobian(const Wave& k, const std::optional<LeftOut>& without) const {
    return reduced(k.at_edge ? rows_.at_edge() : rows_.at(k.kx, k.ky), without);
}

Matrix Jacobians::linear(const Wave& k, const std::optional<LeftOut>& without) const {
    const double x = 2 * std::cos(k.kx) - 2, y = 2 * std::cos(k.ky) - 2;
    Matrix rates(int(roots_.size()), components());
    for (std::size_t i = 0; i < implicit_.size(); ++i)
        rates(implicit_[i].row, implicit_[i].column) +=
            coefficients_[i] * std::pow(x, implicit_[i].x_power) * std::pow(y, implicit_[i].y_power);
    return reduced(std::move(rates), without);
}

std::optional<Matrix> Jacobians::advection(const Wave& k) const {
    if (!equations_.kernels.empty()) return std::nullopt;  // no polynomial of the spacing
    constexpr std::array kWeights{4.0, -3.0, 4.0 / 3, -0.25};
    Matrix sum(components(), components()), fifth;
    std::array<Matrix, 5> of;
    for (std::size_t s = 0; s < of.size(); ++s) {
        UniformState finer = state_;
        finer.spacing /= double(s + 1);
        const std::vector<Node> formulas(roots_.begin(), roots_.begin() + components());
        const Linearisation rows(equations_, formulas, finer);
        of[s] = combined(1, rows.at(k.kx, k.ky), -1, rows.at(0, 0, true));
        if (s < kWeights.size()) sum = combined(1, sum, kWeights[s], of[s]);
    }
    // Checks the fit: extrapolates by Lagrange's polynomial of degree 4 through 0 and the first four
    // points to the fifth.
    fifth = combined(5, of[3], -10, of[2]);
    fifth = combined(1, fifth, 1, combined(10, of[1], -5, of[0]));
    const Matrix off = combined(1, fifth, -1, of[4]);
    if (!(norm_of(off) <= 1e-9 * norm_of(of[4]))) return std::nullopt;
    if (norm_of(sum) <= 1e-9 * norm_of(of[3])) return std::nullopt;  // rounding of terms that cancel
    return sum;
}

Matrix Jacobians::reduced(Matrix rows, const std::optional<LeftOut>& without) const {
    const int n = components();
    if (without)
        for (int c = 0; c < n; ++c) rows(without->component, c) -= rows(int(without->root), c);
    rows.rows = n;
    rows.entries.resize(std::size_t(n * n));
    return rows;
}

BlockSystem::BlockSystem(const Jacobians& symbol,
                         const Composition& composition,
                         const std::optional<LeftOut>& without)
    : symbol_(symbol), without_(without) {
    const Wave some{0.7, 1.1};
    Matrix pattern = symbol.jacobian(some, without);
    const Matrix linear = symbol.linear(some, without), still = symbol.jacobian({}, without);
    for (std::size_t i = 0; i < pattern.entries.size(); ++i)
        for (const Matrix* other : {&linear, &still})
            if (pattern.entries[i] == 0.0) pattern.entries[i] = other->entries[i];
    for (auto& components : blocks_of(pattern)) {
        Block block{std::move(components), {{}, {}}, 0};
        for (std::size_t i = 0; i < block.components.size(); ++i)
            (std::ranges::count(composition.maps, block.components[i]) > 0 ? block.composition.maps
                                                                           : block.composition.rates)
                .push_back(int(i));
        for (const Complex& rate : rates_of(block, of(block, still)))
            block.reaction = std::max(block.reaction, std::abs(rate));
        blocks.push_back(std::move(block));
    }
}

auto BlockSystem::seen(const Wave& wave) const -> Seen {
    Seen result{wave, {}, {}};
    Matrix jacobian = symbol_.jacobian(wave, without_);
    result.jacobians.reserve(blocks.size());
    result.rates.reserve(blocks.size());
    for (const Block& block : blocks) {
        result.jacobians.push_back(blocks.size() == 1 ? std::move(jacobian) : of(block, jacobian));
        result.rates.push_back(rates_of(block, result.jacobians.back()));
    }
    return result;
}

}  // namespace stencil::equation
