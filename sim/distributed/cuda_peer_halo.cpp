// Halo exchange between GPUs of one host: each writes rows into its neighbours' memory by the copy engines,
// which occupy no multiprocessor, and signals their streams. The host never waits.

#include <map>
#include <optional>

#include "kernels/cuda/peer_memory.h"
#include "sim/distributed/halos.h"
#include "sim/distributed/packet.h"

namespace stencil {
namespace {

enum Side : std::size_t { kAbove, kBelow, kSides };

// Double buffering: a neighbour can be one exchange ahead, never two, so it cannot overwrite unread rows.
constexpr std::size_t kTurns = 2;
constexpr std::size_t kFlagBytes = 256, kFlags = kSides * kFlagBytes;

class PeerHalo : public HaloExchange {
  public:
    PeerHalo(Communicator& comm, const Partition& partition) : comm_(comm), partition_(partition) {}
    // CUDA requires shared memory to exist until every process has closed it.
    ~PeerHalo() override { close(); }

    int depth() const override { return partition_.depth; }

    void exchange(std::span<const HaloRows> arrays, CudaStream* stream) override {
        reserve(arrays.size() * std::size_t(partition_.depth) * arrays.front().row_bytes, *stream);
        ++exchanges_;
        const int part = comm_.rank();
        std::vector<HaloRanges> ranges;
        for (const HaloRows& array : arrays) ranges.push_back(ranges_of(array, partition_, part));
        give(partition_.above(part), kBelow, ranges, *stream);
        give(partition_.below(part), kAbove, ranges, *stream);
        take(partition_.above(part), kAbove, ranges, *stream);
        take(partition_.below(part), kBelow, ranges, *stream);
    }

  private:
    void close() {
        if (!inbox_) return;
        outboxes_.clear();
        meet(comm_);
    }

    // Offset of a side's rows in the inbox; arrays follow one another.
    std::size_t place_of(Side side) const {
        return kFlags + ((exchanges_ % kTurns) * kSides + side) * bytes_of_side_;
    }

    // Provides room for this many bytes per side. All processes exchange the same arrays, so they grow their
    // inboxes at the same exchange.
    void reserve(std::size_t bytes, CudaStream& stream) {
        if (bytes <= bytes_of_side_) return;
        stream.synchronize();
        close();
        bytes_of_side_ = bytes;
        inbox_.emplace(kFlags + kTurns * kSides * bytes_of_side_);
        const auto handles = gather_values(comm_, inbox_->handle());
        const int part = comm_.rank();
        for (const int other : {partition_.above(part), partition_.below(part)})
            if (other >= 0) outboxes_.try_emplace(other, handles[std::size_t(other)]);
    }

    static std::size_t bytes_of(std::span<const HaloRanges> ranges) {
        std::size_t bytes = 0;
        for (const HaloRanges& array : ranges) bytes += array.bytes;
        return bytes;
    }

    // Writes rows to the neighbour that has this slab on `side`.
    void give(int to, Side side, std::span<const HaloRanges> ranges, CudaStream& stream) {
        if (to < 0) return;
        std::byte* inbox = outboxes_.at(to).data();
        std::byte* at = inbox + place_of(side);
        for (const HaloRanges& array : ranges) {
            copy_on_device(at, side == kBelow ? array.first : array.last, array.bytes, stream);
            at += array.bytes;
        }
        count_message(bytes_of(ranges));
        enqueue_signal(inbox + side * kFlagBytes, exchanges_, stream);
    }

    void take(int from, Side side, std::span<const HaloRanges> ranges, CudaStream& stream) {
        if (from < 0) return;
        enqueue_wait(inbox_->data() + side * kFlagBytes, exchanges_, stream);
        const std::byte* at = inbox_->data() + place_of(side);
        for (const HaloRanges& array : ranges) {
            copy_on_device(side == kAbove ? array.above : array.below, at, array.bytes, stream);
            at += array.bytes;
        }
    }

    Communicator& comm_;
    Partition partition_;
    std::optional<SharedMemory> inbox_;
    std::map<int, PeerMemory> outboxes_;  ///< inboxes of the neighbours
    std::size_t bytes_of_side_ = 0;
    std::uint32_t exchanges_ = 0;
};

}  // namespace

std::unique_ptr<HaloExchange> make_peer_halo(Communicator& comm, const Partition& partition) {
    return std::make_unique<PeerHalo>(comm, partition);
}

}  // namespace stencil
