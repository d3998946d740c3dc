// The factories that the method table names; each is defined in the file of its method.
#pragma once

#include <memory>

#include "kernels/methods/method.h"

namespace stencil {

/// Steps that the method `cpu` makes in one pass over the field.
inline constexpr int kCpuSteps = 32;

/// Steps in one CUDA graph of the methods that launch a kernel per step. Even, so that the double buffer ends
/// as it began.
inline constexpr int kGraphSteps = 128;

/// Steps of the method `resident` over which loading and storing the field hardly count.
inline constexpr int kResidentSteps = 120;

/// Steps that the method `streaming` makes in one pass over the field.
inline constexpr int kStreamingSteps = 16;

std::unique_ptr<Stepper<double>> make_reference(const ExecutionSpace&, FieldShape);

template <class T>
std::unique_ptr<Stepper<T>> make_cpu(const ExecutionSpace&, FieldShape);
/// Why `spectral` cannot work on fields of that shape, on either device; empty where it can.
std::string spectral_unfit(FieldShape);
std::string spectral_cpu_unfit(FieldShape, std::size_t cell_bytes);
template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cpu(const ExecutionSpace&, FieldShape);

// CUDA, defined where the toolkit was found.
template <class T>
std::unique_ptr<Stepper<T>> make_tutorial(const ExecutionSpace&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_naive(const ExecutionSpace&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_tiled(const ExecutionSpace&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_streaming(const ExecutionSpace&, FieldShape);
/// Why `resident` cannot work on a field on the device in use; empty where it can.
std::string resident_unfit(FieldShape, std::size_t cell_bytes);
template <class T>
std::unique_ptr<Stepper<T>> make_resident(const ExecutionSpace&, FieldShape);
std::string spectral_cuda_unfit(FieldShape, std::size_t cell_bytes);
template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cuda(const ExecutionSpace&, FieldShape);

}  // namespace stencil
