// The common parts of the examples on arrays: options, memory on both devices, and times of short work.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <span>
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
                   const std::function<void()>& enqueue);

/// The arrays that a variant works on, in the memory of its device, and that device's clock.
template <class T>
class Arrays {
  public:
    Arrays(ExampleContext& context, Device device) : context_(context) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (device == Device::cuda) stream_ = std::make_shared<CudaStream>();
    }

    ExampleContext& context() const { return context_; }
    bool on_gpu() const { return stream_ != nullptr; }
    CudaStream& stream() const { return *stream_; }
    T* at(std::size_t i) const { return at_[i]; }

    /// Adds an array of so many NaNs.
    void allocate(std::int64_t count) {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (on_gpu()) {
                const std::size_t bytes = std::max<std::size_t>(1, std::size_t(count) * sizeof(T));
                memory_.push_back(std::make_shared<CudaMemory>(bytes));
                matmul::cuda_poison(memory_.back()->data(), bytes, stream());
                return at_.push_back(static_cast<T*>(memory_.back()->data()));
            }
        std::ranges::fill(own_.emplace_back(std::size_t(count)), std::numeric_limits<T>::quiet_NaN());
        at_.push_back(own_.back().data());
    }
    /// Adds inputs, which nobody writes to; send() then brings them to the GPU.
    void add(const std::vector<AlignedBuffer<T>>& inputs) {
        for (const AlignedBuffer<T>& input : inputs)
            if (on_gpu())
                allocate(std::int64_t(input.size()));
            else
                at_.push_back(const_cast<T*>(input.data()));
    }
    /// Brings the inputs, which are the first arrays, to the GPU, and fills in the time that this takes.
    void send(const std::vector<AlignedBuffer<T>>& inputs, ReportRow& row) const {
        if (!on_gpu()) return;
        const auto all = [&] {
            for (std::size_t i = 0; i < inputs.size(); ++i)
                copy(true, at(i), inputs[i].data(), inputs[i].size());
        };
        all();  // the first copy of a process is slow
        row.to_device_seconds = seconds_of(all);
    }
    /// Values of array i from `first` on.
    void get(std::size_t i, std::span<T> to, std::int64_t first = 0) const {
        copy(false, to.data(), at(i) + first, to.size());
    }
    /// The same, and fills in the time that it takes on the GPU.
    void get(std::size_t i, std::span<T> to, ReportRow& row) const {
        const double seconds = seconds_of([&] { get(i, to); });
        if (on_gpu()) row.to_host_seconds = seconds;
    }
    /// Fills the row's times with those of the work.
    void time(ReportRow& row, const std::function<void()>& work) const {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (on_gpu()) return time_launches(context_, stream(), row, work);
        time_host(context_, row, work);
    }

  private:
    void copy([[maybe_unused]] bool to_device, T* to, const T* from, std::size_t count) const {
        if constexpr (STENCILSCOPE_HAS_CUDA)
            if (on_gpu())
                return copy_in_parts([this] { context_.pause(); },
                                     to_device ? enqueue_to_device : enqueue_to_host,
                                     to,
                                     from,
                                     double(count) * sizeof(T),
                                     stream());
        std::copy_n(from, count, to);
    }

    ExampleContext& context_;
    std::shared_ptr<CudaStream> stream_;  ///< null on the CPU
    std::vector<std::shared_ptr<CudaMemory>> memory_;
    std::vector<AlignedBuffer<T>> own_;
    std::vector<T*> at_;
};

}  // namespace stencil
