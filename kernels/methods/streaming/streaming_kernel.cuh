// The kernel of the method `streaming`: temporal blocking with up to 16 steps in one pass, in registers.
//
// A block owns a strip of columns and streams down its segment of rows. Its warps are a pipeline: the first
// makes steps 1 to 4 of the pass, the second 5 to 8, and so on; rows pass from warp to warp through rings in
// shared memory. A warp spans the strip: a lane holds up to 18 (float64: 9) columns. For each of its steps
// ("levels") it keeps in registers the row before the newest one, u, and the diagonal sums d of the two rows
// before:
//
//     d(r)[j] = u(r - 1)[j] + u(r)[j + 1]            so that
//     north + east = d(r)[j] of the rows above, west + south = d(r + 1)[j - 1] once row r + 1 has arrived
//
// Every sum serves two cells: 2 FADD and 1 FFMA per cell and step instead of 3 FADD and 2 FFMA. West and east
// neighbours come from the adjacent lanes by shuffles.
//
// The levels of a warp are software-pipelined: level l works on the row that level l - 1 finished in the
// previous iteration. No instruction waits for another level within an iteration, and a level writes its
// output to the registers that the next level has just released, so there are no moves. Even and odd
// iterations alternate in which half of `rows_` is the newest.
//
// The schedule for two levels per warp (kLag = 3), with rows counted from first_row; warp 1 runs iteration i
// as soon as warp 0 has finished a batch up to it:
//
//     iteration               0   1   2   3   4   5   6
//     warp 0  takes row       0   1   2   3   4   5   6     of the field
//             level 0 makes       0   1   2   3   4   5     of step 1
//             level 1 takes           0   1   2   3   4
//                     makes               0   1   2   3     of step 2, into warp 1's ring
//     warp 1  takes row                   0   1   2   3
//             level 0 makes                   0   1   2     of step 3
//
// A row is made when the one below it arrives. So level l of warp w takes row r in iteration w kLag + 2 l +
// r, and batch b consists of iterations b kBatch to (b + 1) kBatch - 1.
//
// Warps synchronise only pairwise, on full and empty barriers per batch of rows. The first warp makes the
// loads and the last one the stores, from 9.0 on as bulk copies, one batch ahead and behind. Code between
// batches is latency-bound (a dependent chain), so there is little of it.
//
// The boundary holds at every step: where the field's edge passes through a block, ghost rows and columns are
// set at every level.
#pragma once

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/pipeline.cuh"
#include "kernels/cuda/vectors.cuh"
#include "kernels/field/divide.h"
#include "kernels/methods/streaming/streaming.cuh"

namespace stencil {

/// A lane's columns in shared memory, in 8-byte accesses.
template <class T, int kColumns>
struct LaneRow {
    static constexpr int kCells = int(8 / sizeof(T));
    static_assert(kColumns % kCells == 0);

    __device__ static void read(T (&to)[kColumns], const T* from) {
#pragma unroll
        for (int j = 0; j < kColumns; j += kCells) {
            const auto packet = *reinterpret_cast<const AlignedVector<T, kCells>*>(from + j);
#pragma unroll
            for (int k = 0; k < kCells; ++k) to[j + k] = packet[k];
        }
    }
    __device__ static void write(T* to, const T (&from)[kColumns]) {
#pragma unroll
        for (int j = 0; j < kColumns; j += kCells) {
            AlignedVector<T, kCells> packet;
#pragma unroll
            for (int k = 0; k < kCells; ++k) packet[k] = from[j + k];
            *reinterpret_cast<AlignedVector<T, kCells>*>(to + j) = packet;
        }
    }
};

template <class T, StreamShape kShape, StreamLevels kSteps, Boundary B>
class StreamBlock {
    using Tuning = StreamingTuning<T>;
    static constexpr int kLevels = kSteps == StreamLevels::single ? 1 : Tuning::kLevels;
    static constexpr int kColumns = Tuning::lane_bytes(kShape) / int(sizeof(T));
    static constexpr int kWidth = Tuning::width(kShape);
    static constexpr int kBatch = Tuning::batch(kShape);
    static_assert(Tuning::lane_bytes(kShape) % 16 == 8 && kBatch % 2 == 0);
    static constexpr bool kWraps = B == Boundary::periodic;
    /// Rows by which a warp's output lags behind its input.
    static constexpr int kLag = 2 * kLevels - 1;
    using Row = T[kWidth];
    struct RowShape {
        using Cell = T;
        static constexpr int kWidth = StreamBlock::kWidth, kBatch = StreamBlock::kBatch;
        static constexpr bool kWrapsX = kWraps, kWrapsY = kWraps, kSkewed = false, kGathersAsync = true,
                              kLanesArrive = true;
    };
    using Rows = RowTransfer<RowShape>;

