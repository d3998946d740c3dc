// The method `spectral` on CUDA: exact n-step propagation by transforming rows and columns, multiplying every
// mode by a factor, and transforming back (kernels/methods/spectral/spectral_axis.h has the mathematics).
//
//     rows of front -> FFT -> coefficients, transposed into back
//     rows of back (the columns) -> FFT -> factors -> inverse FFT -> transposed into front
//     rows of front (coefficients) -> inverse FFT -> cells in front
//
// Each line processes the field in chunks of rows that stay in L2 from load to store, so the field is read
// and written three times whatever the FFTs do, and the extra memory is one chunk. A distributed field is
// exchanged by an all-to-all between rows and columns, and back. Under the zero boundary there are two
// other ways (zero_jump.cuh), and this one only where it is quicker.

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/cuda/cuda_field.h"
#include "kernels/methods/spectral/spectral_lines.cuh"
#include "kernels/methods/spectral/strip_exchange.h"
#include "kernels/methods/spectral/zero_jump.cuh"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

using namespace spectral;

// `across` are the modes of the chunk's rows, `along` those of its columns.
template <Modes M, class T>
__global__ void __launch_bounds__(kThreads)
    filter_kernel(Chunk<T> chunk, const ModeAngle* across, const ModeAngle* along, SpectralJump jump) {
    using Axis = SpectralAxis<M>;
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
    SpectralStepper(const ExecutionSpace& on, FieldShape shape)
        : on_(on), stream_(*on.stream), rows_shape_(shape), whole_(whole_shape(on, shape)) {
        if (!on.strips) return;
        first_column_ = on.strips->columns().begin(on.strips->part());
        own_columns_ = on.strips->columns().count(on.strips->part());
    }

    void advance(FieldPair<T>& fields, const DiffusionParams& params, long long steps) override {
        if (steps == 0 || params.coefficient == 0) return;
        prepare(fields, params.boundary);
        if (zero_ && zero_->advance(fields, params.coefficient, steps)) return;
        if (!rows_) plan_transforms(params.boundary);
        with_boundary(params.boundary,
                      [&](auto b) { jump<modes_of(b.value)>(fields, params.coefficient, steps); });
    }

    void prepare(FieldPair<T>&, Boundary boundary) override {
        if (planned_ == boundary) return;
        stream_.synchronize();  // memory that is freed here may still be in use
        planned_.reset();
        zero_.reset();
        rows_.reset();
        columns_.reset();
        numbers_ = CudaMemory();
        work_ = CudaMemory();
        if (boundary == Boundary::zero)
            zero_.emplace(on_, rows_shape_);
        else
            plan_transforms(boundary);
        planned_ = boundary;
    }

    double largest_value(const DiffusionParams&) const override {
        // The transforms sum over all cells of the extended field.
        return this->kLargest / (4.0 * (whole_.nx + 1.0) * (whole_.ny + 1.0));
    }

  private:
    void plan_transforms(Boundary boundary) {
        if (on_.strips && !columns_memory_.data()) {
            const std::size_t bytes =
                std::size_t(std::max(own_columns_, 1)) * std::size_t(whole_.ny) * sizeof(T);
            columns_memory_ = CudaMemory(bytes);
            if (bytes > cuda_field_bytes<T>(rows_shape_.nx, rows_shape_.ny)) more_memory_ = CudaMemory(bytes);
        }
        rows_.emplace(modes_of(boundary), whole_.nx, rows_shape_.ny, stream_);
        columns_.emplace(modes_of(boundary), whole_.ny, std::max(own_columns_, 1), stream_);
        numbers_ = CudaMemory(std::max(rows_->chunk_bytes(), columns_->chunk_bytes()));
        work_ = CudaMemory(std::max(rows_->fft().work_bytes(), columns_->fft().work_bytes()));
        rows_->fft().work_in(work_.data());
        columns_->fft().work_in(work_.data());
    }

    template <Modes M>
    void jump(FieldPair<T>& fields, double coefficient, long long steps);

    cudaStream_t handle() const { return cuda_handle(stream_); }

    ExecutionSpace on_;
    CudaStream& stream_;
    FieldShape rows_shape_, whole_;
    int first_column_ = 0, own_columns_ = whole_.nx;
    CudaMemory columns_memory_;  ///< the columns of a distributed field, stored as rows
    CudaMemory more_memory_;     ///< used if the back buffer is too small for them
    std::optional<Boundary> planned_;
    std::optional<zero_jump::CudaJump<T>> zero_;
    std::optional<AxisPlan<T>> rows_, columns_;
    CudaMemory numbers_;  ///< complex rows of a chunk
    CudaMemory work_;     ///< cuFFT's workspace
};

