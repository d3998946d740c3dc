#include "sim/problem/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/sides.h"
#include "sim/model/text/tokens.h"
#include "sim/problem/run_spec.h"
#include "sim/problem/time_step.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

using equation::TextSpan;
using equation::Token;
using equation::TokenKind;

enum class Form { value, start, side, other };  // NAME = ..., NAME(0) = ..., left: ...

struct Statement {
    Form form = Form::other;
    std::string name;
    std::span<const Token> words;  // all tokens without the stop
    std::span<const Token> value;  // tokens after '='
    TextSpan span() const { return equation::join(words.front().span, words.back().span); }
};

Statement read_statement(std::span<const Token> words) {
    const auto is = [&](std::size_t at, std::string_view text) {
        return at < words.size() && words[at].text == text && words[at].kind != TokenKind::string;
    };
    // Skips an OpenCL type, as in "float q = a*b".
    const std::size_t name = words.size() > 2 && words[1].kind == TokenKind::name ? 1 : 0;
    Statement read{Form::other, words[name].text, words, {}};
    if (is(name + 1, "=")) {
        read.form = Form::value;
        read.value = words.subspan(name + 2);
    } else if (is(1, "(") && is(3, ")") && is(4, "=")) {
        read.form = Form::start;
        read.value = words.subspan(5);
    } else if (is(1, ":") || is(1, ",")) {
        read.form = Form::side;
    }
    return read;
}

std::vector<Statement> statements_of(std::span<const Token> tokens) {
    std::vector<Statement> statements;
    for (std::size_t begin = 0, at = 0; at < tokens.size(); ++at) {
        if (tokens[at].kind != TokenKind::stop) continue;
        if (at > begin) statements.push_back(read_statement(tokens.subspan(begin, at - begin)));
        begin = at + 1;
    }
    return statements;
}

// Edits a text: replaces and removes statements and appends missing ones.
class Rewriting {
  public:
    explicit Rewriting(const std::string& text)
        : text_(text), tokens_(equation::read_tokens(text)), statements_(statements_of(tokens_)) {}

    const std::vector<Statement>& statements() const { return statements_; }

    const Statement* find(Form form, std::string_view name) const {
        const auto found = std::ranges::find_if(
            statements_, [&](const Statement& s) { return s.form == form && s.name == name; });
        return found == statements_.end() ? nullptr : &*found;
    }
    void replace(std::span<const Token> words, const std::string& by) {
        changes_.push_back({equation::join(words.front().span, words.back().span), by});
    }
    void set(Form form, std::string_view name, const std::string& value) {
        if (const Statement* known = find(form, name))
            replace(known->value, value);
        else
            add(fmt::format("{}{} = {}", name, form == Form::start ? "(0)" : "", value));
    }
    void add(std::string statement) { added_.push_back(std::move(statement)); }
    void insert_before(const Statement& statement, const std::string& other) {
        const std::size_t at = statement.span().begin;
        changes_.push_back({{at, at}, other + "; "});
    }
    // Removes a statement with its ';', and its line if nothing is left on it.
    void remove(const Statement& statement) {
        auto [begin, end] = statement.span();
        const std::size_t next = std::min(text_.find_first_not_of(" \t", end), text_.size());
        std::size_t line = begin;
        while (line > 0 && (text_[line - 1] == ' ' || text_[line - 1] == '\t')) --line;
        if (next < text_.size() && text_[next] == ';') {
            end = std::min(text_.find_first_not_of(" \t", next + 1), text_.size());
        } else if (next == text_.size() || text_[next] == '\n') {
            if (line == 0 || text_[line - 1] == '\n') begin = line;
            end = next;
        }
        changes_.push_back({{begin, end}, ""});
    }

    std::string text() {
        std::ranges::sort(
            changes_, {}, [](const Change& change) { return std::pair(change.span.begin, change.span.end); });
        std::string result;
        std::size_t at = 0;
        for (const Change& change : changes_) {
            result += text_.substr(at, change.span.begin - at) + change.by;
            at = change.span.end;
            const bool begins = result.empty() || result.back() == '\n';
            if (change.by.empty() && begins && at < text_.size() && text_[at] == '\n') ++at;
        }
        result += text_.substr(at);
        if (added_.empty()) return result;
        const bool ends = result.empty() || result.back() == '\n';
        return fmt::format("{}{}{}{}", result, ends ? "" : "\n", fmt::join(added_, "; "), ends ? "\n" : "");
    }

