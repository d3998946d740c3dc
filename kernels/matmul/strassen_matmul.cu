#include "kernels/matmul/strassen_matmul.cuh"

#include <algorithm>
#include <optional>

#include "kernels/column_sums.h"
#include "kernels/cuda_check.cuh"
#include "kernels/matmul/lt_product.cuh"
#include "kernels/matmul/scratch_parts.h"

namespace stencil {
namespace {

constexpr int kThreads = 256;

/// Of the even part of a product, all in the middle.
struct Quarters {
    std::int64_t m, k, n;
    explicit Quarters(const MatmulShape& s) : m(s.m / 2), k(s.k / 2), n(s.n / 2) {}
};

struct Four {
    double* of[4];
};

struct Parts {
    Four s, t;      // sums of quarters of A (m, k) and of B (k, n)
    double *x, *y;  // (m, n)
    std::byte *sums_scratch, *workspace;

    Parts(ScratchParts& parts, const MatmulNeeds& needs) {
        const MatmulShape& whole = needs.shapes.front();
        const Quarters q(whole);
        for (double*& one : s.of) one = parts.take<double>(q.m * q.k);
        for (double*& one : t.of) one = parts.take<double>(q.k * q.n);
        x = parts.take<double>(q.m * q.n);
        y = parts.take<double>(q.m * q.n);
        sums_scratch =
            parts.take<std::byte>(std::int64_t(cuda_column_sums_bytes<double>({whole.m, whole.n, whole.n})));
        workspace = parts.take<std::byte>(std::int64_t(needs.workspace));
    }
};

/// Quarters of a row-major matrix.
struct Blocks {
    const double *q11, *q12, *q21, *q22;
    std::int64_t pitch, columns;

    Blocks(const double* whole, std::int64_t stride, std::int64_t rows, std::int64_t half)
        : q11(whole),
          q12(whole + half),
          q21(whole + rows * stride),
          q22(whole + rows * stride + half),
          pitch(stride),
          columns(half) {}
};

// Of A: a21 + a22, that - a11, a11 - a21, a12 - the second. Of B: b12 - b11, b22 - that, b22 - b12, the
// second
// - b21.
template <bool OfA>
__global__ void __launch_bounds__(kThreads) sums_kernel(Blocks q, Four out) {
    const std::int64_t column = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (column >= q.columns) return;
    const std::int64_t from = std::int64_t(blockIdx.y) * q.pitch + column;
    const std::int64_t to = std::int64_t(blockIdx.y) * q.columns + column;
    const double q11 = q.q11[from], q12 = q.q12[from], q21 = q.q21[from], q22 = q.q22[from];
    const double first = OfA ? q21 + q22 : q12 - q11;
    const double second = OfA ? first - q11 : q22 - first;
    out.of[0][to] = first;
    out.of[1][to] = second;
    out.of[2][to] = OfA ? q11 - q21 : q22 - q12;
    out.of[3][to] = OfA ? q12 - second : second - q21;
}

// x += c, and c += y.
__global__ void __launch_bounds__(kThreads)
    add_both_kernel(double* c, std::int64_t pitch, double* x, const double* y, std::int64_t columns) {
    const std::int64_t column = std::int64_t(blockIdx.x) * kThreads + threadIdx.x;
    if (column >= columns) return;
    const std::int64_t at = std::int64_t(blockIdx.y) * columns + column;
    double& mine = c[std::int64_t(blockIdx.y) * pitch + column];
    const double product = mine;
    x[at] += product;
    mine = product + y[at];
}

dim3 grid_of(std::int64_t rows, std::int64_t columns) {
    return dim3(unsigned((columns + kThreads - 1) / kThreads), unsigned(rows));
}

class StrassenMatmul : public CudaMatmul<double> {
  public:
    StrassenMatmul(const MatmulNeeds& needs, CudaStream& stream)
        : shape_(needs.shapes.front()),
          q_(shape_),
          workspace_bytes_(needs.workspace),
          stream_(stream),
          memory_(scratch_bytes<Parts>(needs)),
          parts_(in_scratch<Parts>(memory_, needs)) {
        if (q_.m == 0 || q_.k == 0 || q_.n == 0) {
            make(whole_, shape_, {});
            return;
        }
        make_quarters();
        make_rest();
    }

    void run(const MatmulCall<double>& call) override {
        if (whole_) {
            whole_->run({call.a, call.b, call.c}, stream_);
        } else {
            multiply_quarters(call);
            multiply_rest(call);
        }
        if (call.sums)
            cuda_column_sums<double>(
                stream_, call.c, {shape_.m, shape_.n, shape_.n}, nullptr, call.sums, parts_.sums_scratch);
    }

  private:
    using Product = std::optional<LtProduct>;

