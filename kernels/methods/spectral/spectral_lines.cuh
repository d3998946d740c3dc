// Row transforms by cuFFT, two rows as the real and imaginary part of a complex one (spectral_axis.h has the
// mathematics), in chunks that stay in L2 from load to store. Fields of several runs follow one another in
// memory and are transformed together.
#pragma once

#include <algorithm>
#include <vector>

#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/cuda/made_of_runs.cuh"
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

/// The field of a later run.
template <class T>
STENCIL_HOST_DEVICE FieldView<T> of_run(FieldView<T> first, int run) {
    first.data += std::int64_t(run) * first.ny * first.pitch;
    return first;
}

/// A chunk of rows, or all rows of several runs; each pair of them is one complex row of z.
template <class T>
struct Chunk {
    FieldView<T> rows;  ///< of the first run
    Complex<T>* z;      ///< (runs, pairs, length)
    int length;
    const Complex<T>* twiddles;
    int runs = 1, first_run = 0;

    __device__ Chunk of_block() const {
        Chunk own = *this;
        const int run = block_field(runs);
        own.rows = spectral::of_run(rows, run);
        own.z += std::int64_t(run) * pairs() * length;
        own.first_run += run;
        return own;
    }

    STENCIL_HOST_DEVICE int pairs() const { return (rows.ny + 1) / 2; }
    __device__ bool has_pair(int pair) const { return 2 * pair < rows.ny; }
    __device__ bool has_second(int pair) const { return 2 * pair + 1 < rows.ny; }
    __device__ Complex<T>* numbers(int pair) const { return z + std::int64_t(pair) * length; }
    __device__ Complex<T> cell(int pair, int x) const {
        return {rows.at(x, 2 * pair), has_second(pair) ? rows.at(x, 2 * pair + 1) : T(0)};
    }
};

