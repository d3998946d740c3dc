#include "sim/model/sides.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "sim/model/step/linear_part.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

// A part of a condition; empty: the condition does not have it, which differs from a part that is 0.
using Part = std::optional<Node>;

// Stands for value * u + flux * flux(u) + rest + imaginary * 1i.
struct Linear {
    Part value = {}, flux = {}, rest = {}, imaginary = {};
};

/// A boundary condition and the quantity that it applies to.
struct SideEquation {
    std::string quantity;
    Condition condition;
    /// The right side for the imaginary part of a complex quantity; the other parts are the same for both
    /// parts.
    std::optional<Node> imaginary = {};
};

class ConditionReader : TextReader {
  public:
    ConditionReader(Semantics& semantics,
                    const Equations& equations,
                    const SideStatement& statement,
                    bool at_edge)
        : TextReader(semantics),
          semantics_(semantics),
          equations_(equations),
          g_(semantics.graph()),
          at_edge_(at_edge) {
        for (const bool of_flux : {true, false})
            for (const Syntax* formula : {&statement.left, &statement.right})
                if (at_edge_ && quantity.empty()) quantity = first_quantity(*formula, of_flux);
    }

    /// Where the condition stands, for messages.
    const char* place() const { return at_edge_ ? "at the edge" : "at a side"; }
    const char* label() const { return at_edge_ ? "edge" : "left"; }

    Linear read(const Syntax& formula) {
        if (is_quantity(formula)) return {.value = g_.number(1)};
        if (formula.kind == SyntaxKind::call && formula.text == "flux")
            return flux(formula.span, formula.args);
        if (is_normal_derivative(formula)) {
            Syntax of = formula.args[0];
            of.text.erase(0, 1);
            return flux(formula.span, {of});
        }
        if (formula.kind == SyntaxKind::name && !semantics_.knows(formula)) {
            refuse_kind(formula);
            refuse(formula.span,
                   "`{0}` is not defined; the components are {1}, and a condition is `{2}: {3} "
                   "= 1` or `{2}: flux({3}) = 0`",
                   quotable(formula.text),
                   fmt::join(names_of(equations_.components), ", "),
                   label(),
                   equations_.components.front().name);
        }
        const bool operation = formula.kind == SyntaxKind::call && !formula.args.empty();
        if (operation && formula.text == "neg") return scaled(read(formula.args[0]), g_.number(-1));
        if (operation && (formula.text == "+" || formula.text == "-")) {
            const Linear a = read(formula.args[0]), b = read(formula.args[1]);
            return combined(a, b, formula.text == "+");
        }
        if (operation && (formula.text == "*" || formula.text == "/")) return product(formula);
        return rest(formula);
    }

    /// The sum or difference of two forms.
    Linear combined(const Linear& a, const Linear& b, bool plus) {
        const auto both = [&](Part p, Part q) -> Part {
            if (!q) return p;
            if (!p) return plus ? *q : g_.negate(*q);
            if (!plus && *p == *q) return std::nullopt;
            return plus ? g_.add(*p, *q) : g_.subtract(*p, *q);
        };
        return {both(a.value, b.value),
                both(a.flux, b.flux),
                both(a.rest, b.rest),
                both(a.imaginary, b.imaginary)};
    }

    std::string quantity;
    TextSpan span;

  private:
    Linear rest(const Syntax& formula) {
        const Value value = semantics_.value(formula);
        Linear rest{.rest = semantics_.scalar_of(semantics_.real_part(value), "an equation")};
        if (value.is_complex()) rest.imaginary = semantics_.scalar_of(*value.imaginary, "an equation");
        for (const Part part : {rest.rest, rest.imaginary}) {
            if (!part) continue;
            semantics_.refuse_offsets(*part, formula);
            require_in_cell(*part, formula);
        }
        return rest;
    }

