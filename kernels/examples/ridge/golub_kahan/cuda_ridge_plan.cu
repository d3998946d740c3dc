// The plan says which parts of a ridge problem stay in GPU memory.
#include <algorithm>
#include <vector>

#include "kernels/examples/ridge/golub_kahan/cuda_basis.cuh"
#include "kernels/examples/ridge/golub_kahan/cuda_golub_kahan.h"
#include "kernels/examples/ridge/golub_kahan/device_rows.cuh"

namespace stencil {
namespace {

// Bytes of one direction of the matrix on the device.
std::size_t packed_bytes(const std::vector<std::int64_t>& start, std::size_t nonzero_bytes, int blocks) {
    const auto rows = std::int64_t(start.size()) - 1;
    const auto groups = std::size_t(packed_groups(start, 0, rows));
    std::size_t segments = 0;
    for (std::int64_t i = 0; i < rows; ++i)
        segments += std::size_t(ceil_div(packed_groups(start, i, i + 1), kSegmentGroups));
    return groups * kGroup * nonzero_bytes + segments * (sizeof(RowSegment) + sizeof(double)) +
           sizeof(std::uint32_t) * std::size_t(rows + blocks + 2);
}

template <class T>
std::vector<std::int64_t> column_starts(const SparseMatrix<T>& a) {
    std::vector<std::int64_t> start(std::size_t(a.columns) + 1, 0);
    for (const std::uint32_t column : a.column) ++start[column + std::size_t(1)];
    for (std::size_t j = 0; j < std::size_t(a.columns); ++j) start[j + 1] += start[j];
    return start;
}

constexpr std::int64_t kMaxDevicePieces = 16;  // 4096 steps

}  // namespace

template <class T>
CudaRidgePlan plan_cuda_ridge(const SparseMatrix<T>& a, std::size_t budget, std::int64_t steps) {
    const int blocks = device_limits().blocks;
    const bool narrow = a.columns <= kNarrowColumns && a.rows <= kNarrowColumns;
    const std::size_t nonzero = sizeof(T) + (narrow ? 2 : 4);
    const auto rows = std::size_t(a.rows), columns = std::size_t(a.columns);
    const std::size_t vectors = sizeof(double) * (4 * rows + 4 * columns) + 64 * std::size_t(blocks) + 4096 +
                                CudaBasis::scratch_bytes(a.columns, steps);
    CudaRidgePlan plan;
    plan.least =
        vectors + packed_bytes(a.start, nonzero, blocks) + packed_bytes(column_starts(a), nonzero, blocks);
    const std::size_t piece = CudaBasis::piece_bytes(a.columns);
    plan.fits = plan.least <= budget;
    if (!plan.fits) return plan;
    const std::int64_t wanted = ceil_div(steps, CudaBasis::kStepsOfPiece);
    plan.basis_pieces = std::min({wanted, kMaxDevicePieces, std::int64_t((budget - plan.least) / piece)});
    plan.bytes = plan.least + std::size_t(plan.basis_pieces) * piece;
    return plan;
}

template CudaRidgePlan plan_cuda_ridge(const SparseMatrix<float>&, std::size_t, std::int64_t);
template CudaRidgePlan plan_cuda_ridge(const SparseMatrix<double>&, std::size_t, std::int64_t);

}  // namespace stencil