  public:
    /// Shared memory of a block; as many rings of two batches of rows follow as there are warps.
    struct Shared {
        Half halves[Tuning::kMaxWarps + 1][2];  ///< the ring before each warp, and the one after the last
        int source[kWidth];                     ///< source column of each column, if columns are gathered
        alignas(16) Row ring[1][2 * kBatch];
    };

    static constexpr std::size_t shared_bytes(int warps) {
        return sizeof(Shared) + std::size_t(warps) * 2 * kBatch * sizeof(Row);
    }

    __device__ StreamBlock(const StreamPass<T>& pass, Shared& shared, int warp, int warps)
        : pass_(pass), shared_(shared), lane_(lane_of_warp()), warp_(warp), warps_(warps) {
        locate();
        prepare_source();
#pragma unroll
        for (int level = 0; level < kLevels; ++level) {
            ratio_[level] = pass.weights[warp * kLevels + level].ratio;
            scale_[level] = pass.weights[warp * kLevels + level].scale;
        }
        top_ = warp * kLag - first_row_;
        bottom_ = top_ + pass.from.ny;
    }

    __device__ void run() {
#pragma unroll
        for (int level = 0; level < kLevels; ++level)
#pragma unroll
            for (int j = 0; j < kColumns; ++j) rows_[0][level][j] = rows_[1][level][j] = d_[level][j] = T(0);

        batches_ = warp_uniform(ceil_div(tile_.y_end - first_row_ + warps_ * kLag, kBatch), lane_);
        if (warp_ == 0) {
            fetch(0);
            fetch(1);
        }
        for (int batch = 0; batch < batches_;) {
            const int end = warp_uniform(next_change(batch), lane_);
            if (at_an_edge(batch * kBatch))
                run_batches<true>(batch, end);
            else
                run_batches<false>(batch, end);
            batch = end;
        }
        if (warp_ == warps_ - 1) close_and_wait_for_stores<0>();
    }

  private:
    template <bool kEdge>
    __device__ void run_batches(int batch, int end) {
        using Bytes = unsigned char*;
        const Bytes halves = warp_uniform(reinterpret_cast<Bytes>(shared_.halves[warp_]));
        const Bytes ring = warp_uniform(reinterpret_cast<Bytes>(shared_.ring[warp_][0] + lane_ * kColumns));
        Turn turn(batch);
#pragma unroll 1
        for (; batch < end; ++batch) {
            Half* const before = reinterpret_cast<Half*>(halves) + turn.half;
            Half* const after = before + 2;
            T* const rows = reinterpret_cast<T*>(ring) + turn.half * (kBatch * kWidth);
            wait_until_full(before, turn);
            wait_until_freed(after, turn);
            step_batch<kEdge>(batch * kBatch, rows, rows + 2 * kBatch * kWidth);
            Rows::done(&before->freed, lane_);
            Rows::done(&after->full, lane_);
            if (warp_ == 0) fetch(batch + 2);
            if (warp_ == warps_ - 1) send(batch);
            turn.next();
        }
    }

