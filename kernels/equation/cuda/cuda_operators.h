// The operators of stages on the GPU, by cuFFT.
#pragma once

#include <memory>

#include "kernels/equation/field_operator.h"
#include "kernels/methods/method.h"

namespace stencil::equation {

/// Solves as ImplicitSolve does, up to the roundings of the transforms. Calls enqueue on the stream,
/// and may be captured in a graph unless the field is distributed; set_runs() waits for the stream. `rows` is
/// the shape of the local rows; several runs are of whole fields. Throws CudaError.
template <class T>
std::unique_ptr<RunsOperator<T>> make_cuda_solve(const LinearPart& part,
                                                 FieldShape rows,
                                                 const ExecutionSpace& on,
                                                 int runs = 1);
/// Convolves whole fields as Convolution does, likewise.
template <class T>
std::unique_ptr<RunsOperator<T>> make_cuda_convolution(const LinearPart& part,
                                                       FieldShape shape,
                                                       CudaStream& stream,
                                                       int runs = 1);

/// Bytes of a run, at most, beside what does not grow with their number.
template <class T>
std::size_t bytes_of_cuda_solve(const LinearPart& part, FieldShape shape);
std::size_t bytes_of_cuda_convolution(const LinearPart& part, FieldShape shape);

}  // namespace stencil::equation
