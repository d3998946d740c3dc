// Conversions between Python arrays and fields.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/field/field.h"

namespace stencil::python {

namespace nb = nanobind;

/// Copies an array of shape (ny, nx), float32 or float64, keeping its precision. It may come from NumPy, CuPy
/// or any library with DLPack or the buffer protocol; on the host with any strides. `name` is used in
/// messages. Throws nb::type_error if it is no array of such numbers, and InputError for another shape or
/// non-finite values.
Field field_of(const nb::object& array, const std::string& name);

/// Moves a field into a NumPy array of shape (ny, nx) without copying.
nb::object to_numpy(Field field);

/// Moves unpadded GPU memory into an object of shape (ny, nx) with the DLPack interface.
nb::object to_dlpack(CudaMemory memory, DType dtype, int nx, int ny);

}  // namespace stencil::python
