#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/arrays/arrays.h"
#include "sim/examples/einsum/plan.h"
#include "sim/field/random.h"
#include "sim/files/npy.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil::einsum {
namespace {

constexpr DType kDTypes[] = {DType::float32, DType::float64};

using Kind = ExampleOption::Kind;

constexpr ExampleOption kOptions[] = {
    {"subscripts", Kind::text, "S", "of NumPy's einsum: 'ij,jk->ik', '...ii->...i', 'ij,jk'", "ij,jk->...k"},
    {"sizes", Kind::text, "S", "of the labels: i=100,...=4x5", "i=10000,j=5000,k=7000", 0, 0, "operand"},
    {"operand", Kind::file, "FILE", "an operand as .npy, once for each", "", 0, 0, {}, {}, true},
    {"seed", Kind::integer, "N", "of the random operands", "987654321", 0, 9007199254740992.0, "operand"},
    {"repetitions", Kind::integer, "N", "how often it is computed in what is timed", "10", 1, 100'000},
};

constexpr std::string_view kAbout =
    "Einsum with the same plan on the CPU and the GPU: labels that occur in one operand alone are summed out "
    "first, then the operands are multiplied in pairs, in the order with the fewest operations. The default, "
    "a matrix product followed by the sums of its columns, is one pass over A and one over B. Times are "
    "those of all repetitions. Operands from files are computed in their own precision first (float64 where "
    "they are not all float32), then in the other one unless --dtype names one; --out DIR also gets "
    "result.npy, of the first.";

/// The request, checked without reading or making any values.
struct EinsumTask {
    Contraction contraction;
    std::vector<std::string> files;  ///< none: random operands
    std::vector<DType> dtypes;       ///< of files, their own first
    bool integers = false;           ///< all files have integers or booleans
    bool booleans = false;           ///< all have booleans
    std::uint64_t seed = 0;
    long long repetitions = 1;
    std::string subscripts;
};

// float32 where all files are; else float64, integers and booleans included.
DType own_dtype(const std::vector<NpyHeader>& headers) {
    const bool single =
        std::ranges::all_of(headers, [](const NpyHeader& header) { return header.descr.ends_with("f4"); });
    return single ? DType::float32 : DType::float64;
}

// Integers beyond it need not be float64 numbers.
constexpr double kLargestInteger = 0x1p53;

bool all_of_kinds(const std::vector<NpyHeader>& headers, std::string_view kinds) {
    return std::ranges::all_of(
        headers, [&](const NpyHeader& header) { return kinds.find(header.descr[1]) != kinds.npos; });
}

// Throws InputError.
EinsumTask einsum_task(const ExampleRequest& request) {
    EinsumTask task;
    task.subscripts = request.options.text("subscripts");
    task.files = request.options.all("operand");
    task.dtypes = request.dtypes();
    task.seed = std::uint64_t(request.options.integer("seed"));
    task.repetitions = request.options.integer("repetitions");
    const Subscripts subscripts = parse_subscripts(task.subscripts);
    if (task.files.empty()) {
        const LabelSizes sizes = parse_label_sizes(request.options.text("sizes"));
        task.contraction = bind_subscripts(subscripts, shapes_for(subscripts, sizes));
        return task;
    }
    if (request.options.given("sizes"))
        throw InputError(Given{"sizes"},
                         "is for random operands; those of --operand files have their own sizes");
    std::vector<NpyHeader> headers;
    std::vector<Contraction::Shape> shapes;
    for (const std::string& file : task.files) {
        headers.push_back(read_npy_header(file));
        shapes.push_back(headers.back().shape);
    }
    task.contraction = bind_subscripts(subscripts, shapes);
    task.integers = all_of_kinds(headers, "biu");
    task.booleans = all_of_kinds(headers, "b");
    const DType own = own_dtype(headers);
    std::stable_partition(task.dtypes.begin(), task.dtypes.end(), [&](DType dtype) { return dtype == own; });
    return task;
}

// All operands in one precision. Random ones come from one generator, one after the other, as
// default_rng(seed).random(shape, dtype) makes them in NumPy.
template <class T>
std::vector<AlignedBuffer<T>> make_operands(const EinsumTask& task, ExampleContext& context) {
    std::vector<AlignedBuffer<T>> operands;
    Random random(task.seed);
    for (std::size_t i = 0; i < task.contraction.shapes.size(); ++i) {
        if (!task.files.empty()) {
            NpyArray array = read_npy_array(task.files[i], dtype_of<T>);
            if (array.shape != task.contraction.shapes[i])
                throw InputError("{}: has another shape than a moment ago", task.files[i]);
            const auto& values = std::get<std::vector<T>>(array.values);
            const std::string type = read_npy_header(task.files[i]).descr;
            const bool wide = type.ends_with("i8") || type.ends_with("u8");
            if (wide && std::ranges::any_of(values, [](T v) { return std::abs(v) >= T(kLargestInteger); }))
                throw InputError(
                    "{}: integers of 2^53 and more are no float64 numbers in general, and einsum "
                    "computes in floating point",
                    task.files[i]);
            std::ranges::copy(values, operands.emplace_back(values.size()).begin());
            context.pause();
            continue;
        }
        operands.push_back(random_array<T>(context, random, product_of(task.contraction.shapes[i])));
    }
    return operands;
}

void check(const ExampleRequest& request) {
    make_plan(einsum_task(request).contraction);
}

// Throws MachineError where operands, intermediates and results do not fit in main memory, where those of
// float32 are there in float64 as well, or in that of the GPU, if it is to be used.
void require_memory(const EinsumTask& task, const Plan& plan, const ExampleContext& context) {
    const double result = double(plan.tensors.back().values), scratch = double(plan.scratch_values);
    double operands = 0;
    for (std::size_t i = 0; i < plan.operands; ++i) operands += double(plan.tensors[i].values);
    const auto require = [](double needed, double free, const char* memory) {
        if (needed > free)
            throw MachineError("einsum: needs {} of {} memory, of which {} may be used",
                               format_bytes(needed),
                               memory,
                               format_bytes(free));
    };
    require(12 * operands + 8 * scratch + 24 * result, double(query_host_memory().free_bytes), "main");
    if (context.gpu())
        require((operands + scratch + result) * double(bytes_of(std::ranges::max(task.dtypes))),
                context.gpu_budget(),
                "GPU");
}

// The table "path", and notes.
void describe_plan(const EinsumTask& task, const Plan& plan, Report& report) {
    ReportTable table;
    table.id = "path";
    table.title = fmt::format("Path of {}", task.subscripts);
    table.columns = {"step", "kind", "subscripts", "flops", "values moved", "values of the result"};
    for (std::size_t i = 0; i < plan.steps.size(); ++i) {
        const PlanStep& step = plan.steps[i];
        table.rows.push_back({i + 1,
                              step.kind,
                              step.subscripts,
                              step.flops,
                              step.values_moved,
                              plan.tensors[std::size_t(step.out)].values});
    }
    report.tables.push_back(std::move(table));
    const double naive = task.contraction.naive_flops();
    report.notes.push_back(fmt::format(
        "One repetition takes {:.3g} operations ({:.3g} in a loop over all labels at once), moves {:.3g} MB "
        "in float32 and twice as many in float64; the largest intermediate has {} values.",
        plan.flops(),
        naive,
        plan.values_moved() * 4e-6,
        plan.largest_intermediate));
    if (task.subscripts != "ij,jk->...k") return;
    report.notes.emplace_back(
        "i is summed out of A before anything is multiplied, on both sides: the ratio of the times is that "
        "of two memories. CuPy does the same (sum, then matmul), and so does NumPy from 2.4 on; before, "
        "NumPy went through the loop over all labels.");
}

// Fewer fit in caches, and take as long as starting the work: they are held against no limit.
constexpr double kFewValues = 1e6;

// Bytes and operations per second of a row whose seconds are known, the one that is nearer its limit first.
void add_einsum_rates(ReportRow& row, const Plan& plan, long long repetitions, ExampleContext& context) {
    row.more.emplace_back("repetition_seconds", row.seconds / double(repetitions));
    if (row.seconds <= 0 || plan.values_moved() < kFewValues) return;
    const Rate bytes =
        context.memory_rate(row, plan.values_moved() * double(bytes_of(row.dtype)) * double(repetitions));
    Rate flops = context.arithmetic_rate(row, plan.flops() * double(repetitions), row.dtype);
    flops.limit_name = "fused " + flops.limit_name;
    row.rates = {bytes, flops};
    if (flops.value / flops.limit > bytes.value / bytes.limit) std::swap(row.rates[0], row.rates[1]);
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

// Multiplications of the definition that take about a second in all.
constexpr double kMaxTerms = 1e8;
constexpr std::int64_t kMaxChecked = 200;

// Value number `index` of the result in C order, as einsum is defined: a loop over all labels, without plans,
// libraries or rounding worth mentioning.
long double direct_value(const Contraction& contraction,
                         std::span<const double* const> operands,
                         std::int64_t index) {
    std::vector<std::int64_t> at(contraction.sizes.size());  // by label
    for (std::size_t i = contraction.output.size(); i-- > 0;) {
        const auto label = std::size_t(contraction.output[i]);
        at[label] = index % contraction.sizes[label];
        index /= contraction.sizes[label];
    }
    long double sum = 0;
    const auto add = [&](const auto& self,
                         std::size_t label) -> void {  // all values of this label and later ones
        if (label < at.size() && contains(contraction.output, int(label))) return self(self, label + 1);
        if (label < at.size()) {
            for (at[label] = 0; at[label] < contraction.sizes[label]; ++at[label]) self(self, label + 1);
            return;
        }
        long double term = 1;
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const auto& shape = contraction.shapes[o];
            std::int64_t place = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)  // one of length 1 is repeated
                place = place * shape[axis] +
                        (shape[axis] == 1 ? 0 : at[std::size_t(contraction.operands[o][axis])]);
            term *= (long double)(operands[o][place]);
        }
        sum += term;
    };
    add(add, 0);
    return sum;
}

/// Norms of a result against what it should be.
struct ErrorNorms {
    double error = 0, reference = 0;
    double relative() const { return reference > 0 ? error / reference : error; }
};

template <class T>
ErrorNorms error_norms(const std::vector<T>& result, const std::vector<double>& reference) {
    double error = 0, norm = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
        const double off = double(result[i]) - reference[i];
        error += off * off;
        norm += reference[i] * reference[i];
    }
    return {std::sqrt(error), std::sqrt(norm)};
}

