// The largest stable step of each time integrator.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numbers>

#include "sim/model/sides.h"
#include "sim/model/stability/block_rates.h"
#include "sim/model/step/linear_part.h"

namespace stencil::equation {
namespace {

constexpr double kRounding = 1e-13, kRoundingOfMaps = 1e-11;
constexpr double kCancelled = 1e-9;  // a sum below this share of its parts may be rounding alone
constexpr double kTolerated = 0.1;   // excess growth allowed, as a share of the fastest exact growth rate
constexpr double kNarrow = 1.05;     // ratio of the steps tried where a stability region has narrow places
constexpr int kLargeBlock = 6;       // from this many components on, eigenvalues are costly
constexpr std::size_t kMostStatesOfLarge = 12, kMostStatesOfLargeImplicit = 3;

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

// Samples half of all directions (opposite waves behave alike), or a quarter where no difference is odd: long
// waves down to the shortest of the grid.
std::vector<Wave> waves(bool directed, int parts, int directions) {
    const double pi = std::numbers::pi;
    std::vector<Wave> all;
    for (int i = 0; i <= parts; ++i)
        for (int j = directed && i > 0 && i < parts ? 1 - parts : 0; j <= parts; ++j)
            all.push_back({pi * i / parts, pi * j / parts});
    for (int i = directed ? 1 - directions / 2 : 0; i <= directions / 2; ++i)
        for (const double k : {pi / 64, pi / 512})
            all.push_back({k * std::cos(pi * i / directions), k * std::sin(pi * i / directions)});
    return all;
}

// Along a diagonal the symbols of even stencils have all their values.
std::vector<Wave> few_waves() {
    const double pi = std::numbers::pi;
    std::vector<Wave> few{{pi, 0}, {0, pi}, {pi / 64, pi / 64}};
    for (int i = 0; i <= 12; ++i) few.push_back({pi * i / 12, pi * i / 12});
    return few;
}

// Lowers the limit wave by wave; a wave that does not lower it needs a single test.
class StepSearch {
  public:
    StepSearch(const Integrator& scheme, int components)
        : scheme_(scheme), growth_(std::size_t(components), 0.0) {}

    double limit = std::numeric_limits<double>::infinity();

    /// Records exact growth rates, before any add(). False if a wave grows only because first derivatives are
    /// taken downwind.
    bool see_growth(const BlockSystem& system, const BlockSystem::Seen& seen) {
        if (seen.wave.at_edge) return true;
        bool good = true;
        for (std::size_t b = 0; b < system.blocks.size(); ++b) {
            const double most = largest_growth(seen.rates[b]);
            if (most > kCancelled * norm_of(seen.jacobians[b]))
                good = good && !is_downwind(system.symbol(), seen.wave, most);
            for (const int c : system.blocks[b].components)
                growth_[std::size_t(c)] = std::max(growth_[std::size_t(c)], most);
        }
        return good;
    }

    /// Adds a wave; true if it lowers the limit.
    bool add(const BlockSystem& system, const BlockSystem::Seen& seen) {
        const bool implicit = scheme_->is_implicit;
        const Matrix linear = implicit ? system.linear(seen.wave) : Matrix();
        bool lowered = false;
        for (std::size_t b = 0; b < system.blocks.size(); ++b) {
            const BlockSystem::Block& block = system.blocks[b];
            const Matrix& jacobian = seen.jacobians[b];
            double tolerated = 0;
            for (const int c : block.components)
                tolerated = std::max(tolerated, kTolerated * growth_[std::size_t(c)]);
            if (block.composition.rates.empty()) continue;
            const bool lower =
                implicit ? add_implicit(jacobian, system.of(block, linear), block.reaction, tolerated)
                : !block.composition.maps.empty()
                    ? add_composed(jacobian, block.composition, seen.rates[b], tolerated)
                : scheme_->wave->matrix != nullptr ? add_by_matrix(jacobian, seen.rates[b], tolerated)
                                                   : add_explicit(seen.rates[b], block.reaction, tolerated);
            lowered = lower || lowered;
        }
        return lowered;
    }

  private:
    bool is_downwind(const Jacobians& symbol, const Wave& wave, double growth_there) const {
        if (!symbol.directed()) return false;
        const auto advection = symbol.advection(wave);
        if (!advection) return false;
        // The symbols of exact first derivatives are imaginary; with complex factors they may cause true
        // growth. One-sided differences add a real part, and growth that it causes is numerical.
        Matrix exact = *advection;
        for (Complex& entry : exact.entries) entry.real(0);
        const double added = largest_growth(eigenvalues(*advection)) - largest_growth(eigenvalues(exact));
        return added > 0.5 * growth_there && added > 1e-3 * norm_of(*advection);
    }

