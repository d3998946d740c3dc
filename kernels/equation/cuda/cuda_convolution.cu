// Convolutions on the GPU: a real 2D FFT of the field extended by its outsides, a product, and the inverse
// FFT.

#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/cuda/cuda_field.h"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/made_of_runs.cuh"
#include "kernels/equation/cuda/cuda_operators.h"
#include "kernels/equation/kernel_table.h"
#include "kernels/methods/spectral/cufft_plan.cuh"

namespace stencil::equation {
namespace {

constexpr int kConvolutionThreads = 128;

// The cell and the sign that element i of an extended line of n cells has; sign 0: no cell.
struct Element {
    int cell, sign;
};
__device__ Element element_of(Outside outside, int i, int n) {
    if (i < n) return {i, 1};
    return {2 * n - 1 - i, outside == Outside::zero ? 0 : outside == Outside::negated ? -1 : 1};
}

// The array of a block's run; those of several runs follow one another.
template <class T>
__device__ FieldView<T> of_block(FieldView<T> first, int runs) {
    first.data += std::int64_t(block_field(runs)) * first.ny * first.pitch;
    return first;
}

// Copies fields to larger ones and fills the outsides.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    extend_kernel(FieldView<T> fields, FieldView<T> extended, Outside along_x, Outside along_y, int runs) {
    const FieldView<T> from = of_block(fields, runs), to = of_block(extended, runs);
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row(runs);
    if (x >= to.nx || y >= to.ny) return;
    const Element column = element_of(along_x, x, from.nx), row = element_of(along_y, y, from.ny);
    const int sign = column.sign * row.sign;
    const T value = sign == 0 ? T(0) : from.at(column.cell, row.cell);
    to.at(x, y) = sign < 0 ? -value : value;
}

// Copies the parts of extended fields that lie in the fields.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    crop_kernel(FieldView<T> extended, FieldView<T> fields, int runs) {
    const FieldView<T> from = of_block(extended, runs), to = of_block(fields, runs);
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row(runs);
    if (x < to.nx && y < to.ny) to.at(x, y) = from.at(x, y);
}

template <class T>
__global__ void __launch_bounds__(kConvolutionThreads) multiply_kernel(FieldView<Complex<T>> spectra,
                                                                       OfRuns<const Complex<double>*> factors,
                                                                       FieldView<Complex<T>> products,
                                                                       int first_run,
                                                                       int runs) {
    const FieldView<Complex<T>> from = of_block(spectra, runs), to = of_block(products, runs);
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row(runs);
    if (x >= to.nx || y >= to.ny) return;
    const Complex<T> value = from.at(x, y);
    const Complex<double> factor = factors.of(first_run + block_field(runs))[std::int64_t(y) * to.pitch + x];
    const double re = value.re, im = value.im;
    to.at(x, y) = {T(re * factor.re - im * factor.im), T(re * factor.im + im * factor.re)};
}

__global__ void __launch_bounds__(kConvolutionThreads)
    scale_kernel(FieldView<Complex<double>> spectrum, double factor) {
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row();
    if (x >= spectrum.nx || y >= spectrum.ny) return;
    Complex<double>& value = spectrum.at(x, y);
    value = {factor * value.re, factor * value.im};
}

template <class T>
dim3 grid_of(const FieldView<T>& view, int runs = 1) {
    return grid_over(view.nx, view.ny, kConvolutionThreads, 1, runs);
}

// 2D arrays of each run in device memory.
template <class T>
struct CudaArrays {
    CudaArrays(int its_nx, int its_ny, int its_pitch, int runs, int device)
        : nx(its_nx),
          ny(its_ny),
          pitch(its_pitch),
          memory(std::size_t(runs) * std::size_t(pitch) * std::size_t(ny) * sizeof(T), device) {}
    FieldView<T> view() const { return {static_cast<T*>(memory.data()), nx, ny, pitch}; }

    int nx, ny, pitch;
    CudaMemory memory;
};

