// Sums over a field whose bits do not depend on which thread, process or device adds up which rows.
//
// Each row is cut into runs of kSumRun cells, counted from its first cell. A run has kSumLanes sums: lane l
// adds the cells l, l + kSumLanes, ... one after the other; then lane l takes lane l + 8, and so on with 4, 2
// and 1. The runs of all rows, row after row, are the leaves of one binary tree: a node of level k covers the
// 2^k leaves from a multiple of 2^k on, and is the sum of its two halves.
#pragma once

#include <array>
#include <cstdint>

namespace stencil {

inline constexpr int kSumRun = 2048;
inline constexpr int kSumLanes = 16;

/// The number of runs in a row.
constexpr std::int64_t sum_runs(int nx) {
    return (nx - 1) / kSumRun + 1;
}

/// A partial tree over consecutive leaves, stored as the largest nodes that these leaves fill.
class SumTree {
  public:
    /// `first` is the index of the first leaf that will be added.
    explicit SumTree(std::int64_t first = 0) : first_(first), end_(first) {}

    std::int64_t first() const { return first_; }

    /// Adds a node that begins after the last leaf added.
    void add(double node, int level = 0) {
        nodes_[std::size_t(count_++)] = node;
        std::int64_t size = std::int64_t(1) << level;
        end_ += size;
        for (size *= 2; end_ % size == 0 && end_ - size >= first_; size *= 2) {
            --count_;
            nodes_[std::size_t(count_) - 1] += nodes_[std::size_t(count_)];
        }
    }

    /// Appends the leaves of a tree that begins after the last leaf added.
    void append(const SumTree& next) {
        if (count_ == 0)
            *this = next;
        else
            next.for_nodes([this](double node, int level) { add(node, level); });
    }

    /// The sum of all leaves.
    double total() const {
        double sum = 0;
        for (int i = count_ - 1; i >= 0; --i) sum = nodes_[std::size_t(i)] + sum;
        return sum;
    }

  private:
    template <class F>
    void for_nodes(F&& f) const {
        std::int64_t at = first_;
        for (int i = 0; i < count_; ++i) {
            int level = 0;
            for (std::int64_t size = 2; at % size == 0 && at + size <= end_; size *= 2) ++level;
            f(nodes_[std::size_t(i)], level);
            at += std::int64_t(1) << level;
        }
    }

    std::int64_t first_, end_;
    int count_ = 0;
    std::array<double, 128> nodes_{};  ///< at most two per level, and one more before two are merged
};

}  // namespace stencil
