// The sums of statistics, written as plainly as their order allows (kernels/view/statistics/sum_tree.h).
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "kernels/view/statistics/statistics.h"

namespace stencil_test {

/// A binary tree over leaves, the first of which is the tree's leaf 0.
inline double plain_tree(std::span<const double> leaves) {
    if (leaves.size() <= 1) return leaves.empty() ? 0 : leaves.front();
    std::size_t half = 1;
    while (2 * half < leaves.size()) half *= 2;
    return plain_tree(leaves.first(half)) + plain_tree(leaves.subspan(half));
}

/// The sum over the cells of rows of nx.
inline double plain_sum(std::span<const double> cells, int nx, stencil::Summand summand) {
    std::vector<double> runs;
    for (std::size_t row = 0; row < cells.size(); row += std::size_t(nx))
        for (int x = 0; x < nx; x += 2048) {
            double lanes[16] = {};
            for (int i = 0; i < 2048 && x + i < nx; ++i) {
                const double value = cells[row + std::size_t(x + i)];
                if (std::isfinite(value))
                    lanes[i % 16] += summand == stencil::Summand::square ? value * value : value;
            }
            for (const int half : {8, 4, 2, 1})
                for (int lane = 0; lane < half; ++lane) lanes[lane] += lanes[lane + half];
            runs.push_back(lanes[0]);
        }
    return plain_tree(runs);
}

}  // namespace stencil_test
