#include <cmath>
#include <deque>
#include <string>

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/cuda_queue.h"
#include "kernels/examples/ridge/golub_kahan/cuda_basis.cuh"
#include "kernels/examples/ridge/golub_kahan/golub_kahan.h"
#include "kernels/examples/ridge/golub_kahan/steps_kernel.cuh"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

// Shared memory that a block may have.
std::size_t shared_memory() {
    int device = 0, bytes = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return std::size_t(bytes);
}

constexpr int kBatch = 16;  // steps of one launch

// Bytes of the kernel's own shared variables.
constexpr std::size_t kStaticShared = 1024;

// The process with all of the matrix on the device, as rows and as columns. Launches of kBatch steps follow
// each other without a stop; the host reads the alpha and beta of one while the next one runs.
template <class T, class I>
class CudaGolubKahan final : public GolubKahan {
  public:
    CudaGolubKahan(const SparseMatrix<T>& a, ThreadPool& threads, CudaStream& stream, std::int64_t steps)
        : stream_(stream),
          blocks_(multiprocessors()),
          rows_(std::size_t(a.rows)),
          columns_(std::size_t(a.columns)),
          forward_(a, blocks_, threads, stream),
          back_(transposed(a), blocks_, threads, stream),
          segment_sums_(sizeof(double) *
                        std::max<std::size_t>(1, std::max(forward_.segment_count(), back_.segment_count()))),
          u_(sizeof(double) * rows_),
          v_(sizeof(double) * columns_),
          p_(sizeof(double) * rows_),
          q_(sizeof(double) * columns_),
          unit_u_(sizeof(double) * rows_),
          partial_(2 * sizeof(double2) * std::size_t(blocks_)),
          scalars_(sizeof(StepScalars)),
          basis_(a.columns, steps),
          trace_(2 * sizeof(double) * std::size_t(steps + kBatch)),
          task_{.forward = forward_.view(),
                .back = back_.view(),
                .segment_sums = as<double>(segment_sums_),
                .rows = int(rows_),
                .columns = int(columns_),
                .u = as<double>(u_),
                .v = as<double>(v_),
                .pitch = basis_.pitch(),
                .unit_u = as<double>(unit_u_),
                .partial = as<double2>(partial_),
                .scalars = as<StepScalars>(scalars_)} {
        const std::size_t left = CudaMemoryMeter::left();
        vector_bytes_ = basis_.piece_bytes() / CudaBasis::kStepsOfPiece;
        capacity_ = std::min(steps, std::int64_t(left / basis_.piece_bytes()) * CudaBasis::kStepsOfPiece);
        if (capacity_ == 0)
            throw CudaError("GPU memory: " + std::to_string(left) +
                            " bytes are left beside the matrix, and the first vectors of the process take " +
                            std::to_string(basis_.piece_bytes()));
        choose_kernel();
    }

    ~CudaGolubKahan() override { finish(stream_); }

    void start(std::span<const double> d, bool take_out) override {
        stream_.synchronize();
        bidiagonal_ = {};
        batches_.clear();
        enqueued_ = 0;
        task_.p = task_.q = nullptr;
        std::vector<double> u(d.begin(), d.end());
        double beta = normalise(u);
        if (take_out && beta > 0 && deflate(u, d)) {
            u.assign(d.begin(), d.end());
            for (int twice = 0; twice < 2; ++twice) {  // what is left may be small beside what was taken
                double along = 0;
                for (std::size_t i = 0; i < rows_; ++i) along += host_p_[i] * u[i];
                for (std::size_t i = 0; i < rows_; ++i) u[i] -= along * host_p_[i];
            }
            beta = normalise(u);
        }
        bidiagonal_.beta.push_back(beta);
        bidiagonal_.alpha.push_back(beta > 0 ? first_back(u) : 0);
    }

    void advance(int steps) override {
        const std::int64_t target = std::min<std::int64_t>(capacity_, bidiagonal_.steps() + steps);
        while (bidiagonal_.steps() < target && !ended()) {
            // One launch is always under way while the host looks at the one before.
            while (enqueued_ < capacity_ && enqueued_ < bidiagonal_.steps() + 2 * kBatch) enqueue();
            batches_.front().done->wait();
            const double* found = trace() + 2 * batches_.front().first;
            for (int i = 0; i < batches_.front().steps; ++i) append(found[2 * i], found[2 * i + 1]);
            batches_.pop_front();
        }
    }

    std::vector<double> combine(std::span<const ProjectedSolution> solutions) override {
        return basis_.combine(solutions, task_.q, stream_);
    }

    double upload_seconds() const override { return forward_.upload_seconds() + back_.upload_seconds(); }

  private:
    struct Batch {
        std::int64_t first;
        int steps;
        std::unique_ptr<CudaEvent> done;
    };

    double* trace() const { return static_cast<double*>(trace_.data()); }

    static double normalise(std::vector<double>& u) {
        double sum = 0;
        for (const double value : u) sum += value * value;
        const double length = std::sqrt(sum);
        if (length > 0)
            for (double& value : u) value /= length;
        return length;
    }

    void upload(const CudaMemory& to, const std::vector<double>& from) {
        CUDA_CHECK(cudaMemcpyAsync(
            to.data(), from.data(), from.size() * sizeof(double), cudaMemcpyDefault, cuda_handle(stream_)));
    }

