#include "sim/machine/roofline.h"

#include <fmt/format.h>

#include <chrono>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/cuda/peer_memory.h"
#include "kernels/machine/issue_rate.h"
#include "sim/files/folder.h"
#include "sim/machine/host_memory.h"
#include "sim/machine/kernel_cache.h"
#include "sim/machine/machine.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

constexpr std::size_t kQuietCopies = 7;
constexpr std::size_t kQuietPieces = 60;  // pieces: slices of copies, or batches of instructions
constexpr int kPiecesAtATime = 4;

constexpr std::size_t kSlice = std::size_t(32) << 20;  // bytes
constexpr std::size_t kSmallestArray = std::size_t(1) << 22;
[[maybe_unused]] constexpr std::size_t kLargestArray = std::size_t(1) << 30;
[[maybe_unused]] constexpr std::size_t kLinkBytes = std::size_t(256) << 20;

constexpr double kPieceSeconds = 0.002;
constexpr std::int64_t kFirstRounds = 4096;

template <class Work>
double seconds_of(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Two arrays should exceed the last-level cache twofold, but the first touch of gigabytes takes seconds.
// AddressSanitizer makes the measured speed meaningless anyway, and touching large arrays would dominate
// short runs under it.
std::size_t largest_host_array() {
#ifdef __SANITIZE_ADDRESS__
    return kSmallestArray;
#else
    return std::clamp(last_level_cache_bytes(), std::size_t(64) << 20, std::size_t(512) << 20);
#endif
}

// A share of free memory, so that measuring never makes a run fail.
std::size_t array_bytes(std::size_t free_bytes, std::size_t largest) {
    return std::clamp(free_bytes / 16, kSmallestArray, largest);
}

std::size_t copied_bytes([[maybe_unused]] Device device) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) return array_bytes(std::size_t(cuda_memory().free_bytes), kLargestArray);
#endif
    return array_bytes(query_host_memory().free_bytes, largest_host_array());
}

class HostCopies {
  public:
    HostCopies(int threads, CopyPiece piece)
        : pool_(threads),
          size_(copied_bytes(Device::cpu)),
          bytes_(piece == CopyPiece::whole ? size_ : std::min(size_, kSlice)),
          from_(size_),
          to_(size_) {}

    // The first touch is slow because the system has to map pages. Consecutive slices then cover the arrays,
    // so none is still cached.
    std::optional<double> copy() {
        if (touched_ < size_) {
            touch(std::min(size_, touched_ + kSlice));
            return std::nullopt;
        }
        if (next_ + bytes_ > size_) next_ = 0;
        const char* const from = from_.data() + next_;
        char* const to = to_.data() + next_;
        next_ += bytes_;
        const double seconds = seconds_of([&] {
            pool_.for_ranges(std::int64_t(bytes_), [&](std::int64_t first, std::int64_t last) {
                std::memcpy(to + first, from + first, std::size_t(last - first));
            });
        });
        return 2e-9 * double(bytes_) / seconds;
    }

  private:
    void touch(std::size_t end) {
        pool_.for_ranges(std::int64_t(end - touched_), [&](std::int64_t first, std::int64_t last) {
            std::memset(from_.data() + touched_ + first, 1, std::size_t(last - first));
            std::memset(to_.data() + touched_ + first, 2, std::size_t(last - first));
        });
        touched_ = end;
    }

    ThreadPool pool_;
    std::size_t size_, bytes_;  ///< bytes of an array, and of a copy
    std::size_t touched_ = 0;
    std::size_t next_ = 0;
    AlignedBuffer<char> from_, to_;
};

#if STENCILSCOPE_HAS_CUDA
class CudaCopies {
  public:
    /// A piece is `count` copies of so many bytes.
    CudaCopies(std::size_t size, int count) : size_(size), count_(count), from_(size_), to_(size_) {}

    // The first copy is slower.
    std::optional<double> copy() {
        timer_.start(stream_);
        for (int i = 0; i < count_; ++i) copy_on_device(to_.data(), from_.data(), size_, stream_);
        timer_.stop(stream_);
        const double rate = 2e-9 * double(size_) * count_ / timer_.seconds();
        return std::exchange(touched_, true) ? std::optional(rate) : std::nullopt;
    }

  private:
    std::size_t size_;
    int count_;
    bool touched_ = false;
    CudaMemory from_, to_;
    CudaStream stream_;
    CudaTimer timer_;
};

RateMeasurement copies_on_gpu(std::size_t size, int count) {
    return {[copies = std::make_shared<CudaCopies>(size, count)] { return copies->copy(); }, kQuietCopies, 1};
}

template <class T>
class CudaLoad {
  public:
    CudaLoad() : scratch_(std::size_t(cuda_issue_bytes())) {}

    IssuedPiece issue(std::int64_t rounds) {
        timer_.start(stream_);
        const std::int64_t count = cuda_issue<T>(scratch_, rounds, stream_);
        timer_.stop(stream_);
        return {double(count), timer_.seconds()};
    }

