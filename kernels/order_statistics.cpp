// Percentiles of a quantity on the CPU (kernels/radix_select.h says how).

#include <numeric>
#include <vector>

#include "kernels/cpu_view.h"
#include "kernels/percentiles.h"
#include "kernels/quantity_rows.h"
#include "kernels/radix_select.h"

namespace stencil {
namespace {

using Counts = std::vector<std::uint64_t>;  // (slots, kRadixBins)

template <class Key>
struct RadixPass {
    const RadixSearch<Key>& search;
    int pass;
};

template <class Key, class V>
void count_run(const RadixPass<Key>& at, const V* values, int count, Counts& counts) {
    for (int i = 0; i < count; ++i) {
        if (!is_finite(values[i])) continue;
        const Key key = radix_key(values[i]);
        const int slot = at.search.slot_of(key, at.pass);
        if (slot >= 0) ++counts[std::size_t(slot * kRadixBins + radix_digit(key, at.pass))];
    }
}

template <Quantity Q, class T, class Key>
Counts count_digits(const QuantitySource<T>& source, ThreadPool& threads, const RadixPass<Key>& at) {
    const std::size_t size = std::size_t(at.search.slots * kRadixBins);
    std::vector<Counts> counts(std::size_t(threads.size()), Counts(size));
    for_quantity<Q>(source, threads, [&](int, int thread, const auto* values, int count) {
        count_run(at, values, count, counts[std::size_t(thread)]);
    });
    for (std::size_t thread = 1; thread < counts.size(); ++thread)
        for (std::size_t i = 0; i < size; ++i) counts[0][i] += counts[thread][i];
    return counts[0];
}

// Every rank goes on in the digit that holds it.
template <class Key>
void choose_digits(RadixSearch<Key>& search, int pass, const Counts& counts) {
    for (int i = 0; i < kMostRanks; ++i) {
        const std::uint64_t* bins = counts.data() + std::size_t(search.slot[i]) * kRadixBins;
        int digit = 0;
        while (search.rank[i] >= bins[digit]) search.rank[i] -= bins[digit++];
        search.prefix[i] |= Key(digit) << radix_shift<Key>(pass);
    }
    search.share_slots();
}

template <Quantity Q, class T, class Key>
RadixSearch<Key> find_ranks(const QuantitySource<T>& source, ThreadPool& threads, const double* fractions) {
    RadixSearch<Key> search;
    for (int pass = 0; pass < kRadixPasses<Key>; ++pass) {
        const Counts counts = count_digits<Q>(source, threads, RadixPass<Key>{search, pass});
        if (pass == 0) {
            const std::uint64_t cells = std::accumulate(counts.begin(), counts.end(), std::uint64_t(0));
            if (cells == 0) break;
            search.begin(cells, fractions);
        }
        choose_digits(search, pass, counts);
    }
    return search;
}

}  // namespace

template <class T>
std::vector<double> percentiles(const CpuView<T>& view, std::span<const double> q) {
    const FieldView<const T>& state = view.source.state;
    if (only_extremes(q)) return extremes(q, statistics(view), std::size_t(state.nx) * std::size_t(state.ny));
    return with_quantity(view.quantity, [&](auto quantity) {
        using V = QuantityValue<quantity.value, T>;
        return percentiles_by<V>(q, [&](const double* fractions) {
            return find_ranks<quantity.value, T, RadixKey<V>>(view.source, view.threads, fractions);
        });
    });
}

template std::vector<double> percentiles(const CpuView<float>&, std::span<const double>);
template std::vector<double> percentiles(const CpuView<double>&, std::span<const double>);

}  // namespace stencil
