#include "sim/examples/arrays/slices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_queue.h"
#include "sim/examples/context.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr std::int64_t kStep = 256;              // elements: arrays in one memory stay on 16 bytes
constexpr std::int64_t kLongestSlice = 1 << 21;  // elements: longer ones are no faster
constexpr std::int64_t kShortestSlice = 1 << 12;

std::int64_t rounded_up(std::int64_t n) {
    return (n + kStep - 1) / kStep * kStep;
}

}  // namespace

SlicePlan plan_slices(const SliceDemand& demand, double budget) {
    const auto bytes = [&](std::int64_t length, int at_once) {
        return at_once * (demand.bytes_per_element * double(length) + demand.fixed_bytes);
    };
    const std::int64_t all = rounded_up(demand.elements);
    if (bytes(all, 1) <= budget) return {all, 1, bytes(all, 1)};
    const double room = (budget / 2 - demand.fixed_bytes) / demand.bytes_per_element;
    const std::int64_t length = std::min(
        {std::int64_t(std::max(room, 0.0)) / kStep * kStep, kLongestSlice, rounded_up((all + 1) / 2)});
    const std::int64_t least = std::min(kShortestSlice, rounded_up((all + 1) / 2));
    if (length < least)
        throw MachineError(fmt::format("not enough GPU memory: {} are allowed, and slices need at least {}",
                                       format_bytes(budget),
                                       format_bytes(bytes(least, 2))));
    return {length, 2, bytes(length, 2)};
}

#if STENCILSCOPE_HAS_CUDA

namespace {

constexpr double kTransferPiece = 1 << 28;  // bytes: some hundredths of a second

}  // namespace

template <class T>
DeviceArrays<T>::DeviceArrays(int count, std::int64_t length)
    : length_(rounded_up(length)), memory_(std::size_t(count) * std::size_t(length_) * sizeof(T)) {}

void upload(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream) {
    for (double done = 0; done < bytes; done += kTransferPiece) {
        context.pause();
        const auto at = std::size_t(done);
        enqueue_to_device(static_cast<char*>(to) + at,
                          static_cast<const char*>(from) + at,
                          std::size_t(std::min(kTransferPiece, bytes - done)),
                          stream);
        stream.synchronize();
    }
}

void download(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream) {
    for (double done = 0; done < bytes; done += kTransferPiece) {
        context.pause();
        const auto at = std::size_t(done);
        enqueue_to_host(static_cast<char*>(to) + at,
                        static_cast<const char*>(from) + at,
                        std::size_t(std::min(kTransferPiece, bytes - done)),
                        stream);
        stream.synchronize();
    }
}

template <class T>
struct SliceStream<T>::Slot {
    Slot(const Arrays& wanted, std::int64_t length)
        : pinned(std::size_t(wanted.inputs + wanted.outputs) * std::size_t(length) * sizeof(T)),
          device(wanted.inputs + wanted.outputs + wanted.scratch, length) {
        for (int i = 0; i < wanted.inputs + wanted.outputs + wanted.scratch; ++i)
            arrays.push_back(device.at(i));
        for (int i = 0; i < wanted.inputs + wanted.outputs; ++i)
            staged.push_back(static_cast<T*>(pinned.data()) + i * length);
    }

    CudaStream stream;
    CudaHostMemory pinned;
    DeviceArrays<T> device;
    std::vector<T*> arrays;
    std::vector<T*> staged;  ///< the inputs and outputs in page-locked memory
    std::int64_t first = 0;
    std::int64_t count = 0;  ///< elements of its output still to be taken; 0: none
};

template <class T>
SliceStream<T>::SliceStream(const SlicePlan& plan, const Arrays& arrays)
    : arrays_(arrays), length_(plan.length) {
    for (int i = 0; i < plan.at_once; ++i) slots_.push_back(std::make_unique<Slot>(arrays, length_));
}

template <class T>
SliceStream<T>::~SliceStream() = default;

template <class T>
CudaStream& SliceStream<T>::stream(int slot) {
    return slots_[std::size_t(slot)]->stream;
}

// On all threads: one alone copies slower than the bus.
template <class T>
void copy_on_host(ExampleContext& context, T* to, const T* from, std::int64_t n) {
    context.threads().for_ranges(n, [&](std::int64_t begin, std::int64_t end) {
        std::memcpy(to + begin, from + begin, std::size_t(end - begin) * sizeof(T));
    });
}

template <class T>
void SliceStream<T>::take_output(ExampleContext& context, Slot& slot, T* output) {
    slot.stream.synchronize();
    if (output && slot.count > 0)
        copy_on_host(context, output + slot.first, slot.staged[std::size_t(arrays_.inputs)], slot.count);
    slot.count = 0;
}

template <class T>
void SliceStream<T>::run(ExampleContext& context,
                         std::span<const T* const> inputs,
                         T* output,
                         std::int64_t n,
                         const std::function<void(const Slice&)>& work) {
    std::int64_t index = 0;
    for (std::int64_t first = 0; first < n; first += length_, ++index) {
        context.pause();
        const int number = int(index % std::int64_t(slots_.size()));
        Slot& slot = *slots_[std::size_t(number)];
        take_output(context, slot, output);
        slot.first = first;
        slot.count = std::min(length_, n - first);
        const std::size_t bytes = std::size_t(slot.count) * sizeof(T);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            copy_on_host(context, slot.staged[i], inputs[i] + first, slot.count);
            enqueue_to_device(slot.arrays[i], slot.staged[i], bytes, slot.stream);
        }
        work({number, index, slot.count, slot.arrays});
        const auto out = std::size_t(arrays_.inputs);
        if (output) enqueue_to_host(slot.staged[out], slot.arrays[out], bytes, slot.stream);
    }
    // In the order in which they were begun.
    for (std::size_t i = 0; i < slots_.size(); ++i)
        take_output(context, *slots_[std::size_t(index + std::int64_t(i)) % slots_.size()], output);
}

template class DeviceArrays<float>;
template class DeviceArrays<double>;
template class SliceStream<float>;
template class SliceStream<double>;

#endif

}  // namespace stencil
