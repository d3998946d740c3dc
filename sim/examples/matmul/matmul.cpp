// The example matmul: its options and rows, on the CPU and the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <type_traits>

#include "kernels/cpu/gemm.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "kernels/field/divide.h"
#include "sim/examples/arrays/arrays.h"
#include "sim/examples/matmul/matmul.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil::matmul {
namespace {

constexpr double kProducts = 1e9;  // of the rows of C, about: a second on two cores
constexpr std::int64_t kMaxRows = 64;

std::vector<std::int64_t> some_rows(const MatmulShape& s) {
    const auto affordable = std::int64_t(kProducts / (double(s.k) * double(s.n)));
    const std::int64_t count = std::min(s.m, std::clamp<std::int64_t>(affordable, 2, kMaxRows));
    std::vector<std::int64_t> rows;
    for (std::int64_t i = 0; i < count; ++i) rows.push_back(count > 1 ? i * (s.m - 1) / (count - 1) : 0);
    return rows;
}

// A vector of length k, and the sizes of what it was added up from.
template <class X>
struct Factor {
    std::vector<X> x, sizes;
};

// sum over k of x_k b_kj, for all j; and of the sizes.
struct Sums {
    double* exact;
    double* of_size;
};

// Four columns at a time stay in the processor's registers.
template <class X, class T>
void add_products(const Factor<X>& factor, const T* b, const MatmulShape& s, std::int64_t column, Sums out) {
    constexpr std::int64_t kColumns = 4;
    const std::int64_t count = std::min(kColumns, s.n - column);
    long double exact[kColumns] = {};
    double of_size[kColumns] = {};
    const auto add = [&](auto columns) {
        const T* row = b + column;
        for (std::int64_t k = 0; k < s.k; ++k, row += s.n)
            for (std::int64_t j = 0; j < columns; ++j) {
                exact[j] += static_cast<long double>(factor.x[k]) * row[j];
                of_size[j] += double(factor.sizes[k]) * std::abs(double(row[j]));
            }
    };
    if (count == kColumns)
        add(std::integral_constant<std::int64_t, kColumns>());
    else
        add(count);
    for (std::int64_t j = 0; j < count; ++j) {
        out.exact[column + j] = double(exact[j]);
        out.of_size[column + j] = of_size[j];
    }
}

// Vectors of length k, one or more, times B.
template <class X, class T>
void multiply(
    const std::vector<Factor<X>>& factors, const T* b, const MatmulShape& s, ThreadPool& threads, Sums out) {
    constexpr std::int64_t kStrip = 16;  // columns whose values stay in the cache for the next vector
    threads.for_ranges(ceil_div(s.n, kStrip), [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t strip = first; strip < last; ++strip)
            for (std::size_t i = 0; i < factors.size(); ++i) {
                const Sums mine{out.exact + std::int64_t(i) * s.n, out.of_size + std::int64_t(i) * s.n};
                const std::int64_t end = std::min(s.n, (strip + 1) * kStrip);
                for (std::int64_t column = strip * kStrip; column < end; column += 4)
                    add_products(factors[i], b, s, column, mine);
            }
    });
}

template <class T>
Factor<long double> column_totals(const T* a, const MatmulShape& s, ThreadPool& threads) {
    Factor<long double> totals{std::vector<long double>(std::size_t(s.k), 0), {}};
    totals.sizes = totals.x;
    threads.for_ranges(s.k, [&](std::int64_t first, std::int64_t last) {
        for (std::int64_t i = 0; i < s.m; ++i)
            for (std::int64_t k = first; k < last; ++k) {
                totals.x[std::size_t(k)] += a[i * s.k + k];
                totals.sizes[std::size_t(k)] += std::abs(a[i * s.k + k]);
            }
    });
    return totals;
}

