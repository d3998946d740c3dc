#include "sim/distributed/team.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <map>
#include <new>

#include "sim/distributed/slab_solver.h"

namespace stencil {
namespace {

using Table = std::map<std::string_view, const team::Row*>;

// The calls of this process. Rows register themselves while the program starts.
Table& table() {
    static Table calls;
    return calls;
}

}  // namespace

team::Row::Row(std::string_view its_name, std::vector<std::size_t> sizes, Call its_call)
    : name(its_name), argument_bytes(std::move(sizes)), call(its_call) {
    if (!table().emplace(name, this).second) {
        std::fprintf(stderr, "stencilscope: two calls have the name %s\n", its_name.data());
        std::abort();
    }
}

std::string team::protocol() {
    std::string text = STENCILSCOPE_VERSION;
    for (const auto& [name, row] : table()) text += fmt::format("; {} {}", name, row->argument_bytes);
    return text;
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
        abort_team(Communicator::all(), error.what());
    }
}

void abort_team(Communicator& comm, const char* why) {
    char host[256] = "";
    gethostname(host, sizeof(host) - 1);
    std::fprintf(stderr, "stencilscope: process %d on %s: %s\n", comm.rank(), host, why);
    comm.abort(1);
}

void require_same_program(Communicator& comm) {
    if (comm.size() == 1) return;
    const std::string own = team::protocol();
    const std::vector<std::string> all = gather_values(comm, own);
    const auto version_of = [](const std::string& protocol) {
        return protocol.substr(0, protocol.find(';'));
    };
    if (std::ranges::adjacent_find(all, std::not_equal_to()) == all.end()) return;
    // Only one process reports: the first whose program differs from that of process 0. The others wait to be
    // ended.
    const auto other =
        std::ranges::find_if(all, [&](const std::string& each) { return each != all.front(); });
    if (comm.rank() == other - all.begin()) {
        abort_team(
            comm,
            fmt::format("another build of stencilscope ({}) than that of process 0 ({}): start the same "
                        "program on all hosts",
                        version_of(own),
                        version_of(all.front()))
                .c_str());
    }
    meet(comm);
}

// An empty message ends it.
void serve(Communicator& comm) {
    try {
        for (Bytes bytes; comm.broadcast(bytes), !bytes.empty(); bytes.clear()) {
            Packet packet(bytes);
            table().at(packet.get<std::string>())->call(packet);
        }
        slabs() = {};
        return;
    } catch (const std::bad_alloc&) {
        abort_team(comm, "out of memory; smaller sizes need less");
    } catch (const std::exception& error) {
        abort_team(comm, error.what());
    }
}

void dismiss_team() {
    Bytes end;
    Communicator::all().broadcast(end);
}

}  // namespace stencil