    void require_in_cell(Node rest, const Syntax& formula) {
        if (g_.radius(rest) > 0 || (!at_edge_ && g_.depends(rest).cell))
            refuse(formula.span,
                   "a condition {} is linear in one quantity and its flux, and else made of x, y, t "
                   "{}, such as `u + 2*flux(u) = sin(x)`",
                   place(),
                   at_edge_ ? "and what has a value in the cell" : "and parameters");
        g_.walk(rest, [&](Node part) {
            if (g_.radius(part) > 0)
                refuse(formula.span,
                       "a value of the whole field in a condition {} is made of each cell alone, such "
                       "as `mean(u)`: a derivative would need the condition",
                       place());
        });
    }

    bool names_quantity(const Syntax& formula) const {
        const auto named = [&](const auto& row) { return row.name == formula.text; };
        return formula.kind == SyntaxKind::name && (semantics_.is_complex_name(formula.text) ||
                                                    std::ranges::any_of(equations_.components, named) ||
                                                    std::ranges::any_of(equations_.definitions, named));
    }

    // The first quantity in the formula, or the first whose flux it names.
    std::string first_quantity(const Syntax& formula, bool of_flux) const {
        if (of_flux && formula.kind == SyntaxKind::call && formula.text == "flux" && formula.args.size() == 1)
            return names_quantity(formula.args[0]) ? formula.args[0].text : "";
        if (of_flux && is_normal_derivative(formula)) return formula.args[0].text.substr(1);
        if (!of_flux && names_quantity(formula)) return formula.text;
        for (const Syntax& part : formula.args)
            if (const std::string found = first_quantity(part, of_flux); !found.empty()) return found;
        return "";
    }

    bool has_quantity(const Syntax& formula) const {
        return (formula.kind == SyntaxKind::name && formula.text == quantity) ||
               std::ranges::any_of(formula.args, [&](const Syntax& part) { return has_quantity(part); });
    }

    bool is_quantity(const Syntax& formula) {
        if (!names_quantity(formula)) return false;
        if (at_edge_) return quantity == formula.text;
        if (!quantity.empty() && quantity != formula.text)
            refuse(formula.span,
                   "a condition at a side is about one quantity, and this is about `{}` and `{}`",
                   quantity,
                   formula.text);
        quantity = formula.text;
        span = formula.span;
        return true;
    }

    // Recognises the names that VisualPDE and others have for kinds of conditions.
    void refuse_kind(const Syntax& name) const {
        static constexpr auto kMends = std::to_array<std::pair<std::string_view, std::string_view>>({
            {"Dirichlet", "`Dirichlet = f` is written `{0} = f`"},
            {"Neumann", "`Neumann = f` is written `flux({0}) = f`"},
            {"Robin", "`Robin = f` is written `flux({0}) = f`, where f may have a factor times {0}"},
            {"Ghost",
             "`Ghost = f`, the value of the cell beyond the side, is written `{0} + dx/2*flux({0}) = f`"},
        });
        const std::string& u = equations_.components.front().name;
        for (const auto& [kind, mend] : kMends)
            if (name.text == kind) refuse(name.span, fmt::vformat(mend, fmt::make_format_args(u)));
        for (const Evolving& c : equations_.components)
            if (name.text == "d" + c.name)
                refuse(name.span, "the derivative across a side, outwards, is `flux({})`", quotable(c.name));
    }

    // Recognises du/dn, the derivative along the outward normal.
    static bool is_normal_derivative(const Syntax& formula) {
        return formula.text == "/" && formula.args[0].kind == SyntaxKind::name &&
               formula.args[0].text.starts_with("d") && formula.args[1].kind == SyntaxKind::name &&
               formula.args[1].text == "dn";
    }

    Linear flux(TextSpan where, const std::vector<Syntax>& of) {
        if (at_edge_ && of.size() == 1 && names_quantity(of[0]) && of[0].text != quantity)
            refuse(where,
                   "a condition at the edge has one flux, and this has those of `{}` and `{}`",
                   quantity,
                   of[0].text);
        if (of.size() != 1 || !is_quantity(of[0]))
            refuse(where,
                   "`flux` takes a component ({}): how fast it grows outwards across the {}",
                   fmt::join(names_of(equations_.components), ", "),
                   at_edge_ ? "edge" : "side");
        return {.flux = g_.number(1)};
    }

