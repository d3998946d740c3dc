#include "sim/distributed/team.h"

#include <unistd.h>

#include <cstdio>
#include <exception>
#include <new>

#include "sim/distributed/slab_solver.h"

namespace stencil {
namespace {

void nothing(Packet&) {}

void report(Communicator& comm, const char* what) {
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    std::fprintf(stderr, "stencilscope: process %d on %s: %s\n", comm.rank(), host, what);
}

}  // namespace

std::intptr_t team::number_of(Call call) {
    return reinterpret_cast<std::intptr_t>(call) - reinterpret_cast<std::intptr_t>(nothing);
}

std::recursive_mutex& team::one_at_a_time() {
    static std::recursive_mutex mutex;
    return mutex;
}

void team::send(Packet& call, const std::function<void()>& own_part) {
    Communicator::all().broadcast(call.bytes());
    try {
        own_part();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "stencilscope: process 0: %s\n", error.what());
        Communicator::all().abort(1);
    }
}

// An empty message ends it.
void serve(Communicator& comm) {
    try {
        for (Bytes bytes; comm.broadcast(bytes), !bytes.empty(); bytes.clear()) {
            Packet packet(bytes);
            const auto address = reinterpret_cast<std::intptr_t>(nothing) + packet.get<std::intptr_t>();
            reinterpret_cast<team::Call>(address)(packet);
        }
        slabs() = {};
        return;
    } catch (const std::bad_alloc&) {
        report(comm, "out of memory; smaller sizes need less");
    } catch (const std::exception& error) {
        report(comm, error.what());
    }
    comm.abort(1);
}

void dismiss_team() {
    Bytes end;
    Communicator::all().broadcast(end);
}

}  // namespace stencil
