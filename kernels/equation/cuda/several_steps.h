// Kernels that make several steps per launch: fused and resident ones, and those of one block.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/fused/fused_shape.h"
#include "kernels/equation/input_values.h"
#include "kernels/equation/launch/loaded_kernels.h"

namespace stencil::equation {

class SeveralSteps {
  public:
    /// One launch, from the arrays of the state to those named by the program's `next`.
    struct Pass {
        int steps = 0;                     ///< a number returned by steps_of()
        const void* arguments = nullptr;   ///< KernelArguments::data()
        std::span<const std::byte> sides;  ///< KernelArguments::sides()
        /// If inputs depend on time: the distance between the lines of successive steps, each followed by the
        /// step's uniforms; else 0.
        std::size_t values_of_step = 0;
    };

    virtual ~SeveralSteps() = default;
    SeveralSteps(const SeveralSteps&) = delete;
    SeveralSteps& operator=(const SeveralSteps&) = delete;

    const std::string way;   ///< for people: "16 steps per pass"
    const std::string name;  ///< the same with the compiled shape
    const KernelResources& resources() const { return resources_; }
    /// The most steps, up to `steps`, that one launch can make; 0 if the field is unsuitable or steps too
    /// few.
    virtual int steps_of(long long steps) const = 0;
    /// Temporal blocking depth: multiples of it are fastest; 0: any number.
    virtual int steps_fused() const = 0;
    virtual void launch(const Pass& pass, CudaStream& stream) = 0;

  protected:
    SeveralSteps(std::string own_way,
                 std::string own_name,
                 const std::string& cubin,
                 const char* kernel,
                 const CudaStream& stream)
        : way(std::move(own_way)),
          name(std::move(own_name)),
          kernels_(cubin, stream),
          kernel_(kernels_.find(kernel)) {}

    LoadedKernels kernels_;
    LoadedKernel kernel_;
    KernelResources resources_;
};

/// `cubin` is text_of(program, float64, size, shape), compiled for the stream's device. A launch of a kernel
/// that keeps the field on the multiprocessors makes at most `most_steps` steps. Throws CudaError.
std::unique_ptr<SeveralSteps> make_several_steps(const FusedProgram& program,
                                                 bool float64,
                                                 const KernelShape& shape,
                                                 const EquationSetup& setup,
                                                 int most_steps,
                                                 const std::string& cubin,
                                                 CudaStream& stream);

}  // namespace stencil::equation
