// The dot product of two arrays, with the result on the host.
#include <fmt/format.h>

#include "sim/examples/array_examples.h"
#include "sim/examples/arrays/sum_ways.h"
#include "sim/parse.h"

namespace stencil {
namespace {

using Kind = ExampleOption::Kind;

constexpr ExampleOption kOptions[] = {
    {.name = "length",
     .kind = Kind::integer,
     .value = "N",
     .help = "elements of each array",
     .standard = "1000000",
     .least = 1,
     .most = 1e12},
    {.name = "seed",
     .kind = Kind::text,
     .value = "N",
     .help = "of the random numbers on [0, 1), NumPy's default_rng",
     .standard = "1"},
};

constexpr DType kDTypes[] = {DType::float64, DType::float32};

void check(const ExampleRequest& request) {
    request.options.integer("length");
    parse_seed(request.options.text("seed"), "--seed");
}

template <class T>
void run_in(const ExampleRequest& request, ExampleContext& context, double progress) {
    SumWork<T> work;
    work.n = request.options.integer("length");
    work.name = fmt::format("dot product of {} elements, result on the host", work.n);
    work.progress = progress;
    work.result_on_host = true;
    context.progress(progress, "random numbers");
    require_host_memory(2 * sizeof(T), work.n);
    Random random(parse_seed(request.options.text("seed"), "--seed"));
    work.x = random_array<T>(context, random, work.n);
    work.y = random_array<T>(context, random, work.n);
    work.exact = exact_sum(context, work.terms());
    work.error_bound = sizeof(T) == 4 ? 5e-6 : 1e-14;
    for (const SumWay<T>& way : {blas_way<T>(),
                                 blockwise_way<T>(),
                                 cublas_way<T>(),
                                 to_host_way<T>(false),
                                 to_host_way<T>(true),
                                 gathering_way<T>(Gathering::last_block),
                                 gathering_way<T>(Gathering::atomic_per_block)})
        add_sum_rows(request, context, work, way);
}

void run(const ExampleRequest& request, ExampleContext& context) {
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) {
        const double progress = double(i) / double(request.dtypes.size());
        if (request.dtypes[i] == DType::float32)
            run_in<float>(request, context, progress);
        else
            run_in<double>(request, context, progress);
    }
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
    .check = check,
    .run = run};

}  // namespace stencil
