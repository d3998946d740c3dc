// The common parts of the examples on plain arrays: options, memory on both devices, times of short work, and
// curves over lengths.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/field/random.h"

namespace stencil {

/// Each example takes those that suit it.
inline constexpr ExampleOption kLengthOption{
    "length", ExampleOption::Kind::integer, "N", "elements of each array", "1000000", 1, 1e12};
inline constexpr ExampleOption kArraySeedOption{
    "seed", ExampleOption::Kind::text, "N", "of the random numbers, NumPy's default_rng", "1"};
inline constexpr ExampleOption kSweepOption{
    "sweep", ExampleOption::Kind::flag, "", "also curves of times, and errors of sums, over lengths 10^n"};
inline constexpr ExampleOption kLongestOption{
    "longest", ExampleOption::Kind::integer, "N", "most elements of the curves", "100000000", 1000, 1e12};

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

/// The type of references for results in T, which has more digits than T.
template <class T>
using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// The next n numbers on [0, 1), as NumPy's generator draws them. Throws Cancelled.
template <class T>
AlignedBuffer<T> random_array(const ExampleContext& context, Random& random, std::int64_t n);

/// Throws MachineError where `arrays` arrays of n elements in the widest precision of the request do not fit
/// the host (with `exact`, beside two outputs and an exact one to compare them with) or, with `scratch`
/// further bytes, the GPU: what is needed, what is free and how many elements fit.
void require_array_memory(
    const ExampleContext& context, int arrays, std::int64_t n, bool exact, double scratch = 0);

/// Copies with enqueue_to_device or enqueue_to_host, between the host's ordinary memory and the device, in
/// parts of some hundredths of a second, before each of which `pause` is called; waits. Throws CudaError.
void copy_in_parts(const std::function<void()>& pause,
                   void (*enqueue)(void* to, const void* from, std::size_t bytes, CudaStream& stream),
                   void* to,
                   const void* from,
                   double bytes,
                   CudaStream& stream);

/// Fills the row's time with that of what `enqueue` enqueues. Where it takes less than a tenth of a
/// millisecond, up to 20 of them are timed between two events and share the time; the row then says how many.
void time_launches(ExampleContext& context,
                   CudaStream& stream,
                   ReportRow& row,
                   const std::function<void()>& enqueue,
                   int few = 0);

/// The arrays of one length that a variant works on, in the memory of its device, and that device's clock.
template <class T>
class Arrays {
  public:
    Arrays(ExampleContext& context, Device device, std::int64_t length) : context_(context), length_(length) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (device == Device::cuda) stream_ = std::make_shared<CudaStream>();
    }

    ExampleContext& context() const { return context_; }
    bool on_gpu() const { return stream_ != nullptr; }
    CudaStream& stream() const { return *stream_; }
    T* at(std::size_t i) const { return at_[i]; }

    void allocate() {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (on_gpu()) {
                memory_.push_back(std::make_shared<CudaMemory>(std::size_t(length_) * sizeof(T)));
                return at_.push_back(static_cast<T*>(memory_.back()->data()));
            }
        at_.push_back(own_.emplace_back(std::size_t(length_)).data());
    }
    /// Adds an input, which nobody writes to; send() then brings it to the GPU.
    void add(const AlignedBuffer<T>& input) {
        if (on_gpu()) return allocate();
        at_.push_back(const_cast<T*>(input.data()));
    }
    void send(std::size_t i, const AlignedBuffer<T>& input) const {
        if (on_gpu()) set(i, input);
    }
    void set(std::size_t i, const AlignedBuffer<T>& from) const { copy(true, at(i), from.data()); }
    void get(std::size_t i, AlignedBuffer<T>& to) const { copy(false, to.data(), at(i)); }
    /// Fills the row's times with those of the work.
    void time(ReportRow& row, const std::function<void()>& work, int few = 0) const {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (on_gpu()) return time_launches(context_, stream(), row, work, few);
        time_host(context_, row, work, few);
    }

  private:
    void copy([[maybe_unused]] bool to_device, T* to, const T* from) const {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (on_gpu())
                return copy_in_parts([this] { context_.pause(); },
                                     to_device ? enqueue_to_device : enqueue_to_host,
                                     to,
                                     from,
                                     double(length_) * sizeof(T),
                                     stream());
        std::copy_n(from, length_, to);
    }

    ExampleContext& context_;
    std::int64_t length_;
    std::shared_ptr<CudaStream> stream_;  ///< null on the CPU
    std::vector<std::shared_ptr<CudaMemory>> memory_;
    std::vector<AlignedBuffer<T>> own_;
    std::vector<T*> at_;
};

/// Lengths of 1e3, 1e4, ... up to --longest, as many as fit into half of the memory of the device.
std::vector<std::int64_t> sweep_lengths(const ExampleContext& context,
                                        Device device,
                                        double bytes_per_element);

/// Repeats of each length: few, because there are many.
inline constexpr int kSweepRepeats = 7;

/// Times over lengths, both axes logarithmic, without series.
ReportCurve sweep_curve(const std::string& id, const std::string& text, DType dtype);

/// Adds the curve, and dashed how long the memory of each device takes for so many bytes an element, at the
/// measured rate of a copy. Over the lengths that the curve has.
void add_sweep_curve(ExampleContext& context, ReportCurve curve, double bytes_per_element);

}  // namespace stencil
