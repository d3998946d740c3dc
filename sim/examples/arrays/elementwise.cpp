// Expressions of each element: in one pass, and in the separate passes that array libraries make of them.
#include "kernels/examples/arrays/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/examples/arrays/array_examples.h"
#include "sim/examples/arrays/array_options.h"
#include "sim/examples/arrays/map_sweep.h"
#include "sim/examples/arrays/ways/device_arrays.h"
#include "sim/examples/arrays/ways/map_rows.h"
#include "sim/run/run_spec.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using Kind = ExampleOption::Kind;

constexpr ExampleOption kOptions[] = {
    {.name = "work",
     .kind = Kind::text,
     .value = "NAME,...",
     .help = "sin2x1: sin(2x + 1); sin; square: x^2; chain: y = exp(sin x cos x), then y > 0.5 ? 2y : y/2",
     .standard = "sin2x1,sin,square,chain"},
    {.name = "size",
     .kind = Kind::text,
     .value = "NXxNY",
     .help =
         "of the array; by default 4000x4000 for sin2x1, 1024x1024 for sin and square, 1000x1000 for chain"},
    kArraySeedOption,
    kSweepOption,
    kLongestOption,
};

constexpr DType kDTypes[] = {DType::float32, DType::float64};

std::vector<Expression> chosen_expressions(const ExampleRequest& request) {
    std::vector<std::string> known;
    for (const ExpressionRow& row : expressions()) known.emplace_back(row.name);
    std::vector<Expression> chosen;
    for (const std::string& name : split(request.options.text("work"), ',')) {
        const auto row = std::ranges::find(expressions(), name, &ExpressionRow::name);
        if (row == expressions().end())
            throw InputError("--work: " + unknown_name_message("work", name, known));
        if (std::ranges::find(chosen, row->expression) == chosen.end()) chosen.push_back(row->expression);
    }
    return chosen;
}

Size size_for(const ExampleRequest& request, const ExpressionRow& row) {
    const std::string text = request.options.text("size");
    return text.empty() ? Size{row.side_x, row.side_y} : *changed(RunSpec(), "size", text).size;
}

void check(const ExampleRequest& request) {
    request.options.integer("longest");
    for (const Expression expression : chosen_expressions(request)) size_for(request, row_of(expression));
    array_random(request);
}

template <class R>
R exact_value(Expression expression, R x) {
    switch (expression) {
        case Expression::sine_of_line:
            return std::sin(2 * x + 1);
        case Expression::sine:
            return std::sin(x);
        case Expression::square:
            return x * x;
        case Expression::chain: {
            const R y = std::exp(std::sin(x) * std::cos(x));
            return y > R(0.5) ? 2 * y : y / 2;
        }
    }
    return x;
}

template <class T>
MapWay<T> fused_way(Expression expression) {
    MapWay<T> way;
    way.name = "one pass";
    way.arrays_moved = 2;
    way.on_cpu = [expression](ExampleContext& context, const MapArrays<T>& arrays) {
        in_parts(context, arrays.n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
            cpu_elementwise(context.threads(), expression, arrays.at[0] + first, arrays.at[1] + first, count);
        });
    };
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [expression](CudaStream& stream, const MapArrays<T>& arrays) {
        cuda_elementwise(stream, expression, arrays.at[0], arrays.at[1], arrays.n);
    };
#endif
    return way;
}

// The places of a pass are the arrays of a way, in their order.
template <class T>
T* array_at(const MapArrays<T>& arrays, Place place) {
    return place == Place::none ? nullptr : arrays.at[std::size_t(place) - 1];
}

template <class T>
MapWay<T> separate_way(Expression expression) {
    const ExpressionRow& row = row_of(expression);
    MapWay<T> way;
    way.name = fmt::format("{} separate passes", row.passes.size());
    way.scratch = row.scratch_arrays;
    for (const PassUse& use : row.passes) way.arrays_moved += use.b == Place::none ? 2 : 3;
    way.on_cpu = [&row](ExampleContext& context, const MapArrays<T>& arrays) {
        for (const PassUse& use : row.passes)
            in_parts(context, arrays.n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
                T* const b = array_at(arrays, use.b);
                cpu_pass<T>(context.threads(),
                            use.pass,
                            array_at(arrays, use.a) + first,
                            b ? b + first : nullptr,
                            array_at(arrays, use.to) + first,
                            count);
            });
    };
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [&row](CudaStream& stream, const MapArrays<T>& arrays) {
        for (const PassUse& use : row.passes)
            cuda_pass<T>(stream,
                         use.pass,
                         array_at(arrays, use.a),
                         array_at(arrays, use.b),
                         array_at(arrays, use.to),
                         arrays.n);
    };
#endif
    return way;
}

template <class T>
std::vector<MapWay<T>> ways_of(Expression expression) {
    std::vector<MapWay<T>> ways{fused_way<T>(expression)};
    if (row_of(expression).passes.size() > 1) ways.push_back(separate_way<T>(expression));
    return ways;
}

