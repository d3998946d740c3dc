#include "sim/machine/copy_bandwidth.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstring>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/peer_memory.h"
#include "sim/machine/host_memory.h"

namespace stencil {
namespace {

constexpr std::size_t kQuietCopies = 7;
constexpr std::size_t kQuietSlices = 60;
constexpr int kSlicesAtATime = 4;
constexpr std::size_t kSlice = std::size_t(32) << 20;  // bytes
constexpr std::size_t kLargestArray = std::size_t(1) << 30;
[[maybe_unused]] constexpr std::size_t kLinkBytes = std::size_t(256) << 20;
constexpr std::size_t kSmallestArray = std::size_t(1) << 22;

// Two arrays should exceed the last-level cache twofold, but first touching gigabytes takes seconds.
std::size_t largest_host_array() {
    const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return std::clamp(std::size_t(std::max(cache, 0L)), std::size_t(128) << 20, std::size_t(512) << 20);
}

// A share of free memory, so that measuring never makes a run fail.
std::size_t array_bytes(std::size_t free_bytes, std::size_t largest) {
    return std::clamp(free_bytes / 16, kSmallestArray, largest);
}

}  // namespace

/// Source and destination of the copy benchmark.
class CopyArrays {
  public:
    virtual ~CopyArrays() = default;
    /// First-touches some of the arrays; true once all is touched.
    virtual bool touch() = 0;
    /// Makes one copy and returns its seconds.
    virtual double copy() = 0;
    std::size_t bytes = 0;  ///< per copy
};

namespace {

class HostArrays : public CopyArrays {
  public:
    HostArrays(int threads, CopyBandwidth::Piece piece)
        : pool_(threads),
          size_(array_bytes(query_host_memory().free_bytes, largest_host_array())),
          from_(size_),
          to_(size_) {
        bytes = piece == CopyBandwidth::Piece::whole ? size_ : std::min(size_, kSlice);
    }

    // The first touch is slow because the system has to map pages.
    bool touch() override {
        const std::size_t end = std::min(size_, touched_ + kSlice);
        pool_.for_ranges(std::int64_t(end - touched_), [&](std::int64_t first, std::int64_t last) {
            std::memset(from_.data() + touched_ + first, 1, std::size_t(last - first));
            std::memset(to_.data() + touched_ + first, 2, std::size_t(last - first));
        });
        touched_ = end;
        return touched_ == size_;
    }

    // Consecutive slices cover the arrays, so none is still cached.
    double copy() override {
        if (next_ + bytes > size_) next_ = 0;
        const char* const from = from_.data() + next_;
        char* const to = to_.data() + next_;
        next_ += bytes;
        const auto start = std::chrono::steady_clock::now();
        pool_.for_ranges(std::int64_t(bytes), [&](std::int64_t first, std::int64_t last) {
            std::memcpy(to + first, from + first, std::size_t(last - first));
        });
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

  private:
    ThreadPool pool_;
    std::size_t size_;
    std::size_t touched_ = 0;
    std::size_t next_ = 0;
    AlignedBuffer<char> from_, to_;
};

#if STENCILSCOPE_HAS_CUDA
class CudaArrays : public CopyArrays {
  public:
    CudaArrays()
        : size_(array_bytes(std::size_t(cuda_memory().free_bytes), kLargestArray)), from_(size_), to_(size_) {
        bytes = size_;
    }

    bool touch() override {
        copy();
        return true;
    }

    double copy() override {
        timer_.start(stream_);
        copy_on_device(to_.data(), from_.data(), size_, stream_);
        timer_.stop(stream_);
        return timer_.seconds();
    }

  private:
    std::size_t size_;
    CudaMemory from_, to_;
    CudaStream stream_;
    CudaTimer timer_;
};
#endif

}  // namespace

CopyBandwidth::CopyBandwidth([[maybe_unused]] Device device, int threads, Piece piece)
    : pieces_at_a_time_(piece == Piece::whole ? 1 : kSlicesAtATime),
      rates_(piece == Piece::whole ? kQuietCopies : kQuietSlices) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) arrays_ = std::make_unique<CudaArrays>();
#endif
    if (!arrays_) arrays_ = std::make_unique<HostArrays>(threads, piece);
}

CopyBandwidth::~CopyBandwidth() = default;

void CopyBandwidth::work() {
    if (!touched_) {
        touched_ = arrays_->touch();
        return;
    }
    for (int i = 0; i < pieces_at_a_time_ && !done(); ++i)
        rates_.add(2e-9 * double(arrays_->bytes) / arrays_->copy());
}

double measure_copy_bandwidth(Device device, int threads) {
    CopyBandwidth copies(device, threads);
    while (!copies.done()) copies.work();
    return copies.median();
}

double measure_link_bandwidth([[maybe_unused]] int from, [[maybe_unused]] int to) {
#if STENCILSCOPE_HAS_CUDA
    if (!reach_gpu(from, to)) return 0;
    const CudaMemory source(kLinkBytes, from), target(kLinkBytes, to);
    CudaStream stream(from);
    stream.use_device();
    CudaTimer timer;
    BestOf rates(kQuietCopies);
    while (!rates.done()) {
        timer.start(stream);
        copy_on_device(target.data(), source.data(), kLinkBytes, stream);
        timer.stop(stream);
        rates.add(1e-9 * double(kLinkBytes) / timer.seconds());
    }
    return rates.median();
#else
    return 0;
#endif
}

}  // namespace stencil
