#include "sim/examples/arrays/map_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/arrays/sweep.h"
#include "sim/examples/arrays/ways/device_arrays.h"
#include "sim/examples/arrays/ways/timed_launches.h"
#include "sim/examples/report/stopwatch.h"

namespace stencil {
namespace {

template <class T>
int arrays_of(const MapWay<T>& way) {
    return 2 + way.scratch;
}

template <class T>
std::vector<ReportPoint> cpu_points(const ExampleRequest& request,
                                    ExampleContext& context,
                                    const MapWay<T>& way) {
    const auto lengths = sweep_lengths(request, double(arrays_of(way)) * sizeof(T), free_host_bytes());
    std::vector<AlignedBuffer<T>> memory;
    std::vector<T*> arrays;
    for (int i = 0; i < arrays_of(way); ++i)
        arrays.push_back(memory.emplace_back(std::size_t(lengths.empty() ? 0 : lengths.back())).data());
    std::vector<ReportPoint> points;
    for (const std::int64_t n : lengths) {
        on_threads(context, n, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i) arrays[0][i] = T(i % 1024) / 1024;
        });
        const Timing timing = time_host(context, sweep_repeats(request), [&] {
            way.on_cpu(context, {arrays, n});
        });
        points.push_back({double(n), timing.seconds, "", false});
    }
    return points;
}

#if STENCILSCOPE_HAS_CUDA
template <class T>
std::vector<ReportPoint> gpu_points(const ExampleRequest& request,
                                    ExampleContext& context,
                                    const MapWay<T>& way) {
    const double budget = context.gpu_budget();
    const auto lengths = sweep_lengths(request, double(arrays_of(way)) * sizeof(T), budget);
    std::vector<ReportPoint> points;
    if (lengths.empty()) return points;
    const CudaMemoryMeter meter{std::size_t(budget)};
    const DeviceArrays<T> memory(arrays_of(way), lengths.back());
    std::vector<T*> arrays;
    for (int i = 0; i < arrays_of(way); ++i) arrays.push_back(memory.at(i));
    AlignedBuffer<T> values{std::size_t(lengths.back())};
    on_threads(context, lengths.back(), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) values.data()[i] = T(i % 1024) / 1024;
    });
    CudaStream stream;
    upload(context, arrays[0], values.data(), double(lengths.back()) * sizeof(T), stream);
    for (const std::int64_t n : lengths) {
        ReportRow row;
        time_launches(
            context,
            stream,
            sweep_repeats(request),
            [&] {
                way.on_gpu(stream, {arrays, n});
            },
            row);
        points.push_back({double(n), row.seconds, "", false});
    }
    return points;
}
#endif

}  // namespace

template <class T>
void add_map_sweep(const ExampleRequest& request,
                   ExampleContext& context,
                   const SweepTitle& title,
                   std::span<const MapWay<T>> ways) {
    const DType dtype = std::is_same_v<T, float> ? DType::float32 : DType::float64;
    ReportCurve curve = sweep_curve(title.id, title.text, dtype);
    for (const MapWay<T>& way : ways) {
        context.begin_part(title.text + " over lengths, " + way.name);
#if STENCILSCOPE_HAS_CUDA
        if (context.gpu()) add_series(curve, "GPU, " + way.name, gpu_points(request, context, way));
#endif
        if (request.on_cpu()) add_series(curve, "CPU, " + way.name, cpu_points(request, context, way));
    }
    add_memory_limits(request, context, curve, 2 * sizeof(T));
    context.report().curves.push_back(std::move(curve));
}

template void add_map_sweep<float>(const ExampleRequest&,
                                   ExampleContext&,
                                   const SweepTitle&,
                                   std::span<const MapWay<float>>);
template void add_map_sweep<double>(const ExampleRequest&,
                                    ExampleContext&,
                                    const SweepTitle&,
                                    std::span<const MapWay<double>>);

}  // namespace stencil