  private:
    struct Change {
        TextSpan span;
        std::string by;
    };

    const std::string& text_;
    std::vector<Token> tokens_;
    std::vector<Statement> statements_;
    std::vector<Change> changes_;
    std::vector<std::string> added_;
};

std::string number(double value) {
    return fmt::format("{}", value);
}

RunSpec said_by(const std::shared_ptr<const Model>& model) {
    RunSpec said;
    said.use_model(model);
    return said;
}

bool same_sides(const Problem& a, const Problem& b) {
    return a.boundary_as_typed == b.boundary_as_typed && (a.boundary_as_typed || a.boundary == b.boundary);
}

// The initial condition given beside the text.
std::string start_beside(const Problem& spec, const std::string& component) {
    if (component == spec.model->components.front().name) return spec.initial;
    const auto given = spec.initials.find(component);
    return given == spec.initials.end() ? "" : given->second;
}

// Writes the value, and widens the range if it is outside.
void write_parameter(Rewriting& text, const ModelParameter& row, double value) {
    const Statement* statement = text.find(Form::value, row.name);
    if (!statement || value == row.value) return;
    const auto words = statement->value;
    const auto is_range = [](const Token& word) {
        return (word.kind == TokenKind::name && word.text == "in") || word.text == "[";
    };
    const auto length = std::size_t(std::ranges::find_if(words, is_range) - words.begin());
    text.replace(words.first(length), number(value));
    if (length == words.size() || words[length].text != "in" || (row.low <= value && value <= row.high))
        return;
    const auto closing = std::ranges::find(words, "]", &Token::text) - words.begin();
    text.replace(words.subspan(length + 1, std::size_t(closing) - length),
                 fmt::format("[{}, {}]", std::min(row.low, value), std::max(row.high, value)));
}

// --- Boundary conditions

using equation::Side;
using equation::SideStatement;
using equation::Statements;
using equation::Syntax;
using equation::SyntaxKind;

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

bool is_about(const SideStatement& statement, std::string_view component) {
    return is_about(statement.left, component) || is_about(statement.right, component);
}

// A statement with several sides is read as one row per side, in sequence.
std::span<const SideStatement> rows_of(const Statements& read, const Statement& statement) {
    const TextSpan span = statement.span();
    const auto inside = [&](const SideStatement& row) {
        return span.begin <= row.span.begin && row.span.end <= span.end;
    };
    const auto first = std::ranges::find_if(read.sides, inside);
    return {first, std::find_if_not(first, read.sides.end(), inside)};
}

// The statement in force at each side; null: the default is.
using InForce = std::array<const SideStatement*, 4>;

template <class F>
InForce in_force(const Statements& read, F&& counts) {
    InForce force{};
    for (const SideStatement& row : read.sides)
        if (counts(row)) force[std::size_t(row.side)] = &row;
    return force;
}

InForce conditions_in_force(const Statements& read, std::string_view component) {
    return in_force(read,
                    [&](const SideStatement& row) { return !row.word.empty() || is_about(row, component); });
}

InForce words_in_force(const Statements& read) {
    return in_force(read, [](const SideStatement& row) { return !row.word.empty(); });
}

// The word that holds where the row, possibly null, is in force; empty: an equation holds.
std::string word_of(const Statements& read, const SideStatement* row) {
    if (row) return row->word;
    const auto given = std::ranges::find(read.settings, "boundary", &equation::SettingStatement::name);
    return given == read.settings.end() ? std::string(name_of(Boundary::periodic)) : given->text;
}

SideCondition side_condition_of_word(const std::string& word) {
    using enum SideCondition::Kind;
    equation::Graph graph;
    const auto condition = equation::condition_of_word(graph, word);
    const equation::Node zero = graph.number(0);
    if (condition && condition->periodic) return {periodic};
    if (condition && condition->value == zero) return {flux};
    if (condition && condition->flux == zero) return {value};
    return {.kind = typed, .typed = word};
}

