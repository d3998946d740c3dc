// Expressions of each element: in one pass, and in the separate passes that array libraries make of them; and
// c = a + b.
#include "kernels/examples/arrays/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "sim/examples/arrays/arrays.h"
#include "sim/problem/run_spec.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr auto kWorks = [] {
    std::array<std::string_view, std::size(kExpressions)> names;
    std::ranges::transform(kExpressions, names.begin(), &Expression::name);
    return names;
}();

constexpr ExampleOption kElementwiseOptions[] = {
    {.name = "work",
     .kind = ExampleOption::Kind::names,
     .value = "NAME,...",
     .help = "sin2x1: sin(2x + 1); sin; square: x^2; chain: y = exp(sin x cos x), then y > 0.5 ? 2y : y/2",
     .standard = "all",
     .choices = kWorks},
    {.name = "size", .value = "NXxNY", .help = "of the array", .unset = "4000, 1024 or 1000 squared"},
    kArraySeedOption,
};

constexpr ExampleOption kAddOptions[] = {kLengthOption, kArraySeedOption};

constexpr DType kDTypes[] = {DType::float32, DType::float64};

std::vector<const Expression*> chosen_expressions(const ExampleRequest& request) {
    std::vector<const Expression*> chosen;
    for (const std::string& name : request.options.names("work")) {
        const Expression* const found = &row_named(kExpressions, "work", name);
        if (!contains(chosen, found)) chosen.push_back(found);
    }
    return chosen;
}

Size size_for(const ExampleRequest& request, const Expression& expression) {
    const std::string text = request.options.text("size");
    return text.empty() ? Size{expression.side_x, expression.side_y}
                        : *with_setting(RunSpec(), "size", text).size;
}

std::int64_t elements_of(const ExampleRequest& request, const Expression& expression) {
    const Size size = size_for(request, expression);
    return std::int64_t(size.nx) * size.ny;
}

void check_elementwise(const ExampleRequest& request) {
    for (const Expression* expression : chosen_expressions(request)) size_for(request, *expression);
    array_random(request);
}

/// One way of computing an array from others: the passes between arrays that are numbered.
struct MapVariant {
    std::string name;
    std::vector<Pass> passes;

    int arrays() const {
        int last = 0;
        for (const Pass& pass : passes) last = std::max({last, pass.a, pass.b, pass.to});
        return last + 1;
    }
    /// Arrays read or written, once each by every pass.
    int arrays_moved() const {
        int moved = 0;
        for (const Pass& pass : passes) moved += takes_two(pass.map) ? 3 : 2;
        return moved;
    }
};

std::vector<MapVariant> variants_of(const Expression& expression) {
    std::vector<MapVariant> variants{{"one pass", {{expression.map, 0, 0, 1}}}};
    if (const auto count = expression.passes.size(); count > 1)
        variants.push_back(
            {fmt::format("{} separate passes", count), {expression.passes.begin(), expression.passes.end()}});
    return variants;
}

const MapVariant kAddition{"one pass", {{Map::sum, 0, 1, 2}}};

template <class T>
void run_passes(const Arrays<T>& arrays, const MapVariant& variant, std::int64_t n) {
    for (const auto& [map, a, b, to] : variant.passes) {
        T *const from_a = arrays.at(std::size_t(a)), *const from_b = arrays.at(std::size_t(b));
        T* const out = arrays.at(std::size_t(to));
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (arrays.on_gpu()) {
                cuda_map<T>(arrays.stream(), map, from_a, from_b, out, n);
                continue;
            }
        in_parts(arrays.context(), n, kQuickPart, [&, map = map](std::int64_t first, std::int64_t count) {
            cpu_map<T>(arrays.context().threads(), map, from_a + first, from_b + first, out + first, count);
        });
    }
}

// ||got - exact|| / ||exact||; NaN where any is NaN.
template <class T>
double relative_error(const ExampleContext& context,
                      const AlignedBuffer<T>& got,
                      const AlignedBuffer<Exact<T>>& exact) {
    Exact<T> difference = 0, norm = 0;
    in_parts(context, std::int64_t(got.size()), kQuickPart, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = first; i < first + count; ++i) {
            const Exact<T> right = exact.data()[i], off = Exact<T>(got.data()[i]) - right;
            difference += off * off;
            norm += right * right;
        }
    });
    return double(norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference));
}

/// A piece of work with its data on the host.
template <class T>
struct MapWork {
    std::string name;
    std::int64_t n = 0;
    double error_bound = 0;  ///< relative 2-norm; beyond it a row has failed
    std::vector<AlignedBuffer<T>> inputs = {};
    AlignedBuffer<Exact<T>> exact = {};
};

// The output is that of the last repeat; that of the first has to have the same bits.
template <class T>
void measure_map(ExampleContext& context, const MapWork<T>& work, const MapVariant& variant, ReportRow& row) {
    const std::size_t inputs = work.inputs.size(), out = inputs;
    const auto count = std::size_t(variant.arrays());
    AlignedBuffer<T> output{std::size_t(work.n)}, once{std::size_t(work.n)};
    {
        Arrays<T> arrays(context, row.backend);
        arrays.add(work.inputs);
        for (std::size_t i = inputs; i < count; ++i) arrays.allocate(work.n);
        arrays.send(work.inputs, row);
        const auto run = [&] { run_passes(arrays, variant, work.n); };
        run();
        arrays.get(out, once);
        arrays.time(row, run);
        arrays.get(out, output, row);
    }
    const bool same = std::memcmp(output.data(), once.data(), std::size_t(work.n) * sizeof(T)) == 0;
    row.error = relative_error<T>(context, output, work.exact);
    row.failed = !same || !(row.error <= work.error_bound);
    row.check = same ? "the same bits when repeated" : "other bits when repeated";
    row.more.emplace_back("arrays_moved", variant.arrays_moved());
    // Every variant needs the inputs and the output.
    row.rates = {context.memory_rate(row, double(inputs + 1) * double(work.n) * sizeof(T))};
}

