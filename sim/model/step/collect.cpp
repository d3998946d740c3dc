#include "sim/model/step/collect.h"

#include <algorithm>
#include <vector>

namespace stencil::equation {
namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostFactors = 16;  // of a product; u^17 and what is longer keeps its squares

/// coefficient * factors, or less that.
struct Term {
    bool negative = false;
    Node coefficient = 0;       ///< uniform
    std::vector<Node> factors;  ///< that are not
    /// The sum of a Laplacian's neighbours, which stands for the only factor, a Laplacian whose middle went
    /// elsewhere.
    std::optional<int> ring = {};
};

class Collector {
  public:
    Collector(Graph& graph, Lowering& lowering) : g_(graph), l_(lowering) {}

    int sum(const Increment& increment) {
        std::vector<Term> outer;
        append_terms(outer, increment.rate, increment.factor, false);
        std::vector<Term> inner;
        const Node own = increment.component < 0 ? g_.number(0) : g_.leaf(Op::component, increment.component);
        if (increment.component >= 0) inner = take_out(outer, own, true);
        std::optional<int> base;
        if (increment.base) base = l_.builder().input(Code::load, *increment.base);
        if (inner.empty() || outer.size() + inner.size() > kMostTerms) {
            for (Term& term : inner) outer.push_back(with(term, own));
            const int rest = sum_of(outer);
            return base ? l_.builder().add(*base, rest) : rest;
        }
        open_laplacians(outer, inner, own);
        if (std::ranges::any_of(outer, has_ring)) {
            // Beside a rate that is small, and has no middle to go with, 1 would be all that is left of it.
            if (base && increment.from_base) {
                inner.push_back({false, g_.number(1), {}});
                base.reset();
            }
            if (!l_.is_float64()) balance(outer, inner);
        }
        Builder& b = l_.builder();
        std::vector<Product> products{{b.multiply(l_.value(own), sum_of(inner)), false}};
        while (const auto other = other_with_laplacian(outer))
            products.push_back(product_with(*other, outer));
        const int sum = sum_of(outer, products);
        return base ? b.add(*base, sum) : sum;
    }

  private:
    struct Product {
        int value = 0;
        bool negative = false;
    };

    static bool has_ring(const Term& term) { return term.ring.has_value(); }

    bool is_sum(Op op) const { return op == Op::add || op == Op::subtract; }

    // What is kept in arrays, or differs along one axis alone, stays whole.
    bool opens(Node node) const { return g_.depends(node).cell && !l_.is_stored(node); }

    void append_terms(std::vector<Term>& terms, Node node, Node coefficient, bool negative) {
        const Expression e = g_[node];
        if (g_.depends(node).uniform())
            return terms.push_back(signed_term(g_.multiply(coefficient, node), negative));
        if (opens(node) && terms.size() < kMostTerms) {
            if (is_sum(e.op)) {
                append_terms(terms, e.args[0], coefficient, negative);
                return append_terms(terms, e.args[1], coefficient, negative != (e.op == Op::subtract));
            }
            if (e.op == Op::negate) return append_terms(terms, e.args[0], coefficient, !negative);
            if (e.op == Op::multiply)
                for (const int i : {0, 1})
                    if (g_.depends(e.args[std::size_t(i)]).uniform())
                        return append_terms(terms,
                                            e.args[std::size_t(1 - i)],
                                            g_.multiply(coefficient, e.args[std::size_t(i)]),
                                            negative);
        }
        Term term = signed_term(coefficient, negative);
        append_factors(term, node);
        terms.push_back(std::move(term));
    }

    // The sign apart, so that products that differ in it alone are the same.
    Term signed_term(Node coefficient, bool negative) const {
        const Expression& e = g_[coefficient];
        if (e.op == Op::negate) return signed_term(e.args[0], !negative);
        return {negative, coefficient, {}, {}};
    }

    // A product of too many factors stays whole, with what it shares worked out once.
    void append_factors(Term& term, Node node) {
        Term opened = term;
        if (open_factors(opened, node))
            term = std::move(opened);
        else
            term.factors.push_back(node);
    }

