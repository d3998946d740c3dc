// How the CUDA backend lays a field out, and reads it.
#pragma once

#include <cstddef>

#include "kernels/cuda/cuda_runtime.h"
#include "kernels/field/boundary.h"
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

/// Device fields. Enqueues out = state * factor, each cell rounded once.
template <class T>
void cuda_read_field(FieldView<const T> state, double factor, FieldView<T> out, CudaStream& stream);

/// The same in float64: what cuda_read_field() gives, with no further rounding.
template <class T>
void cuda_widen_field(FieldView<const T> state, double factor, FieldView<double> out, CudaStream& stream);

/// Enqueues out = Laplacian of the field that cuda_read_field() gives. `out` is not the state.
template <class T>
void cuda_read_laplacian(
    FieldView<const T> state, double factor, Boundary boundary, FieldView<T> out, CudaStream& stream);

}  // namespace stencil
