#include "kernels/examples/ridge/golub_kahan/golub_kahan.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/ridge/cpu_product.h"

namespace stencil {
namespace {

constexpr int kMaxPowerSteps = 16;  // a dominant value that takes longer is not far enough from the others

// Four sums side by side, because each addition waits for the one before; always in the same order.
double dot(std::span<const double> a, std::span<const double> b) {
    double sums[4] = {};
    std::size_t i = 0;
    for (; i + 4 <= a.size(); i += 4)
        for (std::size_t k = 0; k < 4; ++k) sums[k] += a[i + k] * b[i + k];
    for (; i < a.size(); ++i) sums[0] += a[i] * b[i];
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

double norm(std::span<const double> a) {
    return std::sqrt(dot(a, a));
}

void scale(std::span<double> a, double factor) {
    for (double& value : a) value *= factor;
}

// a = a / |a|, returns |a|; a zero vector stays.
double normalise(std::span<double> a) {
    const double length = norm(a);
    if (length > 0) scale(a, 1 / length);
    return length;
}

void subtract(std::span<double> a, double factor, std::span<const double> b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] -= factor * b[i];
}

template <class T>
class CpuGolubKahan final : public GolubKahan {
  public:
    CpuGolubKahan(const SparseMatrix<T>& a, ThreadPool& threads, std::size_t basis_bytes)
        : threads_(threads),
          forward_(a, threads),
          back_(transposed(a), threads),
          u_(std::size_t(a.rows)),
          au_(std::size_t(a.rows)),
          av_(std::size_t(a.columns)) {
        vector_bytes_ = sizeof(double) * std::size_t(std::max<std::int64_t>(1, a.columns));
        capacity_ = std::int64_t(basis_bytes / vector_bytes_);
    }

    void start(std::span<const double> d, bool take_out) override {
        bidiagonal_ = {};
        basis_.clear();
        std::ranges::copy(d, u_.begin());
        if (take_out && deflate(d)) subtract(u_, dot(p_, u_), p_);
        const double beta = normalise(u_);
        bidiagonal_.beta.push_back(beta);
        bidiagonal_.alpha.push_back(next_v(0));
    }

    void advance(int steps) override {
        for (int step = 0; step < steps && !ended() && bidiagonal_.steps() < capacity_; ++step) {
            pause();
            forward_.multiply(basis_.back().data(), au_.data());
            subtract(au_, bidiagonal_.alpha.back(), u_);
            if (bidiagonal_.dominant.sigma > 0) subtract(au_, dot(p_, au_), p_);
            u_.swap(au_);
            const double beta = normalise(u_);
            append(beta, beta > 0 ? next_v(beta) : 0);
        }
    }

    std::vector<double> combine(std::span<const ProjectedSolution> solutions) override {
        const std::size_t n = av_.size();
        std::vector<double> x(n * solutions.size(), 0.0);
        threads_.for_ranges(std::int64_t(n), [&](std::int64_t begin, std::int64_t end) {
            for (std::size_t c = 0; c < solutions.size(); ++c)
                add_solution(solutions[c], {x.data() + c * n, n}, {std::size_t(begin), std::size_t(end)});
        });
        return x;
    }

  private:
    struct Range {
        std::size_t begin, end;
    };

    // A^T u - beta v, normalised, joins the basis; returns its length.
    double next_v(double beta) {
        pause();
        back_.multiply(u_.data(), av_.data());
        if (beta > 0) subtract(av_, beta, basis_.back());
        if (bidiagonal_.dominant.sigma > 0) subtract(av_, dot(q_, av_), q_);
        basis_.push_back(av_);
        return normalise(basis_.back());
    }

    bool deflate(std::span<const double> d) {
        p_.assign(d.begin(), d.end());
        q_.resize(av_.size());
        normalise(p_);
        back_.multiply(p_.data(), q_.data());
        if (normalise(q_) == 0) return false;
        double sigma = 0;
        const bool found = find_dominant([&] {
            forward_.multiply(q_.data(), p_.data());
            const double forward = normalise(p_);
            back_.multiply(p_.data(), q_.data());
            sigma = normalise(q_);
            return PowerNorms{forward, sigma};
        });
        if (found) bidiagonal_.dominant = {sigma, dot(p_, d)};
        return found;
    }

    // Piece by piece, so that a piece of x stays in the cache.
    void add_solution(const ProjectedSolution& solution, std::span<double> x, Range range) const {
        constexpr std::size_t kPiece = 2048;
        for (std::size_t begin = range.begin; begin < range.end; begin += kPiece) {
            const std::size_t end = std::min(range.end, begin + kPiece);
            for (std::size_t k = 0; k < solution.y.size(); ++k) {
                const double factor = solution.y[k];
                const double* v = basis_[k].data();
                for (std::size_t j = begin; j < end; ++j) x[j] += factor * v[j];
            }
            if (solution.xi != 0)
                for (std::size_t j = begin; j < end; ++j) x[j] += solution.xi * q_[j];
        }
    }

    ThreadPool& threads_;
    CpuProduct<T> forward_, back_;
    std::vector<double> u_, au_, av_;
    std::vector<double> p_, q_;  // of the dominant part
    std::vector<std::vector<double>> basis_;
};

}  // namespace

bool GolubKahan::ended() const {
    return bidiagonal_.trivial() || bidiagonal_.alpha.back() == 0 || bidiagonal_.beta.back() == 0;
}

void GolubKahan::append(double beta, double alpha) {
    if (ended()) return;
    bidiagonal_.beta.push_back(beta);
    bidiagonal_.alpha.push_back(beta == 0 ? 0 : alpha);
}

bool GolubKahan::find_dominant(const std::function<PowerNorms()>& step) const {
    double last = 0;
    int left = -1;
    for (int made = 1; made <= kMaxPowerSteps; ++made) {
        pause();
        const PowerNorms norms = step();
        if (norms.forward == 0 || norms.back == 0) return false;
        if (left > 0 && --left == 0) return true;
        if (left > 0) continue;
        // |A^T p - sigma q| / sigma, which these two norms show down to the root of the rounding.
        const double share = norms.forward / norms.back;
        const double residual = std::sqrt(std::max((1 - share) * (1 + share), 1e-15));
        if (made >= 3) {
            const double rate = std::clamp(residual / last, 1e-3, 0.9);
            left = 2 + int(std::log(1e-16 / residual) / std::log(rate));
            if (made + left > kMaxPowerSteps) return false;
        }
        last = residual;
    }
    return false;
}

template <class T>
std::unique_ptr<GolubKahan> make_cpu_golub_kahan(const SparseMatrix<T>& a,
                                                 ThreadPool& threads,
                                                 std::size_t basis_bytes) {
    return std::make_unique<CpuGolubKahan<T>>(a, threads, basis_bytes);
}

template std::unique_ptr<GolubKahan> make_cpu_golub_kahan(const SparseMatrix<float>&,
                                                          ThreadPool&,
                                                          std::size_t);
template std::unique_ptr<GolubKahan> make_cpu_golub_kahan(const SparseMatrix<double>&,
                                                          ThreadPool&,
                                                          std::size_t);

}  // namespace stencil
