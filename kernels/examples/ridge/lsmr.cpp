#include "kernels/examples/ridge/lsmr.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/cpu/thread_pool.h"

namespace stencil {
namespace {

struct Rotation {
    double c, s, r;
};

Rotation rotation(double a, double b) {
    if (b == 0) return {a < 0 ? -1.0 : 1.0, 0, std::abs(a)};
    const double r = std::hypot(a, b);
    return {a / r, b / r, r};
}

double ratio(double a, double b) {
    return b == 0 ? 0 : a / b;
}

// Four accumulators, because an addition depends on the previous one; always in the same order.
double square(std::span<const double> a, double factor) {
    double sums[4] = {};
    std::size_t i = 0;
    const auto add = [&](double& sum, double value) { sum += value * value; };
    for (; i + 4 <= a.size(); i += 4)
        for (std::size_t k = 0; k < 4; ++k) add(sums[k], factor * a[i + k]);
    for (; i < a.size(); ++i) add(sums[0], factor * a[i]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// By way of scaled numbers where squares leave the range of float64.
double norm(std::span<const double> a) {
    constexpr double kLeast = 1e-280, kMost = 1e300;
    const double plain = square(a, 1);
    if (plain > kLeast && plain < kMost) return std::sqrt(plain);
    double largest = 0;
    for (const double value : a) largest = std::max(largest, std::abs(value));
    if (!(largest > 0) || !std::isfinite(largest)) return largest;
    const double factor = std::ldexp(1.0, -std::clamp(std::ilogb(largest), -1020, 1020));
    return std::sqrt(square(a, factor)) / factor;
}

// a = (b - factor a) / |b - factor a|; returns that norm.
double replace(std::span<double> a, double factor, std::span<const double> b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] = b[i] - factor * a[i];
    const double length = norm(a);
    if (length > 0)
        for (double& value : a) value /= length;
    return length;
}

template <class T>
class CpuLsmrVectors final : public LsmrVectors {
  public:
    CpuLsmrVectors(const SparseMatrix<T>& a,
                   const SparseMatrix<T>& back,
                   std::size_t solutions,
                   ThreadPool& threads)
        : threads_(threads),
          forward_(a),
          back_(back),
          u_(std::size_t(a.rows)),
          v_(std::size_t(a.columns)),
          product_(std::max(u_.size(), v_.size())),
          of_solutions_(3 * solutions * v_.size()) {}

    double start(std::span<const double> d) override {
        std::ranges::fill(v_, 0.0);
        std::ranges::fill(of_solutions_, 0.0);
        return replace(u_, 0, d);
    }

    double next_u(double alpha) override {
        multiply(forward_, v_.data(), product_.data(), threads_);
        return replace(u_, alpha, product_);
    }

    double next_v(double beta) override {
        multiply(back_, u_.data(), product_.data(), threads_);
        return replace(v_, beta, product_);
    }

    void update(std::span<const LsmrUpdate> updates) override {
        threads_.for_ranges(std::int64_t(v_.size()), [&](std::int64_t begin, std::int64_t end) {
            for (const LsmrUpdate& by : updates) {
                double *const h = part(by.solution, 0), *const hbar = part(by.solution, 1),
                              *const x = part(by.solution, 2);
                for (std::int64_t j = begin; j < end; ++j) {
                    hbar[j] = h[j] - by.hbar_factor * hbar[j];
                    x[j] += by.x_factor * hbar[j];
                    h[j] = v_[std::size_t(j)] - by.h_factor * h[j];
                }
            }
        });
    }

    double length(std::size_t solution) override { return norm({part(solution, 2), v_.size()}); }

    std::vector<double> solutions() override {
        std::vector<double> all;
        for (std::size_t i = 0; 3 * i * v_.size() < of_solutions_.size(); ++i)
            all.insert(all.end(), part(i, 2), part(i, 2) + v_.size());
        return all;
    }

  private:
    // The vector h (0), hbar (1) or x (2) of a solution.
    double* part(std::size_t solution, std::size_t which) {
        return of_solutions_.data() + (3 * solution + which) * v_.size();
    }

    ThreadPool& threads_;
    const SparseMatrix<T>&forward_, &back_;
    std::vector<double> u_, v_, product_, of_solutions_;
};

// Decides when the iteration of one coefficient c stops.
class Watch {
  public:
    Watch(const Lsmr& lsmr, const RidgeRule& rule) : rule_(rule), lsmr_(lsmr), first_(lsmr.gradient()) {}

    Lsmr& lsmr() { return lsmr_; }

    // |x| is computed only now and then. It grows from step to step, so an outdated value errs on the safe
    // side.
    RidgeStop stop(LsmrVectors& vectors, std::size_t solution) {
        constexpr std::int64_t kAlways = 32, kEvery = 16;
        constexpr double kMostCondition = 1e14;
        if (lsmr_.gradient() == 0) return RidgeStop::exact;
        if (lsmr_.iterations() <= kAlways || lsmr_.iterations() % kEvery == 0)
            length_ = vectors.length(solution);
        if (lsmr_.gradient() <= lsmr_.aim(rule_.tolerance, length_))
            return lsmr_.c() > 0 ? RidgeStop::certificate : RidgeStop::least_squares;
        if (lsmr_.at_rounding(length_)) return RidgeStop::rounding;
        return lsmr_.condition() > kMostCondition ? RidgeStop::condition : RidgeStop::none;
    }

    // Progress from 0 to 1, estimated from how far the gradient has fallen.
    double share() const {
        const double to = std::max(lsmr_.aim(rule_.tolerance, length_), 1e-300);
        if (!(first_ > to) || lsmr_.gradient() == 0) return 0;
        return std::clamp(std::log(lsmr_.gradient() / first_) / std::log(to / first_), 0.0, 1.0);
    }

  private:
    const RidgeRule& rule_;
    Lsmr lsmr_;
    double first_, length_ = 0;
};

}  // namespace

const char* name_of(RidgeStop stop) {
    constexpr const char* kNames[] = {"under way",
                                      "certificate",
                                      "|A^T r| small",
                                      "end of the process",
                                      "rounding",
                                      "condition",
                                      "iterations"};
    return kNames[int(stop)];
}

Lsmr::Lsmr(double c, double alpha1, double beta1)
    : c_(c), alphabar_(alpha1), zetabar_(alpha1 * beta1), betadd_(beta1), normr_(beta1) {}

double Lsmr::gradient() const {
    return std::abs(zetabar_);
}

LsmrUpdate Lsmr::step(double beta, double alpha) {
    ++iterations_;
    const double rho_old = rho_, rhobar_old = rhobar_, zeta_old = zeta_;
    // Phat_k eliminates c from the row below, P_k eliminates beta_{k+1} from B_k and gives the next row of
    // R_k.
    const auto [chat, shat, alphahat] = rotation(alphabar_, c_);
    const auto [c, s, rho] = rotation(alphahat, beta);
    const double theta_next = s * alpha;
    alphabar_ = c * alpha;
    // Pbar_k eliminates theta_{k+1} from R_k^T and gives the next row of Rbar_k.
    const double thetabar = sbar_ * rho;
    const double rho_temp = cbar_ * rho;
    const auto [cbar, sbar, rhobar] = rotation(rho_temp, theta_next);
    rho_ = rho;
    cbar_ = cbar;
    sbar_ = sbar;
    rhobar_ = rhobar;
    zeta_ = cbar * zetabar_;
    zetabar_ *= -sbar;

    const double betacheck = shat * betadd_;
    damped2_ += betacheck * betacheck;
    const double last = last_residual(c * chat * betadd_, thetabar, zeta_old);
    betadd_ *= -s * chat;
    normr_ = std::sqrt(last * last + betadd_ * betadd_ + damped2_);

    // In the first step rhobar is 1, which does not scale with A.
    if (iterations_ > 1) {
        maxrbar_ = std::max(maxrbar_, rhobar_old);
        minrbar_ = std::min(minrbar_, rhobar_old);
        condition_ = std::max(maxrbar_, std::abs(rho_temp)) / std::min(minrbar_, std::abs(rho_temp));
    }
    return {0,
            ratio(thetabar, rho_old) * ratio(rho, rhobar_old),
            ratio(ratio(zeta_, rho), rhobar),
            ratio(theta_next, rho)};
}

// The rotation Ptilde_k makes Rbar_k^T upper bidiagonal, and forward substitution is applied to its
// right-hand side; returns the last element of the residual (section 3 of the paper, "Computing |r_k|"; dd
// and d stand for two dots and one, tautilde for tilde tau).
double Lsmr::last_residual(double betahat, double thetabar, double zeta_old) {
    const double thetatilde_old = thetatilde_;
    const auto [ctilde, stilde, rhotilde] = rotation(rhodold_, thetabar);
    thetatilde_ = stilde * rhobar_;
    rhodold_ = ctilde * rhobar_;
    betad_ = -stilde * betad_ + ctilde * betahat;
    tautildeold_ = ratio(zeta_old - thetatilde_old * tautildeold_, rhotilde);
    return betad_ - ratio(zeta_ - thetatilde_ * tautildeold_, rhodold_);
}

bool Lsmr::at_rounding(double solution) const {
    constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
    return gradient() <= kEpsilon * maxrbar_ * (normr_ + maxrbar_ * solution);
}

double Lsmr::aim(double tolerance, double solution) const {
    return tolerance * (c_ > 0 ? c_ * c_ * solution : 1e-4 * maxrbar_ * normr_);
}

// Rotations eliminate c I and the subdiagonal from [B; c I]; the rest is upper bidiagonal (C. Paige and M.
// Saunders, "LSQR", ACM Trans. Math. Softw. 8, 1982).
Bidiagonal::Norms Bidiagonal::norms_at(double c) const {
    const auto n = std::size_t(steps());
    std::vector<double> rho(n), theta(n), y(n);
    double rhobar = alpha.empty() ? 0 : alpha[0], phibar = beta.empty() ? 0 : beta[0];
    for (std::size_t k = 0; k < n; ++k) {
        const Rotation damping = rotation(rhobar, c), next = rotation(damping.r, beta[k + 1]);
        rho[k] = next.r;
        theta[k] = next.s * alpha[k + 1];
        y[k] = next.c * damping.c * phibar;
        rhobar = -next.c * alpha[k + 1];
        phibar *= next.s * damping.c;
    }
    for (std::size_t k = n; k-- > 0;) y[k] = ratio(y[k] - (k + 1 < n ? theta[k] * y[k + 1] : 0), rho[k]);
    // The residual in the basis U: beta_1 e_1 - B y.
    double above = beta.empty() ? 0 : beta[0], residual2 = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const double r = above - alpha[k] * y[k];
        residual2 += r * r;
        above = -beta[k + 1] * y[k];
    }
    return {std::sqrt(residual2 + above * above), norm(y)};
}

RidgePath solve_ridge_path(LsmrVectors& vectors,
                           std::span<const double> d,
                           std::span<const double> coefficients,
                           const RidgeRule& rule,
                           const std::function<void(double)>& go_on) {
    RidgePath path;
    std::vector<double>&alpha = path.bidiagonal.alpha, &beta = path.bidiagonal.beta;
    beta.push_back(vectors.start(d));
    alpha.push_back(beta[0] > 0 ? vectors.next_v(0) : 0);
    std::vector<Watch> watches;
    std::vector<LsmrUpdate> updates;
    for (const double c : coefficients) {
        updates.push_back({watches.size()});  // h = v
        watches.emplace_back(Lsmr(c, alpha[0], beta[0]), rule);
        path.points.push_back({c, 0, alpha[0] > 0 ? RidgeStop::none : RidgeStop::exact});
    }
    vectors.update(updates);
    while (std::ranges::count(path.points, RidgeStop::none, &RidgePoint::stop) > 0) {
        if (path.bidiagonal.steps() >= rule.most_steps) {
            for (RidgePoint& point : path.points)
                if (point.stop == RidgeStop::none) point.stop = RidgeStop::iterations;
            break;
        }
        double least = 1;
        for (std::size_t i = 0; i < watches.size(); ++i)
            if (path.points[i].stop == RidgeStop::none) least = std::min(least, watches[i].share());
        go_on(least);
        beta.push_back(vectors.next_u(alpha.back()));
        alpha.push_back(vectors.next_v(beta.back()));
        updates.clear();
        for (std::size_t i = 0; i < watches.size(); ++i) {
            if (path.points[i].stop != RidgeStop::none) continue;
            updates.push_back(watches[i].lsmr().step(beta.back(), alpha.back()));
            updates.back().solution = i;
        }
        vectors.update(updates);
        for (const LsmrUpdate& update : updates) {
            RidgePoint& point = path.points[update.solution];
            Watch& watch = watches[update.solution];
            point.stop = watch.stop(vectors, update.solution);
            point.iterations = watch.lsmr().iterations();
            point.gradient = watch.lsmr().gradient();
        }
    }
    path.x = vectors.solutions();
    return path;
}

template <class T>
std::unique_ptr<LsmrVectors> make_cpu_lsmr(const SparseMatrix<T>& a,
                                           const SparseMatrix<T>& back,
                                           std::size_t solutions,
                                           ThreadPool& threads) {
    return std::make_unique<CpuLsmrVectors<T>>(a, back, solutions, threads);
}

template std::unique_ptr<LsmrVectors> make_cpu_lsmr(const SparseMatrix<float>&,
                                                    const SparseMatrix<float>&,
                                                    std::size_t,
                                                    ThreadPool&);
template std::unique_ptr<LsmrVectors> make_cpu_lsmr(const SparseMatrix<double>&,
                                                    const SparseMatrix<double>&,
                                                    std::size_t,
                                                    ThreadPool&);

}  // namespace stencil
