// The rows of the one process that serves all coefficients.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "kernels/cuda_runtime.h"
#include "sim/error.h"
#include "sim/examples/ridge/run.h"
#include "sim/examples/stopwatch.h"
#include "sim/host_memory.h"
#include "sim/parse.h"

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
      checker_(a, context.threads()),
      most_steps_(5 * std::min(a.rows, a.columns)) {}

template <class T>
void RidgeRun<T>::run() {
    plan_gpu();
    if (settings_.cholesky) cholesky_rows();
    if (settings_.process) {
        if (request_.on_cpu()) cpu_process_rows();
        gpu_process_rows();
    }
    if (settings_.stacked) stacked_rows();
    report_results();
}

template <class T>
RidgeRule RidgeRun<T>::rule(bool certified) const {
    RidgeRule rule;
    rule.certified = certified;
    rule.tolerance = settings_.tolerance;
    rule.most_steps = most_steps_;
    return rule;
}

template <class T>
ReportRow RidgeRun<T>::named(const std::string& name, Device device, bool certified) const {
    ReportRow row;
    row.work = certified ? fmt::format("{} coefficients, error <= {:g}", settings_.coefficients.size(), settings_.tolerance)
                         : fmt::format("{} coefficients, LSMR's stopping rule", settings_.coefficients.size());
    row.name = name;
    row.backend = device;
    row.dtype = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;
    return row;
}

template <class T>
void RidgeRun<T>::add_path_row(ReportRow row, PathResult result, const std::vector<SolutionCheck>& checks) {
    double bound = 0, norms = 0;
    for (std::size_t i = 0; i < checks.size(); ++i) {
        const SolutionCheck& check = checks[i];
        if (result.points[i].c > 0) bound = std::max(bound, check.bound);
        const ProjectedSolution& projected = result.points[i].projected;
        norms = std::max({norms,
                          std::abs(projected.residual - check.residual) / std::max(check.residual, 1e-300),
                          std::abs(projected.solution - check.solution) / std::max(check.solution, 1e-300)});
    }
    row.error = truth_.empty() ? bound : largest_error(result.x, truth_, a_.columns);
    row.check = truth_.empty() ? "certificate" : fmt::format("certificate {:.1e}, norms within {:.0e}", bound, norms);
    row.failed = result.certified && bound > kFailedBound * settings_.tolerance;
    // Its error is what LSMR's rule leaves, which is far above that of the arithmetic.
    row.inexact = !result.certified;
    row.more.emplace_back("steps", result.bidiagonal.steps());
    row.more.emplace_back("error_bound", bound);
    row.more.emplace_back("singular_value_taken_out", result.bidiagonal.dominant.sigma);
    results_.push_back(std::move(result));
    context_.add(std::move(row));
}

template <class T>
void RidgeRun<T>::process_rows(GolubKahan& process, ReportRow common) {
    for (const bool certified : {true, false}) {
        if (!(certified ? settings_.certified : settings_.lsmr)) continue;
        PathResult result;
        result.certified = certified;
        ReportRow row = named(common.name, common.backend, certified);
        row.to_device_seconds = common.to_device_seconds;
        row.gpu_memory = common.gpu_memory;
        row.more = common.more;
        const Timing timing = time_host(context_, request_.repeats, [&] {
            result.points =
                solve_ridge_path(process, d_, settings_.coefficients, rule(certified), [&](double done) {
                    context_.progress(done, fmt::format("{}: {}", common.name, row.work));
                });
            std::vector<ProjectedSolution> solutions;
            for (const RidgePoint& point : result.points) solutions.push_back(point.projected);
            result.x = process.combine(solutions);
        });
        timing.fill(row);
        result.bidiagonal = process.bidiagonal();
        const double bytes = double(result.bidiagonal.steps() + 1) * checker_.bytes_of_step();
        row.rates.push_back({bytes / timing.seconds / 1e9,
                             "GB/s",
                             context_.copy_gb_per_s(common.backend),
                             "copy, measured"});
        std::vector<SolutionCheck> checks;
        for (std::size_t i = 0; i < result.points.size(); ++i)
            checks.push_back(checker_.check(
                {result.x.data() + i * columns(), columns()}, d_, result.points[i].c));
        add_path_row(std::move(row), std::move(result), checks);
    }
}

template <class T>
void RidgeRun<T>::cpu_process_rows() {
    context_.progress(0, "laying out the matrix for the CPU");
    const auto start = Clock::now();
    const auto process = make_cpu_golub_kahan(a_, context_.threads(), basis_bytes());
    ReportRow row = named("one process for all c", Device::cpu, true);
    row.more.emplace_back("layout_seconds", seconds_since(start));
    process_rows(*process, row);
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

template <class T>
void RidgeRun<T>::gpu_process_rows() {
    if (!context_.gpu()) {
        for (const bool certified : {true, false})
            if (certified ? settings_.certified : settings_.lsmr)
                context_.add_absent(named("one process for all c", Device::cuda, certified),
                                    context_.why_no_gpu());
        return;
    }
    context_.progress(0, "laying out the matrix for the GPU");
    context_.copy_gb_per_s(Device::cuda);  // with memory of its own
    CudaMemoryMeter meter(plan_.bytes);
    CudaStream stream;
    const auto start = Clock::now();
    const auto process =
        make_cuda_golub_kahan(a_, context_.threads(), stream, {plan_, most_steps_, basis_bytes()});
    ReportRow row = named(plan_.streams_matrix ? "one process, matrix streamed" : "one process for all c",
                          Device::cuda,
                          true);
    row.to_device_seconds = process->upload_seconds();
    row.more.emplace_back("layout_seconds", seconds_since(start) - process->upload_seconds());
    row.gpu_memory = GpuMemoryUse{double(plan_.bytes), 0};
    results_.clear();
    const std::size_t first = context_.report().rows.size();
    process_rows(*process, row);
    for (std::size_t i = first; i < context_.report().rows.size(); ++i)
        context_.report().rows[i].gpu_memory->actual = double(meter.peak_bytes());
}
#else
template <class T>
void RidgeRun<T>::plan_gpu() {}

template <class T>
void RidgeRun<T>::gpu_process_rows() {
    for (const bool certified : {true, false})
        if (certified ? settings_.certified : settings_.lsmr)
            context_.add_absent(named("one process for all c", Device::cuda, certified),
                                context_.why_no_gpu());
}
#endif

template class RidgeRun<float>;
template class RidgeRun<double>;

}  // namespace stencil
