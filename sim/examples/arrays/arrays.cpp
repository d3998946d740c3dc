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
                   const std::function<void()>& enqueue) {
    constexpr double kEnough = 1e-4;  // seconds
    constexpr int kMax = 20;
    CudaTimer timer;
    const auto timed = [&] {
        timer.start(stream);
        enqueue();
        timer.stop(stream);
        return timer.seconds();
    };
    // The first launch sets up libraries.
    const double once = timed() < 1e2 * kEnough ? timed() : 1;
    const int launches = once < kEnough ? std::clamp(int(2 * kEnough / std::max(once, 1e-9)), 2, kMax) : 1;
    time_device(context, stream, row, [&] {
        for (int i = 0; i < launches; ++i) enqueue();
    });
    row.seconds /= launches;
    if (launches > 1) row.more.emplace_back("launches_timed_together", launches);
}

#endif

}  // namespace stencil
