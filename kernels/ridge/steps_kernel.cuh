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
    double* unit_u = nullptr;    ///< normalised u, where vectors do not fit shared memory
    double2* partial = nullptr;  ///< two for each block
    StepScalars* scalars = nullptr;
    double* trace = nullptr;  ///< beta and alpha of each step
    int steps = 0;
    bool only_back = false;  ///< the first step begins with u in place
    bool power = false;      ///< power iteration: nothing is subtracted
    std::uint32_t ahead =
        0;                 ///< groups of the matrix that each block fetches ahead, also of the next product
    float kept_share = 0;  ///< of the forward product's units, kept in the second-level cache
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

/// What a block does of one of the two products.
struct BlockShare {
    std::uint32_t first_row, end_row;
    UnitRange units;
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

/// One phase of a step: out = A x - subtract * old, where old is what `out` was, normalised. Leaves the sums
/// of squares of `out` and its part along `old.part` in `partial`. While sums are formed and blocks wait for
/// each other, the next phase's matrix is already on its way to the cache. All that does not change is read
/// from the task and from shared memory where it is needed, which leaves the registers to the matrix.
template <bool back, class T, class I>
__device__ void run_phase(const StepsTask<T, I>& task,
                          const BlockShare* shares,
                          const Normalised& old,
                          double subtract,
                          const double* x) {
    const UnitsView<T, I>& a = back ? task.back : task.forward;
    const BlockShare& share = shares[back];
    sum_units(a, share.units, task.ahead, x, task.unit_sums);
    if (threadIdx.x == 0 && task.ahead > 0)
        fetch_groups(back ? task.forward : task.back, shares[!back].units, 0, task.ahead);
    __syncthreads();
    double* out = back ? task.v : task.u;
    double2 sums = {0, 0};
    for (std::uint32_t row = share.first_row + threadIdx.x; row < share.end_row; row += blockDim.x) {
        double value = 0;
        for (std::uint32_t unit = a.row_units[row]; unit < a.row_units[row + 1]; ++unit)
            value += task.unit_sums[unit];
        if (subtract != 0) value -= subtract * old.at(int(row));
        out[row] = value;
        sums.x += value * value;
        if (old.part) sums.y += value * old.part[row];
    }
    sums = block_sum(sums);
    if (threadIdx.x == 0) task.partial[blockIdx.x + (back ? gridDim.x : 0)] = sums;
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
    const int part = (count + int(gridDim.x) - 1) / int(gridDim.x);
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

/// The block's share of a product, of whose units a part is kept in the cache.
template <class T, class I>
__device__ BlockShare share_of(const UnitsView<T, I>& a, const std::uint32_t* parts, float kept) {
    BlockShare share{parts[blockIdx.x], parts[blockIdx.x + 1], {}};
    const std::uint32_t begin = a.row_units[share.first_row], end = a.row_units[share.end_row];
    share.units = {begin, end - std::uint32_t(kept * float(end - begin)), end, 0, 0};
    if (begin == end) return share;
    share.units.first_group = a.units[begin].group;
    share.units.end_group = a.units[end - 1].group + a.units[end - 1].groups;
    return share;
}

/// A length without the part that is taken away.
__device__ inline double length_without(double2 sums) {
    return sqrt(fmax(0.0, sums.x - sums.y * sums.y));
}

template <class T, class I, bool shared>
__global__ void __launch_bounds__(512, 1) steps_kernel(const __grid_constant__ StepsTask<T, I> task) {
    extern __shared__ double staged[];
    __shared__ BlockShare shares[2];
    const auto grid = cooperative_groups::this_grid();
    StepScalars s = *task.scalars;
    if (threadIdx.x == 0) {
        shares[0] = share_of(task.forward, task.forward_parts, task.kept_share);
        shares[1] = share_of(task.back, task.back_parts, 0);
    }
    grid.sync();
    for (int step = 0; step < task.steps; ++step) {
        const bool begins = step == 0 && task.only_back;
        const Normalised v{task.v, task.q, s.q_part, inverse(s.alpha)};
        if (!begins) {
            const double* x = stage<shared>(v, task.columns, staged, task.basis + step * task.pitch);
            const Normalised u{task.u, task.p, s.p_part, inverse(s.beta)};
            run_phase<false>(task, shares, u, task.power ? 0 : s.alpha, x);
            grid.sync();
            const double2 sums = all_sums(task.partial);
            s.p_part = sums.y;
            s.beta = length_without(sums);
        }
        const Normalised u{task.u, task.p, s.p_part, inverse(s.beta)};
        const double* x = stage<shared>(u, task.rows, staged, shared ? nullptr : task.unit_u);
        run_phase<true>(task, shares, v, task.power || begins ? 0 : s.beta, x);
        grid.sync();
        const double2 sums = all_sums(task.partial + gridDim.x);
        s.q_part = sums.y;
        s.alpha = length_without(sums);
        if (blockIdx.x == 0 && threadIdx.x == 0) {
            task.trace[2 * step] = s.beta;
            task.trace[2 * step + 1] = s.alpha;
        }
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) *task.scalars = s;
}

}  // namespace stencil
