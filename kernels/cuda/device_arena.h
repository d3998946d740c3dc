// One piece of device memory divided into arrays, and the size that it needs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/divide.h"

namespace stencil {

/// Hands out arrays one after the other, each aligned to 256 bytes. Without memory it only counts the bytes:
/// a dry run.
class DeviceArena {
  public:
    explicit DeviceArena(void* memory = nullptr) : memory_(static_cast<std::byte*>(memory)) {}

    template <class T>
    T* take(std::int64_t count) {
        std::byte* const part = memory_ ? memory_ + bytes_ : nullptr;
        bytes_ += round_up(std::size_t(count) * sizeof(T), kBoundary);
        return reinterpret_cast<T*>(part);
    }

    std::size_t bytes() const { return bytes_; }

  private:
    static constexpr std::size_t kBoundary = 256;

    std::byte* memory_;
    std::size_t bytes_ = 0;
};

/// The bytes that Parts(arena, needs) takes, found by a dry run.
template <class Parts, class Needs>
std::size_t arena_bytes(const Needs& needs) {
    DeviceArena count;
    Parts(count, needs);
    return count.bytes();
}

/// Constructs the Parts in memory of arena_bytes().
template <class Parts, class Needs>
Parts in_arena(const CudaMemory& memory, const Needs& needs) {
    DeviceArena arena(memory.data());
    return Parts(arena, needs);
}

}  // namespace stencil
