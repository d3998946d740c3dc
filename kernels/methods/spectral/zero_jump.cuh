// Jumps under the zero boundary on CUDA, by tiles or by modes (zero_jump.h has the mathematics).
#pragma once

#include <optional>

#include "kernels/cuda/cuda_field.h"
#include "kernels/methods/spectral/spectral_lines.cuh"
#include "kernels/methods/spectral/zero_jump.h"

namespace stencil::zero_jump {

using spectral::kChunkBytes;
using spectral::kPairs;
using spectral::kThreads;

/// Some pairs of tiles, from the pair `first` on; `rows` are the rows [own.first, own.first + own.count).
template <class T>
struct TilePairs {
    Complex<T>* z;  ///< (pairs, y.length, x.length)
    TileAxis x, y;
    int nx, ny, reach, across, first, pairs;
    FieldView<T> rows;
    Lines own;

    __device__ int column(int pair, int second) const {
        return (2 * ((first + pair) % across) + second) * x.own;
    }
    __device__ int row(int pair) const { return (first + pair) / across * y.own; }
    /// A cell of the odd extension; nothing beyond what the cells that are kept need.
    __device__ T extended(int i, int j) const {
        if (i >= nx + reach || j >= ny + reach) return 0;
        const OddCell along = odd_cell(i, nx), across_rows = odd_cell(j, ny);
        const int sign = along.sign * across_rows.sign;
        if (sign == 0) return 0;
        const T value = rows.at(along.cell, across_rows.cell - own.first);
        return sign < 0 ? -value : value;
    }
};

template <class T>
__global__ void __launch_bounds__(kThreads) load_tiles_kernel(TilePairs<T> tiles) {
    const int a = block_column() * kThreads + int(threadIdx.x);
    const int line0 = block_row() * kPairs;
    if (a >= tiles.x.length) return;
    Complex<T> numbers[kPairs];
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        const int pair = (line0 + i) / tiles.y.length, b = (line0 + i) % tiles.y.length;
        if (pair >= tiles.pairs) break;
        const int at = a - tiles.reach, y = tiles.row(pair) + b - tiles.reach;
        numbers[i] = {tiles.extended(tiles.column(pair, 0) + at, y),
                      tiles.extended(tiles.column(pair, 1) + at, y)};
    }
#pragma unroll
    for (int i = 0; i < kPairs; ++i)
        if (line0 + i < tiles.pairs * tiles.y.length)
            tiles.z[std::int64_t(line0 + i) * tiles.x.length + a] = numbers[i];
}

template <class T>
__global__ void __launch_bounds__(kThreads) store_tiles_kernel(TilePairs<T> tiles) {
    const int a = block_column() * kThreads + int(threadIdx.x);
    const int line0 = block_row() * kPairs;
    if (a >= tiles.x.own) return;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
        const int pair = (line0 + i) / tiles.y.own, b = (line0 + i) % tiles.y.own;
        if (pair >= tiles.pairs) return;
        const int y = tiles.row(pair) + b - tiles.own.first;
        if (y < 0 || y >= tiles.own.count) continue;
        const std::int64_t line = std::int64_t(pair) * tiles.y.length + b + tiles.reach;
        const Complex<T> both = tiles.z[line * tiles.x.length + a + tiles.reach];
        const int first = tiles.column(pair, 0) + a, second = tiles.column(pair, 1) + a;
        if (first < tiles.nx) tiles.rows.at(first, y) = both.re;
        if (second < tiles.nx) tiles.rows.at(second, y) = both.im;
    }
}

constexpr int kFilteredPairs = 8;  ///< pairs of tiles that a thread multiplies by one factor

