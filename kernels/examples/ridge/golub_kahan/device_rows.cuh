// A packed matrix in the memory of the GPU, and what a cooperative kernel can have there.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/examples/ridge/golub_kahan/cuda_vectors.cuh"
#include "kernels/examples/ridge/golub_kahan/segments.cuh"

namespace stencil {

struct DeviceLimits {
    int blocks = 1;          // one on each multiprocessor
    std::size_t shared = 0;  // that a block may have
};

inline DeviceLimits device_limits() {
    int device = 0, shared = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return {multiprocessors(), std::size_t(shared)};
}

/// Packed rows on the device, and the rows of each block: about the same work for all.
template <class T, class I>
class DeviceRows {
  public:
    DeviceRows(const SparseMatrix<T>& a, int blocks, ThreadPool& threads, CudaStream& stream) {
        const PackedRows<T, I> packed = pack_rows<T, I>(a, 0, a.rows, threads);
        std::vector<std::uint32_t> parts;
        for (const std::int64_t part : even_parts(a.start, blocks)) parts.push_back(std::uint32_t(part));
        CudaTimer timer;
        timer.start(stream);
        value_ = to_device(packed.value, stream);
        column_ = to_device(packed.column, stream);
        segments_ = to_device(packed.segments, stream);
        row_segments_ = to_device(packed.row_segments, stream);
        parts_ = to_device(parts, stream);
        timer.stop(stream);
        upload_seconds_ = timer.seconds();
        segment_count_ = packed.segments.size();
    }

    PackedView<T, I> view() const {
        return {as<RowSegment>(segments_), as<std::uint32_t>(row_segments_), as<T>(value_), as<I>(column_)};
    }
    const std::uint32_t* parts() const { return as<std::uint32_t>(parts_); }
    std::size_t segment_count() const { return segment_count_; }
    double upload_seconds() const { return upload_seconds_; }

  private:
    CudaMemory value_, column_, segments_, row_segments_, parts_;
    std::size_t segment_count_ = 0;
    double upload_seconds_ = 0;
};

}  // namespace stencil
