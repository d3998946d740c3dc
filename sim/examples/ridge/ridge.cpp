// The example ridge: LSMR for all coefficients at once, beside it the dense normal equations; the solutions
// that they are held against; its tables, its curve and its file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/examples/ridge/dense_ridge.h"
#include "kernels/examples/ridge/dense_svd.h"
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
constexpr double kWideOperations = 4e7, kSvdOperations = 2e10;  // seconds for a reference; for the SVD
constexpr double kAim = 0.98;  // of the tolerance, for LSMR: rounding may add to its certificate
constexpr std::int64_t kSensibleOnCpu = 4000, kSensibleOnGpu = 20000;  // columns, for Cholesky
constexpr double kInfinity = std::numeric_limits<double>::infinity();

nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json("unknown");
}

std::string list_of(const std::vector<double>& coefficients) {
    std::string text;
    for (const double c : coefficients) text += fmt::format("{}{:.3g}", text.empty() ? "" : ", ", c);
    return text;
}

/// A coefficient in the units of the scaled matrix, and what its scaled solution is to be multiplied by.
struct ScaledCoefficient {
    double c = 0;
    long double factor = 1;
};

// Beyond the bounds A^T A no longer counts beside c^2, or c^2 beside A^T A, so that x is known from the
// bound.
ScaledCoefficient scaled(double c, const RidgeProblem& problem) {
    constexpr long double kLeast = 0x1p-500L, kMost = 0x1p200L;
    const int exponent = problem.data_exponent - problem.matrix_exponent;
    if (c == 0) return {0, std::ldexp(1.0L, exponent)};
    const long double exact = std::ldexp((long double)(c), -problem.matrix_exponent);
    const long double used = std::clamp(exact, kLeast, kMost), share = std::min(1.0L, used / exact);
    return {double(used), std::ldexp(share * share, exponent)};
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
          problem_(problem),
          d_(problem.d),
          checker_(a, context.threads(), [&context] { context.pause(); }),
          most_steps_(5 * std::min(a.rows, a.columns)) {
        for (const double c : settings.coefficients) c_.push_back(scaled(c, problem));
        best_.resize(c_.size());
        references_.resize(c_.size());
        for (std::size_t i = 0; i < c_.size(); ++i) all_.push_back(i);
    }

    void run() {
        find_references();
        std::vector<Variant> variants;
        if (settings_.cholesky)
            variants = {cholesky("dense Cholesky (OpenBLAS)", Device::cpu),
                        cholesky("dense Cholesky (cuSOLVER)", Device::cuda)};
        if (settings_.lsmr)
            for (const Device device : {Device::cpu, Device::cuda})
                variants.push_back({"LSMR, all c at once", device, [this, device](ReportRow& row) {
                                        on_device(device, row, a_, checker_.back(), c_.size(), [&](auto& v) {
                                            run_lsmr(v, row);
                                        });
                                    }});
        measure_all(variants);
        // Slower methods solve for the coefficients that are not certified yet.
        const bool all_svd = settings_.svd && !settings_.automatic;
        if (all_svd || (settings_.svd && !uncertified().empty() && !wide_))
            measure_all({{"dense SVD", Device::cpu, [this](ReportRow& row) { run_svd(row); }, why_no_svd()}});
        if (settings_.lsmr && !uncertified().empty()) {
            for (Variant& variant : variants = {{}, {}}) variant.name = "LSMR, columns scaled, each c";
            for (const Device device : {Device::cpu, Device::cuda}) {
                Variant& variant = variants[device == Device::cpu ? 0 : 1];
                variant.device = device;
                variant.run = [this, device](ReportRow& row) { run_scaled_lsmr(device, row); };
            }
            measure_all(variants);
        }
        finish();
    }

  private:
    using Indices = std::vector<std::size_t>;  // of coefficients

    std::size_t columns() const { return std::size_t(a_.columns); }
    bool known(std::size_t i) const { return !references_[i].empty(); }

    void measure_all(const std::vector<Variant>& variants) {
        const std::string work =
            fmt::format("{} coefficients, error <= {:g}", c_.size(), settings_.tolerance);
        measure(context_, work, dtype_of<T>, variants);
    }

    Indices uncertified() const {
        Indices left;
        for (const std::size_t i : all_)
            if (!(best_[i].error <= settings_.tolerance)) left.push_back(i);
        return left;
    }

    double svd_operations() const {
        const double m = double(a_.rows), n = double(a_.columns), least = std::min(m, n);
        return least * (2 * m * n + 20 * least * least);
    }

    // Refines the solutions of singular values; x (all of them) in float64, and their estimated errors.
    template <class Real>
    std::vector<double> refined(const DenseSvd<Real>& svd, std::vector<double>& estimates) {
        std::vector<double> all;
        estimates.clear();
        for (const auto& [c, factor] : c_) {
            context_.progress(double(estimates.size()) / double(c_.size()));
            std::vector<Wide> x = svd.solve(c);
            const double error = refine_with(x, c, [&, c = c](auto g) { return svd.apply_inverse(g, c); });
            estimates.push_back(svd.has_clear_rank(c) ? error : kInfinity);
            all.insert(all.end(), x.begin(), x.end());
        }
        return all;
    }

    double refine_with(std::vector<Wide>& x, double c, const VectorMap& inverse) {
        constexpr double kRounded = 0x1p-53;
        return kRounded + refine(
                              x, [&](auto x_now) { return checker_.gradient(x_now, d_, c); }, inverse);
    }

    // Solutions of small problems that judge all others. One that need not be right to a tenth of the
    // tolerance is left empty.
    void find_references() {
        if (svd_operations() > kWideOperations) return;
        context_.begin_part("the solutions to compare with");
        wide_.emplace(a_, d_, context_.threads(), [this] { context_.pause(); });
        std::vector<double> estimates;
        const std::vector<double> all = refined(*wide_, estimates);
        for (const std::size_t i : all_) {
            if (!(estimates[i] <= 0.1 * settings_.tolerance)) continue;
            const auto x = part(all, i);
            best_[i] = {{x.begin(), x.end()}, checker_.check(x, d_, c_[i].c), estimates[i], "113-bit SVD"};
            references_[i] = best_[i].x;
        }
        const std::size_t rank = wide_->rank(c_.front().c), most = std::min(columns(), d_.size());
        if (rank < most)
            context_.report().notes.push_back(fmt::format(
                "The matrix has the rank {}, with 113 bits; x has no part in what it maps to 0.", rank));
    }

    std::span<const double> part(const std::vector<double>& x, std::size_t i) const {
        return {x.data() + i * columns(), columns()};
    }

    // The errors of a row's solutions, known or bounded; the best ones are kept.
    std::vector<double> judge(ReportRow& row,
                              const Indices& which,
                              const std::vector<double>& all,
                              const std::vector<double>& estimates = {}) {
        std::vector<double> errors;
        std::size_t right = 0;
        row.error = 0;
        for (std::size_t k = 0; k < which.size(); ++k) {
            context_.progress(double(k) / double(which.size()));
            const std::size_t i = which[k];
            const auto x = part(all, k);
            const SolutionCheck check = checker_.check(x, d_, c_[i].c);
            double error = known(i)            ? relative_error(x, references_[i])
                           : estimates.empty() ? check.bound
                                               : std::min(check.bound, estimates[k]);
            if (std::isnan(error)) error = kInfinity;
            if (!known(i) && (best_[i].x.empty() || error < best_[i].error))
                best_[i] = {{x.begin(), x.end()}, check, error, row.name};
            right += error <= settings_.tolerance ? 1 : 0;
            row.error = std::max(row.error, error);
            errors.push_back(error);
        }
        row.check =
            fmt::format("error <= {:g} certified for {} of {}", settings_.tolerance, right, which.size());
        row.inexact = row.unreached = right < which.size();
        return errors;
    }

    std::string why_too_large(double bytes, double room) const {
        if (bytes <= room) return "";
        return fmt::format("needs {}, of which {} are there", format_bytes(bytes), format_bytes(room));
    }

    std::string why_no_cholesky(Device device) const {
        const bool cpu = device == Device::cpu;
        if (!cpu && !context_.gpu()) return context_.why_no_gpu();
        if (settings_.coefficients.front() == 0) return "c = 0 need not have one solution";
        const std::int64_t sensible = cpu ? kSensibleOnCpu : kSensibleOnGpu;
        if (settings_.automatic && std::max(a_.columns, a_.rows / 4) > sensible)
            return fmt::format("more than {} columns take long (--methods cholesky does it)", sensible);
        return why_too_large(dense_ridge_bytes(a_.rows, a_.columns),
                             cpu ? 0.8 * double(query_host_memory().free_bytes) : context_.gpu_budget());
    }

    std::string why_no_svd() const {
        if (settings_.automatic && svd_operations() > kSvdOperations)
            return "takes long for a matrix of this size (--methods svd does it)";
        const double n = double(a_.columns), m = double(a_.rows);
        return why_too_large(8 * n * (m + std::min(m, n)), 0.8 * double(query_host_memory().free_bytes));
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

    // solve(LsmrVectors&) with those of the device; `back` is the transposed matrix.
    template <class V>
    void on_device(Device device,
                   ReportRow& row,
                   const SparseMatrix<V>& a,
                   const SparseMatrix<V>& back,
                   std::size_t solutions,
                   const auto& solve) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (device == Device::cuda) {
                CudaStream stream;
                std::unique_ptr<LsmrVectors> vectors;
                row.to_device_seconds =
                    seconds_of([&] { vectors = make_cuda_lsmr(a, back, solutions, stream); });
                return solve(*vectors);
            }
        solve(*make_cpu_lsmr(a, back, solutions, context_.threads()));
    }

    RidgePath lsmr_path(LsmrVectors& vectors, std::span<const double> d, std::span<const double> c) {
        return solve_ridge_path(
            vectors, d, c, {kAim * settings_.tolerance, most_steps_}, [this](double done) {
                context_.progress(done);
            });
    }

    void run_lsmr(LsmrVectors& vectors, ReportRow& row) {
        std::vector<double> c;
        for (const ScaledCoefficient& one : c_) c.push_back(one.c);
        RidgePath path;
        time_host(context_, row, [&] { path = lsmr_path(vectors, d_, c); });
        const auto steps = path.bidiagonal.steps();
        row.rates = {context_.memory_rate(row, double(steps + 1) * checker_.bytes_of_step())};
        row.more.emplace_back("steps", steps);
        context_.begin_part(row.name + ": its solutions' errors");
        path_errors_ = judge(row, all_, path.x);
        path_ = std::move(path);
    }

    // On the stacked matrix [A; c I] with columns of about length 1, which has other products for each c.
    void run_scaled_lsmr(Device device, ReportRow& row) {
        const Indices which = uncertified();
        std::vector<double> all;
        std::int64_t steps = 0;
        time_host(context_, row, [&] {
            all.clear();
            for (const std::size_t i : which) {
                const double c = c_[i].c;
                std::vector<double> factor(columns(), c * c), d = d_;
                SparseMatrix<double> a{a_.rows + a_.columns, a_.columns, a_.start, a_.column, {}};
                for (std::size_t k = 0; k < a_.value.size(); ++k)
                    factor[a_.column[k]] += double(a_.value[k]) * double(a_.value[k]);
                for (double& value : factor) value = value > 0 ? std::ldexp(1.0, -std::ilogb(value) / 2) : 1;
                for (std::size_t k = 0; k < a_.value.size(); ++k)
                    a.value.push_back(double(a_.value[k]) * factor[a_.column[k]]);
                for (std::size_t j = 0; j < columns(); ++j) {
                    a.column.push_back(std::uint32_t(j));
                    a.value.push_back(c * factor[j]);
                    a.start.push_back(a.nonzeros());
                }
                d.resize(std::size_t(a.rows), 0.0);
                on_device(device, row, a, transposed(a), 1, [&](LsmrVectors& vectors) {
                    const RidgePath path = lsmr_path(vectors, d, std::array{0.0});
                    steps = std::max(steps, path.bidiagonal.steps());
                    for (std::size_t j = 0; j < columns(); ++j) all.push_back(factor[j] * path.x[j]);
                });
            }
        });
        row.more.emplace_back("steps", steps);
        judge(row, which, all);
    }

    void run_svd(ReportRow& row) {
        std::vector<double> all, estimates;
        time_host(context_, row, [&] {
            svd_.emplace(a_, d_, context_.threads(), [this] { context_.pause(); });
            all = refined(*svd_, estimates);
        });
        judge(row, all_, all, estimates);
    }

    // |(D^-1 H D^-1)^-1| from below, where H is A^T A + c^2 I and D^2 its diagonal: the power method.
    double inverse_norm(const DenseRidge& dense, double c) const {
        std::vector<double> length(columns(), c * c), v(columns());
        for (std::size_t k = 0; k < a_.value.size(); ++k)
            length[a_.column[k]] += double(a_.value[k]) * double(a_.value[k]);
        for (double& value : length) value = std::sqrt(value);
        for (std::size_t j = 0; j < columns(); ++j) v[j] = 1 + double(j * j % 7);
        double norm = 0;
        for (int step = 0; step < 6; ++step) {
            const double before = length_of(v);
            for (std::size_t j = 0; j < columns(); ++j) v[j] *= length[j] / before;
            v = dense.apply(v);
            for (std::size_t j = 0; j < columns(); ++j) v[j] *= length[j];
            norm = length_of(v);
        }
        return norm;
    }

    // A solution is refined where its bound is not enough; in float64 the factors allow that up to a
    // condition.
    void run_cholesky(const DenseRidge& dense, ReportRow& row) {
        constexpr double kMostInverse = 1e11;
        std::vector<double> right(columns()), all, estimates;
        multiply(checker_.back(), d_.data(), right.data(), context_.threads());
        std::vector<char> refines;
        dense.form();
        for (const auto& [c, factor] : c_) {
            if (!dense.factor(c)) {
                row.why_not = fmt::format("A^T A + {:g}^2 I is not positive definite in float64", c);
                return;
            }
            const bool enough = checker_.check(dense.apply(right), d_, c).bound <= 0.1 * settings_.tolerance;
            refines.push_back(!enough && inverse_norm(dense, c) * double(columns()) < kMostInverse);
        }
        context_.begin_part(row.name);
        time_host(context_, row, [&] {
            all.clear();
            estimates.clear();
            dense.form();
            for (const auto& [c, factor] : c_) {
                context_.progress(double(estimates.size()) / double(c_.size()));
                dense.factor(c);
                const std::vector<double> plain = dense.apply(right);
                estimates.push_back(kInfinity);
                if (refines[estimates.size() - 1] == 0) {
                    all.insert(all.end(), plain.begin(), plain.end());
                    continue;
                }
                std::vector<Wide> x(plain.begin(), plain.end());
                estimates.back() = refine_with(x, c, [&](auto g) {
                    const std::vector<double> change = dense.apply(std::vector<double>(g.begin(), g.end()));
                    return std::vector<Wide>(change.begin(), change.end());
                });
                all.insert(all.end(), x.begin(), x.end());
            }
        });
        judge(row, all_, all, estimates);
        const double n = double(a_.columns);
        const double flops = double(a_.rows) * n * n + double(c_.size()) * n * n * n / 3;
        row.rates = {context_.float64_rate(row, flops)};
    }

    // --- Results in the units of the files

    CurvePoint shown(std::size_t i) const {
        const Solution& best = best_[i];
        const auto data = [&](double value) {
            return double(std::ldexp((long double)(value), problem_.data_exponent));
        };
        return {settings_.coefficients[i],
                data(best.check.residual),
                double(best.check.solution * c_[i].factor),
                data(best.check.broadcast),
                best.error};
    }

    NormsAt norms() const {
        return [this](double c) {
            const ScaledCoefficient at = scaled(c, problem_);
            Bidiagonal::Norms norms = wide_  ? wide_->norms_at(at.c)
                                      : svd_ ? svd_->norms_at(at.c)
                                             : path_->bidiagonal.norms_at(at.c);
            norms.residual = double(std::ldexp((long double)(norms.residual), problem_.data_exponent));
            norms.solution = double(norms.solution * at.factor);
            return norms;
        };
    }

    void finish() {
        Report& report = context_.report();
        if (best_.front().x.empty()) {
            report.notes.emplace_back("No method came to solutions: there is no solutions.npy.");
            report.shortfall = "no method came to solutions";
            return;
        }
        write_solutions();
        report_table();
        std::vector<double> short_of;
        double worst = 0;
        for (const std::size_t i : uncertified()) {
            short_of.push_back(settings_.coefficients[i]);
            worst = std::max(worst, best_[i].error);
        }
        if (!short_of.empty())
            report.shortfall =
                fmt::format("c = {}: x is not known to have an error of at most {:g}; its bound is {}",
                            list_of(short_of),
                            settings_.tolerance,
                            std::isfinite(worst) ? fmt::format("{:.1e}", worst) : "unknown");
        report.notes.push_back(
            "The error of x is bounded by |A^T (d - A x) - c^2 x| / (c^2 |x|), from fresh products in long "
            "double and "
            "with their rounding; dense methods estimate it by the last step of iterative refinement. Small "
            "problems are held against solutions in 113 bits.");
    }

    // The best of each; one that leaves the range of float64 counts as unknown.
    void write_solutions() {
        std::vector<double> all;
        for (const std::size_t i : all_) {
            constexpr double kLeast = 1e-290;
            double largest = 0;
            for (const double value : best_[i].x) {
                all.push_back(double(value * c_[i].factor));
                largest = std::max(largest, std::abs(all.back()));
            }
            if (!(largest <= std::numeric_limits<double>::max()) ||
                (largest < kLeast && best_[i].check.solution > 0))
                best_[i].error = kInfinity;
        }
        const std::string& folder = context_.request().out;
        if (folder.empty()) return;
        const std::filesystem::path path = std::filesystem::path(folder) / "solutions.npy";
        write_npy_array(path, {{std::int64_t(c_.size()), a_.columns}, std::move(all)});
        context_.report().files.push_back(path.string());
    }

    void report_table() {
        ReportTable table{"coefficients",
                          "Coefficients",
                          {"c",
                           "|A x - d|",
                           "|x|",
                           "best x by",
                           "its error",
                           "LSMR's iterations",
                           "ended by",
                           "|g| / (|A| |r| + c^2 |x|)",
                           "broadcast residual"},
                          {}};
        std::vector<CurvePoint> points;
        for (const std::size_t i : all_) {
            const CurvePoint& point = points.emplace_back(shown(i));
            const RidgePoint* const lsmr = path_ ? &path_->points[i] : nullptr;
            table.rows.push_back({point.c,
                                  number(point.residual),
                                  number(point.solution),
                                  best_[i].by,
                                  number(point.error),
                                  lsmr ? nlohmann::ordered_json(lsmr->iterations) : nlohmann::ordered_json(),
                                  lsmr ? name_of(lsmr->stop) : "",
                                  number(best_[i].check.gradient_share),
                                  number(point.broadcast)});
        }
        Report& report = context_.report();
        report.tables.push_back(std::move(table));
        if (!wide_ && !svd_ && !path_) return;
        // The bidiagonal matrix tells the norms of what LSMR solved, and of larger c.
        const bool exact = wide_ || svd_;
        std::vector<CurvePoint> on_line = points;
        for (std::size_t i = 0; i < points.size() && !exact; ++i) on_line[i].error = path_errors_[i];
        const auto [low, high] = range_of(on_line);
        const double corner = corner_of(norms(), low, high);
        report.curves.push_back(l_curve(norms(), points, {low, high}, corner));
        if ((corner > 0 && corner < low && exact) || corner > high)
            report.notes.push_back(fmt::format(
                "The corner of the L-curve, c = {:.2g}, lies outside of the given coefficients.", corner));
        report.notes.push_back(
            "The dashed line is what a broadcasting mistake makes of the residual, as tutorials in NumPy "
            "have it: A x of shape (n,) less d of shape (n, 1) becomes an n x n matrix of all differences, "
            "and its norm is far above |A x - d| and not even monotone.");
    }

    struct Solution {
        std::vector<double> x;
        SolutionCheck check;
        double error = kInfinity;
        std::string by;
    };

    ExampleContext& context_;
    const RidgeSettings& settings_;
    const SparseMatrix<T>& a_;
    const RidgeProblem& problem_;
    const std::vector<double>& d_;
    SolutionChecker<T> checker_;
    std::int64_t most_steps_;
    std::vector<ScaledCoefficient> c_;
    Indices all_;
    std::vector<std::vector<double>> references_;  // by coefficient
    std::vector<Solution> best_;                   // of those that were computed
    std::optional<DenseSvd<Wide>> wide_;
    std::optional<DenseSvd<double>> svd_;
    std::optional<RidgePath> path_;  // of the last device
    std::vector<double> path_errors_;
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