// Fills the row's error and check from some values of the result by the definition, as many as are quick;
// kNotMeasured where one value already takes too long. Throws Cancelled.
void check_by_definition(ReportRow& row,
                         const Contraction& contraction,
                         std::span<const double* const> operands,
                         std::span<const double> result,
                         const ExampleContext& context) {
    const auto values = std::int64_t(result.size());
    double terms = 1;  // multiplications for one value
    for (std::size_t label = 0; label < contraction.sizes.size(); ++label)
        if (!contains(contraction.output, int(label))) terms *= double(contraction.sizes[label]);
    const auto count =
        std::int64_t(std::min({kMaxTerms / std::max(1.0, terms), double(kMaxChecked), double(values)}));
    if (count == 0) {
        row.error = values == 0 ? 0 : kNotMeasured;
        row.check = values == 0 ? "no values" : "a direct loop would take too long";
        return;
    }
    Random random(1);
    std::vector<double> some, reference;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = count == values ? i : std::int64_t(random.next_double() * double(values));
        some.push_back(result[std::size_t(at)]);
        reference.push_back(double(direct_value(contraction, operands, at)));
        context.pause();
    }
    row.error = error_norms(some, reference).relative();
    row.check = fmt::format("{} of {} values against a direct loop in extended precision", count, values);
}

