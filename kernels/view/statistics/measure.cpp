// Statistics, histograms and point values of a quantity on the CPU.

#include <vector>

#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_rows.h"
#include "kernels/view/sampled.h"

namespace stencil {
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

template PartialStatistics sums(const CpuView<float>&, Summand, int);
template PartialStatistics sums(const CpuView<double>&, Summand, int);
template std::vector<std::uint64_t> histogram(const CpuView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> histogram(const CpuView<double>&, const HistogramBins&);
template std::vector<double> sample(const CpuView<float>&, std::span<const SamplePoint>, const Sampling&);
template std::vector<double> sample(const CpuView<double>&, std::span<const SamplePoint>, const Sampling&);

}  // namespace stencil
