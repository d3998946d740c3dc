#include "kernels/examples/ridge/stacked_lsmr.h"

#include <algorithm>
#include <cmath>

#include "kernels/cpu/thread_pool.h"
#include "kernels/examples/ridge/cpu_product.h"

namespace stencil {
namespace {

double normalise(std::vector<double>& a) {
    double sum = 0;
    for (const double value : a) sum += value * value;
    const double length = std::sqrt(sum);
    if (length > 0)
        for (double& value : a) value /= length;
    return length;
}

template <class T>
SparseMatrix<double> in_float64(const SparseMatrix<T>& a) {
    return {a.rows, a.columns, a.start, a.column, {a.value.begin(), a.value.end()}};
}

// The stacked block c I is not stored: its products are those of c with a vector.
class CpuStacked final : public StackedVectors {
  public:
    CpuStacked(const SparseMatrix<double>& a, ThreadPool& threads)
        : forward_(a, threads),
          back_(transposed(a), threads),
          u_(std::size_t(a.rows + a.columns)),
          image_(std::size_t(a.rows)),
          v_(std::size_t(a.columns)),
          transposed_image_(std::size_t(a.columns)) {}

    double start(std::span<const double> d, double c) override {
        c_ = c;
        std::ranges::fill(u_, 0.0);
        std::ranges::copy(d, u_.begin());
        v_.assign(v_.size(), 0.0);
        h_ = hbar_ = x_ = v_;
        return normalise(u_);
    }

    double forward(double alpha) override {
        forward_.multiply(v_.data(), image_.data());
        const std::size_t rows = image_.size();
        for (std::size_t i = 0; i < rows; ++i) u_[i] = image_[i] - alpha * u_[i];
        for (std::size_t j = 0; j < v_.size(); ++j) u_[rows + j] = c_ * v_[j] - alpha * u_[rows + j];
        return normalise(u_);
    }

    double back(double beta) override {
        back_.multiply(u_.data(), transposed_image_.data());
        const std::size_t rows = image_.size();
        for (std::size_t j = 0; j < v_.size(); ++j)
            v_[j] = transposed_image_[j] + c_ * u_[rows + j] - beta * v_[j];
        return normalise(v_);
    }

    double update(double first, double second, double third) override {
        double sum = 0;
        for (std::size_t j = 0; j < v_.size(); ++j) {
            hbar_[j] = h_[j] - first * hbar_[j];
            x_[j] += second * hbar_[j];
            h_[j] = v_[j] - third * h_[j];
            sum += x_[j] * x_[j];
        }
        return std::sqrt(sum);
    }

    std::vector<double> solution() override { return x_; }

  private:
    CpuProduct<double> forward_, back_;
    double c_ = 0;
    std::vector<double> u_, image_, v_, transposed_image_, h_, hbar_, x_;
};

double ratio(double a, double b) {
    return b == 0 ? 0 : a / b;
}

}  // namespace

template <class T>
std::unique_ptr<StackedVectors> make_cpu_stacked(const SparseMatrix<T>& a, ThreadPool& threads) {
    return std::make_unique<CpuStacked>(in_float64(a), threads);
}

template std::unique_ptr<StackedVectors> make_cpu_stacked(const SparseMatrix<float>&, ThreadPool&);
template std::unique_ptr<StackedVectors> make_cpu_stacked(const SparseMatrix<double>&, ThreadPool&);

StackedRun run_stacked_lsmr(StackedVectors& vectors,
                            std::span<const double> d,
                            double c,
                            std::int64_t most,
                            const std::function<void()>& go_on) {
    double beta = vectors.start(d, c);
    double alpha = beta > 0 ? vectors.back(0) : 0;
    if (alpha == 0) return {0, RidgeStop::exact};
    vectors.update(0, 0, 0);  // h = v
    Lsmr lsmr(0, alpha, beta);
    while (lsmr.iterations() < most) {
        go_on();
        beta = vectors.forward(alpha);
        alpha = beta > 0 ? vectors.back(beta) : 0;
        const Lsmr::Factors old = lsmr.last();
        lsmr.step(beta, alpha, false);
        const Lsmr::Factors& now = lsmr.last();
        const double solution = vectors.update(ratio(now.thetabar * now.rho, old.rho * old.rhobar),
                                               ratio(now.zeta, now.rho * now.rhobar),
                                               ratio(now.theta_next, now.rho));
        const RidgeStop stop = lsmr.gradient() == 0 ? RidgeStop::exact : lsmr.tested({}, solution);
        if (stop != RidgeStop::none) return {lsmr.iterations(), stop};
    }
    return {lsmr.iterations(), RidgeStop::iterations};
}

}  // namespace stencil
