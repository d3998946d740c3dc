// The factories listed in the table of methods; each is defined in its method's file.
#pragma once

#include <memory>

#include "kernels/methods/method.h"

namespace stencil {

/// Temporal blocking depth of `cpu`.
inline constexpr int kCpuSteps = 32;

/// Steps per CUDA graph. Even, so that a graph ends in the buffer in which it began.
inline constexpr int kGraphSteps = 128;

/// Steps of `resident` over which the cost of loading and storing the field is amortised.
inline constexpr int kResidentSteps = 120;

/// Temporal blocking depth of `streaming`.
inline constexpr int kStreamingSteps = 16;
/// Its narrowest block: 32 lanes with 40 bytes of a row each.
inline constexpr int kStreamingRowBytes = 32 * 40;

std::unique_ptr<Stepper<double>> make_reference(const ExecutionSpace&, FieldShape);

template <class T>
std::unique_ptr<Stepper<T>> make_cpu(const ExecutionSpace&, FieldShape);
/// Why `spectral` cannot handle fields of that shape, on either device; empty if it can.
std::string spectral_unfit(FieldShape);
std::string spectral_cpu_unsupported(FieldShape, std::size_t cell_bytes);
template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cpu(const ExecutionSpace&, FieldShape);

// CUDA methods; defined only if the toolkit was found.
/// Enqueue one step of the methods with one kernel per step. The weights are in device memory.
template <class T>
void launch_naive(FieldView<const T> from, FieldView<T> to, Boundary, const StepWeights<T>*, CudaStream&);
template <class T>
void launch_tiled(FieldView<const T> from, FieldView<T> to, Boundary, const StepWeights<T>*, CudaStream&);
/// The plain step that all CUDA methods use for coefficients that do not permit scaling.
template <class T>
void launch_plain(FieldView<const T> from, FieldView<T> to, Boundary, double coefficient, CudaStream&);
template <class T>
void step_plainly_on(CudaStream&, FieldPair<T>&, const DiffusionParams&, long long steps);
template <class T>
std::unique_ptr<Stepper<T>> make_naive(const ExecutionSpace&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_tiled(const ExecutionSpace&, FieldShape);
template <class T>
std::unique_ptr<Stepper<T>> make_streaming(const ExecutionSpace&, FieldShape);
/// Why `resident` cannot handle the field on the current device; empty if it can.
std::string resident_unsupported(FieldShape, std::size_t cell_bytes);
template <class T>
std::unique_ptr<Stepper<T>> make_resident(const ExecutionSpace&, FieldShape);
std::string spectral_cuda_unsupported(FieldShape, std::size_t cell_bytes);
template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cuda(const ExecutionSpace&, FieldShape);

}  // namespace stencil
