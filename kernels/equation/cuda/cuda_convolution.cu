// Convolutions on the GPU. As on the CPU, rows are transformed two at a time to real coefficients, of which a
// pair makes a complex column of frequencies along y.

#include "kernels/equation/cuda/cuda_convolution.h"

#include <algorithm>

#include "kernels/equation/kernel_table.h"
#include "kernels/methods/spectral/spectral_lines.cuh"

namespace stencil::equation {
namespace {

constexpr int kConvolutionThreads = 128;
constexpr int kTurned = 32;     ///< edge of a transposed tile, in cells
constexpr int kTurnedRows = 8;  ///< thread rows of a tile

// The cell that element i of a line of n cells and its outside has, and whether with the opposite sign; -1:
// 0.
struct Element {
    int cell;
    bool negated;
};
__device__ Element element_of(Outside outside, int i, int n) {
    if (i < n) return {i, false};
    if (outside == Outside::zero) return {-1, false};
    return {2 * n - 1 - i, outside == Outside::negated};
}

// Copies rows of `from` to the longer rows of `to`, with what lies outside along x.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    extend_kernel(FieldView<T> from, FieldView<T> to, Outside outside) {
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row();
    if (x >= to.nx || y >= to.ny) return;
    const Element e = element_of(outside, x, from.nx);
    const T value = e.cell < 0 ? T(0) : from.at(e.cell, y);
    to.at(x, y) = e.negated ? -value : value;
}

// Copies the part of `from` that `to` has.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads) crop_kernel(FieldView<T> from, FieldView<T> to) {
    const int x = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int y = block_row();
    if (x < to.nx && y < to.ny) to.at(x, y) = from.at(x, y);
}

/// Complex columns of the frequencies `first` to `first + count - 1` along x, each `length` long.
template <class T>
struct ColumnChunk {
    Complex<T>* z;
    int first, count, length;
};

// Makes columns of frequencies from the rows of coefficients, which are `turned`: row k has those of
// frequency k for all y.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    load_columns_kernel(FieldView<T> turned, ColumnChunk<T> chunk, Outside outside) {
    const int y = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int i = block_row();
    if (y >= chunk.length || i >= chunk.count) return;
    const int k = chunk.first + i, other = k == 0 ? 0 : turned.ny - k;
    const Element e = element_of(outside, y, turned.nx);
    Complex<T> value{0, 0};
    if (e.cell >= 0) {
        const T a = turned.at(e.cell, k), b = turned.at(e.cell, other);
        value = {T(0.5) * (a + b), T(0.5) * (b - a)};
        if (e.negated) value = {-value.re, -value.im};
    }
    chunk.z[std::int64_t(i) * chunk.length + y] = value;
}

template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    multiply_kernel(ColumnChunk<T> from, const Complex<double>* spectrum, Complex<T>* to) {
    const int y = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int i = block_row();
    if (y >= from.length || i >= from.count) return;
    const std::int64_t at = std::int64_t(i) * from.length + y;
    const Complex<double> factor = spectrum[std::int64_t(from.first + i) * from.length + y];
    const double re = from.z[at].re, im = from.z[at].im;
    to[at] = {T(re * factor.re - im * factor.im), T(re * factor.im + im * factor.re)};
}

// Stores columns of a kernel's transform, times `norm`.
__global__ void __launch_bounds__(kConvolutionThreads)
    keep_kernel(ColumnChunk<double> from, Complex<double>* spectrum, double norm) {
    const int y = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int i = block_row();
    if (y >= from.length || i >= from.count) return;
    const Complex<double> value = from.z[std::int64_t(i) * from.length + y];
    spectrum[std::int64_t(from.first + i) * from.length + y] = {norm * value.re, norm * value.im};
}

// The inverse of load_columns_kernel, of the field's own cells.
template <class T>
__global__ void __launch_bounds__(kConvolutionThreads)
    store_columns_kernel(ColumnChunk<T> chunk, FieldView<T> turned) {
    const int y = block_column() * kConvolutionThreads + int(threadIdx.x);
    const int i = block_row();
    if (y >= turned.nx || i >= chunk.count) return;
    const int k = chunk.first + i, other = k == 0 ? 0 : turned.ny - k;
    const Complex<T> value = chunk.z[std::int64_t(i) * chunk.length + y];
    turned.at(y, k) = other == k ? value.re : value.re - value.im;
    if (other != k) turned.at(y, other) = value.re + value.im;
}

template <class T>
__global__ void __launch_bounds__(kTurned* kTurnedRows) turn_kernel(FieldView<T> from, FieldView<T> to) {
    __shared__ T tile[kTurned][kTurned + 1];
    const int x0 = block_column() * kTurned, y0 = block_row() * kTurned;
    for (int j = int(threadIdx.y); j < kTurned; j += kTurnedRows) {
        const int x = x0 + int(threadIdx.x), y = y0 + j;
        if (x < from.nx && y < from.ny) tile[j][threadIdx.x] = from.at(x, y);
    }
    __syncthreads();
    for (int j = int(threadIdx.y); j < kTurned; j += kTurnedRows) {
        const int x = y0 + int(threadIdx.x), y = x0 + j;
        if (x < to.nx && y < to.ny) to.at(x, y) = tile[threadIdx.x][j];
    }
}

