// The example ridge: LSMR for all coefficients at once, beside it the dense normal equations; the solutions
// that they are held against; its tables, its curve and its file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/examples/ridge/dense_ridge.h"
#include "kernels/examples/ridge/lsmr.h"
#include "sim/examples/context.h"
#include "sim/examples/ridge/l_curve.h"
#include "sim/examples/ridge/problem.h"
#include "sim/files/npy.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil::ridge {
namespace {

constexpr DType kDtypes[] = {DType::float32};
constexpr double kDirectError = 1e-6;    // the most that a dense solution may be off by
constexpr double kWideOperations = 2e7;  // for the references: about a second
constexpr double kFailedBound = 1.5;     // times the tolerance: what rounding may add to a certificate
constexpr std::int64_t kSensibleOnCpu = 4000, kSensibleOnGpu = 20000;  // columns, for Cholesky

/// The result of LSMR.
struct PathResult {
    RidgePath path;
    std::vector<CurvePoint> checked;  ///< its points, by fresh products
};

nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json("unknown");
}

ReportTable table_of(const PathResult& result) {
    ReportTable table{"coefficients",
                      "Coefficients",
                      {"c",
                       "|A x - d|",
                       "|x|",
                       "iterations",
                       "ended by",
                       "bound on the error of x",
                       "|g| / (|A| |r| + c^2 |x|)",
                       "broadcast residual"},
                      {}};
    for (std::size_t i = 0; i < result.checked.size(); ++i) {
        const RidgePoint& point = result.path.points[i];
        const SolutionCheck& check = result.checked[i].check;
        table.rows.push_back({point.c,
                              number(check.residual),
                              number(check.solution),
                              point.iterations,
                              name_of(point.stop),
                              number(check.bound),
                              number(check.gradient_share),
                              number(check.broadcast)});
    }
    return table;
}

template <class T>
class RidgeRun {
  public:
    RidgeRun(ExampleContext& context,
             const RidgeSettings& settings,
             const SparseMatrix<T>& a,
             const RidgeProblem& problem)
        : context_(context),
          settings_(settings),
          a_(a),
          d_(problem.d),
          checker_(a, context.threads(), [&context] { context.pause(); }),
          most_steps_(5 * std::min(a.rows, a.columns)),
          references_(settings.coefficients.size()),
          best_(settings.coefficients.size()) {}

    void run() {
        find_references();
        std::vector<Variant> variants;
        if (settings_.cholesky)
            variants = {cholesky("dense Cholesky (OpenBLAS)", Device::cpu),
                        cholesky("dense Cholesky (cuSOLVER)", Device::cuda)};
        if (settings_.lsmr)
            for (const Device device : {Device::cpu, Device::cuda}) variants.push_back(lsmr(device));
        measure(context_,
                fmt::format("{} coefficients, error <= {:g}", best_.size(), settings_.tolerance),
                dtype_of<T>,
                variants);
        write_solutions();
        if (result_) report_results();
    }

  private:
    std::size_t columns() const { return std::size_t(a_.columns); }

    // Solutions of small problems that judge all others. One that need not be right to a tenth of the
    // tolerance is left empty.
    void find_references() {
        const double rows = double(a_.rows), n = double(a_.columns), count = double(references_.size());
        if (count * n * n * (rows / 2 + n / 6) > kWideOperations) return;
        context_.begin_part("the solutions to compare with");
        for (std::size_t i = 0; i < references_.size(); ++i) {
            context_.progress(double(i) / count);
            const double c = settings_.coefficients[i], share = checker_.frobenius() / c;
            if (1e-33 * n * share * share <= 0.1 * settings_.tolerance)
                references_[i] = wide_dense_ridge(a_, d_, c);
        }
    }
    bool known(std::size_t i) const { return !references_[i].empty(); }

    // The error of a solution, or a bound on it; the best one is kept.
    double error_of(std::size_t i, std::span<const double> x, const SolutionCheck& check) {
        double error = known(i) ? relative_error(x, references_[i]) : check.bound;
        if (std::isnan(error)) error = std::numeric_limits<double>::infinity();
        if (best_[i].x.empty() || error < best_[i].error) best_[i] = {{x.begin(), x.end()}, error};
        return error;
    }

    std::span<const double> part(const std::vector<double>& x, std::size_t i) const {
        return {x.data() + i * columns(), columns()};
    }