bool is_periodic(const std::string& word) {
    return side_condition_of_word(word).kind == SideCondition::Kind::periodic;
}

SideCondition condition_of_equation(const SideStatement& row, std::string_view component) {
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
                !is_about(term.args[0], component))
                return {robin, right, to_text(term.args[0])};
        }
    }
    return {.kind = typed, .typed = fmt::format("{} = {}", to_text(left), right)};
}

std::array<SideCondition, 4> conditions_of(const Statements& read, std::string_view component) {
    const InForce force = conditions_in_force(read, component);
    std::array<SideCondition, 4> conditions;
    for (std::size_t side = 0; side < force.size(); ++side) {
        const std::string word = word_of(read, force[side]);
        conditions[side] =
            word.empty() ? condition_of_equation(*force[side], component) : side_condition_of_word(word);
    }
    return conditions;
}

Syntax read_formula(std::string_view text) {
    const std::vector<Token> tokens = equation::read_tokens(text);
    equation::SyntaxReader reader(text, tokens);
    Syntax formula = reader.formula();
    reader.expect_end();
    if (reader.peek().span != tokens.back().span)
        reader.refuse(reader.peek().span, "a formula of a condition is one line without ';'");
    return formula;
}

// The condition as an equation, which holds for one component alone, as a word does not.
std::string equation_of(const SideCondition& condition, std::string_view component) {
    using enum SideCondition::Kind;
    if (condition.kind == typed) {
        if (condition.typed.find('=') != std::string::npos) return condition.typed;
        // As equation::condition_of_word() has it: the value at the face is half that of the last cell.
        if (condition.typed == name_of(Boundary::zero))
            return fmt::format("{0} + 0.5*dx*flux({0}) = 0", component);
        return equation_of(side_condition_of_word(condition.typed), component);
    }
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

std::string label_of(Side side) {
    return equation::side_words()[std::size_t(side)];
}

std::string label_of(const std::vector<Side>& sides) {
    if (sides == std::vector{Side::left, Side::right}) return "x";
    if (sides == std::vector{Side::top, Side::bottom}) return "y";
    std::vector<std::string> labels;
    for (const Side side : sides) labels.push_back(label_of(side));
    return fmt::format("{}", fmt::join(labels, ", "));
}

// Keeps the rows of a statement that pass, in its label; returns false if none does.
template <class F>
bool relabel(Rewriting& text, const Statement& statement, std::span<const SideStatement> rows, F&& keeps) {
    std::vector<Side> kept;
    for (const SideStatement& row : rows)
        if (keeps(row)) kept.push_back(row.side);
    if (kept.size() == rows.size() || kept.empty()) return !kept.empty();
    const auto colon = std::ranges::find(statement.words, ":", &Token::text);
    text.replace({statement.words.begin(), colon}, label_of(kept));
    return true;
}

// An equation at this side alone is replaced; one that names more sides stays and is overridden.
void write_condition(Rewriting& text,
                     const Statements& read,
                     std::string_view component,
                     Side side,
                     const SideCondition& condition) {
    const InForce force = conditions_in_force(read, component);
    const std::string word = word_of(read, force[std::size_t(side)]);
    const std::string wanted = fmt::format("{}: {}", label_of(side), equation_of(condition, component));
    for (const Statement& statement : text.statements()) {
        std::vector<Side> holds;
        for (const SideStatement& row : rows_of(read, statement))
            if (row.word.empty() && force[std::size_t(row.side)] == &row) holds.push_back(row.side);
        if (holds == std::vector{side}) {
            text.replace(statement.words, wanted);
            return;
        }
    }
    text.add(wanted);
    if (is_periodic(word)) text.add(fmt::format("{}: flux({}) = 0", label_of(opposite(side)), component));
}

// Only words make a side periodic, for all components. So the word comes before all equations, and other
// components for which another word held get that as an equation.
void write_periodic(Rewriting& text, const Statements& read, std::string_view component, Side side) {
    const Side other = opposite(side);
    const InForce own = conditions_in_force(read, component), words = words_in_force(read);
    const auto periodic_by_word = [&](Side at) { return is_periodic(word_of(read, words[std::size_t(at)])); };
    const bool by_words = periodic_by_word(side) && periodic_by_word(other);
    const auto keeps = [&](const SideStatement& row) {
        const auto at = std::size_t(row.side);
        const bool word = !row.word.empty();
        if (word && by_words) return true;
        if (word || is_about(row, component))
            return row.side != side && row.side != other && (word ? words : own)[at] == &row;
        return by_words || std::ranges::all_of(read.evolutions, [&](const equation::Evolution& one) {
                   return !is_about(row, one.component) ||
                          conditions_in_force(read, one.component)[at] == &row;
               });
    };
    std::string added =
        by_words ? "" : fmt::format("{}: periodic", label_of({std::min(side, other), std::max(side, other)}));
    for (const Statement& statement : text.statements()) {
        const auto rows = rows_of(read, statement);
        if (rows.empty()) continue;
        const bool stays = relabel(text, statement, rows, keeps);
        if (!added.empty() && stays)
            text.insert_before(statement, added);
        else if (!added.empty())
            text.replace(statement.words, added);
        else if (!stays)
            text.remove(statement);
        added.clear();
    }
    if (!added.empty()) text.add(added);
    if (by_words) return;
    for (const equation::Evolution& one : read.evolutions) {
        if (one.component == component) continue;
        const InForce force = conditions_in_force(read, one.component);
        for (const Side at : {side, other}) {
            const std::string word = word_of(read, force[std::size_t(at)]);
            if (word.empty() || is_periodic(word)) continue;
            const std::string equation = equation_of(side_condition_of_word(word), one.component);
            text.add(fmt::format("{}: {}", label_of(at), equation));
        }
    }
}

void write_sides(Rewriting& text, const Problem& now) {
    const Statements read = equation::read_statements(now.model->text);
    for (const Statement& statement : text.statements()) {
        const auto rows = rows_of(read, statement);
        if (rows.empty()) continue;
        // Boundary conditions of definitions are not part of the run's settings and stay.
        const bool evolves = std::ranges::any_of(now.model->components, [&](const Component& component) {
            return is_about(rows.front(), component.name);
        });
        if (evolves || !rows.front().word.empty()) text.remove(statement);
    }
    text.set(Form::value, "boundary", std::string(name_of(now.boundary)));
}

void write_starts(Rewriting& text, const Problem& now) {
    for (const Component& component : now.model->components) {
        const std::string what = start_beside(now, component.name);
        if (what.empty()) continue;
        const std::string formula = parse_initial(what).formula;
        const Statement* own = text.find(Form::start, component.name);
        if (!formula.empty())
            text.set(Form::start, component.name, formula);
        else if (own)
            text.remove(*own);
    }
}

// Whether the text states its boundary, instead of relying on the default.
bool says_sides(const Rewriting& text) {
    return text.find(Form::value, "boundary") ||
           std::ranges::any_of(text.statements(), [](const Statement& s) { return s.form == Form::side; });
}

using equation::Equations;

bool starts_in_text(const Equations& text, std::string_view component) {
    const auto row = std::ranges::find(text.components, component, &equation::Evolving::name);
    return row == text.components.end() || row->initial;
}

// Restores a component's initial condition unless the new text has one, or the component is gone.
void keep_start(Problem& next, const Problem& before, const std::string& component) {
    const std::string what = start_beside(before, component);
    if (what.empty() || starts_in_text(*next.model->equations, component)) return;
    if (component != next.model->components.front().name) {
        next.initials[component] = what;
        return;
    }
    next.initial = what;
    next.initial_hash = what == before.initial ? before.initial_hash : "";
}

void keep_parameters(RunSpec& spec, const RunSpec& before) {
    for (std::size_t i = 0; i < spec.parameters.size(); ++i) {
        const ModelParameter& row = spec.model->parameters[i];
        const auto old = before.model->index_of(row.name);
        if (old && before.model->parameters[*old].value == row.value)
            spec.parameters[i] = before.parameters[*old];
    }
}

}  // namespace