// Draws the inputs, works out the exact results and adds a row for each variant and device.
template <class T>
void add_rows(ExampleContext& context,
              MapWork<T> work,
              std::size_t inputs,
              const std::vector<MapVariant>& variants) {
    context.begin_part("random numbers");
    Random random = array_random(context.request());
    while (work.inputs.size() < inputs) work.inputs.push_back(random_array<T>(context, random, work.n));
    work.exact = AlignedBuffer<Exact<T>>(std::size_t(work.n));
    const T *a = work.inputs.front().data(), *b = work.inputs.back().data();
    const Map whole = inputs == 1 ? variants.front().passes.front().map : Map::sum;
    in_parts(context, work.n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        context.threads().for_ranges(count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = first + begin; i < first + end; ++i)
                work.exact.data()[i] = map_value<Exact<T>>(whole, a[i], b[i]);
        });
    });
    std::vector<Variant> rows;
    for (const MapVariant& variant : variants)
        for (const Device device : {Device::cpu, Device::cuda})
            rows.push_back(
                {variant.name, device, [&](ReportRow& row) { measure_map(context, work, variant, row); }});
    measure(context, work.name, dtype_of<T>, rows);
}

// Throws MachineError where the expression that takes most memory does not fit.
void require_expression_memory(const ExampleContext& context) {
    const ExampleRequest& request = context.request();
    const auto arrays = [](const Expression* one) { return variants_of(*one).back().arrays(); };
    const Expression* const largest =
        std::ranges::max(chosen_expressions(request), {}, [&](const Expression* one) {
            return arrays(one) * elements_of(request, *one);
        });
    require_array_memory(context, arrays(largest), elements_of(request, *largest), true);
}

template <class T>
void run_expressions(ExampleContext& context) {
    const ExampleRequest& request = context.request();
    for (const Expression* expression : chosen_expressions(request)) {
        const Size size = size_for(request, *expression);
        // Passes of their own round in between: 2x + 1 to half a unit of up to 3, which the sine passes on.
        add_rows<T>(context,
                    {fmt::format("{}, {}x{}", expression->text, size.nx, size.ny),
                     elements_of(request, *expression),
                     sizeof(T) == 4 ? 3e-7 : 6e-16},
                    1,
                    variants_of(*expression));
    }
}

void run_elementwise(ExampleContext& context) {
    require_expression_memory(context);
    for (const DType dtype : context.request().dtypes())
        in_dtype(dtype, [&]<class T>(T) { run_expressions<T>(context); });
    auto& notes = context.report().notes;
    notes.push_back(
        "Rates count the input and the output once, whatever a variant reads and writes in between: they "
        "compare like times. Arrays below some tens of megabytes stay in the GPU's second-level cache "
        "between repeats, where rates exceed that of memory.");
    if (std::ranges::count(chosen_expressions(context.request()), Map::chain, &Expression::map) > 0)
        notes.push_back(
            "The chain's condition is always true: sin x cos x lies between -1/2 and 1/2, so y is at least "
            "0.607.");
}

void run_add(ExampleContext& context) {
    const std::int64_t n = context.options().integer("length");
    require_array_memory(context, 3, n, true);
    for (const DType dtype : context.request().dtypes())
        in_dtype(dtype, [&]<class T>(T) {
            add_rows<T>(context,
                        {fmt::format("c = a + b, {} elements", n),
                         n,
                         sizeof(T) == 4 ? 6e-8 : 1.2e-16},  // one rounding
                        2,
                        {kAddition});
        });
    context.report().notes.push_back(
        "A million elements are 12 or 24 MB and stay in the GPU's second-level cache between repeats, where "
        "rates exceed that of memory.");
}

}  // namespace

constinit const Example kElementwiseExample{
    .name = "elementwise",
    .summary = "sin(2x + 1), sin x, x^2 and exp(sin x cos x): one fused pass against separate ones",
    .about =
        "Each expression once as a single pass over the array, and once as the separate passes that array "
        "libraries launch, through temporary arrays. Unlike in GPU tutorials kernels are guarded, read 16 "
        "bytes per thread along the array, compute in its precision, and are timed on the device with their "
        "data in place.",
    .options = kElementwiseOptions,
    .dtypes = kDTypes,
    .check = check_elementwise,
    .run = run_elementwise};

constinit const Example kAddExample{
    .name = "add",
    .summary = "c = a + b: nothing but memory",
    .about =
        "The kernel of GPU tutorials has no guard: its last 192 threads write beyond the arrays, and the "
        "time "
        "they print is that of the launch. Here all lengths are guarded, all elements are compared, and the "
        "time is the device's with the arrays in place; the copies to the GPU and back stand beside it.",
    .options = kAddOptions,
    .dtypes = kDTypes,
    .check = check_array,
    .run = run_add};

}  // namespace stencil