    // Growing and oscillating modes not much faster than the uniform mode concern accuracy and do not limit
    // the step.
    bool add_explicit(const std::vector<Complex>& rates, double reaction, double tolerated) {
        bool lowered = false;
        for (const Complex& rate : rates) {
            const double size = std::abs(rate);
            if ((grows(rate) || swings(rate)) && size <= 2 * reaction) continue;
            const double allowed = rate.real() + tolerated;
            const auto stable = [&](double dt) {
                const double bound = allowed > 0 ? std::exp(dt * allowed) : 1;
                return scheme_->wave->amplification(scheme_, dt * rate) <= bound * (1 + kRounding);
            };
            lowered = lower(size, stable, allowed <= 0 && !scheme_->wave->has_narrow_region) || lowered;
        }
        return lowered;
    }

    bool add_by_matrix(const Matrix& jacobian, const std::vector<Complex>& rates, double tolerated) {
        double size = 0;
        for (const Complex& rate : rates) size = std::max(size, std::abs(rate));
        const double most = largest_growth(rates) + tolerated;
        return lower(size, [&](double dt) {
            const Matrix step = scheme_->wave->matrix(jacobian, Matrix(), dt);
            return is_bounded(step, 0, std::exp(dt * most) * (1 + kRounding));
        });
    }

    // A step may amplify as many modes as the exact rates do, or as many as the maps alone do.
    bool add_composed(const Matrix& jacobian,
                      const Composition& composition,
                      const std::vector<Complex>& rates,
                      double tolerated) {
        std::size_t growing = std::size_t(std::ranges::count_if(rates, grows));
        for (const double modulus : moduli(part_of(jacobian, composition.maps, composition.maps)))
            growing += modulus > 1 + kRoundingOfMaps;
        const double largest = norm_of(jacobian);
        return lower(largest * std::max(1.0, largest), [&](double dt) {
            return is_bounded(composition.euler_step(jacobian, dt),
                              growing,
                              std::exp(dt * tolerated) * (1 + kRoundingOfMaps));
        });
    }

    // A step may amplify as many modes as the exact rates do, and gamma * dt * growth of the linear part must
    // stay below 0.5, since the implicit stage changes sign at 1. Slow oscillations of the explicit part are
    // again a matter of accuracy: they may grow by a hundredth of their rate.
    bool add_implicit(const Matrix& jacobian, const Matrix& linear, double reaction, double tolerated) {
        const std::vector<Complex> rates = eigenvalues(jacobian);
        const Matrix rest = combined(1, jacobian, -1, linear);
        const double rest_norm = norm_of(rest);
        if (jacobian.rows > 1 && rest_norm == 0) {  // the step is then a function of the rates
            bool lowered = false;
            for (const Complex& rate : rates) {
                Matrix one(1, 1);
                one(0, 0) = rate;
                lowered = add_implicit(one, one, reaction, tolerated) || lowered;
            }
            return lowered;
        }
        const double explicit_size = rest_norm == 0 ? 0 : moduli(rest).front();
        double size = 0, allowance = tolerated;
        std::size_t growing = 0;
        for (const Complex& rate : rates) {
            size = std::max(size, std::abs(rate));
            growing += grows(rate);
            if (swings(rate) && explicit_size <= 2 * reaction)
                allowance = std::max(allowance, 0.01 * explicit_size);
        }
        const double linear_growth = largest_growth(eigenvalues(linear));
        return lower(size, [&](double dt) {
            if (kGamma * dt * linear_growth > 0.5) return false;
            const Matrix step = scheme_->wave->matrix(jacobian, linear, dt);
            return is_bounded(step, growing, std::exp(dt * allowance) * (1 + kRounding));
        });
    }

    // `once`: stability at one step implies it at all smaller ones. This fails for implicit stages, for many
    // stages, whose region along the negative axis has narrow places, and where growth is tolerated, since
    // exp() outgrows any polynomial at huge steps.
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
        const double factor = scheme_->wave->has_narrow_region ? kNarrow : 2;
        while (above < largest && stable(above)) above *= factor;
        if (above >= largest && stable(largest)) return false;
        above = std::min(above, largest);
        double below = above / factor;
        for (int i = 0; i < 40; ++i) {
            const double middle = 0.5 * (below + above);
            (stable(middle) ? below : above) = middle;
        }
        limit = std::min(limit, below);
        return true;
    }

