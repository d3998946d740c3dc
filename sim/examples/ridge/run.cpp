// The rows of the ridge example: the one process that serves all coefficients, and beside it the dense normal
// equations, which are the truth too.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/examples/ridge/dense_ridge.h"
#include "kernels/examples/ridge/golub_kahan/cuda_golub_kahan.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/examples/ridge/run.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil::ridge {
namespace {

constexpr int kRefinements = 2;
constexpr const char* kLimits = "the machine's limits";
constexpr double kFailedBound = 1.5;  // times the tolerance: what rounding may add to a certificate
[[maybe_unused]] constexpr double kBlasWorkspace = 32 << 20;  // bytes

// Of host memory, for V.
std::size_t basis_bytes() {
    return std::size_t(double(query_host_memory().free_bytes) * 0.5);
}

double difference(double value, double right) {
    return right > 0 ? std::abs(value - right) / right : value;
}

template <class T>
class RidgeRun {
  public:
    RidgeRun(const RidgeTask& task, const SparseMatrix<T>& a, const std::vector<double>& d)
        : task_(task),
          request_(task.request),
          context_(task.context),
          settings_(task.settings),
          a_(a),
          d_(d),
          checker_(a, task.context.threads(), [&task] { task.context.pause(); }),
          most_steps_(5 * std::min(a.rows, a.columns)) {}

    RidgeResults run() {
        plan_gpu();
        if (settings_.cholesky) cholesky_rows();
        if (settings_.process) process_rows();
        return {std::move(results_), std::move(truth_), a_.columns, checker_.frobenius()};
    }

  private:
    std::size_t columns() const { return std::size_t(a_.columns); }

    RidgeRule rule(bool certified) const {
        RidgeRule rule;
        rule.certified = certified;
        rule.tolerance = settings_.tolerance;
        rule.most_steps = most_steps_;
        // Without c there is no certificate: then at least LSMR's own tests are strict.
        if (certified) rule.lsmr = {1e-4 * settings_.tolerance, 1e-4 * settings_.tolerance, 0};
        return rule;
    }

    std::string work(bool certified) const {
        const std::size_t count = settings_.coefficients.size();
        return certified ? fmt::format("{} coefficients, error <= {:g}", count, settings_.tolerance)
                         : fmt::format("{} coefficients, LSMR's stopping rule", count);
    }

    ReportRow named(const std::string& name, Device device) const {
        return {.work = work(true), .name = name, .backend = device, .dtype = dtype_of<T>};
    }

