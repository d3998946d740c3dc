#include "sim/examples/arrays/sum_sweep.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/arrays/sweep.h"
#include "sim/examples/arrays/ways/device_arrays.h"
#include "sim/examples/arrays/ways/timed_launches.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

// Longer than this a way whose time grows with each term takes seconds and shows nothing new.
constexpr std::int64_t kMaxLessonLength = 10'000'000;

template <class T>
struct Sweep {
    std::vector<std::int64_t> lengths;
    std::vector<long double> exact;  ///< of each length
    AlignedBuffer<T> x;
    ReportCurve times, errors;
};

// The errors of exact sums have no place on a logarithmic axis: they stand at half a unit of the last place.
template <class T>
double shown_error(double error) {
    return std::max(error, double(std::numeric_limits<T>::epsilon()) / 4);
}

template <class T>
void cpu_series(const ExampleRequest& request,
                ExampleContext& context,
                Sweep<T>& sweep,
                const SumWay<T>& way) {
    std::vector<ReportPoint> times, errors;
    for (std::size_t i = 0; i < sweep.lengths.size(); ++i) {
        const SumTerms<T> terms{sweep.x.data(), nullptr, sweep.lengths[i]};
        T found = 0;
        const Timing timing =
            time_host(context, sweep_repeats(request), [&] { found = way.on_cpu(context, terms); });
        times.push_back({double(terms.n), timing.seconds, "", false});
        errors.push_back(
            {double(terms.n), shown_error<T>(relative_error(double(found), sweep.exact[i])), "", false});
    }
    add_series(sweep.times, "CPU, " + way.name, std::move(times));
    add_series(sweep.errors, "CPU, " + way.name, std::move(errors));
}

#if STENCILSCOPE_HAS_CUDA
template <class T>
void gpu_series(const ExampleRequest& request,
                ExampleContext& context,
                Sweep<T>& sweep,
                std::span<const SumWay<T>> ways) {
    const double budget = context.gpu_budget();
    const CudaMemoryMeter meter{std::size_t(budget)};
    const auto lengths = sweep_lengths(request, sizeof(T), budget);
    if (lengths.empty()) return;
    const std::int64_t longest = std::min(lengths.back(), sweep.lengths.back());
    CudaStream stream;
    const DeviceArrays<T> memory(1, longest + 1);  // and the result
    T* const result = memory.at(0) + longest;
    upload(context, memory.at(0), sweep.x.data(), double(longest) * sizeof(T), stream);
    for (const SumWay<T>& way : ways) {
        if (!way.on_gpu) continue;
        std::vector<ReportPoint> times, errors;
        for (std::size_t i = 0; i < sweep.lengths.size() && sweep.lengths[i] <= longest; ++i) {
            const SumTerms<T> terms{memory.at(0), nullptr, sweep.lengths[i]};
            if (way.lesson && terms.n > kMaxLessonLength) break;
            const auto sum = way.on_gpu(stream, terms.n);
            ReportRow row;
            time_launches(
                context, stream, sweep_repeats(request), [&] { sum->enqueue(terms, result); }, row);
            T found = std::numeric_limits<T>::quiet_NaN();
            download(context, &found, result, sizeof(T), stream);
            times.push_back({double(terms.n), row.seconds, "", false});
            errors.push_back(
                {double(terms.n), shown_error<T>(relative_error(double(found), sweep.exact[i])), "", false});
        }
        add_series(sweep.times, "GPU, " + way.name, std::move(times));
        add_series(sweep.errors, "GPU, " + way.name, std::move(errors));
    }
}
#endif

}  // namespace

template <class T>
void add_sum_sweep(const ExampleRequest& request, ExampleContext& context, std::span<const SumWay<T>> ways) {
    const DType dtype = std::is_same_v<T, float> ? DType::float32 : DType::float64;
    context.begin_part("sums over lengths");
    Sweep<T> sweep;
    sweep.lengths = sweep_lengths(request, sizeof(T), free_host_bytes());
    if (sweep.lengths.empty()) return;
    sweep.times = sweep_curve("sum", "Sum of an array", dtype);
    sweep.errors = sweep_curve("sum_error", "Error of the sum of an array", dtype);
    sweep.errors.y_label = "relative error";
    Random random(parse_seed(request.options.text("seed"), "--seed"));
    sweep.x = random_array<T>(context, random, sweep.lengths.back());
    for (const std::int64_t n : sweep.lengths)
        sweep.exact.push_back(exact_sum(context, SumTerms<T>{sweep.x.data(), nullptr, n}));
#if STENCILSCOPE_HAS_CUDA
    if (context.gpu()) gpu_series(request, context, sweep, ways);
#endif
    for (const SumWay<T>& way : ways)
        if (way.on_cpu && request.on_cpu()) cpu_series(request, context, sweep, way);
    add_memory_limits(request, context, sweep.times, sizeof(T));
    context.report().curves.push_back(std::move(sweep.times));
    context.report().curves.push_back(std::move(sweep.errors));
}

template void add_sum_sweep<float>(const ExampleRequest&, ExampleContext&, std::span<const SumWay<float>>);
template void add_sum_sweep<double>(const ExampleRequest&, ExampleContext&, std::span<const SumWay<double>>);

}  // namespace stencil
