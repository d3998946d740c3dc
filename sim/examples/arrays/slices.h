// Arrays on the GPU: whole where they fit, else slice by slice through page-locked buffers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

class ExampleContext;

struct SlicePlan {
    std::int64_t length = 0;  ///< elements of a slice
    int at_once = 1;          ///< slices in GPU memory: two where one is copied while the other is worked on
    double predicted_bytes = 0;  ///< of GPU memory

    bool whole() const { return at_once == 1; }
};

/// What a piece of work needs on the GPU.
struct SliceDemand {
    std::int64_t elements = 0;
    double bytes_per_element = 0;  ///< of all arrays together
    double fixed_bytes = 0;        ///< beside each slice
};

/// Throws MachineError where not even short slices fit into the budget (bytes).
SlicePlan plan_slices(const SliceDemand& demand, double budget);

#if STENCILSCOPE_HAS_CUDA

/// Arrays of one length in one piece of GPU memory, each on 256 bytes.
template <class T>
class DeviceArrays {
  public:
    DeviceArrays(int count, std::int64_t length);
    T* at(int i) const { return static_cast<T*>(memory_.data()) + i * length_; }

  private:
    std::int64_t length_;
    CudaMemory memory_;
};

/// Between the host's ordinary memory and the device; waits. Throws CudaError, Cancelled.
void upload(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream);
void download(ExampleContext& context, void* to, const void* from, double bytes, CudaStream& stream);

/// Work on slices, two of them under way: while one is worked on, the other is copied.
template <class T>
class SliceStream {
  public:
    /// The arrays of each slice: inputs, outputs, scratch.
    struct Arrays {
        int inputs = 1;
        int outputs = 0;
        int scratch = 0;
    };
    struct Slice {
        int slot = 0;  ///< 0 or 1
        std::int64_t index = 0;
        std::int64_t length = 0;
        std::span<T* const> arrays;
    };

    SliceStream(const SlicePlan& plan, const Arrays& arrays);
    ~SliceStream();

    CudaStream& stream(int slot);

    /// From the inputs, through `work`, which enqueues on the slot's stream, to the output (where there is
    /// one). Waits. Throws CudaError, Cancelled.
    void run(ExampleContext& context,
             std::span<const T* const> inputs,
             T* output,
             std::int64_t n,
             const std::function<void(const Slice&)>& work);

  private:
    struct Slot;
    void take_output(ExampleContext& context, Slot& slot, T* output);

    Arrays arrays_;
    std::int64_t length_;
    std::vector<std::unique_ptr<Slot>> slots_;
};

#endif

}  // namespace stencil
