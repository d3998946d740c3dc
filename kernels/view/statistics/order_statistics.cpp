// Percentiles of a quantity on the CPU, by radix selection (kernels/view/statistics/radix_select.h).

#include <limits>
#include <numeric>
#include <vector>

#include "kernels/view/cpu_view.h"
#include "kernels/view/quantity_rows.h"
#include "kernels/view/statistics/percentiles.h"
#include "kernels/view/statistics/radix_select.h"

namespace stencil {
namespace {

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

// Continues each rank's search in the digit that contains it.
template <class Key>
void choose_digits(RadixSearch<Key>& search, int pass, const Counts& counts) {
    for (int i = 0; i < kMaxRanks; ++i) {
        const std::uint64_t* bins = counts.data() + std::size_t(search.slot[i]) * kRadixBins;
        int digit = 0;
        while (search.rank[i] >= bins[digit]) search.rank[i] -= bins[digit++];
        search.prefix[i] |= Key(digit) << radix_shift<Key>(pass);
    }
    search.share_slots();
}

template <Quantity Q, class T, class Key>
RadixSearch<Key> find_ranks(const QuantitySource<T>& source,
                            ThreadPool& threads,
                            const double* fractions,
                            const SumOverSlabs& sum) {
    RadixSearch<Key> search;
    for (int pass = 0; pass < kRadixPasses<Key>; ++pass) {
        Counts counts = count_digits<Q>(source, threads, RadixPass<Key>{search, pass});
        if (sum) sum(counts);
        if (pass == 0) {
            const std::uint64_t cells =
                std::accumulate(counts.begin(), counts.begin() + kRadixBins, std::uint64_t(0));
            if (cells == 0) break;
            search.begin(cells, fractions);
        }
        choose_digits(search, pass, counts);
    }
    return search;
}

}  // namespace

template <class T>
std::vector<double> percentiles(const CpuView<T>& view, std::span<const double> q, const SumOverSlabs& sum) {
    if (!sum && only_extremes(q)) return extremes(q, sums(view, Summand::value));
    return with_quantity(view.quantity, [&](auto quantity) {
        using V = QuantityValue<quantity.value, T>;
        return percentiles_by<V>(q, [&](const double* fractions) {
            return find_ranks<quantity.value, T, RadixKey<V>>(view.source, view.threads, fractions, sum);
        });
    });
}

template std::vector<double> percentiles(const CpuView<float>&, std::span<const double>, const SumOverSlabs&);
template std::vector<double> percentiles(const CpuView<double>&,
                                         std::span<const double>,
                                         const SumOverSlabs&);

}  // namespace stencil
