#include "kernels/examples/matmul/cuda_matmul.h"

#include <algorithm>
#include <optional>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/device_arena.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/half_split.cuh"
#include "kernels/examples/matmul/hopper/half_product.cuh"
#include "kernels/examples/matmul/lt_product.cuh"
#include "kernels/examples/matmul/register_matmul.cuh"
#include "kernels/examples/matmul/simt_matmul.cuh"
#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

/// A method in one piece of memory: `Parts` takes arrays from an arena, and its run() works in them.
template <class T, class Parts>
class MatmulInArena final : public CudaMatmul<T> {
  public:
    MatmulInArena(const MatmulNeeds& needs, CudaStream& stream)
        : stream_(stream), memory_(arena_bytes<Parts>(needs)), parts_(in_arena<Parts>(memory_, needs)) {}

    void run(const MatmulCall<T>& call) override { parts_.run(call, stream_); }

  private:
    CudaStream& stream_;
    CudaMemory memory_;
    Parts parts_;
};

std::int64_t all_rows(std::int64_t m) {
    return m;
}

/// Sums the columns of matrices with rows(m) rows.
template <class T, std::int64_t (*rows)(std::int64_t) = all_rows>
struct ColumnSums {
    std::byte* scratch;

    ColumnSums(DeviceArena& arena, const MatmulNeeds& needs) {
        const auto& [m, k, n] = needs.shape;
        scratch = arena.take<std::byte>(std::int64_t(cuda_column_sums_bytes<T>({rows(m), n, n})));
    }
    void run(const T* matrix, const MatmulCall<T>& call, CudaStream& stream) const {
        const auto& [m, k, n] = call.shape;
        cuda_column_sums<T>(stream, matrix, {rows(m), n, n}, nullptr, call.sums, scratch);
    }
};

LtWorkspace take_workspace(DeviceArena& arena, const MatmulNeeds& needs) {
    return {arena.take<std::byte>(std::int64_t(needs.workspace)), needs.workspace};
}

template <class T, void (*kernel)(const MatmulCall<T>&, cudaStream_t)>
struct KernelMatmul {
    ColumnSums<T> sums;

    KernelMatmul(DeviceArena& arena, const MatmulNeeds& needs) : sums(arena, needs) {}
    void run(const MatmulCall<T>& call, CudaStream& stream) {
        kernel(call, cuda_handle(stream));
        sums.run(call.c, call, stream);
    }
};

template <class T, bool tf32>
struct LibraryMatmul {
    static constexpr LtKind kKind = sizeof(T) == 8 ? LtKind{CUBLAS_COMPUTE_64F, CUDA_R_64F}
                                    : tf32         ? LtKind{CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F}
                                                   : LtKind{CUBLAS_COMPUTE_32F, CUDA_R_32F};
    ColumnSums<T> sums;
    LtWorkspace workspace;
    std::optional<LtProduct> product;

    LibraryMatmul(DeviceArena& arena, const MatmulNeeds& needs)
        : sums(arena, needs), workspace(take_workspace(arena, needs)) {}
    void run(const MatmulCall<T>& call, CudaStream& stream) {
        if (!product) product.emplace(kKind, call.shape, workspace);
        const LtCall arrays{call.a, call.b, call.c};
        product->run(arrays, stream);
        sums.run(call.c, call, stream);
    }
};

/// Both factors as halves, `pitch` of them a row.
struct Halves {
    __half *a, *b;
    int *a_exponents, *b_exponents;
    unsigned* column_scratch;

    Halves(DeviceArena& arena, const MatmulShape& s, std::int64_t pitch)
        : a(arena.take<__half>(s.m * pitch)),
          b(arena.take<__half>(s.n * pitch)),
          a_exponents(arena.take<int>(s.m)),
          b_exponents(arena.take<int>(s.n)),
          column_scratch(arena.take<unsigned>(s.n)) {}

    void run(const MatmulCall<float>& call,
             const halves::HalfLayout& of_a,
             const halves::HalfLayout& of_b,
             cudaStream_t s) {
        halves::split_rows({call.a, call.shape.m, of_a, a, a_exponents}, s);
        halves::split_columns({call.b, call.shape.n, of_b, b, b_exponents, column_scratch}, s);
    }
};

/// One kernel for everything behind the split, with the column sums of each tile.
struct HopperMatmul {
    Halves split;
    float* partial_sums;
    ColumnSums<float, hopper::half_sum_rows> sums;

    HopperMatmul(DeviceArena& arena, const MatmulNeeds& needs)
        : split(arena, needs.shape, 2 * depth(needs.shape.k)),
          partial_sums(arena.take<float>(hopper::half_sum_rows(needs.shape.m) * needs.shape.n)),
          sums(arena, needs) {}

    static std::int64_t depth(std::int64_t k) { return round_up(k, hopper::kHalfDepth); }

    void run(const MatmulCall<float>& call, CudaStream& stream) {
        const std::int64_t deep = depth(call.shape.k);
        const halves::HalfLayout layout{call.shape.k, deep, 2 * deep, 2, 0, 1, -1};
        split.run(call, layout, layout, cuda_handle(stream));
        hopper::half_product(
            {split.a, split.b, split.a_exponents, split.b_exponents, call.c, partial_sums, call.shape, deep},
            cuda_handle(stream));
        sums.run(partial_sums, call, stream);
    }
};

