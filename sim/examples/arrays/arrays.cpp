#include "sim/examples/arrays/arrays.h"

#include <fmt/format.h>

#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

void require_memory(
    const char* which, const char* allowed, double per_element, double scratch, std::int64_t n, double free) {
    const double needed = per_element * double(n) + scratch;
    if (needed <= free) return;
    throw MachineError("not enough {} memory: {} elements need {} and {} {}; {} elements fit",
                       which,
                       n,
                       format_bytes(needed),
                       format_bytes(free),
                       allowed,
                       std::int64_t(0.95 * std::max(0.0, free - scratch) / per_element));
}

}  // namespace

Random array_random(const ExampleRequest& request) {
    return Random(parse_seed(request.options.text("seed"), "seed"));
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

void require_array_memory(
    const ExampleContext& context, int arrays, std::int64_t n, bool exact, double scratch) {
    in_dtype(std::ranges::max(context.request().dtypes()), [&]<class T>(T) {
        const double bytes = double(arrays) * sizeof(T);
        require_memory("host",
                       "is free",
                       bytes + (exact ? 2 * sizeof(T) + sizeof(Exact<T>) : 0),
                       0,
                       n,
                       double(query_host_memory().free_bytes));
        if (context.gpu()) require_memory("GPU", "may be used", bytes, scratch, n, context.gpu_budget());
    });
}

std::vector<std::int64_t> sweep_lengths(const ExampleContext& context,
                                        Device device,
                                        double bytes_per_element) {
    const double bytes =
        device == Device::cpu ? double(query_host_memory().free_bytes) : context.gpu_budget();
    const double most = std::min(double(context.options().integer("longest")), bytes / 2 / bytes_per_element);
    std::vector<std::int64_t> lengths;
    for (std::int64_t n = 1000; double(n) <= most; n *= 10) lengths.push_back(n);
    return lengths;
}

ReportCurve sweep_curve(const std::string& id, const std::string& text, DType dtype) {
    return {.id = fmt::format("{}_{}", id, name_of(dtype)),
            .title = fmt::format("{}, {}", text, name_of(dtype)),
            .x_label = "elements",
            .y_label = "seconds",
            .log_x = true,
            .log_y = true};
}

void add_sweep_curve(ExampleContext& context, ReportCurve curve, double bytes_per_element) {
    std::vector<double> lengths;
    for (const ReportSeries& series : curve.series)
        for (const ReportPoint& point : series.points) lengths.push_back(point.x);
    for (const Device device : {Device::cuda, Device::cpu}) {
        if (lengths.empty() || !(device == Device::cuda ? context.gpu() : context.cpu())) continue;
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

void copy_in_parts(const std::function<void()>& pause,
                   void (*enqueue)(void* to, const void* from, std::size_t bytes, CudaStream& stream),
                   void* to,
                   const void* from,
                   double bytes,
                   CudaStream& stream) {
    constexpr double kPart = 1 << 28;
    for (double done = 0; done < bytes; done += kPart) {
        pause();
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
                   ReportRow& row,
                   const std::function<void()>& enqueue,
                   int few) {
    constexpr double kEnough = 1e-4;  // seconds
    constexpr int kMax = 20;
    enqueue();
    CudaTimer timer;
    timer.start(stream);
    enqueue();
    timer.stop(stream);
    const double once = timer.seconds();
    const int launches = once < kEnough ? std::clamp(int(2 * kEnough / std::max(once, 1e-9)), 2, kMax) : 1;
    const auto together = [&] {
        for (int i = 0; i < launches; ++i) enqueue();
    };
    time_device(context, stream, row, together, few);
    row.seconds /= launches;
    if (launches > 1) row.more.emplace_back("launches_timed_together", launches);
}

#endif

}  // namespace stencil
