#include "kernels/examples/matmul/hopper/residue_product.cuh"

#include <algorithm>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/cuda_grid.cuh"
#include "kernels/examples/matmul/hopper/pipeline.cuh"
#include "kernels/examples/matmul/hopper/tensor_map.cuh"
#include "kernels/examples/matmul/split/residues.h"
#include "kernels/field/divide.h"

namespace stencil::matmul::hopper {
#if STENCIL_BULK_COPIES
namespace {

constexpr int kRows = 128, kColumns = 256;  // of a block's tile
constexpr int kStages = 4;
constexpr int kBytesA = kRows * kResidueDepth, kBytesB = kColumns * kResidueDepth;
constexpr int kThreads = 3 * 128;             // a warpgroup that fetches and two that multiply, 64 rows each
constexpr int kValues = 64 * kColumns / 128;  // of the tile, of a thread
constexpr int kGroup =
    16;  // rows of tiles that are walked together, so that their operands stay in the L2 cache

struct Stage {
    unsigned char a[kBytesA];
    unsigned char b[kBytesB];
};

struct Shared {
    alignas(1024) Stage stages[kStages];
    PhaseBarrier full[kStages];
    PhaseBarrier empty[kStages];
};
constexpr int kSharedBytes = int(sizeof(Shared)) + 1024;  // so that it can be aligned

struct Tile {
    int modulus, row, column;
};

struct Tiles {
    int rows, columns;
    __device__ int count() const { return rows * columns * kModuli; }
    // Modulus by modulus, and column by column within bands of kGroup rows.
    __device__ Tile at(int index) const {
        const int modulus = index / (rows * columns);
        const int rest = index - modulus * rows * columns;
        const int band = rest / (kGroup * columns);
        const int height = min(kGroup, rows - band * kGroup);
        const int within = rest - band * kGroup * columns;
        return {modulus, (band * kGroup + within % height) * kRows, within / height * kColumns};
    }
};

// Rows beyond the last of a modulus are those of the next, and what comes of them is not stored.
__device__ void fetch(
    const CUtensorMap& a, const CUtensorMap& b, Shared& shared, Tiles tiles, const ResidueProduct& p) {
    RingIndex turn;
    for (int index = int(blockIdx.x); index < tiles.count(); index += int(gridDim.x)) {
        const Tile tile = tiles.at(index);
        const int row = tile.modulus * int(p.shape.m) + tile.row;
        const int column = tile.modulus * int(p.shape.n) + tile.column;
        for (int k = 0; k < int(p.depth); k += kResidueDepth) {
            shared.empty[turn.stage].wait(turn.phase ^ 1);
            shared.full[turn.stage].expect(kBytesA + kBytesB);
            Stage& to = shared.stages[turn.stage];
            load_box(to.a, a, k, row, shared.full[turn.stage]);
            load_box(to.b, b, k, column, shared.full[turn.stage]);
            turn.next(kStages);
        }
    }
}

/// d (64 x 256, spread over the warpgroup) = [d +] A (64 x 32) B (256 x 32) transposed, 8-bit integers in
/// shared memory, sums in 32 bits.
__device__ __forceinline__ void add_product(int (&d)[kValues],
                                            unsigned long long a,
                                            unsigned long long b,
                                            bool add) {
    asm volatile(
        "{\n"
        ".reg .pred add;\n"
        "setp.ne.b32 add, %130, 0;\n"
        "wgmma.mma_async.sync.aligned.m64n256k32.s32.s8.s8 "
        "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, "
        "%20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, "
        "%38, %39, %40, %41, %42, %43, %44, %45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, "
        "%56, %57, %58, %59, %60, %61, %62, %63, %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, "
        "%74, %75, %76, %77, %78, %79, %80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, "
        "%92, %93, %94, %95, %96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, "
        "%108, %109, %110, %111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, "
        "%123, %124, %125, %126, %127}, "
        "%128, %129, add;\n"
        "}\n"
        // clang-format off
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3]), "+r"(d[4]), "+r"(d[5]), "+r"(d[6]), "+r"(d[7]),
          "+r"(d[8]), "+r"(d[9]), "+r"(d[10]), "+r"(d[11]), "+r"(d[12]), "+r"(d[13]), "+r"(d[14]), "+r"(d[15]),
          "+r"(d[16]), "+r"(d[17]), "+r"(d[18]), "+r"(d[19]), "+r"(d[20]), "+r"(d[21]), "+r"(d[22]), "+r"(d[23]),
          "+r"(d[24]), "+r"(d[25]), "+r"(d[26]), "+r"(d[27]), "+r"(d[28]), "+r"(d[29]), "+r"(d[30]), "+r"(d[31]),
          "+r"(d[32]), "+r"(d[33]), "+r"(d[34]), "+r"(d[35]), "+r"(d[36]), "+r"(d[37]), "+r"(d[38]), "+r"(d[39]),
          "+r"(d[40]), "+r"(d[41]), "+r"(d[42]), "+r"(d[43]), "+r"(d[44]), "+r"(d[45]), "+r"(d[46]), "+r"(d[47]),
          "+r"(d[48]), "+r"(d[49]), "+r"(d[50]), "+r"(d[51]), "+r"(d[52]), "+r"(d[53]), "+r"(d[54]), "+r"(d[55]),
          "+r"(d[56]), "+r"(d[57]), "+r"(d[58]), "+r"(d[59]), "+r"(d[60]), "+r"(d[61]), "+r"(d[62]), "+r"(d[63]),
          "+r"(d[64]), "+r"(d[65]), "+r"(d[66]), "+r"(d[67]), "+r"(d[68]), "+r"(d[69]), "+r"(d[70]), "+r"(d[71]),
          "+r"(d[72]), "+r"(d[73]), "+r"(d[74]), "+r"(d[75]), "+r"(d[76]), "+r"(d[77]), "+r"(d[78]), "+r"(d[79]),
          "+r"(d[80]), "+r"(d[81]), "+r"(d[82]), "+r"(d[83]), "+r"(d[84]), "+r"(d[85]), "+r"(d[86]), "+r"(d[87]),
          "+r"(d[88]), "+r"(d[89]), "+r"(d[90]), "+r"(d[91]), "+r"(d[92]), "+r"(d[93]), "+r"(d[94]), "+r"(d[95]),
          "+r"(d[96]), "+r"(d[97]), "+r"(d[98]), "+r"(d[99]), "+r"(d[100]), "+r"(d[101]), "+r"(d[102]), "+r"(d[103]),
          "+r"(d[104]), "+r"(d[105]), "+r"(d[106]), "+r"(d[107]), "+r"(d[108]), "+r"(d[109]), "+r"(d[110]), "+r"(d[111]),
          "+r"(d[112]), "+r"(d[113]), "+r"(d[114]), "+r"(d[115]), "+r"(d[116]), "+r"(d[117]), "+r"(d[118]), "+r"(d[119]),
          "+r"(d[120]), "+r"(d[121]), "+r"(d[122]), "+r"(d[123]), "+r"(d[124]), "+r"(d[125]), "+r"(d[126]), "+r"(d[127])
        // clang-format on
        : "l"(a), "l"(b), "r"(int(add)));
}

