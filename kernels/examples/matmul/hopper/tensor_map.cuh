// The host's side of a pipeline of tensor core products.
#pragma once

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>
#include <string>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/driver_function.cuh"

namespace stencil::matmul::hopper {

using TensorMapEncoder = decltype(&cuTensorMapEncodeTiled);

/// The driver's function, without linking the driver; null where it has none.
inline TensorMapEncoder tensor_map_encoder() {
    static const auto encoder = driver_function<TensorMapEncoder>("cuTensorMapEncodeTiled");
    return encoder;
}

/// Rows that follow one another, to be copied in boxes whose rows are 128 bytes.
struct RowMap {
    CUtensorMapDataType type;
    int value_bytes;
    const void* data;
    std::int64_t rows, columns;
    int box_columns, box_rows;
};

/// Throws CudaError.
inline CUtensorMap make_tensor_map(const RowMap& of) {
    CUtensorMap map;
    const cuuint64_t size[2] = {cuuint64_t(of.columns), cuuint64_t(of.rows)};
    const cuuint64_t pitch[1] = {cuuint64_t(of.columns) * cuuint64_t(of.value_bytes)};
    const cuuint32_t box[2] = {cuuint32_t(of.box_columns), cuuint32_t(of.box_rows)};
    const cuuint32_t step[2] = {1, 1};
    const CUresult result = tensor_map_encoder()(&map,
                                                 of.type,
                                                 2,
                                                 const_cast<void*>(of.data),
                                                 size,
                                                 pitch,
                                                 box,
                                                 step,
                                                 CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                 CU_TENSOR_MAP_SWIZZLE_128B,
                                                 CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS)
        throw CudaError("CUDA: cuTensorMapEncodeTiled: error " + std::to_string(int(result)));
    return map;
}

/// Whether the current device has an image of the kernel, and the driver what it needs.
template <class Kernel>
bool has_kernel(Kernel* kernel) {
    cudaFuncAttributes attributes{};
    const bool there = cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess;
    cudaGetLastError();  // no image for this device is no error
    return there && tensor_map_encoder() != nullptr;
}

}  // namespace stencil::matmul::hopper
