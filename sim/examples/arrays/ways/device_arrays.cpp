#include "sim/examples/arrays/ways/device_arrays.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/cuda/cuda_queue.h"
#include "sim/examples/context.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr std::int64_t kAlign = 256;  // elements: kernels take 16 bytes at once where arrays begin on them

std::int64_t pitch_of(std::int64_t n) {
    return (n + kAlign - 1) / kAlign * kAlign;
}

}  // namespace

double device_array_bytes(int arrays, std::int64_t n, std::size_t element_bytes) {
    return double(arrays) * double(pitch_of(n)) * double(element_bytes);
}

void require_gpu_memory(
    const ExampleContext& context, int arrays, std::int64_t n, std::size_t element_bytes, double beside) {
    if (!context.gpu()) return;
    const double needed = device_array_bytes(arrays, n, element_bytes) + beside;
    const double budget = context.gpu_budget();
    if (needed <= budget) return;
    const double each = double(arrays) * double(element_bytes);
    const auto fit = std::int64_t(std::max(0.0, budget - beside) / each) / kAlign * kAlign;
    throw MachineError(
        fmt::format("not enough GPU memory: {} elements need {} and {} may be used; {} elements fit",
                    n,
                    format_bytes(needed),
                    format_bytes(budget),
                    fit));
}

#if STENCILSCOPE_HAS_CUDA

namespace {

// Some hundredths of a second, after which the context may end the copy.
template <class Copy>
void copy_in_parts(ExampleContext& context, double bytes, CudaStream& stream, const Copy& copy) {
    constexpr double kPart = 1 << 28;
    for (double done = 0; done < bytes; done += kPart) {
        context.pause();
        copy(std::size_t(done), std::size_t(std::min(kPart, bytes - done)));
        stream.synchronize();
    }
}

}  // namespace

template <class T>
DeviceArrays<T>::DeviceArrays(int count, std::int64_t length)
    : pitch_(pitch_of(length)), memory_(std::size_t(count) * std::size_t(pitch_) * sizeof(T)) {}

void upload(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream) {
    copy_in_parts(context, bytes, stream, [&](std::size_t at, std::size_t count) {
        enqueue_to_device(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, count, stream);
    });
}

void download(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream) {
    copy_in_parts(context, bytes, stream, [&](std::size_t at, std::size_t count) {
        enqueue_to_host(static_cast<char*>(to) + at, static_cast<const char*>(from) + at, count, stream);
    });
}

template class DeviceArrays<float>;
template class DeviceArrays<double>;

#endif

}  // namespace stencil
