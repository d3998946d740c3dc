// Statistics, histograms and points of a quantity on the CPU.

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "kernels/view/cell_span.h"
#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_rows.h"

namespace stencil {
namespace {

template <Quantity Q, class T>
double sample_at(const QuantitySource<T>& source, const SamplePoint& point, bool smooth) {
    const int nx = source.state.nx;
    const int ny = source.state.ny;
    if (!holds(point, nx, ny)) return std::numeric_limits<double>::quiet_NaN();
    const CellSpan columns = point_span(point.x, nx, smooth);
    const CellSpan rows = point_span(point.y, ny, smooth);
    double sum = 0;
    for (int y = rows.first; y <= rows.last; ++y)
        for (int x = columns.first; x <= columns.last; ++x)
            sum += rows.weight(y) * columns.weight(x) * double(quantity_at<Q>(source, x, y));
    return sum;
}

}  // namespace

template <class T>
Statistics statistics(const CpuView<T>& view) {
    const FieldView<const T> state = view.source.state;
    std::vector<PartialStatistics> parts(std::size_t(FieldParts(state.nx, state.ny).count()));
    with_quantity(view.quantity, [&](auto quantity) {
        for_quantity<quantity.value>(
            view.source, view.threads, [&](int part, int, const auto* values, int count) {
                add_statistics_run(parts[std::size_t(part)], values, count);
            });
    });
    PartialStatistics all;
    for (const PartialStatistics& part : parts) {
        all.low = std::min(all.low, part.low);
        all.high = std::max(all.high, part.high);
        all.total += part.total;
        all.finite += part.finite;
    }
    Statistics result;
    result.not_finite = std::size_t(state.nx) * std::size_t(state.ny) - all.finite;
    if (all.finite == 0) return no_finite_cell(result.not_finite);
    result.min = all.low;
    result.max = all.high;
    result.total = all.total;
    result.mean = all.total / double(all.finite);
    return result;
}

template <class T>
double norm(const CpuView<T>& view) {
    const FieldView<const T> state = view.source.state;
    std::vector<double> parts(std::size_t(FieldParts(state.nx, state.ny).count()));
    with_quantity(view.quantity, [&](auto quantity) {
        for_quantity<quantity.value>(
            view.source, view.threads, [&](int part, int, const auto* values, int count) {
                double sum = 0;
                for (int i = 0; i < count; ++i) sum += double(values[i]) * double(values[i]);
                parts[std::size_t(part)] += sum;
            });
    });
    return std::sqrt(std::accumulate(parts.begin(), parts.end(), 0.0));
}

template <class T>
std::vector<std::uint64_t> histogram(const CpuView<T>& view, const HistogramBins& bins) {
    std::vector<std::vector<std::uint64_t>> counts(std::size_t(view.threads.size()),
                                                   std::vector<std::uint64_t>(std::size_t(bins.count)));
    with_quantity(view.quantity, [&](auto quantity) {
        for_quantity<quantity.value>(
            view.source, view.threads, [&](int, int thread, const auto* values, int count) {
                std::uint64_t* own = counts[std::size_t(thread)].data();
                for (int i = 0; i < count; ++i) {
                    const int bin = bins.bin_of(double(values[i]));
                    if (bin >= 0) ++own[bin];
                }
            });
    });
    for (std::size_t thread = 1; thread < counts.size(); ++thread)
        for (std::size_t bin = 0; bin < counts[0].size(); ++bin) counts[0][bin] += counts[thread][bin];
    return counts[0];
}

template <class T>
std::vector<double> sample(const CpuView<T>& view, std::span<const SamplePoint> points, bool smooth) {
    std::vector<double> values;
    with_quantity(view.quantity, [&](auto quantity) {
        for (const SamplePoint& point : points)
            values.push_back(sample_at<quantity.value>(view.source, point, smooth));
    });
    return values;
}

template Statistics statistics(const CpuView<float>&);
template Statistics statistics(const CpuView<double>&);
template double norm(const CpuView<float>&);
template double norm(const CpuView<double>&);
template std::vector<std::uint64_t> histogram(const CpuView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> histogram(const CpuView<double>&, const HistogramBins&);
template std::vector<double> sample(const CpuView<float>&, std::span<const SamplePoint>, bool);
template std::vector<double> sample(const CpuView<double>&, std::span<const SamplePoint>, bool);

}  // namespace stencil
