// Steps of Golub-Kahan bidiagonalisation (Golub and Kahan 1965; in the form of Paige and Saunders 1982) in
// one cooperative kernel, whose scalars stay on the device. Step k from u_k, v_k and alpha_k:
//
//     forward   beta_{k+1}  u_{k+1} = A   v_k     - alpha_k    u_k
//     back      alpha_{k+1} v_{k+1} = A^T u_{k+1} - beta_{k+1} v_k
//
// Each is one phase, alike but for its matrix: every block computes its rows of the right-hand side and adds
// up its part of their squares; after a barrier of the grid each block adds up all parts, which gives the
// length on the left. Vectors are stored as they are on the right, and divided by their length where they are
// read.
//
// Where a dominant singular value was taken out (A q = sigma p, A^T p = sigma q), u is kept orthogonal to p
// and v to q: the phase adds up the part along p or q beside the squares, and who reads the vector subtracts
// it.
#pragma once

#include <cooperative_groups.h>

#include "kernels/examples/ridge/golub_kahan/packed_rows.cuh"

namespace stencil {

/// Scalars of the two current vectors.
struct StepScalars {
    double alpha = 0, q_part = 0;  ///< |v| once its part along q is taken away, and that part
    double beta = 0, p_part = 0;
};

template <class T, class I>
struct StepsTask {
    PackedView<T, I> forward, back;
    double* segment_sums = nullptr;  ///< for either product
    int rows = 0, columns = 0;
    double* u = nullptr;
    double* v = nullptr;
    const double* p = nullptr;  ///< the dominant part that is taken out; null: none
    const double* q = nullptr;
    double* basis = nullptr;  ///< the first of these steps' vectors v
    std::int64_t pitch = 0;
    double* unit_u = nullptr;    ///< normalised u, where vectors do not fit shared memory
    double2* partial = nullptr;  ///< two for each block
    StepScalars* scalars = nullptr;
    double* trace = nullptr;  ///< beta and alpha of each step
    int steps = 0;
    bool only_back = false;  ///< the first step begins with u in place
    bool power = false;      ///< power iteration: nothing is subtracted
};

/// A stored vector, its part along `part` taken out, and normalised.
struct Normalised {
    const double* vector;
    const double* part;
    double along;
    double factor;

    __device__ double at(int i) const { return of(vector[i], part ? part[i] : 0); }
    __device__ double of(double value, double of_part) const { return (value - along * of_part) * factor; }
};

/// One phase of a step: out = A x - subtract * old, where old is what `out` was, normalised.
template <class T, class I>
struct Phase {
    PackedView<T, I> a;
    std::uint32_t first_row, end_row, first_segment, end_segment;  ///< of the block
    double* segment_sums;
    double* out;
    double2* partial;
    Normalised old = {};
    double subtract = 0;

    __device__ Phase(const PackedView<T, I>& matrix, double* sums, double* to, double2* parts)
        : a(matrix),
          first_row(a.parts[blockIdx.x]),
          end_row(a.parts[blockIdx.x + 1]),
          first_segment(a.row_segments[first_row]),
          end_segment(a.row_segments[end_row]),
          segment_sums(sums),
          out(to),
          partial(parts) {}
};

/// All blocks' partial sums, the same in every thread of every block.
__device__ inline double2 all_sums(const double2* partial) {
    __shared__ double2 total;
    double2 sum = {0, 0};
    if (threadIdx.x < 32) {
        for (int i = threadIdx.x; i < int(gridDim.x); i += 32) {
            const double2 one = __ldcg(partial + i);
            sum.x += one.x;
            sum.y += one.y;
        }
        sum = warp_sum(sum);
        if (threadIdx.x == 0) total = sum;
    }
    __syncthreads();
    const double2 result = total;
    __syncthreads();
    return result;
}

/// Leaves the sum of squares of `out` and its part along `old.part` in the sums of this phase.
template <class T, class I>
__device__ void run_phase(const Phase<T, I>& phase, const double* x) {
    sum_segments(phase.a, phase.first_segment, phase.end_segment, x, phase.segment_sums);
    __syncthreads();
    double2 sums = {0, 0};
    for (std::uint32_t row = phase.first_row + threadIdx.x; row < phase.end_row; row += blockDim.x) {
        double value = 0;
        for (std::uint32_t segment = phase.a.row_segments[row]; segment < phase.a.row_segments[row + 1];
             ++segment)
            value += phase.segment_sums[segment];
        if (phase.subtract != 0) value -= phase.subtract * phase.old.at(int(row));
        phase.out[row] = value;
        sums.x += value * value;
        if (phase.old.part) sums.y += value * phase.old.part[row];
    }
    sums = block_sum(sums);
    if (threadIdx.x == 0) phase.partial[blockIdx.x] = sums;
}

/// All of a vector to this block's shared memory: many loads at once, because each takes long.
__device__ inline void stage_shared(const Normalised& from, int count, double* staged) {
    constexpr int kAtOnce = 5;
    const int pairs = count / 2, stride = int(blockDim.x);
    const double2* vector = reinterpret_cast<const double2*>(from.vector);
    const double2* part = reinterpret_cast<const double2*>(from.part);
    for (int first = threadIdx.x; first < pairs; first += kAtOnce * stride) {
        double2 value[kAtOnce], of_part[kAtOnce] = {};
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
            if (first + k * stride < pairs) value[k] = __ldcg(vector + first + k * stride);
        if (part) {
#pragma unroll
            for (int k = 0; k < kAtOnce; ++k)
                if (first + k * stride < pairs) of_part[k] = __ldcg(part + first + k * stride);
        }
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k)
            if (first + k * stride < pairs)
                reinterpret_cast<double2*>(staged)[first + k * stride] = {from.of(value[k].x, of_part[k].x),
                                                                          from.of(value[k].y, of_part[k].y)};
    }
    if (threadIdx.x == 0 && count % 2 != 0) staged[count - 1] = from.at(count - 1);
}