template <class T>
struct CudaConvolution : RunsOperator<T> {
    // A kernel's transform, divided by the gain of a forward and inverse transform.
    struct Factors {
        CudaMemory memory;
        const Complex<double>* view() const { return static_cast<const Complex<double>*>(memory.data()); }
    };

    CudaConvolution(const LinearPart& its_part, FieldShape shape, CudaStream& its_stream, int runs)
        : part(its_part),
          nx(shape.nx),
          ny(shape.ny),
          stream(its_stream),
          columns(torus_length(part.outside[0], nx)),
          rows(torus_length(part.outside[1], ny)),
          fits(columns == nx && rows == ny),
          pitch(fits ? cuda_pitch<T>(nx) : columns),
          at_once(runs_at_a_time(runs)),
          in_place(fits && runs == 1),
          extended(
              in_place ? 1 : columns, in_place ? 1 : rows, in_place ? 1 : pitch, at_once, stream.device()),
          spectrum(columns / 2 + 1, rows, columns / 2 + 1, at_once, stream.device()),
          product(columns / 2 + 1, rows, columns / 2 + 1, at_once, stream.device()),
          forward(columns, rows, pitch, CUFFT_FORWARD, cuda_handle(stream), at_once),
          backward(columns, rows, pitch, CUFFT_INVERSE, cuda_handle(stream), at_once),
          work(std::max({forward.work_bytes(), backward.work_bytes(), std::size_t(1)}), stream.device()),
          kernels(part.kernels.size()) {
        forward.work_in(work.data());
        backward.work_in(work.data());
    }

    int runs_at_a_time(int runs) const {
        if (runs == 1) return 1;
        const auto cells = std::size_t(pitch) * std::size_t(rows),
                   numbers = 2 * std::size_t(columns / 2 + 1) * std::size_t(rows);
        const int most = runs_of_chunk((cells + 2 * numbers) * sizeof(T), runs);
        const auto transform = [&](int count, const T* from, T* to, bool back) {
            CufftRealPlan<T> plan(
                columns, rows, pitch, back ? CUFFT_INVERSE : CUFFT_FORWARD, cuda_handle(stream), count);
            const CudaMemory its_work(std::max(plan.work_bytes(), std::size_t(1)), stream.device());
            plan.work_in(its_work.data());
            auto* source = const_cast<T*>(from);
            if (back)
                plan.run(to, reinterpret_cast<Complex<T>*>(source));
            else
                plan.run(source, reinterpret_cast<Complex<T>*>(to));
            stream.synchronize();
        };
        const int there =
            runs_with_same_bits<T>(most, cells, numbers, stream, [&](int count, const T* from, T* to) {
                transform(count, from, to, false);
            });
        return runs_with_same_bits<T>(there, numbers, cells, stream, [&](int count, const T* from, T* to) {
            const std::size_t bytes = std::size_t(count) * cells * sizeof(T);
            CUDA_CHECK(cudaMemsetAsync(to, 0, bytes, cuda_handle(stream)));  // between rows
            transform(count, from, to, true);
        });
    }

    // Of a kernel's table, in float64.
    struct ExactPlan {
        explicit ExactPlan(const CudaConvolution& its)
            : fft(its.columns, its.rows, its.columns, CUFFT_FORWARD, cuda_handle(its.stream)),
              work(std::max(fft.work_bytes(), std::size_t(1)), its.stream.device()) {
            fft.work_in(work.data());
        }
        CufftRealPlan<double> fft;
        CudaMemory work;
    };

    Factors make(const ConvolutionKernel& kernel, const std::vector<double>& scalars, ThreadPool* threads) {
        if (!exact) exact = std::make_unique<ExactPlan>(*this);
        const std::vector<double> cells = kernel_table(kernel, part.outside, nx, ny, scalars, threads);
        const CudaMemory table = uploaded(cells, stream);
        CudaArrays<Complex<double>> made(columns / 2 + 1, rows, columns / 2 + 1, 1, stream.device());
        const FieldView<Complex<double>> factors = made.view();
        exact->fft.run(static_cast<double*>(table.data()), factors.data);
        scale_kernel<<<grid_of(factors), kConvolutionThreads, 0, cuda_handle(stream)>>>(
            factors, 1 / (double(columns) * rows));
        check_launch("scale_kernel");
        stream.synchronize();  // before the table is destroyed
        return {std::move(made.memory)};
    }

