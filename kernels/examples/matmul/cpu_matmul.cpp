#include "kernels/examples/matmul/cpu_matmul.h"

#include <algorithm>

#include "kernels/cpu/gemm.h"
#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

// Operations of a panel per thread: half a second in float32 on a core with wide vectors. OpenBLAS packs all
// of B anew for each panel, so panels have some hundred rows at least.
constexpr double kPanelOperations = 8e10;
constexpr std::int64_t kMinRows = 512;

std::int64_t panel_rows(const MatmulShape& s, int threads) {
    const double row = 2.0 * double(s.k) * double(s.n);
    const auto wanted = std::max(kMinRows, std::int64_t(kPanelOperations * threads / row));
    const std::int64_t panels = ceil_div(s.m, wanted);
    return ceil_div(s.m, panels);
}

}  // namespace

template <class T>
void cpu_matmul(const CpuMatmulCall<T>& call, int threads, const std::function<void(double)>& pause) {
    set_gemm_threads(threads);
    const MatmulShape& s = call.shape;
    const std::int64_t panel = panel_rows(s, threads);
    for (std::int64_t first = 0; first < s.m; first += panel) {
        const std::int64_t rows = std::min(panel, s.m - first);
        gemm(GemmCall<T>{
            rows, s.k, s.n, {call.a + first * s.k, s.k}, {call.b, s.n}, call.c + first * s.n, s.n});
        pause(double(first + rows) / double(s.m));
    }
}

template void cpu_matmul<float>(const CpuMatmulCall<float>&, int, const std::function<void(double)>&);
template void cpu_matmul<double>(const CpuMatmulCall<double>&, int, const std::function<void(double)>&);

}  // namespace stencil::matmul
