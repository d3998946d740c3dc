#include "sim/model/step/collect.h"

#include <algorithm>
#include <vector>

namespace stencil::equation {
namespace {

constexpr std::size_t kMostTerms = 64;
constexpr std::size_t kMostFactors = 16;  // of a product; longer ones such as u^17 keep repeated squaring

/// A summand: coefficient * factors, subtracted if negative.
struct Term {
    bool negative = false;
    Node coefficient = 0;       ///< uniform
    std::vector<Node> factors;  ///< varying from cell to cell
    /// The sum of a Laplacian's neighbours, in place of the only factor, that Laplacian.
    std::optional<int> ring = {};
};

class Collector {
  public:
    Collector(Graph& graph, Lowering& lowering) : g_(graph), l_(lowering) {}

    int sum(const Increment& increment) {
        std::vector<Term> outer, inner;
        append_terms(outer, increment.rate, increment.fast ? increment.factor : g_.number(1), false);
        const Node own = increment.component < 0 ? g_.number(0) : g_.leaf(Op::component, increment.component);
        if (increment.component >= 0) {
            inner = take_out(outer, own);
            if (outer.size() + inner.size() > kMostTerms) {
                for (Term& term : inner) outer.push_back(with(std::move(term), own));
                inner.clear();
            }
        }
        Builder& b = l_.builder();
        Node factor = increment.fast ? g_.number(1) : increment.factor;
        const bool opened = increment.fast && increment.base && increment.component >= 0 &&
                            open_laplacian(outer, inner, own, b.input(Code::load, *increment.base));
        // A single Laplacian cannot round to ties, so the factor is merged into its coefficient.
        const bool lone = !increment.fast && outer.size() + inner.size() == 1;
        if (lone && !(increment.rounded && g_.radius(increment.rate) == 0)) {
            Node& only = (inner.empty() ? outer : inner).front().coefficient;
            only = g_.multiply(factor, only);
            factor = g_.number(1);
        }
        std::optional<Signed> own_terms;
        if (!inner.empty()) {
            own_terms = sum_of(inner);
            own_terms->value = b.multiply(l_.value(own), own_terms->value);
        }
        auto [value, negative] = sum_of(outer, own_terms);
        if (g_.number_of(factor) != 1.0)
            value = increment.rounded ? b.uncontracted_product(l_.value(factor), value)
                                      : b.multiply(l_.value(factor), value);
        if (increment.base && !opened) return added(b.input(Code::load, *increment.base), {value, negative});
        return negative ? b.multiply(b.constant(-1), value) : value;
    }

  private:
    bool is_sum(Op op) const { return op == Op::add || op == Op::subtract; }

    // Whether a node may be expanded. Stored values, products that are differenced, one-sided differences and
    // functions of x or y alone stay whole.
    bool opens(Node node) const {
        return g_.depends(node).cell && !l_.is_stored(node) && !l_.is_differenced(node) &&
               !is_difference(node);
    }

    // Whether the node subtracts a field from itself at another cell. Multiplied term by term, such a
    // difference would round on one side only and leave a flat field a derivative.
    bool is_difference(Node node) const {
        const auto field = [&](Node of) { return g_[of].op == Op::neighbour ? g_[of].args[0] : of; };
        const Expression& e = g_[node];
        return e.op == Op::subtract && field(e.args[0]) == field(e.args[1]);
    }

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

    // Keeps the sign apart, so that products differing only in sign are shared.
    Term signed_term(Node coefficient, bool negative) const {
        const Expression& e = g_[coefficient];
        if (e.op == Op::negate) return signed_term(e.args[0], !negative);
        return {negative, coefficient, {}};
    }

    // Products of too many factors are not expanded, so that repeated squaring still shares its parts.
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

    // Moves the terms with this factor out of `terms` and returns them without it, expanding sums that it
    // multiplies. From a product with (factor + something) only the factor's part is taken.
    std::vector<Term> take_out(std::vector<Term>& terms, Node factor) {
        std::vector<Term> taken, rest;
        for (Term& term : terms) {
            const auto found = std::ranges::find(term.factors, factor);
            if (found == term.factors.end()) {
                if (const auto own = split(term, factor)) taken.push_back(*own);
                rest.push_back(std::move(term));
                continue;
            }
            term.factors.erase(found);
            if (term.factors.size() == 1 && opens(term.factors[0]) && is_sum(g_[term.factors[0]].op))
                append_terms(taken, term.factors[0], term.coefficient, term.negative);
            else
                taken.push_back(std::move(term));
        }
        terms = std::move(rest);
        return taken;
    }

    // Splits (own + something) * others: returns others and leaves something * others in `term`.
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

