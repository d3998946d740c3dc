#include "sim/model/side_conditions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "kernels/field/boundary.h"
#include "sim/model/semantics.h"
#include "sim/model/sides.h"
#include "sim/text/names.h"

namespace stencil {

using namespace equation;

namespace {

bool is_name(const Syntax& formula, std::string_view name) {
    return formula.kind == SyntaxKind::name && formula.text == name;
}

// Recognises flux(u) and du/dn.
bool is_flux(const Syntax& formula, std::string_view component) {
    if (formula.kind != SyntaxKind::call) return false;
    if (formula.text == "flux") return formula.args.size() == 1 && is_name(formula.args[0], component);
    return formula.text == "/" && is_name(formula.args[0], fmt::format("d{}", component)) &&
           is_name(formula.args[1], "dn");
}

bool is_about(const Syntax& formula, std::string_view component) {
    return is_name(formula, component) || is_flux(formula, component) ||
           std::ranges::any_of(formula.args, [&](const Syntax& part) { return is_about(part, component); });
}

// The quantity that a condition is about.
std::string quantity_of(const Statements& read, const SideStatement& row) {
    std::vector<std::string> names = fields_of(read);
    for (const ComplexName& whole : read.complex) names.push_back(whole.name);
    for (std::size_t before = 0; std::exchange(before, names.size()) < names.size();)
        for (const NamedFormula& d : read.definitions)  // a definition may use those behind it
            if (!contains(names, d.name) && std::ranges::any_of(names, [&](const std::string& name) {
                    return mentions(d.formula, name);
                }))
                names.push_back(d.name);
    return first_quantity(row, [&](std::string_view name) { return contains(names, name); });
}

// Whether the condition is about the component, or about the complex one that it is a part of.
bool is_about(const Statements& read, const SideStatement& row, std::string_view component) {
    const std::string quantity = quantity_of(read, row);
    return quantity == component || (is_complex(read, quantity) && contains(parts_of(quantity), component));
}

// The rows of a statement, one per side that it names.
std::span<const SideStatement> rows_of(const Statements& read, const StatementPlace& statement) {
    const auto index = std::size_t(&statement - read.places.data());
    return {std::ranges::lower_bound(read.sides, index, {}, &SideStatement::statement),
            std::ranges::upper_bound(read.sides, index, {}, &SideStatement::statement)};
}

// The statement that applies to a component at each side; without a component, the word that does. Null: the
// default applies.
using InForce = std::array<const SideStatement*, 4>;

InForce in_force(const Statements& read, std::string_view component = {}) {
    InForce force{};
    for (const SideStatement& row : read.sides) {
        const SideStatement*& now = force[std::size_t(row.side)];
        if ((!row.word.empty() || (!component.empty() && is_about(read, row, component))) &&
            (!now || is_narrower(row, *now) || !is_narrower(*now, row)))
            now = &row;
    }
    return force;
}

// The word that applies, given the row in force or null; empty if an equation applies.
std::string word_of(const Statements& read, const SideStatement* row) {
    if (row) return row->word;
    const auto given = std::ranges::find(read.settings, "boundary", &SettingStatement::name);
    return given == read.settings.end() ? std::string(name_of(Boundary::periodic)) : given->text;
}

SideCondition condition_of(const std::string& word) {
    using enum SideCondition::Kind;
    Graph graph;
    const auto condition = condition_of_word(graph, word);
    const Node nothing = graph.number(0);
    if (condition && condition->periodic) return {periodic};
    if (condition && condition->value == nothing) return {flux};
    if (condition && condition->flux == nothing) return {value};
    if (word == name_of(Boundary::zero)) return {zero};
    return {.kind = typed, .typed = word};
}

bool is_periodic(const std::string& word) {
    return condition_of(word).kind == SideCondition::Kind::periodic;
}

// As in condition_of_word() for `zero`: the value on the face is half the edge cell's.
constexpr std::string_view kFactorOfZero = "0.5*dx";

SideCondition condition_of(const SideStatement& row, std::string_view component) {
    using enum SideCondition::Kind;
    const Syntax& left = row.left;
    const std::string right = to_text(row.right);
    if (!is_about(row.right, component)) {
        if (is_name(left, component)) return {value, right};
        if (is_flux(left, component)) return {flux, right};
        if (left.kind == SyntaxKind::call && left.text == "+" && is_name(left.args[0], component)) {
            const Syntax& term = left.args[1];
            if (is_flux(term, component)) return {robin, right};
            if (term.kind == SyntaxKind::call && term.text == "*" && is_flux(term.args[1], component) &&
                !is_about(term.args[0], component)) {
                const std::string factor = to_text(term.args[0]);
                return right == "0" && factor == kFactorOfZero ? SideCondition{zero}
                                                               : SideCondition{robin, right, factor};
            }
        }
    }
    return {.kind = typed, .typed = fmt::format("{} = {}", to_text(left), right)};
}

// A value and a flux of the same sides hold together.
bool may_join(const SideStatement& a, const SideStatement& b) {
    return a.side == b.side && a.word.empty() && b.word.empty() && a.named == b.named;
}

SideCondition joined(const SideCondition& one, const SideCondition& other) {
    using enum SideCondition::Kind;
    if (one.kind == value && other.kind == flux)
        return {.kind = clamped, .value = one.value, .slope = other.value};
    return one.kind == flux && other.kind == value ? joined(other, one) : one;
}

std::array<SideCondition, 4> conditions_of(const Statements& read, std::string_view component) {
    const InForce force = in_force(read, component);
    std::array<SideCondition, 4> conditions;
    for (std::size_t side = 0; side < force.size(); ++side) {
        const SideStatement* now = force[side];
        const std::string word = word_of(read, now);
        conditions[side] = word.empty() ? condition_of(*now, component) : condition_of(word);
        if (!word.empty()) continue;
        for (const SideStatement& row : read.sides)
            if (&row != now && may_join(row, *now) && is_about(read, row, component))
                conditions[side] = joined(conditions[side], condition_of(row, component));
    }
    return conditions;
}

// The condition as an equation. Unlike a word, an equation applies to one component only.
std::string equation_of(const SideCondition& condition, std::string_view component) {
    using enum SideCondition::Kind;
    if (condition.kind == typed) {
        if (condition.typed.find('=') != std::string::npos) return condition.typed;
        return equation_of(condition_of(condition.typed), component);
    }
    if (condition.kind == zero) return fmt::format("{0} + {1}*flux({0}) = 0", component, kFactorOfZero);
    const std::string right = to_text(read_formula(condition.value));
    if (condition.kind == value) return fmt::format("{} = {}", component, right);
    if (condition.kind == flux) return fmt::format("flux({}) = {}", component, right);
    Syntax term = read_formula(fmt::format("1*flux({})", component));
    term.args[0] = read_formula(condition.factor);
    const bool one = term.args[0].kind == SyntaxKind::number && term.args[0].number == 1;
    return fmt::format("{} + {} = {}", component, to_text(one ? term.args[1] : term), right);
}

constexpr Side opposite(Side side) {
    return Side(std::size_t(side) ^ 1);
}

std::string label_of(const std::vector<Side>& sides) {
    if (sides == std::vector{Side::left, Side::right}) return "x";
    if (sides == std::vector{Side::top, Side::bottom}) return "y";
    std::vector<std::string> labels;
    for (const Side side : sides) labels.emplace_back(kSideNames[std::size_t(side)]);
    return fmt::format("{}", fmt::join(labels, ", "));
}

// Shortens a statement's label to the sides whose rows pass; returns false if none does.
template <class F>
bool relabel(Rewriting& text, std::span<const SideStatement> rows, F&& keeps) {
    std::vector<Side> kept;
    for (const SideStatement& row : rows)
        if (keeps(row)) kept.push_back(row.side);
    if (kept.size() < rows.size() && !kept.empty())
        text.replace(join(rows.front().span, rows.back().span), label_of(kept));
    return !kept.empty();
}

std::string edge_quantity(const Statements& read, std::string_view component) {
    for (const ComplexName& whole : read.complex)
        if (contains(parts_of(whole.name), component)) {
            const auto is_own = [&](const SideStatement& row) {
                return row.word.empty() && quantity_of(read, row) == component;
            };
            return std::ranges::any_of(read.edges, is_own) ? std::string(component) : whole.name;
        }
    return std::string(component);
}

// The statement that applies to the quantity at the edge: one about it, else the last word; null: no flux.
const SideStatement* edge_in_force(const Statements& read, std::string_view quantity) {
    const SideStatement* found = nullptr;
    for (const SideStatement& row : read.edges)
        if (row.word.empty() && quantity_of(read, row) == quantity)
            return &row;
        else if (!row.word.empty())
            found = &row;
    return found;
}

bool has_shape(const Statements& read) {
    return std::ranges::find(read.definitions, "inside", &NamedFormula::name) != read.definitions.end();
}

SideCondition edge_condition(const Statements& read, std::string_view quantity) {
    const SideStatement* row = edge_in_force(read, quantity);
    if (!row) return {SideCondition::Kind::flux};
    return row->word.empty() ? condition_of(*row, quantity) : condition_of(row->word);
}

// `zero` as a word if the model has no other field and this side no other word; else an equation.
std::string condition_text(const SideCondition& condition,
                           const Statements& read,
                           std::string_view component,
                           Side side,
                           const SideStatement* in_force) {
    const bool repeats = std::ranges::any_of(read.sides, [&](const SideStatement& row) {
        const bool stays = &row != in_force || is_periodic(row.word);
        const bool later = row.word.empty() && in_force && row.statement > in_force->statement;
        return stays && row.side == side && (later || (row.named == 1 && !row.word.empty()));
    });
    if (condition.kind == SideCondition::Kind::zero && fields_of(read).size() == 1 && !repeats)
        return std::string(name_of(Boundary::zero));
    return equation_of(condition, component);
}

// Replaces a condition that applies to this component at this side only, unless it also names the opposite
// side. A condition for more sides or components stays and is overridden.
void write_condition(Rewriting& text,
                     const Statements& read,
                     std::string_view component,
                     Side side,
                     const SideCondition& condition) {
    const InForce force = in_force(read, component);
    const SideStatement* now = force[std::size_t(side)];
    const auto stated = [&](const SideCondition& one) {
        return fmt::format("{}: {}", label_of({side}), condition_text(one, read, component, side, now));
    };
    using enum SideCondition::Kind;
    const std::string wanted = condition.kind == clamped
                                   ? stated({value, condition.value}) + "; " + stated({flux, condition.slope})
                                   : stated(condition);
    const auto is_own = [&](const SideStatement& row) {
        if (row.word.empty()) return quantity_of(read, row) == component;
        return fields_of(read).size() == 1 && !is_periodic(row.word);
    };
    const auto holds = [&](const SideStatement& row) {
        const SideStatement* other = force[std::size_t(row.side)];
        return is_own(row) && other && (other == &row || may_join(row, *other));
    };
    bool written = false;
    for (const StatementPlace& statement : read.places) {
        std::vector<Side> sides;
        for (const SideStatement& row : rows_of(read, statement))
            if (holds(row)) sides.push_back(row.side);
        if (sides != std::vector{side}) continue;
        written ? text.remove(statement) : text.replace(statement.span, wanted);
        written = true;
    }
    if (written) return;
    text.add(wanted);
    if (is_periodic(word_of(read, now)))
        text.add(fmt::format("{}: flux({}) = 0", label_of({opposite(side)}), component));
}

// Only a word makes a side periodic, and for all components. So the word is written before all equations, and
// components to which another word applied get that as an equation.
void write_periodic(Rewriting& text, const Statements& read, std::string_view component, Side side) {
    const Side other = opposite(side);
    const InForce own = in_force(read, component), words = in_force(read);
    const auto periodic_by_word = [&](Side at) { return is_periodic(word_of(read, words[std::size_t(at)])); };
    const bool by_words = periodic_by_word(side) && periodic_by_word(other);
    // Whether a word that named fewer sides would hold rather than an equation before it.
    const auto grows = [&](const SideStatement& row) {
        const auto rows = rows_of(read, read.places[row.statement]);
        const auto left = std::ranges::count_if(
            rows, [&](const SideStatement& one) { return one.side != side && one.side != other; });
        const auto holds = [&](const SideStatement& before) {
            return before.side == row.side && before.word.empty() && before.statement < row.statement &&
                   before.named <= row.named && before.named > left &&
                   std::ranges::any_of(fields_of(read),
                                       [&](const std::string& one) { return is_about(read, before, one); });
        };
        return !row.word.empty() && !is_periodic(row.word) && std::ranges::any_of(read.sides, holds);
    };
    const auto keeps = [&](const SideStatement& row) {
        const auto at = std::size_t(row.side);
        const bool word = !row.word.empty();
        if (word && by_words) return true;
        if (grows(row)) return false;
        if (word || is_about(read, row, component))
            return row.side != side && row.side != other && (word ? words : own)[at] == &row;
        return by_words || std::ranges::all_of(fields_of(read), [&](const std::string& one) {
                   return !is_about(read, row, one) || in_force(read, one)[at] == &row;
               });
    };
    std::string added =
        by_words ? "" : fmt::format("{}: periodic", label_of({std::min(side, other), std::max(side, other)}));
    for (const StatementPlace& statement : read.places) {
        const auto rows = rows_of(read, statement);
        if (rows.empty()) continue;
        const bool stays = relabel(text, rows, keeps);
        if (!added.empty() && stays)
            text.insert_before(statement, added);
        else if (!added.empty())
            text.replace(statement.span, added);
        else if (!stays)
            text.remove(statement);
        added.clear();
    }
    if (!added.empty()) text.add(added);
    if (by_words) return;
    for (const std::string& one : fields_of(read)) {
        const InForce now = in_force(read, one);
        for (const SideStatement* row : now)
            if (row && row->side != side && row->side != other && grows(*row))
                text.add(
                    fmt::format("{}: {}", label_of({row->side}), equation_of(condition_of(row->word), one)));
        if (one == component) continue;
        const InForce force = in_force(read, one);
        for (const Side at : {side, other})
            if (const std::string word = word_of(read, force[std::size_t(at)]);
                !word.empty() && !is_periodic(word))
                text.add(fmt::format("{}: {}", label_of({at}), equation_of(condition_of(word), one)));
    }
}

}  // namespace

std::array<SideCondition, 4> side_conditions(const std::string& text, std::string_view component) {
    return conditions_of(read_statements(text), component);
}

std::string text_with_side(const std::string& text,
                           std::string_view component,
                           Side side,
                           const SideCondition& condition) {
    const Statements read = read_statements(text);
    if (conditions_of(read, component)[std::size_t(side)] == condition) return text;
    Rewriting rewriting(read);
    if (condition.kind == SideCondition::Kind::periodic)
        write_periodic(rewriting, read, component, side);
    else
        write_condition(rewriting, read, component, side, condition);
    return rewriting.text();
}

std::optional<SideCondition> edge_condition(const std::string& text, std::string_view component) {
    const Statements read = read_statements(text);
    if (!has_shape(read)) return std::nullopt;
    return edge_condition(read, edge_quantity(read, component));
}

std::string edge_quantity(const std::string& text, std::string_view component) {
    return edge_quantity(read_statements(text), component);
}

std::string text_with_edge(const std::string& text,
                           std::string_view component,
                           const SideCondition& condition) {
    const Statements read = read_statements(text);
    const std::string quantity = edge_quantity(read, component);
    if (!has_shape(read) || edge_condition(read, quantity) == condition) return text;
    const std::string wanted = fmt::format("{}: {}", kEdge, equation_of(condition, quantity));
    Rewriting rewriting(read);
    const SideStatement* row = edge_in_force(read, quantity);
    if (row && (row->word.empty() || fields_of(read).size() == 1))
        rewriting.replace(read.places[row->statement].span, wanted);
    else
        rewriting.add(wanted);
    return rewriting.text();
}

void set_all_sides(Rewriting& text, const Statements& read, const std::string& word) {
    for (const StatementPlace& statement : read.places) {
        const auto rows = rows_of(read, statement);
        const bool of_components =
            !rows.empty() &&
            (!rows.front().word.empty() || std::ranges::any_of(fields_of(read), [&](const std::string& one) {
                return is_about(read, rows.front(), one);
            }));
        if (of_components) text.remove(statement);
    }
    text.set(StatementForm::value, "boundary", word);
}

}  // namespace stencil
