#include "kernels/examples/matmul/split/residue_split.cuh"

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/reductions.cuh"
#include "kernels/examples/matmul/split/residues.h"
#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

constexpr int kThreads = 256;
constexpr int kTogether = 4;   // numbers along k that a thread writes at once
constexpr int kTile = 64;      // columns, and numbers along k, of a transposed block
constexpr int kMaxRows = 128;  // rows that a block looks through for the largest

// To integers of the given number of bits, in two steps, because 2^exponent itself may be no float64. NaN
// where a value is not finite, and so not less than infinity.
struct Scale {
    double first = 0, second = 0;
    int exponent = 0;

    __device__ Scale(double largest, int bits) {
        if (!(largest < INFINITY)) {
            exponent = -kNotFinite;
            return;
        }
        if (largest > 0) exponent = bits - 1 - ilogb(largest);
        first = power(exponent / 2);
        second = power(exponent - exponent / 2);
    }
    __device__ static double power(int e) { return __hiloint2double((e + 1023) << 20, 0); }
    __device__ double operator()(double x) const {
        return exponent == -kNotFinite ? 0 : rint(x * first * second);
    }
};

// Larger than any number for what is none, so that it shows in a maximum.
__device__ unsigned long long size_bits(double x) {
    return (unsigned long long)(__double_as_longlong(fabs(x)));
}

__device__ double from_bits(unsigned long long bits) {
    return __longlong_as_double((long long)(bits));
}

// Four numbers from k on, for all moduli; `stride` is from one modulus to the next.
__device__ void write(signed char* to, std::int64_t stride, const double (&x)[kTogether]) {
    constexpr Moduli kModulus;
#pragma unroll
    for (int i = 0; i < kModuli; ++i) {
        const double p = kModulus.of[i];
        char4 packed;
        signed char* const bytes = reinterpret_cast<signed char*>(&packed);
#pragma unroll
        for (int j = 0; j < kTogether; ++j) {
            bytes[j] = static_cast<signed char>(residue_of(x[j], p));
        }
        *reinterpret_cast<char4*>(to + i * stride) = packed;
    }
}

// A block has one row: the second time it comes from the cache.
__global__ void __launch_bounds__(kThreads) rows_kernel(ResidueFactor a, int bits) {
    const std::int64_t row = blockIdx.x;
    const double* const from = a.values + row * a.k;
    unsigned long long largest = 0;
    for (std::int64_t k = threadIdx.x; k < a.k; k += kThreads) largest = max(largest, size_bits(from[k]));
    const Scale scale(
        from_bits(block_reduce(
            largest, [](unsigned long long a, unsigned long long b) { return max(a, b); }, 0ull)),
        bits);
    for (std::int64_t k = threadIdx.x * kTogether; k < a.pitch; k += kThreads * kTogether) {
        double x[kTogether];
        for (int i = 0; i < kTogether; ++i) x[i] = k + i < a.k ? scale(from[k + i]) : 0;
        write(a.residues + row * a.pitch + k, a.rows * a.pitch, x);
    }
    if (threadIdx.x == 0) a.exponents[row] = -scale.exponent;
}

// Sizes of numbers are in the order of their bits, and the order of the blocks does not matter to a maximum.
__global__ void __launch_bounds__(kThreads) column_max_kernel(ResidueFactor b) {
    const std::int64_t column = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (column >= b.rows) return;
    const std::int64_t first = std::int64_t(blockIdx.y) * kMaxRows;
    const std::int64_t last = min(b.k, first + kMaxRows);
    unsigned long long mine = 0;
#pragma unroll 16
    for (std::int64_t k = first; k < last; ++k) mine = max(mine, size_bits(b.values[k * b.rows + column]));
    atomicMax(b.scratch + column, mine);
}

