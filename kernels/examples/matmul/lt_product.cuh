// Matrix products by cuBLAS, which works in the given memory and allocates none.
#pragma once

#include <limits>

#include "kernels/cuda/cublas.cuh"
#include "kernels/examples/matmul/cuda_matmul.h"

namespace stencil::matmul {

/// The precision of a product.
struct LtKind {
    cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
    cudaDataType_t in = CUDA_R_32F;  ///< type of A and B; C is float64 if the sums are, else float32
};

struct LtWorkspace {
    void* data = nullptr;
    std::size_t bytes = 0;
};

/// C = A B. The arrays are aligned to 256 bytes.
struct LtCall {
    const void *a = nullptr, *b = nullptr;
    void* c = nullptr;
};

struct LtHandle {
    cublasLtHandle_t handle = nullptr;
    LtHandle() { CUBLAS_CHECK(cublasLtCreate, &handle); }
    ~LtHandle() { CUBLAS(cublasLtDestroy)(handle); }
    LtHandle(const LtHandle&) = delete;
    LtHandle& operator=(const LtHandle&) = delete;
};

/// Products of one shape, all row-major. Uses only cuBLAS algorithms that add the terms of a sum in order, so
/// that all give the same bits. A large product uses the one that was fastest in a trial at the first call.
class LtProduct {
  public:
    /// Throws CudaError and MissingLibrary.
    LtProduct(const LtKind& kind, const MatmulShape& shape, LtWorkspace workspace)
        : shape_(shape), workspace_(workspace), wide_(kind.compute == CUBLAS_COMPUTE_64F) {
        describe(kind);
        choose();
    }
    ~LtProduct() {
        for (cublasLtMatrixLayout_t layout : {left_, right_, out_})
            if (layout) CUBLAS(cublasLtMatrixLayoutDestroy)(layout);
        if (product_) CUBLAS(cublasLtMatmulDescDestroy)(product_);
    }
    LtProduct(const LtProduct&) = delete;
    LtProduct& operator=(const LtProduct&) = delete;

    /// Enqueues it; the first time it may wait for the stream. Throws CudaError.
    void run(const LtCall& call, CudaStream& stream) {
        constexpr double kWorthATrial = 1e10;  // operations; about a millisecond
        if (!tried_ && shape_.operations() >= kWorthATrial) try_out(call, stream);
        enqueue(call, algorithms_[best_].algo, stream);
    }

  private:
    static constexpr int kCandidates = 8;

    // cuBLAS is column-major: it sees row-major matrices as their transposes, and C^T = B^T A^T.
    void describe(const LtKind& kind) {
        const cudaDataType_t sums = wide_ ? CUDA_R_64F : CUDA_R_32F;
        CUBLAS_CHECK(cublasLtMatmulDescCreate, &product_, kind.compute, sums);
        const auto layout = [](cublasLtMatrixLayout_t& of,
                               cudaDataType_t type,
                               std::int64_t rows,
                               std::int64_t columns) {
            CUBLAS_CHECK(
                cublasLtMatrixLayoutCreate, &of, type, std::uint64_t(columns), std::uint64_t(rows), columns);
        };
        const auto& [m, k, n] = shape_;
        layout(left_, kind.in, k, n);
        layout(right_, kind.in, m, k);
        layout(out_, sums, m, n);
    }

    void choose() {
        cublasLtMatmulPreference_t preference = nullptr;
        CUBLAS_CHECK(cublasLtMatmulPreferenceCreate, &preference);
        const std::uint64_t most = workspace_.bytes;
        CUBLAS(cublasLtMatmulPreferenceSetAttribute)
        (preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most));
        const cublasStatus_t status = CUBLAS(cublasLtMatmulAlgoGetHeuristic)(library_.handle,
                                                                             product_,
                                                                             left_,
                                                                             right_,
                                                                             out_,
                                                                             out_,
                                                                             preference,
                                                                             kCandidates,
                                                                             algorithms_,
                                                                             &count_);
        CUBLAS(cublasLtMatmulPreferenceDestroy)(preference);
        check_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
        if (count_ == 0) throw CudaError("cuBLAS: has no algorithm for a product");
    }

    void enqueue(const LtCall& call, const cublasLtMatmulAlgo_t& algorithm, CudaStream& stream) const {
        constexpr double factors[2] = {1, 0};
        constexpr float narrow[2] = {1, 0};
        const auto factor = [&](int i) { return wide_ ? static_cast<const void*>(factors + i) : narrow + i; };
        CUBLAS_CHECK(cublasLtMatmul,
                     library_.handle,
                     product_,
                     factor(0),
                     call.b,
                     left_,
                     call.a,
                     right_,
                     factor(1),
                     call.c,
                     out_,
                     call.c,
                     out_,
                     &algorithm,
                     workspace_.data,
                     workspace_.bytes,
                     cuda_handle(stream));
    }

    // Whether the algorithm computes each sum as a whole (no split-k).
    static bool in_order(const cublasLtMatmulAlgo_t& algorithm) {
        int parts = 0;
        std::size_t written = 0;
        const cublasStatus_t status = CUBLAS(cublasLtMatmulAlgoConfigGetAttribute)(
            &algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof(parts), &written);
        return status == CUBLAS_STATUS_SUCCESS && parts <= 1;
    }

    void try_out(const LtCall& call, CudaStream& stream) {
        constexpr int kTimes = 2;
        tried_ = true;
        CudaTimer timer;
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < count_; ++i) {
            const cublasLtMatmulAlgo_t& algorithm = algorithms_[i].algo;
            if (algorithms_[i].state != CUBLAS_STATUS_SUCCESS || !in_order(algorithm)) continue;
            enqueue(call, algorithm, stream);
            timer.start(stream);
            for (int time = 0; time < kTimes; ++time) enqueue(call, algorithm, stream);
            timer.stop(stream);
            if (const double seconds = timer.seconds(); seconds < least) least = seconds, best_ = i;
        }
    }

    LtHandle library_;
    MatmulShape shape_;
    LtWorkspace workspace_;
    bool wide_, tried_ = false;
    cublasLtMatmulDesc_t product_ = nullptr;
    cublasLtMatrixLayout_t left_ = nullptr, right_ = nullptr, out_ = nullptr;
    cublasLtMatmulHeuristicResult_t algorithms_[kCandidates]{};
    int count_ = 0, best_ = 0;
};

}  // namespace stencil::matmul
