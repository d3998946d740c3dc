// Interface of kernels that make several steps per launch (fused and resident).
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/cuda/cuda_queue.h"
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

    SeveralSteps() = default;
    virtual ~SeveralSteps() = default;
    SeveralSteps(const SeveralSteps&) = delete;
    SeveralSteps& operator=(const SeveralSteps&) = delete;

    /// For people: "16 steps a pass"; name() adds the compiled shape.
    virtual std::string way() const = 0;
    virtual std::string name() const = 0;
    virtual const KernelResources& resources() const = 0;
    /// The most steps, up to `steps`, that one launch can make; 0 if the field is unsuitable or steps too
    /// few.
    virtual int steps_of(long long steps) const = 0;
    /// Temporal blocking depth: multiples of it are fastest; 0: any number.
    virtual int steps_fused() const = 0;
    virtual void launch(const Pass& pass, CudaStream& stream) = 0;
};

}  // namespace stencil::equation
