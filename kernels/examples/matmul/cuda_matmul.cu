#include "kernels/examples/matmul/cuda_matmul.h"

#include <algorithm>
#include <functional>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/cuda/device_arena.h"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/lt_product.cuh"
#include "kernels/examples/matmul/simt_matmul.cuh"

namespace stencil::matmul {
namespace {

template <class T>
struct Parts {
    std::byte *sums, *workspace;

    Parts(DeviceArena& parts, const MatmulNeeds& needs) {
        std::size_t bytes = 0;
        for (const MatmulShape& s : needs.shapes)
            bytes = std::max(bytes, cuda_column_sums_bytes<T>({s.m, s.n, s.n}));
        sums = parts.take<std::byte>(std::int64_t(bytes));
        workspace = parts.take<std::byte>(std::int64_t(needs.workspace));
    }
};

/// A product, and then the sums.
template <class T>
class PlainMatmul : public CudaMatmul<T> {
  public:
    using Multiply = std::function<void(const MatmulCall<T>&)>;

    PlainMatmul(const MatmulNeeds& needs, CudaStream& stream)
        : stream_(stream),
          memory_(arena_bytes<Parts<T>>(needs)),
          parts_(in_arena<Parts<T>>(memory_, needs)) {}

    void multiply_by(Multiply multiply) { multiply_ = std::move(multiply); }
    std::byte* workspace() const { return parts_.workspace; }

    void run(const MatmulCall<T>& call) override {
        multiply_(call);
        const MatmulShape& s = call.shape;
        if (call.sums) cuda_column_sums<T>(stream_, call.c, {s.m, s.n, s.n}, nullptr, call.sums, parts_.sums);
    }

  private:
    CudaStream& stream_;
    CudaMemory memory_;
    Parts<T> parts_;
    Multiply multiply_;
};

// A kernel needs no workspace.
template <class T>
std::unique_ptr<CudaMatmul<T>> by_kernel(void (*kernel)(const MatmulCall<T>&, cudaStream_t),
                                         const MatmulNeeds& needs,
                                         CudaStream& stream) {
    auto matmul = std::make_unique<PlainMatmul<T>>(MatmulNeeds{needs.shapes, 0}, stream);
    matmul->multiply_by([=, &stream](const MatmulCall<T>& call) { kernel(call, cuda_handle(stream)); });
    return matmul;
}

template <class T>
std::unique_ptr<CudaMatmul<T>> by_library(bool tf32, const MatmulNeeds& needs, CudaStream& stream) {
    LtKind kind{CUBLAS_COMPUTE_64F, CUDA_R_64F};
    if (sizeof(T) == sizeof(float))
        kind = {tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F};
    auto matmul = std::make_unique<PlainMatmul<T>>(needs, stream);
    const auto handle = std::make_shared<LtHandle>();
    std::vector<std::shared_ptr<LtProduct>> products;
    for (const MatmulShape& s : needs.shapes)
        products.push_back(
            std::make_shared<LtProduct>(*handle, kind, s, LtWorkspace{matmul->workspace(), needs.workspace}));
    matmul->multiply_by([=, &stream](const MatmulCall<T>& call) {
        (void)handle;  // outlives the products
        const auto product =
            std::ranges::find(products, call.shape, [](const auto& one) { return one->shape(); });
        (*product)->run({call.a, call.b, call.c, call.accumulate}, stream);
    });
    return matmul;
}

[[noreturn]] void no_such_method() {
    throw CudaError("CUDA: there is no such method for matrix products in this precision");
}

}  // namespace

template <class T>
std::size_t cuda_matmul_bytes(MatmulMethod method, const MatmulNeeds& needs) {
    const bool library = method == MatmulMethod::library || method == MatmulMethod::tf32;
    if (method == MatmulMethod::half_split) return half_matmul_bytes(needs);
    return arena_bytes<Parts<T>>(MatmulNeeds{needs.shapes, library ? needs.workspace : 0});
}

template <class T>
std::unique_ptr<CudaMatmul<T>> make_cuda_matmul(MatmulMethod method,
                                                const MatmulNeeds& needs,
                                                CudaStream& stream) {
    if (!has_matmul<T>(method)) no_such_method();
    switch (method) {
        case MatmulMethod::naive:
            return by_kernel<T>(naive_matmul<T>, needs, stream);
        case MatmulMethod::shared_tile:
            return by_kernel<T>(tiled_matmul<T>, needs, stream);
        case MatmulMethod::register_tile:
            return by_kernel<T>(register_matmul<T>, needs, stream);
        case MatmulMethod::library:
        case MatmulMethod::tf32:
            return by_library<T>(method == MatmulMethod::tf32, needs, stream);
        case MatmulMethod::half_split:
            if constexpr (sizeof(T) == sizeof(float)) return make_half_matmul(needs, stream);
    }
    no_such_method();
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
