#include <fmt/format.h>

#include <chrono>
#include <limits>
#include <memory>
#include <optional>

#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/streamed_matmul.h"
#include "kernels/examples/matmul/tensor_peak.h"
#include "sim/examples/matmul/run.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/text/error.h"

#if STENCILSCOPE_HAS_CUDA

namespace stencil::matmul {
namespace {

constexpr std::size_t kWorkspace = std::size_t(32) << 20;  // what cuBLAS recommends on Hopper

// What the driver and the libraries load later on is not counted.
constexpr double kUsableShare = 0.95;

// A repetition that takes longer is waited for, so that the example can end after it.
constexpr double kWaitSeconds = 0.02;

template <class T>
void to_device(void* to, const T* from, std::int64_t count, CudaStream& stream) {
    const std::size_t bytes = std::size_t(count) * sizeof(T);
    copy_to_device({to, bytes, from, bytes, bytes, 1}, stream);
}

template <class T>
void to_host(T* to, const T* from, std::int64_t count, CudaStream& stream) {
    const std::size_t bytes = std::size_t(count) * sizeof(T);
    copy_to_host({to, bytes, from, bytes, bytes, 1}, stream);
}

/// Everything on the device.
template <class T>
struct Resident {
    CudaMemory a, b, c, sums;
    double to_device_seconds = 0;

    static double bytes(const MatmulShape& s) {
        return (double(s.m) * double(s.k) + double(s.k) * double(s.n) + double(s.m) * double(s.n) +
                double(s.n)) *
               sizeof(T);
    }

    Resident(const MatmulRun<T>& run, CudaStream& stream) {
        const MatmulShape& s = run.problem.shape;
        const auto memory = [](std::int64_t count) { return CudaMemory(std::size_t(count) * sizeof(T)); };
        a = memory(s.m * s.k), b = memory(s.k * s.n), c = memory(s.m * s.n), sums = memory(s.n);
        to_device_seconds = seconds_of([&] {
            to_device(a.data(), run.operands.a.data(), s.m * s.k, stream);
            to_device(b.data(), run.operands.b.data(), s.k * s.n, stream);
        });
    }
    static T* values(const CudaMemory& memory) { return static_cast<T*>(memory.data()); }
};

template <class T>
class GpuRun {
  public:
    explicit GpuRun(const MatmulRun<T>& run)
        : run_(run),
          context_(run.context),
          budget_(run.context.gpu_budget() * share(run.request)),
          meter_(std::size_t(budget_)) {}

    void add(const MatmulRow& which) {
        ReportRow row = run_.row(which);
        run_.begin(row);
        if (!has_matmul<T>(which.method))
            return context_.add_absent(std::move(row), "needs a GPU of compute capability 9.0");
        const MatmulShape shapes[] = {run_.problem.shape};
        const double bytes = Resident<T>::bytes(run_.problem.shape) +
                             double(cuda_matmul_bytes<T>(which.method, {shapes, kWorkspace}));
        context_.try_row(row, [&](ReportRow measured) {
            const MatmulResult<T> result =
                bytes <= budget_ ? run_resident(which, bytes, measured) : run_streamed(which, measured);
            const Rate rate = rate_of(which, measured);
            run_.add(std::move(measured), result, limits_of(which), rate);
        });
    }

  private:
    static double share(const ExampleRequest& request) {
        const bool limited = request.memory_limit != std::numeric_limits<std::uint64_t>::max();
        return limited ? 1 : kUsableShare;
    }

    // Split formats round relative to a row's largest value, so element-wise bounds don't apply.
    static MatmulLimits limits_of(const MatmulRow& which) {
        if (sizeof(T) == sizeof(double)) return {1e-13, true};
        return {which.inexact ? 1e-3 : 5e-6, !which.inexact && which.method != MatmulMethod::half_split};
    }

    MatmulResult<T> run_resident(const MatmulRow& which, double bytes, ReportRow& row) {
        if (!resident_) resident_ = std::make_unique<Resident<T>>(run_, stream_);
        const Resident<T>& r = *resident_;
        const MatmulShape& s = run_.problem.shape;
        const MatmulShape shapes[] = {s};
        meter_.restart();
        const auto matmul = make_cuda_matmul<T>(which.method, {shapes, kWorkspace}, stream_);
        cuda_poison(r.c.data(), std::size_t(s.m * s.n) * sizeof(T), stream_);
        cuda_poison(r.sums.data(), std::size_t(s.n) * sizeof(T), stream_);
        const auto once = [&] {
            matmul->run({r.values(r.a), r.values(r.b), r.values(r.c), r.values(r.sums), s, false});
        };
        const double seconds = seconds_of([&] {
            once();
            stream_.synchronize();
        });
        const Timing timing = time_device(context_, stream_, run_.request.repeats, [&] {
            for (int i = 0; i < run_.problem.repetitions; ++i) {
                once();
                if (seconds < kWaitSeconds) continue;
                stream_.synchronize();
                run_.progress(double(i + 1) / run_.problem.repetitions, row);
            }
        });
        timing.fill(row);
        row.gpu_memory = GpuMemoryUse{bytes, double(meter_.peak_bytes())};
        return bring_back(row);
    }

