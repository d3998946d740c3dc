#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <filesystem>
#include <map>
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
    "those of all repetitions. Operands from files are computed in the type that NumPy's rules give: "
    "integers "
    "exactly, booleans by logical or, complex numbers in complex128, all three on the CPU; floats in their "
    "own "
    "precision first, then in the other one. --dtype names a precision of floats instead. --out DIR also "
    "gets "
    "result.npy, of the first.";

/// A type of NumPy, as .npy files spell it after the order of bytes.
struct ElementType {
    char kind = 'f';  ///< b, i, u, f or c
    int bytes = 8;

    std::string descr() const { return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes); }
    std::string name() const {
        return kind == 'b' ? "bool"
                           : fmt::format("{}{}",
                                         kind == 'i'   ? "int"
                                         : kind == 'u' ? "uint"
                                         : kind == 'f' ? "float"
                                                       : "complex",
                                         8 * bytes);
    }
    bool is_float() const { return kind == 'f'; }
};

// numpy.result_type
ElementType result_type(const std::vector<NpyHeader>& headers) {
    std::map<char, int> widest;  // bytes, of complex numbers those of a part
    for (const NpyHeader& header : headers) {
        const char kind = header.descr[1];
        const int bytes = std::stoi(header.descr.substr(2));
        widest[kind] = std::max(widest[kind], kind == 'c' ? bytes / 2 : bytes);
    }
    const int integer = std::max(widest['i'], widest['u']), real = std::max(widest['f'], widest['c']);
    if (real > 0) {
        const int part = std::max({real, integer > 2 ? 8 : 2 * integer, widest['c'] > 0 ? 4 : 0});
        return widest['c'] > 0 ? ElementType{'c', 2 * part} : ElementType{'f', part};
    }
    if (integer == 0) return {'b', 1};
    if (widest['i'] == 0) return {'u', integer};
    const int bytes = std::max(widest['i'], 2 * widest['u']);
    return bytes > 8 ? ElementType{'f', 8} : ElementType{'i', bytes};
}

/// The request, checked without reading or making any values.
struct EinsumTask {
    Contraction contraction;
    std::vector<std::string> files;  ///< none: random operands
    std::vector<DType> dtypes;       ///< of floats, those of files first
    ElementType type;                ///< of the result
    bool plain = false;              ///< it is no float
    std::uint64_t seed = 0;
    long long repetitions = 1;
    std::string subscripts;
};

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
    task.type = result_type(headers);
    task.plain = !task.type.is_float() && !request.options.given("dtype");
    const DType own = task.type.bytes < 8 ? DType::float32 : DType::float64;
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
    require((task.plain ? 24 : 12) * operands + 16 * scratch + 24 * result,
            double(query_host_memory().free_bytes),
            "main");
    if (context.gpu() && !task.plain)
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