    void set_runs(const std::vector<std::vector<double>>& scalars,
                  const std::vector<double>&,
                  ThreadPool* threads) override {
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const ConvolutionKernel& kernel = part.kernels[i];
            std::vector<std::vector<double>> used;
            for (const std::vector<double>& each : scalars) used.push_back(scalars_of_kernel(kernel, each));
            kernels[i].set(
                used, stream, [&](std::size_t run) { return make(kernel, scalars[run], threads); });
        }
        exact.reset();
    }

    void apply_runs(const std::vector<FieldView<T>>& from,
                    const std::vector<FieldView<T>>& to,
                    int runs) override {
        for (int first = 0; first < runs; first += at_once)
            convolve(from.front(), to, first, std::min(at_once, runs - first));
    }

    int together() const override { return at_once; }

    void convolve(FieldView<T> from, const std::vector<FieldView<T>>& to, int first, int runs) {
        const cudaStream_t handle = cuda_handle(stream);
        const auto of_run = [&](FieldView<T> view) {
            view.data += std::int64_t(first) * view.ny * view.pitch;
            return view;
        };
        const FieldView<T> cells = extended.view();
        if (!in_place) {
            extend_kernel<<<grid_of(cells, runs), kConvolutionThreads, 0, handle>>>(
                of_run(from), cells, part.outside[0], part.outside[1], runs);
            check_launch("extend_kernel");
        }
        const FieldView<Complex<T>> its = spectrum.view(), products = product.view();
        forward.run(in_place ? from.data : cells.data, its.data);
        for (std::size_t i = 0; i < to.size(); ++i) {
            multiply_kernel<<<grid_of(its, runs), kConvolutionThreads, 0, handle>>>(
                its, kernels[i].views(), products, first, runs);
            check_launch("multiply_kernel");
            backward.run(in_place ? to[i].data : cells.data, products.data);
            if (in_place) continue;
            crop_kernel<<<grid_of(to[i], runs), kConvolutionThreads, 0, handle>>>(cells, of_run(to[i]), runs);
            check_launch("crop_kernel");
        }
    }

    LinearPart part;
    int nx, ny;
    CudaStream& stream;
    int columns, rows;
    bool fits;               ///< the field is a torus and needs no extension
    int pitch;               ///< of the rows that are transformed
    int at_once;             ///< runs that are transformed together
    bool in_place;           ///< the field itself is transformed
    CudaArrays<T> extended;  ///< fields with their outsides
    CudaArrays<Complex<T>> spectrum, product;
    CufftRealPlan<T> forward, backward;
    CudaMemory work;  ///< cuFFT's workspace
    std::vector<MadeOfRuns<Factors, const Complex<double>*>> kernels;
    std::unique_ptr<ExactPlan> exact;
};

}  // namespace

std::size_t bytes_of_cuda_convolution(const LinearPart& part, FieldShape shape) {
    const auto columns = std::size_t(torus_length(part.outside[0], shape.nx)),
               rows = std::size_t(torus_length(part.outside[1], shape.ny));
    return part.kernels.size() * (columns / 2 + 1) * rows * sizeof(Complex<double>);
}

template <class T>
std::unique_ptr<RunsOperator<T>> make_cuda_convolution(const LinearPart& part,
                                                       FieldShape shape,
                                                       CudaStream& stream,
                                                       int runs) {
    return std::make_unique<CudaConvolution<T>>(part, shape, stream, runs);
}

template std::unique_ptr<RunsOperator<float>> make_cuda_convolution(const LinearPart&,
                                                                    FieldShape,
                                                                    CudaStream&,
                                                                    int);
template std::unique_ptr<RunsOperator<double>> make_cuda_convolution(const LinearPart&,
                                                                     FieldShape,
                                                                     CudaStream&,
                                                                     int);

}  // namespace stencil::equation
