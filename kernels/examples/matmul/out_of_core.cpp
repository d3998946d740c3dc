#include "kernels/examples/matmul/out_of_core.h"

#include <algorithm>

#include "kernels/field/divide.h"

namespace stencil::matmul {
namespace {

// Whole tiles of the kernels, and rows on cache lines.
constexpr std::int64_t kUnit = 64;

// A panel along k costs a pass over the tile of C on the device, whose memory is some hundred times as fast
// as the way to it.
constexpr double kPassCost = 0.01;

// As even as units allow.
std::int64_t piece(std::int64_t whole, std::int64_t pieces) {
    return std::min(whole, round_up(ceil_div(whole, pieces), kUnit));
}

double cost(const OutOfCorePlan& plan) {
    const double c = double(plan.whole.m) * double(plan.whole.n);
    return plan.elements_in() + kPassCost * c * double(plan.panels());
}

// The fewest tiles across that fit, given the tiles down.
std::optional<OutOfCorePlan> widest(OutOfCorePlan plan, std::size_t budget, const PlanBytes& bytes) {
    const std::int64_t n = plan.whole.n;
    const auto fits = [&](std::int64_t pieces) {
        plan.tile.n = piece(n, pieces);
        plan.bytes = bytes(plan);
        return plan.bytes <= budget;
    };
    std::int64_t low = 1, high = ceil_div(n, kUnit);
    if (!fits(high)) return std::nullopt;
    while (low < high) {
        const std::int64_t middle = (low + high) / 2;
        if (fits(middle))
            high = middle;
        else
            low = middle + 1;
    }
    fits(high);
    return plan;
}

}  // namespace

std::vector<MatmulShape> OutOfCorePlan::shapes() const {
    const auto sizes = [](std::int64_t all, std::int64_t each) {
        std::vector<std::int64_t> list{std::min(all, each)};
        if (all > each && all % each != 0) list.push_back(all % each);
        return list;
    };
    std::vector<MatmulShape> list;
    for (const std::int64_t m : sizes(whole.m, tile.m))
        for (const std::int64_t k : sizes(whole.k, tile.k))
            for (const std::int64_t n : sizes(whole.n, tile.n)) list.push_back({m, k, n});
    return list;
}

double OutOfCorePlan::elements_in() const {
    const double a = double(whole.m) * double(whole.k), b = double(whole.k) * double(whole.n);
    return a * double(tiles_across()) + b * double(tiles_down());
}

std::optional<OutOfCorePlan> plan_out_of_core(const MatmulShape& whole,
                                              std::size_t budget,
                                              const PlanBytes& bytes) {
    std::optional<OutOfCorePlan> best;
    for (const std::int64_t depth : {64, 128, 256, 512, 1024, 2048, 4096}) {
        const std::int64_t k = std::min<std::int64_t>(whole.k, depth);
        for (std::int64_t down = 1; down <= ceil_div(whole.m, kUnit); ++down) {
            const auto plan = widest({whole, {piece(whole.m, down), k, 0}, 0}, budget, bytes);
            if (plan && (!best || cost(*plan) < cost(*best))) best = plan;
            if (plan && plan->tiles_across() == 1) break;  // more tiles down only cost more
        }
        if (k == whole.k) break;
    }
    return best;
}

OutOfCorePlan smallest_out_of_core(const MatmulShape& whole, const PlanBytes& bytes) {
    OutOfCorePlan plan{
        whole, {std::min(whole.m, kUnit), std::min(whole.k, kUnit), std::min(whole.n, kUnit)}, 0};
    plan.bytes = bytes(plan);
    return plan;
}

}  // namespace stencil::matmul