    Integrator scheme_;
    std::vector<double> growth_;  ///< fastest exact growth rate, by component
};

bool is_finite(const Jacobians& symbol) {
    return std::ranges::all_of(symbol.jacobian({0.7, 1.1}).entries, [](const Complex& entry) {
        return std::isfinite(entry.real()) && std::isfinite(entry.imag());
    });
}

class LimitFinder {
  public:
    LimitFinder(const Equations& equations,
                const Integrator& scheme,
                const std::vector<UniformState>& states,
                bool brief)
        : brief_(brief),
          equations_(scheme->is_implicit ? copy_.emplace(equations) : equations),
          composition_(equations),
          scheme_(scheme),
          roots_(formulas_of(equations)) {
        if (!states.empty()) flat_ = flat_axis(states.front().nx, states.front().ny);
        const std::size_t components = roots_.size();
        for (std::size_t c = 0; c < components && !brief; ++c)
            for (const Term& term : equations_.components[c].terms) {
                terms_.push_back({int(c), roots_.size()});
                texts_.push_back(&term);
                roots_.push_back(term.node);
            }
        if (scheme->is_implicit) implicit_ = linear_part(*copy_, roots_);
        const Linearisation rows(equations_, roots_);
        for (const UniformState& state : states) {
            auto symbol = std::make_unique<Jacobians>(equations_, roots_, implicit_, rows, state);
            const bool known =
                std::ranges::any_of(symbols_, [&](const auto& other) { return other->same_as(*symbol); });
            if (!known && is_finite(*symbol)) symbols_.push_back(std::move(symbol));
        }
    }

    StableStep find(double enough) {
        StableStep result;
        result.dt = std::numeric_limits<double>::quiet_NaN();
        if (symbols_.empty()) return result;
        const bool few = choose_waves();
        StepSearch search(scheme_, symbols_.front()->components());
        std::vector<std::pair<BlockSystem, std::vector<BlockSystem::Seen>>> all;
        for (const auto& symbol : symbols_) {
            all.emplace_back(BlockSystem(*symbol, composition_), std::vector<BlockSystem::Seen>());
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
        search.limit = enough;
        const BlockSystem* worst = nullptr;
        Wave at;
        for (const auto& [system, seen] : all)
            for (const BlockSystem::Seen& wave : seen)
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
            directed = directed || symbol->directed();
            if (brief_) continue;
            for (const auto& block : BlockSystem(*symbol, composition_).blocks)
                largest = std::max(largest, block.components.size());
        }
        const bool few = largest > kLargeBlock || brief_;
        if (brief_ && !directed)
            waves_ = few_waves();
        else
            waves_ = few && !brief_ ? waves(directed, 3, 8) : waves(directed, 12, 24);
        for (Wave& wave : waves_) wave = along_line(wave);
        if (symbols_.front()->has_edge()) waves_.push_back({0, 0, true});
        const std::size_t most = scheme_->is_implicit ? kMostStatesOfLargeImplicit : kMostStatesOfLarge;
        if (few && symbols_.size() > most) {
            const double pi = std::numbers::pi;
            std::ranges::stable_sort(symbols_, std::greater<>(), [&](const auto& symbol) {
                return norm_of(symbol->jacobian({pi, pi}));
            });
            symbols_.resize(most);
        }
        return few;
    }

    // On a line all waves go along it.
    Wave along_line(Wave wave) const {
        if (flat_) (*flat_ == 0 ? wave.kx : wave.ky) = 0;
        return wave;
    }

    // Refines the worst wave between the samples by a pattern search.
    Wave refined(StepSearch& search, const BlockSystem& system, Wave at) const {
        double reach = std::numbers::pi / 24;
        for (int round = 0; round < 12; ++round) {
            bool moved = false;
            for (const auto& [x, y] : {std::pair(1, 0), {-1, 0}, {0, 1}, {0, -1}}) {
                const Wave next = along_line({at.kx + x * reach, at.ky + y * reach});
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
               const Jacobians& symbol,
               const Wave& worst,
               std::size_t looks) const {
        const auto limit_without = [&](const LeftOut& term, const std::vector<Wave>& some) {
            const BlockSystem system(symbol, composition_, term);
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

    bool brief_;
    std::optional<Equations> copy_;  ///< for imex, whose linear part adds expressions
    const Equations& equations_;
    Composition composition_;
    Integrator scheme_;
    std::vector<Node> roots_;  ///< components' formulas, then their terms
    std::vector<LeftOut> terms_;
    std::vector<const Term*> texts_;
    std::vector<LinearTerm> implicit_;
    std::optional<std::size_t> flat_;
    std::vector<std::unique_ptr<Jacobians>> symbols_;
    std::vector<Wave> waves_;
};

}  // namespace

StableStep stable_step(const Equations& equations,
                       const Integrator& scheme,
                       const std::vector<UniformState>& states,
                       double enough) {
    if (std::ranges::none_of(equations.components, &Evolving::rate)) {
        StableStep any;
        any.dt = std::numeric_limits<double>::infinity();
        return any;
    }
    return LimitFinder(equations, scheme, states, false).find(enough);
}

bool is_stable_at_few_waves(const Equations& equations,
                            const Integrator& scheme,
                            const std::vector<UniformState>& states,
                            double dt) {
    return LimitFinder(equations, scheme, states, true).find(dt).dt >= dt;
}

}  // namespace stencil::equation
