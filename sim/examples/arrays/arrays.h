// What the examples on plain arrays have in common: options, memory on both sides, times of short work, and
// curves over lengths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/field/random.h"

namespace stencil {

/// Each example takes those that suit it.
inline constexpr ExampleOption kLengthOption{
    "length", ExampleOption::Kind::integer, "N", "elements of each array", "1000000", 1, 1e12},
    kArraySeedOption{
        "seed", ExampleOption::Kind::text, "N", "of the random numbers on [0, 1), NumPy's default_rng", "1"},
    kSweepOption{"sweep",
                 ExampleOption::Kind::flag,
                 "",
                 "also curves over lengths of 1000, 10000 and so on: times, and errors of sums"},
    kLongestOption{"longest",
                   ExampleOption::Kind::integer,
                   "N",
                   "most elements of the curves, as far as memory allows",
                   "100000000",
                   1000,
                   1e12};

/// Throws InputError for a seed that is not one.
Random array_random(const ExampleRequest& request);

/// Throws InputError for a length or a seed that is none.
void check_array(const ExampleRequest& request);

/// Elements that take some tenths of a second: of work at the rate of memory, and of slow functions.
inline constexpr std::int64_t kQuickPart = std::int64_t(1) << 25, kSlowPart = std::int64_t(1) << 20;

/// work(first, count) on parts of [0, n). Throws Cancelled between two.
template <class F>
void in_parts(const ExampleContext& context, std::int64_t n, std::int64_t part, const F& work) {
    for (std::int64_t first = 0; first < n; first += part) {
        context.pause();
        work(first, std::min(part, n - first));
    }
}

/// work(begin, end) over [0, n) on all threads of the context. Throws Cancelled between two slow parts.
template <class F>
void on_threads(ExampleContext& context, std::int64_t n, const F& work) {
    in_parts(context, n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        context.threads().for_ranges(
            count, [&](std::int64_t begin, std::int64_t end) { work(first + begin, first + end); });
    });
}

/// array[i] = value(i) for i of [0, n), on all threads. Throws Cancelled.
template <class T, class F>
void fill_array(ExampleContext& context, T* array, std::int64_t n, const F& value) {
    on_threads(context, n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) array[i] = value(i);
    });
}

/// What results in T are compared with: computed with more digits than T has.
template <class T>
using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// The next n numbers on [0, 1), as NumPy's generator draws them. Throws Cancelled.
template <class T>
AlignedBuffer<T> random_array(const ExampleContext& context, Random& random, std::int64_t n);

// Estimated seconds for ExampleContext::expect(): of drawing n numbers and computing with them exactly, of a
// row, whose repeats take about a second, and of the curve of one way.
inline double setup_seconds(std::int64_t n) {
    return 3e-8 * double(n);
}
inline double row_seconds(std::int64_t n) {
    return 1 + 1e-8 * double(n);
}
inline constexpr double kSweepSeconds = 3;

/// Expects the parts of one precision in each that is asked for.
void expect_each_dtype(const ExampleRequest& request, ExampleContext& context, std::span<const double> parts);

/// The precision of the request that takes most memory.
DType widest_dtype(const ExampleRequest& request);

/// Throws MachineError where so much does not fit into the host's free memory: what is needed, what is free
/// and how many elements fit.
void require_host_memory(double bytes_per_element, std::int64_t n);

/// The same for the GPU memory that the context allows, of `arrays` and `beside` further bytes. Nothing where
/// no GPU is used.
void require_gpu_memory(
    const ExampleContext& context, int arrays, std::int64_t n, std::size_t element_bytes, double beside = 0);

/// Bytes of GPU memory that `arrays` arrays of n elements take, each of them on 256 elements.
double device_array_bytes(int arrays, std::int64_t n, std::size_t element_bytes);

/// A row of a way on a device, whose part of the run begins where the device is there.
ReportRow begun_row(
    ExampleContext& context, const std::string& work, const std::string& way, Device device, DType dtype);

/// Adds the row with the rate at which `bytes` went through the memory of its side.
void add_array_row(ExampleContext& context, ReportRow row, double bytes);

/// Lengths of 1e3, 1e4, ... up to --longest, as many as fit into half of so many bytes.
std::vector<std::int64_t> sweep_lengths(const ExampleRequest& request,
                                        double bytes_per_element,
                                        double bytes);

/// Few, because there are many lengths.
int sweep_repeats(const ExampleRequest& request);

/// Times over lengths, both axes logarithmic, without series.
ReportCurve sweep_curve(const std::string& id, const std::string& text, DType dtype);

/// Adds the curve, and dashed how long the memory of each side takes for so many bytes an element, at the
/// measured rate of a copy. Over the lengths that the curve has.
void add_sweep_curve(const ExampleRequest& request,
                     ExampleContext& context,
                     ReportCurve curve,
                     double bytes_per_element);

#if STENCILSCOPE_HAS_CUDA

/// Arrays of one length in one piece of GPU memory.
template <class T>
struct DeviceArrays {
    DeviceArrays(int count, std::int64_t length)
        : memory(std::size_t(device_array_bytes(count, length, sizeof(T)))) {
        const auto pitch = std::size_t(device_array_bytes(1, length, sizeof(T)));
        for (int i = 0; i < count; ++i)
            at.push_back(reinterpret_cast<T*>(static_cast<char*>(memory.data()) + std::size_t(i) * pitch));
    }

    CudaMemory memory;
    std::vector<T*> at;
};

/// Copies with enqueue_to_device or enqueue_to_host, between the host's ordinary memory and the device, in
/// parts of some hundredths of a second; waits. Throws CudaError, Cancelled.
void copy_in_parts(ExampleContext& context,
                   void (*enqueue)(void* to, const void* from, std::size_t bytes, CudaStream& stream),
                   void* to,
                   const void* from,
                   double bytes,
                   CudaStream& stream);

/// Fills the row's time with that of what `enqueue` enqueues. Where it takes less than a tenth of a
/// millisecond, up to 20 of them are timed between two events and share the time; the row then says how many.
void time_launches(ExampleContext& context,
                   CudaStream& stream,
                   int repeats,
                   const std::function<void()>& enqueue,
                   ReportRow& row);

#endif

}  // namespace stencil
