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

/// Dynamic programming over the sets of operands, as bits of a number.
class AllOrders {
  public:
    explicit AllOrders(const PathProblem& problem)
        : problem_(problem), n_(problem.operands.size()), best_(std::size_t(1) << n_) {
        for (unsigned set = 1; set < best_.size(); ++set) {
            best_[set].labels = labels_of(set);
            if (std::has_single_bit(set))
                best_[set].flops = best_[set].values = 0;
            else
                split(set);
        }
    }

    std::vector<PathStep> path() {
        std::vector<PathStep> steps;
        build(unsigned(best_.size() - 1), steps);
        return steps;
    }

  private:
    struct Best {
        double flops = std::numeric_limits<double>::infinity();
        double values = std::numeric_limits<double>::infinity();  ///< of all intermediates
        unsigned part = 0;
        LabelSet labels;
    };

    // What is still needed outside of the set.
    LabelSet labels_of(unsigned set) const {
        LabelSet inside, outside = problem_.output;
        for (std::size_t i = 0; i < n_; ++i) (set >> i & 1 ? inside : outside) |= problem_.operands[i];
        return std::has_single_bit(set) ? inside : inside & outside;
    }

    void split(unsigned set) {
        Best& best = best_[set];
        for (unsigned part = (set - 1) & set; part > 0; part = (part - 1) & set) {
            const unsigned rest = set ^ part;
            if (part < rest) continue;  // the same two the other way round
            const Best &a = best_[part], &b = best_[rest];
            const double flops = a.flops + b.flops + flops_of(a.labels, b.labels, best.labels, problem_);
            const double values = a.values + b.values + values_of(best.labels, problem_.sizes);
            if (flops > best.flops || (flops == best.flops && values >= best.values)) continue;
            best.flops = flops;
            best.values = values;
            best.part = part;
        }
    }

    int build(unsigned set, std::vector<PathStep>& steps) const {
        if (std::has_single_bit(set)) return std::countr_zero(set);
        const Best& best = best_[set];
        // The part with the first operand first, so that the order is the reader's where it can be.
        unsigned first = best.part, second = set ^ best.part;
        if (std::countr_zero(second) < std::countr_zero(first)) std::swap(first, second);
        const int a = build(first, steps), b = build(second, steps);
        steps.push_back(
            {a, b, best.labels, flops_of(best_[first].labels, best_[second].labels, best.labels, problem_)});
        return int(n_ + steps.size()) - 1;
    }

    const PathProblem& problem_;
    std::size_t n_;
    std::vector<Best> best_;
};

class Greedy {
  public:
    explicit Greedy(const PathProblem& problem) : problem_(problem), labels_(problem.operands) {
        left_.resize(labels_.size());
        std::iota(left_.begin(), left_.end(), 0);
    }

    std::vector<PathStep> path() {
        std::vector<PathStep> steps;
        while (left_.size() > 1) {
            const auto [i, j] = best_pair();
            const int a = left_[i], b = left_[j];
            const LabelSet kept = kept_by(i, j);
            steps.push_back({a, b, kept, flops_of(label(a), label(b), kept, problem_)});
            left_.erase(left_.begin() + std::ptrdiff_t(j));
            left_.erase(left_.begin() + std::ptrdiff_t(i));
            left_.push_back(int(labels_.size()));
            labels_.push_back(kept);
        }
        return steps;
    }

  private:
    const LabelSet& label(int tensor) const { return labels_[std::size_t(tensor)]; }

    LabelSet kept_by(std::size_t i, std::size_t j) const {
        LabelSet outside = problem_.output;
        for (std::size_t k = 0; k < left_.size(); ++k)
            if (k != i && k != j) outside |= label(left_[k]);
        return (label(left_[i]) | label(left_[j])) & outside;
    }

    std::pair<std::size_t, std::size_t> best_pair() const {
        std::pair<std::size_t, std::size_t> best{0, 1};
        double least = std::numeric_limits<double>::infinity(), fewest = least;
        for (std::size_t i = 0; i < left_.size(); ++i)
            for (std::size_t j = i + 1; j < left_.size(); ++j) {
                const LabelSet &a = label(left_[i]), &b = label(left_[j]);
                const LabelSet kept = kept_by(i, j);
                const double growth = values_of(kept, problem_.sizes) - values_of(a, problem_.sizes) -
                                      values_of(b, problem_.sizes);
                const double flops = flops_of(a, b, kept, problem_);
                if (growth > least || (growth == least && flops >= fewest)) continue;
                least = growth;
                fewest = flops;
                best = {i, j};
            }
        return best;
    }

    const PathProblem& problem_;
    std::vector<LabelSet> labels_;
    std::vector<int> left_;
};

}  // namespace

double values_of(const LabelSet& labels, std::span<const std::int64_t> sizes) {
    double product = 1;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (labels[i]) product *= double(sizes[i]);
    return product;
}

std::vector<PathStep> find_path(const PathProblem& problem) {
    if (problem.operands.size() < 2) return {};
    if (problem.operands.size() <= kMaxForAllOrders) return AllOrders(problem).path();
    return Greedy(problem).path();
}

}  // namespace stencil::einsum
