#include "kernels/cuda/nccl.h"

#include <string>

#include "kernels/cpu/late_library.h"

namespace stencil {
namespace {

// Constants of nccl.h, which some toolkits lack.
constexpr int kBytes = 1;  // ncclUint8

const LazyLibrary& nccl() {
    static const LazyLibrary library("libnccl.so.2",
                                     "GPUs that do not reach each other's memory, as those of several hosts, "
                                     "need NCCL (libnccl.so.2) where "
                                     "the loader looks");
    if (!library.why_none().empty()) throw CudaError(library.why_none());
    return library;
}

// Calls a function of nccl.h; the arguments must have exactly the types of its parameters.
template <class... Arguments>
int call(const char* name, Arguments... arguments) {
    return nccl().function<int (*)(Arguments...)>(name)(arguments...);
}

void check(int error, const char* what) {
    if (error == 0) return;
    const auto text = nccl().function<const char* (*)(int)>("ncclGetErrorString");
    throw CudaError(std::string("NCCL: ") + what + ": " + text(error));
}

}  // namespace

NcclName make_nccl_name() {
    NcclName name{};
    check(call("ncclGetUniqueId", &name), "ncclGetUniqueId");
    return name;
}

NcclLink::NcclLink(const NcclName& name, int rank, int size) {
    use_cuda_device();  // NCCL uses the thread's current device
    check(call("ncclCommInitRank", &link_, size, name, rank), "ncclCommInitRank");
}

NcclLink::~NcclLink() {
    if (link_) call("ncclCommDestroy", link_);
}

// NCCL matches messages between two ranks in order. If both neighbours are the same rank, what it sends up
// arrives here from below, so receives are posted in the opposite order of the sends.
void NcclLink::exchange(const Neighbour& above,
                        const Neighbour& below,
                        std::size_t bytes,
                        CudaStream& stream) {
    stream.use_device();
    check(call("ncclGroupStart"), "ncclGroupStart");
    int error = 0;
    for (const Neighbour* to : {&above, &below})
        if (to->rank >= 0 && error == 0)
            error = call("ncclSend", to->give, bytes, kBytes, to->rank, link_, stream.handle());
    for (const Neighbour* from : {&below, &above})
        if (from->rank >= 0 && error == 0)
            error = call("ncclRecv", from->take, bytes, kBytes, from->rank, link_, stream.handle());
    const int ended = call("ncclGroupEnd");
    check(error != 0 ? error : ended, "an exchange");
}

}  // namespace stencil