    // Moves the middle of the component's own Laplacian to its factor `inner`, and the base as well if that
    // is the component; returns whether it has.
    bool open_laplacian(std::vector<Term>& outer, std::vector<Term>& inner, Node own, int base) {
        const auto is_its = [&](const Term& term) {
            if (term.factors.size() != 1 || l_.is_stored(term.factors[0])) return false;
            const Expression& e = g_[term.factors[0]];
            return (e.op == Op::laplacian || e.op == Op::laplacian9) && e.args[0] == own;
        };
        const auto ring = std::ranges::find_if(outer, is_its);
        if (ring == outer.end() || base != l_.value(own)) return false;
        const Node weight = g_.number(g_[ring->factors[0]].op == Op::laplacian ? 4 : 20);
        ring->ring = l_.neighbours(ring->factors[0]);
        inner.push_back({!ring->negative, g_.multiply(weight, ring->coefficient), {}});
        inner.push_back({false, g_.number(1), {}});
        if (!l_.is_float64()) balance(*ring, inner, ring->negative ? g_.negate(weight) : weight);
        return true;
    }

    // To the 24 bits of a float, in float64 (Veltkamp 1968; Dekker, Numer. Math. 18, 1971).
    Node rounded(Node x) {
        const Node scaled = g_.multiply(g_.number(0x1p29 + 1), x);
        return g_.subtract(scaled, g_.subtract(scaled, x));
    }

    // A flat field is multiplied by the sum of the component's factor and the neighbours' ones. Each rounded
    // by itself, they would add up to something else, by which it drifts step by step; the neighbours'
    // coefficient, which is the smaller and so rounded more finely, makes up for it.
    void balance(Term& ring, std::vector<Term>& inner, Node weight) {
        const Node middle = uniform_of(inner);
        const Node sum = g_.add(middle, g_.multiply(weight, ring.coefficient));
        // Far below the middle too much of it would be the other's rounding.
        const Node least = g_.multiply(g_.number(0x1p-10), g_.make(Op::abs, {middle}));
        const Node mended = g_.divide(g_.subtract(sum, rounded(middle)), weight);
        ring.coefficient = g_.make(
            Op::select,
            {g_.make(Op::less, {least, g_.make(Op::abs, {ring.coefficient})}), mended, ring.coefficient});
        std::erase_if(inner, [](const Term& term) { return term.factors.empty(); });
        inner.push_back({false, g_.subtract(sum, g_.multiply(weight, rounded(ring.coefficient))), {}});
    }

    Node uniform_of(const std::vector<Term>& terms) {
        Node sum = g_.number(0);
        for (const Term& term : terms)
            if (term.factors.empty())
                sum = term.negative ? g_.subtract(sum, term.coefficient) : g_.add(sum, term.coefficient);
        return sum;
    }

    struct Signed {
        int value = 0;
        bool negative = false;
    };

    int added(int sum, Signed part) {
        Builder& b = l_.builder();
        return part.negative ? b.subtract(sum, part.value) : b.add(sum, part.value);
    }

    // A sum starts with the uniform (terms without factors), then products (`made` first), then terms of one
    // factor: each step reads at most two non-uniform values, which is fastest on GPUs. Without a uniform it
    // starts with a positive part.
    Signed sum_of(const std::vector<Term>& terms, std::optional<Signed> made = {}) {
        std::vector<Signed> parts;
        if (made) parts.push_back(*made);
        for (const bool single : {false, true})
            for (const Term& term : terms)
                if (!term.factors.empty() && (term.factors.size() == 1) == single)
                    parts.push_back({product_of(term), term.negative});
        const Node constant = uniform_of(terms);
        if (g_.number_of(constant) != 0.0 || parts.empty()) {
            parts.insert(parts.begin(), {l_.value(constant), false});
        } else {
            const auto first = std::ranges::find(parts, false, &Signed::negative);
            if (first != parts.end()) std::rotate(parts.begin(), first, first + 1);
        }
        const bool negative = parts.front().negative;
        int sum = parts.front().value;
        for (std::size_t i = 1; i < parts.size(); ++i)
            sum = added(sum, {parts[i].value, parts[i].negative != negative});
        return {sum, negative};
    }

    // The coefficient multiplies the last component (else the last factor), so that equations that share a
    // product share it with the coefficient.
    int product_of(const Term& term) {
        std::vector<Node> factors = term.factors;
        std::ranges::sort(
            factors, {}, [&](Node node) { return std::pair(g_[node].op == Op::component, node); });
        Builder& b = l_.builder();
        int product = term.ring ? *term.ring : l_.value(factors.back());
        if (g_.number_of(term.coefficient) != 1.0) product = b.multiply(l_.value(term.coefficient), product);
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
