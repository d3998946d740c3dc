// What is measured beside the one process: the dense normal equations, which are the truth too.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/examples/ridge/run.h"
#include "sim/machine/host_memory.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr std::int64_t kSensibleOnCpu = 4000, kSensibleOnGpu = 20000;  // columns
constexpr int kRefinements = 2;
constexpr double kBlasWorkspace = 32 << 20;  // bytes

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
    dense.form();
    for (const double c : settings_.coefficients) {
        context_.progress(double(truth.size()) / double(columns() * settings_.coefficients.size()),
                          "dense Cholesky, as the truth");
        if (!dense.factor(c))
            return context_.add_absent(
                std::move(row), fmt::format("A^T A + {:g}^2 I is not positive definite in float64", c));
        std::ranges::copy(refined(dense, c), std::back_inserter(truth));
    }
    const Timing timing = time_host(context_, request_.repeats, [&] {
        plain.clear();
        dense.form();
        for (const double c : settings_.coefficients) {
            context_.pause();
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
    for (const Device device : {Device::cpu, Device::cuda}) {
        if (device == Device::cpu && !request_.on_cpu()) continue;
        ReportRow row = named(
            device == Device::cpu ? "dense Cholesky (OpenBLAS)" : "dense Cholesky (cuSOLVER)", device, true);
        const double bytes = dense_ridge_bytes(a_.rows, a_.columns);
        const double room = device == Device::cpu ? 0.8 * double(query_host_memory().free_bytes)
                            : context_.gpu()      ? context_.gpu_budget()
                                                  : 0;
        const std::int64_t sensible = device == Device::cpu ? kSensibleOnCpu : kSensibleOnGpu;
        if (device == Device::cuda && !context_.gpu()) {
            context_.add_absent(std::move(row), context_.why_no_gpu());
        } else if (settings_.coefficients.front() == 0) {
            context_.add_absent(std::move(row), "c = 0 need not have one solution");
        } else if (settings_.automatic && std::max(a_.columns, a_.rows / 4) > sensible) {
            context_.add_absent(
                std::move(row),
                fmt::format("more than {} columns take long (--methods cholesky does it)", sensible));
        } else if (bytes > room) {
            context_.add_absent(
                std::move(row),
                fmt::format("needs {}, of which {} are there", format_bytes(bytes), format_bytes(room)));
        } else if (device == Device::cpu) {
            cholesky_row(*make_cpu_dense_ridge(a_, context_.thread_count()), std::move(row));
        } else {
#if STENCILSCOPE_HAS_CUDA
            const CudaMemoryMeter meter(std::size_t(context_.gpu_budget()));
            CudaStream stream;
            const double matrix = double(a_.nonzeros()) * double(sizeof(T) + 4) + 8.0 * double(a_.rows);
            const double scratch = 128.0 * double(a_.columns) + 4096;  // of cuSOLVER
            row.gpu_memory = GpuMemoryUse{bytes + matrix + scratch + kBlasWorkspace, 0};
            cholesky_row(*make_cuda_dense_ridge(a_, stream), std::move(row));
#endif
        }
    }
}

template void RidgeRun<float>::cholesky_rows();
template void RidgeRun<double>::cholesky_rows();

}  // namespace stencil