/// Brings a vector to where products read it: all of it to this block's shared memory, or this block's part
/// of it to global memory. This block's part goes to `copy` too, where there is one.
template <bool shared>
__device__ const double* stage(const Normalised& from, int count, double* staged, double* copy) {
    const int part = ceil_div(count, int(gridDim.x));
    const int begin = min(count, part * int(blockIdx.x)), end = min(count, begin + part);
    if constexpr (shared) {
        stage_shared(from, count, staged);
        __syncthreads();
        if (copy)
            for (int i = begin + int(threadIdx.x); i < end; i += blockDim.x) copy[i] = staged[i];
        return staged;
    } else {
        for (int i = begin + int(threadIdx.x); i < end; i += blockDim.x) copy[i] = from.at(i);
        cooperative_groups::this_grid().sync();
        return copy;
    }
}

__device__ inline double inverse(double length) {
    return length > 0 ? 1 / length : 0;
}

inline constexpr int kStepsThreads = 512;

template <class T, class I, bool shared>
__global__ void __launch_bounds__(kStepsThreads, 1) steps_kernel(const StepsTask<T, I> task) {
    extern __shared__ __align__(16) double staged[];  // read and written as double2
    const auto grid = cooperative_groups::this_grid();
    StepScalars s = *task.scalars;
    Phase<T, I> forward(task.forward, task.segment_sums, task.u, task.partial);
    Phase<T, I> back(task.back, task.segment_sums, task.v, task.partial + gridDim.x);
    grid.sync();
    for (int step = 0; step < task.steps; ++step) {
        const Normalised v{task.v, task.q, s.q_part, inverse(s.alpha)};
        if (step > 0 || !task.only_back) {
            const double* x = stage<shared>(v, task.columns, staged, task.basis + step * task.pitch);
            forward.old = {task.u, task.p, s.p_part, inverse(s.beta)};
            forward.subtract = task.power ? 0 : s.alpha;
            run_phase(forward, x);
            grid.sync();
            const double2 sums = all_sums(forward.partial);
            s.p_part = sums.y;
            s.beta = sqrt(fmax(0.0, sums.x - sums.y * sums.y));
        }
        const Normalised u{task.u, task.p, s.p_part, inverse(s.beta)};
        const double* x = stage<shared>(u, task.rows, staged, shared ? nullptr : task.unit_u);
        back.old = v;
        back.subtract = task.power || (step == 0 && task.only_back) ? 0 : s.beta;
        run_phase(back, x);
        grid.sync();
        const double2 sums = all_sums(back.partial);
        s.q_part = sums.y;
        s.alpha = sqrt(fmax(0.0, sums.x - sums.y * sums.y));
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            task.trace[2 * step] = s.beta;
            task.trace[2 * step + 1] = s.alpha;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *task.scalars = s;
}

}  // namespace stencil
