// The example matmul: its options and rows, on the CPU and the GPU.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "kernels/cpu/gemm.h"
#include "kernels/cuda/device_arena.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/cuda_matmul.h"
#include "sim/examples/arrays/arrays.h"
#include "sim/examples/matmul/reference.h"
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
     "which, separated by commas: openblas, naive, tile, register, cublas, tf32",
     "all"},
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
    {"register", "register tile", Device::cuda, MatmulMethod::register_tile},
    {"cublas", "cuBLAS", Device::cuda, MatmulMethod::library},
    {"tf32", "cuBLAS TF32", Device::cuda, MatmulMethod::tf32, true},
};

bool works(const MatmulRow& row, DType dtype) {
    return dtype == DType::float32 || has_matmul<double>(row.method);
}

// Those of --rows. Throws InputError: an unknown one, or none that works in any of the dtypes.
std::vector<MatmulRow> chosen_rows(const ExampleRequest& request) {
    const std::string list = request.options.text("rows");
    if (list == "all") return {std::begin(kRows), std::end(kRows)};
    std::vector<MatmulRow> rows;
    const std::vector<DType> dtypes = request.dtypes();
    bool any = false;
    for (const std::string& key : split(list, ',')) {
        rows.push_back(row_named(kRows, "row", key, "--rows: "));
        any |= std::ranges::any_of(dtypes, [&](DType dtype) { return works(rows.back(), dtype); });
    }
    if (!any) throw InputError("--rows {}: none of them works in {} alone", list, name_of(dtypes.front()));
    return rows;
}

void check(const ExampleRequest& request) {
    chosen_rows(request);
}

// Operations of a panel of rows per thread: half a second in float32 on a core with wide vectors. OpenBLAS
// packs all of B anew for each panel, so panels have some hundred rows at least.
constexpr double kPanelOperations = 8e10;
constexpr std::int64_t kMinPanelRows = 512;

constexpr std::size_t kWorkspace = std::size_t(32) << 20;  // what cuBLAS recommends on Hopper

// A repetition that takes longer is waited for, so that the example can end after it.
constexpr double kWaitSeconds = 0.02;

/// The matrices and the sums on the device.
template <class T>
struct DeviceOperands {
    T *a, *b, *c, *sums;

