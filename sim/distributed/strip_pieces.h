// Transposes between distributed rows and distributed columns, in pieces.
#pragma once

#include <memory>
#include <span>

#include "kernels/methods/spectral/strip_exchange.h"
#include "sim/distributed/partition.h"
#include "sim/machine/communicator.h"
#include "sim/solvers/halo.h"

namespace stencil {

/// Bounds the memory for data in transit to one buffer, independent of the field's size.
class StripPieces : public StripExchange {
  public:
    void exchange(std::span<const ByteRows> give,
                  std::span<const ByteRows> take,
                  const ExecutionSpace& on) final;
    const HaloExchange::Traffic& traffic() const { return traffic_; }
    /// Allocates the buffers, otherwise done by the first exchange. Throws CudaError and std::bad_alloc.
    void prepare();

  protected:
    /// `buffer_bytes` limits what a process sends, and what it receives, at a time.
    StripPieces(Communicator& comm, const Partition& partition, int columns, std::size_t buffer_bytes);

    /// Exchanges one piece with each process, together at most the size of the buffer. Pieces for this
    /// process are empty; others may be.
    virtual void pass(std::span<const ByteRows> give,
                      std::span<const ByteRows> take,
                      const ExecutionSpace& on) = 0;
    virtual void allocate() = 0;
    /// Copies within the device's memory.
    virtual void copy(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) = 0;

    Communicator& comm() { return comm_; }
    /// Bytes of the buffer for one process.
    std::size_t most_bytes() const { return most_bytes_; }

  private:
    Communicator& comm_;
    std::size_t most_bytes_;
    HaloExchange::Traffic traffic_;
    bool prepared_ = false;
};

/// Transposes by MPI, staged through two host buffers.
class MpiStrips : public StripPieces {
  protected:
    static constexpr std::size_t kBufferBytes = std::size_t(16) << 20;

    MpiStrips(Communicator& comm, const Partition& partition, int columns)
        : StripPieces(comm, partition, columns, kBufferBytes) {}

    void pass(std::span<const ByteRows> give, std::span<const ByteRows> take, const ExecutionSpace& on) final;

    virtual std::byte* outbox() = 0;
    virtual std::byte* inbox() = 0;
    /// Copy from and to the device; complete on return.
    virtual void pack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) = 0;
    virtual void unpack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) = 0;
};

// For GPUs: through peer memory if all can access each other's memory, else staged through the host.
std::unique_ptr<StripPieces> make_peer_strips(Communicator& comm, const Partition& partition, int columns);
std::unique_ptr<StripPieces> make_staged_strips(Communicator& comm, const Partition& partition, int columns);

/// For a partition with rows of `columns` cells. Collective. Throws CudaError.
std::unique_ptr<StripPieces> make_strip_exchange(Communicator& comm,
                                                 const Partition& partition,
                                                 int columns,
                                                 Device device);

}  // namespace stencil
