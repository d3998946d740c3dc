#include "sim/issue_rate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "kernels/cuda_runtime.h"
#include "kernels/issue_rate.h"
#include "kernels/thread_pool.h"
#include "sim/median.h"

namespace stencil {
namespace {

constexpr std::size_t kRepeats = 7;
constexpr double kPieceSeconds = 0.01;
constexpr std::int64_t kFirstRounds = 4096;

struct Piece {
    double instructions = 0;
    double seconds = 0;
};

}  // namespace

struct IssueRate::Load {
    virtual ~Load() = default;
    virtual Piece issue(std::int64_t rounds) = 0;
};

namespace {

template <class Base, class T>
class HostLoad : public Base {
  public:
    explicit HostLoad(int threads) : pool_(threads) {}

    Piece issue(std::int64_t rounds) override {
        const auto start = std::chrono::steady_clock::now();
        const std::int64_t count = cpu_issue<T>(pool_, rounds);
        return {double(count),
                std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count()};
    }

  private:
    ThreadPool pool_;
};

#if STENCILSCOPE_HAS_CUDA
template <class Base, class T>
class CudaLoad : public Base {
  public:
    CudaLoad() : scratch_(std::size_t(cuda_issue_bytes())) {}

    Piece issue(std::int64_t rounds) override {
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

template <class Base, class T>
std::unique_ptr<Base> make_load([[maybe_unused]] Device device, int threads) {
#if STENCILSCOPE_HAS_CUDA
    if (device == Device::cuda) return std::make_unique<CudaLoad<Base, T>>();
#endif
    return std::make_unique<HostLoad<Base, T>>(threads);
}

}  // namespace

IssueRate::IssueRate(Device device, DType dtype, int threads)
    : load_(dtype == DType::float32 ? make_load<Load, float>(device, threads)
                                    : make_load<Load, double>(device, threads)) {}

IssueRate::~IssueRate() = default;

// The first piece is the warm-up, and finds out how long a round takes.
void IssueRate::work() {
    if (done()) return;
    if (rounds_ == 0) {
        load_->issue(kFirstRounds);
        const double seconds = load_->issue(kFirstRounds).seconds;
        rounds_ =
            std::max(kFirstRounds, std::int64_t(kPieceSeconds / std::max(seconds, 1e-9) * kFirstRounds));
        return;
    }
    const Piece piece = load_->issue(rounds_);
    rates_.push_back(piece.instructions / piece.seconds);
}

bool IssueRate::done() const {
    return rates_.size() == kRepeats;
}

double IssueRate::median() const {
    return stencil::median(rates_);
}

double IssueRate::fastest() const {
    return rates_.empty() ? 0 : *std::ranges::max_element(rates_);
}

double measure_issue_rate(Device device, DType dtype, int threads) {
    IssueRate rate(device, dtype, threads);
    while (!rate.done()) rate.work();
    return rate.median();
}

}  // namespace stencil
