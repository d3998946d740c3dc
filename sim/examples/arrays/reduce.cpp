// The sum of an array, by atomic additions as in the tutorial, by warp and block, in a fixed order, by the
// libraries; and the dot product of two arrays, with the result on the host.
#include "kernels/examples/arrays/reduce.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <set>

#include "sim/examples/arrays/arrays.h"

namespace stencil {
namespace {

constexpr int kRuns = 5;  // whose bits are compared
// More than any variant takes on the GPU beside its arrays; cuBLAS's workspace is the largest.
constexpr double kScratchBytes = 5e6;

enum class How { serial, blas, blocks, strategy, to_host, graph, library };

struct SumVariant {
    const char* name;
    How how;
    bool same_bits = true;  ///< from run to run; otherwise its order is left to chance
    bool lesson = false;    ///< what not to do
    ReductionStrategy strategy = ReductionStrategy::last_block;

    bool on_cpu() const { return how == How::serial || how == How::blas || how == How::blocks; }
};

constexpr SumVariant kOneLaunch{"one launch, fixed order", How::strategy},
    kPerBlock{
        "an atomic addition per block", How::strategy, false, false, ReductionStrategy::atomic_per_block};

// OpenBLAS's threads cut the array as they come.
constexpr SumVariant kSums[] = {
    {"one term after the other", How::serial, true, true},
    {"OpenBLAS", How::blas, false},
    {"vectors and threads, in blocks", How::blocks},
    {"an atomic addition per thread", How::strategy, false, true, ReductionStrategy::atomic_per_thread},
    {"an atomic addition per warp", How::strategy, false, false, ReductionStrategy::atomic_per_warp},
    kPerBlock,
    kOneLaunch,
    {"CUB", How::library},
};

constexpr SumVariant kDots[] = {
    {"OpenBLAS", How::blas, false},
    {"vectors and threads, in blocks", How::blocks},
    {"cuBLAS", How::library},
    {"one launch, result found", How::to_host},
    {"one launch, result found, as graph", How::graph},
    kOneLaunch,
    kPerBlock,
};

/// The terms x[i] y[i], or x[i] where y is null.
template <class T>
struct SumTerms {
    const T* x = nullptr;
    const T* y = nullptr;
    std::int64_t n = 0;
};

template <class T>
T sum_on_cpu(How how, ExampleContext& context, const SumTerms<T>& terms) {
    if (how == How::blas) return blas_sum(context.thread_count(), terms.x, terms.y, terms.n);
    if (how == How::blocks) return cpu_sum(context.threads(), terms.x, terms.y, terms.n);
    T sum = 0;
    in_parts(context, terms.n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
        sum = serial_sum(sum, terms.x + first, count);
    });
    return sum;
}

/// A variant at work on the terms, with the memory that it takes.
template <class T>
struct GpuSum {
    /// *result = the sum, both on the device.
    std::function<void(T* result)> enqueue;
    /// The sum on the host, waited for; empty where that is enqueue() and a copy.
    std::function<T()> on_host = {};
};

template <class T>
GpuSum<T> make_gpu_sum(const SumVariant& variant, CudaStream& stream, const SumTerms<T>& terms) {
    if (variant.how == How::library) {
        const LibrarySum<T> sum = terms.y ? cublas_dot<T>(stream) : cub_sum<T>(stream, terms.n);
        GpuSum<T> made{[=](T* result) { sum.enqueue(terms.x, terms.y, terms.n, result); }};
        if (sum.on_host) made.on_host = [=] { return sum.on_host(terms.x, terms.y, terms.n); };
        return made;
    }
    const auto sum = std::make_shared<CudaReduction>(stream);
    GpuSum<T> made{[=, strategy = variant.strategy](T* result) {
        sum->enqueue(strategy, terms.x, terms.y, terms.n, result);
    }};
    const auto enqueue = [=] { sum->enqueue_for_host(terms.x, terms.y, terms.n); };
    if (variant.how == How::to_host)
        made.on_host = [=] {
            enqueue();
            return T(sum->wait());
        };
    if (variant.how == How::graph)
        made.on_host = [=, &stream, graph = std::make_shared<CudaGraph>(stream, enqueue)] {
            graph->launch(stream);
            return T(sum->wait());
        };
    return made;
}

// |got - exact| / |exact|
double relative_error(double got, long double exact) {
    const long double off = std::abs(got - exact);
    return double(exact != 0 ? off / std::abs(exact) : off);
}

// The sum of the terms with 11 more bits than float64, in pairs of pieces. Throws Cancelled.
template <class T>
long double exact_sum(const ExampleContext& context, const SumTerms<T>& terms) {
    long double sum = 0;
    in_parts(context, terms.n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        long double part = 0;
        for (std::int64_t i = first; i < first + count; ++i)
            part += terms.y ? (long double)(terms.x[i]) * terms.y[i] : (long double)(terms.x[i]);
        sum += part;
    });
    return sum;
}

/// One precision of either example. The time of a dot product is the host's, from the call until it has the
/// result; that of a sum is the device's.
template <class T>
class SumExample {
  public:
    SumExample(ExampleContext& context, bool dot)
        : context_(context), dot_(dot), n_(context.options().integer("length")) {}

