// Expressions of each element: in one pass, and in the separate passes that array libraries make of them; and
// c = a + b.
#include "kernels/examples/arrays/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/examples/arrays/maps.h"
#include "sim/examples/table.h"
#include "sim/run/run_spec.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr ExampleOption kElementwiseOptions[] = {
    {.name = "work",
     .value = "NAME,...",
     .help = "sin2x1: sin(2x + 1); sin; square: x^2; chain: y = exp(sin x cos x), then y > 0.5 ? 2y : y/2",
     .standard = "sin2x1,sin,square,chain"},
    {.name = "size",
     .value = "NXxNY",
     .help =
         "of the array; by default 4000x4000 for sin2x1, 1024x1024 for sin and square, 1000x1000 for chain"},
    kArraySeedOption,
    kSweepOption,
    kLongestOption,
};

constexpr ExampleOption kAddOptions[] = {kLengthOption, kArraySeedOption};

constexpr DType kDTypes[] = {DType::float32, DType::float64};

std::vector<const ExpressionRow*> chosen_expressions(const ExampleRequest& request) {
    std::vector<std::string> known;
    for (const ExpressionRow& row : expressions()) known.emplace_back(row.name);
    std::vector<const ExpressionRow*> chosen;
    for (const std::string& name : split(request.options.text("work"), ',')) {
        const auto row = std::ranges::find(expressions(), name, &ExpressionRow::name);
        if (row == expressions().end())
            throw InputError("--work: " + unknown_name_message("work", name, known));
        if (std::ranges::find(chosen, &*row) == chosen.end()) chosen.push_back(&*row);
    }
    return chosen;
}

Size size_for(const ExampleRequest& request, const ExpressionRow& row) {
    const std::string text = request.options.text("size");
    return text.empty() ? Size{row.side_x, row.side_y} : *changed(RunSpec(), "size", text).size;
}

void check_elementwise(const ExampleRequest& request) {
    request.options.integer("longest");
    for (const ExpressionRow* row : chosen_expressions(request)) size_for(request, *row);
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
void pass_on_cpu(ExampleContext& context, Pass pass, const T* a, const T* b, T* to, std::int64_t n) {
    in_parts(context, n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
        cpu_pass<T>(context.threads(), pass, a + first, b ? b + first : nullptr, to + first, count);
    });
}

template <class T>
MapWay<T> fused_way(Expression expression) {
    MapWay<T> way{.name = "one pass", .arrays_moved = 2};
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
MapWay<T> separate_way(const ExpressionRow& row) {
    MapWay<T> way{.name = fmt::format("{} separate passes", row.passes.size()),
                  .scratch = row.scratch_arrays};
    for (const PassUse& use : row.passes) way.arrays_moved += use.b == Place::none ? 2 : 3;
    way.on_cpu = [&row](ExampleContext& context, const MapArrays<T>& arrays) {
        for (const auto& [pass, a, b, to] : row.passes)
            pass_on_cpu<T>(
                context, pass, array_at(arrays, a), array_at(arrays, b), array_at(arrays, to), arrays.n);
    };
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [&row](CudaStream& stream, const MapArrays<T>& arrays) {
        for (const auto& [pass, a, b, to] : row.passes)
            cuda_pass<T>(
                stream, pass, array_at(arrays, a), array_at(arrays, b), array_at(arrays, to), arrays.n);
    };
#endif
    return way;
}

template <class T>
std::vector<MapWay<T>> ways_of(const ExpressionRow& row) {
    std::vector<MapWay<T>> ways{fused_way<T>(row.expression)};
    if (row.passes.size() > 1) ways.push_back(separate_way<T>(row));
    return ways;
}

template <class T>
MapWay<T> addition() {
    MapWay<T> way{.name = "one pass", .arrays_moved = 3};
    way.on_cpu = [](ExampleContext& context, const MapArrays<T>& arrays) {
        pass_on_cpu<T>(context, Pass::sum, arrays.at[0], arrays.at[1], arrays.at[2], arrays.n);
    };
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, const MapArrays<T>& arrays) {
        cuda_pass<T>(stream, Pass::sum, arrays.at[0], arrays.at[1], arrays.at[2], arrays.n);
    };
#endif
    return way;
}

// Random inputs, and what exact_value(i, inputs) says of each element.
template <class T>
MapWork<T> make_work(const ExampleRequest& request,
                     ExampleContext& context,
                     std::size_t inputs,
                     std::int64_t n,
                     const auto& exact_value) {
    context.begin_part("random numbers");
    MapWork<T> work{.n = n};
    Random random = array_random(request);
    while (work.inputs.size() < inputs) work.inputs.push_back(random_array<T>(context, random, n));
    work.exact = AlignedBuffer<Exact<T>>(std::size_t(n));
    fill_array(context, work.exact.data(), n, [&](std::int64_t i) { return exact_value(i, work.inputs); });
    return work;
}

std::int64_t elements_of(const ExampleRequest& request, const ExpressionRow& row) {
    const Size size = size_for(request, row);
    return std::int64_t(size.nx) * size.ny;
}

// Rows that a way has measured.
std::size_t sides(const ExampleRequest& request, const ExampleContext& context) {
    return (request.on_cpu() ? 1 : 0) + (context.gpu() ? 1 : 0);
}

