// Rows from GPU to GPU by NVIDIA's NCCL: over the network, and where no GPU reaches another one's memory.
// libnccl.so.2 is loaded by the first call.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// By which the processes of one link find each other: one of them makes it, and gives it to all.
using NcclName = std::array<char, 128>;
/// Throws CudaError where there is no NCCL.
NcclName make_nccl_name();

class NcclLink {
  public:
    /// All of the `size` processes make it together, each for the GPU in use, which no two share. Throws
    /// CudaError.
    NcclLink(const NcclName& name, int rank, int size);
    ~NcclLink();
    NcclLink(const NcclLink&) = delete;
    NcclLink& operator=(const NcclLink&) = delete;

    /// Bytes for the process above and below and from them, at addresses of the GPU's.
    struct Neighbour {
        int rank = -1;  ///< -1: nobody
        const void* give = nullptr;
        void* take = nullptr;
    };
    /// Enqueued; the neighbours do the same. Throws CudaError.
    void exchange(const Neighbour& above, const Neighbour& below, std::size_t bytes, CudaStream& stream);

  private:
    void* link_ = nullptr;
};

}  // namespace stencil
