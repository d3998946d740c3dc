// Convolutions on the GPU: a real 2D FFT of the field extended by its outsides, a product, and the inverse
// FFT.

#include "kernels/equation/cuda/cuda_convolution.h"

#include <algorithm>

#include "kernels/cuda/cuda_field.h"
#include "kernels/cuda/cuda_grid.cuh"
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

// Copies a field to a larger one and fills the outsides.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    extend_kernel(FieldView<T> from, FieldView<T> to, Outside along_x, Outside along_y) {
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row();
    if (x >= to.nx || y >= to.ny) return;
    const Element column = element_of(along_x, x, from.nx), row = element_of(along_y, y, from.ny);
    const int sign = column.sign * row.sign;
    const T value = sign == 0 ? T(0) : from.at(column.cell, row.cell);
    to.at(x, y) = sign < 0 ? -value : value;
}

// Copies the part of `from` that lies in `to`.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads) crop_kernel(FieldView<T> from, FieldView<T> to) {
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row();
    if (x < to.nx && y < to.ny) to.at(x, y) = from.at(x, y);
}

template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    multiply_kernel(FieldView<Complex<T>> from, FieldView<Complex<double>> by, FieldView<Complex<T>> to) {
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row();
    if (x >= to.nx || y >= to.ny) return;
    const Complex<T> value = from.at(x, y);
    const Complex<double> factor = by.at(x, y);
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
dim3 grid_of(const FieldView<T>& view) {
    return grid_over(view.nx, view.ny, kConvolutionThreads, 1);
}

// A 2D array in device memory.
template <class T>
struct CudaArray {
    CudaArray(int its_nx, int its_ny)
        : nx(its_nx), ny(its_ny), memory(std::size_t(nx) * std::size_t(ny) * sizeof(T)) {}
    FieldView<T> view() { return {static_cast<T*>(memory.data()), nx, ny, nx}; }

    int nx, ny;
    CudaMemory memory;
};

}  // namespace

template <class T>
struct CudaConvolution<T>::Spectra {
    struct Spectrum {
        std::vector<double> scalars;         ///< that the spectrum was computed from
        CudaArray<Complex<double>> factors;  ///< divided by the gain of a forward and inverse transform
    };

    Spectra(const LinearPart& its_part, int its_nx, int its_ny, CudaStream& its_stream)
        : part(its_part),
          nx(its_nx),
          ny(its_ny),
          stream(its_stream),
          columns(torus_length(part.outside[0], nx)),
          rows(torus_length(part.outside[1], ny)),
          in_place(columns == nx && rows == ny),
          extended(in_place ? 1 : columns, in_place ? 1 : rows),
          spectrum(columns / 2 + 1, rows),
          product(columns / 2 + 1, rows),
          forward(columns, rows, pitch(), CUFFT_FORWARD, cuda_handle(stream)),
          backward(columns, rows, pitch(), CUFFT_INVERSE, cuda_handle(stream)),
          work(std::max({forward.work_bytes(), backward.work_bytes(), std::size_t(1)})) {
        forward.work_in(work.data());
        backward.work_in(work.data());
        for (std::size_t i = 0; i < part.kernels.size(); ++i)
            kernels.push_back({{}, CudaArray<Complex<double>>(spectrum.nx, rows)});
    }

    void make(const ConvolutionKernel& kernel, const std::vector<double>& scalars, Spectrum& made) {
        std::vector<double> used = scalars_of_kernel(kernel, scalars);
        if (used == made.scalars) return;
        made.scalars = std::move(used);
        const std::vector<double> cells = kernel_table(kernel, part.outside, nx, ny, scalars);
        CudaMemory table = uploaded(cells, stream);
        CufftRealPlan<double> exact(columns, rows, columns, CUFFT_FORWARD, cuda_handle(stream));
        CudaMemory own_work(std::max(exact.work_bytes(), std::size_t(1)));
        exact.work_in(own_work.data());
        const FieldView<Complex<double>> factors = made.factors.view();
        exact.run(static_cast<double*>(table.data()), factors.data);
        scale_kernel<<<grid_of(factors), kConvolutionThreads, 0, cuda_handle(stream)>>>(
            factors, 1 / (double(columns) * rows));
        check_launch("scale_kernel");
        stream.synchronize();  // before the table and its plan are destroyed
    }

    void apply(FieldView<T> from, const std::vector<FieldView<T>>& to) {
        const cudaStream_t handle = cuda_handle(stream);
        const FieldView<T> cells = extended.view();
        if (!in_place) {
            extend_kernel<<<grid_of(cells), kConvolutionThreads, 0, handle>>>(
                from, cells, part.outside[0], part.outside[1]);
            check_launch("extend_kernel");
        }
        const FieldView<Complex<T>> its = spectrum.view(), products = product.view();
        forward.run(in_place ? from.data : cells.data, its.data);
        for (std::size_t i = 0; i < to.size(); ++i) {
            multiply_kernel<<<grid_of(its), kConvolutionThreads, 0, handle>>>(
                its, kernels[i].factors.view(), products);
            check_launch("multiply_kernel");
            backward.run(in_place ? to[i].data : cells.data, products.data);
            if (in_place) continue;
            crop_kernel<<<grid_of(to[i]), kConvolutionThreads, 0, handle>>>(cells, to[i]);
            check_launch("crop_kernel");
        }
    }

    /// The pitch of the rows that are transformed.
    int pitch() const { return in_place ? cuda_pitch<T>(nx) : columns; }

    LinearPart part;
    int nx, ny;
    CudaStream& stream;
    int columns, rows;
    bool in_place;          ///< no extension is needed, so the field itself is transformed
    CudaArray<T> extended;  ///< the field with its outsides
    CudaArray<Complex<T>> spectrum, product;
    CufftRealPlan<T> forward, backward;
    CudaMemory work;  ///< cuFFT's workspace
    std::vector<Spectrum> kernels;
};

template <class T>
CudaConvolution<T>::CudaConvolution(const LinearPart& part, int nx, int ny, CudaStream& stream)
    : spectra_(std::make_unique<Spectra>(part, nx, ny, stream)) {}

template <class T>
CudaConvolution<T>::~CudaConvolution() = default;

template <class T>
void CudaConvolution<T>::set(const std::vector<double>& scalars, double) {
    Spectra& s = *spectra_;
    for (std::size_t i = 0; i < s.kernels.size(); ++i) s.make(s.part.kernels[i], scalars, s.kernels[i]);
}

template <class T>
void CudaConvolution<T>::apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) {
    spectra_->apply(from.front(), to);
}

template class CudaConvolution<float>;
template class CudaConvolution<double>;

}  // namespace stencil::equation
