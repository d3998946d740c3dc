#include "kernels/cuda/staged_copies.h"

#include <algorithm>
#include <utility>

#include "kernels/field/divide.h"

namespace stencil {
namespace {

/// The elements of a box that fit in one staging buffer.
struct Part {
    std::int64_t first;
    std::size_t count;
};

Part part_of(const ArrayBox& box, std::int64_t i, std::int64_t values) {
    return {i * values, std::size_t(std::min(values, box.values() - i * values))};
}

}  // namespace

StagedCopies::StagedCopies(ThreadPool& threads, std::function<void()> between)
    : threads_(threads), between_(std::move(between)), memory_(kBuffers * kBytes) {}

StagedCopies::~StagedCopies() {
    for (CudaEvent& copied : copied_) {
        try {
            copied.wait();
        } catch (const CudaError&) {
            // The device has failed; whoever enqueued the copy gets the error.
        }
    }
}

template <class T>
void StagedCopies::send(const ArrayBox& box, const T* array, T* to, CudaStream& stream) {
    constexpr auto kValues = std::int64_t(kBytes / sizeof(T));
    for (std::int64_t i = 0; i * kValues < box.values(); ++i) {
        const Part part = part_of(box, i, kValues);
        T* const staged = static_cast<T*>(buffer(next_));
        copied_[next_].wait();
        box.pack(threads_, array, part.first, std::span(staged, part.count));
        enqueue_to_device(to + part.first, staged, part.count * sizeof(T), stream);
        copied_[next_].record(stream);
        next_ = (next_ + 1) % kBuffers;
        between_();
    }
}

template <class T>
std::function<void()> StagedCopies::receive(const ArrayBox& box,
                                            const T* from,
                                            T* array,
                                            CudaStream& stream) {
    constexpr auto kValues = std::int64_t(kBytes / sizeof(T));
    const std::int64_t parts = ceil_div(box.values(), kValues);
    const auto slot = [begin = next_](std::int64_t i) { return (begin + std::size_t(i)) % kBuffers; };
    const auto enqueue = [this, box, from, &stream, slot](std::int64_t i) {
        const Part part = part_of(box, i, kValues);
        copied_[slot(i)].wait();
        enqueue_to_host(buffer(slot(i)), from + part.first, part.count * sizeof(T), stream);
        copied_[slot(i)].record(stream);
    };
    constexpr auto kAtOnce = std::int64_t(kBuffers);
    for (std::int64_t i = 0; i < std::min(parts, kAtOnce); ++i) enqueue(i);
    next_ = slot(parts);
    return [this, box, array, parts, slot, enqueue] {
        for (std::int64_t i = 0; i < parts; ++i) {
            const Part part = part_of(box, i, kValues);
            copied_[slot(i)].wait();
            const auto* staged = static_cast<const T*>(buffer(slot(i)));
            box.unpack(threads_, std::span<const T>(staged, part.count), part.first, array);
            if (i + kAtOnce < parts) enqueue(i + kAtOnce);
            between_();
        }
    };
}

template void StagedCopies::send(const ArrayBox&, const float*, float*, CudaStream&);
template void StagedCopies::send(const ArrayBox&, const double*, double*, CudaStream&);
template std::function<void()> StagedCopies::receive(const ArrayBox&, const float*, float*, CudaStream&);
template std::function<void()> StagedCopies::receive(const ArrayBox&, const double*, double*, CudaStream&);

}  // namespace stencil
