// CUB's sum and cuBLAS's dot product.
#include <cub/device/device_reduce.cuh>
#include <memory>
#include <type_traits>

#include "kernels/cuda/cublas.cuh"
#include "kernels/examples/arrays/reduce.h"

namespace stencil {
namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t(4) << 20;

template <class T>
void dot(cublasHandle_t handle, const T* x, const T* y, std::int64_t n, T* result) {
    if constexpr (std::is_same_v<T, float>)
        CUBLAS_CHECK(cublasSdot_64, handle, n, x, 1, y, 1, result);
    else
        CUBLAS_CHECK(cublasDdot_64, handle, n, x, 1, y, 1, result);
}

}  // namespace

template <class T>
LibrarySum<T> cub_sum(CudaStream& stream, std::int64_t n) {
    std::size_t bytes = 0;
    const T* const terms = nullptr;
    CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, terms, static_cast<T*>(nullptr), n));
    const auto scratch = std::make_shared<CudaMemory>(std::max<std::size_t>(bytes, 1));
    return {[=, &stream](const T* x, const T*, std::int64_t count, T* result) {
        std::size_t room = bytes;
        CUDA_CHECK(cub::DeviceReduce::Sum(scratch->data(), room, x, result, count, cuda_handle(stream)));
    }};
}

template <class T>
LibrarySum<T> cublas_dot(CudaStream& stream) {
    const auto workspace = std::make_shared<CudaMemory>(kWorkspaceBytes);
    const auto handle = std::make_shared<CublasHandle>(stream, workspace->data(), kWorkspaceBytes);
    const auto call = [=](cublasPointerMode_t mode, const T* x, const T* y, std::int64_t n, T* result) {
        (void)workspace;  // outlives the handle
        CUBLAS_CHECK(cublasSetPointerMode, *handle, mode);
        dot(*handle, x, y, n, result);
    };
    return {[=](const T* x, const T* y, std::int64_t n, T* result) {
                call(CUBLAS_POINTER_MODE_DEVICE, x, y, n, result);
            },
            [=](const T* x, const T* y, std::int64_t n) {
                T result = 0;
                call(CUBLAS_POINTER_MODE_HOST, x, y, n, &result);
                return result;
            }};
}

template LibrarySum<float> cub_sum(CudaStream&, std::int64_t);
template LibrarySum<double> cub_sum(CudaStream&, std::int64_t);
template LibrarySum<float> cublas_dot(CudaStream&);
template LibrarySum<double> cublas_dot(CudaStream&);

}  // namespace stencil
