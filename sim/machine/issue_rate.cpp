#include "sim/machine/issue_rate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <utility>

#include "kernels/cpu/thread_pool.h"
#include "kernels/cuda/cuda_runtime.h"
#include "kernels/machine/issue_rate.h"

namespace stencil {
namespace {

constexpr std::size_t kQuietPieces = 60;
constexpr int kPiecesAtATime = 4;
constexpr double kPieceSeconds = 0.002;
constexpr std::int64_t kFirstRounds = 4096;

template <class T>
class HostLoad {
  public:
    explicit HostLoad(int threads) : pool_(threads) {}

    IssuedPiece issue(std::int64_t rounds) {
        const auto start = std::chrono::steady_clock::now();
        const std::int64_t count = cpu_issue<T>(pool_, rounds);
        return {double(count),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    }

  private:
    ThreadPool pool_;
};

#if STENCILSCOPE_HAS_CUDA
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
IssueRate::Issue make_issue([[maybe_unused]] Device device, int threads) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda)
        return [load = std::make_shared<CudaLoad<T>>()](std::int64_t rounds) { return load->issue(rounds); };
#endif
    return
        [load = std::make_shared<HostLoad<T>>(threads)](std::int64_t rounds) { return load->issue(rounds); };
}

}  // namespace

IssueRate::IssueRate(Device device, DType dtype, int threads)
    : IssueRate(dtype == DType::float32 ? make_issue<float>(device, threads)
                                        : make_issue<double>(device, threads)) {
    issue_(kFirstRounds);  // warm-up
}

IssueRate::IssueRate(Issue issue) : issue_(std::move(issue)), rounds_(kFirstRounds), rates_(kQuietPieces) {}

void IssueRate::work() {
    for (int i = 0; i < kPiecesAtATime && !done(); ++i) work_on_piece();
}

// The number of rounds per piece follows the fastest piece so far: if a disturbed first piece decided it,
// later ones could be too short to measure.
void IssueRate::work_on_piece() {
    const IssuedPiece piece = issue_(rounds_);
    const double seconds = std::max(piece.seconds, 1e-9);
    most_rounds_per_second_ = std::max(most_rounds_per_second_, double(rounds_) / seconds);
    rates_.add(piece.instructions / seconds);
    rounds_ = std::max(kFirstRounds, std::int64_t(kPieceSeconds * most_rounds_per_second_));
}

double measure_issue_rate(Device device, DType dtype, int threads) {
    IssueRate rate(device, dtype, threads);
    while (!rate.done()) rate.work();
    return rate.median();
}

}  // namespace stencil
