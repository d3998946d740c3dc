// CUB's sum and cuBLAS's dot product.
#include <cublas_v2.h>

#include <cub/device/device_reduce.cuh>
#include <string>
#include <type_traits>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/arrays/reduce.h"

namespace stencil {
namespace {

void check_cublas(cublasStatus_t status, const char* call) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuBLAS: ") + call + ": " + cublasGetStatusString(status));
}

constexpr std::size_t kWorkspaceBytes = std::size_t(4) << 20;

template <class T>
void dot(cublasHandle_t handle, const T* x, const T* y, std::int64_t n, T* result) {
    if constexpr (std::is_same_v<T, float>)
        check_cublas(cublasSdot_64(handle, n, x, 1, y, 1, result), "cublasSdot");
    else
        check_cublas(cublasDdot_64(handle, n, x, 1, y, 1, result), "cublasDdot");
}

}  // namespace

template <class T>
std::size_t CubSum<T>::bytes(std::int64_t n) {
    std::size_t bytes = 0;
    CUDA_CHECK(
        cub::DeviceReduce::Sum(nullptr, bytes, static_cast<const T*>(nullptr), static_cast<T*>(nullptr), n));
    return std::max<std::size_t>(bytes, 1);
}

template <class T>
CubSum<T>::CubSum(CudaStream& stream, std::int64_t n) : stream_(stream), bytes_(bytes(n)), scratch_(bytes_) {}

template <class T>
void CubSum<T>::enqueue(const T* x, std::int64_t n, T* result) {
    std::size_t bytes = bytes_;
    CUDA_CHECK(cub::DeviceReduce::Sum(scratch_.data(), bytes, x, result, n, cuda_handle(stream_)));
}

template <class T>
CublasDot<T>::CublasDot(CudaStream& stream) : workspace_(bytes()) {
    cublasHandle_t handle = nullptr;
    check_cublas(cublasCreate(&handle), "cublasCreate");
    handle_ = handle;
    check_cublas(cublasSetStream(handle, cuda_handle(stream)), "cublasSetStream");
    check_cublas(cublasSetWorkspace(handle, workspace_.data(), bytes()), "cublasSetWorkspace");
}

template <class T>
CublasDot<T>::~CublasDot() {
    cublasDestroy(static_cast<cublasHandle_t>(handle_));
}

template <class T>
std::size_t CublasDot<T>::bytes() {
    return kWorkspaceBytes;
}

template <class T>
void CublasDot<T>::enqueue(const T* x, const T* y, std::int64_t n, T* result) {
    const auto handle = static_cast<cublasHandle_t>(handle_);
    check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
    dot(handle, x, y, n, result);
}

template <class T>
T CublasDot<T>::on_host(const T* x, const T* y, std::int64_t n) {
    const auto handle = static_cast<cublasHandle_t>(handle_);
    check_cublas(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST), "cublasSetPointerMode");
    T result = 0;
    dot(handle, x, y, n, &result);
    return result;
}

template class CubSum<float>;
template class CubSum<double>;
template class CublasDot<float>;
template class CublasDot<double>;

}  // namespace stencil
