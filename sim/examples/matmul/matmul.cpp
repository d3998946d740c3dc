// The example matmul: its options and rows, and the rows of the CPU.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/cpu_matmul.h"
#include "sim/examples/matmul/run.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/examples/table.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil::matmul {
namespace {

using Kind = ExampleOption::Kind;

constexpr double kLargest = 100000;
constexpr std::string_view kDistributions[] = {"uniform", "centred"};
constexpr DType kDTypes[] = {DType::float32, DType::float64};

constexpr ExampleOption kOptions[] = {
    {"m", Kind::integer, "N", "rows of A", "10000", 1, kLargest},
    {"k", Kind::integer, "N", "columns of A, rows of B", "5000", 1, kLargest},
    {"n", Kind::integer, "N", "columns of B", "7000", 1, kLargest},
    {"repetitions", Kind::integer, "N", "products and sums in what is timed", "10", 1, 1000},
    {"seed",
     Kind::integer,
     "N",
     "of the random numbers, as NumPy's default_rng takes it",
     "987654321",
     0,
     4294967295.0},
    {"distribution",
     Kind::choice,
     "D",
     "uniform: on [0, 1); centred: on [-0.5, 0.5)",
     "uniform",
     0,
     0,
     {},
     kDistributions},
    {"rows",
     Kind::text,
     "NAMES",
     "which, separated by commas: openblas, naive, tile, register, cublas, tf32, 3xfp16",
     "all"},
};

constexpr MatmulRow kRows[] = {
    {"openblas", "OpenBLAS", Device::cpu},
    {"naive", "naive", Device::cuda, MatmulMethod::naive},
    {"tile", "shared-memory tile", Device::cuda, MatmulMethod::shared_tile},
    {"register", "register tile", Device::cuda, MatmulMethod::register_tile},
    {"cublas", "cuBLAS", Device::cuda, MatmulMethod::library},
    {"tf32", "cuBLAS TF32", Device::cuda, MatmulMethod::tf32, false, true},
    {"3xfp16", "tensor cores, 3 x FP16, float32-accurate", Device::cuda, MatmulMethod::half_split, false},
};

bool works(const MatmulRow& row, DType dtype) {
    return dtype == DType::float32 || row.float64;
}

// Those of --rows. Throws InputError: an unknown one, or none that works in any of the dtypes.
std::vector<MatmulRow> chosen_rows(const ExampleRequest& request) {
    const std::string list = request.options.text("rows");
    if (list == "all") return {std::begin(kRows), std::end(kRows)};
    std::vector<MatmulRow> rows;
    bool any = request.dtypes.empty();  // then all of them
    for (const std::string& key : split(list, ',')) {
        const auto row = std::ranges::find(kRows, key, &MatmulRow::key);
        if (row == std::end(kRows)) {
            std::vector<std::string> known{"all"};
            for (const MatmulRow& one : kRows) known.emplace_back(one.key);
            throw InputError("--rows: " + unknown_name_message("row", key, known));
        }
        rows.push_back(*row);
        any |= std::ranges::any_of(request.dtypes, [&](DType dtype) { return works(*row, dtype); });
    }
    if (!any)
        throw InputError(
            fmt::format("--rows {}: none of them works in {} alone", list, name_of(request.dtypes.front())));
    return rows;
}

void check(const ExampleRequest& request) {
    chosen_rows(request);
}

std::vector<MatmulRow> rows_of(const ExampleRequest& request, Device device, DType dtype) {
    std::vector<MatmulRow> rows;
    if (device == Device::cuda || request.on_cpu())
        std::ranges::copy_if(chosen_rows(request), std::back_inserter(rows), [&](const MatmulRow& row) {
            return row.backend == device && works(row, dtype);
        });
    return rows;
}

template <class T>
void run_on_cpu(const MatmulRun<T>& run, ReportRow row) {
    ExampleContext& context = run.context;
    const MatmulShape& s = run.problem.shape;
    HostProduct<T> product(s);
    run.begin(row);
    time_host(context, run.request.repeats, [&] {
        for (int i = 0; i < run.problem.repetitions; ++i) {
            cpu_matmul<T>({run.operands.a.data(), run.operands.b.data(), product.c.data(), s},
                          context.thread_count(),
                          [&](double share) { run.progress((i + share) / run.problem.repetitions, row); });
            cpu_column_sums<T>(
                context.threads(), product.c.data(), {s.m, s.n, s.n}, nullptr, product.sums.data());
        }
    }).fill(row);
    const Rate rate = context.arithmetic_rate(row, run.problem.operations(), row.dtype);
    run.add(std::move(row),
            std::move(product).result(run),
            {sizeof(T) == sizeof(float) ? 5e-6 : 1e-13, true},
            rate);
}

double row_seconds(const MatmulRow& row, DType dtype, const ExampleRequest& request, int threads) {
    const bool slow = row.method == MatmulMethod::naive || row.method == MatmulMethod::shared_tile;
    // Beside the rough rate, which is of less even work on the CPU.
    const double way = row.backend == Device::cpu ? 3 : slow ? 0.125 : 1;
    const double rate = way * rough_rates(row.backend, threads).flops / (dtype == DType::float64 ? 2 : 1);
    return timed_seconds(matmul_problem(request).operations() / rate, request.repeats);
}

// Estimated seconds of the parts of one precision, in the order in which run_dtype() begins them.
std::vector<double> parts_of(const ExampleRequest& request, const ExampleContext& context, DType dtype) {
    std::vector<MatmulRow> rows = rows_of(request, Device::cpu, dtype);
    if (context.gpu()) std::ranges::copy(rows_of(request, Device::cuda, dtype), std::back_inserter(rows));
    if (rows.empty() && !context.gpu()) return {};
    const MatmulShape s = matmul_problem(request).shape;
    std::vector<double> parts{random_seconds(s), reference_seconds(s, context.thread_count())};
    for (const MatmulRow& row : rows)
        parts.push_back(row_seconds(row, dtype, request, context.thread_count()));
    return parts;
}

template <class T>
void run_dtype(const ExampleRequest& request, ExampleContext& context) {
    const auto cpu = rows_of(request, Device::cpu, dtype_of<T>),
               gpu = rows_of(request, Device::cuda, dtype_of<T>);
    const MatmulProblem problem = matmul_problem(request);
    MatmulRun<T> run{request, context, problem, {}, {}};
    if (!cpu.empty() || context.gpu()) {
        context.begin_part("random numbers");
        run.operands = make_operands<T>(problem, context);
        context.begin_part("the reference");
        run.reference = make_reference(run.operands, problem.shape, context);
    }
    for (const MatmulRow& row : cpu)
        context.try_row(run.row(row), [&](ReportRow measured) { run_on_cpu(run, std::move(measured)); });
#if STENCILSCOPE_HAS_CUDA
    if (context.gpu()) return run_on_gpu(run, gpu);
#endif
    for (const MatmulRow& row : gpu) context.add_absent(run.row(row), context.why_no_gpu());
}

void run(const ExampleRequest& request, ExampleContext& context) {
    std::vector<double> parts;
    for (const DType dtype : request.dtypes)
        std::ranges::copy(parts_of(request, context, dtype), std::back_inserter(parts));
    context.expect(parts);
    for (const DType dtype : request.dtypes)
        in_dtype(dtype, [&]<class T>(T) { run_dtype<T>(request, context); });
    auto& notes = context.report().notes;
    notes = {
        "Seconds are those of all repetitions; each computes C and the sums of its columns anew, from A and "
        "B as they came.",
        "Errors are relative 2-norms, the larger of that of the sums and that of some rows of C, against "
        "sums in long double; to compare two float32 results with each other measures neither's "
        "error, and float32 sums cannot agree within 1e-8."};
    struct RowNote {
        std::string_view row, text;
    };
    constexpr RowNote kOfRows[] = {
        {"shared-memory tile",
         " is the usual kernel of Numba tutorials, repaired: it read A and B beyond their ends (<= for <), "
         "took a "
         "step "
         "for each block of the grid instead of ceil(k / 16), twice the work, summed in float64, read memory "
         "across rows, and added with atomics to an output that nobody had set to zero."},
        {"tensor cores, 3 x FP16",
         ": each float32 is the sum of two halves, which takes three products of halves; every 64 of k their "
         "sums are added up in float32 with rounding, because the tensor cores' own sums cut bits off. "
         "Splitting is part of the time."}};
    for (const RowNote& note : kOfRows)
        if (std::ranges::any_of(context.report().rows, [&](const ReportRow& row) {
                return row.measured() && row.name.starts_with(note.row);
            }))
            notes.push_back(fmt::format("{}{}", note.row, note.text));
}

}  // namespace