    // The vector of a product goes to shared memory where it fits.
    void choose_kernel() {
        const std::size_t vector = sizeof(double) * std::max(rows_, columns_);
        kernel_ = reinterpret_cast<const void*>(steps_kernel<T, I, false>);
        if (vector + kStaticShared > shared_memory()) return;
        kernel_ = reinterpret_cast<const void*>(steps_kernel<T, I, true>);
        shared_bytes_ = vector;
        CUDA_CHECK(
            cudaFuncSetAttribute(kernel_, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared_bytes_)));
    }

    void launch(StepsTask<T, I> t) {
        void* arguments[] = {&t};
        CUDA_CHECK(cudaLaunchCooperativeKernel(kernel_,
                                               dim3(unsigned(blocks_)),
                                               dim3(kStepsThreads),
                                               arguments,
                                               shared_bytes_,
                                               cuda_handle(stream_)));
        check_launch("steps_kernel");
    }

    // One launch at a time, for the few steps before the process; returns beta and alpha.
    std::pair<double, double> launch_alone(bool only_back, bool power) {
        StepsTask<T, I> t = task_;
        t.basis = basis_.at(0);
        t.trace = trace();
        t.steps = 1;
        t.only_back = only_back;
        t.power = power;
        launch(t);
        stream_.synchronize();
        return {t.trace[0], t.trace[1]};
    }

    // v = A^T u; returns its length.
    double first_back(const std::vector<double>& u) {
        upload(u_, u);
        const StepScalars scalars{0, 0, 1, 0};
        CUDA_CHECK(cudaMemcpyAsync(
            scalars_.data(), &scalars, sizeof scalars, cudaMemcpyDefault, cuda_handle(stream_)));
        return launch_alone(true, false).second;
    }

    // In u and v themselves; the dominant pair is then p and q.
    bool deflate(const std::vector<double>& unit_d, std::span<const double> d) {
        if (first_back(unit_d) == 0) return false;
        double beta = 0, alpha = 0;
        const bool found = find_dominant([&] {
            std::tie(beta, alpha) = launch_alone(false, true);
            return PowerNorms{beta, alpha};
        });
        if (!found) return false;
        host_p_.resize(rows_);
        std::vector<double> q(columns_);
        const cudaStream_t s = cuda_handle(stream_);
        CUDA_CHECK(cudaMemcpyAsync(host_p_.data(), u_.data(), rows_ * sizeof(double), cudaMemcpyDefault, s));
        CUDA_CHECK(cudaMemcpyAsync(q.data(), v_.data(), columns_ * sizeof(double), cudaMemcpyDefault, s));
        stream_.synchronize();
        normalise(host_p_);
        normalise(q);
        double along = 0;
        for (std::size_t i = 0; i < rows_; ++i) along += host_p_[i] * d[i];
        bidiagonal_.dominant = {alpha, along};
        upload(p_, host_p_);
        upload(q_, q);
        stream_.synchronize();
        task_.p = as<double>(p_);
        task_.q = as<double>(q_);
        return true;
    }

    // Never across a piece of the basis.
    void enqueue() {
        std::int64_t steps = std::min<std::int64_t>(kBatch, capacity_ - enqueued_);
        steps =
            std::min<std::int64_t>(steps, CudaBasis::kStepsOfPiece - enqueued_ % CudaBasis::kStepsOfPiece);
        StepsTask<T, I> t = task_;
        t.basis = basis_.at(enqueued_);
        t.trace = trace() + 2 * enqueued_;
        t.steps = int(steps);
        launch(t);
        batches_.push_back({enqueued_, int(steps), std::make_unique<CudaEvent>()});
        batches_.back().done->record(stream_);
        enqueued_ += steps;
    }

    CudaStream& stream_;
    int blocks_;  // of the cooperative kernel: one on each multiprocessor
    std::size_t rows_, columns_;
    PackedRows<T, I> forward_, back_;
    CudaMemory segment_sums_, u_, v_, p_, q_, unit_u_, partial_, scalars_;
    CudaBasis basis_;
    CudaHostMemory trace_;
    StepsTask<T, I> task_;  // p and q only while a dominant part is taken out
    std::vector<double> host_p_;
    const void* kernel_ = nullptr;
    std::size_t shared_bytes_ = 0;
    std::int64_t enqueued_ = 0;
    std::deque<Batch> batches_;
};

}  // namespace

template <class T>
std::unique_ptr<GolubKahan> make_cuda_golub_kahan(const SparseMatrix<T>& a,
                                                  ThreadPool& threads,
                                                  CudaStream& stream,
                                                  std::int64_t steps) {
    if (a.columns <= kNarrowColumns && a.rows <= kNarrowColumns)
        return std::make_unique<CudaGolubKahan<T, std::uint16_t>>(a, threads, stream, steps);
    return std::make_unique<CudaGolubKahan<T, std::uint32_t>>(a, threads, stream, steps);
}

template std::unique_ptr<GolubKahan> make_cuda_golub_kahan(const SparseMatrix<float>&,
                                                           ThreadPool&,
                                                           CudaStream&,
                                                           std::int64_t);
template std::unique_ptr<GolubKahan> make_cuda_golub_kahan(const SparseMatrix<double>&,
                                                           ThreadPool&,
                                                           CudaStream&,
                                                           std::int64_t);

}  // namespace stencil