    std::string why_no_cholesky(Device device) const {
        const bool cpu = device == Device::cpu;
        if (!cpu && !context_.gpu()) return context_.why_no_gpu();
        if (settings_.coefficients.front() == 0) return "c = 0 need not have one solution";
        const std::int64_t sensible = cpu ? kSensibleOnCpu : kSensibleOnGpu;
        if (settings_.automatic && std::max(a_.columns, a_.rows / 4) > sensible)
            return fmt::format("more than {} columns take long (--methods cholesky does it)", sensible);
        const double bytes = dense_ridge_bytes(a_.rows, a_.columns);
        const double room = cpu ? 0.8 * double(query_host_memory().free_bytes) : context_.gpu_budget();
        if (bytes > room)
            return fmt::format("needs {}, of which {} are there", format_bytes(bytes), format_bytes(room));
        return "";
    }

    Variant cholesky(const char* name, Device device) {
        return {name,
                device,
                [this, device](ReportRow& row) {
                    if constexpr (STENCILSCOPE_HAS_CUDA)
                        if (device == Device::cuda) {
                            CudaStream stream;
                            return run_cholesky(make_cuda_dense_ridge(a_, stream), row);
                        }
                    run_cholesky(make_cpu_dense_ridge(a_, context_.thread_count()), row);
                },
                why_no_cholesky(device)};
    }

    Variant lsmr(Device device) {
        return {"LSMR, all c at once", device, [this, device](ReportRow& row) {
                    if constexpr (STENCILSCOPE_HAS_CUDA)
                        if (device == Device::cuda) return run_gpu_lsmr(row);
                    run_lsmr(*make_cpu_lsmr(a_, checker_.back(), best_.size(), context_.threads()), row);
                }};
    }

    void run_gpu_lsmr(ReportRow& row) {
        CudaStream stream;
        std::unique_ptr<LsmrVectors> vectors;
        row.to_device_seconds =
            seconds_of([&] { vectors = make_cuda_lsmr(a_, checker_.back(), best_.size(), stream); });
        run_lsmr(*vectors, row);
    }

    void run_lsmr(LsmrVectors& vectors, ReportRow& row) {
        const RidgeRule rule{settings_.tolerance, most_steps_};
        PathResult result;
        time_host(context_, row, [&] {
            result.path = solve_ridge_path(
                vectors, d_, settings_.coefficients, rule, [this](double done) { context_.progress(done); });
        });
        const auto steps = result.path.bidiagonal.steps();
        row.rates = {context_.memory_rate(row, double(steps + 1) * checker_.bytes_of_step())};
        row.more.emplace_back("steps", steps);
        context_.begin_part(row.name + ": its solutions' errors");
        check_path(result, row);
        result_ = std::move(result);
    }

    void check_path(PathResult& result, ReportRow& row) {
        double bound = 0;
        std::size_t right = 0;
        row.error = 0;
        for (std::size_t i = 0; i < result.path.points.size(); ++i) {
            context_.progress(double(i) / double(result.path.points.size()));
            const double c = result.path.points[i].c;
            const SolutionCheck check = checker_.check(part(result.path.x, i), d_, c);
            const double error = error_of(i, part(result.path.x, i), check);
            result.checked.push_back({c, check, error});
            const bool holds = error <= kFailedBound * settings_.tolerance;
            right += holds ? 1 : 0;
            if (c > 0) bound = std::max(bound, check.bound);
            if (c > 0 || known(i)) {
                row.error = std::max(row.error, error);
                row.unreached |= !holds;
            }
        }
        row.check = fmt::format(
            "error <= {:g} certified for {} of {}", settings_.tolerance, right, result.checked.size());
        row.inexact = row.unreached;
        row.more.emplace_back("error_bound", bound);
    }

