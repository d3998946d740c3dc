// Halo rows between GPUs by NCCL: across the network, and on one host without peer access. libnccl.so.2 is
// loaded by the first call.
#pragma once

#include <array>
#include <cstddef>

#include "kernels/cuda/cuda_runtime.h"

namespace stencil {

/// NCCL's unique id: one process makes it and gives it to the others.
using NcclName = std::array<char, 128>;
/// Throws CudaError without NCCL.
NcclName make_nccl_name();

class NcclLink {
  public:
    /// Collective: each of the `size` processes uses a different GPU, its current device. Throws CudaError.
    NcclLink(const NcclName& name, int rank, int size);
    ~NcclLink();
    NcclLink(const NcclLink&) = delete;
    NcclLink& operator=(const NcclLink&) = delete;

    /// Device buffers for the rank above or below.
    struct Neighbour {
        int rank = -1;  ///< -1: no neighbour
        const void* give = nullptr;
        void* take = nullptr;
    };
    /// Enqueues the exchange; the neighbours must do the same. Throws CudaError.
    void exchange(const Neighbour& above, const Neighbour& below, std::size_t bytes, CudaStream& stream);

  private:
    void* link_ = nullptr;
};

}  // namespace stencil