template <class T>
template <Modes M>
void SpectralStepper<T>::jump(FieldPair<T>& fields, double coefficient, long long steps) {
    using Axis = SpectralAxis<M>;
    const FieldView<T> u = fields.front;
    const SpectralJump jump(coefficient, steps, double(Axis::length(whole_.nx)) * Axis::length(whole_.ny));
    StripExchange* strips = on_.strips;
    // The transposed field, without gaps between rows, so that it fits any buffer of as many cells.
    const FieldView<T> turned{fields.back.data, u.ny, u.nx, u.ny};
    // The complete columns (as rows), and where they are stored as columns again.
    FieldView<T> columns = turned, evolved = u;
    if (strips) {
        columns = {static_cast<T*>(columns_memory_.data()), whole_.ny, own_columns_, whole_.ny};
        T* room = more_memory_.data() ? static_cast<T*>(more_memory_.data()) : fields.back.data;
        evolved = {room, own_columns_, whole_.ny, own_columns_};
    }
    rows_->for_chunks(u, numbers_.data(), [&](const Chunk<T>& chunk, int first) {
        load<M, false>(chunk, handle());
        rows_->fft().run(chunk.z, CUFFT_FORWARD);
        store_transposed<M, false>(chunk, from_column(turned, first), handle());
    });
    if (strips)
        strips->exchange(cut_rows(turned, strips->columns()), cut_columns(columns, strips->rows()), on_);
    columns_->for_chunks(columns, numbers_.data(), [&](const Chunk<T>& chunk, int first) {
        load<M, false>(chunk, handle());
        columns_->fft().run(chunk.z, CUFFT_FORWARD);
        const dim3 grid = grid_over(Axis::filters(whole_.ny), chunk.pairs(), kThreads, 1);
        const ModeAngle* across = rows_->angles() + first_column_ + first;
        filter_kernel<M><<<grid, kThreads, 0, handle()>>>(chunk, across, columns_->angles(), jump);
        check_launch("filter_kernel");
        columns_->fft().run(chunk.z, CUFFT_INVERSE);
        store_transposed<M, true>(chunk, from_column(evolved, first), handle());
    });
    if (strips) strips->exchange(cut_rows(evolved, strips->rows()), cut_columns(u, strips->columns()), on_);
    rows_->for_chunks(u, numbers_.data(), [&](const Chunk<T>& chunk, int) {
        load<M, true>(chunk, handle());
        rows_->fft().run(chunk.z, CUFFT_INVERSE);
        store_kernel<M><<<grid_over(u.nx, chunk.pairs(), kThreads, kPairs), kThreads, 0, handle()>>>(chunk);
        check_launch("store_kernel");
    });
}

}  // namespace

const std::string& why_no_cufft() {
    return cufft().why_none();
}

std::string spectral_cuda_unsupported(FieldShape shape, std::size_t) {
    return why_no_cufft().empty() ? spectral_unfit(shape) : why_no_cufft();
}

template <class T>
std::unique_ptr<Stepper<T>> make_spectral_cuda(const ExecutionSpace& execution, FieldShape shape) {
    return std::make_unique<SpectralStepper<T>>(execution, shape);
}

template std::unique_ptr<Stepper<float>> make_spectral_cuda<float>(const ExecutionSpace&, FieldShape);
template std::unique_ptr<Stepper<double>> make_spectral_cuda<double>(const ExecutionSpace&, FieldShape);

}  // namespace stencil
