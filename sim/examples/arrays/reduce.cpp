// The sum of an array, by atomic additions as in the tutorial, by warp and block, in a fixed order, by the
// libraries; and the dot product of two arrays, with the result on the host.
#include "kernels/examples/arrays/reduce.h"

#include <fmt/format.h>

#include "sim/examples/arrays/sums.h"
#include "sim/examples/table.h"

namespace stencil {
namespace {

constexpr std::string_view name_of(ReductionStrategy strategy) {
    constexpr std::string_view kNames[] = {"an atomic addition per thread",
                                           "an atomic addition per warp",
                                           "an atomic addition per block",
                                           "two launches, fixed order",
                                           "one launch, fixed order"};
    return kNames[std::size_t(strategy)];
}

// On the CPU.

template <class T>
SumWay<T> serial_way() {
    return {.name = "one term after the other",
            .lesson = true,
            .on_cpu = [](ExampleContext& context, const SumTerms<T>& terms) {
                T sum = 0;
                in_parts(context, terms.n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
                    sum = serial_sum(sum, terms.x + first, count);
                });
                return sum;
            }};
}

template <class T>
SumWay<T> blockwise_way() {
    return {.name = "vectors and threads, in blocks",
            .on_cpu = [](ExampleContext& context, const SumTerms<T>& terms) {
                return terms.y ? cpu_dot(context.threads(), terms.x, terms.y, terms.n)
                               : cpu_sum(context.threads(), terms.x, terms.n);
            }};
}

// Sums of terms that are not negative, and dot products.
template <class T>
SumWay<T> blas_way() {
    return {.name = "OpenBLAS",
            .same_bits = false,  // its threads cut the array as they come
            .on_cpu = [](ExampleContext& context, const SumTerms<T>& terms) {
                return terms.y ? blas_dot(context.thread_count(), terms.x, terms.y, terms.n)
                               : blas_absolute_sum(context.thread_count(), terms.x, terms.n);
            }};
}

// On the GPU. What a way works with lives as long as its functions.

template <class T>
SumWay<T> strategy_way(ReductionStrategy strategy) {
    SumWay<T> way{.name = std::string(name_of(strategy)),
                  .same_bits = repeats_every_bit(strategy),
                  .lesson = strategy == ReductionStrategy::atomic_per_thread};
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [strategy](CudaStream& stream, std::int64_t) -> GpuSum<T> {
        const auto reduction = std::make_shared<CudaReduction>(stream);
        return {[=](const SumTerms<T>& terms, T* result) {
            reduction->enqueue(strategy, terms.x, terms.y, terms.n, result);
        }};
    };
    way.gpu_bytes = [](std::int64_t) { return double(CudaReduction::bytes()); };
#endif
    return way;
}

// last_block, which leaves its result where the host looks for it.
template <class T>
SumWay<T> to_host_way() {
    SumWay<T> way = strategy_way<T>(ReductionStrategy::last_block);
    way.name = "one launch, result found";
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, std::int64_t) -> GpuSum<T> {
        const auto reduction = std::make_shared<CudaReduction>(stream);
        return {[=](const SumTerms<T>& terms, T* result) {
                    reduction->enqueue(ReductionStrategy::last_block, terms.x, terms.y, terms.n, result);
                },
                [=](const SumTerms<T>& terms) {
                    reduction->enqueue_for_host(terms.x, terms.y, terms.n);
                    return T(reduction->wait());
                }};
    };
#endif
    return way;
}

// The same, recorded as a CUDA graph for the terms that come first.
template <class T>
SumWay<T> graph_way() {
    SumWay<T> way = to_host_way<T>();
    way.name += ", as graph";
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, std::int64_t) -> GpuSum<T> {
        const auto reduction = std::make_shared<CudaReduction>(stream);
        return {[=](const SumTerms<T>& terms, T* result) {
                    reduction->enqueue(ReductionStrategy::last_block, terms.x, terms.y, terms.n, result);
                },
                [=, recorded = SumTerms<T>()](const SumTerms<T>& terms) mutable {
                    if (terms.x != recorded.x || terms.y != recorded.y || terms.n != recorded.n) {
                        reduction->record_for_host(terms.x, terms.y, terms.n);
                        recorded = terms;
                    }
                    reduction->enqueue_recorded();
                    return T(reduction->wait());
                }};
    };
#endif
    return way;
}

// Of one array.
template <class T>
SumWay<T> cub_way() {
    SumWay<T> way{.name = "CUB"};
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, std::int64_t n) -> GpuSum<T> {
        const auto sum = std::make_shared<CubSum<T>>(stream, n);
        return {[=](const SumTerms<T>& terms, T* result) { sum->enqueue(terms.x, terms.n, result); }};
    };
    way.gpu_bytes = [](std::int64_t n) { return double(CubSum<T>::bytes(n)); };
#endif
    return way;
}

// Of two arrays.
template <class T>
SumWay<T> cublas_way() {
    SumWay<T> way{.name = "cuBLAS"};
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, std::int64_t) -> GpuSum<T> {
        const auto dot = std::make_shared<CublasDot<T>>(stream);
        return {[=](const SumTerms<T>& terms, T* result) { dot->enqueue(terms.x, terms.y, terms.n, result); },
                [=](const SumTerms<T>& terms) { return dot->on_host(terms.x, terms.y, terms.n); }};
    };
    way.gpu_bytes = [](std::int64_t) { return double(CublasDot<T>::bytes()); };
