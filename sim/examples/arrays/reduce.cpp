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
// Longer than this a variant whose time grows with each term takes seconds and shows nothing new.
constexpr std::int64_t kMaxLessonLength = 10'000'000;
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
    {"two launches, fixed order", How::strategy, true, false, ReductionStrategy::two_launches},
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
        x_ = random_array<T>(context_, random, n_);
        if (dot_) y_ = random_array<T>(context_, random, n_);
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

    /// Curves of times and of errors over lengths, for sums of one array.
    void add_sweep() {
        context_.begin_part("sums over lengths");
        lengths_ = sweep_lengths(context_, Device::cpu, sizeof(T));
        if (lengths_.empty()) return;
        times_ = sweep_curve("sum", "Sum of an array", dtype_of<T>);
        errors_ = sweep_curve("sum_error", "Error of the sum of an array", dtype_of<T>);
        errors_.y_label = "relative error";
        Random random = array_random(context_.request());
        x_ = random_array<T>(context_, random, lengths_.back());
        for (const std::int64_t n : lengths_)
            exact_of_length_.push_back(exact_sum(context_, SumTerms<T>{x_.data(), nullptr, n}));
        const std::string why = context_.why_failed([&] {
            if (context_.gpu()) sweep(Device::cuda);
        });
        if (!why.empty()) context_.report().notes.push_back("Sums over lengths on the GPU: " + why);
        if (context_.cpu()) sweep(Device::cpu);
        add_sweep_curve(context_, std::move(times_), sizeof(T));
        context_.report().curves.push_back(std::move(errors_));
    }

  private:
    std::span<const SumVariant> variants() const { return dot_ ? std::span<const SumVariant>(kDots) : kSums; }
    SumTerms<T> host_terms() const { return {x_.data(), dot_ ? y_.data() : nullptr, n_}; }

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
        const std::size_t before = CudaMemoryMeter::left();
        Arrays<T> arrays(context_, Device::cuda, n_);
        CudaStream& stream = arrays.stream();
        arrays.add(x_);
        if (dot_) arrays.add(y_);
        const SumTerms<T> terms{arrays.at(0), dot_ ? arrays.at(1) : nullptr, n_};
        const GpuSum<T> sum = make_gpu_sum<T>(variant, stream, terms);
        const CudaMemory result{sizeof(T)};
        const CudaHostMemory found{sizeof(T)};
        row.gpu_memory = GpuMemoryUse{double(before - CudaMemoryMeter::left())};
        arrays.send(0, x_);  // the first copy of a process is slow
        row.to_device_seconds = seconds_of([&] {
            arrays.send(0, x_);
            if (dot_) arrays.send(1, y_);
        });
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

    // The series of a device's variants.
    void sweep(Device device) {
        const auto fitting = sweep_lengths(context_, device, sizeof(T));
        if (fitting.empty()) return;
        const std::int64_t longest = std::min(fitting.back(), lengths_.back());
        Arrays<T> arrays(context_, device, longest);
        arrays.add(x_);
        arrays.send(0, x_);
        for (const SumVariant& variant : variants()) {
            if (variant.on_cpu() != (device == Device::cpu)) continue;
            const bool slow = variant.lesson && device == Device::cuda;
            ReportSeries time{(device == Device::cpu ? "CPU, " : "GPU, ") + std::string(variant.name), {}};
            ReportSeries error{time.name, {}};
            for (std::size_t i = 0; i < lengths_.size(); ++i) {
                if (lengths_[i] > (slow ? std::min(longest, kMaxLessonLength) : longest)) break;
                ReportRow row;
                const T found = timed_sum(variant, arrays, lengths_[i], row);
                time.points.push_back({double(lengths_[i]), row.seconds});
                // A logarithmic axis has no zero: an exact sum is shown at half a unit of the last place.
                error.points.push_back({double(lengths_[i]),
                                        std::max(relative_error(double(found), exact_of_length_[i]),
                                                 double(std::numeric_limits<T>::epsilon()) / 4)});
            }
            times_.series.push_back(std::move(time));
            errors_.series.push_back(std::move(error));
        }
    }

    T timed_sum(const SumVariant& variant, const Arrays<T>& arrays, std::int64_t n, ReportRow& row) {
        const SumTerms<T> terms{arrays.at(0), nullptr, n};
        T found = std::numeric_limits<T>::quiet_NaN();
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (arrays.on_gpu()) {
                const CudaMemory result{sizeof(T)};
                auto* const on_device = static_cast<T*>(result.data());
                const GpuSum<T> sum = make_gpu_sum<T>(variant, arrays.stream(), terms);
                arrays.time(
                    row, [&] { sum.enqueue(on_device); }, kSweepRepeats);
                copy_in_parts([] {}, enqueue_to_host, &found, on_device, sizeof(T), arrays.stream());
                return found;
            }
        arrays.time(
            row, [&] { found = sum_on_cpu(variant.how, context_, terms); }, kSweepRepeats);
        return found;
    }

    ExampleContext& context_;
    bool dot_;
    std::int64_t n_;
    AlignedBuffer<T> x_, y_;
    long double exact_ = 0;
    std::vector<std::int64_t> lengths_;
    std::vector<long double> exact_of_length_;
    ReportCurve times_, errors_;
    volatile T kept_ = 0;  // a result that is used, so that nothing is left out
};

constexpr ExampleOption kOptions[] = {kLengthOption, kArraySeedOption, kSweepOption, kLongestOption};

void check_reduce(const ExampleRequest& request) {
    request.options.integer("longest");
    check_array(request);
}

void run(ExampleContext& context, bool dot) {
    require_array_memory(context, dot ? 2 : 1, context.options().integer("length"), false, kScratchBytes);
    for (const DType dtype : context.request().dtypes())
        in_dtype(dtype, [&]<class T>(T) {
            SumExample<T> example(context, dot);
            example.add_rows();
            if (!dot && context.options().flag("sweep")) example.add_sweep();
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
    .options = std::span(kOptions).first(2),
    .dtypes = kDotDTypes,
    .check = check_array,
    .run = run_dot};

constinit const Example kReduceExample{
    .name = "reduce",
    .summary = "the sum of an array: atomic additions, warps and blocks, a fixed order, libraries",
    .about =
        "GPU tutorials add each element to one number by an atomic addition, and time nothing. Here the "
        "result is zeroed in every run, and beside that stand an atomic addition per warp and per block, two "
        "sums in a fixed order that repeat every bit, and CUB.",
    .options = kOptions,
    .dtypes = kReduceDTypes,
    .check = check_reduce,
    .run = run_reduce};

}  // namespace stencil
