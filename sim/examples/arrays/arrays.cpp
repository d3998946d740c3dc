#include "sim/examples/arrays/arrays.h"

#include <fmt/format.h>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/field/divide.h"
#include "sim/examples/report/stopwatch.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr std::int64_t kAlign = 256;  // elements: kernels take 16 bytes at once where arrays begin on them

}  // namespace

Random array_random(const ExampleRequest& request) {
    return Random(parse_seed(request.options.text("seed"), "--seed"));
}

void check_array(const ExampleRequest& request) {
    request.options.integer("length");
    array_random(request);
}

template <class T>
AlignedBuffer<T> random_array(const ExampleContext& context, Random& random, std::int64_t n) {
    AlignedBuffer<T> array{std::size_t(n)};
    in_parts(context, n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        for (std::int64_t i = first; i < first + count; ++i) array.data()[i] = random.next<T>();
    });
    return array;
}

template AlignedBuffer<float> random_array(const ExampleContext&, Random&, std::int64_t);
template AlignedBuffer<double> random_array(const ExampleContext&, Random&, std::int64_t);

void expect_each_dtype(const ExampleRequest& request,
                       ExampleContext& context,
                       std::span<const double> parts) {
    std::vector<double> all;
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) all.insert(all.end(), parts.begin(), parts.end());
    context.expect(all);
}

DType widest_dtype(const ExampleRequest& request) {
    return std::ranges::max(request.dtypes);
}

void require_host_memory(double bytes_per_element, std::int64_t n) {
    const double needed = bytes_per_element * double(n);
    const double free = double(query_host_memory().free_bytes);
    if (needed <= free) return;
    throw MachineError(
        fmt::format("not enough host memory: {} elements need {} and {} is free; {} elements fit",
                    n,
                    format_bytes(needed),
                    format_bytes(free),
                    std::int64_t(0.95 * free / bytes_per_element)));
}

double device_array_bytes(int arrays, std::int64_t n, std::size_t element_bytes) {
    return double(arrays) * double(round_up(n, kAlign)) * double(element_bytes);
}

void require_gpu_memory(
    const ExampleContext& context, int arrays, std::int64_t n, std::size_t element_bytes, double beside) {
    if (!context.gpu()) return;
    const double needed = device_array_bytes(arrays, n, element_bytes) + beside;
    const double budget = context.gpu_budget();
    if (needed <= budget) return;
    const double each = double(arrays) * double(element_bytes);
    throw MachineError(
        fmt::format("not enough GPU memory: {} elements need {} and {} may be used; {} elements fit",
                    n,
                    format_bytes(needed),
                    format_bytes(budget),
                    std::int64_t(std::max(0.0, budget - beside) / each) / kAlign * kAlign));
}

ReportRow begun_row(
    ExampleContext& context, const std::string& work, const std::string& way, Device device, DType dtype) {
    if (device == Device::cpu || context.gpu())
        context.begin_part(work + ", " + way + (device == Device::cpu ? " on the CPU" : " on the GPU"));
    return {.work = work, .name = way, .backend = device, .dtype = dtype};
}

void add_array_row(ExampleContext& context, ReportRow row, double bytes) {
    row.rates = {context.memory_rate(row, bytes)};
    context.add(std::move(row));
}

std::vector<std::int64_t> sweep_lengths(const ExampleRequest& request,
                                        double bytes_per_element,
                                        double bytes) {
    const double most = std::min(double(request.options.integer("longest")), bytes / 2 / bytes_per_element);
    std::vector<std::int64_t> lengths;
    for (std::int64_t n = 1000; double(n) <= most; n *= 10) lengths.push_back(n);
    return lengths;
}

int sweep_repeats(const ExampleRequest& request) {
    return request.repeats > 0 ? request.repeats : 7;
}

ReportCurve sweep_curve(const std::string& id, const std::string& text, DType dtype) {
    return {.id = fmt::format("{}_{}", id, name_of(dtype)),
            .title = fmt::format("{}, {}", text, name_of(dtype)),
            .x_label = "elements",
            .y_label = "seconds",
            .log_x = true,
            .log_y = true};
}

void add_sweep_curve(const ExampleRequest& request,
                     ExampleContext& context,
                     ReportCurve curve,
                     double bytes_per_element) {
    std::vector<double> lengths;
    for (const ReportSeries& series : curve.series)
        for (const ReportPoint& point : series.points) lengths.push_back(point.x);
    for (const Device device : {Device::cuda, Device::cpu}) {
        if (lengths.empty() || (device == Device::cuda ? !context.gpu() : !request.on_cpu())) continue;
        const auto [least, most] = std::ranges::minmax(lengths);
        const double per_element = bytes_per_element / (context.copy_gb_per_s(device) * 1e9);
        curve.series.push_back({.name = device == Device::cuda ? "GPU memory's limit" : "CPU memory's limit",
                                .points = {{least, least * per_element}, {most, most * per_element}},
                                .markers = false,
                                .dashed = true});
    }
    context.report().curves.push_back(std::move(curve));
}

#if STENCILSCOPE_HAS_CUDA

void copy_in_parts(ExampleContext& context,
                   void (*enqueue)(void* to, const void* from, std::size_t bytes, CudaStream& stream),
                   void* to,
                   const void* from,
                   double bytes,
                   CudaStream& stream) {
    constexpr double kPart = 1 << 28;
    for (double done = 0; done < bytes; done += kPart) {
        context.pause();
        const auto at = std::size_t(done);
        enqueue(static_cast<char*>(to) + at,
                static_cast<const char*>(from) + at,
                std::size_t(std::min(kPart, bytes - done)),
                stream);
        stream.synchronize();
    }
}

void time_launches(ExampleContext& context,
                   CudaStream& stream,
                   int repeats,
                   const std::function<void()>& enqueue,
                   ReportRow& row) {
    constexpr double kEnough = 1e-4;  // seconds
    constexpr int kMax = 20;
    enqueue();
    CudaTimer timer;
    timer.start(stream);
    enqueue();
    timer.stop(stream);
    const double once = timer.seconds();
    const int together = once < kEnough ? std::clamp(int(2 * kEnough / std::max(once, 1e-9)), 2, kMax) : 1;
    Timing timing = time_device(context, stream, repeats, [&] {
        for (int i = 0; i < together; ++i) enqueue();
    });
    timing.seconds /= together;
    timing.fill(row);
    if (together > 1) row.more.emplace_back("launches_timed_together", together);
}

#endif

}  // namespace stencil
