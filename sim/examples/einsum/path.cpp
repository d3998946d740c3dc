#include "sim/examples/einsum/path.h"

#include <bit>
#include <limits>
#include <numeric>

namespace stencil::einsum {
namespace {

constexpr std::size_t kMaxForAllOrders = 8;

double flops_of(const LabelSet& a, const LabelSet& b, const LabelSet& kept, const PathProblem& problem) {
    const bool contracts = ((a | b) & ~kept).any();
    return (contracts ? 2 : 1) * values_of(a | b, problem.sizes);
}

/// The cheapest way to multiply a set of operands, as two parts.
struct Best {
    double flops = std::numeric_limits<double>::infinity();
    double values = std::numeric_limits<double>::infinity();  ///< of all intermediates
    unsigned part = 0;                                        ///< the operands of one of them, as bits
    LabelSet labels = {};
};

// The labels of a set that are still needed outside of it.
LabelSet labels_of(const PathProblem& problem, unsigned set) {
    LabelSet inside, outside = problem.output;
    for (std::size_t i = 0; i < problem.operands.size(); ++i)
        (set >> i & 1 ? inside : outside) |= problem.operands[i];
    return std::has_single_bit(set) ? inside : inside & outside;
}

// Dynamic programming over the sets of operands, as bits of a number.
std::vector<Best> best_of_all(const PathProblem& problem) {
    std::vector<Best> best(std::size_t(1) << problem.operands.size());
    for (unsigned set = 1; set < best.size(); ++set) {
        Best& here = best[set];
        here.labels = labels_of(problem, set);
        if (std::has_single_bit(set)) here.flops = here.values = 0;
        for (unsigned part = (set - 1) & set; part > 0; part = (part - 1) & set) {
            if (part < (set ^ part)) continue;  // the same two the other way round
            const Best &a = best[part], &b = best[set ^ part];
            const double flops = a.flops + b.flops + flops_of(a.labels, b.labels, here.labels, problem);
            const double values = a.values + b.values + values_of(here.labels, problem.sizes);
            if (flops < here.flops || (flops == here.flops && values < here.values))
                here = {flops, values, part, here.labels};
        }
    }
    return best;
}

// The number of the set's product, after its steps were added.
int add_steps(const PathProblem& problem,
              const std::vector<Best>& best,
              unsigned set,
              std::vector<PathStep>& steps) {
    if (std::has_single_bit(set)) return std::countr_zero(set);
    // The part with the first operand first, so that the order is the reader's where it can be.
    unsigned first = best[set].part, second = set ^ first;
    if (std::countr_zero(second) < std::countr_zero(first)) std::swap(first, second);
    const int a = add_steps(problem, best, first, steps), b = add_steps(problem, best, second, steps);
    const LabelSet& keeps = best[set].labels;
    steps.push_back({a, b, keeps, flops_of(best[first].labels, best[second].labels, keeps, problem)});
    return int(problem.operands.size() + steps.size()) - 1;
}

std::vector<PathStep> greedy_path(const PathProblem& problem) {
    std::vector<PathStep> steps;
    std::vector<LabelSet> labels = problem.operands;  // of operands and products
    std::vector<int> left(labels.size());             // those that are still to be multiplied
    std::iota(left.begin(), left.end(), 0);
    const auto step_of = [&](int a, int b) {
        LabelSet outside = problem.output;
        for (const int other : left)
            if (other != a && other != b) outside |= labels[std::size_t(other)];
        const LabelSet &of_a = labels[std::size_t(a)], &of_b = labels[std::size_t(b)];
        const LabelSet keeps = (of_a | of_b) & outside;
        return PathStep{a, b, keeps, flops_of(of_a, of_b, keeps, problem)};
    };
    const auto values = [&](const LabelSet& set) { return values_of(set, problem.sizes); };
    while (left.size() > 1) {
        PathStep best = step_of(left[0], left[1]);
        double least = std::numeric_limits<double>::infinity();  // values more than before
        for (auto i = left.begin(); i != left.end(); ++i)
            for (auto j = i + 1; j != left.end(); ++j) {
                const PathStep step = step_of(*i, *j);
                const double growth =
                    values(step.keeps) - values(labels[std::size_t(*i)]) - values(labels[std::size_t(*j)]);
                if (growth > least || (growth == least && step.flops >= best.flops)) continue;
                least = growth;
                best = step;
            }
        std::erase_if(left, [&](int one) { return one == best.a || one == best.b; });
        left.push_back(int(labels.size()));
        labels.push_back(best.keeps);
        steps.push_back(best);
    }
    return steps;
}

}  // namespace

double values_of(const LabelSet& labels, std::span<const std::int64_t> sizes) {
    double product = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (labels[i]) product *= double(sizes[i]);
    return product;
}

std::vector<PathStep> find_path(const PathProblem& problem) {
    if (problem.operands.size() < 2) return {};
    if (problem.operands.size() > kMaxForAllOrders) return greedy_path(problem);
    std::vector<PathStep> steps;
    const std::vector<Best> best = best_of_all(problem);
    add_steps(problem, best, unsigned(best.size() - 1), steps);
    return steps;
}

}  // namespace stencil::einsum
