// The dot product of two arrays, with the result on the host.
#include <fmt/format.h>

#include <vector>

#include "sim/examples/arrays/array_examples.h"
#include "sim/examples/arrays/array_options.h"
#include "sim/examples/arrays/ways/sum_ways.h"

namespace stencil {
namespace {

constexpr ExampleOption kOptions[] = {
    kLengthOption,
    kArraySeedOption,
};

constexpr DType kDTypes[] = {DType::float64, DType::float32};

template <class T>
std::vector<SumWay<T>> ways() {
    return {blas_way<T>(),
            blockwise_way<T>(),
            cublas_way<T>(),
            to_host_way<T>(false),
            to_host_way<T>(true),
            strategy_way<T>(ReductionStrategy::last_block),
            strategy_way<T>(ReductionStrategy::atomic_per_block)};
}

template <class T>
void run_in(const ExampleRequest& request, ExampleContext& context) {
    SumWork<T> work;
    work.n = request.options.integer("length");
    work.name = fmt::format("dot product of {} elements, result on the host", work.n);
    work.result_on_host = true;
    context.begin_part("random numbers");
    Random random = array_random(request);
    work.x = random_array<T>(context, random, work.n);
    work.y = random_array<T>(context, random, work.n);
    work.exact = exact_sum(context, work.terms());
    work.error_bound = sizeof(T) == 4 ? 5e-6 : 1e-14;
    for (const SumWay<T>& way : ways<T>()) add_sum_rows(request, context, work, way);
}

void run(const ExampleRequest& request, ExampleContext& context) {
    in_widest_dtype(request, [&]<class T>(T) {
        require_memory<T>(context, ways<T>(), 2, request.options.integer("length"));
    });
    std::vector<double> parts;
    in_each_dtype(request, [&]<class T>(T) { add_parts<T>(request, context, ways<T>(), parts); });
    context.expect(parts);
    in_each_dtype(request, [&]<class T>(T) { run_in<T>(request, context); });
    context.report().notes.push_back(
        "Times are the host's, from the call until it has the result: for a million elements launching the "
        "kernel and hearing of its end take longer than reading them.");
}

}  // namespace

constinit const Example kDotExample{
    .name = "dot",
    .summary = "the dot product, from the call until the host has its result",
    .about =
        "The tutorial stops its clock before the GPU is done. Here the clock stops when the host has the "
        "number. In one launch each block adds its terms, and the block that ends last adds the blocks' "
        "sums, always in the same order; it writes the result into the host's memory, where the host is "
        "looking for it, so that no copy and no question to the driver is waited for. Beside it: the same "
        "with a copy and a wait, atomic additions, and the libraries.",
    .options = kOptions,
    .dtypes = kDTypes,
    .check = check_array,
    .run = run};

}  // namespace stencil