std::string text_of_run(const Problem& now, bool sets_dt) {
    const Model& model = *now.model;
    Rewriting text(model.text);
    const RunSpec said = said_by(now.model);
    for (std::size_t i = 0; i < now.parameters.size(); ++i)
        write_parameter(text, model.parameters[i], now.parameters[i]);
    if (now.size && now.size != said.size)
        text.set(Form::value, "size", fmt::format("{}x{}", now.size->nx, now.size->ny));
    if (!same_sides(now, said)) write_sides(text, now);
    const Statement* says_dt = text.find(Form::value, "dt");
    const bool follows = read_time_step(now.dt).follows;
    if (says_dt && follows)
        text.remove(*says_dt);
    else if (!follows && now.time_step() > 0 && now.time_step() != said.time_step() && (says_dt || sets_dt))
        text.set(Form::value, "dt", number(now.time_step()));
    if (now.spacing() != said.spacing()) text.set(Form::value, "dx", number(now.spacing()));
    if (now.integrator() != said.integrator()) text.set(Form::value, "stepper", now.integrator());
    write_starts(text, now);
    return text.text();
}

std::array<SideCondition, 4> side_conditions(const std::string& text, std::string_view component) {
    return conditions_of(equation::read_statements(text), component);
}

std::string text_with_side(const std::string& text,
                           std::string_view component,
                           equation::Side side,
                           const SideCondition& condition) {
    const Statements read = equation::read_statements(text);
    if (conditions_of(read, component)[std::size_t(side)] == condition) return text;
    Rewriting rewriting(text);
    if (condition.kind == SideCondition::Kind::periodic)
        write_periodic(rewriting, read, component, side);
    else
        write_condition(rewriting, read, component, side, condition);
    return rewriting.text();
}

