// Row transforms by cuFFT, two rows as the real and imaginary part of a complex one (spectral_axis.h has the
// mathematics), in chunks that stay in L2 from load to store.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/field/divide.h"
#include "kernels/field/field_view.h"
#include "kernels/methods/spectral/cufft_plan.cuh"
#include "kernels/methods/spectral/spectral_axis.h"
#include "kernels/methods/spectral/spectral_modes.h"

namespace stencil::spectral {

constexpr std::int64_t kChunkBytes = 64 << 20;  ///< complex rows processed at a time
constexpr int kThreads = 128;
constexpr int kTile = 32;        ///< edge of a transposed tile, in cells
constexpr int kTileThreads = 4;  ///< thread rows of a tile
constexpr int kPairs = 4;        ///< pairs per thread, to have several loads in flight

/// A chunk of rows; each pair of them is one complex row of z.
template <class T>
struct Chunk {
    FieldView<T> rows;
    Complex<T>* z;  ///< (pairs, length)
    int length;
    const Complex<T>* twiddles;

    int pairs() const { return (rows.ny + 1) / 2; }
    __device__ bool has_pair(int pair) const { return 2 * pair < rows.ny; }
    __device__ bool has_second(int pair) const { return 2 * pair + 1 < rows.ny; }
    __device__ Complex<T>* numbers(int pair) const { return z + std::int64_t(pair) * length; }
    __device__ Complex<T> cell(int pair, int x) const {
        return {rows.at(x, 2 * pair), has_second(pair) ? rows.at(x, 2 * pair + 1) : T(0)};
    }
};

// Converts cells to the FFT's input, or with kBack coefficients to the inverse FFT's input.
template <Modes M, bool kBack, class T>
__global__ void __launch_bounds__(kThreads) load_kernel(Chunk<T> chunk) {
    using Axis = SpectralAxis<M>;
    const int j = block_column() * kThreads + int(threadIdx.x);
    const int pair0 = block_row() * kPairs;
    if (j >= chunk.length) return;
    const int n = chunk.rows.nx;
    Complex<T> numbers[kPairs];
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        if (!chunk.has_pair(pair0 + i)) break;
        const auto cell = [&](int x) { return chunk.cell(pair0 + i, x); };
        if constexpr (kBack)
            numbers[i] = Axis::spectrum(j, n, cell, chunk.twiddles);
        else
            numbers[i] = Axis::input(j, n, cell, chunk.twiddles);
    }
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
        if (chunk.has_pair(pair0 + i)) chunk.numbers(pair0 + i)[j] = numbers[i];
}

// Coefficient i from the FFT's output, or with kBack cell i from the inverse FFT's.
template <Modes M, bool kBack, class T>
__device__ Complex<T> result(int i, int n, const Complex<T>* z, const Complex<T>* twiddles) {
    if constexpr (kBack)
        return SpectralAxis<M>::cell(i, n, z, twiddles);
    else
        return SpectralAxis<M>::coefficient(i, n, z, twiddles);
}

template <Modes M, class T>
__global__ void __launch_bounds__(kThreads) store_kernel(Chunk<T> chunk) {
    const int x = block_column() * kThreads + int(threadIdx.x);
    const int pair0 = block_row() * kPairs;
    const int n = chunk.rows.nx;
    if (x >= n) return;
    Complex<T> cells[kPairs];
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
        if (chunk.has_pair(pair0 + i))
            cells[i] = result<M, true>(x, n, chunk.numbers(pair0 + i), chunk.twiddles);
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        const int pair = pair0 + i;
        if (chunk.has_pair(pair)) chunk.rows.at(x, 2 * pair) = cells[i].re;
        if (chunk.has_second(pair)) chunk.rows.at(x, 2 * pair + 1) = cells[i].im;
    }
}

// Stores the result of the transforms transposed: out(y, x) is the result at (x, y).
template <Modes M, bool kBack, class T>
__global__ void __launch_bounds__(kTile* kTileThreads)
    store_transposed_kernel(Chunk<T> chunk, FieldView<T> out) {
    constexpr int kTilePairs = kTile / 2;
    __shared__ Complex<T> tile[kTile][kTilePairs + 1];
    const int n = chunk.rows.nx;
    const int x0 = block_column() * kTile;
    const int pair0 = block_row() * kTilePairs;
    const int lane = int(threadIdx.x);
    Complex<T> numbers[kTilePairs / kTileThreads];
#pragma unroll
    for (int i = 0; i < kTilePairs / kTileThreads; ++i) {
        const int pair = pair0 + i * kTileThreads + int(threadIdx.y);
        if (x0 + lane < n && chunk.has_pair(pair))
            numbers[i] = result<M, kBack>(x0 + lane, n, chunk.numbers(pair), chunk.twiddles);
    }
#pragma unroll
    for (int i = 0; i < kTilePairs / kTileThreads; ++i)
        tile[lane][i * kTileThreads + int(threadIdx.y)] = numbers[i];
    __syncthreads();
    const int y = 2 * pair0 + lane;
    if (y >= chunk.rows.ny) return;
#pragma unroll
    for (int i = 0; i < kTile / kTileThreads; ++i) {
        const int x = i * kTileThreads + int(threadIdx.y);
        const Complex<T> both = tile[x][lane / 2];
        if (x0 + x < n) out.at(y, x0 + x) = lane % 2 == 0 ? both.re : both.im;
    }
}