// Starts the products of a stage.
__device__ __forceinline__ void multiply(int (&sums)[kValues], const Stage& stage, int group, bool add) {
    const unsigned long long a = matrix_of(shared_address(stage.a) + unsigned(group) * (kBytesA / 2));
    const unsigned long long b = matrix_of(shared_address(stage.b));
    begin_products();
#pragma unroll
    for (int k = 0; k < kResidueDepth / 32; ++k) add_product(sums, a + 2 * k, b + 2 * k, add || k > 0);
    end_products();
}

// Into -p/2 to p/2: the quotient by multiplication with 2^32 / p is exact or off by one where that does not
// matter.
__device__ __forceinline__ int residue(int sum, int p, int inverse) {
    const int rest = sum - __mulhi(sum, inverse) * p;
    return rest > p / 2 ? rest - p : rest;
}

// Pairs of columns, two lanes' together: the even one of two neighbours gets four columns of an even group of
// eight, the odd one those of the group beside it.
__device__ __forceinline__ void store(const ResidueProduct& p,
                                      const int (&sums)[kValues],
                                      Tile tile,
                                      int group) {
    constexpr Moduli kModulus;
    int modulus = 0;
#pragma unroll
    for (int i = 0; i < kModuli; ++i)
        if (i == tile.modulus) modulus = kModulus.of[i];
    const int inverse = int((1ull << 32) / unsigned(modulus));
    const int thread = int(threadIdx.x) % 128, lane = thread % 32;
    const bool odd = lane % 2 == 1;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        const int row = tile.row + group * 64 + thread / 32 * 16 + lane / 4 + 8 * half;
        signed char* const c = p.c + (tile.modulus * p.shape.m + row) * p.pitch;
#pragma unroll
        for (int j = 0; j < kColumns / 8; j += 2) {
            unsigned pair[2];
#pragma unroll
            for (int i = 0; i < 2; ++i) {
                const int at = 4 * (j + i) + 2 * half;
                const int first = residue(sums[at], modulus, inverse);
                const int second = residue(sums[at + 1], modulus, inverse);
                pair[i] = (unsigned(first) & 0xff) | (unsigned(second) & 0xff) << 8;
            }
            const unsigned other = __shfl_xor_sync(~0u, odd ? pair[0] : pair[1], 1);
            const unsigned four = odd ? other | pair[1] << 16 : pair[0] | other << 16;
            const int column = tile.column + 8 * (j + odd) + lane % 4 / 2 * 4;
            if (row < int(p.shape.m) && column < int(p.pitch))
                *reinterpret_cast<unsigned*>(c + column) = four;
        }
    }
}