// The transforms of TorusTransform (convolution.cpp).
template <class T>
class CudaTorusTransform {
  public:
    CudaTorusTransform(const std::array<Outside, 2>& outside, int nx, int ny, bool spare, CudaStream& stream)
        : outside_(outside),
          ny_(ny),
          columns_(torus_length(outside[0], nx)),
          rows_(torus_length(outside[1], ny)),
          handle_(cuda_handle(stream)),
          along_x_(Boundary::periodic, columns_, ny, handle_),
          most_(columns_of_chunk(frequencies(), rows_)),
          along_y_(rows_, most_, handle_),
          field_(std::size_t(columns_) * std::size_t(ny) * sizeof(T)),
          turned_(std::size_t(columns_) * std::size_t(ny) * sizeof(T)),
          numbers_(std::max(along_x_.chunk_bytes(), chunk_bytes())),
          spare_(spare ? chunk_bytes() : 0),
          work_(std::max(along_x_.fft().work_bytes(), along_y_.work_bytes())) {
        along_x_.fft().work_in(work_.data());
        along_y_.work_in(work_.data());
    }

    int columns() const { return columns_; }
    int rows() const { return rows_; }
    int frequencies() const { return columns_ / 2 + 1; }
    cudaStream_t handle() const { return handle_; }
    Complex<T>* spare() { return static_cast<Complex<T>*>(spare_.data()); }
    /// Coefficients of rows, one row per frequency.
    FieldView<T> turned() { return turned_in(turned_.data()); }
    FieldView<T> turned_in(void* memory) { return {static_cast<T*>(memory), ny_, columns_, ny_}; }

    /// Transforms the field and calls at_chunk(chunk) for all columns of frequencies.
    template <class F>
    void forward(FieldView<T> from, F&& at_chunk) {
        const FieldView<T> extended = field();
        extend_kernel<<<grid_over(columns_, ny_, kConvolutionThreads, 1), kConvolutionThreads, 0, handle_>>>(
            from, extended, outside_[0]);
        check_launch("extend_kernel");
        along_x_.for_chunks(extended, numbers_.data(), [&](const spectral::Chunk<T>& chunk, int first) {
            spectral::load<Boundary::periodic, false>(chunk, handle_);
            along_x_.fft().run(chunk.z, CUFFT_FORWARD);
            spectral::store_transposed<Boundary::periodic, false>(
                chunk, spectral::from_column(turned(), first), handle_);
        });
        for (int first = 0; first < frequencies(); first += most_) {
            const ColumnChunk<T> chunk{static_cast<Complex<T>*>(numbers_.data()),
                                       first,
                                       std::min(most_, frequencies() - first),
                                       rows_};
            load_columns_kernel<<<grid_of(chunk), kConvolutionThreads, 0, handle_>>>(
                turned(), chunk, outside_[1]);
            check_launch("load_columns_kernel");
            along_y_.run(chunk.z, CUFFT_FORWARD);
            at_chunk(chunk);
        }
    }

    /// Transforms the columns of a chunk back and stores them in rows of coefficients.
    void store(const ColumnChunk<T>& chunk, FieldView<T> to) {
        along_y_.run(chunk.z, CUFFT_INVERSE);
        store_columns_kernel<<<grid_of(chunk), kConvolutionThreads, 0, handle_>>>(chunk, to);
        check_launch("store_columns_kernel");
    }

    /// Transforms rows of coefficients back to cells, times columns() * rows().
    void backward(FieldView<T> from, FieldView<T> to) {
        const FieldView<T> extended = field();
        turn_kernel<<<grid_over(from.nx, from.ny, kTurned, kTurned),
                      dim3(kTurned, kTurnedRows),
                      0,
                      handle_>>>(from, extended);
        check_launch("turn_kernel");
        along_x_.for_chunks(extended, numbers_.data(), [&](const spectral::Chunk<T>& chunk, int) {
            spectral::load<Boundary::periodic, true>(chunk, handle_);
            along_x_.fft().run(chunk.z, CUFFT_INVERSE);
            const dim3 grid = grid_over(columns_, chunk.pairs(), spectral::kThreads, spectral::kPairs);
            spectral::store_kernel<Boundary::periodic><<<grid, spectral::kThreads, 0, handle_>>>(chunk);
            check_launch("store_kernel");
        });
        crop_kernel<<<grid_over(to.nx, to.ny, kConvolutionThreads, 1), kConvolutionThreads, 0, handle_>>>(
            extended, to);
        check_launch("crop_kernel");
    }

    static dim3 grid_of(const ColumnChunk<T>& chunk) {
        return grid_over(chunk.length, chunk.count, kConvolutionThreads, 1);
    }

  private:
    // As many columns at a time as stay in L2, in chunks of about equal size.
    static int columns_of_chunk(int all, int length) {
        const std::int64_t bytes = std::int64_t(length) * std::int64_t(sizeof(Complex<T>));
        const std::int64_t most = std::max<std::int64_t>(spectral::kChunkBytes / bytes, 1);
        return int(ceil_div(std::int64_t(all), ceil_div(std::int64_t(all), most)));
    }