// A thread multiplies the four mirrored modes, whose factor is the same.
template <class T>
__global__ void __launch_bounds__(kThreads) filter_tiles_kernel(TilePairs<T> tiles,
                                                                const ModeAngle* along_x,
                                                                const ModeAngle* along_y,
                                                                SpectralJump jump) {
    const int nx = tiles.x.length, ny = tiles.y.length;
    const int k = int(blockIdx.x) * kThreads + int(threadIdx.x), l = int(blockIdx.y);
    if (k > nx / 2) return;
    const double factor = jump.factor(along_x[k], along_y[l]);
    const bool two_columns = k > 0 && 2 * k<nx, two_rows = l> 0 && 2 * l < ny;
    const auto multiply = [&](Complex<T>& number) { number = Factors{factor, factor} * number; };
    const int begin = int(blockIdx.z) * kFilteredPairs;
    for (int pair = begin; pair < min(begin + kFilteredPairs, tiles.pairs); ++pair) {
        Complex<T>* z = tiles.z + std::int64_t(pair) * ny * nx;
        for (int mirrored = 0; mirrored < (two_rows ? 2 : 1); ++mirrored) {
            Complex<T>* line = z + std::int64_t(mirrored ? ny - l : l) * nx;
            multiply(line[k]);
            if (two_columns) multiply(line[nx - k]);
        }
    }
}

/// A matrix by the distances between its rows and between its columns.
template <class T>
struct Matrix {
    T* data;
    std::int64_t row, column;
};

constexpr int kProductThreads = 256;
constexpr int kTileRows = 128, kTileColumns = 64, kTileDepth = 16;  ///< of a block
constexpr int kOwnRows = 8, kOwnColumns = 4;                        ///< of a thread
constexpr int kDepthOfSums = 8;  ///< tiles that are summed up before they are added to the others

template <int kCount, class T>
__device__ void read_shared(T (&to)[kCount], const T* from) {
    constexpr int kWide = int(16 / sizeof(T));
    struct alignas(16) Wide {
        T values[kWide];
    };
#pragma unroll
    for (int i = 0; i < kCount / kWide; ++i) {
        const Wide wide = reinterpret_cast<const Wide*>(from)[i];
#pragma unroll
        for (int j = 0; j < kWide; ++j) to[i * kWide + j] = wide.values[j];
    }
}

/// A thread's share of reading tiles of kWidth x kTileDepth elements of a factor to shared memory, where
/// neighbouring threads read neighbouring elements.
template <int kWidth, class T>
struct TileReader {
    static constexpr int kLoads = kWidth * kTileDepth / kProductThreads;
    static constexpr int kPitch = kWidth + int(16 / sizeof(T));

    /// `across` and `deep` are the distances between elements across the tile and along the sum.
    __device__ TileReader(const T* data, std::int64_t across, std::int64_t deep, int first, int width)
        : deep(deep) {
        const int thread = int(threadIdx.x);
        const bool by_depth = deep == 1;
        x = by_depth ? thread / kTileDepth : thread % kWidth;
        k = by_depth ? thread % kTileDepth : thread / kWidth;
        dx = by_depth ? kProductThreads / kTileDepth : 0;
        dk = by_depth ? 0 : kProductThreads / kWidth;
        left = width - first - x;
        from = data + (first + x) * across + k * deep;
        step = dx * across + dk * deep;
    }
    __device__ void load(int k0, int end) {
#pragma unroll
        for (int i = 0; i < kLoads; ++i)
            next[i] = i * dx < left && k0 + k + i * dk < end ? from[k0 * deep + i * step] : T(0);
    }
    __device__ void store(T* tile) const {
#pragma unroll
        for (int i = 0; i < kLoads; ++i) tile[(k + i * dk) * kPitch + x + i * dx] = next[i];
    }

    const T* from;
    std::int64_t step, deep;
    int x, k, dx, dk, left;
    T next[kLoads];
};

