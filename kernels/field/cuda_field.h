// How the CUDA backend lays a field out.
#pragma once

#include <cstddef>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/field_view.h"

namespace stencil {

/// Rows start on 128-byte lines, so that any row can be read 128 bits at a time.
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