    void add_path_row(ReportRow row, PathResult result) {
        const std::string doing = row.name + ": its solutions' errors";
        context_.begin_part(doing);
        double bound = 0, norms = 0;
        std::size_t bounded = 0, certified = 0;
        for (std::size_t i = 0; i < result.points.size(); ++i) {
            context_.progress(double(i) / double(result.points.size()), doing);
            const RidgePoint& point = result.points[i];
            const SolutionCheck check =
                checker_.check({result.x.data() + i * columns(), columns()}, d_, point.c);
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

    void process_row(GolubKahan& process, ReportRow row, bool certified) {
        PathResult result;
        result.certified = certified;
        context_.begin_part(row.name + ": " + row.work);
        process.on_pause([this] { context_.pause(); });
        time_host(context_, request_.repeats, [&] {
            result.points =
                solve_ridge_path(process, d_, settings_.coefficients, rule(certified), [&](double done) {
                    context_.progress(done, fmt::format("{}: {}", row.name, row.work));
                });
            std::vector<ProjectedSolution> solutions;
            for (const RidgePoint& point : result.points) solutions.push_back(point.projected);
            result.x = process.combine(solutions);
        }).fill(row);
        result.bidiagonal = process.bidiagonal();
        context_.begin_part(kLimits);
        row.rates = {
            context_.memory_rate(row, double(result.bidiagonal.steps() + 1) * checker_.bytes_of_step())};
        add_path_row(std::move(row), std::move(result));
    }

    void plan_gpu() {
#if STENCILSCOPE_HAS_CUDA
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
#endif
    }

    // For each rule the CPU's row and the GPU's.
    void process_rows() {
#if STENCILSCOPE_HAS_CUDA
        // They outlive the process that uses them.
        std::optional<CudaMemoryMeter> meter;
        std::optional<CudaStream> stream;
#endif
        std::unique_ptr<GolubKahan> cpu, gpu;
        std::string why_no_gpu = context_.why_no_gpu();
        ReportRow cpu_row = named("one process for all c", Device::cpu);
        ReportRow gpu_row = named("one process for all c", Device::cuda);
        if (request_.on_cpu()) {
            context_.begin_part("laying out the matrix for the CPU");
            const double seconds =
                seconds_of([&] { cpu = make_cpu_golub_kahan(a_, context_.threads(), basis_bytes()); });
            cpu_row.more.emplace_back("layout_seconds", seconds);
        }
#if STENCILSCOPE_HAS_CUDA
        if (context_.gpu()) {
            context_.begin_part("laying out the matrix for the GPU");
            meter.emplace(plan_.bytes);
            why_no_gpu = context_.why_failed([&] {
                const double seconds = seconds_of([&] {
                    gpu = make_cuda_golub_kahan(
                        a_, context_.threads(), stream.emplace(), {plan_, most_steps_, basis_bytes()});
                });
                gpu_row.to_device_seconds = gpu->upload_seconds();
                gpu_row.more.emplace_back("layout_seconds", seconds - gpu->upload_seconds());
                gpu_row.gpu_memory = GpuMemoryUse{double(plan_.bytes), 0};
            });
        }
#endif
        for (const bool certified : {true, false}) {
            if (!(certified ? settings_.certified : settings_.lsmr)) continue;
            cpu_row.work = gpu_row.work = work(certified);
            const auto add = [&](GolubKahan& process, const ReportRow& row) {
                context_.try_row(
                    row, [&](ReportRow measured) { process_row(process, std::move(measured), certified); });
            };
            if (cpu) add(*cpu, cpu_row);
            if (gpu)
                add(*gpu, gpu_row);
            else
                context_.add_absent(gpu_row, why_no_gpu);
        }
    }

    // The factor's error is that of A^T A; gradients of fresh products take it away.
    std::vector<double> refined(DenseRidge& dense, double c) {
        std::vector<double> x(columns(), 0.0);
        for (int round = 0; round <= kRefinements; ++round) {
            checker_.check(x, d_, c);
            const std::vector<double> step = dense.apply(checker_.gradient());
            for (std::size_t j = 0; j < x.size(); ++j) x[j] += step[j];
        }
        return x;
    }

    void cholesky_row(DenseRidge& dense, ReportRow row) {
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
        time_host(context_, request_.repeats, [&] {
            plain.clear();
            dense.form();
            for (const double c : settings_.coefficients) {
                context_.progress(double(plain.size()) / double(columns() * settings_.coefficients.size()),
                                  row.name);
                dense.factor(c);
                std::ranges::copy(dense.apply(right), std::back_inserter(plain));
            }
        }).fill(row);
        context_.begin_part(kLimits);
        truth_ = std::move(truth);
        row.error = largest_error(plain, truth_, a_.columns);
        row.check = "refined, it is the truth";
        const double n = double(a_.columns);
        const double flops = double(a_.rows) * n * n + double(settings_.coefficients.size()) * n * n * n / 3;
        const double tensor = row.backend == Device::cuda ? context_.tensor_tflops(TensorKind::float64) : 0;
        if (tensor > 0)
            row.rates = {{flops / row.seconds / 1e12,
                          "TFLOP/s",
                          tensor,
                          "float64 tensor cores, computed from clock and units"}};
        else
            row.rates = {context_.arithmetic_rate(row, flops, DType::float64)};
        context_.add(std::move(row));
    }

    void cholesky_rows() {
        const RidgeSize size = size_of(a_);
        if (request_.on_cpu()) {
            ReportRow row = named("dense Cholesky (OpenBLAS)", Device::cpu);
            const std::string why_not = why_no_cholesky(size, task_, Device::cpu);
            if (why_not.empty())
                context_.try_row(row, [&](ReportRow measured) {
                    cholesky_row(*make_cpu_dense_ridge(a_, context_.thread_count()), std::move(measured));
                });
            else
                context_.add_absent(std::move(row), why_not);
        }
        ReportRow row = named("dense Cholesky (cuSOLVER)", Device::cuda);
        const std::string why_not = why_no_cholesky(size, task_, Device::cuda);
        if (!why_not.empty()) return context_.add_absent(std::move(row), why_not);
#if STENCILSCOPE_HAS_CUDA
        const CudaMemoryMeter meter(std::size_t(context_.gpu_budget()));
        CudaStream stream;
        const double matrix = double(a_.nonzeros()) * double(sizeof(T) + 4) + 8.0 * double(a_.rows);
        const double scratch = 128.0 * double(a_.columns) + 4096;  // of cuSOLVER
        context_.try_row(row, [&](ReportRow measured) {
            measured.gpu_memory =
                GpuMemoryUse{dense_ridge_bytes(a_.rows, a_.columns) + matrix + scratch + kBlasWorkspace, 0};
            cholesky_row(*make_cuda_dense_ridge(a_, stream), std::move(measured));
        });
#endif
    }

    const RidgeTask& task_;
    const ExampleRequest& request_;
    ExampleContext& context_;
    const RidgeSettings& settings_;
    const SparseMatrix<T>& a_;
    const std::vector<double>& d_;
    SolutionChecker<T> checker_;
    std::int64_t most_steps_;
    CudaRidgePlan plan_;
    std::vector<double> truth_;        // coefficients x columns; empty: not known
    std::vector<PathResult> results_;  // one for each rule, of the last device
};

}  // namespace

RidgeResults run_ridge(const RidgeTask& task, const RidgeProblem& problem) {
    return std::visit(
        [&]<class T>(const SparseMatrix<T>& a) { return RidgeRun<T>(task, a, problem.d).run(); }, problem.a);
}

}  // namespace stencil::ridge