// c = a b of m x depth and depth x n elements; with several parts, that of each part of the depth. Long sums
// are sums of short ones, for their rounding.
template <class T>
__global__ void __launch_bounds__(kProductThreads, 8 / int(sizeof(T))) product_kernel(
    Matrix<const T> a, Matrix<const T> b, Matrix<T> c, int m, int n, int depth, int part_depth) {
    using Rows = TileReader<kTileRows, T>;
    using Columns = TileReader<kTileColumns, T>;
    __shared__ alignas(16) T rows[kTileDepth * Rows::kPitch];
    __shared__ alignas(16) T columns[kTileDepth * Columns::kPitch];
    const int across = ceil_div(n, kTileColumns);
    const int row0 = int(blockIdx.x) / across * kTileRows, column0 = int(blockIdx.x) % across * kTileColumns;
    const int thread = int(threadIdx.x);
    const int own_row = thread / (kTileColumns / kOwnColumns) * kOwnRows;
    const int own_column = thread % (kTileColumns / kOwnColumns) * kOwnColumns;
    const int begin = int(blockIdx.z) * part_depth, end = min(begin + part_depth, depth);
    Rows read_rows(a.data, a.row, a.column, row0, m);
    Columns read_columns(b.data, b.column, b.row, column0, n);

    T sums[kOwnRows][kOwnColumns] = {}, some[kOwnRows][kOwnColumns] = {};
    const auto add_some = [&] {
#pragma unroll
        for (int i = 0; i < kOwnRows; ++i)
#pragma unroll
            for (int j = 0; j < kOwnColumns; ++j) {
                sums[i][j] += some[i][j];
                some[i][j] = 0;
            }
    };
    read_rows.load(begin, end);
    read_columns.load(begin, end);
    int tiles = 0;
    for (int k = begin; k < end; k += kTileDepth) {
        __syncthreads();
        read_rows.store(rows);
        read_columns.store(columns);
        __syncthreads();
        read_rows.load(k + kTileDepth, end);
        read_columns.load(k + kTileDepth, end);
#pragma unroll
        for (int d = 0; d < kTileDepth; ++d) {
            T left[kOwnRows], right[kOwnColumns];
            read_shared(left, rows + d * Rows::kPitch + own_row);
            read_shared(right, columns + d * Columns::kPitch + own_column);
#pragma unroll
            for (int i = 0; i < kOwnRows; ++i)
#pragma unroll
                for (int j = 0; j < kOwnColumns; ++j) some[i][j] += left[i] * right[j];
        }
        if (++tiles % kDepthOfSums == 0) add_some();
    }
    add_some();
    T* to = c.data + std::int64_t(blockIdx.z) * m * c.row;
#pragma unroll
    for (int i = 0; i < kOwnRows; ++i)
#pragma unroll
        for (int j = 0; j < kOwnColumns; ++j) {
            const int row = row0 + own_row + i, column = column0 + own_column + j;
            if (row < m && column < n) to[row * c.row + column] = sums[i][j];
        }
}

template <class T>
void product(
    Matrix<const T> a, Matrix<const T> b, Matrix<T> c, int m, int n, int depth, int parts, cudaStream_t on) {
    if (m == 0) return;
    const unsigned blocks = unsigned(ceil_div(m, kTileRows)) * unsigned(ceil_div(n, kTileColumns));
    const int part_depth = round_up(ceil_div(depth, parts), kTileDepth);
    product_kernel<T>
        <<<dim3(blocks, 1, unsigned(parts)), kProductThreads, 0, on>>>(a, b, c, m, n, depth, part_depth);
    check_launch("product_kernel");
}

// The modes that are left of n cells, (modes, n).
template <class T>
__global__ void __launch_bounds__(kThreads) sines_kernel(T* sines, EdgeModes modes) {
    const int n = modes.of;
    const int i = block_column() * kThreads + int(threadIdx.x), row = block_row();
    if (i >= n || row >= modes.count()) return;
    const std::int64_t turns = std::int64_t(i + 1) * (modes.mode(row) + 1) % (2 * (std::int64_t(n) + 1));
    sines[std::int64_t(row) * n + i] = T(sinpi(double(turns) / (n + 1.0)));
}

// Adds up the parts and multiplies the modes.
template <class T>
__global__ void __launch_bounds__(kThreads) scale_modes_kernel(const T* sums,
                                                               T* scaled,
                                                               EdgeModes modes_x,
                                                               EdgeModes modes_y,
                                                               const ModeAngle* along_x,
                                                               const ModeAngle* along_y,
                                                               SpectralJump jump) {
    const int k = block_column() * kThreads + int(threadIdx.x), l = block_row();
    if (k >= modes_x.count() || l >= modes_y.count()) return;
    const std::int64_t at = std::int64_t(l) * modes_x.count() + k;
    const std::int64_t part = std::int64_t(modes_x.count()) * modes_y.count();
    double sum = 0;
    for (int i = 0; i < kParts; ++i) sum += double(sums[i * part + at]);
    const double factor = jump.factor(along_x[modes_x.mode(k)], along_y[modes_y.mode(l)]);
    scaled[at] = sum == 0 ? T(0) : T(factor * sum);
}

