#include "sim/distributed/strip_pieces.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "sim/distributed/halos.h"
#include "sim/distributed/packet.h"

namespace stencil {
namespace {

// Alignment of each process's part of a buffer; copy engines are slower otherwise.
constexpr std::size_t kAligned = 512;

// Cuts a block into pieces of bounded size: whole rows, or parts of single rows.
struct Cut {
    Cut(const ByteRows& block, std::size_t most)
        : width(std::min(block.width, most)),
          rows(width > 0 ? std::max<std::size_t>(most / width, 1) : 1),
          across(width > 0 ? ceil_div(block.width, width) : 0) {}

    std::size_t pieces(const ByteRows& block) const { return across * ceil_div(block.rows, rows); }

    // The piece is empty beyond the last one.
    ByteRows piece(const ByteRows& block, std::size_t i) const {
        if (i >= pieces(block)) return {};
        const std::size_t x = i % across * width, y = i / across * rows;
        return {block.data + y * block.pitch + x,
                block.pitch,
                std::min(width, block.width - x),
                std::min(rows, block.rows - y)};
    }

    std::size_t width, rows, across;
};

void copy_rows(const ByteRows& from, const ByteRows& to, ThreadPool& threads) {
    constexpr std::size_t kWorthThreads = std::size_t(64) << 10;
    const auto least = std::int64_t(kWorthThreads / std::max<std::size_t>(from.width, 1) + 1);
    threads.for_ranges(
        std::int64_t(from.rows),
        [&](std::int64_t begin, std::int64_t end) {
            for (auto y = std::size_t(begin); y < std::size_t(end); ++y)
                std::memcpy(to.data + y * to.pitch, from.data + y * from.pitch, from.width);
        },
        least);
}

class CpuStrips : public MpiStrips {
  public:
    CpuStrips(Communicator& comm, const Partition& partition, int columns)
        : MpiStrips(comm, partition, columns) {}

  private:
    void allocate() override {
        out_ = AlignedBuffer<std::byte>(kBufferBytes);
        in_ = AlignedBuffer<std::byte>(kBufferBytes);
    }
    std::byte* outbox() override { return out_.data(); }
    std::byte* inbox() override { return in_.data(); }
    void pack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy(from, to, on);
    }
    void unpack(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy(from, to, on);
    }
    void copy(const ByteRows& from, const ByteRows& to, const ExecutionSpace& on) override {
        copy_rows(from, to, *on.threads);
    }

    AlignedBuffer<std::byte> out_, in_;
};

// The rows without gaps.
ByteRows packed(const ByteRows& rows, std::byte* data) {
    return {data, rows.width, rows.width, rows.rows};
}

std::vector<std::size_t> bytes_of_each(std::span<const ByteRows> pieces) {
    std::vector<std::size_t> bytes;
    for (const ByteRows& piece : pieces) bytes.push_back(piece.bytes());
    return bytes;
}

}  // namespace

StripPieces::StripPieces(Communicator& comm,
                         const Partition& partition,
                         int columns,
                         std::size_t buffer_bytes)
    : StripExchange(comm.rank(), partition.parts, {columns, partition.rows}),
      comm_(comm),
      most_bytes_(buffer_bytes / std::size_t(partition.parts) / kAligned * kAligned) {}

void StripPieces::prepare() {
    if (!prepared_) allocate();
    prepared_ = true;
}

void StripPieces::exchange(std::span<const ByteRows> give,
                           std::span<const ByteRows> take,
                           const ExecutionSpace& on) {
    prepare();
    const auto own = std::size_t(part());
    copy(give[own], take[own], on);
    const auto piece_of = [&](std::span<const ByteRows> blocks, std::size_t i) {
        std::vector<ByteRows> pieces;
        for (std::size_t other = 0; other < blocks.size(); ++other)
            pieces.push_back(other == own ? ByteRows()
                                          : Cut(blocks[other], most_bytes_).piece(blocks[other], i));
        return pieces;
    };
    std::size_t pieces = 0;
    for (std::size_t other = 0; other < give.size(); ++other)
        if (other != own) {
            const std::size_t count = Cut(give[other], most_bytes_).pieces(give[other]);
            pieces = std::max(pieces, count);
            traffic_.messages += static_cast<long long>(count);
            traffic_.bytes += static_cast<long long>(give[other].bytes());
        }
    // All processes take part in every round, so all need the largest number of pieces (usually one).
    std::uint64_t with_more = pieces > 1 ? 1 : 0;
    comm_.sum({&with_more, 1});
    const std::size_t most = with_more == 0 ? 1 : std::ranges::max(gather_values(comm_, pieces));
    for (std::size_t i = 0; i < most; ++i) pass(piece_of(give, i), piece_of(take, i), on);
}

void MpiStrips::pass(std::span<const ByteRows> give,
                     std::span<const ByteRows> take,
                     const ExecutionSpace& on) {
    std::byte* at = outbox();
    for (const ByteRows& piece : give) {
        if (piece.bytes() > 0) pack(piece, packed(piece, at), on);
        at += piece.bytes();
    }
    comm().all_to_all(outbox(), bytes_of_each(give), inbox(), bytes_of_each(take));
    at = inbox();
    for (const ByteRows& piece : take) {
        if (piece.bytes() > 0) unpack(packed(piece, at), piece, on);
        at += piece.bytes();
    }
}

std::unique_ptr<StripPieces> make_strip_exchange(Communicator& comm,
                                                 const Partition& partition,
                                                 int columns,
                                                 Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) {
        std::vector<int> all(std::size_t(partition.parts));
        std::iota(all.begin(), all.end(), 0);
        return reach_each_other(comm, all) ? make_peer_strips(comm, partition, columns)
                                           : make_staged_strips(comm, partition, columns);
    }
#endif
    static_cast<void>(device);
    return std::make_unique<CpuStrips>(comm, partition, columns);
}

}  // namespace stencil
