// Steps many fields of one program and shape together on a GPU.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/equation/equation_stepper.h"
#include "kernels/equation/fused/fused_compiler.h"
#include "kernels/equation/text/fused_program.h"

namespace stencil::equation {

template <class T>
class BatchStepper {
  public:
    BatchStepper() = default;
    virtual ~BatchStepper() = default;
    BatchStepper(const BatchStepper&) = delete;
    BatchStepper& operator=(const BatchStepper&) = delete;

    /// Makes steps[i] steps in members[i], with the bits of a CudaEquationStepper, which are those of its own
    /// advance() except for transforms (Program::linear), and returns when the members hold the results.
    /// Returns the seconds that it took, with the copies.
    virtual double advance(std::span<EquationStepper<T>* const> members,
                           std::span<const long long> steps,
                           ThreadPool& threads) = 0;
    /// The kernel in words; empty before the first steps.
    virtual std::string way() const = 0;
};

/// Why fields of this size cannot be stepped together, in one line; empty if they can.
std::string why_no_batch(const Program& program, bool float64, FieldCells size);

/// How a GPU steps them: a field per block, the tiles of all fields in one launch of several steps, or stage
/// by stage.
enum class BatchKind : std::uint8_t { block, fused, staged };
BatchKind batch_kind(const Program& program, bool float64, FieldCells size, const GpuFacts& gpu);

/// For a program that can be. Throws CudaError, also in a build without CUDA.
template <class T>
std::unique_ptr<BatchStepper<T>> make_cuda_batch(const Program& program,
                                                 FieldCells size,
                                                 KernelMaker maker,
                                                 int device = default_cuda_device());

}  // namespace stencil::equation