template <class T>
class CudaJump : public Jump<T> {
  public:
    CudaJump(const ExecutionSpace& on, FieldShape rows)
        : Jump<T>(on, rows, Device::cuda), stream_(*on.stream) {}

  private:
    using Jump<T>::on_;
    using Jump<T>::planner_;
    using Jump<T>::rows_;
    using Jump<T>::whole_;

    void plan_tiles(const Plan& plan);
    void jump_by_tiles(FieldPair<T>& fields, const Plan& plan, double coefficient, long long steps) override;
    void jump_by_modes(FieldView<T> u, const Plan& plan, double coefficient, long long steps) override;
    void reserve(CudaMemory& memory, std::size_t& bytes, std::size_t needed) {
        if (needed <= bytes) return;
        stream_.synchronize();  // memory that is freed here may still be in use
        memory = CudaMemory();
        memory = CudaMemory(needed);
        bytes = needed;
    }

    CudaStream& stream_;
    // For tiles:
    std::optional<CufftPlan<T>> fft_;
    int length_x_ = 0, length_y_ = 0, batch_ = 0;
    CudaMemory numbers_, work_, tile_angles_x_, tile_angles_y_;
    CudaMemory read_;  ///< rows of a distributed field
    std::size_t read_bytes_ = 0;
    // For modes:
    CudaMemory matrices_, angles_x_, angles_y_;
    std::size_t matrices_bytes_ = 0;
};

template <class T>
void CudaJump<T>::plan_tiles(const Plan& plan) {
    const std::int64_t tile = std::int64_t(plan.x.length) * plan.y.length * std::int64_t(sizeof(Complex<T>));
    const std::int64_t pairs = std::int64_t(plan.pairs_across()) * plan.y.count;
    const std::int64_t chunks = ceil_div(pairs, std::max<std::int64_t>(kChunkBytes / tile, 1));
    const int batch = int(ceil_div(pairs, chunks));
    if (length_x_ == plan.x.length && length_y_ == plan.y.length && batch_ == batch) return;
    stream_.synchronize();
    batch_ = 0;
    fft_.reset();
    numbers_ = CudaMemory();
    work_ = CudaMemory();
    fft_.emplace(std::vector<long long>{plan.y.length, plan.x.length}, batch, cuda_handle(stream_));
    numbers_ = CudaMemory(std::size_t(batch) * std::size_t(tile));
    work_ = CudaMemory(fft_->work_bytes());
    fft_->work_in(work_.data());
    tile_angles_x_ = uploaded(mode_angles(Modes::periodic, plan.x.length), stream_);
    tile_angles_y_ = uploaded(mode_angles(Modes::periodic, plan.y.length), stream_);
    length_x_ = plan.x.length;
    length_y_ = plan.y.length;
    batch_ = batch;
}