double norm(const std::vector<double>& values) {
    return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

// Anything is better than no number.
double worst(double a, double b) {
    return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::infinity() : std::max(a, b);
}

struct Difference {
    double relative = 0;  // 2-norm
    double of_bound = 0;  // the largest, as a share of (`count` + 1) u sums_of_size
};

template <class T>
Difference difference(const std::vector<T>& values,
                      const std::vector<double>& exact,
                      const std::vector<double>& of_size,
                      double count) {
    const double unit = std::numeric_limits<T>::epsilon() / 2;
    double sum = 0;
    Difference result;
    for (std::size_t i = 0; i < exact.size(); ++i) {
        const double error = std::abs(double(values[i]) - exact[i]);
        sum += error * error;
        const double bound = (count + 1) * unit * of_size[i];  // the reference is rounded as well
        if (error > 0) result.of_bound = std::max(result.of_bound, error / bound);
    }
    const double size = norm(exact);
    result.relative = size > 0 ? std::sqrt(sum) / size : std::sqrt(sum);
    return result;
}

// numpy.allclose with both tolerances alike.
template <class T>
bool all_close(const std::vector<T>& values, const std::vector<double>& exact, double tolerance) {
    for (std::size_t i = 0; i < exact.size(); ++i)
        if (!(std::abs(double(values[i]) - exact[i]) <= tolerance + tolerance * std::abs(exact[i])))
            return false;
    return true;
}

// How much worse than by chance the sums' terms cancel each other.
double cancellation(const std::vector<double>& exact, const std::vector<double>& of_size, double terms) {
    const double size = norm(exact);
    return size > 0 ? std::max(1.0, norm(of_size) / size / std::sqrt(terms)) : 1.0;
}

}  // namespace

MatmulProblem matmul_problem(const OptionValues& options) {
    return {{options.integer("m"), options.integer("k"), options.integer("n")},
            int(options.integer("repetitions")),
            std::uint64_t(options.integer("seed")),
            options.text("distribution") == "centred"};
}

template <class T>
MatmulFactors<T> make_factors(const MatmulProblem& problem, ExampleContext& context) {
    const auto [m, k, n] = problem.shape;
    const double bytes = (double(m) * double(k) + double(k) * double(n) + double(m) * double(n)) * sizeof(T);
    const auto free = double(query_host_memory().free_bytes);
    if (bytes > free)
        throw MachineError(
            "host memory: A, B and C take {:.1f} GB, and {:.1f} GB are free", bytes / 1e9, free / 1e9);
    Random random(problem.seed);
    MatmulFactors<T> factors;
    for (const std::int64_t size : {m * k, k * n}) factors.push_back(random_array<T>(context, random, size));
    if (problem.centred)
        for (AlignedBuffer<T>& factor : factors)
            for (T& value : factor) value -= T(0.5);
    return factors;
}

template <class T>
MatmulReference make_reference(const MatmulFactors<T>& factors,
                               const MatmulShape& s,
                               ExampleContext& context) {
    MatmulReference reference{s, {}, {}, some_rows(s), {}, {}};
    const T *a = factors[0].data(), *b = factors[1].data();
    reference.sums.resize(std::size_t(s.n));
    reference.sums_of_size.resize(std::size_t(s.n));
    multiply<long double>({column_totals(a, s, context.threads())},
                          b,
                          s,
                          context.threads(),
                          {reference.sums.data(), reference.sums_of_size.data()});
    const std::size_t values = reference.rows.size() * std::size_t(s.n);
    reference.c.resize(values);
    reference.c_of_size.resize(values);
    constexpr std::size_t kTogether = 8;
    for (std::size_t first = 0; first < reference.rows.size(); first += kTogether) {
        context.pause();
        std::vector<Factor<T>> some;
        for (std::size_t i = first; i < std::min(reference.rows.size(), first + kTogether); ++i) {
            const T* const row = a + reference.rows[i] * s.k;
            Factor<T>& factor = some.emplace_back(Factor<T>{{row, row + s.k}, {row, row + s.k}});
            for (T& value : factor.sizes) value = std::abs(value);
        }
        const std::size_t at = first * std::size_t(s.n);
        multiply(some, b, s, context.threads(), {reference.c.data() + at, reference.c_of_size.data() + at});
    }
    return reference;
}