    Linear scaled(const Linear& form, Node by) {
        const auto times = [&](Part part) { return part ? Part(g_.multiply(by, *part)) : part; };
        return {times(form.value), times(form.flux), times(form.rest), times(form.imaginary)};
    }

    Linear product(const Syntax& formula) {
        const Linear a = read(formula.args[0]), b = read(formula.args[1]);
        const auto constant = [](const Linear& form) { return !form.value && !form.flux; };
        const bool no_flux = !a.flux && !b.flux;
        if (at_edge_ && no_flux && has_quantity(formula.args[0]) && has_quantity(formula.args[1]))
            return rest(formula);  // not linear in the quantity
        const Node p = a.rest.value_or(g_.number(0)), q = b.rest.value_or(g_.number(0));
        if (constant(a) && constant(b)) {
            if (a.imaginary || b.imaginary) return rest(formula);
            return {.rest = formula.text == "/" ? g_.divide(p, q) : g_.multiply(p, q)};
        }
        if ((constant(a) && a.imaginary) || (constant(b) && b.imaginary)) {
            if (at_edge_ && no_flux) return rest(formula);
            refuse(formula.span,
                   "the factors of `{0}` and flux({0}) in a condition are real",
                   quotable(quantity));
        }
        if (formula.text == "/" && constant(b)) return scaled(a, g_.divide(g_.number(1), q));
        if (formula.text == "*" && constant(a)) return scaled(b, p);
        if (formula.text == "*" && constant(b)) return scaled(a, q);
        refuse(formula.span, "a condition {} is linear in one quantity and its flux", place());
    }

    Semantics& semantics_;
    const Equations& equations_;
    Graph& g_;
    bool at_edge_;
};

// Reads a condition at a side or at the edge of `inside`. One at the edge is about the quantity whose flux it
// names, else the first quantity that it names; all other terms, also nonlinear ones, are taken at the cell.
SideEquation read(Semantics& semantics,
                  const Equations& equations,
                  const SideStatement& statement,
                  bool at_edge) {
    ConditionReader reader(semantics, equations, statement, at_edge);
    const Linear left = reader.read(statement.left), right = reader.read(statement.right);
    const TextSpan span = join(statement.left.span, statement.right.span);
    if (reader.quantity.empty())
        semantics.refuse(span,
                         "a condition {0} names a component, such as `{1}: {2} = 1` or `{1}: flux({2}) = 0`",
                         reader.place(),
                         reader.label(),
                         equations.components.front().name);
    const Node zero = semantics.graph().number(0);
    const Linear factors = reader.combined(left, right, false), rests = reader.combined(right, left, false);
    Condition condition;
    condition.value = factors.value.value_or(zero);
    condition.flux = factors.flux.value_or(zero);
    condition.right = rests.rest.value_or(zero);
    if (condition.value == zero && condition.flux == zero)
        semantics.refuse(span, "`{}` drops out of this condition", reader.quantity);
    if (semantics.is_complex_name(reader.quantity))
        return {reader.quantity, condition, rests.imaginary.value_or(zero)};
    if (rests.imaginary.value_or(zero) != zero)
        semantics.refuse(span, "this condition is complex, and `{}` is real", quotable(reader.quantity));
    return {reader.quantity, condition};
}

// Calls f(name, conditions) for each component and each solved field.
template <class F>
void for_fields(Equations& equations, F&& f) {
    for (Evolving& c : equations.components) f(c.name, c.sides);
    for (Elliptic& e : equations.elliptic)
        if (!equations.solved_alone) f(e.name, e.sides);
}

// Visits the component, solved field or definition of that name.
template <class Visit>
void visit(Equations& equations, const std::string& quantity, Visit&& visit) {
    const auto component = std::ranges::find(equations.components, quantity, &Evolving::name);
    if (component != equations.components.end()) return visit(*component);
    const auto solved = std::ranges::find(equations.elliptic, quantity, &Elliptic::name);
    if (solved != equations.elliptic.end()) return visit(*solved);
    visit(*std::ranges::find(equations.definitions, quantity, &Defined::name));
}

