// Arrays of Python and fields.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <string>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/field/field.h"

namespace stencil::python {

namespace nb = nanobind;

/// A copy of an array of shape (ny, nx), float32 or float64, in its own precision: of NumPy, of CuPy or of
/// anything else that has DLPack or Python's buffers, in any order and with any strides on the host. `name`
/// stands in the messages. Throws nb::type_error for what is no array or holds no such numbers, and
/// InputError for another shape and for values that are NaN or infinite.
Field field_of(const nb::object& array, const std::string& name);

/// A NumPy array of shape (ny, nx) that takes the field's cells over.
nb::object to_numpy(Field field);

/// An object with DLPack of shape (ny, nx) that takes over what a GPU's memory holds, without padding.
nb::object to_dlpack(CudaMemory memory, DType dtype, int nx, int ny);

}  // namespace stencil::python
