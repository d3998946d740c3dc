#include "kernels/cuda/nccl.h"

#include <string>

#include "kernels/cpu/late_library.h"

namespace stencil {
namespace {

// Constants of nccl.h, which some toolkits lack.
constexpr int kBytes = 1;  // ncclUint8

struct Nccl {
    int (*name)(NcclName*) = nullptr;
    int (*open)(void**, int, NcclName, int) = nullptr;
    int (*close)(void*) = nullptr;
    int (*begin)() = nullptr;
    int (*end)() = nullptr;
    int (*send)(const void*, std::size_t, int, int, void*, void*) = nullptr;
    int (*receive)(void*, std::size_t, int, int, void*, void*) = nullptr;
    const char* (*error_text)(int) = nullptr;
    bool found = false;
};

Nccl open_nccl() {
    Nccl nccl;
    void* const library = load_library({"libnccl.so.2"});
    if (!library) return nccl;
    const auto find = [&](const char* name, auto*& function) { return find_symbol(library, name, function); };
    nccl.found = find("ncclGetUniqueId", nccl.name) && find("ncclCommInitRank", nccl.open) &&
                 find("ncclCommDestroy", nccl.close) && find("ncclGroupStart", nccl.begin) &&
                 find("ncclGroupEnd", nccl.end) && find("ncclSend", nccl.send) &&
                 find("ncclRecv", nccl.receive) && find("ncclGetErrorString", nccl.error_text);
    return nccl;
}

const Nccl& nccl() {
    static const Nccl opened = open_nccl();
    if (!opened.found)
        throw CudaError(
            "GPUs that do not reach each other's memory, as those of several hosts, need NCCL (libnccl.so.2) "
            "where the loader looks");
    return opened;
}

void check(int error, const char* what) {
    if (error != 0) throw CudaError(std::string("NCCL: ") + what + ": " + nccl().error_text(error));
}

}  // namespace

NcclName make_nccl_name() {
    NcclName name{};
    check(nccl().name(&name), "ncclGetUniqueId");
    return name;
}

NcclLink::NcclLink(const NcclName& name, int rank, int size) {
    use_cuda_device();  // NCCL uses the thread's current device
    check(nccl().open(&link_, size, name, rank), "ncclCommInitRank");
}

NcclLink::~NcclLink() {
    if (link_) nccl().close(link_);
}

// NCCL matches messages between two ranks in order. If both neighbours are the same rank, what it sends up
// arrives here from below, so receives are posted in the opposite order of the sends.
void NcclLink::exchange(const Neighbour& above,
                        const Neighbour& below,
                        std::size_t bytes,
                        CudaStream& stream) {
    stream.use_device();
    check(nccl().begin(), "ncclGroupStart");
    int error = 0;
    for (const Neighbour* to : {&above, &below})
        if (to->rank >= 0 && error == 0)
            error = nccl().send(to->give, bytes, kBytes, to->rank, link_, stream.handle());
    for (const Neighbour* from : {&below, &above})
        if (from->rank >= 0 && error == 0)
            error = nccl().receive(from->take, bytes, kBytes, from->rank, link_, stream.handle());
    const int ended = nccl().end();
    check(error != 0 ? error : ended, "an exchange");
}

}  // namespace stencil
