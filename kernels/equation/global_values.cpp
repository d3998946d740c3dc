#include "kernels/equation/global_values.h"

#include <algorithm>
#include <array>
#include <bit>

#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

constexpr std::int64_t kLeastCells = std::int64_t(1) << 16;  // cells that are worth waking a thread for

// The leaf value of a run of cells.
template <Reduction::Kind kind, class T>
double leaf_of(const T* cells, int count) {
    std::array<double, kSumLanes> lanes;
    lanes.fill(neutral_of(kind));
    int i = 0;
    for (; i + kSumLanes <= count; i += kSumLanes)
        for (int lane = 0; lane < kSumLanes; ++lane)
            lanes[std::size_t(lane)] = combined<kind>(lanes[std::size_t(lane)], double(cells[i + lane]));
    for (int lane = 0; i + lane < count; ++lane)
        lanes[std::size_t(lane)] = combined<kind>(lanes[std::size_t(lane)], double(cells[i + lane]));
    for (int half = kSumLanes / 2; half > 0; half /= 2)
        for (int lane = 0; lane < half; ++lane)
            lanes[std::size_t(lane)] =
                combined<kind>(lanes[std::size_t(lane)], lanes[std::size_t(lane + half)]);
    return lanes[0];
}

}  // namespace

// An all-gather by summation: each slab adds the bits of its own leaves and zeros for all others.
std::vector<double> leaves_of_all_slabs(std::span<const double> own,
                                        const FieldLeaves& leaves,
                                        const EquationSetup& setup) {
    std::vector<std::uint64_t> bits(std::size_t(leaves.field_rows) * std::size_t(leaves.per_row));
    const std::size_t first = std::size_t(leaves.first_row) * std::size_t(leaves.per_row);
    for (std::size_t i = 0; i < own.size(); ++i) bits[first + i] = std::bit_cast<std::uint64_t>(own[i]);
    setup.sum_over_slabs(bits);
    std::vector<double> all(bits.size());
    std::ranges::transform(bits, all.begin(), [](std::uint64_t one) { return std::bit_cast<double>(one); });
    return all;
}

double root_of(Reduction::Kind kind, std::span<double> leaves) {
    with_kind(kind, [&](auto of) {
        for (std::size_t n = leaves.size(); n > 1; n = (n + 1) / 2)
            for (std::size_t i = 0; 2 * i < n; ++i)
                leaves[i] =
                    2 * i + 1 < n ? combined<of.value>(leaves[2 * i], leaves[2 * i + 1]) : leaves[2 * i];
    });
    return leaves[0];
}

template <class T>
void GlobalValues<T>::reduce(const Reduction& reduction, FieldView<const T> cells) {
    const FieldLeaves tree(cells.nx, setup_);
    leaves_.resize(std::size_t(tree.count()));
    with_kind(reduction.kind, [&](auto kind) {
        const auto rows = [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t y = begin; y < end; ++y)
                for (int run = 0; run < tree.per_row; ++run) {
                    const int x = run * kSumRun;
                    leaves_[std::size_t(y * tree.per_row + run)] = leaf_of<kind.value>(
                        cells.row(tree.above + int(y)) + x, std::min(kSumRun, cells.nx - x));
                }
        };
        threads_.for_ranges(tree.rows, rows, ceil_div(kLeastCells, std::int64_t(cells.nx)));
    });
    if (!setup_.slab.whole()) leaves_ = leaves_of_all_slabs(leaves_, tree, setup_);
    const double count = reduction.cells < 0 ? tree.cells() : exact_[std::size_t(reduction.cells)];
    const double value = finished_value(reduction.kind, root_of(reduction.kind, leaves_), count);
    exact_[std::size_t(reduction.global)] = value;
    rounded_[std::size_t(reduction.global)] = T(value);
}

template <class T>
void GlobalValues<T>::set(const std::vector<double>& exact) {
    exact_ = exact;
    std::ranges::transform(exact, rounded_.begin(), [](double value) { return T(value); });
}

template class GlobalValues<float>;
template class GlobalValues<double>;

}  // namespace stencil::equation
