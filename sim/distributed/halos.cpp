#include "sim/distributed/halos.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "kernels/cuda/peer_memory.h"
#include "sim/distributed/mpi_halo.h"
#include "sim/distributed/packet.h"

namespace stencil {

#if STENCILSCOPE_HAS_CUDA
namespace {

// A test can demand NCCL where peer memory would work.
bool wants_nccl() {
    const char* halo = std::getenv("STENCILSCOPE_HALO");
    return halo && std::string_view(halo) == "nccl";
}

}  // namespace

bool reach_each_other(Communicator& comm, std::span<const int> others) {
    const int own = default_cuda_device();
    const auto gpus = gather_values(comm, own);
    bool reach = comm.host_size() == comm.size() && !wants_nccl();
    for (const int other : others)
        if (reach && other >= 0 && gpus[std::size_t(other)] != own)
            reach = reach_gpu(own, gpus[std::size_t(other)]);
    return std::ranges::all_of(gather_values(comm, char(reach)), [](char each) { return each != 0; });
}
#endif

std::unique_ptr<HaloExchange> make_halo(Communicator& comm, const Partition& partition, Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) {
        const int neighbours[] = {partition.above(comm.rank()), partition.below(comm.rank())};
        return reach_each_other(comm, neighbours) ? make_peer_halo(comm, partition)
                                                  : make_nccl_halo(comm, partition);
    }
#endif
    static_cast<void>(device);
    return std::make_unique<MpiHalo>(comm, partition);
}

}  // namespace stencil