__global__ void __launch_bounds__(kThreads) columns_kernel(ResidueFactor b, int bits) {
    __shared__ double tile[kTile][kTile + 1];
    const std::int64_t first_k = std::int64_t(blockIdx.y) * kTile;
    const std::int64_t first = std::int64_t(blockIdx.x) * kTile;
    const int x = int(threadIdx.x) % kTile;
    for (int y = int(threadIdx.x) / kTile; y < kTile; y += kThreads / kTile) {
        const bool there = first_k + y < b.k && first + x < b.rows;
        tile[y][x] = there ? b.values[(first_k + y) * b.rows + first + x] : 0;
    }
    __syncthreads();
    constexpr int kGroups = kTile / kTogether;
    const int k = int(threadIdx.x) % kGroups * kTogether;
    for (int j = int(threadIdx.x) / kGroups; j < kTile; j += kThreads / kGroups) {
        const std::int64_t column = first + j;
        if (column >= b.rows) return;
        const Scale scale(from_bits(b.scratch[column]), bits);
        double values[kTogether];
        for (int i = 0; i < kTogether; ++i) values[i] = scale(tile[k + i][j]);
        write(b.residues + column * b.pitch + first_k + k, b.rows * b.pitch, values);
        if (first_k + k == 0) b.exponents[column] = -scale.exponent;
    }
}

__global__ void __launch_bounds__(kThreads)
    values_kernel(ResidueResult result, MatmulCall<double> call, Reconstruction weights) {
    const std::int64_t column = (std::int64_t(blockIdx.x) * kThreads + threadIdx.x) * kTogether;
    const std::int64_t row = blockIdx.y;
    if (column >= call.shape.n) return;
    const signed char* const residues = result.residues + row * result.pitch + column;
    char4 packed[kModuli];
#pragma unroll
    for (int i = 0; i < kModuli; ++i)
        packed[i] = *reinterpret_cast<const char4*>(residues + i * call.shape.m * result.pitch);
    const int row_exponent = result.row_exponents[row];
    double* const c = call.c + row * call.shape.n;
#pragma unroll
    for (int j = 0; j < kTogether; ++j) {
        if (column + j >= call.shape.n) return;
        int residue[kModuli];
#pragma unroll
        for (int i = 0; i < kModuli; ++i) residue[i] = reinterpret_cast<const signed char*>(&packed[i])[j];
        const int exponent = row_exponent + result.column_exponents[column + j];
        const bool normal = exponent >= -1022 && exponent <= 1023;
        double value = value_of(residue, weights);
        if (normal)
            value *= Scale::power(exponent);
        else
            value = exponent > kNotFinite / 2 ? NAN : ldexp(value, exponent);
        c[column + j] = call.accumulate ? c[column + j] + value : value;
    }
}

}  // namespace

void residues_of_rows(const ResidueFactor& a, cudaStream_t stream) {
    rows_kernel<<<unsigned(a.rows), kThreads, 0, stream>>>(a, residue_bits(a.k));
    check_launch("rows_kernel");
}

void residues_of_columns(const ResidueFactor& b, cudaStream_t stream) {
    CUDA_CHECK(cudaMemsetAsync(b.scratch, 0, std::size_t(b.rows) * sizeof(*b.scratch), stream));
    column_max_kernel<<<dim3(unsigned(ceil_div(b.rows, kThreads)), unsigned(ceil_div(b.k, kMaxRows))),
                        kThreads,
                        0,
                        stream>>>(b);
    check_launch("column_max_kernel");
    const dim3 tiles(unsigned(ceil_div(b.rows, kTile)), unsigned(ceil_div(b.pitch, kTile)));
    columns_kernel<<<tiles, kThreads, 0, stream>>>(b, residue_bits(b.k));
    check_launch("columns_kernel");
}

void values_of_residues(const ResidueResult& result, const MatmulCall<double>& call, cudaStream_t stream) {
    const dim3 grid(unsigned(ceil_div(call.shape.n, kThreads * kTogether)), unsigned(call.shape.m));
    static const Reconstruction weights = reconstruction();
    values_kernel<<<grid, kThreads, 0, stream>>>(result, call, weights);
    check_launch("values_kernel");
}

}  // namespace stencil::matmul