/// One precision's operands, and what the result should be.
template <class T>
class Runner {
  public:
    Runner(const EinsumTask& task, ExampleContext& context)
        : task_(task), context_(context), plan_(make_plan(task.contraction)) {
        context_.begin_part(fmt::format("operands in {}", name_of(dtype_of<T>)));
        operands_ = make_operands<T>(task, context);
        context_.begin_part("the result in float64");
        if constexpr (sizeof(T) == 4) {
            std::vector<std::vector<double>> wide;
            for (const auto& operand : operands_) wide.emplace_back(operand.begin(), operand.end());
            reference_ = compute(task_, pointers_to(wide), context_);
        } else {
            reference_ = compute(task_, pointers_to(operands_), context_);
        }
    }

    void add_rows() {
        std::string work = task_.subscripts.empty() ? "''" : task_.subscripts;
        if (task_.repetitions > 1) work += fmt::format(", {} times", task_.repetitions);
        std::vector<Variant> variants;
        for (const Device device : {Device::cpu, Device::cuda})
            if (device == Device::cpu || context_.request().on_gpu())
                variants.push_back({device == Device::cpu ? "own sums, OpenBLAS" : "own sums, cuBLAS",
                                    device,
                                    [this](ReportRow& row) { measure_row(row); }});
        measure(context_, work, dtype_of<T>, variants);
    }

