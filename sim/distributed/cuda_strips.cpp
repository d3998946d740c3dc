// Transposes between GPUs: through peer memory, or staged through the hosts.

#include <map>
#include <optional>

#include "kernels/cuda/peer_memory.h"
#include "sim/distributed/packet.h"
#include "sim/distributed/strip_pieces.h"

namespace stencil {
namespace {

RowCopy row_copy(const ByteRows& from, const ByteRows& to) {
    return {to.data, to.pitch, from.data, from.pitch, from.width, from.rows};
}

void copy_on(const ExecutionSpace& on, const ByteRows& from, const ByteRows& to) {
    if (from.bytes() > 0) copy_on_device(row_copy(from, to), *on.stream);
}

class StagedStrips : public MpiStrips {
  public:
    StagedStrips(Communicator& comm, const Partition& partition, int columns)
        : MpiStrips(comm, partition, columns) {}

  private:
    void allocate() override {
        out_.emplace(kBufferBytes);
        in_.emplace(kBufferBytes);
    }
    std::byte* outbox() override { return static_cast<std::byte*>(out_->data()); }
    std::byte* inbox() override { return static_cast<std::byte*>(in_->data()); }
    void pack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy_to_host(row_copy(from, to), *on.stream);
    }
    void unpack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy_to_device(row_copy(from, to), *on.stream);
    }
    void copy(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy_on(on, from, to);
    }

    std::optional<CudaHostMemory> out_, in_;
};

// Writes pieces into every other inbox by the copy engines. Hosts synchronise before and after, which costs
// little at this piece size.
class PeerStrips : public StripPieces {
  public:
    PeerStrips(Communicator& comm, const Partition& partition, int columns)
        : StripPieces(comm, partition, columns, kBufferBytes) {}
    // CUDA requires shared memory to exist until every process has closed it.
    ~PeerStrips() override {
        if (outboxes_.empty()) return;
        outboxes_.clear();
        stencil::meet(comm());
    }

  private:
    static constexpr std::size_t kBufferBytes = std::size_t(256) << 20;

    void allocate() override { inbox_.emplace(kBufferBytes); }

    void open() {
        const auto handles = gather_values(comm(), inbox_->handle());
        for (std::size_t other = 0; other < handles.size(); ++other)
            if (other != std::size_t(part())) outboxes_.try_emplace(other, handles[other]);
    }

    // Where the inbox of another process receives pieces from `from`.
    ByteRows place(std::byte* inbox, int from, const ByteRows& piece) const {
        return {inbox + std::size_t(from) * most_bytes(), piece.width, piece.width, piece.rows};
    }

    void pass(std::span<const ByteRows> give,
              std::span<const ByteRows> take,
              const ExecutionSpace& on) override {
        if (outboxes_.empty()) open();
        meet(on);  // the inboxes are empty
        for (const auto& [other, memory] : outboxes_)
            copy_on(on, give[other], place(memory.data(), part(), give[other]));
        meet(on);
        for (const auto& [other, memory] : outboxes_)
            copy_on(on, place(inbox_->data(), int(other), take[other]), take[other]);
    }

    void copy(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy_on(on, from, to);
    }

    // Waits until all processes have finished what they enqueued.
    void meet(const ExecutionSpace& on) {
        on.stream->synchronize();
        stencil::meet(comm());
    }

    std::optional<SharedMemory> inbox_;
    std::map<std::size_t, PeerMemory> outboxes_;  ///< inboxes of the others
};

}  // namespace

std::unique_ptr<StripPieces> make_peer_strips(Communicator& comm, const Partition& partition, int columns) {
    return std::make_unique<PeerStrips>(comm, partition, columns);
}

std::unique_ptr<StripPieces> make_staged_strips(Communicator& comm, const Partition& partition, int columns) {
    return std::make_unique<StagedStrips>(comm, partition, columns);
}

}  // namespace stencil
