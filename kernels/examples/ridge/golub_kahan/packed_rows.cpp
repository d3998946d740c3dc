#include "kernels/examples/ridge/golub_kahan/packed_rows.h"

#include <algorithm>
#include <array>
#include <limits>
#include <stdexcept>

#include "kernels/cpu/thread_pool.h"
#include "kernels/field/divide.h"

namespace stencil {
namespace {

constexpr std::size_t kBanks = 16;  // of float64

// Deals out one row's nonzeros bank by bank.
class BankOrder {
  public:
    void sort(const std::uint32_t* column, std::size_t count) {
        for (auto& bank : banks_) bank.clear();
        for (std::size_t k = 0; k < count; ++k) banks_[column[k] % kBanks].push_back(std::uint32_t(k));
        next_.fill(0);
    }

    // One of the wanted bank, or of the one with most left.
    std::size_t take(std::size_t wanted) {
        if (left(wanted) == 0)
            for (std::size_t bank = 0; bank < kBanks; ++bank)
                if (left(bank) > left(wanted)) wanted = bank;
        return banks_[wanted][next_[wanted]++];
    }

  private:
    std::size_t left(std::size_t bank) const { return banks_[bank].size() - next_[bank]; }

    std::array<std::vector<std::uint32_t>, kBanks> banks_;
    std::array<std::size_t, kBanks> next_{};
};

// Where each row's groups and segments begin.
template <class T, class I>
std::vector<std::int64_t> lay_out(PackedRows<T, I>& packed, const SparseMatrix<T>& a) {
    std::vector<std::int64_t> group{0};
    packed.row_segments.push_back(0);
    for (std::size_t row = 0; row < std::size_t(a.rows); ++row) {
        std::int64_t at = group.back();
        group.push_back(at + ceil_div(a.start[row + 1] - a.start[row], kGroup));
        for (; at < group.back(); at += kSegmentGroups)
            packed.segments.push_back(
                {std::uint32_t(at),
                 std::uint32_t(std::min<std::int64_t>(kSegmentGroups, group.back() - at))});
        packed.row_segments.push_back(std::uint32_t(packed.segments.size()));
    }
    if (group.back() > std::numeric_limits<std::uint32_t>::max())
        throw std::length_error("a sparse matrix of more than 2^34 nonzeros");
    return group;
}

}  // namespace

template <class T, class I>
PackedRows<T, I> pack_rows(const SparseMatrix<T>& a, ThreadPool& threads) {
    PackedRows<T, I> packed;
    packed.rows = a.rows;
    packed.columns = a.columns;
    const std::vector<std::int64_t> group = lay_out(packed, a);
    packed.value.assign(std::size_t(group.back() * kGroup), T(0));
    packed.column.assign(std::size_t(group.back() * kGroup), I(0));
    threads.for_ranges(packed.rows, [&](std::int64_t begin, std::int64_t stop) {
        BankOrder order;
        for (auto i = std::size_t(begin); i < std::size_t(stop); ++i) {
            const auto from = std::size_t(a.start[i]);
            const std::size_t count = std::size_t(a.start[i + 1]) - from;
            order.sort(a.column.data() + from, count);
            const std::size_t to = std::size_t(group[i]) * kGroup;
            for (std::size_t k = 0; k < count; ++k) {
                const std::size_t taken = from + order.take(k / kGroup % kBanks);
                packed.value[to + k] = a.value[taken];
                packed.column[to + k] = I(a.column[taken]);
            }
        }
    });
    return packed;
}

template PackedRows<float, std::uint16_t> pack_rows(const SparseMatrix<float>&, ThreadPool&);
template PackedRows<float, std::uint32_t> pack_rows(const SparseMatrix<float>&, ThreadPool&);
template PackedRows<double, std::uint16_t> pack_rows(const SparseMatrix<double>&, ThreadPool&);
template PackedRows<double, std::uint32_t> pack_rows(const SparseMatrix<double>&, ThreadPool&);

}  // namespace stencil
