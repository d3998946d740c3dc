// Reading, measuring and painting a field on the CPU; resample.cpp has the rest. Percentiles are found by
// radix selection (kernels/view/statistics/radix_select.h).
#include "kernels/view/view.h"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/view/paint_cell.h"
#include "kernels/view/quantity_rows.h"
#include "kernels/view/sampled.h"
#include "kernels/view/statistics/percentiles.h"

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

// (kMaxRanks, kRadixBins) counters, and a few dummies that make the counting branch-free.
using Counts = std::vector<std::uint64_t>;
constexpr int kNowhere = kMaxRanks * kRadixBins;
constexpr int kSpread = 8;

template <class Key>
struct RadixPass {
    const RadixSearch<Key>& search;
    int pass;
};

/// The keys of the finite values form an interval.
template <class V>
struct FiniteKeys {
    static constexpr RadixKey<V> first = radix_key(-std::numeric_limits<V>::max());
    static constexpr RadixKey<V> span = radix_key(std::numeric_limits<V>::max()) - first;
    static bool hold(RadixKey<V> key) { return RadixKey<V>(key - first) <= span; }
};

// In pass 0 all keys are in one slot. Its counts alternate between as many tables as there are slots, because
// incrementing the same counter twice in a row stalls.
template <class V>
void count_first_digits(const V* values, int count, Counts& counts) {
    for (int i = 0; i < count; ++i) {
        const RadixKey<V> key = radix_key(values[i]);
        const int bin = i % kMaxRanks * kRadixBins + radix_digit(key, 0);
        ++counts[std::size_t(FiniteKeys<V>::hold(key) ? bin : kNowhere + i % kSpread)];
    }
}

template <class Key, class V>
void count_next_digits(const RadixPass<Key>& at, const V* values, int count, Counts& counts) {
    const int shift = radix_shift<Key>(at.pass - 1);
    Key prefix[kMaxRanks];
    for (int i = 0; i < kMaxRanks; ++i)
        prefix[i] = at.search.slot_prefix[i < at.search.slots ? i : 0] >> shift;
    static_assert(kMaxRanks == 4);
    for (int i = 0; i < count; ++i) {
        const Key key = radix_key(values[i]);
        const Key begin = key >> shift;
        const int digit = radix_digit(key, at.pass);
        int bin = kNowhere + i % kSpread;
        bin = begin == prefix[3] ? 3 * kRadixBins + digit : bin;
        bin = begin == prefix[2] ? 2 * kRadixBins + digit : bin;
        bin = begin == prefix[1] ? kRadixBins + digit : bin;
        bin = begin == prefix[0] ? digit : bin;
        ++counts[std::size_t(FiniteKeys<V>::hold(key) ? bin : kNowhere + i % kSpread)];
    }
}

template <Quantity Q, class T, class Key>
Counts count_digits(const QuantitySource<T>& source, ThreadPool& threads, const RadixPass<Key>& at) {
    std::vector<Counts> counts(std::size_t(threads.size()), Counts(kNowhere + kSpread));
    for_quantity<Q>(source, threads, [&](int thread, const auto* values, int count) {
        if (at.pass == 0)
            count_first_digits(values, count, counts[std::size_t(thread)]);
        else
            count_next_digits(at, values, count, counts[std::size_t(thread)]);
    });
    for (std::size_t thread = 1; thread < counts.size(); ++thread)
        for (std::size_t i = 0; i < kNowhere; ++i) counts[0][i] += counts[thread][i];
    if (at.pass == 0)
        for (std::size_t i = kRadixBins; i < kNowhere; ++i) counts[0][i % kRadixBins] += counts[0][i];
    return counts[0];
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
std::vector<double> percentiles(const CpuView<T>& view, std::span<const double> q, const SumOverSlabs& sum) {
    if (!sum && only_extremes(q)) return extremes(q, sums(view, Summand::value));
    return with_quantity(view.quantity, [&](auto quantity) {
        using V = QuantityValue<quantity.value, T>;
        return percentiles_by<V>(q, sum, [&](const RadixSearch<RadixKey<V>>& search, int pass) {
            return count_digits<quantity.value>(
                view.source, view.threads, RadixPass<RadixKey<V>>{search, pass});
        });
    });
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
template std::vector<double> percentiles(const CpuView<float>&, std::span<const double>, const SumOverSlabs&);
template std::vector<double> percentiles(const CpuView<double>&,
                                         std::span<const double>,
                                         const SumOverSlabs&);
template std::vector<std::uint64_t> histogram(const CpuView<float>&, const HistogramBins&);
template std::vector<std::uint64_t> histogram(const CpuView<double>&, const HistogramBins&);
template std::vector<double> sample(const CpuView<float>&, std::span<const SamplePoint>, const Sampling&);
template std::vector<double> sample(const CpuView<double>&, std::span<const SamplePoint>, const Sampling&);
template void paint(const PlainView<float>&, const BrushPiece&, ThreadPool&, int);
template void paint(const PlainView<double>&, const BrushPiece&, ThreadPool&, int);

}  // namespace stencil
