#include "kernels/matmul/lt_product.cuh"

#include <string>

#include "kernels/cuda_check.cuh"

namespace stencil {

void check_cublas(cublasStatus_t status, const char* what) {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw CudaError(std::string("cuBLAS: ") + what + ": " + cublasLtGetStatusName(status));
}

LtHandle::LtHandle() {
    check_cublas(cublasLtCreate(&handle_), "cublasLtCreate");
}

LtHandle::~LtHandle() {
    cublasLtDestroy(handle_);
}

// cuBLAS thinks in columns: row-major A, B and C are its transposes, and C^T = B^T A^T.
struct LtProduct::Setup {
    cublasLtHandle_t handle = nullptr;
    LtWorkspace workspace;
    bool wide = false;
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, out = nullptr;
    cublasLtMatmulAlgo_t algorithm{};

    ~Setup() {
        if (out) cublasLtMatrixLayoutDestroy(out);
        if (right) cublasLtMatrixLayoutDestroy(right);
        if (left) cublasLtMatrixLayoutDestroy(left);
        if (product) cublasLtMatmulDescDestroy(product);
    }

    void describe(const LtKind& kind, const MatmulShape& s) {
        const cudaDataType_t sums = wide ? CUDA_R_64F : CUDA_R_32F;
        check_cublas(cublasLtMatmulDescCreate(&product, kind.compute, sums), "cublasLtMatmulDescCreate");
        const cublasOperation_t transpose = CUBLAS_OP_T;
        if (kind.b_transposed)
            check_cublas(cublasLtMatmulDescSetAttribute(
                             product, CUBLASLT_MATMUL_DESC_TRANSA, &transpose, sizeof(transpose)),
                         "transposition");
        const auto k = std::uint64_t(s.k), m = std::uint64_t(s.m), n = std::uint64_t(s.n);
        const std::int64_t b_pitch = kind.b_pitch ? kind.b_pitch : kind.b_transposed ? s.k : s.n;
        check_cublas(cublasLtMatrixLayoutCreate(
                         &left, kind.in, kind.b_transposed ? k : n, kind.b_transposed ? n : k, b_pitch),
                     "layout");
        check_cublas(cublasLtMatrixLayoutCreate(&right, kind.in, k, m, kind.a_pitch ? kind.a_pitch : s.k),
                     "layout");
        check_cublas(cublasLtMatrixLayoutCreate(&out, sums, n, m, s.n), "layout");
    }

    void choose() {
        cublasLtMatmulPreference_t preference = nullptr;
        check_cublas(cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
        const auto set = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
            cublasLtMatmulPreferenceSetAttribute(preference, what, &value, sizeof(value));
        };
        set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t(workspace.bytes));
        cublasLtMatmulHeuristicResult_t best{};
        int found = 0;
        const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
            handle, product, left, right, out, out, preference, 1, &best, &found);
        cublasLtMatmulPreferenceDestroy(preference);
        check_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
        if (found == 0) throw CudaError("cuBLAS: has no algorithm for a product");
        algorithm = best.algo;
    }
};

LtProduct::LtProduct(const LtHandle& handle,
                     const LtKind& kind,
                     const MatmulShape& shape,
                     LtWorkspace workspace)
    : shape_(shape), setup_(std::make_unique<Setup>()) {
    setup_->handle = handle.get();
    setup_->workspace = workspace;
    setup_->wide = kind.compute == CUBLAS_COMPUTE_64F;
    setup_->describe(kind, shape);
    setup_->choose();
}

LtProduct::~LtProduct() = default;

void LtProduct::run(const void* a, const void* b, void* c, bool accumulate, cudaStream_t stream) const {
    const Setup& s = *setup_;
    const double wide[2] = {1, accumulate ? 1.0 : 0.0};
    const float narrow[2] = {1, accumulate ? 1.0f : 0.0f};
    const void* const alpha = s.wide ? static_cast<const void*>(wide) : narrow;
    const void* const beta = s.wide ? static_cast<const void*>(wide + 1) : narrow + 1;
    check_cublas(cublasLtMatmul(s.handle,
                                s.product,
                                alpha,
                                b,
                                s.left,
                                a,
                                s.right,
                                beta,
                                c,
                                s.out,
                                c,
                                s.out,
                                &s.algorithm,
                                s.workspace.data,
                                s.workspace.bytes,
                                stream),
                 "cublasLtMatmul");
}

}  // namespace stencil