    std::size_t chunk_bytes() const { return std::size_t(most_) * std::size_t(rows_) * sizeof(Complex<T>); }
    FieldView<T> field() { return {static_cast<T*>(field_.data()), columns_, ny_, columns_}; }

    std::array<Outside, 2> outside_;
    int ny_, columns_, rows_;
    cudaStream_t handle_;
    spectral::AxisPlan<T> along_x_;
    int most_;  ///< columns of a chunk
    CufftPlan<T> along_y_;
    CudaMemory field_, turned_;
    CudaMemory numbers_;  ///< complex lines of a chunk
    CudaMemory spare_;    ///< as many, for products
    CudaMemory work_;     ///< cuFFT's workspace
};

}  // namespace

template <class T>
struct CudaConvolution<T>::Spectra {
    struct Spectrum {
        std::vector<double> scalars;  ///< from which it was made
        CudaMemory values;            ///< column by column, over the gain of the transforms of a field
        CudaMemory products;          ///< rows of coefficients, where there are several kernels
    };

    Spectra(const LinearPart& its_part, int its_nx, int its_ny, CudaStream& its_stream)
        : part(its_part),
          nx(its_nx),
          ny(its_ny),
          stream(its_stream),
          transform(part.outside, nx, ny, part.kernels.size() > 1, stream) {
        const std::size_t numbers = std::size_t(transform.frequencies()) * std::size_t(transform.rows());
        const std::size_t cells = std::size_t(transform.columns()) * std::size_t(ny);
        for (std::size_t i = 0; i < part.kernels.size(); ++i)
            spectra.push_back({{},
                               CudaMemory(numbers * sizeof(Complex<double>)),
                               CudaMemory(part.kernels.size() > 1 ? cells * sizeof(T) : 0)});
    }

    void make(const ConvolutionKernel& kernel, const std::vector<double>& scalars, Spectrum& spectrum) {
        std::vector<double> used = scalars_of_kernel(kernel, scalars);
        if (used == spectrum.scalars) return;
        spectrum.scalars = std::move(used);
        const int columns = transform.columns(), rows = transform.rows();
        stream.synchronize();  // running steps read the old values
        const CudaMemory table = spectral::upload(kernel_table(kernel, part.outside, nx, ny, scalars));
        CudaTorusTransform<double> exact(
            {Outside::periodic, Outside::periodic}, columns, rows, false, stream);
        const FieldView<double> cells{static_cast<double*>(table.data()), columns, rows, columns};
        exact.forward(cells, [&](const ColumnChunk<double>& chunk) {
            keep_kernel<<<exact.grid_of(chunk), kConvolutionThreads, 0, exact.handle()>>>(
                chunk, values_of(spectrum), 1 / (double(columns) * rows));
            check_launch("keep_kernel");
        });
        stream.synchronize();  // the table and the transforms go
    }

    static Complex<double>* values_of(Spectrum& spectrum) {
        return static_cast<Complex<double>*>(spectrum.values.data());
    }

    /// Where the coefficients of a product go: with one kernel, in place of the field's.
    FieldView<T> products_of(Spectrum& spectrum) {
        return spectra.size() == 1 ? transform.turned() : transform.turned_in(spectrum.products.data());
    }

    LinearPart part;
    int nx, ny;
    CudaStream& stream;
    CudaTorusTransform<T> transform;
    std::vector<Spectrum> spectra;
};

template <class T>
CudaConvolution<T>::CudaConvolution(const LinearPart& part, int nx, int ny, CudaStream& stream)
    : spectra_(std::make_unique<Spectra>(part, nx, ny, stream)) {}

template <class T>
CudaConvolution<T>::~CudaConvolution() = default;

template <class T>
void CudaConvolution<T>::set(const std::vector<double>& scalars, double) {
    Spectra& s = *spectra_;
    for (std::size_t i = 0; i < s.spectra.size(); ++i) s.make(s.part.kernels[i], scalars, s.spectra[i]);
}

template <class T>
void CudaConvolution<T>::apply(const std::vector<FieldView<T>>& from, const std::vector<FieldView<T>>& to) {
    Spectra& s = *spectra_;
    s.transform.forward(from.front(), [&](const ColumnChunk<T>& chunk) {
        for (auto& spectrum : s.spectra) {
            ColumnChunk<T> product = chunk;
            if (s.spectra.size() > 1) product.z = s.transform.spare();
            multiply_kernel<<<s.transform.grid_of(chunk), kConvolutionThreads, 0, s.transform.handle()>>>(
                chunk, s.values_of(spectrum), product.z);
            check_launch("multiply_kernel");
            s.transform.store(product, s.products_of(spectrum));
        }
    });
    for (std::size_t i = 0; i < to.size(); ++i) s.transform.backward(s.products_of(s.spectra[i]), to[i]);
}

template class CudaConvolution<float>;
template class CudaConvolution<double>;

}  // namespace stencil::equation