// Calls f(name, condition) for the quantity, or for both parts of a complex one.
template <class F>
void for_parts(const SideEquation& equation, F&& f) {
    if (!equation.imaginary) return f(equation.quantity, equation.condition);
    const auto [re, im] = parts_of(equation.quantity);
    Condition of_imaginary = equation.condition;
    of_imaginary.right = *equation.imaginary;
    f(re, equation.condition);
    f(im, of_imaginary);
}

/// Reads the statements about sides into the components, solved fields and definitions that they are about.
class SideReader : TextReader {
  public:
    SideReader(Semantics& semantics, const Statements& statements, Equations& result)
        : TextReader(semantics), semantics_(semantics), statements_(statements), result_(result) {}

    GivenSides sides() {
        for (const SideStatement& s : statements_.sides) {
            if (!s.word.empty()) {
                const auto condition = condition_of_word(result_.graph, s.word);
                if (!condition)
                    refuse(
                        s.span,
                        "`{}` is not a condition: periodic, insulated, zero or an equation such as `u = 1`",
                        quotable(s.word));
                for_fields(result_, [&](const std::string& name, Conditions& sides) {
                    require_first(name, s);
                    sides[std::size_t(s.side)] = *condition;
                });
                continue;
            }
            const SideEquation equation = read(semantics_, result_, s, false);
            for_parts(equation, [&](const std::string& name, const Condition& condition) {
                require_first(name, s, bool(equation.imaginary));
                visit(
                    result_, name, [&](auto& quantity) { quantity.sides[std::size_t(s.side)] = condition; });
            });
        }
        for_fields(result_, [&](const std::string& name, const Conditions& sides) {
            for (const std::size_t axis : {0, 2})
                if (sides[axis].periodic != sides[axis + 1].periodic) refuse_half_periodic(name, sides, axis);
        });
        for (std::size_t i = 0; i < result_.elliptic.size(); ++i) {
            if (result_.solved_alone) result_.elliptic[i].sides = result_.components[i].sides;
            require_transforms(int(i));
        }
        return std::move(given_);
    }

    void edges() {
        std::map<std::string, const SideStatement*> given;
        const auto give = [&](const std::string& quantity, const SideStatement& s) {
            const auto [before, is_first] = given.try_emplace(quantity, &s);
            if (!is_first && (before->second->word.empty() || !s.word.empty()))
                refuse(s.span, "`{}` has two conditions at the edge, and one is enough", quotable(quantity));
            before->second = &s;
        };
        for (const SideStatement& s : statements_.edges) {
            if (!result_.inside)
                refuse(s.span,
                       "`edge` is the edge of a shape, and `inside = ...`, which says where that "
                       "is, is missing");
            if (s.word.empty()) {
                const SideEquation equation = read(semantics_, result_, s, true);
                for_parts(equation, [&](const std::string& name, const Condition& condition) {
                    give(name, s);
                    visit(result_, name, [&](auto& quantity) {
                        if constexpr (requires { quantity.edge; }) quantity.edge = condition;
                    });
                });
                continue;
            }
            const auto condition = condition_of_word(result_.graph, s.word);
            if (!condition || condition->periodic)
                refuse(s.span,
                       "`{}` is not a condition at the edge: insulated, zero or an equation such as `u = 1`",
                       quotable(s.word));
            for (Evolving& c : result_.components) {
                if (given.contains(c.name) && given.at(c.name)->word.empty()) continue;
                give(c.name, s);
                c.edge = *condition;
            }
        }
    }

  private:
    // A more specific condition may override a general one: `left:` after `all:`, an equation for one
    // quantity after a word that holds for all of them, or one for a part after one for the complex quantity.
    void require_first(const std::string& quantity, const SideStatement& statement, bool of_both = false) {
        const auto [before, is_first] = given_.try_emplace({quantity, statement.side}, &statement);
        const SideStatement& other = *before->second;
        const bool narrower = statement.named < other.named ||
                              (!other.word.empty() && statement.word.empty()) ||
                              (of_both_.contains(&other) && !of_both && statement.word.empty());
        if (of_both) of_both_.insert(&statement);
        if (!is_first && !narrower)
            refuse(statement.span,
                   "`{}` has two conditions at the {} side, and one is enough",
                   quotable(quantity),
                   kSideNames[std::size_t(statement.side)]);
        before->second = &statement;
    }