template <class T>
void compare(const MatmulResult<T>& result,
             const MatmulReference& reference,
             MatmulLimits limits,
             ReportRow& row) {
    const MatmulReference& r = reference;
    const double k = double(r.shape.k), m = double(r.shape.m);
    const Difference c = difference(result.rows, r.c, r.c_of_size, k);
    const Difference sums = difference(result.sums, r.sums, r.sums_of_size, k + m);
    const Difference stored = difference(result.stored_sums, r.sums, r.sums_of_size, k + m);
    const double of_bound = std::max({c.of_bound, sums.of_bound, stored.of_bound});
    const bool close8 = all_close(result.sums, r.sums, 1e-8), close4 = all_close(result.sums, r.sums, 1e-4);
    row.error = worst(c.relative, worst(sums.relative, stored.relative));
    const double limit = limits.error * std::max(1.0, std::sqrt(k / 5000));
    const bool accurate =
        c.relative <= limit * cancellation(r.c, r.c_of_size, k) &&
        worst(sums.relative, stored.relative) <= limit * cancellation(r.sums, r.sums_of_size, k * m);
    row.failed = !accurate || (limits.bounded && !(of_bound <= 1));
    row.check = "all sums and some rows of C against long double";
    row.more.emplace_back("error_of_c", c.relative);
    row.more.emplace_back("rows_of_c_checked", r.rows.size());
    row.more.emplace_back("error_of_sums", sums.relative);
    row.more.emplace_back("error_of_stored_c_summed", stored.relative);
    row.more.emplace_back("largest_error_of_bound", of_bound);
    row.more.emplace_back("within_1e-8", close8);
    row.more.emplace_back("within_1e-4", close4);
}

template MatmulFactors<float> make_factors(const MatmulProblem&, ExampleContext&);
template MatmulFactors<double> make_factors(const MatmulProblem&, ExampleContext&);
template MatmulReference make_reference(const MatmulFactors<float>&, const MatmulShape&, ExampleContext&);
template MatmulReference make_reference(const MatmulFactors<double>&, const MatmulShape&, ExampleContext&);
template void compare(const MatmulResult<float>&, const MatmulReference&, MatmulLimits, ReportRow&);
template void compare(const MatmulResult<double>&, const MatmulReference&, MatmulLimits, ReportRow&);

namespace {

using Kind = ExampleOption::Kind;

constexpr double kLargest = 100000;
constexpr std::string_view kDistributions[] = {"uniform", "centred"};
constexpr DType kDTypes[] = {DType::float32, DType::float64};

constexpr std::string_view kRowNames[] = {"openblas", "naive", "tile", "cublas", "tf32"};

constexpr ExampleOption kOptions[] = {
    {"m", Kind::integer, "N", "rows of A", "10000", 1, kLargest},
    {"k", Kind::integer, "N", "columns of A, rows of B", "5000", 1, kLargest},
    {"n", Kind::integer, "N", "columns of B", "7000", 1, kLargest},
    {"repetitions", Kind::integer, "N", "products and sums in what is timed", "10", 1, 1000},
    {"seed", Kind::integer, "N", "of the random numbers, NumPy's default_rng", "987654321", 0, 4294967295.0},
    {"distribution", Kind::choice, "D", "on [0, 1) or [-0.5, 0.5)", "uniform", 0, 0, {}, kDistributions},
    {.name = "rows",
     .kind = Kind::names,
     .value = "NAME,...",
     .help = "what is compared",
     .standard = "all",
     .choices = kRowNames},
};

/// A row that the example compares.
struct MatmulRow {
    std::string_view name;  ///< for --rows
    const char* title;      ///< in the report
    Device device = Device::cuda;
    MatmulMethod method = MatmulMethod::library;  ///< on the GPU
    bool inexact = false;
};

constexpr MatmulRow kRows[] = {
    {"openblas", "OpenBLAS", Device::cpu},
    {"naive", "naive", Device::cuda, MatmulMethod::naive},
    {"tile", "shared-memory tile", Device::cuda, MatmulMethod::shared_tile},
    {"cublas", "cuBLAS", Device::cuda, MatmulMethod::library},
    {"tf32", "cuBLAS TF32", Device::cuda, MatmulMethod::tf32, true},
};

bool works(const MatmulRow& row, DType dtype) {
    return dtype == DType::float32 || has_matmul<double>(row.method);
}

// Those of --rows. Throws InputError where none of them works in any of the dtypes.
std::vector<MatmulRow> chosen_rows(const ExampleRequest& request) {
    std::vector<MatmulRow> rows;
    const std::vector<DType> dtypes = request.dtypes();
    bool any = false;
    for (const std::string& key : request.options.names("rows")) {
        rows.push_back(row_named(kRows, "row", key));
        any |= std::ranges::any_of(dtypes, [&](DType dtype) { return works(rows.back(), dtype); });
    }
    if (!any)
        throw InputError(Given{"rows", request.options.text("rows")},
                         "none of them works in {} alone",
                         name_of(dtypes.front()));
    return rows;
}

void check(const ExampleRequest& request) {
    chosen_rows(request);
}

// Operations of a panel of rows per thread: half a second in float32 on a core with wide vectors. OpenBLAS
// packs all of B anew for each panel, so panels have some hundred rows at least.
constexpr double kPanelOperations = 8e10;
constexpr std::int64_t kMinPanelRows = 512;

// A repetition that takes longer is waited for, so that the example can end after it.
constexpr double kWaitSeconds = 0.02;

/// All rows of one precision.
template <class T>
class MatmulExample {
  public:
    explicit MatmulExample(ExampleContext& context)
        : context_(context), problem_(matmul_problem(context.options())) {}

