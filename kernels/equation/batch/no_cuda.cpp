// Replaces the batches in a build without the CUDA toolkit.
#include "kernels/equation/batch/batch_stepper.h"

namespace stencil::equation {

template <class T>
std::unique_ptr<BatchStepper<T>> make_cuda_batch(const Program&, FieldCells, KernelMaker, int) {
    throw CudaError("this build has no CUDA backend");
}
template std::unique_ptr<BatchStepper<float>> make_cuda_batch(const Program&, FieldCells, KernelMaker, int);
template std::unique_ptr<BatchStepper<double>> make_cuda_batch(const Program&, FieldCells, KernelMaker, int);

}  // namespace stencil::equation