// Throws MachineError where the arrays of a work, and its exact result, do not fit.
void require_memory(const ExampleRequest& request,
                    const ExampleContext& context,
                    int arrays,
                    std::int64_t n) {
    in_dtype(widest_dtype(request), [&]<class T>(T) {
        require_host_memory(double(arrays) * sizeof(T) + sizeof(Exact<T>), n);
        require_gpu_memory(context, arrays, n, sizeof(T));
    });
}

// Of the expression that takes most.
void require_memory(const ExampleRequest& request, const ExampleContext& context) {
    std::int64_t n = 0;
    int arrays = 0;
    for (const ExpressionRow* row : chosen_expressions(request)) {
        const std::int64_t elements = elements_of(request, *row);
        if ((2 + row->scratch_arrays) * elements <= arrays * n) continue;
        n = elements;
        arrays = 2 + row->scratch_arrays;
    }
    require_memory(request, context, arrays, n);
}

// Set-up and rows of each expression, then its curves.
void expect_parts(const ExampleRequest& request, ExampleContext& context) {
    const auto chosen = chosen_expressions(request);
    const std::size_t measured = sides(request, context);
    std::vector<double> parts;
    for (const ExpressionRow* row : chosen) {
        const std::int64_t n = elements_of(request, *row);
        parts.push_back(setup_seconds(n));
        parts.insert(parts.end(), ways_of<float>(*row).size() * measured, row_seconds(n));
    }
    if (request.options.flag("sweep"))
        for (const ExpressionRow* row : chosen)
            parts.insert(parts.end(), ways_of<float>(*row).size(), kSweepSeconds * double(measured));
    expect_each_dtype(request, context, parts);
}

template <class T>
void run_expressions(const ExampleRequest& request, ExampleContext& context) {
    const MapReport<T> report{request, context};
    for (const ExpressionRow* row : chosen_expressions(request)) {
        const Size size = size_for(request, *row);
        MapWork<T> work = make_work<T>(
            request, context, 1, elements_of(request, *row), [&](std::int64_t i, const auto& inputs) {
                return exact_value<Exact<T>>(row->expression, inputs[0].data()[i]);
            });
        work.name = fmt::format("{}, {}x{}", row->text, size.nx, size.ny);
        // Passes of their own round in between: 2x + 1 to half a unit of up to 3, which the sine passes on.
        work.error_bound = sizeof(T) == 4 ? 3e-7 : 6e-16;
        report.add_rows(work, ways_of<T>(*row));
    }
    if (!request.options.flag("sweep")) return;
    for (const ExpressionRow* row : chosen_expressions(request))
        report.add_sweep(std::string(row->name), std::string(row->text), ways_of<T>(*row));
}

void run_elementwise(const ExampleRequest& request, ExampleContext& context) {
    require_memory(request, context);
    expect_parts(request, context);
    for (const DType dtype : request.dtypes)
        in_dtype(dtype, [&]<class T>(T) { run_expressions<T>(request, context); });
    auto& notes = context.report().notes;
    notes.push_back(
        "Rates count the input and the output once, whatever a way reads and writes in between: they compare "
        "like times. Arrays below some tens of megabytes stay in the GPU's second-level cache between "
        "repeats, where rates exceed that of memory.");
    if (std::ranges::count(chosen_expressions(request), &row_of(Expression::chain)) > 0)
        notes.push_back(
            "The chain's condition is always true: sin x cos x lies between -1/2 and 1/2, so y is at least "
            "0.607.");
}

void run_add(const ExampleRequest& request, ExampleContext& context) {
    const std::int64_t n = request.options.integer("length");
    require_memory(request, context, 3, n);
    std::vector<double> parts{setup_seconds(n)};
    parts.insert(parts.end(), sides(request, context), row_seconds(n));
    expect_each_dtype(request, context, parts);
    for (const DType dtype : request.dtypes)
        in_dtype(dtype, [&]<class T>(T) {
            MapWork<T> work = make_work<T>(request, context, 2, n, [](std::int64_t i, const auto& inputs) {
                return Exact<T>(inputs[0].data()[i]) + inputs[1].data()[i];
            });
            work.name = fmt::format("c = a + b, {} elements", n);
            work.error_bound = sizeof(T) == 4 ? 6e-8 : 1.2e-16;  // one rounding
            MapReport<T>{request, context}.add_rows(work, std::vector{addition<T>()});
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
        "libraries launch, through temporary arrays. GPU tutorials time without waiting for the GPU, count "
        "the making of random numbers, let neighbouring threads walk down columns, and mix float64 numbers "
        "into float32 arithmetic; here kernels are guarded, read 16 bytes a thread along the array, compute "
        "in the precision of the array, and are timed on the device with their data in place.",
    .options = kElementwiseOptions,
    .dtypes = kDTypes,
    .check = check_elementwise,
    .run = run_elementwise};

constinit const Example kAddExample{
    .name = "add",
    .summary = "c = a + b: nothing but memory",
    .about =
        "The kernel of GPU tutorials has no guard: 3907 blocks of 256 threads are 1000192 threads, and the "
        "last "
        "192 write beyond the arrays; the time they print is that of the launch, because nothing waits for "
        "its end. Here a thread takes 16 bytes, all lengths are guarded, all elements are compared, and the "
        "time is the device's with the arrays in place; the copies to the GPU and back, which cost far more, "
        "stand beside it.",
    .options = kAddOptions,
    .dtypes = kDTypes,
    .check = check_array,
    .run = run_add};

}  // namespace stencil
