// The processes that step one field together: what MPI has, and no more of it than is needed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace stencil {

using Bytes = std::vector<std::byte>;

/// Processes 0 ... size - 1 of one command. Every call is made by all of them in the same order, and returns
/// when this process's part is done. The process 0 runs the command; the others do what it says
/// (sim/spread/part.h).
class Team {
  public:
    /// All that mpirun, srun or another launcher of MPI started together; alone, a team of one, and MPI is
    /// not called at all. main() begins and ends it.
    static Team& all();
    static bool is_built_in();
    /// A launcher of MPI started this process.
    static bool was_launched();
    /// `interrupted` says whether process 0 was told to end.
    static void begin(int (*interrupted)());
    static void end();

    virtual ~Team() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// The same for those of this host.
    virtual int host_rank() const = 0;
    virtual int host_size() const = 0;

    /// The first `count` of them, which alone may use it: null for the others. All of them call it.
    virtual std::unique_ptr<Team> first(int count) = 0;

    /// From process 0 to all. A process that waits for it leaves its processor to others.
    virtual void broadcast(Bytes& message) = 0;
    /// One of each, at all of them; some may have so many bytes to write before theirs.
    virtual std::vector<Bytes> gather(const Bytes& own, std::size_t bytes_before) = 0;
    std::vector<Bytes> gather(const Bytes& own) { return gather(own, 0); }
    virtual void sum(std::span<std::uint64_t> counts) = 0;

    virtual void send(const void* data, std::size_t bytes, int to) = 0;
    virtual void receive(void* data, std::size_t bytes, int from) = 0;

    /// Bytes for a process and from one; of size 0 there is nothing to send. The first go up (to lower rows),
    /// the second down, so that two can pass between the same processes.
    struct Neighbour {
        int rank = -1;  ///< -1: nobody
        const void* give = nullptr;
        void* take = nullptr;
    };
    virtual void exchange(const Neighbour& above, const Neighbour& below, std::size_t bytes) = 0;

    /// So many bytes to and from each process, one after the other; less than 2 GiB in all.
    virtual void all_to_all(const void* give,
                            std::span<const std::size_t> give_bytes,
                            void* take,
                            std::span<const std::size_t> take_bytes) = 0;

    /// Ends all processes at once, on all hosts, with this status.
    [[noreturn]] virtual void abort(int status) = 0;
};

}  // namespace stencil