template <Modes M, bool kBack, class T>
void load(const Chunk<T>& chunk, cudaStream_t stream) {
    load_kernel<M, kBack>
        <<<grid_over(chunk.length, chunk.pairs(), kThreads, kPairs), kThreads, 0, stream>>>(chunk);
    check_launch("load_kernel");
}
template <Modes M, bool kBack, class T>
void store_transposed(const Chunk<T>& chunk, FieldView<T> out, cudaStream_t stream) {
    const dim3 grid = grid_over(chunk.rows.nx, chunk.pairs(), kTile, kTile / 2);
    store_transposed_kernel<M, kBack><<<grid, dim3(kTile, kTileThreads), 0, stream>>>(chunk, out);
    check_launch("store_transposed_kernel");
}

constexpr int kProducts = 8;  ///< pairs of lines that share the loads of a factor

// Multiplies each pair of lines by a matrix, for general modes.
template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply_kernel(const Complex<T>* z, Complex<T>* products, const T* matrix, int n, int pairs) {
    const int k = block_column() * kThreads + int(threadIdx.x);
    if (k >= n) return;
    const int pair0 = block_row() * kProducts;
    const auto line = [&](int j) { return std::int64_t(min(pair0 + j, pairs - 1)) * n; };
    Complex<T> sums[kProducts] = {};
    for (int i = 0; i < n; ++i) {
        const T factor = matrix[std::int64_t(i) * n + k];
#pragma unroll
        for (int j = 0; j < kProducts; ++j) {
            const Complex<T> number = z[line(j) + i];
            sums[j] = {sums[j].re + factor * number.re, sums[j].im + factor * number.im};
        }
    }
#pragma unroll
    for (int j = 0; j < kProducts; ++j) products[line(j) + k] = sums[j];
}

template <class T>
FieldView<T> from_column(FieldView<T> view, int x) {
    view.data += x;
    return view;
}

/// The transforms of `lines` rows or columns of `cells` cells each.
template <class T>
class AxisPlan {
  public:
    AxisPlan(Modes modes, int cells, int lines, CudaStream& stream)
        : stream_(stream),
          length_(with_modes(modes, [&](auto m) { return SpectralAxis<m.value>::length(cells); })),
          pairs_(pairs_at_a_time(length_, lines)),
          angles_(uploaded(mode_angles(modes, cells), stream)),
          twiddles_(uploaded(mode_twiddles<T>(modes, cells), stream)),
          products_(modes == Modes::general ? CudaMemory(chunk_bytes()) : CudaMemory()),
          fft_(length_, pairs_, cuda_handle(stream)) {
        const std::size_t bytes = std::size_t(cells) * std::size_t(cells) * sizeof(T);
        for (CudaMemory& matrix : matrices_)
            if (modes == Modes::general) matrix = CudaMemory(bytes);
    }

    /// Sets general modes. Waits for the stream.
    void set(const GeneralModes& modes) {
        const auto copy = [&](const CudaMemory& to, const auto& from) {
            const std::size_t bytes = from.size() * sizeof(from[0]);
            copy_to_device({to.data(), bytes, from.data(), bytes, bytes, 1}, stream_);
        };
        copy(angles_, modes.angles);
        for (const bool inverse : {false, true}) copy(matrices_[inverse], modes.matrix<T>(inverse));
    }

    /// Transforms the numbers of a chunk, and returns where they are.
    template <Modes M>
    Chunk<T> transformed(Chunk<T> chunk, bool inverse) {
        if constexpr (M == Modes::general) {
            Complex<T>* products = static_cast<Complex<T>*>(products_.data());
            multiply_kernel<<<grid_over(length_, chunk.pairs(), kThreads, kProducts),
                              kThreads,
                              0,
                              cuda_handle(stream_)>>>(
                chunk.z, products, static_cast<const T*>(matrices_[inverse].data()), length_, chunk.pairs());
            check_launch("multiply_kernel");
            chunk.z = products;
        } else {
            fft_.run(chunk.z, inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
        }
        return chunk;
    }

    /// Bytes of a chunk's complex rows.
    std::size_t chunk_bytes() const {
        return std::size_t(pairs_) * std::size_t(length_) * sizeof(Complex<T>);
    }

    /// Calls f(chunk, first row) for all chunks of the rows.
    template <class F>
    void for_chunks(FieldView<T> rows, void* z, F&& f) const {
        for (int first = 0; first < rows.ny; first += 2 * pairs_) {
            FieldView<T> part = rows;
            part.data = rows.row(first);
            part.ny = std::min(2 * pairs_, rows.ny - first);
            f(Chunk<T>{part,
                       static_cast<Complex<T>*>(z),
                       length_,
                       static_cast<const Complex<T>*>(twiddles_.data())},
              first);
        }
    }

    const ModeAngle* angles() const { return static_cast<const ModeAngle*>(angles_.data()); }
    CufftPlan<T>& fft() { return fft_; }

  private:
    // Divides the lines into as few chunks as the limit permits, of about equal size.
    static int pairs_at_a_time(int length, int lines) {
        const std::int64_t pairs = (std::int64_t(lines) + 1) / 2;
        const std::int64_t row = std::int64_t(length) * std::int64_t(sizeof(Complex<T>));
        const std::int64_t most = std::max<std::int64_t>(kChunkBytes / row, 1);
        const std::int64_t chunks = ceil_div(pairs, most);
        return int(ceil_div(pairs, chunks));
    }

    CudaStream& stream_;
    int length_;
    int pairs_;
    CudaMemory angles_, twiddles_;
    CudaMemory matrices_[2], products_;  ///< of general modes
    CufftPlan<T> fft_;
};

}  // namespace stencil::spectral
