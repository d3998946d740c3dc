// The rows of the one process that serves all coefficients.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/examples/ridge/run.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Of host memory, for V.
std::size_t basis_bytes() {
    return std::size_t(double(query_host_memory().free_bytes) * 0.5);
}

double difference(double value, double right) {
    return right > 0 ? std::abs(value - right) / right : value;
}

constexpr double kFailedBound = 1.5;  // times the tolerance: what rounding may add to a certificate

}  // namespace

template <class T>
RidgeRun<T>::RidgeRun(const ExampleRequest& request,
                      ExampleContext& context,
                      const RidgeSettings& settings,
                      const SparseMatrix<T>& a,
                      const std::vector<double>& d)
    : request_(request),
      context_(context),
      settings_(settings),
      a_(a),
      d_(d),
      checker_(a, context.threads(), [&context] { context.pause(); }),
      most_steps_(5 * std::min(a.rows, a.columns)) {}

template <class T>
void RidgeRun<T>::run() {
    plan_gpu();
    if (settings_.cholesky) cholesky_rows();
    if (settings_.process) process_rows();
    report_results();
}

template <class T>
RidgeRule RidgeRun<T>::rule(bool certified) const {
    RidgeRule rule;
    rule.certified = certified;
    rule.tolerance = settings_.tolerance;
    rule.most_steps = most_steps_;
    // Without c there is no certificate: then at least LSMR's own tests are strict.
    if (certified) rule.lsmr = {1e-4 * settings_.tolerance, 1e-4 * settings_.tolerance, 0};
    return rule;
}

template <class T>
ReportRow RidgeRun<T>::named(const std::string& name, Device device, bool certified) const {
    ReportRow row;
    row.work = certified
                   ? fmt::format(
                         "{} coefficients, error <= {:g}", settings_.coefficients.size(), settings_.tolerance)
                   : fmt::format("{} coefficients, LSMR's stopping rule", settings_.coefficients.size());
    row.name = name;
    row.backend = device;
    row.dtype = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;
    return row;
}

template <class T>
void RidgeRun<T>::add_path_row(ReportRow row, PathResult result) {
    double bound = 0, norms = 0;
    std::size_t bounded = 0, certified = 0;
    for (std::size_t i = 0; i < result.points.size(); ++i) {
        context_.pause();
        const RidgePoint& point = result.points[i];
        const SolutionCheck check = checker_.check({result.x.data() + i * columns(), columns()}, d_, point.c);
        result.checked.push_back({point.c, point.projected.gradient, check});
        if (point.c > 0) {
            ++bounded;
            bound = std::max(bound, check.bound);
            const bool holds = check.bound <= kFailedBound * settings_.tolerance;
            certified += holds ? 1 : 0;
            row.failed |= point.stop == RidgeStop::certificate && !holds;
        }
        norms = std::max({norms,
                          difference(point.projected.residual, check.residual),
                          difference(point.projected.solution, check.solution)});
    }
    if (!truth_.empty())
        row.error = largest_error(result.x, truth_, a_.columns);
    else if (bounded > 0)
        row.error = bound;
    row.check = fmt::format("error <= {:g} certified for {} of {}, norms within {:.0e}",
                            settings_.tolerance,
                            certified,
                            result.points.size(),
                            norms);
    // What LSMR's rule leaves is far above the error of the arithmetic.
    row.inexact = !result.certified || certified < bounded;
    row.more.emplace_back("steps", result.bidiagonal.steps());
    if (bounded > 0) row.more.emplace_back("error_bound", bound);
    row.more.emplace_back("singular_value_taken_out", result.bidiagonal.dominant.sigma);
    const auto same = std::ranges::find(results_, result.certified, &PathResult::certified);
    if (same != results_.end())
        *same = std::move(result);
    else
        results_.push_back(std::move(result));
    context_.add(std::move(row));
}

template <class T>
void RidgeRun<T>::process_row(GolubKahan& process, ReportRow row, bool certified) {
    PathResult result;
    result.certified = certified;
    context_.begin_part(row.name + ": " + row.work);
    process.on_pause([this] { context_.pause(); });
    const Timing timing = time_host(context_, request_.repeats, [&] {
        result.points =
            solve_ridge_path(process, d_, settings_.coefficients, rule(certified), [&](double done) {
                context_.progress(done, fmt::format("{}: {}", row.name, row.work));
            });
        std::vector<ProjectedSolution> solutions;
        for (const RidgePoint& point : result.points) solutions.push_back(point.projected);
        result.x = process.combine(solutions);
    });
    timing.fill(row);
    result.bidiagonal = process.bidiagonal();
    const double bytes = double(result.bidiagonal.steps() + 1) * checker_.bytes_of_step();
    row.rates.push_back(
        {bytes / timing.seconds / 1e9, "GB/s", context_.copy_gb_per_s(row.backend), "copy, measured"});
    add_path_row(std::move(row), std::move(result));
}

#if STENCILSCOPE_HAS_CUDA
template <class T>
void RidgeRun<T>::plan_gpu() {
    if (!context_.gpu() || !settings_.process) return;
    plan_ = plan_cuda_ridge(a_, std::size_t(context_.gpu_budget()), most_steps_);
    if (plan_.fits) return;
    throw MachineError(fmt::format(
        "a {} x {} matrix with {} nonzeros needs at least {} of GPU memory, of which {} may be used",
        a_.rows,
        a_.columns,
        a_.nonzeros(),
        format_bytes(double(plan_.least)),
        format_bytes(context_.gpu_budget())));
}
#else
template <class T>
void RidgeRun<T>::plan_gpu() {}
#endif

// For each rule the CPU's row and the GPU's.
template <class T>
void RidgeRun<T>::process_rows() {
#if STENCILSCOPE_HAS_CUDA
    // They outlive the process that uses them.
    std::optional<CudaMemoryMeter> meter;
    std::optional<CudaStream> stream;
#endif
    std::unique_ptr<GolubKahan> cpu, gpu;
    ReportRow cpu_row = named("one process for all c", Device::cpu, true);
    ReportRow gpu_row = named("one process for all c", Device::cuda, true);
    if (request_.on_cpu()) {
        context_.begin_part("laying out the matrix for the CPU");
        const auto start = Clock::now();
        cpu = make_cpu_golub_kahan(a_, context_.threads(), basis_bytes());
        cpu_row.more.emplace_back("layout_seconds", seconds_since(start));
    }
#if STENCILSCOPE_HAS_CUDA
    if (context_.gpu()) {
        context_.begin_part("laying out the matrix for the GPU");
        meter.emplace(plan_.bytes);
        const auto start = Clock::now();
        gpu = make_cuda_golub_kahan(
            a_, context_.threads(), stream.emplace(), {plan_, most_steps_, basis_bytes()});
        if (plan_.streams_matrix) gpu_row.name = "one process, matrix streamed";
        gpu_row.to_device_seconds = gpu->upload_seconds();
        gpu_row.more.emplace_back("layout_seconds", seconds_since(start) - gpu->upload_seconds());
        gpu_row.gpu_memory = GpuMemoryUse{double(plan_.bytes), 0};
    }
#endif
    for (const bool certified : {true, false}) {
        if (!(certified ? settings_.certified : settings_.lsmr)) continue;
        cpu_row.work = gpu_row.work = named("", Device::cpu, certified).work;
        if (cpu) process_row(*cpu, cpu_row, certified);
        if (gpu)
            process_row(*gpu, gpu_row, certified);
        else
            context_.add_absent(gpu_row, context_.why_no_gpu());
    }
}

template class RidgeRun<float>;
template class RidgeRun<double>;

}  // namespace stencil
