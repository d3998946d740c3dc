// The largest stable step of each time integrator.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>

#include "sim/model/step/linear_part.h"
#include "sim/model/waves/step_matrix.h"

namespace stencil::equation {
namespace {

constexpr double kRounding = 1e-13, kRoundingOfMaps = 1e-11;
constexpr double kTolerated = 0.1;  // excess growth allowed, as a share of the fastest exact growth rate
constexpr int kLargeBlock = 6;      // from this many components on, eigenvalues are costly
constexpr std::size_t kMostStatesOfLarge = 12, kMostStatesOfLargeImplicit = 3;

// The amplification matrix of a symplectic step with Jacobian j.
Matrix symplectic_step(const Matrix& j, int n, double dt) {
    Matrix step = identity(n);
    for (int c = 0; c < n; ++c) {
        Matrix one = identity(n);
        for (int k = 0; k < n; ++k) one[std::size_t(c * n + k)] += dt * j[std::size_t(c * n + k)];
        step = product(one, step, n);
    }
    return step;
}

// The amplification factor of the explicit Runge-Kutta schemes: Taylor's polynomial of exp(z), by Horner's
// rule.
Complex stability_polynomial(SteppingScheme scheme, Complex z) {
    const int order = scheme == SteppingScheme::euler ? 1 : scheme == SteppingScheme::heun ? 2 : 4;
    Complex sum = 1;
    for (int k = order; k >= 1; --k) sum = 1.0 + z / double(k) * sum;
    return sum;
}

// The amplification matrix of an imex step with Jacobian j, of which l is implicit.
Matrix imex_step(const Matrix& j, const Matrix& l, int n, double dt) {
    constexpr double g = kImplicitShare, delta = kFirstWeight;
    const Matrix one = identity(n), solve = inverse(combined(1, one, -g * dt, l), n);
    const Matrix first = product(solve, combined(g * dt, j, 0, j), n);
    const Matrix rate = product(j, combined(g + 1 - delta, one, 1 - delta, first), n);
    const Matrix second = product(solve, combined(dt, rate, delta / g - 1, first), n);
    return combined(1, one, 1, second);
}

// Moduli of the eigenvalues, largest first.
std::vector<double> moduli(const Matrix& m, int n) {
    std::vector<double> sizes;
    for (const Complex& value : eigenvalues(m, n)) sizes.push_back(std::abs(value));
    std::ranges::sort(sizes, std::greater<>());
    return sizes;
}

// Whether at most `growing` eigenvalues exceed `bound`. A matrix power of small norm proves it without
// computing them.
bool is_bounded(Matrix m, int n, std::size_t growing, double bound) {
    if (growing >= std::size_t(n)) return true;
    if (n > 2) {
        Matrix power = m;
        for (int i = 0; i < 5; ++i, power = product(power, power, n))
            if (norm_of(power, n) <= 1) return true;
    }
    return moduli(m, n)[growing] <= bound;
}

bool grows(const Complex& rate) {
    return rate.real() > 1e-3 * std::abs(rate);
}

bool swings(const Complex& rate) {
    return std::abs(rate.real()) < 0.1 * std::abs(rate);
}

double largest_growth(const std::vector<Complex>& rates) {
    double growth = 0;
    for (const Complex& rate : rates) growth = std::max(growth, rate.real());
    return growth;
}

struct Wave {
    double kx = 0, ky = 0;  ///< radians per cell
};

// Samples half of all directions (opposite waves behave alike), or a quarter where no difference is odd: long
// waves down to the shortest of the grid.
std::vector<Wave> waves(bool directed, bool few) {
    const double pi = std::numbers::pi;
    const int parts = few ? 3 : 12, directions = few ? 8 : 24;
    std::vector<Wave> all;
    for (int i = 0; i <= parts; ++i)
        for (int j = directed && i > 0 && i < parts ? 1 - parts : 0; j <= parts; ++j)
            all.push_back({pi * i / parts, pi * j / parts});
    for (int i = directed ? 1 - directions / 2 : 0; i <= directions / 2; ++i)
        for (const double k : {pi / 64, pi / 512})
            all.push_back({k * std::cos(pi * i / directions), k * std::sin(pi * i / directions)});
    return all;
}

// Groups components that depend on each other; each group is stepped independently of the others.
std::vector<std::vector<int>> blocks_of(const Matrix& pattern, int n) {
    const std::size_t count = std::size_t(n);
    std::vector<std::vector<bool>> reaches(count, std::vector<bool>(count));
    const auto at = [&](int r, int c) { return reaches[std::size_t(r)][std::size_t(c)]; };
    for (int r = 0; r < n; ++r)
        for (int c = 0; c < n; ++c)
            reaches[std::size_t(r)][std::size_t(c)] = r == c || pattern[std::size_t(r * n + c)] != 0.0;
    for (int k = 0; k < n; ++k)
        for (int r = 0; r < n; ++r)
            for (int c = 0; c < n; ++c)
                if (at(r, k) && at(k, c)) reaches[std::size_t(r)][std::size_t(c)] = true;
    std::vector<std::vector<int>> blocks;
    std::vector<bool> taken(count);
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

// A term left out of a component's rate, to see whether it sets the limit.
struct LeftOut {
    int component = 0;
    std::size_t root = 0;
};

// The Jacobians of the equations at one state.
class Symbol {
  public:
    Symbol(const Equations& equations,
           const std::vector<Node>& roots,
           const std::vector<LinearTerm>& implicit,
           const UniformState& state)
        : equations_(equations),
          roots_(roots),
          state_(state),
          rows_(equations, roots, state),
          implicit_(implicit) {
        for (const LinearTerm& term : implicit)
            coefficients_.push_back(value_at(equations, term.coefficient, state));
    }

    int components() const { return rows_.components(); }
    bool directed() const { return rows_.directed(); }
    const UniformState& state() const { return state_; }
    bool same_as(const Symbol& other) const {
        return rows_ == other.rows_ && coefficients_ == other.coefficients_;
    }

    Matrix jacobian(const Wave& k, const std::optional<LeftOut>& without = {}) const {
        return reduced(rows_.at(k.kx, k.ky), without);
    }

    Matrix linear(const Wave& k, const std::optional<LeftOut>& without = {}) const {
        const double x = 2 * std::cos(k.kx) - 2, y = 2 * std::cos(k.ky) - 2;
        Matrix rates(roots_.size() * std::size_t(components()), 0.0);
        for (std::size_t i = 0; i < implicit_.size(); ++i)
            rates[std::size_t(implicit_[i].row * components() + implicit_[i].column)] +=
                coefficients_[i] * std::pow(x, implicit_[i].x_power) * std::pow(y, implicit_[i].y_power);
        return reduced(std::move(rates), without);
    }

    // The contribution of first derivatives alone: the coefficient of 1/spacing in the symbol, which is
    // fitted as a polynomial in 1/spacing. Empty if it is not such a polynomial.
    std::optional<Matrix> advection(const Wave& k) const {
        constexpr std::array kWeights{4.0, -3.0, 4.0 / 3, -0.25};
        Matrix sum(std::size_t(components() * components()), 0.0), fifth = sum;
        std::array<Matrix, 5> of;
        for (std::size_t s = 0; s < of.size(); ++s) {
            UniformState finer = state_;
            finer.spacing /= double(s + 1);
            const std::vector<Node> formulas(roots_.begin(), roots_.begin() + components());
            const Linearisation rows(equations_, formulas, finer);
            of[s] = combined(1, rows.at(k.kx, k.ky), -1, rows.at(0, 0));
            if (s < kWeights.size()) sum = combined(1, sum, kWeights[s], of[s]);
        }
        // Checks the fit: extrapolates by Lagrange's polynomial of degree 4 through 0 and the first four
        // points to the fifth.
        fifth = combined(5, of[3], -10, of[2]);
        fifth = combined(1, fifth, 1, combined(10, of[1], -5, of[0]));
        const Matrix off = combined(1, fifth, -1, of[4]);
        if (!(norm_of(off, components()) <= 1e-9 * norm_of(of[4], components()))) return std::nullopt;
        return sum;
    }

  private:
    Matrix reduced(Matrix rows, const std::optional<LeftOut>& without) const {
        const std::size_t n = std::size_t(components());
        if (without)
            for (std::size_t c = 0; c < n; ++c)
                rows[std::size_t(without->component) * n + c] -= rows[without->root * n + c];
        rows.resize(n * n);
        return rows;
    }

    const Equations& equations_;
    const std::vector<Node>& roots_;
    UniformState state_;
    Linearisation rows_;
    const std::vector<LinearTerm>& implicit_;
    std::vector<double> coefficients_;
};

// The equations at one state, with or without a term, split into independent blocks.
class System {
  public:
    System(const Symbol& symbol, const Composition& composition, const std::optional<LeftOut>& without = {})
        : symbol_(symbol), without_(without), n_(symbol.components()) {
        const Wave some{0.7, 1.1};
        Matrix pattern = symbol.jacobian(some, without);
        const Matrix linear = symbol.linear(some, without), still = symbol.jacobian({}, without);
        for (std::size_t i = 0; i < pattern.size(); ++i)
            if (pattern[i] == 0.0) pattern[i] = linear[i];
        for (auto& components : blocks_of(pattern, n_)) {
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
    Seen seen(const Wave& wave) const {
        Seen result{wave, {}, {}};
        const Matrix jacobian = symbol_.jacobian(wave, without_);
        for (const Block& block : blocks) {
            result.jacobians.push_back(of(block, jacobian));
            result.rates.push_back(rates_of(block, result.jacobians.back()));
        }
        return result;
    }

    Matrix of(const Block& block, const Matrix& whole) const {
        return part_of(whole, n_, block.components, block.components);
    }
    Matrix linear(const Wave& wave) const { return symbol_.linear(wave, without_); }
    const Symbol& symbol() const { return symbol_; }

  private:
    // Growth rates of a block; none if it consists of maps.
    static std::vector<Complex> rates_of(const Block& block, const Matrix& jacobian) {
        const int n = int(block.components.size());
        const auto& [rates, maps] = block.composition;
        if (maps.empty()) return eigenvalues(jacobian, n);
        if (rates.empty()) return {};
        const auto composed = block.composition.composed(jacobian);
        return eigenvalues(composed ? *composed : part_of(jacobian, n, rates, rates), int(rates.size()));
    }

    const Symbol& symbol_;
    std::optional<LeftOut> without_;
    int n_;
};

// Lowers the limit wave by wave; a wave that does not lower it needs a single test.
class StepSearch {
  public:
    StepSearch(SteppingScheme scheme, int components)
        : scheme_(scheme), growth_(std::size_t(components), 0.0) {}

    double limit = std::numeric_limits<double>::infinity();

    /// Records exact growth rates, before any add(). False if a wave grows only because first derivatives are
    /// taken downwind.
    bool see_growth(const System& system, const System::Seen& seen) {
        bool good = true;
        for (std::size_t b = 0; b < system.blocks.size(); ++b) {
            const double most = largest_growth(seen.rates[b]);
            if (most > 0) good = good && !is_downwind(system.symbol(), seen.wave, most);
            for (const int c : system.blocks[b].components)
                growth_[std::size_t(c)] = std::max(growth_[std::size_t(c)], most);
        }
        return good;
    }

    /// Adds a wave; true if it lowers the limit.
    bool add(const System& system, const System::Seen& seen) {
        const bool implicit = scheme_ == SteppingScheme::imex;
        const Matrix linear = implicit ? system.linear(seen.wave) : Matrix();
        bool lowered = false;
        for (std::size_t b = 0; b < system.blocks.size(); ++b) {
            const System::Block& block = system.blocks[b];
            const Matrix& jacobian = seen.jacobians[b];
            const int n = int(block.components.size());
            double tolerated = 0;
            for (const int c : block.components)
                tolerated = std::max(tolerated, kTolerated * growth_[std::size_t(c)]);
            if (block.composition.rates.empty()) continue;
            const bool lower =
                implicit ? add_implicit(jacobian, system.of(block, linear), n, block.reaction, tolerated)
                : !block.composition.maps.empty()
                    ? add_composed(jacobian, block.composition, seen.rates[b], tolerated)
                : scheme_ == SteppingScheme::symplectic
                    ? add_symplectic(jacobian, n, seen.rates[b], tolerated)
                    : add_explicit(seen.rates[b], block.reaction, tolerated);
            lowered = lower || lowered;
        }
        return lowered;
    }

  private:
    bool is_downwind(const Symbol& symbol, const Wave& wave, double growth_there) const {
        if (!symbol.directed()) return false;
        const int n = symbol.components();
        const auto advection = symbol.advection(wave);
        if (!advection) return false;
        const double most = largest_growth(eigenvalues(*advection, n));
        return most > 0.5 * growth_there && most > 1e-3 * norm_of(*advection, n);
    }

    // Growing and oscillating modes not much faster than the uniform mode are a matter of accuracy and do not
    // limit the step.
    bool add_explicit(const std::vector<Complex>& rates, double reaction, double tolerated) {
        bool lowered = false;
        for (const Complex& rate : rates) {
            const double size = std::abs(rate);
            if ((grows(rate) || swings(rate)) && size <= 2 * reaction) continue;
            const double allowed = rate.real() + tolerated;
            const auto stable = [&](double dt) {
                const double bound = std::max(1.0, std::exp(dt * allowed));
                return std::abs(stability_polynomial(scheme_, dt * rate)) <= bound * (1 + kRounding);
            };
            lowered = lower(size, stable, allowed <= 0) || lowered;
        }
        return lowered;
    }

    bool add_symplectic(const Matrix& jacobian, int n, const std::vector<Complex>& rates, double tolerated) {
        double size = 0;
        for (const Complex& rate : rates) size = std::max(size, std::abs(rate));
        const double most = largest_growth(rates) + tolerated;
        return lower(size, [&](double dt) {
            return is_bounded(symplectic_step(jacobian, n, dt), n, 0, std::exp(dt * most) * (1 + kRounding));
        });
    }

    // A step may amplify as many modes as the exact rates do, or as the maps alone do.
    bool add_composed(const Matrix& jacobian,
                      const Composition& composition,
                      const std::vector<Complex>& rates,
                      double tolerated) {
        const int m = int(composition.maps.size()), n = m + int(composition.rates.size());
        std::size_t growing = std::size_t(std::ranges::count_if(rates, grows));
        for (const double modulus : moduli(part_of(jacobian, n, composition.maps, composition.maps), m))
            growing += modulus > 1 + kRoundingOfMaps;
        const double largest = norm_of(jacobian, n);
        return lower(largest * std::max(1.0, largest), [&](double dt) {
            return is_bounded(composition.euler_step(jacobian, dt),
                              n,
                              growing,
                              std::exp(dt * tolerated) * (1 + kRoundingOfMaps));
        });
    }

    // A step may amplify as many modes as the exact rates do, and gamma * dt * growth of the linear part must
    // stay below 0.5, since the implicit stage changes sign at 1. Slow oscillations of the explicit part are
    // again a matter of accuracy: they may grow by a hundredth of their rate.
    bool add_implicit(
        const Matrix& jacobian, const Matrix& linear, int n, double reaction, double tolerated) {
        const std::vector<Complex> rates = eigenvalues(jacobian, n);
        const Matrix rest = combined(1, jacobian, -1, linear);
        const double rest_norm = norm_of(rest, n);
        if (n > 1 && rest_norm == 0) {  // then the step is a function of the rates
            bool lowered = false;
            for (const Complex& rate : rates)
                lowered = add_implicit({rate}, {rate}, 1, reaction, tolerated) || lowered;
            return lowered;
        }
        const double explicit_size = rest_norm == 0 ? 0 : moduli(rest, n).front();
        double size = 0, allowance = tolerated;
        std::size_t growing = 0;
        for (const Complex& rate : rates) {
            size = std::max(size, std::abs(rate));
            growing += grows(rate);
            if (swings(rate) && explicit_size <= 2 * reaction)
                allowance = std::max(allowance, 0.01 * explicit_size);
        }
        const double linear_growth = largest_growth(eigenvalues(linear, n));
        return lower(size, [&](double dt) {
            if (kImplicitShare * dt * linear_growth > 0.5) return false;
            return is_bounded(
                imex_step(jacobian, linear, n, dt), n, growing, std::exp(dt * allowance) * (1 + kRounding));
        });
    }

    // `once`: stability at one step implies it at all smaller ones. This fails for implicit stages and where
    // growth is tolerated, since exp() outgrows any polynomial at huge steps.
    template <class Stable>
    bool lower(double size, Stable&& stable, bool once = false) {
        if (!(size > 0) || !std::isfinite(size)) return false;
        const double largest = std::min(limit, 1e6 / size);
        if (once && stable(largest)) return false;
        double above = 1e-6 / size;
        if (!stable(above)) {
            limit = 0;
            return true;
        }
        // Below this share of the fastest rate every scheme is practically exact.
        above = 1e-3 / size;
        if (!stable(above)) above = 2e-6 / size;
        while (above < largest && stable(above)) above *= 2;
        if (above >= largest && stable(largest)) return false;
        above = std::min(above, largest);
        double below = above / 2;
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (below + above);
            (stable(middle) ? below : above) = middle;
        }
        limit = std::min(limit, below);
        return true;
    }

    SteppingScheme scheme_;
    std::vector<double> growth_;  ///< fastest exact growth rate, by component
};

bool is_finite(const Symbol& symbol) {
    return std::ranges::all_of(symbol.jacobian({0.7, 1.1}), [](const Complex& entry) {
        return std::isfinite(entry.real()) && std::isfinite(entry.imag());
    });
}

class LimitFinder {
  public:
    LimitFinder(const Equations& equations, SteppingScheme scheme, const std::vector<UniformState>& states)
        : equations_(scheme == SteppingScheme::imex ? copy_.emplace(equations) : equations),
          composition_(equations),
          scheme_(scheme),
          roots_(formulas_of(equations)) {
        const std::size_t components = roots_.size();
        for (std::size_t c = 0; c < components; ++c)
            for (const Term& term : equations_.components[c].terms) {
                terms_.push_back({int(c), roots_.size()});
                texts_.push_back(&term);
                roots_.push_back(term.node);
            }
        if (scheme == SteppingScheme::imex) implicit_ = linear_part(*copy_, roots_);
        for (const UniformState& state : states) {
            auto symbol = std::make_unique<Symbol>(equations_, roots_, implicit_, state);
            const bool known =
                std::ranges::any_of(symbols_, [&](const auto& other) { return other->same_as(*symbol); });
            if (!known && is_finite(*symbol)) symbols_.push_back(std::move(symbol));
        }
    }

    StableStep find() {
        StableStep result;
        result.dt = std::numeric_limits<double>::quiet_NaN();
        if (symbols_.empty()) return result;
        const bool few = choose_waves();
        StepSearch search(scheme_, symbols_.front()->components());
        std::vector<std::pair<System, std::vector<System::Seen>>> all;
        for (const auto& symbol : symbols_) {
            all.emplace_back(System(*symbol, composition_), std::vector<System::Seen>());
            auto& [system, seen] = all.back();
            for (const Wave& wave : waves_) {
                seen.push_back(system.seen(wave));
                if (search.see_growth(system, seen.back())) continue;
                result.dt = 0;
                result.downwind = true;
                return result;
            }
        }
        const StepSearch fresh = search;
        const System* worst = nullptr;
        Wave at;
        for (const auto& [system, seen] : all)
            for (const System::Seen& wave : seen)
                if (search.add(system, wave)) worst = &system, at = wave.wave;
        result.dt = search.limit;
        if (!worst || result.dt == 0) return result;
        if (!few) at = refined(search, *worst, at);
        result.dt = search.limit;
        blame(result, fresh, worst->symbol(), at, few ? 1 : 6);
        return result;
    }

  private:
    bool choose_waves() {
        std::size_t largest = 0;
        bool directed = false;
        for (const auto& symbol : symbols_) {
            for (const auto& block : System(*symbol, composition_).blocks)
                largest = std::max(largest, block.components.size());
            directed = directed || symbol->directed();
        }
        const bool few = largest > kLargeBlock;
        waves_ = waves(directed, few);
        const std::size_t most =
            scheme_ == SteppingScheme::imex ? kMostStatesOfLargeImplicit : kMostStatesOfLarge;
        if (few && symbols_.size() > most) {
            const double pi = std::numbers::pi;
            std::ranges::stable_sort(symbols_, std::greater<>(), [&](const auto& symbol) {
                return norm_of(symbol->jacobian({pi, pi}), symbol->components());
            });
            symbols_.resize(most);
        }
        return few;
    }

    // Refines the worst wave between the samples by a pattern search.
    static Wave refined(StepSearch& search, const System& system, Wave at) {
        double reach = std::numbers::pi / 24;
        for (int round = 0; round < 12; ++round) {
            bool moved = false;
            for (const auto& [x, y] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
                const Wave next{at.kx + x * reach, at.ky + y * reach};
                if (!search.add(system, system.seen(next))) continue;
                at = next;
                moved = true;
            }
            if (!moved) reach /= 2;
        }
        return at;
    }

    // Names the term whose removal raises the limit most, if by at least a tenth. The worst wave alone bounds
    // what removal can gain, so only few terms are tried with all waves.
    void blame(StableStep& result,
               const StepSearch& fresh,
               const Symbol& symbol,
               const Wave& worst,
               std::size_t looks) const {
        const auto limit_without = [&](const LeftOut& term, const std::vector<Wave>& some) {
            const System system(symbol, composition_, term);
            StepSearch search = fresh;
            for (const Wave& wave : some) search.add(system, system.seen(wave));
            return search.limit;
        };
        std::vector<std::pair<double, std::size_t>> bounds;
        for (std::size_t i = 0; i < terms_.size(); ++i)
            bounds.emplace_back(limit_without(terms_[i], {worst}), i);
        std::ranges::stable_sort(bounds, std::greater<>(), &std::pair<double, std::size_t>::first);
        bounds.resize(std::min(bounds.size(), looks));
        double best = 1.1 * result.dt;
        for (const auto& [bound, i] : bounds) {
            if (bound <= best) break;
            const double limit = limit_without(terms_[i], waves_);
            if (limit <= best) continue;
            best = limit;
            result.component = equations_.components[std::size_t(terms_[i].component)].name;
            result.term = texts_[i]->text;
        }
    }

    std::optional<Equations> copy_;  ///< for imex, whose linear part adds expressions
    const Equations& equations_;
    Composition composition_;
    SteppingScheme scheme_;
    std::vector<Node> roots_;  ///< components' formulas, then their terms
    std::vector<LeftOut> terms_;
    std::vector<const Term*> texts_;
    std::vector<LinearTerm> implicit_;
    std::vector<std::unique_ptr<Symbol>> symbols_;
    std::vector<Wave> waves_;
};

}  // namespace

StableStep stable_step(const Equations& equations,
                       SteppingScheme scheme,
                       const std::vector<UniformState>& states) {
    if (std::ranges::none_of(equations.components, &Evolving::rate)) {
        StableStep any;
        any.dt = std::numeric_limits<double>::infinity();
        return any;
    }
    return LimitFinder(equations, scheme, states).find();
}

}  // namespace stencil::equation
