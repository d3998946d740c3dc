#include "kernels/examples/matmul/cuda_matmul.h"

#include <memory>

#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/lt_product.cuh"
#include "kernels/examples/matmul/simt_matmul.cuh"

namespace stencil::matmul {
namespace {

constexpr std::size_t kWorkspace = std::size_t(32) << 20;  // what cuBLAS recommends on Hopper

template <class T>
CudaMatmul<T> library_matmul(bool tf32, const MatmulShape& shape, CudaStream& stream) {
    const LtKind kind = sizeof(T) == 8 ? LtKind{CUBLAS_COMPUTE_64F, CUDA_R_64F}
                        : tf32         ? LtKind{CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F}
                                       : LtKind{CUBLAS_COMPUTE_32F, CUDA_R_32F};
    const auto workspace = std::make_shared<CudaMemory>(kWorkspace);
    const auto product = std::make_shared<LtProduct>(kind, shape, LtWorkspace{workspace->data(), kWorkspace});
    return [workspace, product, &stream](const MatmulCall<T>& call) {
        const LtCall arrays{call.a, call.b, call.c};
        product->run(arrays, stream);
    };
}

template <class T>
CudaMatmul<T> product_by(MatmulMethod method, const MatmulShape& shape, CudaStream& stream) {
    const auto launch = [&](void (*kernel)(const MatmulCall<T>&, cudaStream_t)) -> CudaMatmul<T> {
        return [kernel, &stream](const MatmulCall<T>& call) { kernel(call, cuda_handle(stream)); };
    };
    if (method == MatmulMethod::naive) return launch(simt::naive_matmul<T>);
    if (method == MatmulMethod::shared_tile) return launch(simt::tiled_matmul<T>);
    return library_matmul<T>(method == MatmulMethod::tf32, shape, stream);
}

}  // namespace

template <class T>
CudaMatmul<T> make_cuda_matmul(MatmulMethod method, const MatmulShape& shape, CudaStream& stream) {
    const MatrixShape c{shape.m, shape.n, shape.n};
    const auto scratch = std::make_shared<CudaMemory>(cuda_column_sums_bytes<T>(c));
    return [=, &stream, multiply = product_by<T>(method, shape, stream)](const MatmulCall<T>& call) {
        multiply(call);
        cuda_column_sums<T>(stream, call.c, c, nullptr, call.sums, scratch->data());
    };
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

template CudaMatmul<float> make_cuda_matmul(MatmulMethod, const MatmulShape&, CudaStream&);
template CudaMatmul<double> make_cuda_matmul(MatmulMethod, const MatmulShape&, CudaStream&);

}  // namespace stencil::matmul