    [[noreturn]] void refuse_half_periodic(const std::string& name,
                                           const Conditions& sides,
                                           std::size_t axis) const {
        TextSpan span;
        for (const SideStatement& s : statements_.sides)
            if (std::size_t(s.side) / 2 == axis / 2) span = s.span;
        const std::size_t periodic = axis + (sides[axis].periodic ? 0 : 1), other = 2 * axis + 1 - periodic;
        refuse(span,
               "`{0}` is periodic at the {1} side and not at the {2} one: give `{1}:` a "
               "condition too, or make both periodic by `{3}: periodic`",
               name,
               kSideNames[periodic],
               kSideNames[other],
               axis == 0 ? "x" : "y");
    }

    void require_transforms(int index) {
        const Elliptic& equation = result_.elliptic[std::size_t(index)];
        LinearPart part;
        try {
            part = lowered_elliptic(result_, index);
        } catch (const InputError& what) {
            refuse(equation.span, "{}", what.what());
        }
        const auto leaves_open = [](Modes modes) {
            return modes == Modes::periodic || modes == Modes::insulated;
        };
        const bool uniform = std::ranges::any_of(
            equation.terms, [](const LinearTerm& term) { return term.x_power == 0 && term.y_power == 0; });
        if (!uniform && leaves_open(part.along_x) && leaves_open(part.along_y))
            result_.notes.push_back(fmt::format(
                "the equation of `{0}` leaves its mean open: the mean of `{0}` is 0, and that of the "
                "right side does not count",
                equation.name));
    }

    Semantics& semantics_;
    const Statements& statements_;
    Equations& result_;
    std::set<const SideStatement*> of_both_;  ///< conditions of complex quantities
    GivenSides given_;
};

}  // namespace

GivenSides read_sides(Semantics& semantics, const Statements& statements, Equations& equations) {
    return SideReader(semantics, statements, equations).sides();
}

void read_edges(Semantics& semantics, const Statements& statements, Equations& equations) {
    SideReader(semantics, statements, equations).edges();
}

void tell_periodic(const Statements& statements, const GivenSides& given, Equations& equations) {
    if (statements.sides.empty()) return;
    for_fields(equations, [&](const std::string& name, const Conditions&) {
        if (std::ranges::none_of(kSides, [&](Side side) { return given.contains({name, side}); }))
            equations.notes.push_back(
                fmt::format("`{0}` has no condition at the sides, where others have: it is periodic there; "
                            "`all: flux({0}) = 0` lets nothing through",
                            name));
    });
}

bool is_insulated(const Graph& graph, const Condition& condition) {
    return !condition.periodic && graph.number_of(condition.value) == 0.0 &&
           graph.number_of(condition.right) == 0.0;
}

std::optional<Condition> condition_of_word(Graph& graph, std::string_view word) {
    // Names that other programs use for kinds of conditions.
    static constexpr auto kSynonyms =
        std::to_array<std::pair<std::string_view, std::string_view>>({{"neumann", "insulated"},
                                                                      {"noflux", "insulated"},
                                                                      {"no-flux", "insulated"},
                                                                      {"zero-flux", "insulated"},
                                                                      {"wrap", "periodic"},
                                                                      {"torus", "periodic"}});
    for (const auto& [other, own] : kSynonyms)
        if (word == other) word = own;
    const Node zero = graph.number(0), one = graph.number(1);
    if (word == "periodic") return Condition{true, zero, zero, zero};
    if (word == "insulated") return Condition{false, zero, one, zero};
    if (word == "dirichlet") return Condition{false, one, zero, zero};
    // The ghost cell is 0, so the value on the face is half the edge cell's: u + dx/2 * flux(u) = 0.
    if (word == "zero") {
        const Node half = graph.multiply(graph.number(0.5), graph.leaf(Op::spacing));
        return Condition{false, one, half, zero};
    }
    return std::nullopt;
}

}  // namespace stencil::equation