#endif
    return way;
}

template <class T>
std::vector<SumWay<T>> ways(bool dot) {
    using enum ReductionStrategy;
    if (dot)
        return {blas_way<T>(),
                blockwise_way<T>(),
                cublas_way<T>(),
                to_host_way<T>(),
                graph_way<T>(),
                strategy_way<T>(last_block),
                strategy_way<T>(atomic_per_block)};
    return {serial_way<T>(),
            blas_way<T>(),
            blockwise_way<T>(),
            strategy_way<T>(atomic_per_thread),
            strategy_way<T>(atomic_per_warp),
            strategy_way<T>(atomic_per_block),
            strategy_way<T>(two_launches),
            strategy_way<T>(last_block),
            cub_way<T>()};
}

constexpr ExampleOption kOptions[] = {kLengthOption, kArraySeedOption, kSweepOption, kLongestOption};

void check_reduce(const ExampleRequest& request) {
    request.options.integer("longest");
    check_array(request);
}

void expect_parts(const ExampleRequest& request, ExampleContext& context, bool dot, bool sweep) {
    const std::int64_t n = request.options.integer("length");
    const auto all = ways<float>(dot);
    std::vector<double> parts{setup_seconds(n)};
    for (const SumWay<float>& way : all)
        if (way.on_cpu ? request.on_cpu() : context.gpu()) parts.push_back(row_seconds(n));
    if (sweep) parts.push_back(kSweepSeconds * double(all.size()));
    expect_each_dtype(request, context, parts);
}

void run(const ExampleRequest& request, ExampleContext& context, bool dot, bool sweep) {
    in_dtype(widest_dtype(request), [&]<class T>(T) {
        SumReport<T>{request, context, ways<T>(dot)}.require_memory(dot ? 2 : 1);
    });
    expect_parts(request, context, dot, sweep);
    for (const DType dtype : request.dtypes)
        in_dtype(dtype, [&]<class T>(T) {
            SumWork<T> work;
            work.n = request.options.integer("length");
            work.name = dot ? fmt::format("dot product of {} elements, result on the host", work.n)
                            : fmt::format("sum of {} elements", work.n);
            work.result_on_host = dot;
            context.begin_part("random numbers");
            Random random = array_random(request);
            work.x = random_array<T>(context, random, work.n);
            if (dot) work.y = random_array<T>(context, random, work.n);
            work.exact = exact_sum(context, work.terms());
            const auto all = ways<T>(dot);
            const SumReport<T> report{request, context, all};
            report.add_rows(work);
            if (sweep) report.add_sweep();
        });
}

void run_dot(const ExampleRequest& request, ExampleContext& context) {
    run(request, context, true, false);
    context.report().notes = {
        "Times are the host's, from the call until it has the result: for a million elements launching the "
        "kernel and hearing of its end take longer than reading them."};
}

void run_reduce(const ExampleRequest& request, ExampleContext& context) {
    run(request, context, false, request.options.flag("sweep"));
    context.report().notes = {
        "Atomic additions come in an order that differs from run to run, and so do the last bits of their "
        "sums: what has a fixed order repeats every bit.",
        "OpenBLAS adds absolute values (asum), which is the same here, where none is negative: the plain "
        "single-precision sum of its version 0.3.21 leaves terms out on processors with AVX-512.",
        "One term after the other, a float32 sum loses digits as it grows: each addition rounds to the last "
        "place of the sum so far. Sums of sums stay small for longer; their error hardly grows with the "
        "length."};
}

constexpr DType kDotDTypes[] = {DType::float64, DType::float32};
constexpr DType kReduceDTypes[] = {DType::float32, DType::float64};

}  // namespace

constinit const Example kDotExample{
    .name = "dot",
    .summary = "the dot product, from the call until the host has its result",
    .about =
        "GPU tutorials stop the clock before the GPU is done. Here the clock stops when the host has the "
        "number. In one launch each block adds its terms, and the block that ends last adds the blocks' "
        "sums, always in the same order; it writes the result into the host's memory, where the host is "
        "looking for it, so that no copy and no question to the driver is waited for. Beside it: the same "
        "with a copy and a wait, atomic additions, and the libraries.",
    .options = std::span(kOptions).first(2),
    .dtypes = kDotDTypes,
    .check = check_array,
    .run = run_dot};

constinit const Example kReduceExample{
    .name = "reduce",
    .summary = "the sum of an array: atomic additions, warps and blocks, a fixed order, libraries",
    .about =
        "In GPU tutorials each thread adds its element to one number by an atomic addition, into a result "
        "that it takes to be zero, and nothing is timed. Here the result is zeroed in every run, and beside "
        "that way stand an atomic addition per warp and per block, two that add in a fixed order and repeat "
        "every bit, and CUB.",
    .options = kOptions,
    .dtypes = kReduceDTypes,
    .check = check_reduce,
    .run = run_reduce};

}  // namespace stencil