// Converts cells to the FFT's input, or with kBack coefficients to the inverse FFT's input.
template <Modes M, bool kBack, class T>
__global__ void __launch_bounds__(kThreads) load_kernel(Chunk<T> chunks) {
    using Axis = SpectralAxis<M>;
    const Chunk<T> chunk = chunks.of_block();
    const int j = block_column() * kThreads + int(threadIdx.x);
    const int pair0 = block_row(chunk.runs) * kPairs;
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
    store_transposed_kernel(Chunk<T> chunks, FieldView<T> outs) {
    constexpr int kTilePairs = kTile / 2;
    __shared__ Complex<T> tile[kTile][kTilePairs + 1];
    const Chunk<T> chunk = chunks.of_block();
    const FieldView<T> out = of_run(outs, block_field(chunk.runs));
    const int n = chunk.rows.nx;
    const int x0 = block_column() * kTile;
    const int pair0 = block_row(chunk.runs) * kTilePairs;
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
        <<<grid_over(chunk.length, chunk.pairs(), kThreads, kPairs, chunk.runs), kThreads, 0, stream>>>(
            chunk);
    check_launch("load_kernel");
}
template <Modes M, bool kBack, class T>
void store_transposed(const Chunk<T>& chunk, FieldView<T> out, cudaStream_t stream) {
    const dim3 grid = grid_over(chunk.rows.nx, chunk.pairs(), kTile, kTile / 2, chunk.runs);
    store_transposed_kernel<M, kBack><<<grid, dim3(kTile, kTileThreads), 0, stream>>>(chunk, out);
    check_launch("store_transposed_kernel");
}

constexpr int kProducts = 8;  ///< pairs of lines that share the loads of a factor

/// The modes of a run along an axis; the matrices are those of general modes, forward and inverse.
template <class T>
struct AxisModes {
    const ModeAngle* angles = nullptr;
    const T* matrices[2] = {};
};

// Multiplies each pair of lines by a matrix, for general modes.
template <class T>
__global__ void __launch_bounds__(kThreads)
    multiply_kernel(Chunk<T> chunks, Complex<T>* all_products, OfRuns<AxisModes<T>> modes, bool inverse) {
    const Chunk<T> chunk = chunks.of_block();
    const int n = chunk.length, pairs = chunk.pairs();
    const int k = block_column() * kThreads + int(threadIdx.x);
    if (k >= n) return;
    const Complex<T>* z = chunk.z;
    Complex<T>* products = all_products + (chunk.z - chunks.z);
    const T* matrix = modes.of(chunk.first_run).matrices[inverse];
    const int pair0 = block_row(chunk.runs) * kProducts;
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

/// The transforms of `lines` rows or columns of `cells` cells each, of one run or of several together, each
/// of which gets the bits that it gets alone.
template <class T>
class AxisPlan {
  public:
    AxisPlan(Modes modes, int cells, int lines, CudaStream& stream, int runs = 1)
        : stream_(stream),
          modes_(modes),
          cells_(cells),
          length_(with_modes(modes, [&](auto m) { return SpectralAxis<m.value>::length(cells); })),
          pairs_(pairs_at_a_time(length_, lines)),
          runs_(runs_at_a_time(lines, runs)),
          angles_(uploaded(mode_angles(modes, cells), stream)),
          twiddles_(uploaded(mode_twiddles<T>(modes, cells), stream)),
          products_(modes == Modes::general ? CudaMemory(chunk_bytes(), stream.device()) : CudaMemory()),
          fft_(length_, pairs_ * runs_, cuda_handle(stream)),
          modes_of_runs_({static_cast<const ModeAngle*>(angles_.data())}) {}

    /// Sets general modes, by the ratios of each run. Waits for the stream.
    void set(const std::vector<std::vector<double>>& ratios) {
        modes_of_runs_.set(ratios, stream_, [&](std::size_t run) {
            const GeneralModes modes(ratios[run][0], ratios[run][1], cells_);
            return General{uploaded(modes.angles, stream_),
                           uploaded(modes.matrix<T>(false), stream_),
                           uploaded(modes.matrix<T>(true), stream_)};
        });
    }

    /// Transforms the numbers of a chunk, and returns where they are.
    template <Modes M>
    Chunk<T> transformed(Chunk<T> chunk, bool inverse) {
        if constexpr (M == Modes::general) {
            Complex<T>* products = static_cast<Complex<T>*>(products_.data());
            multiply_kernel<<<grid_over(length_, chunk.pairs(), kThreads, kProducts, chunk.runs),
                              kThreads,
                              0,
                              cuda_handle(stream_)>>>(chunk, products, modes_of_runs_.views(), inverse);
            check_launch("multiply_kernel");
            chunk.z = products;
        } else {
            fft_.run(chunk.z, inverse ? CUFFT_INVERSE : CUFFT_FORWARD);
        }
        return chunk;
    }

    /// Bytes of a chunk's complex rows.
    std::size_t chunk_bytes() const {
        return std::size_t(pairs_) * std::size_t(runs_) * std::size_t(length_) * sizeof(Complex<T>);
    }

    /// Calls f(chunk, first row) for all chunks of the rows of so many runs.
    template <class F>
    void for_chunks(FieldView<T> rows, void* z, F&& f, int runs = 1) const {
        const auto* twiddles = static_cast<const Complex<T>*>(twiddles_.data());
        for (int run = 0; run < runs; run += runs_)
            for (int first = 0; first < rows.ny; first += 2 * pairs_) {
                FieldView<T> part = of_run(rows, run);
                part.data += std::int64_t(first) * rows.pitch;
                part.ny = std::min(2 * pairs_, rows.ny - first);
                f(Chunk<T>{part,
                           static_cast<Complex<T>*>(z),
                           length_,
                           twiddles,
                           std::min(runs_, runs - run),
                           run},
                  first);
            }
    }

    OfRuns<AxisModes<T>> modes() const { return modes_of_runs_.views(); }
    const ModeAngle* angles() const { return modes().first.angles; }
    CufftPlan<T>& fft() { return fft_; }
    /// How many runs are transformed together.
    int runs() const { return runs_; }

  private:
    struct General {
        CudaMemory angles, forward, inverse;
        AxisModes<T> view() const {
            return {static_cast<const ModeAngle*>(angles.data()),
                    {static_cast<const T*>(forward.data()), static_cast<const T*>(inverse.data())}};
        }
    };

    // Divides the lines into as few chunks as the limit permits, of about equal size.
    static int pairs_at_a_time(int length, int lines) {
        const std::int64_t pairs = (std::int64_t(lines) + 1) / 2;
        const std::int64_t row = std::int64_t(length) * std::int64_t(sizeof(Complex<T>));
        const std::int64_t most = std::max<std::int64_t>(kChunkBytes / row, 1);
        const std::int64_t chunks = ceil_div(pairs, most);
        return int(ceil_div(pairs, chunks));
    }

    int runs_at_a_time(int lines, int runs) const {
        const std::size_t numbers = std::size_t(pairs_) * std::size_t(length_);
        if (runs == 1 || 2 * pairs_ < lines) return 1;
        const int most = runs_of_chunk(numbers * sizeof(Complex<T>), runs);
        if (modes_ == Modes::general) return most;
        return runs_with_same_bits<T>(
            most, 2 * numbers, 2 * numbers, stream_, [&](int count, const T* from, T* to) {
                CufftPlan<T> plan(length_, pairs_ * count, cuda_handle(stream_));
                const CudaMemory work(std::max(plan.work_bytes(), std::size_t(1)), stream_.device());
                plan.work_in(work.data());
                copy_on_device(to, from, 2 * std::size_t(count) * numbers * sizeof(T), stream_);
                for (const int direction : {CUFFT_FORWARD, CUFFT_INVERSE})
                    plan.run(reinterpret_cast<Complex<T>*>(to), direction);
                stream_.synchronize();
            });
    }

    CudaStream& stream_;
    Modes modes_;
    int cells_, length_;
    int pairs_;  ///< of lines, of a chunk
    int runs_;   ///< of a chunk
    CudaMemory angles_, twiddles_;
    CudaMemory products_;  ///< of general modes
    CufftPlan<T> fft_;
    MadeOfRuns<General, AxisModes<T>> modes_of_runs_;
};

}  // namespace stencil::spectral
