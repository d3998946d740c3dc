// Cuts one piece of memory into arrays.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/divide.h"

namespace stencil::matmul {

/// Hands out arrays one after the other, each on a boundary of 256 bytes. Without memory it only counts.
class ScratchParts {
  public:
    explicit ScratchParts(void* memory = nullptr) : memory_(static_cast<std::byte*>(memory)) {}

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

/// Bytes that the Parts take. They are made from ScratchParts and what they are needed for.
template <class Parts, class Needs>
std::size_t scratch_bytes(const Needs& needs) {
    ScratchParts count;
    Parts(count, needs);
    return count.bytes();
}

template <class Parts, class Needs>
Parts in_scratch(const CudaMemory& memory, const Needs& needs) {
    ScratchParts parts(memory.data());
    return Parts(parts, needs);
}

}  // namespace stencil::matmul