    MatmulResult<T> bring_back(ReportRow& row) {
        const Resident<T>& r = *resident_;
        const MatmulShape& s = run_.problem.shape;
        MatmulResult<T> result;
        result.sums.resize(std::size_t(s.n));
        row.to_device_seconds = r.to_device_seconds;
        row.to_host_seconds =
            seconds_of([&] { to_host(result.sums.data(), r.values(r.sums), s.n, stream_); });
        result.rows.resize(run_.reference.c.size());
        T* to = result.rows.data();
        for (const std::int64_t i : run_.reference.rows) {
            to_host(to, r.values(r.c) + i * s.n, s.n, stream_);
            to += s.n;
        }
        const CudaMemory scratch(cuda_column_sums_bytes<T>({s.m, s.n, s.n}));
        cuda_column_sums<T>(
            stream_, r.values(r.c), {s.m, s.n, s.n}, nullptr, r.values(r.sums), scratch.data());
        result.stored_sums.resize(std::size_t(s.n));
        to_host(result.stored_sums.data(), r.values(r.sums), s.n, stream_);
        return result;
    }

    StreamPlan plan(const MatmulRow& which, std::size_t workspace) const {
        const MatmulShape& s = run_.problem.shape;
        const auto bytes = [&](const StreamPlan& p) {
            return streamed_matmul_bytes<T>(which.method, p, workspace);
        };
        const auto found = plan_stream(s, std::size_t(budget_), bytes);
        if (found) return *found;
        const auto least = smallest_stream(s, [&](const StreamPlan& p) {
            return streamed_matmul_bytes<T>(which.method, p, 0) * kWorkspaceShare / (kWorkspaceShare - 1) + 1;
        });
        throw MachineError(
            fmt::format("GPU memory: {} bytes are allowed or free, and {} of {} x {} x {} takes {} at least",
                        std::size_t(budget_),
                        which.name,
                        s.m,
                        s.k,
                        s.n,
                        least.bytes));
    }

    MatmulResult<T> run_streamed(const MatmulRow& which, ReportRow& row) {
        resident_.reset();
        const std::size_t workspace = std::min(kWorkspace, std::size_t(budget_) / kWorkspaceShare);
        const StreamPlan p = plan(which, workspace);
        meter_.restart();
        StreamedMatmul<T> matmul(which.method, p, workspace, context_.threads());
        HostProduct<T> product(run_.problem.shape);
        time_host(context_, run_.request.repeats, [&] {
            for (int i = 0; i < run_.problem.repetitions; ++i)
                matmul.run(
                    {run_.operands.a.data(), run_.operands.b.data(), product.c.data(), product.sums.data()},
                    [&] { context_.pause(); });
        }).fill(row);
        row.gpu_memory = GpuMemoryUse{double(p.bytes), double(meter_.peak_bytes())};
        row.more.emplace_back("streamed", true);
        row.more.emplace_back("tile_of_c", fmt::format("{} x {}", p.tile.m, p.tile.n));
        row.more.emplace_back("panel_of_k", p.tile.k);
        row.more.emplace_back("gigabytes_to_device", p.values_in() * sizeof(T) * 1e-9);
        return std::move(product).result(run_);
    }

    Rate rate_of(const MatmulRow& which, const ReportRow& row) {
        struct Units {
            MatmulMethod method;
            TensorKind kind;
            double products;
            const char* name;
            bool applies = true;
        };
        const bool wide = sizeof(T) == sizeof(double);
        const Units all[] = {
            {MatmulMethod::half_split, TensorKind::half, 3, "a third of the FP16 tensor cores"},
            {MatmulMethod::tf32, TensorKind::tf32, 1, "TF32 tensor cores"},
            {MatmulMethod::library, TensorKind::float64, 1, "float64 tensor cores", wide}};
        for (const Units& units : all) {
            if (units.method != which.method || !units.applies) continue;
            const double limit = context_.tensor_tflops(units.kind) / units.products;
            if (which.method == MatmulMethod::library && limit == 0) break;
            return {run_.problem.operations() / row.seconds / 1e12,
                    "TFLOP/s",
                    limit,
                    std::string(units.name) + ", computed from clock and units"};
        }
        return context_.arithmetic_rate(row, run_.problem.operations(), row.dtype);
    }

    static constexpr std::size_t kWorkspaceShare = 8;  // of the memory, where it is short

    const MatmulRun<T>& run_;
    ExampleContext& context_;
    double budget_;
    CudaMemoryMeter meter_;
    CudaStream stream_;
    std::unique_ptr<Resident<T>> resident_;
};

}  // namespace

template <class T>
void run_on_gpu(const MatmulRun<T>& run, const std::vector<MatmulRow>& rows) {
    GpuRun<T> gpu(run);
    for (const MatmulRow& row : rows) gpu.add(row);
}

template void run_on_gpu(const MatmulRun<float>&, const std::vector<MatmulRow>&);
template void run_on_gpu(const MatmulRun<double>&, const std::vector<MatmulRow>&);

}  // namespace stencil::matmul

#endif