    __device__ void locate() {
        const int ny = pass_.from.ny;
        const int levels = warps_ * kLevels;
        const StreamTile tile = pass_.tiles[blockIdx.x];
        tile_.origin = warp_uniform(tile.origin, lane_);
        tile_.x_begin = warp_uniform(tile.x_begin, lane_);
        tile_.x_end = warp_uniform(tile.x_end, lane_);
        tile_.y_begin = warp_uniform(tile.y_begin, lane_);
        tile_.y_end = warp_uniform(tile.y_end, lane_);
        first_row_ = warp_uniform(kWraps ? tile_.y_begin - levels : max(tile_.y_begin - levels, 0), lane_);
        end_row_ = warp_uniform(kWraps ? tile_.y_end + levels : min(tile_.y_end + levels, ny), lane_);
        beyond_east_ = kWraps ? 0 : max(tile_.origin + kWidth - pass_.from.nx, 0);
    }

    // Rows of one or two 16-byte aligned pieces are loaded by bulk copies or in packets of 16 bytes, others
    // cell by cell (periodic fields narrower than a strip or of unaligned width).
    __device__ void prepare_source() {
        const int nx = pass_.from.nx;
        strip_.gathers =
            kWraps && (nx < kWidth || nx % Rows::kPacket != 0 || pass_.from.ny < 2 * warps_ * kLevels);
        strip_.source = warp_uniform(tile_.origin < 0 ? tile_.origin + nx : tile_.origin, lane_);
        strip_.cells = kWidth;
        strip_.first_piece = kWraps ? warp_uniform(min(kWidth, nx - strip_.source), lane_) : kWidth;
        if (strip_.gathers)
            for (int k = warp_ * 32 + lane_; k < kWidth; k += warps_ * 32) {
                const int x = tile_.origin + k;
                shared_.source[k] = ((x % nx) + nx) % nx;
            }
        if (lane_ == 0)
            for (int half = 0; half < 2; ++half) {
                Rows::init(&shared_.halves[warp_][half], warp_ == 0, strip_);
                if (warp_ == 0) Rows::init(&shared_.halves[warps_][half], false, strip_);
            }
        fence_barrier_init();
        __syncthreads();
    }

    // The first warp.
    __device__ void fetch(int batch) {
        const int y0 = first_row_ + batch * kBatch;
        Row* ring = shared_.ring[0] + (batch & 1) * kBatch;
        Rows::fetch(
            pass_.from,
            strip_,
            y0,
            min(kBatch, end_row_ - first_row_ - batch * kBatch),
            1,
            &shared_.halves[0][batch & 1].full,
            lane_,
            [&](int r, int y, const auto& load) { load(ring[r], kWidth, pass_.from.row(y)); },
            [&](int r) {
                const int ny = pass_.from.ny;
                const T* row = pass_.from.row(kWraps ? (((y0 + r) % ny) + ny) % ny : y0 + r);
#pragma unroll
                for (int j = 0; j < kColumns; ++j)
                    copy_async<sizeof(T)>(ring[r] + j * 32 + lane_, row + shared_.source[j * 32 + lane_]);
            });
    }

    // The last warp.
    __device__ void send(int batch) {
        const Row* ring = shared_.ring[warps_] + (batch & 1) * kBatch;
        Rows::send(pass_.to,
                   tile_,
                   tile_.origin,
                   first_row_ + batch * kBatch - warps_ * kLag,
                   lane_,
                   [&](int y, const auto& store) { store(ring[0], kWidth, pass_.to.row(y)); });
        Rows::done(&shared_.halves[warps_][batch & 1].freed, lane_);
    }

    // ---- All warps make steps.

    // Level l takes row `first_row` in iteration warp * kLag + 2 l. It therefore takes the field's first row
    // in iteration top_ + 2 l and the one below its last row in iteration bottom_ + 2 l.
    __device__ bool at_an_edge(int iteration) const {
        if constexpr (kWraps) return false;
        if (beyond_east_ > 0) return true;
        constexpr unsigned kReach = 2 * (kLevels - 1) + kBatch;
        return unsigned(iteration - top_ + kBatch - 1) < kReach ||
               unsigned(iteration - bottom_ + kBatch - 1) < kReach;
    }