std::string work_of(const EinsumTask& task) {
    const std::string work = task.subscripts.empty() ? "''" : task.subscripts;
    return task.repetitions > 1 ? fmt::format("{}, {} times", work, task.repetitions) : work;
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
template <class Sum, class T>
Sum direct_value(const Contraction& contraction, std::span<const T* const> operands, std::int64_t index) {
    std::vector<std::int64_t> at(contraction.sizes.size());  // by label
    for (std::size_t i = contraction.output.size(); i-- > 0;) {
        const auto label = std::size_t(contraction.output[i]);
        at[label] = index % contraction.sizes[label];
        index /= contraction.sizes[label];
    }
    Sum sum{};
    const auto add = [&](const auto& self,
                         std::size_t label) -> void {  // all values of this label and later ones
        if (label < at.size() && contains(contraction.output, int(label))) return self(self, label + 1);
        if (label < at.size()) {
            for (at[label] = 0; at[label] < contraction.sizes[label]; ++at[label]) self(self, label + 1);
            return;
        }
        Sum term{1};
        for (std::size_t o = 0; o < operands.size(); ++o) {
            const auto& shape = contraction.shapes[o];
            std::int64_t place = 0;
            for (std::size_t axis = 0; axis < shape.size(); ++axis)  // one of length 1 is repeated
                place = place * shape[axis] +
                        (shape[axis] == 1 ? 0 : at[std::size_t(contraction.operands[o][axis])]);
            term = term * Sum(operands[o][place]);
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

// The values of the result that are quick to find by the definition: their places and what they should be.
template <class Sum, class T>
std::vector<std::pair<std::size_t, Sum>> values_by_definition(const Contraction& contraction,
                                                              std::span<const T* const> operands,
                                                              const ExampleContext& context) {
    const std::int64_t values = product_of(contraction.output_shape());
    double terms = 1;  // multiplications for one value
    for (std::size_t label = 0; label < contraction.sizes.size(); ++label)
        if (!contains(contraction.output, int(label))) terms *= double(contraction.sizes[label]);
    const auto count =
        std::int64_t(std::min({kMaxTerms / std::max(1.0, terms), double(kMaxChecked), double(values)}));
    Random random(1);
    std::vector<std::pair<std::size_t, Sum>> some;
    for (std::int64_t i = 0; i < count; ++i) {
        const std::int64_t at = count == values ? i : std::int64_t(random.next_double() * double(values));
        some.emplace_back(at, direct_value<Sum>(contraction, operands, at));
        context.pause();
    }
    return some;
}

// The check's text, for so many values; says why there are none.
std::string check_text(std::size_t count, std::size_t values, const char* against) {
    if (values == 0) return "no values";
    if (count == 0) return "a direct loop would take too long";
    return fmt::format("{} of {} values against a direct loop{}", count, values, against);
}

/// Integers, booleans and complex numbers, on the CPU alone.
template <class T>
void run_plain(const EinsumTask& task, const Plan& plan, ExampleContext& context) {
    constexpr bool kComplex = std::is_same_v<T, std::complex<double>>;
    context.begin_part("operands");
    std::vector<std::vector<T>> operands;
    for (std::size_t i = 0; i < task.files.size(); ++i) {
        context.pause();
        if constexpr (std::is_same_v<T, Logical>)
            for (auto& operand = operands.emplace_back();
                 const std::uint64_t bit : read_npy_values<std::uint64_t>(task.files[i]))
                operand.push_back({static_cast<unsigned char>(bit)});
        else
            operands.push_back(read_npy_values<T>(task.files[i]));
        if (std::int64_t(operands.back().size()) != product_of(task.contraction.shapes[i]))
            throw InputError("{}: has another shape than a moment ago", task.files[i]);
    }
    const auto pointers = pointers_to(operands);
    std::vector<T> result(std::size_t(plan.tensors.back().values)), scratch(std::size_t(plan.scratch_values));
    const auto run = [&](ReportRow& row) {
        const auto arithmetic = plain_einsum_arithmetic<T>(context.threads(), [&] { context.pause(); });
        time_host(context, row, [&] {
            for (long long i = 0; i < task.repetitions; ++i) {
                execute_plan<T>(plan, *arithmetic, pointers, scratch.data(), result.data());
                context.progress(double(i) / double(task.repetitions));
            }
        });
        using Sum = std::conditional_t<kComplex, std::complex<long double>, T>;
        const auto right = values_by_definition<Sum, T>(task.contraction, pointers, context);
        long double off = 0, size = 0;
        for (const auto& [at, value] : right)
            if constexpr (kComplex) {
                off += std::norm(Sum(result[at]) - value);
                size += std::norm(value);
            } else {
                off += result[at] == value ? 0 : 1;
                size += 1;
            }
        row.error = off == 0 ? 0 : double(std::sqrt(off / size));
        row.failed = kComplex ? !(row.error <= 1e-10) : off > 0;
        row.check = check_text(right.size(), result.size(), kComplex ? " in extended precision" : "");
        row.more.emplace_back("repetition_seconds", row.seconds / double(task.repetitions));
    };
    const std::string name = task.type.name();
    measure(context,
            work_of(task),
            DType::float64,
            {{"plain loops", Device::cpu, run},
             {"own sums, cuBLAS", Device::cuda, run, fmt::format("{} is computed on the CPU alone", name)}},
            name);
    if (context.request().out.empty() || context.report().rows.empty()) return;
    // NumPy's integers wrap in their own width, so the lower bytes of a wider result are theirs.
    std::vector<std::byte> bytes;
    for (const T& value : result) {
        std::complex<float> narrow;
        const void* from = &value;
        if constexpr (kComplex)
            if (task.type.bytes == 8) narrow = std::complex<float>(value), from = &narrow;
        const auto* const begin = static_cast<const std::byte*>(from);
        bytes.insert(bytes.end(), begin, begin + task.type.bytes);
    }
    const auto path = std::filesystem::path(context.request().out) / "result.npy";
    write_npy_bytes(path, task.type.descr(), task.contraction.output_shape(), bytes);
    context.report().files.push_back(path.string());
}

// float16, rounded to even.
std::uint16_t half_float(float value) {
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    const double size = std::abs(double(value));
    if (size >= 65520) return sign | 0x7c00;
    const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
    const auto mantissa = int(std::nearbyint(std::ldexp(size, 10 - exponent)));  // with its leading one
    return std::uint16_t(sign + ((exponent + 14) << 10) + mantissa);
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
        std::vector<Variant> variants;
        for (const Device device : {Device::cpu, Device::cuda})
            if (device == Device::cpu || context_.request().on_gpu())
                variants.push_back({device == Device::cpu ? "own sums, OpenBLAS" : "own sums, cuBLAS",
                                    device,
                                    [this](ReportRow& row) { measure_row(row); }});
        measure(context_, work_of(task_), dtype_of<T>, variants);
    }

    void write_result() {
        const std::string& folder = context_.request().out;
        if (folder.empty() || !result_) return;
        const auto path = std::filesystem::path(folder) / "result.npy";
        const Contraction::Shape shape = task_.contraction.output_shape();
        if (task_.type.is_float() && task_.type.bytes == 2 && sizeof(T) == 4) {
            std::vector<std::uint16_t> halves(result_->size());
            std::ranges::transform(
                *result_, halves.begin(), [](T value) { return half_float(float(value)); });
            write_npy_bytes(path, "<f2", shape, std::as_bytes(std::span(halves)));
        } else {
            write_npy_array(path, {shape, std::move(*result_)});
        }
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
        if (sizeof(T) == 8 && row.backend == Device::cpu)
            check_by_definition(row, result);
        else
            check_against_reference(row, result);
        add_einsum_rates(row, plan_, task_.repetitions, context_);
        if (!result_) result_ = std::move(result);
    }

    void check_by_definition(ReportRow& row, const std::vector<T>& result) {
        const std::vector<const T*> operands = pointers_to(operands_);
        std::vector<T> some;
        std::vector<double> right;
        for (const auto& [at, value] :
             values_by_definition<long double, T>(task_.contraction, operands, context_)) {
            some.push_back(result[at]);
            right.push_back(double(value));
        }
        row.error = some.empty() && !result.empty() ? kNotMeasured : error_norms(some, right).relative();
        row.check = check_text(some.size(), result.size(), " in extended precision");
    }

    std::unique_ptr<EinsumArithmetic<T>> arithmetic_on(const Arrays<T>& arrays) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (arrays.on_gpu()) return cuda_einsum_arithmetic<T>(arrays.stream());
        return cpu_einsum_arithmetic<T>(context_.threads(), [&] { context_.pause(); });
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
    if (task.plain) {
        if (task.type.kind == 'b') return run_plain<Logical>(task, plan, context);
        if (task.type.kind == 'c') return run_plain<std::complex<double>>(task, plan, context);
        return run_plain<std::uint64_t>(task, plan, context);
    }
    if (!task.type.is_float())
        context.report().notes.push_back(
            fmt::format("Without --dtype the result is {}, as NumPy has it.", task.type.name()));
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
