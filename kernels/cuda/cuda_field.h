// The memory layout of fields on CUDA devices.
#pragma once

#include <cstddef>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/field_view.h"

namespace stencil {

/// Rows start at multiples of 128 bytes, so that 16-byte vector accesses are aligned in every row.
template <class T>
int cuda_pitch(int nx) {
    constexpr int line = int(128 / sizeof(T));
    return (nx + line - 1) / line * line;
}

template <class T>
std::size_t cuda_field_bytes(int nx, int ny) {
    return std::size_t(cuda_pitch<T>(nx)) * std::size_t(ny) * sizeof(T);
}

template <class T>
FieldView<T> cuda_view(const CudaMemory& memory, int nx, int ny) {
    return {static_cast<T*>(memory.data()), nx, ny, cuda_pitch<T>(nx)};
}

}  // namespace stencil
