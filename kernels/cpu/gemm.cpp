#include "kernels/cpu/gemm.h"

#include "kernels/cpu/openblas.h"

namespace stencil {
namespace {

template <class T, class Gemm>
void call_blas(const GemmCall<T>& s, Gemm blas) {
    const auto transpose = [](const GemmFactor<T>& f) { return f.transposed ? CblasTrans : CblasNoTrans; };
    // clang-format off
    blas(CblasRowMajor, transpose(s.a), transpose(s.b), blasint(s.m), blasint(s.n), blasint(s.k),
         1, s.a.values, blasint(s.a.leading), s.b.values, blasint(s.b.leading),
         0, s.c, blasint(s.c_leading));
    // clang-format on
}

}  // namespace

void gemm(const GemmCall<float>& call) {
    call_blas(call, OPENBLAS(cblas_sgemm));
}

void gemm(const GemmCall<double>& call) {
    call_blas(call, OPENBLAS(cblas_dgemm));
}

void set_gemm_threads(int threads) {
    OPENBLAS(openblas_set_num_threads)(threads);
}

}  // namespace stencil