std::int64_t elements_of(const ExampleRequest& request, const ExpressionRow& row) {
    const Size size = size_for(request, row);
    return std::int64_t(size.nx) * size.ny;
}

// Estimated seconds of one precision: set-up and rows of each expression, then its curves.
void add_parts(const ExampleRequest& request, const ExampleContext& context, std::vector<double>& parts) {
    const auto rows = [](const ExpressionRow& row) { return row.passes.size() > 1 ? 2 : 1; };
    for (const Expression expression : chosen_expressions(request)) {
        const ExpressionRow& row = row_of(expression);
        const std::int64_t n = elements_of(request, row);
        parts.push_back(setup_seconds(n));
        parts.insert(parts.end(), std::size_t(rows(row) * sides(request, context)), row_seconds(n));
    }
    if (!request.options.flag("sweep")) return;
    for (const Expression expression : chosen_expressions(request))
        parts.insert(
            parts.end(), std::size_t(rows(row_of(expression))), kSweepSeconds * sides(request, context));
}

template <class T>
MapWork<T> make_work(const ExampleRequest& request, ExampleContext& context, const ExpressionRow& row) {
    const Size size = size_for(request, row);
    MapWork<T> work;
    work.name = fmt::format("{}, {}x{}", row.text, size.nx, size.ny);
    work.n = std::int64_t(size.nx) * size.ny;
    Random random = array_random(request);
    work.inputs.push_back(random_array<T>(context, random, work.n));
    work.exact = AlignedBuffer<Exact<T>>(std::size_t(work.n));
    on_threads(context, work.n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            work.exact.data()[i] = exact_value<Exact<T>>(row.expression, work.inputs[0].data()[i]);
    });
    // Passes of their own round in between: 2x + 1 to half a unit of up to 3, which the sine passes on.
    work.error_bound = sizeof(T) == 4 ? 3e-7 : 6e-16;
    return work;
}

template <class T>
void require_memory(const ExampleRequest& request, const ExampleContext& context) {
    std::int64_t n = 0;
    int arrays = 0;  // of the expression that takes most
    for (const Expression expression : chosen_expressions(request)) {
        const ExpressionRow& row = row_of(expression);
        const std::int64_t elements = elements_of(request, row);
        if ((2 + row.scratch_arrays) * elements <= arrays * n) continue;
        n = elements;
        arrays = 2 + row.scratch_arrays;
    }
    require_host_memory(double(arrays) * sizeof(T) + sizeof(Exact<T>), n);
    require_gpu_memory(context, arrays, n, sizeof(T), 0);
}

template <class T>
void run_expressions(const ExampleRequest& request, ExampleContext& context) {
    for (const Expression expression : chosen_expressions(request)) {
        context.begin_part("random numbers");
        MapWork<T> work = make_work<T>(request, context, row_of(expression));
        for (const MapWay<T>& way : ways_of<T>(expression)) add_map_rows(request, context, work, way);
    }
    if (!request.options.flag("sweep")) return;
    for (const Expression expression : chosen_expressions(request)) {
        const ExpressionRow& row = row_of(expression);
        add_map_sweep<T>(
            request, context, {std::string(row.name), std::string(row.text)}, ways_of<T>(expression));
    }
}

void run(const ExampleRequest& request, ExampleContext& context) {
    in_widest_dtype(request, [&]<class T>(T) { require_memory<T>(request, context); });
    std::vector<double> parts;
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) add_parts(request, context, parts);
    context.expect(parts);
    in_each_dtype(request, [&]<class T>(T) { run_expressions<T>(request, context); });
    auto& notes = context.report().notes;
    notes.push_back(
        "Rates count the input and the output once, whatever a way reads and writes in between: they compare "
        "like times. Arrays below some tens of megabytes stay in the GPU's second-level cache between "
        "repeats, where rates exceed that of memory.");
    const std::vector<Expression> chosen = chosen_expressions(request);
    if (std::ranges::find(chosen, Expression::chain) != chosen.end())
        notes.push_back(
            "The chain's condition is always true: sin x cos x lies between -1/2 and 1/2, so y is at least "
            "0.607.");
}

}  // namespace

constinit const Example kElementwiseExample{
    .name = "elementwise",
    .summary = "sin(2x + 1), sin x, x^2 and exp(sin x cos x): one fused pass against separate ones",
    .about =
        "Each expression once as a single pass over the array, and once as the separate passes that array "
        "libraries launch, through temporary arrays. The tutorials time without waiting for the GPU, count "
        "the making of random numbers, let neighbouring threads walk down columns, and mix float64 numbers "
        "into float32 arithmetic; here kernels are guarded, read 16 bytes a thread along the array, compute "
        "in the precision of the array, and are timed on the device with their data in place.",
    .options = kOptions,
    .dtypes = kDTypes,
    .check = check,
    .run = run};

}  // namespace stencil
