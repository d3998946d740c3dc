// Statistics, histograms and point values of a quantity on the CPU.

#include <cmath>
#include <numeric>
#include <vector>

#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_rows.h"
#include "kernels/view/sampled.h"

namespace stencil {
template <class T>
Statistics statistics(const CpuView<T>& view) {
    const PlainView<const T>& field = view.source.field;
    std::vector<PartialStatistics> parts(std::size_t(FieldParts(field.nx(), field.ny()).count()),
                                         PartialStatistics::none());
    with_quantity(view.quantity, [&](auto quantity) {
        for_quantity<quantity.value>(
            view.source, view.threads, [&]<class V>(int part, int, const V* values, int count) {
                cell_runs<V>().add_statistics(parts[std::size_t(part)], values, count);
            });
    });
    PartialStatistics all = PartialStatistics::none();
    for (const PartialStatistics& part : parts) all.add(part);
    return all.of_field(std::size_t(field.nx()) * std::size_t(field.ny()));
}

template <class T>
double norm(const CpuView<T>& view) {
    const PlainView<const T>& field = view.source.field;
    std::vector<double> parts(std::size_t(FieldParts(field.nx(), field.ny()).count()));
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
std::vector<double> sample(const CpuView<T>& view, std::span<const SamplePoint> points, const Sampling& how) {
    std::vector<double> values;
    with_quantity(view.quantity, [&](auto quantity) {
        for (const SamplePoint& point : points)
            values.push_back(sampled<quantity.value>(view.source, point, how));
    });
    return values;
}

template Statistics statistics(const CpuView<float>&);
template Statistics statistics(const CpuView<double>&);
template double norm(const CpuView<float>&);
template double norm(const CpuView<double>&);
template std::vector<std::uint64_t> histogram(const CpuView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> histogram(const CpuView<double>&, const HistogramBins&);
template std::vector<double> sample(const CpuView<float>&, std::span<const SamplePoint>, const Sampling&);
template std::vector<double> sample(const CpuView<double>&, std::span<const SamplePoint>, const Sampling&);

}  // namespace stencil
