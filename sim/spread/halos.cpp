#include "sim/spread/halos.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "kernels/cuda/peer_memory.h"
#include "sim/spread/mpi_halo.h"
#include "sim/spread/packet.h"

namespace stencil {

#if STENCILSCOPE_HAS_CUDA
namespace {

bool all_reach_neighbours(Team& team, const Partition& partition) {
    const int own = default_cuda_device(), part = team.rank();
    const auto gpus = gather_values(team, own);
    bool reach = team.host_size() == team.size();
    for (const int other : {partition.above(part), partition.below(part)})
        if (reach && other >= 0 && gpus[std::size_t(other)] != own)
            reach = reach_gpu(own, gpus[std::size_t(other)]);
    return std::ranges::all_of(gather_values(team, char(reach)), [](char each) { return each != 0; });
}

bool wants_nccl() {
    const char* halo = std::getenv("STENCILSCOPE_HALO");
    return halo && std::string_view(halo) == "nccl";
}

}  // namespace
#endif

std::unique_ptr<HaloExchange> make_halo(Team& team, const Partition& partition, Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) {
        const bool peers = all_reach_neighbours(team, partition) && !wants_nccl();
        return peers ? make_peer_halo(team, partition) : make_nccl_halo(team, partition);
    }
#endif
    static_cast<void>(device);
    return std::make_unique<MpiHalo>(team, partition);
}

}  // namespace stencil
