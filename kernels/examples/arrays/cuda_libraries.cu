// CUB's sum and cuBLAS's dot product.
#include <cub/device/device_reduce.cuh>
#include <cub/version.cuh>
#include <limits>
#include <type_traits>

#include "kernels/cuda/cublas.cuh"
#include "kernels/examples/arrays/reduce.h"

namespace stencil {
namespace {

constexpr int kCubWithLongArrays = 200100;  // as CUB numbers its versions: 2.1.0, of CUDA 12.2
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
CubSum<T>::CubSum(CudaStream& stream, std::int64_t n) : stream_(stream) {
    const T* const terms = nullptr;
    CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes_, terms, static_cast<T*>(nullptr), n));
    scratch_ = CudaMemory(std::max<std::size_t>(bytes_, 1));
    if (CUB_VERSION < kCubWithLongArrays && n > std::numeric_limits<int>::max())
        throw CudaError("CUB counts to 2^31 - 1 before CUDA 12.2");
}

template <class T>
void CubSum<T>::enqueue(const T* x, std::int64_t n, T* result) {
    std::size_t bytes = bytes_;
    CUDA_CHECK(cub::DeviceReduce::Sum(scratch_.data(), bytes, x, result, n, cuda_handle(stream_)));
}

template <class T>
CublasDot<T>::CublasDot(CudaStream& stream)
    : workspace_(kWorkspaceBytes),
      handle_(std::make_unique<CublasHandle>(stream, workspace_.data(), kWorkspaceBytes)) {}

template <class T>
CublasDot<T>::~CublasDot() = default;

template <class T>
void CublasDot<T>::enqueue(const T* x, const T* y, std::int64_t n, T* result) {
    CUBLAS_CHECK(cublasSetPointerMode, *handle_, CUBLAS_POINTER_MODE_DEVICE);
    dot(*handle_, x, y, n, result);
}

template <class T>
T CublasDot<T>::on_host(const T* x, const T* y, std::int64_t n) {
    CUBLAS_CHECK(cublasSetPointerMode, *handle_, CUBLAS_POINTER_MODE_HOST);
    T result = 0;
    dot(*handle_, x, y, n, &result);
    return result;
}

template class CubSum<float>;
template class CubSum<double>;
template class CublasDot<float>;
template class CublasDot<double>;

}  // namespace stencil
