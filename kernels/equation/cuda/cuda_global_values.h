// Global values (kernels/equation/global_values.h) on the GPU.
#pragma once

#include <vector>

#include "kernels/cuda/cuda_queue.h"
#include "kernels/equation/global_values.h"
#include "kernels/field/field_view.h"

namespace stencil::equation {

/// Like GlobalValues, with the same bits, of one run or of several whose fields follow one another in memory.
/// The values of a whole field stay on the device: reduce() only enqueues on the stream, and may be captured
/// in a graph. For slabs, the host combines them, so reduce() waits.
template <class T>
class CudaGlobalValues {
  public:
    /// `setup` must outlive this object. Throws CudaError.
    CudaGlobalValues(int count, const EquationSetup& setup, CudaStream& stream, int runs = 1);

    /// All values of a run in device memory, rounded to the precision; null if there are none.
    const T* data(std::size_t run = 0) const {
        return count_ == 0 ? nullptr : static_cast<const T*>(rounded_.data()) + run * count_;
    }
    /// `cells` are those of the first run.
    void reduce(const Reduction& reduction, FieldView<const T> cells, int runs = 1);
    /// Copies the values of all runs to the host. Waits for the stream.
    std::vector<double> exact();
    /// Sets all values of all runs. Waits for the stream.
    void set(const std::vector<double>& exact);

  private:
    void put_together(const Reduction& reduction);
    void fetch(std::vector<double>& to, const CudaMemory& from);

    CudaStream& stream_;
    const EquationSetup& setup_;
    FieldLeaves tree_;
    std::size_t count_, runs_;
    CudaMemory exact_, rounded_;
    CudaMemory leaves_;  ///< the nodes of each run's tree, and room for half as many
};

}  // namespace stencil::equation
