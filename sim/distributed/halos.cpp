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

bool reach_each_other(Team& team, std::span<const int> others) {
    const int own = default_cuda_device();
    const auto gpus = gather_values(team, own);
    bool reach = team.host_size() == team.size() && !wants_nccl();
    for (const int other : others)
        if (reach && other >= 0 && gpus[std::size_t(other)] != own)
            reach = reach_gpu(own, gpus[std::size_t(other)]);
    return std::ranges::all_of(gather_values(team, char(reach)), [](char each) { return each != 0; });
}
#endif

std::unique_ptr<HaloExchange> make_halo(Team& team, const Partition& partition, Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) {
        const int neighbours[] = {partition.above(team.rank()), partition.below(team.rank())};
        return reach_each_other(team, neighbours) ? make_peer_halo(team, partition)
                                                  : make_nccl_halo(team, partition);
    }
#endif
    static_cast<void>(device);
    return std::make_unique<MpiHalo>(team, partition);
}

}  // namespace stencil