__device__ void consume(const ResidueProduct& p, Shared& shared, Tiles tiles, int group) {
    const int thread = int(threadIdx.x) % 128;
    const int steps = int(p.depth) / kResidueDepth;
    RingIndex turn, done;
    int sums[kValues];
    const auto finish = [&] {
        if (thread == 0) shared.empty[done.stage].arrive();
        done.next(kStages);
    };
    for (int index = int(blockIdx.x); index < tiles.count(); index += int(gridDim.x)) {
        for (int step = 0; step < steps; ++step) {
            shared.full[turn.stage].wait(turn.phase);
            multiply(sums, shared.stages[turn.stage], group, step > 0);
            turn.next(kStages);
            if (step == 0) continue;
            wait_products<1>();
            finish();
        }
        wait_products<0>();
        finish();
        store(p, sums, tiles.at(index), group);
    }
}

__global__ void __launch_bounds__(kThreads) residue_product_kernel(const __grid_constant__ CUtensorMap a,
                                                                   const __grid_constant__ CUtensorMap b,
                                                                   const ResidueProduct p) {
    extern __shared__ unsigned char raw[];
    Shared& shared = *reinterpret_cast<Shared*>((reinterpret_cast<std::uintptr_t>(raw) + 1023) / 1024 * 1024);
    const Tiles tiles{int(ceil_div(p.shape.m, kRows)), int(ceil_div(p.shape.n, kColumns))};
    if (threadIdx.x == 0) {
        for (int i = 0; i < kStages; ++i) {
            shared.full[i].init(1);
            shared.empty[i].init(2);
        }
        publish_barriers();
    }
    __syncthreads();
    const int role = int(threadIdx.x) / 128;
    if (role == 0) {
        give_registers<24>();
        if (threadIdx.x == 0) fetch(a, b, shared, tiles, p);
    } else {
        take_registers<240>();
        consume(p, shared, tiles, role - 1);
    }
}

}  // namespace

bool has_residue_product() {
    static const bool there = has_kernel(residue_product_kernel);
    return there;
}

void residue_product(const ResidueProduct& product, cudaStream_t stream) {
    CUDA_CHECK(cudaFuncSetAttribute(
        residue_product_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kSharedBytes));
    const MatmulShape& s = product.shape;
    const std::int64_t tiles = ceil_div(s.m, kRows) * ceil_div(s.n, kColumns) * kModuli;
    const auto blocks = unsigned(std::min<std::int64_t>(tiles, multiprocessors()));
    const auto map = [&](const signed char* data, std::int64_t rows, int box_rows) {
        return row_map(
            {CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, data, rows * kModuli, product.depth, kResidueDepth, box_rows});
    };
    residue_product_kernel<<<blocks, kThreads, kSharedBytes, stream>>>(
        map(product.a, s.m, kRows), map(product.b, s.n, kColumns), product);
    check_launch("residue_product_kernel");
}

#else  // this CUDA toolkit is too old

bool has_residue_product() {
    return false;
}

void residue_product(const ResidueProduct&, cudaStream_t) {}

#endif
}  // namespace stencil::matmul::hopper
