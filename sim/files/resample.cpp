#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "sim/files/image.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Resampling along one axis: target cell i is sum(weight * source) / divisor over the taps first[i] ...
// first[i + 1]. Integer weights add up to the divisor exactly, so constants are preserved and no value leaves
// the range.
struct Axis {
    struct Tap {
        int source;
        double weight;
    };
    std::vector<Tap> taps;
    std::vector<std::size_t> first;
    double divisor = 1;

    std::span<const Tap> of(int target) const {
        return std::span(taps).subspan(first[std::size_t(target)],
                                       first[std::size_t(target) + 1] - first[std::size_t(target)]);
    }
};

// Averages: in units of 1/target_cells of a source cell, source cell i covers [i, i + 1) * target_cells and
// target cell j covers [j, j + 1) * source_cells.
void add_areas(Axis& axis, std::int64_t source_cells, std::int64_t target_cells, std::int64_t target) {
    const std::int64_t begin = target * source_cells, end = begin + source_cells;
    for (std::int64_t i = begin / target_cells; i * target_cells < end; ++i) {
        const std::int64_t overlap =
            std::min(end, (i + 1) * target_cells) - std::max(begin, i * target_cells);
        axis.taps.push_back({int(i), double(overlap)});
    }
}

// Interpolates: the centre of target cell j lies ((2 j + 1) source_cells - target_cells) / (2 target_cells)
// source cells after the centre of the first.
void add_neighbours(Axis& axis, std::int64_t source_cells, std::int64_t target_cells, std::int64_t target) {
    const std::int64_t unit = 2 * target_cells;
    const std::int64_t centre = std::clamp(
        (2 * target + 1) * source_cells - target_cells, std::int64_t(0), (source_cells - 1) * unit);
    const std::int64_t left = centre / unit, part = centre % unit;
    axis.taps.push_back({int(left), double(unit - part)});
    if (part > 0) axis.taps.push_back({int(left + 1), double(part)});
}

Axis make_axis(int source_cells, int target_cells, Growing growing) {
    Axis axis;
    for (int j = 0; j < target_cells; ++j) {
        axis.first.push_back(axis.taps.size());
        if (target_cells == source_cells || (target_cells > source_cells && growing == Growing::nearest))
            axis.taps.push_back({int((2LL * j + 1) * source_cells / (2LL * target_cells)), 1});
        else if (target_cells < source_cells)
            add_areas(axis, source_cells, target_cells, j);
        else
            add_neighbours(axis, source_cells, target_cells, j);
    }
    axis.first.push_back(axis.taps.size());
    if (target_cells < source_cells) axis.divisor = source_cells;
    if (target_cells > source_cells && growing == Growing::linear) axis.divisor = 2.0 * target_cells;
    return axis;
}

}  // namespace

template <class T>
Array<double> resample(const Array<T>& source, int nx, int ny, Growing growing, double base) {
    if (nx < 1 || ny < 1 || source.size() == 0)
        throw InputError(
            fmt::format("can't resample {} x {} cells to {} x {}", source.nx(), source.ny(), nx, ny));
    const Axis columns = make_axis(source.nx(), nx, growing), rows = make_axis(source.ny(), ny, growing);
    Array<double> result(nx, ny);
    std::vector<double> row(std::size_t(source.nx()));
    for (int y = 0; y < ny; ++y) {
        std::ranges::fill(row, 0.0);
        for (const auto& tap : rows.of(y)) {
            const T* const cells = &source.at(0, tap.source);
            for (std::size_t x = 0; x < row.size(); ++x) row[x] += tap.weight * (double(cells[x]) - base);
        }
        for (double& value : row) value /= rows.divisor;
        for (int x = 0; x < nx; ++x) {
            double sum = 0;
            for (const auto& tap : columns.of(x)) sum += tap.weight * row[std::size_t(tap.source)];
            result.at(x, y) = sum / columns.divisor;
        }
    }
    return result;
}

template Array<double> resample(const Array<float>&, int, int, Growing, double);
template Array<double> resample(const Array<double>&, int, int, Growing, double);

}  // namespace stencil
