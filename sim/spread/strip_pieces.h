// Strips of rows for strips of columns between the processes of a team, by pieces.
#pragma once

#include <memory>
#include <span>

#include "kernels/methods/spectral/strip_exchange.h"
#include "sim/machine/team.h"
#include "sim/run/solvers/halo.h"
#include "sim/spread/partition.h"

namespace stencil {

/// What is on its way at a time takes a buffer's bytes, whatever the field's.
class StripPieces : public StripExchange {
  public:
    void exchange(std::span<const ByteRows> give,
                  std::span<const ByteRows> take,
                  const ExecutionSpace& on) final;
    const HaloExchange::Traffic& traffic() const { return traffic_; }

  protected:
    /// `buffer_bytes`: of what one process gives at a time, and takes.
    StripPieces(Team& team, const Partition& partition, int columns, std::size_t buffer_bytes);

    /// Pieces for the other processes and of theirs, in all no more than the buffer's bytes. Those of this
    /// process are empty, and those of others may be.
    virtual void pass(std::span<const ByteRows> give,
                      std::span<const ByteRows> take,
                      const ExecutionSpace& on) = 0;
    /// Between two pieces of the device's memory.
    virtual void copy(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) = 0;

    Team& team() { return team_; }
    /// Of one process's part of the buffer.
    std::size_t most_bytes() const { return most_bytes_; }

  private:
    Team& team_;
    std::size_t most_bytes_;
    HaloExchange::Traffic traffic_;
};

/// By MPI, through two buffers of the host's.
class MpiStrips : public StripPieces {
  protected:
    static constexpr std::size_t kBufferBytes = std::size_t(16) << 20;

    MpiStrips(Team& team, const Partition& partition, int columns)
        : StripPieces(team, partition, columns, kBufferBytes) {}

    void pass(std::span<const ByteRows> give, std::span<const ByteRows> take, const ExecutionSpace& on) final;

    virtual std::byte* outbox() = 0;
    virtual std::byte* inbox() = 0;
    /// From the device and to it; done when they return.
    virtual void pack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) = 0;
    virtual void unpack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) = 0;
};

// Of GPUs. Through each other's memory, where all of them reach that of all, and through the host's.
std::unique_ptr<StripPieces> make_peer_strips(Team& team, const Partition& partition, int columns);
std::unique_ptr<StripPieces> make_staged_strips(Team& team, const Partition& partition, int columns);

/// Of a partition's rows, of `columns` cells each. All processes of the team call it. Throws CudaError and
/// std::bad_alloc.
std::unique_ptr<StripPieces> make_strip_exchange(Team& team,
                                                 const Partition& partition,
                                                 int columns,
                                                 Device device);

}  // namespace stencil
