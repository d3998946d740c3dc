// The sum of an array: by atomic additions as in the tutorial, by warp and block, in a fixed order, by the
// libraries.
#include <fmt/format.h>

#include "sim/examples/arrays/array_examples.h"
#include "sim/examples/arrays/array_options.h"
#include "sim/examples/arrays/sum_sweep.h"
#include "sim/examples/arrays/ways/sum_ways.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr ExampleOption kOptions[] = {
    kLengthOption,
    kArraySeedOption,
    kSweepOption,
    kLongestOption,
};

constexpr DType kDTypes[] = {DType::float32, DType::float64};

void check(const ExampleRequest& request) {
    request.options.integer("longest");
    check_array(request);
}

template <class T>
std::vector<SumWay<T>> ways() {
    return {serial_way<T>(),
            blas_way<T>(),
            blockwise_way<T>(),
            strategy_way<T>(ReductionStrategy::atomic_per_thread),
            strategy_way<T>(ReductionStrategy::atomic_per_warp),
            strategy_way<T>(ReductionStrategy::atomic_per_block),
            strategy_way<T>(ReductionStrategy::two_launches),
            strategy_way<T>(ReductionStrategy::last_block),
            cub_way<T>()};
}

template <class T>
void run_in(const ExampleRequest& request, ExampleContext& context) {
    SumWork<T> work;
    work.n = request.options.integer("length");
    work.name = fmt::format("sum of {} elements", work.n);
    context.begin_part("random numbers");
    Random random = array_random(request);
    work.x = random_array<T>(context, random, work.n);
    work.exact = exact_sum(context, work.terms());
    work.error_bound = sizeof(T) == 4 ? 5e-6 : 1e-14;
    const std::vector<SumWay<T>> all = ways<T>();
    for (const SumWay<T>& way : all) add_sum_rows(request, context, work, way);
    if (request.options.flag("sweep")) add_sum_sweep<T>(request, context, all);
}

void run(const ExampleRequest& request, ExampleContext& context) {
    in_widest_dtype(request, [&]<class T>(T) {
        require_memory<T>(context, ways<T>(), 1, request.options.integer("length"));
    });
    std::vector<double> parts;
    in_each_dtype(request, [&]<class T>(T) {
        add_parts<T>(request, context, ways<T>(), parts);
        if (request.options.flag("sweep")) parts.push_back(kSweepSeconds * double(ways<T>().size()));
    });
    context.expect(parts);
    in_each_dtype(request, [&]<class T>(T) { run_in<T>(request, context); });
    auto& notes = context.report().notes;
    notes.push_back(
        "Atomic additions come in an order that differs from run to run, and so do the last bits of their "
        "sums: what has a fixed order repeats every bit.");
    notes.push_back(
        "OpenBLAS adds absolute values (asum), which is the same here, where none is negative: the plain "
        "single-precision sum of its version 0.3.21 leaves terms out on processors with AVX-512.");
    notes.push_back(
        "One term after the other, a float32 sum loses digits as it grows: each addition rounds to the last "
        "place of the sum so far. Sums of sums stay small for longer; their error hardly grows with the "
        "length.");
}

}  // namespace

constinit const Example kReduceExample{
    .name = "reduce",
    .summary = "the sum of an array: atomic additions, warps and blocks, a fixed order, libraries",
    .about =
        "In the tutorial each thread adds its element to one number by an atomic addition, into a result "
        "that it takes to be zero, and nothing is timed. Here the result is zeroed in every run, and beside "
        "that way stand an atomic addition per warp and per block, two that add in a fixed order and repeat "
        "every bit, and CUB.",
    .options = kOptions,
    .dtypes = kDTypes,
    .check = check,
    .run = run};

}  // namespace stencil
