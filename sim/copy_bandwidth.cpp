#include "sim/copy_bandwidth.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <vector>

#include "kernels/aligned_buffer.h"
#include "kernels/cuda_runtime.h"
#include "kernels/thread_pool.h"
#include "sim/host_memory.h"
#include "sim/median.h"

namespace stencil {
namespace {

constexpr int kRepeats = 7;
constexpr std::size_t kLargestArray = std::size_t(1) << 30;
constexpr std::size_t kSmallestArray = std::size_t(1) << 22;

// Two arrays together are twice the last-level cache, but touching gigabytes for the first time takes
// seconds.
std::size_t largest_host_array() {
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::clamp(std::size_t(std::max(cache, 0L)), std::size_t(128) << 20, std::size_t(512) << 20);
}

// A share of free memory, so that measuring is never what a run fails by.
std::size_t array_bytes(std::size_t free_bytes, std::size_t largest) {
    return std::clamp(free_bytes / 16, kSmallestArray, largest);
}

double host_bandwidth(int threads) {
    ThreadPool pool(threads);
    const std::size_t bytes = array_bytes(query_host_memory().free_bytes, largest_host_array());
    AlignedBuffer<char> from(bytes);
    AlignedBuffer<char> to(bytes);
    const auto fill = [&](AlignedBuffer<char>& buffer, int value) {
        pool.for_ranges(std::int64_t(bytes), [&](std::int64_t begin, std::int64_t end) {
            std::memset(buffer.data() + begin, value, std::size_t(end - begin));
        });
    };
    fill(from, 1);
    fill(to, 2);
    std::vector<double> seconds;
    for (int i = 0; i < kRepeats; ++i) {
        const auto start = std::chrono::steady_clock::now();
        pool.for_ranges(std::int64_t(bytes), [&](std::int64_t begin, std::int64_t end) {
            std::memcpy(to.data() + begin, from.data() + begin, std::size_t(end - begin));
        });
        seconds.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    return 2 * double(bytes) / median(std::move(seconds)) / 1e9;
}

#if STENCILSCOPE_HAS_CUDA
double cuda_bandwidth() {
    const CudaStatus status = query_cuda();
    const std::size_t bytes = array_bytes(status.devices.front().free_bytes, kLargestArray);
    const CudaMemory from(bytes);
    const CudaMemory to(bytes);
    CudaStream stream;
    CudaTimer timer;
    std::vector<double> seconds;
    copy_on_device(to.data(), from.data(), bytes, stream);
    for (int i = 0; i < kRepeats; ++i) {
        timer.start(stream);
        copy_on_device(to.data(), from.data(), bytes, stream);
        timer.stop(stream);
        seconds.push_back(timer.seconds());
    }
    return 2 * double(bytes) / median(std::move(seconds)) / 1e9;
}
#endif

}  // namespace

double measure_copy_bandwidth(Device device, int threads) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) return cuda_bandwidth();
#endif
    (void)device;
    return host_bandwidth(threads);
}

}  // namespace stencil