template <class T>
ReportRow MatmulRun<T>::row(const MatmulRow& which) const {
    return {.work = "matmul + column sum",
            .name = std::string(which.name),
            .backend = which.backend,
            .dtype = dtype_of<T>,
            .inexact = which.inexact};
}

template <class T>
void MatmulRun<T>::begin(const ReportRow& row) const {
    context.begin_part(fmt::format("{}, {}", row.name, name_of(row.dtype)));
}

template <class T>
void MatmulRun<T>::progress(double share, const ReportRow& row) const {
    context.progress(share, fmt::format("{}, {}", row.name, name_of(row.dtype)));
}

template <class T>
void MatmulRun<T>::add(ReportRow row,
                       const MatmulResult<T>& result,
                       MatmulLimits limits,
                       const Rate& rate) const {
    row.more.emplace_back("repetition_seconds", row.seconds / problem.repetitions);
    compare(result, reference, limits, row);
    row.rates = {rate};
    context.add(std::move(row));
}

template <class T>
HostProduct<T>::HostProduct(const MatmulShape& shape)
    : c(std::size_t(shape.m * shape.n)), sums(std::size_t(shape.n), std::numeric_limits<T>::quiet_NaN()) {
    std::ranges::fill(c, std::numeric_limits<T>::quiet_NaN());
}

