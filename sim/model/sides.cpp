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

// Recognises du/dn, the derivative along the outward normal.
bool is_normal_derivative(const Syntax& formula) {
    return formula.text == "/" && formula.args[0].kind == SyntaxKind::name &&
           formula.args[0].text.starts_with("d") && formula.args[1].kind == SyntaxKind::name &&
           formula.args[1].text == "dn";
}

std::string first_quantity(const Syntax& formula,
                           const std::function<bool(std::string_view)>& is_quantity,
                           bool of_flux) {
    const bool flux = formula.kind == SyntaxKind::call && formula.text == "flux" && formula.args.size() == 1;
    const bool slope = is_normal_derivative(formula);
    const Syntax& named = flux || slope ? formula.args[0] : formula;
    const std::string name = named.kind == SyntaxKind::name ? named.text.substr(slope ? 1 : 0) : "";
    if ((flux || slope) == of_flux && is_quantity(name)) return name;
    for (const Syntax& part : formula.args)
        if (std::string found = first_quantity(part, is_quantity, of_flux); !found.empty()) return found;
    return "";
}

class ConditionReader : TextReader {
  public:
    ConditionReader(Semantics& semantics, const Equations& equations, const SideStatement& statement)
        : TextReader(semantics),
          semantics_(semantics),
          equations_(equations),
          g_(semantics.graph()),
          label_(kSideNames[std::size_t(statement.side)]) {
        quantity = first_quantity(statement, [&](std::string_view name) { return is_quantity(name); });
    }

