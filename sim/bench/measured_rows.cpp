#include "sim/bench/measured_rows.h"

#include <algorithm>
#include <cmath>

namespace stencil {
namespace {

struct Pair {
    const Method* method;
    double edge, us_per_step, us_single;
};

std::vector<Pair> pairs_of(const PrecisionRows& rows) {
    std::vector<Pair> pairs;
    for (const LadderRow& row : rows.long_calls) {
        if (!row.timed_steps()) continue;
        for (const LadderRow& single : rows.single_steps)
            if (single.timed_steps() && single.method == row.method && single.size == row.size)
                pairs.push_back({row.method,
                                 std::sqrt(row.cells()),
                                 row.speed.us_per_step,
                                 std::max(single.speed.us_per_step, row.speed.us_per_step)});
    }
    std::ranges::stable_sort(pairs, {}, &Pair::edge);
    return pairs;
}

// Estimates the overhead of a call as the least that a single step costs beyond one of many. Methods that
// fuse steps are left out, because a call of one step is other work for them.
double call_cost(const std::vector<Pair>& pairs) {
    double least = 0;
    bool found = false;
    for (const Pair& pair : pairs) {
        if (pair.method->steps_fused != 1) continue;
        const double cost = pair.us_single - pair.us_per_step;
        if (!found || cost < least) least = cost;
        found = true;
    }
    return least;
}

}  // namespace

std::vector<MeasuredMethod> measured_methods(const std::vector<PrecisionRows>& rows) {
    std::vector<MeasuredMethod> result;
    for (const PrecisionRows& precision : rows) {
        const std::vector<Pair> pairs = pairs_of(precision);
        const double call = call_cost(pairs);
        for (const Method& method : methods()) {
            MeasuredMethod measured{std::string(method.name), bytes_of(precision.dtype), call, 1, 1, {}};
            for (const Pair& pair : pairs) {
                if (pair.method != &method) continue;
                if (!measured.speeds.empty() && pair.edge <= measured.speeds.back().edge) continue;
                measured.speeds.push_back(
                    {pair.edge, pair.us_per_step, std::max(pair.us_single - call, pair.us_per_step)});
            }
            if (!measured.speeds.empty()) result.push_back(std::move(measured));
        }
    }
    return result;
}

}  // namespace stencil