    bool open_factors(Term& term, Node node) {
        const Expression e = g_[node];
        if (!opens(node) || (e.op != Op::multiply && e.op != Op::negate)) {
            term.factors.push_back(node);
            return term.factors.size() <= kMostFactors;
        }
        if (e.op == Op::negate) term.negative = !term.negative;
        for (int i = 0; i < e.count; ++i) {
            const Node factor = e.args[std::size_t(i)];
            if (g_.depends(factor).uniform())
                term.coefficient = g_.multiply(term.coefficient, factor);
            else if (!open_factors(term, factor))
                return false;
        }
        return true;
    }

    static Term with(Term term, Node factor) {
        term.factors.push_back(factor);
        return term;
    }

    // The terms with this factor, without it; `opening` opens sums that it is multiplied by. Of a product
    // with factor + something, or less that, its own part.
    std::vector<Term> take_out(std::vector<Term>& terms, Node factor, bool opening) {
        std::vector<Term> taken, rest;
        for (Term& term : terms) {
            const auto found = std::ranges::find(term.factors, factor);
            if (found == term.factors.end()) {
                if (const auto own = split(term, factor)) taken.push_back(*own);
                rest.push_back(std::move(term));
                continue;
            }
            term.factors.erase(found);
            if (opening && term.factors.size() == 1 && opens(term.factors[0]) &&
                is_sum(g_[term.factors[0]].op))
                append_terms(taken, term.factors[0], term.coefficient, term.negative);
            else
                taken.push_back(std::move(term));
        }
        terms = std::move(rest);
        return taken;
    }

    // Of (own + something) * others: others, and what is left is something * others.
    std::optional<Term> split(Term& term, Node own) {
        const auto sum = std::ranges::find_if(term.factors, [&](Node node) {
            const Expression& e = g_[node];
            return opens(node) && is_sum(e.op) && e.args[0] == own && !g_.depends(e.args[1]).uniform();
        });
        if (sum == term.factors.end() || term.factors.size() != 2) return std::nullopt;
        const Expression e = g_[*sum];
        term.factors.erase(sum);
        const Term taken = term;
        if (e.op == Op::subtract) term.negative = !term.negative;
        append_factors(term, e.args[1]);
        return taken;
    }

    // A Laplacian is the sum of the neighbours and the middle, many times.
    void open_laplacians(std::vector<Term>& outer, std::vector<Term>& inner, Node own) {
        for (Term& term : outer) {
            if (term.factors.size() != 1) continue;
            const Expression& e = g_[term.factors[0]];
            if ((e.op != Op::laplacian && e.op != Op::laplacian9) || e.args[0] != own) continue;
            term.ring = l_.neighbours(e);
            inner.push_back({!term.negative,
                             g_.multiply(g_.number(Lowering::middle_weight(e.op)), term.coefficient),
                             {}});
        }
    }

    // A component that is a factor of a term, and whose Laplacian stands by itself: its middle goes with
    // that.
    std::optional<Node> other_with_laplacian(const std::vector<Term>& terms) const {
        for (const Term& term : terms) {
            if (term.factors.size() != 1 || has_ring(term)) continue;
            const Expression& e = g_[term.factors[0]];
            if (e.op != Op::laplacian && e.op != Op::laplacian9) continue;
            const auto has_it = [&](const Term& t) { return std::ranges::count(t.factors, e.args[0]) > 0; };
            if (g_[e.args[0]].op == Op::component && std::ranges::any_of(terms, has_it)) return e.args[0];
        }
        return std::nullopt;
    }

    // The sign apart, as of terms.
    Product product_with(Node component, std::vector<Term>& outer) {
        std::vector<Term> inner = take_out(outer, component, false);
        open_laplacians(outer, inner, component);
        const bool negative = std::ranges::all_of(inner, &Term::negative);
        if (negative)
            for (Term& term : inner) term.negative = false;
        return {l_.builder().multiply(l_.value(component), sum_of(inner)), negative};
    }

