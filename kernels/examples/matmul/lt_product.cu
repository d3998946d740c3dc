#include "kernels/examples/matmul/lt_product.cuh"

#include <limits>

#include "kernels/cuda/cublas.cuh"

namespace stencil::matmul {
namespace {

constexpr double kWorthATrial = 1e10;  // operations: about a millisecond
constexpr int kCandidates = 8;

// Cuts no sum into parts.
bool in_order(const cublasLtMatmulAlgo_t& algorithm) {
    int parts = 0;
    std::size_t written = 0;
    const cublasStatus_t status = CUBLAS(cublasLtMatmulAlgoConfigGetAttribute)(
        &algorithm, CUBLASLT_ALGO_CONFIG_SPLITK_NUM, &parts, sizeof(parts), &written);
    return status == CUBLAS_STATUS_SUCCESS && parts <= 1;
}

}  // namespace

LtHandle::LtHandle() {
    CUBLAS_CHECK(cublasLtCreate, &handle_);
}

LtHandle::~LtHandle() {
    CUBLAS(cublasLtDestroy)(handle_);
}

// cuBLAS thinks in columns: row-major A, B and C are its transposes, and C^T = B^T A^T.
struct LtProduct::Setup {
    cublasLtHandle_t handle = nullptr;
    LtWorkspace workspace;
    bool wide = false;
    bool tried = false;
    cublasLtMatmulDesc_t product = nullptr;
    cublasLtMatrixLayout_t left = nullptr, right = nullptr, out = nullptr;
    cublasLtMatmulHeuristicResult_t algorithms[kCandidates]{};
    int count = 0;
    int best = 0;

    ~Setup() {
        for (cublasLtMatrixLayout_t layout : {left, right, out})
            if (layout) CUBLAS(cublasLtMatrixLayoutDestroy)(layout);
        if (product) CUBLAS(cublasLtMatmulDescDestroy)(product);
    }

    void describe(const LtKind& kind, const MatmulShape& s) {
        const cudaDataType_t sums = wide ? CUDA_R_64F : CUDA_R_32F;
        CUBLAS_CHECK(cublasLtMatmulDescCreate, &product, kind.compute, sums);
        const cublasOperation_t transpose = CUBLAS_OP_T;
        if (kind.b_transposed)
            CUBLAS_CHECK(cublasLtMatmulDescSetAttribute,
                         product,
                         CUBLASLT_MATMUL_DESC_TRANSA,
                         &transpose,
                         sizeof(transpose));
        const auto layout = [](cublasLtMatrixLayout_t& of,
                               cudaDataType_t type,
                               std::int64_t rows,
                               std::int64_t columns,
                               std::int64_t pitch) {
            CUBLAS_CHECK(cublasLtMatrixLayoutCreate,
                         &of,
                         type,
                         std::uint64_t(columns),
                         std::uint64_t(rows),
                         pitch ? pitch : columns);
        };
        layout(left, kind.in, kind.b_transposed ? s.n : s.k, kind.b_transposed ? s.k : s.n, kind.b_pitch);
        layout(right, kind.in, s.m, s.k, kind.a_pitch);
        layout(out, sums, s.m, s.n, 0);
    }

    void choose() {
        cublasLtMatmulPreference_t preference = nullptr;
        CUBLAS_CHECK(cublasLtMatmulPreferenceCreate, &preference);
        const auto set = [&](cublasLtMatmulPreferenceAttributes_t what, const auto& value) {
            CUBLAS(cublasLtMatmulPreferenceSetAttribute)(preference, what, &value, sizeof(value));
        };
        set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t(workspace.bytes));
        const cublasStatus_t status = CUBLAS(cublasLtMatmulAlgoGetHeuristic)(
            handle, product, left, right, out, out, preference, kCandidates, algorithms, &count);
        CUBLAS(cublasLtMatmulPreferenceDestroy)(preference);
        check_cublas(status, "cublasLtMatmulAlgoGetHeuristic");
        if (count == 0) throw CudaError("cuBLAS: has no algorithm for a product");
    }

    void enqueue(const LtCall& call, const cublasLtMatmulAlgo_t& algorithm, CudaStream& stream) const {
        const double factors[2] = {1.0, call.accumulate ? 1.0 : 0.0};
        const float narrow[2] = {float(factors[0]), float(factors[1])};
        const auto factor = [&](int i) { return wide ? static_cast<const void*>(factors + i) : narrow + i; };
        CUBLAS_CHECK(cublasLtMatmul,
                     handle,
                     product,
                     factor(0),
                     call.b,
                     left,
                     call.a,
                     right,
                     factor(1),
                     call.c,
                     out,
                     call.c,
                     out,
                     &algorithm,
                     workspace.data,
                     workspace.bytes,
                     cuda_handle(stream));
    }

    double seconds(const LtCall& call, const cublasLtMatmulAlgo_t& algorithm, CudaStream& stream) const {
        constexpr int kTimes = 2;
        CudaTimer timer;
        enqueue(call, algorithm, stream);
        timer.start(stream);
        for (int i = 0; i < kTimes; ++i) enqueue(call, algorithm, stream);
        timer.stop(stream);
        return timer.seconds();
    }

    void try_out(const LtCall& call, CudaStream& stream) {
        tried = true;
        double least = std::numeric_limits<double>::infinity();
        for (int i = 0; i < count; ++i) {
            if (algorithms[i].state != CUBLAS_STATUS_SUCCESS || !in_order(algorithms[i].algo)) continue;
            const double time = seconds(call, algorithms[i].algo, stream);
            if (time < least) least = time, best = i;
        }
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

void LtProduct::run(const LtCall& call, CudaStream& stream) {
    // A trial overwrites C.
    const bool worth_it = !call.accumulate && shape_.operations() >= kWorthATrial;
    if (worth_it && !setup_->tried) setup_->try_out(call, stream);
    setup_->enqueue(call, setup_->algorithms[setup_->best].algo, stream);
}

}  // namespace stencil::matmul