    void add_rows() {
        std::vector<Variant> variants;
        bool any = false;
        for (const MatmulRow& which : chosen_rows(context_.request())) {
            if (!works(which, dtype_of<T>)) continue;
            any |= which.device == Device::cpu ? context_.cpu() : context_.gpu();
            variants.push_back(
                {which.title, which.device, [this, which](ReportRow& row) { measure_row(which, row); }});
            variants.back().inexact = which.inexact;
        }
        if (any) {
            context_.begin_part("random numbers");
            factors_ = make_factors<T>(problem_, context_);
            context_.begin_part("the reference");
            reference_ = make_reference(factors_, problem_.shape, context_);
        }
        measure(context_, "matmul + column sum", dtype_of<T>, variants);
    }

  private:
    // Repetition i, in panels between which the example can end.
    void multiply_on_cpu(T* c, int i) {
        const auto& [m, k, n] = problem_.shape;
        set_gemm_threads(context_.thread_count());
        const double operations = 2.0 * double(k) * double(n);
        const std::int64_t most =
            std::max(kMinPanelRows, std::int64_t(kPanelOperations * context_.thread_count() / operations));
        const std::int64_t panel = ceil_div(m, ceil_div(m, most));
        for (std::int64_t first = 0; first < m; first += panel) {
            const std::int64_t rows = std::min(panel, m - first);
            gemm(GemmCall<T>{
                rows, k, n, {factors_[0].data() + first * k, k}, {factors_[1].data(), n}, c + first * n, n});
            context_.progress((i + double(first + rows) / double(m)) / problem_.repetitions);
        }
    }

    using Repetition = std::function<void(int i)>;

    Repetition cpu_repetition(const Arrays<T>& arrays) {
        return [this, &arrays](int i) {
            multiply_on_cpu(arrays.at(2), i);
            sum_columns(arrays);
        };
    }

    Repetition gpu_repetition(const MatmulRow& which, const Arrays<T>& arrays) {
        CudaStream& stream = arrays.stream();
        const MatmulCall<T> call{arrays.at(0), arrays.at(1), arrays.at(2), arrays.at(3), problem_.shape};
        const auto product = make_cuda_matmul<T>(which.method, problem_.shape, stream);
        const auto once = [=] { product(call); };
        once();  // sets up the library
        const double seconds = seconds_of([&] {
            once();
            stream.synchronize();
        });
        return [=, this, &stream](int i) {
            once();
            if (seconds < kWaitSeconds) return;
            stream.synchronize();
            context_.progress(double(i + 1) / problem_.repetitions);
        };
    }

    void sum_columns(const Arrays<T>& arrays) const {
        const auto& [m, k, n] = problem_.shape;
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (arrays.on_gpu()) {
                const CudaMemory scratch(cuda_column_sums_bytes<T>({m, n, n}));
                return cuda_column_sums<T>(
                    arrays.stream(), arrays.at(2), {m, n, n}, nullptr, arrays.at(3), scratch.data());
            }
        cpu_column_sums<T>(context_.threads(), arrays.at(2), {m, n, n}, nullptr, arrays.at(3));
    }