    // The first batch after this one for which at_an_edge() may change.
    __device__ int next_change(int batch) const {
        int next = batches_;
        if constexpr (!kWraps)
            for (const int row : {top_, bottom_})
                for (const int change : {row / kBatch, (row + 2 * (kLevels - 1)) / kBatch + 1})
                    if (change > batch) next = min(next, change);
        return next;
    }

    template <bool kEdge>
    __device__ void step_batch(int iteration, const T* in, T* out) {
        // Not unrolled further: the body must fit the instruction cache.
#pragma unroll 1
        for (int r = 0; r < kBatch; r += 2) {
            iterate<0, kEdge>(iteration + r, in + r * kWidth, out + r * kWidth);
            iterate<1, kEdge>(iteration + r + 1, in + (r + 1) * kWidth, out + (r + 1) * kWidth);
        }
    }

    // kNow: the half of rows_ that holds the newest row of each level.
    template <int kNow, bool kEdge>
    __device__ void iterate(int iteration, const T* in, T* out) {
        LaneRow<T, kColumns>::read(rows_[kNow][0], in);
        if constexpr (kEdge && !kWraps) {
            set_ghost_rows<kNow>(iteration);
            set_ghost_column<kNow>();
        }
        T done[kColumns];
        step_level<kNow>(kLevels - 1, done);
        LaneRow<T, kColumns>::write(out, done);
        // Last level first: each overwrites registers that the next one has finished with.
#pragma unroll
        for (int level = kLevels - 2; level >= 0; --level)
            step_level<kNow>(level, rows_[1 - kNow][level + 1]);
    }

    // With row r of this level, row r - 1 of the next level can be computed.
    template <int kNow>
    __device__ void step_level(int level, T (&out)[kColumns]) {
        T(&newest)[kColumns] = rows_[kNow][level];
        T(&before)[kColumns] = rows_[1 - kNow][level];
        T(&d)[kColumns] = d_[level];
        T west = from_west(before[kColumns - 1]);
        T east = from_east(newest[0]);
        T d_west;
        T d_last;
        if constexpr (B == Boundary::zero && sizeof(T) == sizeof(float)) {
            // With a factor of 0 or 1 no more instructions than in the interior; a select costs 1.6 %. So
            // that an infinite cell makes its row NaN at the field's edge.
            d_west = fma(west, lane_ == 0 ? T(0) : T(1), newest[0]);
            d_last = fma(east, lane_ == 31 ? T(0) : T(1), before[kColumns - 1]);
        } else {
            if constexpr (!kWraps) {
                west = lane_ == 0 ? B == Boundary::zero ? T(0) : before[0] : west;
                east = lane_ == 31 ? B == Boundary::zero ? T(0) : newest[kColumns - 1] : east;
            }
            d_west = west + newest[0];
            d_last = before[kColumns - 1] + east;
        }
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
            const T sum = d[j] + d_west;
            const T d_now = j < kColumns - 1 ? before[j] + newest[j < kColumns - 1 ? j + 1 : j] : d_last;
            out[j] = fma(ratio_[level], before[j], sum);
            if (kSteps == StreamLevels::scaled || level == kLevels - 1) out[j] *= scale_[level];
            d[j] = d_now;
            d_west = d_now;
        }
    }

    template <int kNow>
    __device__ void set_ghost_rows(int iteration) {
#pragma unroll
        for (int level = 0; level < kLevels; ++level) {
            T(&newest)[kColumns] = rows_[kNow][level];
            T(&before)[kColumns] = rows_[1 - kNow][level];
            const bool top = iteration == top_ + 2 * level;
            const bool bottom = iteration == bottom_ + 2 * level;
            if (top) {
#pragma unroll
                for (int j = 0; j < kColumns; ++j) before[j] = B == Boundary::zero ? T(0) : newest[j];
            }
            if (bottom) {
#pragma unroll
                for (int j = 0; j < kColumns; ++j) newest[j] = B == Boundary::zero ? T(0) : before[j];
            }
        }
    }