    void add_rows() {
        context_.begin_part("random numbers");
        Random random = array_random(context_.request());
        while (terms_.size() < (dot_ ? 2 : 1)) terms_.push_back(random_array<T>(context_, random, n_));
        exact_ = exact_sum(context_, host_terms());
        std::vector<Variant> rows;
        for (const SumVariant& variant : variants()) {
            Variant& row = rows.emplace_back();
            row.name = variant.name;
            row.device = variant.on_cpu() ? Device::cpu : Device::cuda;
            row.lesson = variant.lesson;
            row.run = [this, &variant](ReportRow& measured) {
                measure_sum(variant, measured);
                measured.rates = {
                    context_.memory_rate(measured, double(dot_ ? 2 : 1) * double(n_) * sizeof(T))};
            };
        }
        measure(context_,
                dot_ ? fmt::format("dot product of {} elements, result on the host", n_)
                     : fmt::format("sum of {} elements", n_),
                dtype_of<T>,
                rows);
    }

  private:
    std::span<const SumVariant> variants() const { return dot_ ? std::span<const SumVariant>(kDots) : kSums; }
    SumTerms<T> host_terms() const { return {terms_[0].data(), dot_ ? terms_[1].data() : nullptr, n_}; }

    void measure_sum(const SumVariant& variant, ReportRow& row) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (!variant.on_cpu()) return measure_on_gpu(variant, row);
        const auto run = [&] { return sum_on_cpu(variant.how, context_, host_terms()); };
        check(variant, row, run);
        time_host(context_, row, [&] { kept_ = run(); });
    }

    // Runs it again and again: how far off is the result, and how often has it the same bits? Beyond the
    // bound a row whose order is fixed has failed, and another is inexact.
    template <class F>
    void check(const SumVariant& variant, ReportRow& row, const F& run) {
        constexpr double kErrorBound = sizeof(T) == 4 ? 5e-6 : 1e-14;
        std::set<T> different;
        for (int i = 0; i < kRuns; ++i) {
            context_.pause();
            const T result = run();
            row.error = std::max(i == 0 ? 0 : row.error, relative_error(double(result), exact_));
            if (std::isnan(result)) row.error = kNotMeasured;
            different.insert(result);
        }
        row.check = different.size() == 1
                        ? fmt::format("the same bits in {} runs", kRuns)
                        : fmt::format("{} different results in {} runs", different.size(), kRuns);
        const bool exact_enough = row.error <= kErrorBound;
        row.inexact = !exact_enough && !std::isnan(row.error) && (variant.lesson || !variant.same_bits);
        row.failed = (!exact_enough && !row.inexact) || (variant.same_bits && different.size() > 1);
    }

    void measure_on_gpu(const SumVariant& variant, ReportRow& row) {
        context_.copy_gb_per_s(Device::cuda);  // before the arrays take the memory
        Arrays<T> arrays(context_, Device::cuda);
        CudaStream& stream = arrays.stream();
        arrays.add(terms_);
        const SumTerms<T> terms{arrays.at(0), dot_ ? arrays.at(1) : nullptr, n_};
        const GpuSum<T> sum = make_gpu_sum<T>(variant, stream, terms);
        const CudaMemory result{sizeof(T)};
        const CudaHostMemory found{sizeof(T)};
        arrays.send(terms_, row);
        auto* const on_device = static_cast<T*>(result.data());
        auto* const on_host = static_cast<T*>(found.data());
        const auto run = [&] {
            if (sum.on_host) return sum.on_host();
            *on_host = std::numeric_limits<T>::quiet_NaN();
            sum.enqueue(on_device);
            enqueue_to_host(on_host, on_device, sizeof(T), stream);
            stream.synchronize();
            return *on_host;
        };
        check(variant, row, run);
        ReportRow device;
        if (dot_) time_host(context_, row, [&] { kept_ = run(); });
        arrays.time(dot_ ? device : row, [&] { sum.enqueue(on_device); });
        if (dot_) row.more.emplace_back("on_the_device_alone_seconds", device.seconds);
    }

    ExampleContext& context_;
    bool dot_;
    std::int64_t n_;
    std::vector<AlignedBuffer<T>> terms_;  // x, and y of a dot product
    long double exact_ = 0;
    volatile T kept_ = 0;  // a result that is used, so that nothing is left out
};

constexpr ExampleOption kOptions[] = {kLengthOption, kArraySeedOption};

void run(ExampleContext& context, bool dot) {
    require_array_memory(context, dot ? 2 : 1, context.options().integer("length"), false, kScratchBytes);
    for (const DType dtype : context.request().dtypes())
        in_dtype(dtype, [&]<class T>(T) {
            SumExample<T> example(context, dot);
            example.add_rows();
        });
}

void run_dot(ExampleContext& context) {
    run(context, true);
    context.report().notes = {
        "Times are the host's, from the call until it has the result: for a million elements launching the "
        "kernel and hearing of its end take longer than reading them."};
}

void run_reduce(ExampleContext& context) {
    run(context, false);
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
        "GPU tutorials stop the clock before the GPU is done; here it stops when the host has the number. In "
        "one launch each block adds its terms, and the block that ends last adds the blocks' sums, always in "
        "the same order, into the host's memory, where the host looks for it. Beside it: a copy and a wait, "
        "atomic additions, and the libraries.",
    .options = kOptions,
    .dtypes = kDotDTypes,
    .check = check_array,
    .run = run_dot};

constinit const Example kReduceExample{
    .name = "reduce",
    .summary = "the sum of an array: atomic additions, warps and blocks, a fixed order, libraries",
    .about =
        "GPU tutorials add each element to one number by an atomic addition, and time nothing. Here the "
        "result is zeroed in every run, and beside that stand an atomic addition per warp and per block, a "
        "sum "
        "in a fixed order that repeats every bit, and CUB.",
    .options = kOptions,
    .dtypes = kReduceDTypes,
    .check = check_array,
    .run = run_reduce};

}  // namespace stencil