    void write_result() {
        const std::string& folder = context_.request().out;
        if (folder.empty() || !result_) return;
        const auto path = std::filesystem::path(folder) / "result.npy";
        write_npy_array(path, {task_.contraction.output_shape(), std::move(*result_)});
        context_.report().files.push_back(path.string());
    }

  private:
    void measure_row(ReportRow& row) {
        std::vector<T> result(reference_.size());
        {  // nothing of it is left on the device when the machine's limits are measured
            Arrays<T> arrays(context_, row.backend);
            arrays.add(operands_);
            std::vector<const T*> operands;
            const std::size_t out = operands_.size();
            for (std::size_t i = 0; i < out; ++i) operands.push_back(arrays.at(i));
            arrays.allocate(plan_.tensors.back().values);
            arrays.allocate(plan_.scratch_values);
            arrays.send(operands_, row);
            const auto arithmetic = arithmetic_on(arrays);
            const auto repeat = [&](long long times) {
                for (; times > 0; --times)
                    execute_plan<T>(plan_, *arithmetic, operands, arrays.at(out + 1), arrays.at(out));
            };
            // Between two tellings of how far it is, which take a microsecond and on the GPU wait.
            const long long all = task_.repetitions,
                            enough = std::max(1LL, (long long)(1e6 / std::max(1.0, plan_.flops()))),
                            together = std::min(all, arrays.on_gpu() ? 100 : enough);
            std::function<void()> launch = [&] { repeat(together); };
            if constexpr (STENCILSCOPE_HAS_CUDA)
                if (arrays.on_gpu()) {
                    repeat(1);  // libraries set themselves up in their first call
                    arrays.stream().synchronize();
                    launch = [graph = std::make_shared<CudaGraph>(arrays.stream(), launch), &arrays] {
                        graph->launch(arrays.stream());
                    };
                }
            arrays.time(row, [&] {
                long long done = 0;
                for (; done + together <= all; done += together) {
                    launch();
                    if (done + together == all) return;
                    if constexpr (STENCILSCOPE_HAS_CUDA)
                        if (arrays.on_gpu()) arrays.stream().synchronize();
                    context_.progress(double(done + together) / double(all));
                }
                repeat(all - done);
            });
            arrays.get(out, result, row);
        }
        // A reference by the same plan would share its rounding errors; the definition does not.
        bool by_definition = false;
        if constexpr (sizeof(T) == 8)
            if ((by_definition = row.backend == Device::cpu))
                check_by_definition(row, task_.contraction, pointers_to(operands_), result, context_);
        if (!by_definition) check_against_reference(row, result);
        finish(row, std::move(result));
    }

    std::unique_ptr<EinsumArithmetic<T>> arithmetic_on(const Arrays<T>& arrays) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (arrays.on_gpu()) return cuda_einsum_arithmetic<T>(arrays.stream());
        return cpu_einsum_arithmetic<T>(context_.threads(), [&] { context_.pause(); });
    }

    void finish(ReportRow& row, std::vector<T> result) {
        add_einsum_rates(row, plan_, task_.repetitions, context_);
        if (task_.integers &&
            std::ranges::any_of(result, [](T v) { return std::abs(v) > T(kLargestInteger); }))
            row.check += "; values beyond 2^53 are rounded, which NumPy's integers are not";
        if (!result_) result_ = std::move(result);
    }

    // Sums that cancel have large relative errors by their nature: what must not be large is the error beside
    // the sum of the magnitudes.
    void check_against_reference(ReportRow& row, const std::vector<T>& result) {
        const ErrorNorms norms = error_norms(result, reference_);
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

    const EinsumTask& task_;
    ExampleContext& context_;
    Plan plan_;
    std::vector<AlignedBuffer<T>> operands_;
    std::vector<double> reference_;
    std::optional<std::vector<T>> result_;  ///< of the first row
};

void run(ExampleContext& context) {
    const EinsumTask task = einsum_task(context.request());
    const Plan plan = make_plan(task.contraction);
    require_memory(task, plan, context);
    describe_plan(task, plan, context.report());
    if (task.booleans)
        context.report().notes.emplace_back(
            "Booleans count as 0 and 1, and sums count them; NumPy's einsum has logical or.");
    for (const DType dtype : task.dtypes) {
        const bool first = dtype == task.dtypes.front();
        try {
            in_dtype(dtype, [&]<class T>(T) {
                Runner<T> runner(task, context);
                runner.add_rows();
                if (first) runner.write_result();
            });
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
