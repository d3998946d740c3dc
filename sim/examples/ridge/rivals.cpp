// What is measured beside the one process: the dense normal equations, which are the truth too, and one LSMR
// for each coefficient.

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
constexpr double kSensibleSeconds = 30;
constexpr double kCpuProductRate = 15e9;  // bytes per second, for the prediction alone
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

template <class T>
void RidgeRun<T>::stacked_row(StackedVectors& vectors, ReportRow row) {
    std::vector<double> x;
    std::int64_t iterations = 0;
    const Timing timing = time_host(context_, request_.repeats, [&] {
        x.clear();
        iterations = 0;
        for (const double c : settings_.coefficients) {
            context_.progress(double(x.size()) / double(columns() * settings_.coefficients.size()),
                              fmt::format("LSMR for c = {:.2g}", c));
            iterations += run_stacked_lsmr(vectors, d_, c, most_steps_, [&] { context_.pause(); }).iterations;
            std::ranges::copy(vectors.solution(), std::back_inserter(x));
        }
    });
    timing.fill(row);
    double bound = 0;
    for (std::size_t i = 0; i < settings_.coefficients.size(); ++i) {
        const double c = settings_.coefficients[i];
        const SolutionCheck check = checker_.check({x.data() + i * columns(), columns()}, d_, c);
        if (c > 0) bound = std::max(bound, check.bound);
    }
    row.error = truth_.empty() ? bound : largest_error(x, truth_, a_.columns);
    row.check = fmt::format("certified {:.1e}", bound);
    row.inexact = true;
    row.more.emplace_back("iterations", iterations);
    context_.add(std::move(row));
}

// At full size only where it was asked for, or ends soon: the iterations are known from the process.
template <class T>
void RidgeRun<T>::stacked_rows() {
    if (!settings_.lsmr && settings_.automatic) return;
    std::int64_t iterations = 0;
    for (const PathResult& result : results_)
        if (!result.certified)
            for (const RidgePoint& point : result.points) iterations += point.iterations;
    const double nonzeros = double(a_.nonzeros());
    if (request_.on_cpu()) {
        ReportRow row = named("one LSMR for each c", Device::cpu, false);
        const double seconds = double(iterations) * 2 * nonzeros * 10 / kCpuProductRate;
        if (settings_.automatic && seconds > kSensibleSeconds)
            context_.add_absent(
                std::move(row),
                fmt::format("would take about {:.0f} s (--methods stacked does it)", seconds));
        else
            stacked_row(*make_cpu_stacked(a_, context_.threads()), std::move(row));
    }
    ReportRow row = named("one LSMR for each c (cuSPARSE)", Device::cuda, false);
    if (!context_.gpu()) return context_.add_absent(std::move(row), context_.why_no_gpu());
#if STENCILSCOPE_HAS_CUDA
    constexpr double kMaxNonzeros = 0x1p31;
    const double scratch = nonzeros / 8;  // of cuSPARSE
    const double bytes =
        2 * nonzeros * 12 + scratch + 8.0 * double(4 * a_.rows + 9 * a_.columns) + kBlasWorkspace;
    if (nonzeros >= kMaxNonzeros) return context_.add_absent(std::move(row), "2^31 nonzeros are too many");
    if (bytes > context_.gpu_budget())
        return context_.add_absent(std::move(row),
                                   fmt::format("needs {} of GPU memory, of which {} may be used",
                                               format_bytes(bytes),
                                               format_bytes(context_.gpu_budget())));
    const CudaMemoryMeter meter(std::size_t(context_.gpu_budget()));
    CudaStream stream;
    row.gpu_memory = GpuMemoryUse{bytes, 0};
    stacked_row(*make_cuda_stacked(a_, stream), std::move(row));
#endif
}

template void RidgeRun<float>::cholesky_rows();
template void RidgeRun<double>::cholesky_rows();
template void RidgeRun<float>::stacked_rows();
template void RidgeRun<double>::stacked_rows();

}  // namespace stencil
