#include "sim/spread/halos.h"

#include "sim/spread/mpi_halo.h"

namespace stencil {

std::unique_ptr<HaloExchange> make_halo(Team& team, const Partition& partition, Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) return make_cuda_halo(team, partition);
#endif
    static_cast<void>(device);
    return std::make_unique<MpiHalo>(team, partition);
}

}  // namespace stencil
