// The method `spectral` on CUDA: any number of steps by transforms of the rows, of the columns, a factor for
// every mode, and back (kernels/methods/spectral/spectral_axis.h has the mathematics).
//
//     rows of front -> FFT -> coefficients, transposed into back
//     rows of back, which are columns -> FFT -> factors -> inverse FFT -> transposed into front
//     rows of front, which are coefficients -> inverse FFT -> cells in front
//
// Each line goes through the field in chunks of rows that stay in the second-level cache from their load to
// their store, so that the field is read and written three times whatever the FFTs do, and the memory beside
// it is a chunk's.

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/methods/spectral/spectral_lines.cuh"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

using namespace spectral;

// `across` are the modes of the chunk's rows, `along` those of its cells.
template <Boundary B, class T>
__global__ void __launch_bounds__(kThreads)
    filter_kernel(Chunk<T> chunk, const ModeAngle* across, const ModeAngle* along, SpectralJump jump) {
    using Axis = SpectralAxis<B>;
    const int k = block_column() * kThreads + int(threadIdx.x);
    const int pair = block_row();
    const int n = chunk.rows.nx;
    if (k >= Axis::filters(n) || !chunk.has_pair(pair)) return;
    const ModeAngle first = across[2 * pair];
    const ModeAngle second = across[chunk.has_second(pair) ? 2 * pair + 1 : 2 * pair];
    Axis::filter(k, n, chunk.numbers(pair), chunk.twiddles, [&](int mode) {
        return Factors{jump.factor(first, along[mode]), jump.factor(second, along[mode])};
    });
}

template <class T>
class SpectralStepper : public Stepper<T> {
  public:
    SpectralStepper(CudaStream& stream, FieldShape shape) : stream_(stream), shape_(shape) {}

    void advance(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        if (steps == 0) return;
        prepare(fields, params.boundary);
        with_boundary(params.boundary, [&](auto b) { jump<b.value>(fields, params.coefficient, steps); });
    }

    void prepare(FieldPair<T>&, Boundary boundary) override {
        if (planned_ == boundary) return;
        stream_.synchronize();  // what is freed here may be at work
        planned_.reset();
        numbers_ = CudaMemory();
        work_ = CudaMemory();
        rows_.emplace(boundary, shape_.nx, shape_.ny, handle());
        columns_.emplace(boundary, shape_.ny, shape_.nx, handle());
        numbers_ = CudaMemory(std::max(rows_->chunk_bytes(), columns_->chunk_bytes()));
        work_ = CudaMemory(std::max(rows_->fft().work_bytes(), columns_->fft().work_bytes()));
        rows_->fft().work_in(work_.data());
        columns_->fft().work_in(work_.data());
        planned_ = boundary;
    }

    double largest_value(const DiffusionParams&) const override {
        // The transforms sum over all cells, continued on both sides.
        return this->kLargest / (4.0 * (shape_.nx + 1.0) * (shape_.ny + 1.0));
    }

  private:
    template <Boundary B>
    void jump(FieldPair<T>& fields, double coefficient, long long steps);

    cudaStream_t handle() const { return cuda_handle(stream_); }

    CudaStream& stream_;
    FieldShape shape_;
    std::optional<Boundary> planned_;
    std::optional<AxisPlan<T>> rows_, columns_;
    CudaMemory numbers_;  ///< a chunk's complex rows
    CudaMemory work_;     ///< cuFFT's
};

template <class T>
template <Boundary B>
void SpectralStepper<T>::jump(FieldPair<T>& fields, double coefficient, long long steps) {
    using Axis = SpectralAxis<B>;
    const FieldView<T> u = fields.front;
    // The columns as rows. Without gaps between them they fit into any field of as many cells.
    const FieldView<T> turned{fields.back.data, u.ny, u.nx, u.ny};
    const SpectralJump jump(coefficient, steps, double(Axis::length(u.nx)) * Axis::length(u.ny));
    rows_->for_chunks(u, numbers_.data(), [&](const Chunk<T>& chunk, int first) {
        load<B, false>(chunk, handle());
        rows_->fft().run(chunk.z, CUFFT_FORWARD);
        store_transposed<B, false>(chunk, from_column(turned, first), handle());
    });
    columns_->for_chunks(turned, numbers_.data(), [&](const Chunk<T>& chunk, int first) {
        load<B, false>(chunk, handle());
        columns_->fft().run(chunk.z, CUFFT_FORWARD);
        const dim3 grid = grid_over(Axis::filters(u.ny), chunk.pairs(), kThreads, 1);
        filter_kernel<B>
            <<<grid, kThreads, 0, handle()>>>(chunk, rows_->angles() + first, columns_->angles(), jump);
        check_launch("filter_kernel");
        columns_->fft().run(chunk.z, CUFFT_INVERSE);
        store_transposed<B, true>(chunk, from_column(u, first), handle());
    });
    rows_->for_chunks(u, numbers_.data(), [&](const Chunk<T>& chunk, int) {
        load<B, true>(chunk, handle());
        rows_->fft().run(chunk.z, CUFFT_INVERSE);
        store_kernel<B><<<grid_over(u.nx, chunk.pairs(), kThreads, kPairs), kThreads, 0, handle()>>>(chunk);
        check_launch("store_kernel");
    });
}

}  // namespace

const std::string& why_no_cufft() {
    return cufft().why_none();
}

std::string spectral_cuda_unfit(FieldShape shape, std::size_t) {
    return why_no_cufft().empty() ? spectral_unfit(shape) : why_no_cufft();
}

template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cuda(const Execution& execution, FieldShape shape) {
    return std::make_unique<SpectralStepper<T>>(*execution.stream, shape);
}

template std::unique_ptr<Stepper<float>> make_spectral_cuda<float>(const Execution&, FieldShape);
template std::unique_ptr<Stepper<double>> make_spectral_cuda<double>(const Execution&, FieldShape);

}  // namespace stencil