    DeviceOperands(DeviceArena& arena, const MatmulShape& s)
        : a(arena.take<T>(s.m * s.k)),
          b(arena.take<T>(s.k * s.n)),
          c(arena.take<T>(s.m * s.n)),
          sums(arena.take<T>(s.n)) {}
};

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
            const bool cpu = which.device == Device::cpu;
            any |= cpu ? context_.cpu() : context_.gpu();
            variants.push_back({which.title, which.device, [this, which, cpu](ReportRow& row) {
                                    if (cpu) return run_on_cpu(row);
                                    if constexpr (STENCILSCOPE_HAS_CUDA) run_on_gpu(which, row);
                                }});
            variants.back().inexact = which.inexact;
        }
        if (any) {
            context_.begin_part("random numbers");
            operands_ = make_operands<T>(problem_, context_);
            context_.begin_part("the reference");
            reference_ = make_reference(operands_, problem_.shape, context_);
        }
        measure(context_, "matmul + column sum", dtype_of<T>, variants);
    }

  private:
    // C and its sums in main memory.
    struct HostProduct {
        explicit HostProduct(const MatmulShape& s)
            : c(std::size_t(s.m * s.n)), sums(std::size_t(s.n), std::numeric_limits<T>::quiet_NaN()) {
            std::ranges::fill(c, std::numeric_limits<T>::quiet_NaN());
        }
        AlignedBuffer<T> c;
        std::vector<T> sums;
    };

    MatmulResult<T> result_of(HostProduct product) {
        const std::int64_t n = problem_.shape.n;
        MatmulResult<T> result;
        result.stored_sums = std::vector<T>(product.sums.size(), std::numeric_limits<T>::quiet_NaN());
        const T* const c = product.c.data();
        for (const std::int64_t i : reference_.rows)
            result.rows.insert(result.rows.end(), c + i * n, c + (i + 1) * n);
        cpu_column_sums<T>(
            context_.threads(), c, {problem_.shape.m, n, n}, nullptr, result.stored_sums.data());
        result.sums = std::move(product.sums);
        return result;
    }

    void finish(ReportRow& row, const MatmulResult<T>& result, MatmulLimits limits) {
        row.more.emplace_back("repetition_seconds", row.seconds / problem_.repetitions);
        compare(result, reference_, limits, row);
    }

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
                rows, k, n, {operands_.a.data() + first * k, k}, {operands_.b.data(), n}, c + first * n, n});
            context_.progress((i + double(first + rows) / double(m)) / problem_.repetitions);
        }
    }

    void run_on_cpu(ReportRow& row) {
        const MatmulShape& s = problem_.shape;
        HostProduct product(s);
        time_host(context_, row, [&] {
            for (int i = 0; i < problem_.repetitions; ++i) {
                multiply_on_cpu(product.c.data(), i);
                cpu_column_sums<T>(
                    context_.threads(), product.c.data(), {s.m, s.n, s.n}, nullptr, product.sums.data());
            }
        });
        row.rates = {context_.arithmetic_rate(row, problem_.operations(), row.dtype)};
        finish(row, result_of(std::move(product)), {sizeof(T) == sizeof(float) ? 5e-6 : 1e-13, true});
    }

    void run_on_gpu(const MatmulRow& which, ReportRow& row) {
        const double bytes = double(arena_bytes<DeviceOperands<T>>(problem_.shape) +
                                    cuda_matmul_bytes<T>(which.method, {problem_.shape, kWorkspace}));
        row.gpu_memory = GpuMemoryUse{bytes};
        if (const double most = context_.gpu_budget(); bytes > most)
            throw CudaError(fmt::format(
                "needs {} of GPU memory, of which {} may be used", format_bytes(bytes), format_bytes(most)));
        const auto result = multiply_on_gpu(which, row);
        row.rates = {rate_of(which, row)};
        finish(row,
               result,
               sizeof(T) == sizeof(double) ? MatmulLimits{1e-13, true}
                                           : MatmulLimits{which.inexact ? 1e-3 : 5e-6, !which.inexact});
    }

    MatmulResult<T> multiply_on_gpu(const MatmulRow& which, ReportRow& row) {
        const MatmulShape& s = problem_.shape;
        CudaStream stream;
        const CudaMemory memory(arena_bytes<DeviceOperands<T>>(s));
        const auto device = in_arena<DeviceOperands<T>>(memory, s);
        const auto copy = [&](auto enqueue, T* to, const T* from, std::int64_t count) {
            copy_in_parts([this] { context_.pause(); }, enqueue, to, from, double(count) * sizeof(T), stream);
        };
        row.to_device_seconds = seconds_of([&] {
            copy(enqueue_to_device, device.a, operands_.a.data(), s.m * s.k);
            copy(enqueue_to_device, device.b, operands_.b.data(), s.k * s.n);
        });
        cuda_poison(device.c, std::size_t(s.m * s.n) * sizeof(T), stream);
        cuda_poison(device.sums, std::size_t(s.n) * sizeof(T), stream);
        time_on_gpu(which, device, stream, row);

        MatmulResult<T> result;
        const auto fetch_sums = [&](std::vector<T>& sums) {
            sums.resize(std::size_t(s.n));
            copy(enqueue_to_host, sums.data(), device.sums, s.n);
        };
        row.to_host_seconds = seconds_of([&] { fetch_sums(result.sums); });
        result.rows.resize(reference_.c.size());
        T* to = result.rows.data();
        for (const std::int64_t i : reference_.rows) {
            copy(enqueue_to_host, to, device.c + i * s.n, s.n);
            to += s.n;
        }
        const CudaMemory scratch(cuda_column_sums_bytes<T>({s.m, s.n, s.n}));
        cuda_column_sums<T>(stream, device.c, {s.m, s.n, s.n}, nullptr, device.sums, scratch.data());
        fetch_sums(result.stored_sums);
        return result;
    }

    void time_on_gpu(const MatmulRow& which,
                     const DeviceOperands<T>& device,
                     CudaStream& stream,
                     ReportRow& row) {
        const auto matmul = make_cuda_matmul<T>(which.method, {problem_.shape, kWorkspace}, stream);
        const auto once = [&] { matmul->run({device.a, device.b, device.c, device.sums, problem_.shape}); };
        const double seconds = seconds_of([&] {
            once();
            stream.synchronize();
        });
        time_device(context_, stream, row, [&] {
            for (int i = 0; i < problem_.repetitions; ++i) {
                once();
                if (seconds < kWaitSeconds) continue;
                stream.synchronize();
                context_.progress(double(i + 1) / problem_.repetitions);
            }
        });
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
    MatmulOperands<T> operands_;
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
