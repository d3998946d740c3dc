#include "sim/examples/matmul/matmul.h"

#include <algorithm>

#include "sim/examples/matmul/run.h"

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
     kDistributions},
    {"rows",
     Kind::text,
     "NAMES",
     "which, separated by commas: openblas, naive, tile, register, cublas, tf32, 3xfp16, 14xint8",
     "all"},
};

void check(const ExampleRequest& request) {
    chosen_matmul_rows(request);
}

std::vector<MatmulRow> rows_of(const ExampleRequest& request, Device device, DType dtype) {
    std::vector<MatmulRow> rows;
    if (device == Device::cpu && !request.on_cpu()) return rows;
    for (const MatmulRow& row : chosen_matmul_rows(request))
        if (row.backend == device && (dtype == DType::float32 ? row.float32 : row.float64))
            rows.push_back(row);
    return rows;
}

template <class T>
void run_dtype(const ExampleRequest& request, ExampleContext& context, MatmulProgress& rows) {
    const DType dtype = sizeof(T) == sizeof(float) ? DType::float32 : DType::float64;
    const auto cpu = rows_of(request, Device::cpu, dtype), gpu = rows_of(request, Device::cuda, dtype);
    const MatmulProblem problem = matmul_problem(request);
    MatmulRun<T> run{request, context, problem, rows, {}, {}};
    const auto prepare = [&](const char* what) {
        context.progress(double(rows.done) / std::max(1, rows.all), what);
    };
    if (!cpu.empty() || context.gpu()) {
        prepare("random numbers");
        run.operands = make_operands<T>(problem, context);
        prepare("the reference");
        run.reference = make_reference(run.operands, problem.shape, context);
    }
    for (const MatmulRow& row : cpu) run_on_cpu(run, row);
#if STENCILSCOPE_HAS_CUDA
    if (context.gpu()) return run_on_gpu(run, gpu);
#endif
    for (const MatmulRow& row : gpu) context.add_absent(run.row(row), context.why_no_gpu());
}

void run(const ExampleRequest& request, ExampleContext& context) {
    MatmulProgress rows;
    for (const DType dtype : request.dtypes)
        for (const Device device : {Device::cpu, Device::cuda})
            rows.all += int(rows_of(request, device, dtype).size());
    for (const DType dtype : request.dtypes) {
        if (dtype == DType::float32)
            run_dtype<float>(request, context, rows);
        else
            run_dtype<double>(request, context, rows);
    }
    auto& notes = context.report().notes;
    notes = {
        "Seconds are those of all repetitions; each computes C and the sums of its columns anew, from A and "
        "B as they came.",
        "Errors are relative 2-norms, the larger of that of the sums and that of some rows of C, against "
        "sums in long double; the tutorial compares two float32 results with each other, which measures "
        "neither's error, and float32 sums cannot agree within 1e-8."};
    if (!context.gpu()) return;
    for (
        const char* of_gpu_rows :
        {"shared-memory tile is the tutorial's Numba kernel repaired: it read A and B beyond their ends (<= "
         "for <), took a step for each block of the grid instead of ceil(k / 16), twice the work, summed in "
         "float64, read memory across rows, and added with atomics to an output that nobody had set to zero.",
         "tensor cores, 3 x FP16: each float32 is the sum of two halves, which takes three products of "
         "halves; every 64 of k their sums are added up in float32 with rounding, because the tensor cores' "
         "own sums cut bits off. Splitting is part of the time.",
         "tensor cores, 14 x INT8: A and B are rounded to integers of 48 bits (for k = 5000), scaled by the "
         "largest value of each row of A and column of B; modulo 14 small numbers their products are 8-bit "
         "work, and the Chinese remainder theorem puts C together. Errors are in proportion to those largest "
         "values, so that rows of very different values lose accuracy in the small ones."})
        notes.emplace_back(of_gpu_rows);
}

}  // namespace

constinit const Example kMatmulExample = {
    "matmul",
    "a matrix product and the sums of its columns, by cuBLAS, own kernels, tensor cores and OpenBLAS",
    "C = A B (10000x5000 times 5000x7000) and the sums of C's columns, ten times, as in the tutorial. The "
    "kernels go from one thread for each value of C to cuBLAS, and on to the tensor cores: TF32, which is "
    "fast and inexact, and three products of halves, which are as exact as float32, and fourteen of 8-bit "
    "integers, which are as exact as float64. What does not fit in GPU memory goes through it in pieces. The "
    "tutorial's own kernel reads out of bounds, does twice the work and sums into memory that it does not "
    "set; the one here does not.",
    kOptions,
    kDTypes,
    check,
    run};

}  // namespace stencil::matmul
