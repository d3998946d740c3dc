#include "sim/examples/einsum/einsum.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/einsum/direct_loop.h"
#include "sim/examples/einsum/gpu_einsum.h"
#include "sim/examples/einsum/operands.h"
#include "sim/examples/einsum/plan.h"
#include "sim/examples/einsum/report.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"

namespace stencil::einsum {
namespace {

constexpr DType kDTypes[] = {DType::float32, DType::float64};

constexpr ExampleOption kOptions[] = {
    {.name = "subscripts",
     .value = "S",
     .help = "as NumPy's einsum takes them: 'ij,jk->ik', '...ii->...i', 'ij,jk' (implicit output)",
     .standard = "ij,jk->...k"},
    {.name = "sizes",
     .value = "SIZES",
     .help = "of the labels of random operands, and of the ellipsis: i=100,j=200,...=4x5",
     .standard = "i=10000,j=5000,k=7000",
     .replaced_by = "operand"},
    {.name = "operand",
     .kind = ExampleOption::Kind::file,
     .value = "FILE",
     .help = "an operand from a .npy file instead of random ones; once per operand",
     .repeatable = true},
    {.name = "seed",
     .kind = ExampleOption::Kind::integer,
     .value = "N",
     .help = "of the random operands",
     .standard = "987654321",
     .least = 0,
     .most = 9007199254740992.0,
     .replaced_by = "operand"},
    {.name = "repetitions",
     .kind = ExampleOption::Kind::integer,
     .value = "N",
     .help = "computed so many times in a row, as the tutorial does; times are those of all",
     .standard = "10",
     .least = 1,
     .most = 100'000},
};

constexpr std::string_view kAbout =
    "Einsum on the CPU and the GPU, with the same plan on both sides: labels that occur in one operand alone "
    "are summed out first, then the operands are multiplied in pairs, in the order with the fewest "
    "operations, by sums, element-wise products and (batched) matrix products of OpenBLAS and cuBLAS in full "
    "precision. The default is the tutorial's matrix product followed by the sums of its columns: summed "
    "first, it is one pass over A and one over B. Times are those of all repetitions, errors are against "
    "float64. Operands from files are computed in their own precision first (float64 where they are not all "
    "float32), and in the other one after that unless --dtype names one. --out DIR also gets result.npy, of "
    "the precision that is computed first. With --memory-limit, or on a small GPU, the work is cut along "
    "labels and streamed.";

void check(const ExampleRequest& request) {
    make_plan(einsum_task(request).contraction);
}

template <class T>
std::vector<T> compute(const EinsumTask& task,
                       const std::vector<const T*>& operands,
                       ExampleContext& context) {
    const Plan plan = make_plan(task.contraction);
    std::vector<T> scratch(std::size_t(plan.scratch_values)), result(std::size_t(plan.tensors.back().values));
    const auto arithmetic = cpu_einsum_arithmetic<T>(context.threads(), [&] { context.pause(); });
    execute_plan<T>(plan, *arithmetic, operands, scratch.data(), result.data());
    return result;
}

/// One precision's operands, and what the result should be.
template <class T>
class Runner {
  public:
    Runner(const EinsumTask& task, const ExampleRequest& request, ExampleContext& context)
        : task_(task), request_(request), context_(context), plan_(make_plan(task.contraction)) {
        progress(0, fmt::format("operands in {}", name_of(dtype())));
        operands_ = make_operands<T>(task, context);
        progress(0.3, "the result in float64");
        if constexpr (sizeof(T) == 4) {
            std::vector<std::vector<double>> wide;
            for (const auto& operand : operands_) wide.emplace_back(operand.begin(), operand.end());
            reference_ = compute(task_, pointers_to(wide), context_);
        } else {
            reference_ = compute(task_, pointers_to(operands_), context_);
        }
    }

    void run_cpu() {
        progress(0.4, fmt::format("CPU, {}", name_of(dtype())));
        std::vector<T> scratch(std::size_t(plan_.scratch_values)), result(reference_.size(), T(NAN));
        const auto arithmetic = cpu_einsum_arithmetic<T>(context_.threads(), [&] { context_.pause(); });
        const auto operands = pointers_to(operands_);
        ReportRow row = empty_row(Device::cpu);
        time_host(context_, request_.repeats, [&] {
            for (long long i = 0; i < task_.repetitions; ++i)
                execute_plan<T>(plan_, *arithmetic, operands, scratch.data(), result.data());
        }).fill(row);
        if constexpr (sizeof(T) == 4)
            check_against_reference(row, result);
        else
            check_by_direct_loop(row, result);
        finish(std::move(row));
        keep(std::move(result));
    }

    void run_gpu() {
        ReportRow row = empty_row(Device::cuda);
        if (!context_.gpu()) return context_.add_absent(std::move(row), context_.why_no_gpu());
#if STENCILSCOPE_HAS_CUDA
        progress(0.7, fmt::format("GPU, {}", name_of(dtype())));
        // What the libraries take for themselves must have room as well.
        const double budget = std::min(context_.gpu_budget(), 0.95 * double(cuda_memory().free_bytes));
        const Slicing slicing = choose_slicing(task_.contraction, sizeof(T), budget, gpu_step_bytes<T>());
        std::vector<T> result(reference_.size(), T(NAN));
        measure_gpu(slicing, budget, row, result);
        row.more.emplace_back("pieces", slicing.pieces());
        check_against_reference(row, result);
        if (slicing.is_sliced()) row.check += fmt::format("; {}", slicing_text(slicing));
        finish(std::move(row));
        keep(std::move(result));
#endif
    }

    void write_result() {
        if (request_.out.empty() || !has_result_) return;
        const auto path = std::filesystem::path(request_.out) / "result.npy";
        write_npy_array(path, {task_.contraction.output_shape(), std::move(result_)});
        context_.report().files.push_back(path.string());
    }

  private:
    static constexpr DType dtype() {
        return sizeof(T) == 4 ? DType::float32 : DType::float64;
    }

#if STENCILSCOPE_HAS_CUDA
    // Nothing of it is left on the device when the machine's limits are measured.
    void measure_gpu(const Slicing& slicing, double budget, ReportRow& row, std::vector<T>& result) {
        CudaMemoryMeter meter{std::size_t(budget)};
        CudaStream stream;
        const auto operands = pointers_to(operands_);
        const auto einsum =
            make_gpu_einsum<T>({slicing, operands, stream, context_.threads(), [&] { context_.pause(); }});
        const int times = int(task_.repetitions);
        if (slicing.is_sliced()) {
            time_host(context_, request_.repeats, [&] { einsum->run(times); }).fill(row);
            einsum->fetch(result.data());
        } else {
            row.to_device_seconds = time_host(context_, 3, [&] { einsum->upload(); }).seconds;
            time_device(context_, stream, request_.repeats, [&] { einsum->run(times); }).fill(row);
            row.to_host_seconds = time_host(context_, 3, [&] { einsum->fetch(result.data()); }).seconds;
        }
        row.gpu_memory = GpuMemoryUse{slicing.bytes(), double(meter.peak_bytes())};
    }
#endif

    // Of the share of one precision in all of them.
    void progress(double share, const std::string& doing) {
        const auto& all = task_.dtypes;
        const double before = double(std::ranges::find(all, dtype()) - all.begin());
        context_.progress((before + share) / double(all.size()), doing);
    }

    ReportRow empty_row(Device device) const {
        ReportRow row;
        row.work = task_.subscripts.empty() ? "''" : task_.subscripts;
        if (task_.repetitions > 1) row.work += fmt::format(", {} times", task_.repetitions);
        row.name = device == Device::cpu ? "own sums, OpenBLAS" : "own sums, cuBLAS";
        row.backend = device;
        row.dtype = dtype();
        return row;
    }

    void finish(ReportRow row) {
        add_einsum_rates(row, plan_, task_.repetitions, context_);
        context_.add(std::move(row));
    }

    void keep(std::vector<T> result) {
        if (!has_result_) result_ = std::move(result);
        has_result_ = true;
    }

    // Sums that cancel have large relative errors by their nature: what must not be large is the error beside
    // the sum of the magnitudes.
    void check_against_reference(ReportRow& row, const std::vector<T>& result) {
        const ErrorNorms norms = error_norms<T>(result, reference_);
        row.error = norms.relative();
        constexpr double kAllowed = sizeof(T) == 4 ? 5e-6 : 1e-13;
        row.check = "all values against float64";
        if (row.error <= kAllowed) return;
        std::vector<std::vector<double>> magnitudes;
        for (const auto& operand : operands_) {
            auto& absolute = magnitudes.emplace_back(operand.begin(), operand.end());
            for (double& value : absolute) value = std::abs(value);
        }
        const auto sums = compute(task_, pointers_to(magnitudes), context_);
        double norm = 0;
        for (const double value : sums) norm += value * value;
        const double share = norm > 0 ? norms.error / std::sqrt(norm) : norms.error;
        row.failed = !(share <= kAllowed);
        row.check += fmt::format("; {:.1e} of the sums of magnitudes", share);
    }

    // The same plan would round in the same way; the definition does not.
    void check_by_direct_loop(ReportRow& row, const std::vector<T>& result) {
        const DirectCheck<T> direct(task_.contraction, pointers_to(operands_), context_);
        row.error = direct.error(result);
        row.check = direct.text();
    }

    const EinsumTask& task_;
    const ExampleRequest& request_;
    ExampleContext& context_;
    Plan plan_;
    std::vector<AlignedBuffer<T>> operands_;
    std::vector<double> reference_;
    std::vector<T> result_;
    bool has_result_ = false;
};

template <class T>
void run_in(const EinsumTask& task, const ExampleRequest& request, ExampleContext& context, bool first) {
    Runner<T> runner(task, request, context);
    if (request.on_cpu()) runner.run_cpu();
    if (request.on_gpu()) runner.run_gpu();
    if (first) runner.write_result();
}

void run(const ExampleRequest& request, ExampleContext& context) {
    const EinsumTask task = einsum_task(request);
    const Plan plan = make_plan(task.contraction);
    require_host_memory(task, plan);
    describe_plan(task, plan, context.report());
    for (const DType dtype : task.dtypes) {
        const bool first = dtype == task.dtypes.front();
        try {
            if (dtype == DType::float32)
                run_in<float>(task, request, context, first);
            else
                run_in<double>(task, request, context, first);
        } catch (const InputError& error) {
            // Values of a file that the other precision can't hold.
            if (first) throw;
            context.report().notes.emplace_back(error.what());
        }
    }
}

}  // namespace

const Example kEinsumExample{"einsum",
                             "any einsum: by default, column sums of a matrix product",
                             kAbout,
                             kOptions,
                             kDTypes,
                             check,
                             run};

}  // namespace stencil::einsum
