#include "kernels/examples/matmul/cuda_matmul.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/cuda/cuda_check.cuh"
#include "kernels/examples/arrays/column_sums.h"
#include "kernels/examples/matmul/lt_product.cuh"
#include "kernels/examples/matmul/simt_matmul.cuh"
#include "kernels/examples/matmul/split/half_matmul.cuh"
#include "kernels/examples/matmul/split/scratch_parts.h"

namespace stencil::matmul {
namespace {

template <class T>
struct Parts {
    std::byte *sums, *workspace;

    Parts(ScratchParts& parts, const MatmulNeeds& needs) {
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
    PlainMatmul(const MatmulNeeds& needs, CudaStream& stream)
        : stream_(stream),
          memory_(scratch_bytes<Parts<T>>(needs)),
          parts_(in_scratch<Parts<T>>(memory_, needs)) {}

    void run(const MatmulCall<T>& call) override {
        multiply(call, stream_);
        const MatmulShape& s = call.shape;
        if (call.sums) cuda_column_sums<T>(stream_, call.c, {s.m, s.n, s.n}, nullptr, call.sums, parts_.sums);
    }

  protected:
    virtual void multiply(const MatmulCall<T>& call, CudaStream& stream) = 0;
    void* workspace() const { return parts_.workspace; }

  private:
    CudaStream& stream_;
    CudaMemory memory_;
    Parts<T> parts_;
};

template <class T>
class KernelMatmul : public PlainMatmul<T> {
  public:
    using Kernel = void (*)(const MatmulCall<T>&, cudaStream_t);

    // They need no workspace.
    KernelMatmul(Kernel kernel, const MatmulNeeds& needs, CudaStream& stream)
        : PlainMatmul<T>({needs.shapes, 0}, stream), kernel_(kernel) {}

  protected:
    void multiply(const MatmulCall<T>& call, CudaStream& stream) override {
        kernel_(call, cuda_handle(stream));
    }

  private:
    Kernel kernel_;
};

template <class T>
LtKind library_kind(bool tf32) {
    if (sizeof(T) == sizeof(double)) return {CUBLAS_COMPUTE_64F, CUDA_R_64F};
    return {tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F, CUDA_R_32F};
}

template <class T>
class LibraryMatmul : public PlainMatmul<T> {
  public:
    LibraryMatmul(bool tf32, const MatmulNeeds& needs, CudaStream& stream) : PlainMatmul<T>(needs, stream) {
        for (const MatmulShape& s : needs.shapes)
            products_.push_back(std::make_unique<LtProduct>(
                handle_, library_kind<T>(tf32), s, LtWorkspace{this->workspace(), needs.workspace}));
    }

  protected:
    void multiply(const MatmulCall<T>& call, CudaStream& stream) override {
        const auto product =
            std::ranges::find(products_, call.shape, [](const auto& one) { return one->shape(); });
        (*product)->run({call.a, call.b, call.c, call.accumulate}, stream);
    }

  private:
    LtHandle handle_;
    std::vector<std::unique_ptr<LtProduct>> products_;
};

[[noreturn]] void no_such_method() {
    throw CudaError("CUDA: there is no such method for matrix products in this precision");
}

}  // namespace

template <class T>
bool has_matmul(MatmulMethod method) {
    const bool float32_only = method == MatmulMethod::tf32 || method == MatmulMethod::half_split;
    return sizeof(T) == sizeof(float) || !float32_only;
}

template <class T>
std::size_t cuda_matmul_bytes(MatmulMethod method, const MatmulNeeds& needs) {
    const bool library = method == MatmulMethod::library || method == MatmulMethod::tf32;
    if (method == MatmulMethod::half_split) return half_matmul_bytes(needs);
    return scratch_bytes<Parts<T>>(MatmulNeeds{needs.shapes, library ? needs.workspace : 0});
}

template <class T>
std::unique_ptr<CudaMatmul<T>> make_cuda_matmul(MatmulMethod method,
                                                const MatmulNeeds& needs,
                                                CudaStream& stream) {
    if (!has_matmul<T>(method)) no_such_method();
    switch (method) {
        case MatmulMethod::naive:
            return std::make_unique<KernelMatmul<T>>(naive_matmul<T>, needs, stream);
        case MatmulMethod::shared_tile:
            return std::make_unique<KernelMatmul<T>>(tiled_matmul<T>, needs, stream);
        case MatmulMethod::register_tile:
            return std::make_unique<KernelMatmul<T>>(register_matmul<T>, needs, stream);
        case MatmulMethod::library:
        case MatmulMethod::tf32:
            return std::make_unique<LibraryMatmul<T>>(method == MatmulMethod::tf32, needs, stream);
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

template bool has_matmul<float>(MatmulMethod);
template bool has_matmul<double>(MatmulMethod);
template std::size_t cuda_matmul_bytes<float>(MatmulMethod, const MatmulNeeds&);
template std::size_t cuda_matmul_bytes<double>(MatmulMethod, const MatmulNeeds&);
template std::unique_ptr<CudaMatmul<float>> make_cuda_matmul(MatmulMethod, const MatmulNeeds&, CudaStream&);
template std::unique_ptr<CudaMatmul<double>> make_cuda_matmul(MatmulMethod, const MatmulNeeds&, CudaStream&);

}  // namespace stencil::matmul