  private:
    CudaMemory scratch_;
    CudaStream stream_;
    CudaTimer timer_;
};
#endif

template <class T>
Issue make_issue([[maybe_unused]] Device device, int threads) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda)
        return [load = std::make_shared<CudaLoad<T>>()](std::int64_t rounds) { return load->issue(rounds); };
#endif
    return [pool = std::make_shared<ThreadPool>(threads)](std::int64_t rounds) {
        IssuedPiece piece;
        piece.seconds = seconds_of([&] { piece.instructions = double(cpu_issue<T>(*pool, rounds)); });
        return piece;
    };
}

double median_of(RateMeasurement rate) {
    while (!rate.done()) rate.work();
    return rate.median();
}

}  // namespace

void RateMeasurement::work() {
    for (int i = 0; i < at_a_time_ && !done(); ++i) {
        const auto rate = piece_();
        if (!rate) return;
        rates_.add(*rate);
    }
}

RateMeasurement copy_bandwidth([[maybe_unused]] Device device, int threads, CopyPiece piece) {
    const bool whole = piece == CopyPiece::whole;
    const std::size_t quiet = whole ? kQuietCopies : kQuietPieces;
    const int at_a_time = whole ? 1 : kPiecesAtATime;
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) return copies_on_gpu(copied_bytes(Device::cuda), 1);
#endif
    return {
        [copies = std::make_shared<HostCopies>(threads, piece)] { return copies->copy(); }, quiet, at_a_time};
}

RateMeasurement l2_bandwidth([[maybe_unused]] std::uint64_t l2_bytes) {
#if STENCILSCOPE_HAS_CUDA
    // Both arrays are half of the cache; a launch takes as long as such a copy, so many are timed together.
    constexpr int kCopiesTogether = 50;
    return copies_on_gpu(std::max<std::size_t>(std::size_t(l2_bytes / 4), 1), kCopiesTogether);
#else
    throw std::logic_error("the L2 cache of a GPU in a build without CUDA");
#endif
}

double measure_copy_bandwidth(Device device, int threads) {
    return median_of(copy_bandwidth(device, threads));
}

std::optional<double> kept_copy_bandwidth(Device device,
                                          int threads,
                                          const std::string& name,
                                          bool measured) {
    const auto folder = user_cache_folder();
    const KernelCache cache(folder ? *folder / "rates" : "");
    const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
    const std::chrono::year_month_day date{today};
    const std::string key = fmt::format("copy, {}, {}-{}", name, int(date.year()), unsigned(date.month()));
    if (const auto kept = folder ? cache.find(key) : std::nullopt)
        if (const auto rate = read_real(*kept); rate && *rate > 0) return *rate;
    if (!measured) return std::nullopt;
    const double rate = measure_copy_bandwidth(device, threads);
    if (folder) cache.keep(key, fmt::format("{}", rate));
    return rate;
}

std::uint64_t bytes_to_measure_copies(Device device) {
    return 2 * copied_bytes(device);
}

double measure_link_bandwidth([[maybe_unused]] int from, [[maybe_unused]] int to) {
#if STENCILSCOPE_HAS_CUDA
    if (!reach_gpu(from, to)) return 0;
    const CudaMemory source(kLinkBytes, from), target(kLinkBytes, to);
    CudaStream stream(from);
    stream.use_device();
    CudaTimer timer;
    const auto copy = [&] {
        timer.start(stream);
        copy_on_device(target.data(), source.data(), kLinkBytes, stream);
        timer.stop(stream);
        return std::optional(1e-9 * double(kLinkBytes) / timer.seconds());
    };
    return median_of({copy, kQuietCopies, 1});
#else
    return 0;
#endif
}

RateMeasurement issue_rate(Device device, DType dtype, int threads) {
    const Issue issue =
        dtype == DType::float32 ? make_issue<float>(device, threads) : make_issue<double>(device, threads);
    issue(kFirstRounds);  // warm-up
    return issue_rate(issue);
}

// The number of rounds per piece follows the fastest piece so far: if a disturbed first piece decided it,
// later ones could be too short to measure.
RateMeasurement issue_rate(Issue issue) {
    const auto piece = [issue = std::move(issue), rounds = kFirstRounds, most_per_second = 0.0]() mutable {
        const IssuedPiece issued = issue(rounds);
        const double seconds = std::max(issued.seconds, 1e-9);
        most_per_second = std::max(most_per_second, double(rounds) / seconds);
        rounds = std::max(kFirstRounds, std::int64_t(kPieceSeconds * most_per_second));
        return std::optional(issued.instructions / seconds);
    };
    return {piece, kQuietPieces, kPiecesAtATime};
}

double measure_issue_rate(Device device, DType dtype, int threads) {
    return median_of(issue_rate(device, dtype, threads));
}

}  // namespace stencil
