// Steps of the Golub-Kahan process in one cooperative kernel: all scalars stay on the device.
#pragma once

#include "kernels/ridge/units.cuh"

namespace stencil {

/// What is known of the two current vectors, which are stored before their normalisation.
struct StepScalars {
    double alpha = 0, q_part = 0;  ///< |v| once its part along q is taken away, and that part
    double beta = 0, p_part = 0;
};

template <class T, class I>
struct StepsTask {
    UnitsView<T, I> forward, back;
    const std::uint32_t* forward_parts = nullptr;  ///< each block's rows
    const std::uint32_t* back_parts = nullptr;
    double* unit_sums = nullptr;  ///< for either product
    int rows = 0, columns = 0;
    double* u = nullptr;
    double* v = nullptr;
    const double* p = nullptr;  ///< the dominant part that is taken out; null: none
    const double* q = nullptr;
    double* basis = nullptr;  ///< the first of these steps' vectors v
    std::int64_t pitch = 0;
    double* unit_u = nullptr;     ///< normalised u, where vectors do not fit shared memory
    double2* partial = nullptr;   ///< two for each block
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

    __device__ double at(int i) const {
        const double value = part ? vector[i] - along * part[i] : vector[i];
        return value * factor;
    }
};

/// One phase of a step: out = A x - subtract * old, where old is what `out` was, normalised.
template <class T, class I>
struct Phase {
    UnitsView<T, I> a;
    const std::uint32_t* parts;
    double* unit_sums;
    Normalised old;
    double* out;
    double subtract;
    double2* partial;
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
        sum.x = warp_sum(sum.x);
        sum.y = warp_sum(sum.y);
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
    const std::uint32_t first = phase.parts[blockIdx.x], end = phase.parts[blockIdx.x + 1];
    sum_units(phase.a, phase.a.row_units[first], phase.a.row_units[end], x, phase.unit_sums);
    __syncthreads();
    double2 sums = {0, 0};
    for (std::uint32_t row = first + threadIdx.x; row < end; row += blockDim.x) {
        double value = 0;
        for (std::uint32_t unit = phase.a.row_units[row]; unit < phase.a.row_units[row + 1]; ++unit)
            value += phase.unit_sums[unit];
        if (phase.subtract != 0) value -= phase.subtract * phase.old.at(int(row));
        phase.out[row] = value;
        sums.x += value * value;
        if (phase.old.part) sums.y += value * phase.old.part[row];
    }
    sums = block_sum(sums);
    if (threadIdx.x == 0) phase.partial[blockIdx.x] = sums;
}

/// Brings a vector to where products read it: all of it to this block's shared memory, or this block's part of
/// it to global memory. This block's part goes to `copy` too, where there is one.
template <bool shared>
__device__ const double* stage(const Normalised& from, int count, double* staged, double* copy) {
    const int part = (count + int(gridDim.x) - 1) / int(gridDim.x);
    const int begin = min(count, part * int(blockIdx.x)), end = min(count, begin + part);
    if constexpr (shared) {
#pragma unroll 4
        for (int i = threadIdx.x; i < count; i += blockDim.x) {
            const double value = from.at(i);
            staged[i] = value;
            if (copy && i >= begin && i < end) copy[i] = value;
        }
        __syncthreads();
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

template <class T, class I, bool shared>
__global__ void __launch_bounds__(512, 1) steps_kernel(const StepsTask<T, I> task) {
    extern __shared__ double staged[];
    const auto grid = cooperative_groups::this_grid();
    StepScalars s = *task.scalars;
    grid.sync();
    for (int step = 0; step < task.steps; ++step) {
        const Normalised v{task.v, task.q, s.q_part, inverse(s.alpha)};
        const Normalised u{task.u, task.p, s.p_part, inverse(s.beta)};
        if (step > 0 || !task.only_back) {
            const double* x = stage<shared>(v, task.columns, staged, task.basis + step * task.pitch);
            const double alpha = task.power ? 0 : s.alpha;
            run_phase(Phase<T, I>{task.forward, task.forward_parts, task.unit_sums, u, task.u, alpha, task.partial},
                      x);
            grid.sync();
            const double2 sums = all_sums(task.partial);
            s.p_part = sums.y;
            s.beta = sqrt(fmax(0.0, sums.x - sums.y * sums.y));
        }
        const Normalised next_u{task.u, task.p, s.p_part, inverse(s.beta)};
        const double* x = stage<shared>(next_u, task.rows, staged, shared ? nullptr : task.unit_u);
        const double beta = task.power || (step == 0 && task.only_back) ? 0 : s.beta;
        run_phase(
            Phase<T, I>{
                task.back, task.back_parts, task.unit_sums, v, task.v, beta, task.partial + gridDim.x},
            x);
        grid.sync();
        const double2 sums = all_sums(task.partial + gridDim.x);
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
