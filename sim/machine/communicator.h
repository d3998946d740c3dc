// A communicator: the subset of MPI that distributed fields need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stencil {

using Bytes = std::vector<std::byte>;

/// Ranks 0 ... size - 1. Calls are collective and in the same order on all ranks; each returns when this
/// rank's part is done. Rank 0 runs the command, the others its worker loop (sim/distributed/team.h).
class Communicator {
  public:
    /// All processes started by mpirun, srun or the like; without a launcher, a single process and no MPI
    /// call. main() calls begin() and end().
    static Communicator& all();
    static bool is_built_in();
    /// Whether an MPI launcher started this process.
    static bool was_launched();
    /// `interrupted` tells whether process 0 was asked to end.
    static void begin(int (*interrupted)());
    static void end();

    /// How many processes share a field: all, or each has fields of its own after share_no_fields().
    static int sharing();
    static void share_no_fields();

    virtual ~Communicator() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Rank and size among the processes of this host.
    virtual int host_rank() const = 0;
    virtual int host_size() const = 0;

    /// A communicator of the first `count` ranks; null on the others. Collective.
    virtual std::unique_ptr<Communicator> first(int count) = 0;

    /// Sends rank 0's message to all. Waiting ranks yield the processor.
    virtual void broadcast(Bytes& message) = 0;
    /// Gathers one message per rank at all of them. A rank may first write `bytes_before` bytes to disk,
    /// which lengthens the time that others wait for it.
    virtual std::vector<Bytes> gather(const Bytes& own, std::size_t bytes_before) = 0;
    std::vector<Bytes> gather(const Bytes& own) { return gather(own, 0); }
    virtual void sum(std::span<std::uint64_t> counts) = 0;

    virtual void send(const void* data, std::size_t bytes, int to) = 0;
    virtual void receive(void* data, std::size_t bytes, int from) = 0;
    /// Waits, and yields the processor, until another rank sends to this one; returns that rank.
    virtual int wait_for_sender() = 0;

    /// Data for and from a neighbour; size 0 sends nothing. `above` has the lower rows; both may be the same
    /// rank.
    struct Neighbour {
        int rank = -1;  ///< -1: no neighbour
        const void* give = nullptr;
        void* take = nullptr;
    };
    virtual void exchange(const Neighbour& above, const Neighbour& below, std::size_t bytes) = 0;

    /// Sends and receives byte ranges per rank, stored consecutively; together less than 2 GiB.
    virtual void all_to_all(const void* give,
                            std::span<const std::size_t> give_bytes,
                            void* take,
                            std::span<const std::size_t> take_bytes) = 0;

    /// Ends all processes on all hosts with this status.
    [[noreturn]] virtual void abort(int status) = 0;
};

// The module that links MPI; nothing else does.

/// File name of the module.
inline constexpr const char* kMpiModule = "stencilscope_mpi.so";

/// stencilscope_begin_mpi: the communicator of all launched processes, owned by the caller. `interrupted`
/// tells whether process 0 was asked to end.
using BeginMpi = Communicator* (*)(int (*interrupted)());
/// stencilscope_end_mpi: called when no communicator is left.
using EndMpi = void (*)();

}  // namespace stencil