    void measure_row(const MatmulRow& which, ReportRow& row) {
        const auto& [m, k, n] = problem_.shape;
        Arrays<T> arrays(context_, which.device);
        if (arrays.on_gpu()) require_gpu_memory();
        arrays.add(factors_);
        arrays.allocate(m * n);
        arrays.allocate(n);
        arrays.send(factors_, row);
        {
            Repetition repetition;
            if constexpr (STENCILSCOPE_HAS_CUDA)
                if (arrays.on_gpu()) repetition = gpu_repetition(which, arrays);
            if (!repetition) repetition = cpu_repetition(arrays);
            arrays.time(row, [&] {
                for (int i = 0; i < problem_.repetitions; ++i) repetition(i);
            });
        }
        MatmulResult<T> result;
        result.sums.resize(std::size_t(n));
        result.stored_sums = result.sums;
        result.rows.resize(reference_.c.size());
        arrays.get(3, result.sums, row);
        std::span<T> rows = result.rows;
        for (const std::int64_t i : reference_.rows) {
            arrays.get(2, rows.first(std::size_t(n)), i * n);
            rows = rows.subspan(std::size_t(n));
        }
        sum_columns(arrays);
        arrays.get(3, result.stored_sums);
        row.rates = {rate_of(which, row)};
        row.more.emplace_back("repetition_seconds", row.seconds / problem_.repetitions);
        compare(result,
                reference_,
                {which.inexact    ? 1e-3
                 : sizeof(T) == 8 ? 1e-13
                                  : 5e-6,
                 !which.inexact},
                row);
    }

    // Tells what the matrices need before the first of them is refused.
    void require_gpu_memory() const {
        const auto& [m, k, n] = problem_.shape;
        const double bytes =
            sizeof(T) * (double(m) * double(k) + double(k) * double(n) + double(m + 1) * double(n));
        if (const double most = context_.gpu_budget(); bytes > most)
            throw CudaError(fmt::format(
                "needs {} of GPU memory, of which {} may be used", format_bytes(bytes), format_bytes(most)));
    }

    Rate rate_of(const MatmulRow& which, const ReportRow& row) {
        const double operations = problem_.operations();
        if (which.method == MatmulMethod::tf32)
            return context_.tensor_rate(row, operations, TensorKind::tf32, "TF32 tensor cores");
        if (which.method == MatmulMethod::library && sizeof(T) == sizeof(double))
            return context_.float64_rate(row, operations);
        return context_.arithmetic_rate(row, operations, row.dtype);
    }

    ExampleContext& context_;
    MatmulProblem problem_;
    MatmulFactors<T> factors_;
    MatmulReference reference_;
};

void run(ExampleContext& context) {
    for (const DType dtype : context.request().dtypes())
        in_dtype(dtype, [&]<class T>(T) { MatmulExample<T>(context).add_rows(); });
    auto& notes = context.report().notes;
    notes = {
        "Seconds are those of all repetitions; each computes C and the sums of its columns anew, from A and "
        "B as they came.",
        "Errors are relative 2-norms, the larger of that of the sums and that of some rows of C, against "
        "sums in long double; to compare two float32 results with each other measures neither's "
        "error, and float32 sums cannot agree within 1e-8."};
    if (std::ranges::any_of(context.report().rows, [](const ReportRow& row) {
            return row.measured() && row.name == "shared-memory tile";
        }))
        notes.push_back(
            "shared-memory tile is the usual kernel of Numba tutorials, repaired: it read A and B beyond "
            "their ends (<= for <), took a step for each block of the grid instead of ceil(k / 16), twice "
            "the work, summed in float64, read memory across rows, and added with atomics to an output that "
            "nobody had set to zero.");
}

}  // namespace

constinit const Example kMatmulExample = {
    "matmul",
    "a matrix product and the sums of its columns, by cuBLAS, own kernels, tensor cores and OpenBLAS",
    "C = A B (10000x5000 times 5000x7000) and the sums of C's columns, ten times. The kernels go from one "
    "thread for each value of C to cuBLAS, and on to the tensor cores in TF32, which is fast and inexact. "
    "The kernel of Numba tutorials reads out of bounds, does twice the work and sums into "
    "memory that it does not set; the one here does not.",
    kOptions,
    kDTypes,
    check,
    run};

}  // namespace stencil::matmul