__global__ void __launch_bounds__(256) scale_back_kernel(const float* scaled,
                                                         const int* row_exponents,
                                                         const int* column_exponents,
                                                         MatmulCall<float> call) {
    const std::int64_t column = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (column >= call.shape.n) return;
    const int exponent = column_exponents[column];
    for (std::int64_t row = blockIdx.y; row < call.shape.m; row += gridDim.y) {
        const std::int64_t at = row * call.shape.n + column;
        call.c[at] = ldexpf(scaled[at], exponent + row_exponents[row]);
    }
}

/// cuBLAS's tensor core products cut off bits from their sums, too: so it gets k in chunks, and adds a
/// chunk's result to C with rounding. Side by side along k, the three products of a chunk are one; the small
/// ones come first, while the sums are small.
struct HalfLibraryMatmul {
    static constexpr std::int64_t kChunk = 256, kProducts = 3;

    Halves split;
    float* scaled;  // C before it is scaled back
    ColumnSums<float> sums;
    LtWorkspace workspace;
    std::optional<LtProduct> product;

    HalfLibraryMatmul(DeviceArena& arena, const MatmulNeeds& needs)
        : split(arena, needs.shape, pitch(needs.shape.k)),
          scaled(arena.take<float>(needs.shape.m * needs.shape.n)),
          sums(arena, needs),
          workspace(take_workspace(arena, needs)) {}

    static std::int64_t pitch(std::int64_t k) { return round_up(k, kChunk) * kProducts; }

    void run(const MatmulCall<float>& call, CudaStream& stream) {
        const auto& [m, k, n] = call.shape;
        const std::int64_t row = pitch(k);
        split.run(call,
                  {k, kChunk, row, kProducts, 1, 0, 2},  // low high high
                  {k, kChunk, row, kProducts, 0, 1, 2},  // high low high
                  cuda_handle(stream));
        if (!product)
            product.emplace(LtKind{CUBLAS_COMPUTE_32F, CUDA_R_16F, true, row, row},
                            MatmulShape{m, kProducts * kChunk, n},
                            workspace);
        for (std::int64_t at = 0; at < row; at += kProducts * kChunk)
            product->run({split.a + at, split.b + at, scaled, at > 0}, stream);
        const dim3 grid(unsigned(ceil_div(n, 256)), unsigned(std::min<std::int64_t>(m, 1024)));
        scale_back_kernel<<<grid, 256, 0, cuda_handle(stream)>>>(
            scaled, split.a_exponents, split.b_exponents, call);
        check_launch("scale_back_kernel");
        sums.run(call.c, call, stream);
    }
};

// use.operator()<Parts>(), with the Parts of the method.
template <class T, class Use>
auto with_parts(MatmulMethod method, const Use& use) {
    if (!has_matmul<T>(method))
        throw CudaError("CUDA: there is no such method for matrix products in this precision");
    if constexpr (sizeof(T) == sizeof(float)) {
        if (method == MatmulMethod::tf32) return use.template operator()<LibraryMatmul<T, true>>();
        if (method == MatmulMethod::half_split && hopper::has_half_product())
            return use.template operator()<HopperMatmul>();
        if (method == MatmulMethod::half_split || method == MatmulMethod::half_library)
            return use.template operator()<HalfLibraryMatmul>();
    }
    if (method == MatmulMethod::naive)
        return use.template operator()<KernelMatmul<T, simt::naive_matmul<T>>>();
    if (method == MatmulMethod::shared_tile)
        return use.template operator()<KernelMatmul<T, simt::tiled_matmul<T>>>();
    if (method == MatmulMethod::register_tile)
        return use.template operator()<KernelMatmul<T, registers::register_matmul<T>>>();
    return use.template operator()<LibraryMatmul<T, false>>();
}

}  // namespace

template <class T>
std::size_t cuda_matmul_bytes(MatmulMethod method, const MatmulNeeds& needs) {
    return with_parts<T>(method, [&]<class Parts>() { return arena_bytes<Parts>(needs); });
}

template <class T>
std::unique_ptr<CudaMatmul<T>> make_cuda_matmul(MatmulMethod method,
                                                const MatmulNeeds& needs,
                                                CudaStream& stream) {
    return with_parts<T>(method, [&]<class Parts>() -> std::unique_ptr<CudaMatmul<T>> {
        return std::make_unique<MatmulInArena<T, Parts>>(needs, stream);
    });
}

double cuda_clock_rate() {
    int device = 0, kilohertz = 0;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&kilohertz, cudaDevAttrClockRate, device));
    return 1e3 * kilohertz;
}

void cuda_poison(void* memory, std::size_t bytes, CudaStream& stream) {
    CUDA_CHECK(cudaMemsetAsync(memory, 0xff, bytes, cuda_handle(stream)));
}

template std::size_t cuda_matmul_bytes<float>(MatmulMethod, const MatmulNeeds&);
template std::size_t cuda_matmul_bytes<double>(MatmulMethod, const MatmulNeeds&);
template std::unique_ptr<CudaMatmul<float>> make_cuda_matmul(MatmulMethod, const MatmulNeeds&, CudaStream&);
template std::unique_ptr<CudaMatmul<double>> make_cuda_matmul(MatmulMethod, const MatmulNeeds&, CudaStream&);

}  // namespace stencil::matmul