    void make(Product& product, const MatmulShape& shape, LtKind kind) {
        kind.compute = CUBLAS_COMPUTE_64F;
        kind.in = CUDA_R_64F;
        kind.alignment = sizeof(double);
        if (shape_.k % 4 == 0 && shape_.n % 4 == 0) kind.alignment = 2 * sizeof(double);
        product.emplace(handle_, kind, shape, LtWorkspace{parts_.workspace, workspace_bytes_});
    }

    // By where their factors and their result are: a part of a matrix, or an array of a quarter's size.
    void make_quarters() {
        const MatmulShape quarter{q_.m, q_.k, q_.n};
        LtKind kind;
        make(dense_, quarter, kind);
        kind.c_pitch = shape_.n;
        make(to_c_, quarter, kind);
        kind.b_pitch = shape_.n;
        make(of_b_to_c_, quarter, kind);
        kind.a_pitch = shape_.k;
        make(of_both_to_c_, quarter, kind);
        kind.c_pitch = 0;
        make(of_both_, quarter, kind);
        kind.b_pitch = 0;
        kind.c_pitch = shape_.n;
        make(of_a_to_c_, quarter, kind);
    }

    // Odd sizes leave a term of each sum, a column and a row.
    void make_rest() {
        LtKind kind;
        kind.a_pitch = shape_.k;
        kind.b_pitch = kind.c_pitch = kind.add_pitch = shape_.n;
        const std::int64_t m = 2 * q_.m, n = 2 * q_.n;
        if (shape_.k % 2 == 1) make(last_term_, {m, 1, n}, kind);
        if (shape_.n % 2 == 1) make(last_column_, {shape_.m, shape_.k, 1}, kind);
        if (shape_.m % 2 == 1) make(last_row_, {1, shape_.k, n}, kind);
    }

    void multiply_quarters(const MatmulCall<double>& call) {
        const Parts& p = parts_;
        const Blocks a(call.a, shape_.k, q_.m, q_.k), b(call.b, shape_.n, q_.k, q_.n);
        double* const c11 = call.c;
        double* const c12 = c11 + q_.n;
        double* const c21 = c11 + q_.m * shape_.n;
        double* const c22 = c21 + q_.n;
        const cudaStream_t stream = cuda_handle(stream_);
        sums_kernel<true><<<grid_of(q_.m, q_.k), kThreads, 0, stream>>>(a, p.s);
        check_launch("sums_kernel");
        sums_kernel<false><<<grid_of(q_.k, q_.n), kThreads, 0, stream>>>(b, p.t);
        check_launch("sums_kernel");
        of_both_->run({a.q11, b.q11, p.x}, stream_);
        of_both_to_c_->run({a.q12, b.q21, c11, p.x}, stream_);
        dense_->run({p.s.of[1], p.t.of[1], p.x, p.x}, stream_);
        dense_->run({p.s.of[2], p.t.of[2], p.y, p.x}, stream_);
        to_c_->run({p.s.of[0], p.t.of[0], c22}, stream_);
        add_both_kernel<<<grid_of(q_.m, q_.n), kThreads, 0, stream>>>(c22, shape_.n, p.x, p.y, q_.n);
        check_launch("add_both_kernel");
        of_b_to_c_->run({p.s.of[3], b.q22, c12, p.x}, stream_);
        of_a_to_c_->run({a.q22, p.t.of[3], c21, p.y, true}, stream_);
    }

    void multiply_rest(const MatmulCall<double>& call) {
        const std::int64_t m = shape_.m - 1, k = shape_.k - 1, n = shape_.n - 1;
        if (last_term_) last_term_->run({call.a + k, call.b + k * shape_.n, call.c, call.c}, stream_);
        if (last_column_) last_column_->run({call.a, call.b + n, call.c + n}, stream_);
        if (last_row_) last_row_->run({call.a + m * shape_.k, call.b, call.c + m * shape_.n}, stream_);
    }

    MatmulShape shape_;
    Quarters q_;
    std::size_t workspace_bytes_;
    CudaStream& stream_;
    CudaMemory memory_;
    Parts parts_;
    LtHandle handle_;
    Product whole_;  // where there are no quarters
    Product dense_, to_c_, of_b_to_c_, of_both_to_c_, of_both_, of_a_to_c_;
    Product last_term_, last_column_, last_row_;
};

}  // namespace

std::size_t strassen_matmul_bytes(const MatmulNeeds& needs) {
    return scratch_bytes<Parts>(needs);
}

std::unique_ptr<CudaMatmul<double>> make_strassen_matmul(const MatmulNeeds& needs, CudaStream& stream) {
    return std::make_unique<StrassenMatmul>(needs, stream);
}

}  // namespace stencil