    void run_cholesky(const DenseRidge& dense, ReportRow& row) {
        std::vector<double> right(columns(), 0.0);
        checker_.check(right, d_, 0);
        right = checker_.gradient();  // A^T d
        std::vector<double> plain;
        const double values = double(columns() * settings_.coefficients.size());
        dense.form();
        for (const double c : settings_.coefficients)
            if (!dense.factor(c)) {
                row.why_not = fmt::format("A^T A + {:g}^2 I is not positive definite in float64", c);
                return;
            }
        context_.begin_part(row.name);
        time_host(context_, row, [&] {
            plain.clear();
            dense.form();
            for (const double c : settings_.coefficients) {
                context_.progress(double(plain.size()) / values);
                dense.factor(c);
                std::ranges::copy(dense.apply(right), std::back_inserter(plain));
            }
        });
        row.error = 0;
        for (std::size_t i = 0; i < references_.size(); ++i) {
            const SolutionCheck check = checker_.check(part(plain, i), d_, settings_.coefficients[i]);
            row.error = std::max(row.error, error_of(i, part(plain, i), check));
        }
        row.inexact = row.unreached = !(row.error <= std::max(kDirectError, settings_.tolerance));
        row.check = "plain normal equations";
        const double n = double(a_.columns);
        const double flops = double(a_.rows) * n * n + double(settings_.coefficients.size()) * n * n * n / 3;
        row.rates = {context_.float64_rate(row, flops)};
    }

    // The best that is known of each.
    void write_solutions() {
        const std::string& folder = context_.request().out;
        Report& report = context_.report();
        if (folder.empty()) return;
        if (best_.front().x.empty()) {
            report.notes.emplace_back("No method came to solutions: there is no solutions.npy.");
            return;
        }
        std::vector<double> all;
        for (std::size_t i = 0; i < best_.size(); ++i)
            std::ranges::copy(known(i) ? references_[i] : best_[i].x, std::back_inserter(all));
        const std::filesystem::path path = std::filesystem::path(folder) / "solutions.npy";
        write_npy_array(path, {{std::int64_t(best_.size()), a_.columns}, std::move(all)});
        report.files.push_back(path.string());
    }

    void report_results() {
        Report& report = context_.report();
        report.tables.push_back(table_of(*result_));
        report.curves.push_back(l_curve(result_->path.bidiagonal, result_->checked));
        report.notes.push_back(
            "The dashed line is what a broadcasting mistake makes of the residual, as tutorials in NumPy "
            "have it: A x of shape (n,) less d of shape (n, 1) becomes an n x n matrix of all differences, "
            "and its norm is far above |A x - d| and not even monotone.");
        report.notes.push_back(
            "The bound on the error of x is |A^T (d - A x) - c^2 x| / (c^2 |x|), from fresh products in long "
            "double and with their rounding. An error is told against a more accurate solution where there "
            "is one, and is the bound elsewhere.");
    }

    ExampleContext& context_;
    const RidgeSettings& settings_;
    const SparseMatrix<T>& a_;
    const std::vector<double>& d_;
    SolutionChecker<T> checker_;
    std::int64_t most_steps_;
    struct Solution {
        std::vector<double> x;
        double error = 0;
    };
    std::vector<std::vector<double>> references_;  // by coefficient
    std::vector<Solution> best_;                   // of those that were computed
    std::optional<PathResult> result_;             // of the last device
};

void check(const ExampleRequest& request) {
    read_ridge_settings(request.options);
}

void run(ExampleContext& context) {
    for (const DType dtype : context.request().dtypes()) {
        context.begin_part(context.options().given("matrix") ? "reading the matrix" : "drawing the matrix");
        const RidgeProblem problem =
            make_ridge_problem(context.options(), dtype == DType::float32, [&] { context.pause(); });
        const RidgeSettings settings = read_ridge_settings(context.options());
        for (const std::string& note : problem.notes) context.report().notes.push_back(note);
        std::visit(
            [&]<class T>(const SparseMatrix<T>& a) { RidgeRun<T>(context, settings, a, problem).run(); },
            problem.a);
    }
}

}  // namespace

const Example kRidgeExample = {
    "ridge",
    "min |A x - d|^2 + c^2 |x|^2 with a sparse matrix for many c: the L-curve by LSMR",
    "LSMR solves for all c at once, because its products with the matrix do not depend on c, and ends once "
    "the error of every x is bounded. Vectors and sums are float64 whatever the precision of the matrix. "
    "Usual code runs LSMR for each c on the stacked system [A; c I], whose stopping rule leaves x wrong by "
    "some percent at small c, and often plots a residual that is wrong by a broadcasting mistake, which the "
    "plot shows.",
    ridge_options(),
    kDtypes,
    check,
    run};

}  // namespace stencil::ridge
