#include "kernels/examples/matmul/cuda_matmul.h"

#include <optional>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/device_arena.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/lt_product.cuh"
#include "kernels/examples/matmul/register_matmul.cuh"
#include "kernels/examples/matmul/simt_matmul.cuh"
#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

/// A method whose memory is one piece: `Parts` takes its arrays from an arena, and run() works in them.
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

template <class T>
struct ColumnSums {
    std::byte* scratch;

    ColumnSums(DeviceArena& arena, const MatmulNeeds& needs) {
        const auto& [m, k, n] = needs.shape;
        scratch = arena.take<std::byte>(std::int64_t(cuda_column_sums_bytes<T>({m, n, n})));
    }
    void run(const MatmulCall<T>& call, CudaStream& stream) const {
        const auto& [m, k, n] = call.shape;
        cuda_column_sums<T>(stream, call.c, {m, n, n}, nullptr, call.sums, scratch);
    }
};

template <class T, void (*kernel)(const MatmulCall<T>&, cudaStream_t)>
struct KernelMatmul {
    ColumnSums<T> sums;

    KernelMatmul(DeviceArena& arena, const MatmulNeeds& needs) : sums(arena, needs) {}
    void run(const MatmulCall<T>& call, CudaStream& stream) {
        kernel(call, cuda_handle(stream));
        sums.run(call, stream);
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
        : sums(arena, needs),
          workspace{arena.take<std::byte>(std::int64_t(needs.workspace)), needs.workspace} {}
    void run(const MatmulCall<T>& call, CudaStream& stream) {
        if (!product) product.emplace(kKind, call.shape, workspace);
        const LtCall arrays{call.a, call.b, call.c};
        product->run(arrays, stream);
        sums.run(call, stream);
    }
};

// Calls use.operator()<Parts>() with the Parts of the method.
template <class T, class Use>
auto with_parts(MatmulMethod method, const Use& use) {
    if (!has_matmul<T>(method))
        throw CudaError("CUDA: there is no such method for matrix products in this precision");
    if constexpr (sizeof(T) == sizeof(float)) {
        if (method == MatmulMethod::tf32) return use.template operator()<LibraryMatmul<T, true>>();
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