    Linear read(const Syntax& formula) {
        if (names_it(formula)) return {.value = g_.number(1)};
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
                   label_,
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

  private:
    Linear rest(const Syntax& formula) {
        const Value value = semantics_.value(formula);
        Linear rest{.rest = semantics_.scalar_of(semantics_.real_part(value), "an equation")};
        if (value.is_complex()) rest.imaginary = semantics_.scalar_of(*value.imaginary, "an equation");
        for (const Part part : {rest.rest, rest.imaginary}) {
            if (!part) continue;
            semantics_.refuse_offsets(*part, formula);
            require_near(*part, formula);
        }
        return rest;
    }

    // What is not linear in the quantity is taken in the cell, so it cannot need ghost cells that the
    // condition is to give.
    void require_near(Node rest, const Syntax& formula) {
        if (g_.radius(rest) > 1)
            refuse(formula.span,
                   "a condition is made of what has a value in the cell, and of first and second derivatives "
                   "of other quantities: this is a derivative of a derivative");
        g_.walk(rest, [&](Node part) {
            if (is_global(g_[part].op) && g_.radius(g_[part].args[0]) > 0)
                refuse(formula.span,
                       "a value of the whole field in a condition is made of each cell alone, such as "
                       "`mean(u)`: a derivative would need the condition");
            if (reaches_neighbours(g_[part].op) && is_in(part))
                refuse(formula.span,
                       "a condition for `{}` is made of what has a value in the cell: its own derivatives "
                       "would need the condition",
                       quotable(quantity));
        });
    }

    // Whether the quantity is in a formula.
    bool is_in(Node formula) const {
        const auto named = [&](const std::string& name) {
            return name == quantity ||
                   (semantics_.is_complex_name(quantity) && contains(parts_of(quantity), name));
        };
        const auto defined = std::ranges::find(equations_.definitions, quantity, &Defined::name);
        bool found = false;
        g_.walk(
            formula,
            [&](Node part) {
                const Expression& e = g_[part];
                const auto index = std::size_t(e.index);
                found = found || (e.op == Op::component && named(equations_.components[index].name)) ||
                        (is_of_elliptic(e.op) && named(equations_.elliptic[index].name)) ||
                        (defined != equations_.definitions.end() && part == defined->formula);
            },
            false);
        return found;
    }

    bool is_quantity(std::string_view name) const {
        const auto named = [&](const auto& row) { return row.name == name; };
        return semantics_.is_complex_name(name) || std::ranges::any_of(equations_.components, named) ||
               std::ranges::any_of(equations_.elliptic, named) ||
               std::ranges::any_of(equations_.definitions, [&](const Defined& row) {
                   return named(row) && g_.depends(row.formula).evolving;
               });
    }

    bool names_it(const Syntax& formula) const {
        return formula.kind == SyntaxKind::name && formula.text == quantity;
    }

    bool has_quantity(const Syntax& formula) const {
        return names_it(formula) ||
               std::ranges::any_of(formula.args, [&](const Syntax& part) { return has_quantity(part); });
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

    Linear flux(TextSpan where, const std::vector<Syntax>& of) {
        if (of.size() != 1 || of[0].kind != SyntaxKind::name || !is_quantity(of[0].text))
            refuse(where,
                   "`flux` takes a component ({}): how fast it grows outwards across the face",
                   fmt::join(names_of(equations_.components), ", "));
        if (of[0].text != quantity)
            refuse(
                where, "a condition has one flux, and this has those of `{}` and `{}`", quantity, of[0].text);
        return {.flux = g_.number(1)};
    }

    Linear scaled(const Linear& form, Node by) {
        const auto times = [&](Part part) { return part ? Part(g_.multiply(by, *part)) : part; };
        return {times(form.value), times(form.flux), times(form.rest), times(form.imaginary)};
    }

    Linear product(const Syntax& formula) {
        const Linear a = read(formula.args[0]), b = read(formula.args[1]);
        const auto constant = [](const Linear& form) { return !form.value && !form.flux; };
        const bool no_flux = !a.flux && !b.flux, quotient = formula.text == "/";
        if (no_flux && has_quantity(formula.args[1]) && (quotient || has_quantity(formula.args[0])))
            return rest(formula);  // not linear in the quantity
        const Node p = a.rest.value_or(g_.number(0)), q = b.rest.value_or(g_.number(0));
        if (constant(a) && constant(b)) {
            if (a.imaginary || b.imaginary) return rest(formula);
            return {.rest = quotient ? g_.divide(p, q) : g_.multiply(p, q)};
        }
        if ((constant(a) && a.imaginary) || (constant(b) && b.imaginary)) {
            if (no_flux && semantics_.is_complex_name(quantity)) return rest(formula);
            refuse(formula.span,
                   "the factors of `{0}` and flux({0}) in a condition are real",
                   quotable(quantity));
        }
        if (quotient && constant(b)) return scaled(a, g_.divide(g_.number(1), q));
        if (!quotient && constant(a)) return scaled(b, p);
        if (!quotient && constant(b)) return scaled(a, q);
        refuse(formula.span, "a condition is linear in a quantity's flux");
    }

    Semantics& semantics_;
    const Equations& equations_;
    Graph& g_;
    std::string_view label_;
};

SideEquation read(Semantics& semantics, const Equations& equations, const SideStatement& statement) {
    ConditionReader reader(semantics, equations, statement);
    const Linear left = reader.read(statement.left), right = reader.read(statement.right);
    const TextSpan span = join(statement.left.span, statement.right.span);
    if (reader.quantity.empty())
        semantics.refuse(span,
                         "a condition names a component, such as `{0}: {1} = 1` or `{0}: flux({1}) = 0`",
                         kSideNames[std::size_t(statement.side)],
                         equations.components.front().name);
    const Graph& g = semantics.graph();
    const Node zero = semantics.graph().number(0);
    const Linear factors = reader.combined(left, right, false), rests = reader.combined(right, left, false);
    const auto of = [&](Part part) { return part && !g.is_zero(*part) ? *part : zero; };
    const Condition condition{false, of(factors.value), of(factors.flux), of(rests.rest)};
    if (condition.value == zero && condition.flux == zero)
        semantics.refuse(span,
                         "`{0}` drops out of this condition: it is linear in {0} or flux({0}), and all else "
                         "is taken in the cell",
                         reader.quantity);
    if (semantics.is_complex_name(reader.quantity)) return {reader.quantity, condition, of(rests.imaginary)};
    if (of(rests.imaginary) != zero)
        semantics.refuse(span, "this condition is complex, and `{}` is real", quotable(reader.quantity));
    return {reader.quantity, condition};
}

// Calls f for each component and each solved field.
template <class F>
void for_fields(Equations& equations, F&& f) {
    for (Evolving& c : equations.components) f(c);
    for (Elliptic& e : equations.elliptic)
        if (!equations.solved_alone) f(e);
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

/// Reads the statements about sides and edges into the quantities that they are about.
class SideReader : TextReader {
  public:
    SideReader(Semantics& semantics, const Statements& statements, Equations& result)
        : TextReader(semantics), semantics_(semantics), statements_(statements), result_(result) {}

    GivenSides read() {
        for (const auto* rows : {&statements_.sides, &statements_.edges})
            for (const SideStatement& s : *rows) s.word.empty() ? by_equation(s) : by_word(s);
        for_fields(result_, [&](const auto& field) {
            for (const std::size_t axis : {0, 2})
                if (field.sides[axis].periodic != field.sides[axis + 1].periodic)
                    refuse_half_periodic(field.name, field.sides, axis);
        });
        for (const Evolving& c : result_.components) require_fourth_order(c);
        for (std::size_t i = 0; i < result_.elliptic.size(); ++i) {
            if (result_.solved_alone) result_.elliptic[i].sides = result_.components[i].sides;
            require_transforms(int(i));
        }
        return std::move(given_);
    }

  private:
    void by_word(const SideStatement& s) {
        const bool edge = s.side == Side::edge;
        if (edge) require_shape(s);
        const auto condition = condition_of_word(result_.graph, s.word);
        if (!condition || (edge && condition->periodic))
            refuse(s.span,
                   "`{}` is not a condition{}insulated, zero or an equation such as `u = 1`",
                   quotable(s.word),
                   edge ? " at the edge: " : ": periodic, ");
        for_fields(result_, [&](auto& field) { give(field, field.name, s, *condition); });
    }

    void by_equation(const SideStatement& s) {
        if (s.side == Side::edge) require_shape(s);
        const SideEquation equation = equation::read(semantics_, result_, s);
        for_parts(equation, [&](const std::string& name, const Condition& condition) {
            visit(result_, name, [&](auto& quantity) {
                give(quantity, name, s, condition, bool(equation.imaginary));
            });
        });
    }

    void require_shape(const SideStatement& s) const {
        if (!result_.inside)
            refuse(s.span,
                   "`edge` is the edge of a shape, and `inside = ...`, which says where that is, is missing");
    }

    // A condition for fewer sides holds rather than one for more, an equation for one quantity rather than a
    // word for all, and one for a part rather than one for the complex quantity, whichever comes first.
    template <class Quantity>
    void give(Quantity& quantity,
              const std::string& name,
              const SideStatement& s,
              const Condition& condition,
              bool of_both = false) {
        const auto [entry, is_first] = given_.try_emplace({name, s.side}, &s);
        const SideStatement& before = *entry->second;
        if (of_both) of_both_.insert(&s);
        const auto narrower = [&](const SideStatement& a, const SideStatement& b) {
            return is_narrower(a, b) || (of_both_.contains(&b) && !of_both_.contains(&a) && a.word.empty());
        };
        std::vector<const SideStatement*>& all = all_[{name, s.side}];
        for (const SideStatement* other : all) {
            if (narrower(s, *other) || narrower(*other, s)) continue;
            if (other == &before && hold_both(quantity, s, before, condition)) return;
            refuse(s.span,
                   "`{}` has two conditions at the {}, and one is enough",
                   quotable(name),
                   place_name(s.side));
        }
        all.push_back(&s);
        if (!is_first && !narrower(s, before)) return;
        entry->second = &s;
        set(quantity, s.side, condition);
        if constexpr (requires { quantity.held; }) quantity.held[std::size_t(s.side)] = std::nullopt;
    }

    // A value and a flux both hold at one side of an equation of fourth order, whichever comes first.
    template <class Quantity>
    bool hold_both(Quantity& quantity,
                   const SideStatement& s,
                   const SideStatement& before,
                   const Condition& more) {
        if constexpr (requires { quantity.held; }) {
            Graph& g = result_.graph;
            const Node zero = g.number(0);
            const Condition own = s.side == Side::edge ? *quantity.edge : quantity.sides[std::size_t(s.side)];
            auto& held = quantity.held[std::size_t(s.side)];
            const bool second = own.value == zero && more.flux == zero,
                       first = own.flux == zero && more.value == zero;
            if (held || !(first || second) || !s.word.empty() || !before.word.empty()) return false;
            const Condition& value = first ? own : more;
            held = g.divide(value.right, value.value);
            if (first) set(quantity, s.side, more);
            return true;
        }
        return false;
    }

    template <class Quantity>
    static void set(Quantity& quantity, Side side, const Condition& condition) {
        if (side != Side::edge)
            quantity.sides[std::size_t(side)] = condition;
        else if constexpr (requires { quantity.edge; })
            quantity.edge = condition;
    }

    void require_fourth_order(const Evolving& component) const {
        const Graph& g = result_.graph;
        const auto is_bending = [&](Node node) {
            const Expression &e = g[node], &of = g[e.args[0]];
            return is_second_difference(e.op) && of.op == Op::component &&
                   result_.components[std::size_t(of.index)].name == component.name;
        };
        bool bends = false;
        for (const Evolving& c : result_.components)
            g.walk(c.formula, [&](Node node) {
                for (std::size_t i = 0; reaches_neighbours(g[node].op) && i < g[node].count; ++i)
                    g.walk(g[node].args[i], [&](Node part) { bends = bends || is_bending(part); });
            });
        for (std::size_t side = 0; side < component.held.size() && !bends; ++side)
            if (component.held[side])
                refuse(given_.at({component.name, Side(side)})->span,
                       "`{0}` has two conditions at the {1}, a value and a flux: both hold where an equation "
                       "has lap(lap({0})) or lap2({0}), else one is enough",
                       quotable(component.name),
                       place_name(Side(side)));
    }

    static std::string place_name(Side side) {
        return fmt::format("{}{}", kSideNames[std::size_t(side)], side == Side::edge ? "" : " side");
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
    std::map<GivenSides::key_type, std::vector<const SideStatement*>> all_;  ///< also those that do not hold
};

}  // namespace

bool is_narrower(const SideStatement& a, const SideStatement& b) {
    return a.named < b.named || (!b.word.empty() && a.word.empty());
}

std::string first_quantity(const SideStatement& statement,
                           const std::function<bool(std::string_view)>& is_quantity) {
    for (const bool of_flux : {true, false})
        for (const Syntax* formula : {&statement.left, &statement.right})
            if (std::string found = first_quantity(*formula, is_quantity, of_flux); !found.empty())
                return found;
    return "";
}

GivenSides read_conditions(Semantics& semantics, const Statements& statements, Equations& equations) {
    return SideReader(semantics, statements, equations).read();
}

void tell_periodic(const Statements& statements, const GivenSides& given, Equations& equations) {
    if (statements.sides.empty()) return;
    for_fields(equations, [&](const auto& field) {
        if (std::ranges::none_of(kSides, [&](Side side) { return given.contains({field.name, side}); }))
            equations.notes.push_back(
                fmt::format("`{0}` has no condition at the sides, where others have: it is periodic there; "
                            "`all: flux({0}) = 0` lets nothing through",
                            field.name));
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