template <class T>
MatmulResult<T> HostProduct<T>::result(const MatmulRun<T>& run) && {
    const MatmulShape& s = run.problem.shape;
    MatmulResult<T> result;
    result.stored_sums = std::vector<T>(sums.size(), std::numeric_limits<T>::quiet_NaN());
    result.sums = std::move(sums);
    for (const std::int64_t i : run.reference.rows)
        result.rows.insert(result.rows.end(), c.data() + i * s.n, c.data() + (i + 1) * s.n);
    cpu_column_sums<T>(run.context.threads(), c.data(), {s.m, s.n, s.n}, nullptr, result.stored_sums.data());
    return result;
}

template struct MatmulRun<float>;
template struct MatmulRun<double>;
template struct HostProduct<float>;
template struct HostProduct<double>;

constinit const Example kMatmulExample = {
    "matmul",
    "a matrix product and the sums of its columns, by cuBLAS, own kernels, tensor cores and OpenBLAS",
    "C = A B (10000x5000 times 5000x7000) and the sums of C's columns, ten times. The "
    "kernels go from one thread for each value of C to cuBLAS, and on to the tensor cores: TF32, which is "
    "fast and inexact, and three products of halves, which are as exact as float32. What does not fit in GPU "
    "memory goes through it in pieces. The "
    "kernel of Numba tutorials reads out of bounds, does twice the work and sums into memory that it does "
    "not set; the one here does not.",
    kOptions,
    kDTypes,
    check,
    run};

}  // namespace stencil::matmul
