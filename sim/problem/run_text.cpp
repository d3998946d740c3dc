#include "sim/problem/run_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>

#include "sim/initial/initial.h"
#include "sim/model/equations.h"
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
            added_.push_back(fmt::format("{}{} = {}", name, form == Form::start ? "(0)" : "", value));
    }
    // Removes a statement with its ';', or its whole line if nothing else is on it.
    void remove(const Statement& statement) {
        auto [begin, end] = statement.span();
        const std::size_t next = std::min(text_.find_first_not_of(" \t", end), text_.size());
        const std::size_t before = text_.find_last_not_of(" \t", begin == 0 ? text_.npos : begin - 1);
        const bool first = begin == 0 || before == text_.npos || text_[before] == '\n';
        if (next < text_.size() && text_[next] == ';')
            end = std::min(text_.find_first_not_of(" \t", next + 1), text_.size());
        else if (first && next < text_.size() && text_[next] == '\n')
            end = next + 1;
        changes_.push_back({{begin, end}, ""});
    }

    std::string text() {
        std::ranges::sort(changes_, {}, [](const Change& change) { return change.span.begin; });
        std::string result;
        std::size_t at = 0;
        for (const Change& change : changes_) {
            result += text_.substr(at, change.span.begin - at) + change.by;
            at = change.span.end;
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

void write_sides(Rewriting& text, const Problem& now) {
    for (const Statement& statement : text.statements()) {
        if (statement.form != Form::side) continue;
        const auto& words = statement.words;
        // Boundary conditions of definitions are not part of the run's settings and stay.
        const bool evolves = std::ranges::any_of(now.model->components, [&](const Component& component) {
            return std::ranges::find(words, component.name, &Token::text) != words.end();
        });
        const bool equation = std::ranges::find(words, "=", &Token::text) != words.end();
        if (evolves || !equation) text.remove(statement);
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