std::vector<std::pair<std::string, std::string>> choices_of_text(const Problem& before, const Problem& next) {
    const Rewriting text(next.model->text);
    const RunSpec said = said_by(next.model);
    std::vector<std::pair<std::string, std::string>> choices;
    for (std::size_t i = 0; i < next.parameters.size(); ++i)
        if (next.parameters[i] != said.parameters[i])
            choices.emplace_back(next.model->parameters[i].name, number(said.parameters[i]));
    const auto size = said.size ? said.size : before.size;
    if (size && size != next.size) choices.emplace_back("size", fmt::format("{}x{}", size->nx, size->ny));
    const Problem& sides =
        says_sides(text) || before.boundary_as_typed ? static_cast<const Problem&>(said) : before;
    if (!same_sides(sides, next)) choices.emplace_back("boundary", boundary_text(sides));
    const auto says = [&](std::string_view name) { return text.find(Form::value, name) != nullptr; };
    if (says("dt") && said.time_step() != next.time_step())
        choices.emplace_back("dt", number(said.time_step()));
    const double dx = says("dx") ? said.spacing() : before.spacing();
    if (dx != next.spacing()) choices.emplace_back("dx", number(dx));
    const std::string stepper = says("stepper") ? said.integrator() : before.integrator();
    if (stepper != next.integrator()) choices.emplace_back("stepper", stepper);
    return choices;
}

void keep_starts_of(const Problem& before, Problem& next) {
    for (const Component& component : before.model->components) keep_start(next, before, component.name);
}

void keep_choices(RunSpec& spec, const RunSpec& before) {
    if (before.model->built_in) return;
    const Equations &now = *spec.model->equations, &old = *before.model->equations;
    keep_parameters(spec, before);
    for (const Component& component : before.model->components)
        if (!starts_in_text(old, component.name)) keep_start(spec, before, component.name);
    const bool same_dt = now.dt == old.dt, follows = read_time_step(before.dt).follows;
    if (now.dt ? same_dt : follows) spec.dt = before.dt;
    if (now.size == old.size) spec.size = before.size;
    if (now.steps == old.steps) spec.steps = before.steps;
    if (!before.stepper.empty()) spec.stepper = before.stepper;
    if (now.spacing == old.spacing) spec.dx = before.dx;
    RunSpec own = before;
    own.use_model(before.model);
    const auto sides = [](const RunSpec& s) { return std::pair(s.boundary, s.boundary_as_typed); };
    if (sides(own) == sides(spec)) std::tie(spec.boundary, spec.boundary_as_typed) = sides(before);
}

}  // namespace stencil
