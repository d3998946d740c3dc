// Kernels that make several steps of a program in one launch.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/cuda/loaded_kernels.h"

namespace stencil::equation {

class SeveralSteps {
  public:
    /// Steps of one launch: from the arrays that a step begins with to those that the program's `next` names.
    struct Pass {
        int steps = 0;                     ///< as steps_of() has them
        const void* arguments = nullptr;   ///< KernelArguments'
        std::span<const std::byte> sides;  ///< KernelArguments::sides()
        /// Where inputs depend on time, the lines of each step are so many after those of the one before,
        /// with its uniforms behind them; else 0.
        std::size_t values_of_step = 0;
    };

    SeveralSteps() = default;
    virtual ~SeveralSteps() = default;
    SeveralSteps(const SeveralSteps&) = delete;
    SeveralSteps& operator=(const SeveralSteps&) = delete;

    /// For people: "16 steps a pass", and what it was compiled for behind that.
    virtual std::string way() const = 0;
    virtual std::string name() const = 0;
    virtual const KernelResources& resources() const = 0;
    /// The most steps that one launch can make of so many: 0 where the field does not suit it or the steps
    /// are too few.
    virtual int steps_of(long long steps) const = 0;
    /// Of which multiples are made fastest; 0: as many as are asked for.
    virtual int steps_fused() const = 0;
    virtual void launch(const Pass& pass, CudaStream& stream) = 0;
};

}  // namespace stencil::equation
