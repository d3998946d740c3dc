// Reading, measuring and painting a field on the CPU; resample.cpp and statistics/order_statistics.cpp have
// the rest.
#include "kernels/view/cpu_view.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <vector>

#include "kernels/view/paint_cell.h"
#include "kernels/view/quantity_rows.h"
#include "kernels/view/sampled.h"

namespace stencil {
namespace {

template <Quantity Q, class T, class U>
void read_run(const QuantitySource<T>& source, const CellRun& run, U* out) {
    if constexpr (std::is_same_v<QuantityValue<Q, T>, U>) {
        quantity_run<Q>(source, run, out);
    } else {
        std::array<QuantityValue<Q, T>, kRun> values;
        quantity_run<Q>(source, run, values.data());
        std::transform(values.data(), values.data() + run.count, out, [](auto value) { return U(value); });
    }
}

}  // namespace

template <class T, class U>
void read(const CpuView<T>& view, FieldView<U> out) {
    with_quantity(view.quantity, [&](auto quantity) {
        view.threads.for_ranges(out.ny, [&](std::int64_t begin, std::int64_t end) {
            for (int y = int(begin); y < int(end); ++y)
                for (int x = 0; x < out.nx; x += kRun)
                    read_run<quantity.value>(view.source, {x, y, std::min(kRun, out.nx - x)}, out.row(y) + x);
        });
    });
}

template <class T>
PartialStatistics sums(const CpuView<T>& view, Summand summand, int first_row) {
    const PlainView<const T>& field = view.source.field;
    const int threads = view.threads.size();
    const FieldRuns runs(field.nx(), field.ny());
    std::vector<PartialStatistics> parts{std::size_t(threads)};
    for (int thread = 0; thread < threads; ++thread)
        parts[std::size_t(thread)].sum =
            SumTree(first_row * sum_runs(field.nx()) + runs.begin(thread, threads));
    with_quantity(view.quantity, [&](auto quantity) {
        for_quantity<quantity.value>(
            view.source, view.threads, [&]<class V>(int thread, const V* values, int count) {
                const CellRuns<V>& on_runs = cell_runs<V>();
                const auto sum = summand == Summand::square ? on_runs.sum_squares : on_runs.sum_values;
                const RunStatistics run = sum(values, count);
                PartialStatistics& part = parts[std::size_t(thread)];
                part.finite.add(run.finite);
                part.sum.add(run.sum);
            });
    });
    PartialStatistics all;
    for (const PartialStatistics& part : parts) all.append(part);
    all.cells = std::uint64_t(field.nx()) * std::uint64_t(field.ny());
    return all;
}

template <class T>
std::vector<std::uint64_t> histogram(const CpuView<T>& view, const HistogramBins& bins) {
    std::vector<std::vector<std::uint64_t>> counts(std::size_t(view.threads.size()),
                                                   std::vector<std::uint64_t>(std::size_t(bins.count)));
    with_quantity(view.quantity, [&](auto quantity) {
        for_quantity<quantity.value>(
            view.source, view.threads, [&](int thread, const auto* values, int count) {
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
std::vector<double> sample(const CpuView<T>& view, std::span<const SamplePoint> points, const Sampling& how) {
    std::vector<double> values;
    with_quantity(view.quantity, [&](auto quantity) {
        for (const SamplePoint& point : points)
            values.push_back(sampled<quantity.value>(view.source, point, how));
    });
    return values;
}

template <class T>
void paint(const PlainView<T>& field, const BrushPiece& piece, ThreadPool& threads, int first_row) {
    const CellBox box = reach_of(piece, field.nx(), field.ny(), first_row);
    threads.for_ranges(box.ny, [&](std::int64_t begin, std::int64_t end) {
        for (int y = box.y + int(begin); y < box.y + int(end); ++y)
            for (int x = box.x; x < box.x + box.nx; ++x) paint_cell(piece, x, y, field, first_row);
    });
}

template void read(const CpuView<float>&, FieldView<float>);
template void read(const CpuView<float>&, FieldView<double>);
template void read(const CpuView<double>&, FieldView<float>);
template void read(const CpuView<double>&, FieldView<double>);
template PartialStatistics sums(const CpuView<float>&, Summand, int);
template PartialStatistics sums(const CpuView<double>&, Summand, int);
template std::vector<std::uint64_t> histogram(const CpuView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> histogram(const CpuView<double>&, const HistogramBins&);
template std::vector<double> sample(const CpuView<float>&, std::span<const SamplePoint>, const Sampling&);
template std::vector<double> sample(const CpuView<double>&, std::span<const SamplePoint>, const Sampling&);
template void paint(const PlainView<float>&, const BrushPiece&, ThreadPool&, int);
template void paint(const PlainView<double>&, const BrushPiece&, ThreadPool&, int);

}  // namespace stencil