    // To the 24 bits of a float, in float64 (Veltkamp 1968; Dekker, Numer. Math. 18, 1971).
    Node rounded(Node x) {
        const Node scaled = g_.multiply(g_.number(0x1p29 + 1), x);
        return g_.subtract(scaled, g_.subtract(scaled, x));
    }

    // What is flat is multiplied by the sum of the middle's factor and the neighbours' ones. Rounded to
    // float32 by themselves they would add up to something else, by which a field drifts, step by step; of
    // the two the smaller one, which is rounded more finely, makes up for the other.
    void balance(std::vector<Term>& outer, std::vector<Term>& inner) {
        Term& ring = *std::ranges::find_if(outer, has_ring);
        const double weight = Lowering::middle_weight(g_[ring.factors[0]].op);
        const Node weighed = g_.number(ring.negative ? -weight : weight);
        const Node middle = uniform_of(inner);
        const Node sum = g_.add(middle, g_.multiply(weighed, ring.coefficient));
        // Below that share of the middle too much of it would be the other's rounding.
        constexpr double kLeastShare = 0x1p-10;
        const Node least = g_.multiply(g_.number(kLeastShare), g_.make(Op::abs, {middle}));
        const Node mended = g_.divide(g_.subtract(sum, rounded(middle)), weighed);
        ring.coefficient =
            g_.make(Op::select, {g_.make(Op::less, {least, ring.coefficient}), mended, ring.coefficient});
        std::erase_if(inner, [](const Term& term) { return term.factors.empty(); });
        inner.push_back({false, g_.subtract(sum, g_.multiply(weighed, rounded(ring.coefficient))), {}});
    }

    Node uniform_of(const std::vector<Term>& terms) {
        Node sum = g_.number(0);
        for (const Term& term : terms)
            if (term.factors.empty())
                sum = term.negative ? g_.subtract(sum, term.coefficient) : g_.add(sum, term.coefficient);
        return sum;
    }

    // A sum begins with a uniform, which terms without factors are, goes on with products (`made` among
    // them), and ends with terms of one factor: so each step of it reads at most two values that are not
    // uniform, which GPUs are quickest with.
    int sum_of(const std::vector<Term>& terms, const std::vector<Product>& made = {}) {
        const Node constant = uniform_of(terms);
        Builder& b = l_.builder();
        std::optional<int> sum;
        if (g_.number_of(constant) != 0.0) sum = l_.value(constant);
        for (const auto& [value, negative] : made)
            sum = !sum ? value : negative ? b.subtract(*sum, value) : b.add(*sum, value);
        for (const bool single : {false, true})
            for (const bool negative : {false, true})
                for (const Term& term : terms) {
                    if (term.factors.empty() || term.negative != negative ||
                        (term.factors.size() == 1) != single)
                        continue;
                    if (!sum)
                        sum = product_of(term, negative);
                    else
                        sum = negative ? b.subtract(*sum, product_of(term)) : b.add(*sum, product_of(term));
                }
        return sum ? *sum : l_.value(g_.number(0));
    }

    // The coefficient goes with the last component, or else the last factor: equations that share a product
    // then share that.
    int product_of(const Term& term, bool negated = false) {
        const Node coefficient = negated ? g_.negate(term.coefficient) : term.coefficient;
        std::vector<Node> factors = term.factors;
        std::ranges::sort(
            factors, {}, [&](Node node) { return std::pair(g_[node].op == Op::component, node); });
        Builder& b = l_.builder();
        int product = term.ring ? *term.ring : l_.value(factors.back());
        if (g_.number_of(coefficient) != 1.0) product = b.multiply(l_.value(coefficient), product);
        for (std::size_t i = factors.size() - 1; i-- > 0;)
            product = b.multiply(product, l_.value(factors[i]));
        return product;
    }

    Graph& g_;
    Lowering& l_;
};

}  // namespace

int collected(Graph& graph, Lowering& lowering, const Increment& increment) {
    return Collector(graph, lowering).sum(increment);
}

}  // namespace stencil::equation