    // Sets the column after the field's last one, if it lies within a lane instead of beyond the strip.
    template <int kNow>
    __device__ void set_ghost_column() {
        const int ghost = kWidth - beyond_east_ - lane_ * kColumns;
        // Strips extend at most three columns beyond it.
        constexpr int kFirst = kColumns - kStripAlignment + 1;
#pragma unroll
        for (int level = 0; level < kLevels; ++level) {
            T(&newest)[kColumns] = rows_[kNow][level];
#pragma unroll
            for (int j = kColumns - 1; j >= kFirst; --j)
                if (j == ghost) newest[j] = B == Boundary::zero ? T(0) : newest[j - 1];
        }
    }

    const StreamPass<T>& pass_;
    Shared& shared_;
    const int lane_, warp_, warps_;
    StreamTile tile_;
    int first_row_, end_row_;  ///< rows read, including those that wrap around the field's ends
    Strip strip_;
    int beyond_east_;  ///< columns of the strip beyond the field's last one
    int top_, bottom_;
    int batches_;
    T rows_[2][kLevels][kColumns];
    T d_[kLevels][kColumns];
    T ratio_[kLevels];
    T scale_[kLevels];
};

template <class T, StreamShape kShape, StreamLevels kSteps, Boundary B>
__global__ void __launch_bounds__(32 * StreamingTuning<T>::kMaxWarps, 2)
    streaming_kernel(const __grid_constant__ StreamPass<T> pass) {
#ifdef __CUDA_ARCH__
    if constexpr (StreamingTuning<T>::has(__CUDA_ARCH__ / 10, kShape, kSteps)) {
        using Block = StreamBlock<T, kShape, kSteps, B>;
        SHARED_MEMORY(memory);
        Block block(pass,
                    *reinterpret_cast<typename Block::Shared*>(memory),
                    uniform_of_warp(int(threadIdx.y)),
                    int(blockDim.y));
        block.run();
    }
#endif
}

/// Calls f(kernel, bytes of shared memory) with the kernel for this launch.
template <class T, class F>
auto with_stream_kernel(const StreamLaunch& launch, F&& f) {
    return with_boundary(launch.boundary, [&](auto boundary) {
        const auto call = [&]<StreamShape kShape, StreamLevels kSteps>() {
            using Block = StreamBlock<T, kShape, kSteps, boundary.value>;
            return f(streaming_kernel<T, kShape, kSteps, boundary.value>,
                     int(Block::shared_bytes(launch.warps)));
        };
        using enum StreamShape;
        using enum StreamLevels;
        if (launch.levels == single) return call.template operator()<small, single>();
        if (launch.levels == scaled)
            return launch.shape == wide ? call.template operator()<wide, scaled>()
                                        : call.template operator()<small, scaled>();
        return launch.shape == wide     ? call.template operator()<wide, full>()
               : launch.shape == medium ? call.template operator()<medium, full>()
                                        : call.template operator()<small, full>();
    });
}

template <class T>
int stream_blocks_per_multiprocessor(const StreamLaunch& launch, const GpuFacts& gpu) {
    return with_stream_kernel<T>(launch, [&](auto kernel, int bytes) {
        const int fitting = gpu.blocks_with(bytes);
        cudaFuncAttributes code{};
        CUDA_CHECK(cudaFuncGetAttributes(&code, kernel));
        if (fitting == 0 || !StreamingTuning<T>::has(code.ptxVersion, launch.shape, launch.levels)) return 0;
        // Set to the maximum once, because launches with different numbers of warps follow one another.
        CUDA_CHECK(
            cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, gpu.shared_per_block));
        int blocks = 0;
        CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, kernel, 32 * launch.warps, std::size_t(bytes)));
        return std::min(blocks, fitting);
    });
}

template <class T>
void launch_stream(const StreamPass<T>& pass, const StreamLaunch& launch) {
    with_stream_kernel<T>(launch, [&](auto kernel, int bytes) {
        kernel<<<unsigned(launch.blocks),
                 dim3(32, unsigned(launch.warps)),
                 std::size_t(bytes),
                 launch.stream>>>(pass);
        check_launch("streaming_kernel");
    });
}

}  // namespace stencil
