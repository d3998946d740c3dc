// Interface of kernels that make several steps per launch (fused and resident).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/cuda/loaded_kernels.h"

namespace stencil::equation {

class SeveralSteps {
  public:
    /// The steps of one launch, from the arrays that hold the state to those that the program's `next` names.
    struct Pass {
        int steps = 0;                     ///< a number returned by steps_of()
        const void* arguments = nullptr;   ///< KernelArguments::data()
        std::span<const std::byte> sides;  ///< KernelArguments::sides()
        /// If inputs depend on time: the distance from the lines of one step to those of the next, with the
        /// step's uniforms behind its lines; else 0.
        std::size_t values_of_step = 0;
    };

    SeveralSteps() = default;
    virtual ~SeveralSteps() = default;
    SeveralSteps(const SeveralSteps&) = delete;
    SeveralSteps& operator=(const SeveralSteps&) = delete;

    /// For people: way() is e.g. "16 steps a pass", name() includes the shape that was compiled.
    virtual std::string way() const = 0;
    virtual std::string name() const = 0;
    virtual const KernelResources& resources() const = 0;
    /// The largest number of steps, at most `steps`, that one launch can make; 0 if the field is unsuitable
    /// or there are too few steps.
    virtual int steps_of(long long steps) const = 0;
    /// Temporal blocking depth: multiples of it are fastest; 0: any number.
    virtual int steps_fused() const = 0;
    virtual void launch(const Pass& pass, CudaStream& stream) = 0;
};

}  // namespace stencil::equation