template <class T>
void CudaJump<T>::jump_by_tiles(FieldPair<T>& fields, const Plan& plan, double coefficient, long long steps) {
    plan_tiles(plan);
    const SpectralJump jump(coefficient, steps, double(length_x_) * length_y_);
    const cudaStream_t handle = cuda_handle(stream_);
    const Lines own = rows_.own();
    TilePairs<T> load{static_cast<Complex<T>*>(numbers_.data()),
                      plan.x,
                      plan.y,
                      whole_.nx,
                      whole_.ny,
                      plan.reach,
                      plan.pairs_across(),
                      0,
                      0,
                      fields.front,
                      own};
    TilePairs<T> store = load;
    store.rows = fields.back;
    if (on_.strips) {
        load.own = rows_read(plan, own, whole_.ny);
        reserve(read_, read_bytes_, cuda_field_bytes<T>(whole_.nx, std::max(load.own.count, 1)));
        load.rows = cuda_view<T>(read_, whole_.nx, load.own.count);
        rows_.gather(
            fields.front, load.rows, [&](int part) { return rows_read(plan, rows_.of(part), whole_.ny); });
    }
    const int end = own.count > 0 ? ceil_div(own.first + own.count, plan.y.own) * load.across : 0;
    for (int first = own.first / plan.y.own * load.across; first < end; first += batch_) {
        load.first = store.first = first;
        load.pairs = store.pairs = std::min(batch_, end - first);
        const dim3 all = grid_over(length_x_, load.pairs * length_y_, kThreads, kPairs);
        load_tiles_kernel<<<all, kThreads, 0, handle>>>(load);
        check_launch("load_tiles_kernel");
        fft_->run(load.z, CUFFT_FORWARD);
        const dim3 quarter(unsigned(ceil_div(length_x_ / 2 + 1, kThreads)),
                           unsigned(length_y_ / 2 + 1),
                           unsigned(ceil_div(load.pairs, kFilteredPairs)));
        filter_tiles_kernel<<<quarter, kThreads, 0, handle>>>(
            load,
            static_cast<const ModeAngle*>(tile_angles_x_.data()),
            static_cast<const ModeAngle*>(tile_angles_y_.data()),
            jump);
        check_launch("filter_tiles_kernel");
        fft_->run(load.z, CUFFT_INVERSE);
        const dim3 kept = grid_over(plan.x.own, load.pairs * plan.y.own, kThreads, kPairs);
        store_tiles_kernel<<<kept, kThreads, 0, handle>>>(store);
        check_launch("store_tiles_kernel");
    }
    fields.swap();
}

template <class T>
void CudaJump<T>::jump_by_modes(FieldView<T> u, const Plan& plan, double coefficient, long long steps) {
    if (!angles_x_.data()) {
        angles_x_ = uploaded(planner_.angles_x(), stream_);
        angles_y_ = uploaded(planner_.angles_y(), stream_);
    }
    const int nx = whole_.nx, ny = whole_.ny, kx = plan.along_x.count(), ky = plan.along_y.count();
    const ModeMatrices at(whole_, std::size_t(kx), std::size_t(ky), kParts);
    reserve(matrices_, matrices_bytes_, at.cells * sizeof(T));
    T* const matrices = static_cast<T*>(matrices_.data());
    T *const sines_x = matrices + at.sines_x, *const sines_y = matrices + at.sines_y;
    T *const sums = matrices + at.sums, *const modes = matrices + at.modes;
    // The sines' inverse transform is the transform times 2 / (n + 1).
    const SpectralJump jump(coefficient, steps, 0.25 * (nx + 1.0) * (ny + 1.0));
    const cudaStream_t handle = cuda_handle(stream_);
    for (const auto& [sines, left] : {std::pair{sines_x, plan.along_x}, std::pair{sines_y, plan.along_y}}) {
        sines_kernel<<<grid_over(left.of, left.count(), kThreads, 1), kThreads, 0, handle>>>(sines, left);
        check_launch("sines_kernel");
    }
    const Lines own = rows_.own();
    const FieldView<T> projected{matrices + at.rows, kx, ny, kx};
    const FieldView<T> own_rows = projected.rows(own.first, own.count);
    const std::int64_t pitch = u.pitch;
    product<T>({u.data, pitch, 1}, {sines_x, 1, nx}, {own_rows.data, kx, 1}, own.count, kx, nx, 1, handle);
    if (on_.strips) rows_.gather(own_rows, projected, [&](int) { return Lines{0, ny}; });
    product<T>({sines_y, ny, 1}, {projected.data, kx, 1}, {sums, kx, 1}, ky, kx, ny, kParts, handle);
    scale_modes_kernel<<<grid_over(kx, ky, kThreads, 1), kThreads, 0, handle>>>(
        sums,
        modes,
        plan.along_x,
        plan.along_y,
        static_cast<const ModeAngle*>(angles_x_.data()),
        static_cast<const ModeAngle*>(angles_y_.data()),
        jump);
    check_launch("scale_modes_kernel");
    product<T>(
        {sines_y + own.first, 1, ny}, {modes, kx, 1}, {own_rows.data, kx, 1}, own.count, kx, ky, 1, handle);
    product<T>({own_rows.data, kx, 1}, {sines_x, nx, 1}, {u.data, pitch, 1}, own.count, nx, kx, 1, handle);
}

}  // namespace stencil::zero_jump
