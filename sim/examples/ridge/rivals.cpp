// What is measured beside the one process: the dense normal equations, which are the truth too.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/examples/ridge/cost.h"
#include "sim/examples/ridge/run.h"

namespace stencil {
namespace {

constexpr int kRefinements = 2;
[[maybe_unused]] constexpr double kBlasWorkspace = 32 << 20;  // bytes

}  // namespace

// The factor's error is that of A^T A; gradients of fresh products take it away.
template <class T>
std::vector<double> RidgeRun<T>::refined(DenseRidge& dense, double c) {
    std::vector<double> x(columns(), 0.0);
    for (int round = 0; round <= kRefinements; ++round) {
        checker_.check(x, d_, c);
        const std::vector<double> step = dense.apply(checker_.gradient());
        for (std::size_t j = 0; j < x.size(); ++j) x[j] += step[j];
    }
    return x;
}

template <class T>
void RidgeRun<T>::cholesky_row(DenseRidge& dense, ReportRow row) {
    std::vector<double> right(columns(), 0.0);
    checker_.check(right, d_, 0);
    right = checker_.gradient();  // A^T d
    std::vector<double> truth, plain;
    context_.begin_part(row.name + ", refined, as the truth");
    dense.form();
    for (const double c : settings_.coefficients) {
        context_.progress(double(truth.size()) / double(columns() * settings_.coefficients.size()),
                          row.name + ", refined, as the truth");
        if (!dense.factor(c))
            return context_.add_absent(
                std::move(row), fmt::format("A^T A + {:g}^2 I is not positive definite in float64", c));
        std::ranges::copy(refined(dense, c), std::back_inserter(truth));
    }
    context_.begin_part(row.name);
    const Timing timing = time_host(context_, request_.repeats, [&] {
        plain.clear();
        dense.form();
        for (const double c : settings_.coefficients) {
            context_.progress(double(plain.size()) / double(columns() * settings_.coefficients.size()),
                              row.name);
            dense.factor(c);
            std::ranges::copy(dense.apply(right), std::back_inserter(plain));
        }
    });
    timing.fill(row);
    truth_ = std::move(truth);
    row.error = largest_error(plain, truth_, a_.columns);
    row.check = "refined, it is the truth";
    const double n = double(a_.columns);
    const double flops = double(a_.rows) * n * n + double(settings_.coefficients.size()) * n * n * n / 3;
    const double tensor = row.backend == Device::cuda ? context_.tensor_tflops(TensorKind::float64) : 0;
    row.rates.push_back(
        {flops / timing.seconds / 1e12,
         "TFLOP/s",
         tensor > 0 ? tensor : context_.tflops(row.backend, DType::float64),
         tensor > 0 ? "float64 tensor cores, computed from clock and units" : "multiply-adds, measured"});
    context_.add(std::move(row));
}

template <class T>
void RidgeRun<T>::cholesky_rows() {
    const RidgeSize size{a_.rows, a_.columns, a_.nonzeros()};
    if (request_.on_cpu()) {
        ReportRow row = named("dense Cholesky (OpenBLAS)", Device::cpu, true);
        const std::string why_not = why_no_cholesky(size, settings_, context_, Device::cpu);
        if (why_not.empty())
            cholesky_row(*make_cpu_dense_ridge(a_, context_.thread_count()), std::move(row));
        else
            context_.add_absent(std::move(row), why_not);
    }
    ReportRow row = named("dense Cholesky (cuSOLVER)", Device::cuda, true);
    const std::string why_not = why_no_cholesky(size, settings_, context_, Device::cuda);
    if (!why_not.empty()) return context_.add_absent(std::move(row), why_not);
#if STENCILSCOPE_HAS_CUDA
    const CudaMemoryMeter meter(std::size_t(context_.gpu_budget()));
    CudaStream stream;
    const double matrix = double(a_.nonzeros()) * double(sizeof(T) + 4) + 8.0 * double(a_.rows);
    const double scratch = 128.0 * double(a_.columns) + 4096;  // of cuSOLVER
    row.gpu_memory =
        GpuMemoryUse{dense_ridge_bytes(a_.rows, a_.columns) + matrix + scratch + kBlasWorkspace, 0};
    cholesky_row(*make_cuda_dense_ridge(a_, stream), std::move(row));
#endif
}

template void RidgeRun<float>::cholesky_rows();
template void RidgeRun<double>::cholesky_rows();

}  // namespace stencil
