#include "kernels/cuda/staged_copies.h"

#include <algorithm>
#include <utility>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

/// The elements of a block that fit in one staging buffer.
struct Chunk {
    std::int64_t first;
    std::size_t count;
};

Chunk chunk_of(std::int64_t elements, std::int64_t i, std::int64_t each) {
    return {i * each, std::size_t(std::min(each, elements - i * each))};
}

// copy(where the run is in the matrix, where in the chunk, length) for each run of the chunk within a row.
template <class T, class Copy>
void for_runs(ThreadPool& threads, const HostBlock<T>& block, const Chunk& chunk, const Copy& copy) {
    threads.for_ranges(std::int64_t(chunk.count), [&](std::int64_t begin, std::int64_t end) {
        while (begin < end) {
            const std::int64_t row = (chunk.first + begin) / block.columns;
            const std::int64_t column = (chunk.first + begin) % block.columns;
            const std::int64_t length = std::min(block.columns - column, end - begin);
            copy(block.first + row * block.pitch + column, begin, length);
            begin += length;
        }
    });
}

}  // namespace

StagedCopies::StagedCopies(ThreadPool& threads) : threads_(threads), memory_(kBuffers * kBytes) {}

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
void StagedCopies::send(const HostBlock<const T>& block, T* to, CudaStream& stream) {
    constexpr auto kEach = std::int64_t(kBytes / sizeof(T));
    for (std::int64_t i = 0; i * kEach < block.count(); ++i) {
        const Chunk chunk = chunk_of(block.count(), i, kEach);
        T* const staged = static_cast<T*>(buffer(next_));
        copied_[next_].wait();
        for_runs(threads_, block, chunk, [&](const T* from, std::int64_t at, std::int64_t length) {
            std::copy_n(from, length, staged + at);
        });
        enqueue_to_device(to + chunk.first, staged, chunk.count * sizeof(T), stream);
        copied_[next_].record(stream);
        next_ = (next_ + 1) % kBuffers;
    }
}

template <class T>
std::function<void()> StagedCopies::receive(const HostBlock<T>& block, const T* from, CudaStream& stream) {
    constexpr auto kEach = std::int64_t(kBytes / sizeof(T));
    const std::int64_t parts = ceil_div(block.count(), kEach);
    const auto slot = [begin = next_](std::int64_t i) { return (begin + std::size_t(i)) % kBuffers; };
    const auto enqueue = [this, block, from, &stream, slot](std::int64_t i) {
        const Chunk chunk = chunk_of(block.count(), i, kEach);
        copied_[slot(i)].wait();
        enqueue_to_host(buffer(slot(i)), from + chunk.first, chunk.count * sizeof(T), stream);
        copied_[slot(i)].record(stream);
    };
    constexpr auto kCopiesInFlight = std::int64_t(kBuffers);
    for (std::int64_t i = 0; i < std::min(parts, kCopiesInFlight); ++i) enqueue(i);
    next_ = slot(parts);
    return [this, block, parts, slot, enqueue] {
        for (std::int64_t i = 0; i < parts; ++i) {
            const Chunk chunk = chunk_of(block.count(), i, kEach);
            copied_[slot(i)].wait();
            const auto* staged = static_cast<const T*>(buffer(slot(i)));
            for_runs(threads_, block, chunk, [&](T* to, std::int64_t at, std::int64_t length) {
                std::copy_n(staged + at, length, to);
            });
            if (i + kCopiesInFlight < parts) enqueue(i + kCopiesInFlight);
        }
    };
}

template void StagedCopies::send(const HostBlock<const float>&, float*, CudaStream&);
template void StagedCopies::send(const HostBlock<const double>&, double*, CudaStream&);
template std::function<void()> StagedCopies::receive(const HostBlock<float>&, const float*, CudaStream&);
template std::function<void()> StagedCopies::receive(const HostBlock<double>&, const double*, CudaStream&);

}  // namespace stencil
