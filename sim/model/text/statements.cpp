#include "sim/model/text/statements.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include "kernels/field/boundary.h"
#include "sim/model/ending.h"
#include "sim/model/integrator.h"
#include "sim/model/semantics.h"
#include "sim/model/time_step.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil::equation {
namespace {

std::vector<SettingWord> boundary_words() {
    std::vector<SettingWord> words;
    for (const BoundaryRow& row : kBoundaries) words.push_back({std::string(row.name), "boundary"});
    return words;
}

std::vector<SettingWord> laplacian_words() {
    return {{"standard", "5 points"}, {"isotropic", "9 points"}, {"fourth", "fourth order"}};
}

std::vector<SettingWord> mean_words() {
    return {{"arithmetic", "(a + b)/2"}, {"harmonic", "2 a b/(a + b), for layers in series"}};
}

std::vector<SettingWord> colormap_words() {
    std::vector<SettingWord> words;
    for (const Colormap& map : colormaps()) words.push_back({map.name, "colour table"});
    return words;
}

constexpr auto kSettings = std::to_array<SettingRow>({
    {"dx", SettingForm::number, "a number above 0", "0.5"},
    {"dt",
     SettingForm::time_step,
     "a number above 0, a share of the limit as 0.8limit, follow:0.8limit or tolerance:1e-4",
     "0.1",
     nullptr,
     [](std::string_view text) { return to_string(parse_time_step(text)); }},
    {"steps", SettingForm::number, "a number above 0", "10000"},
    {"time", SettingForm::number, "a time above 0", "100"},
    {"until",
     SettingForm::condition,
     "a formula of values of the whole field, or steady:E",
     "max(v) < 1e-3",
     nullptr,
     [](std::string_view text) { return checked_condition(text, "until"); }},
    {"size", SettingForm::size, "columns x rows, such as 512x512, or the cells of a line", "512x512"},
    {"origin", SettingForm::formulas, "x and y of the field's left upper corner", "-Lx/2, -Ly/2"},
    {"boundary", SettingForm::word, "periodic, insulated or zero", "periodic", boundary_words},
    {"integrator",
     SettingForm::word,
     "a time integrator's name",
     "rk4",
     nullptr,
     [](std::string_view text) { return name_of(scheme_of(text)); }},
    {"laplacian",
     SettingForm::word,
     "standard (5 points), isotropic (9 points) or fourth (fourth order)",
     "isotropic",
     laplacian_words,
     [](std::string_view text) { return row_named(laplacian_words(), "laplacian", text).name; }},
    {"noise",
     SettingForm::word,
     "ito or stratonovich: how noise multiplies the field",
     "ito",
     [] {
         return std::vector<SettingWord>{{"ito", "Itô"}, {"stratonovich", "Stratonovich"}};
     }},
    {"mean",
     SettingForm::word,
     "arithmetic or harmonic, the mean of D at faces in div(D*grad(u))",
     "harmonic",
     mean_words,
     [](std::string_view text) { return row_named(mean_words(), "mean", text).name; }},
    {"colormap",
     SettingForm::word,
     "a colour table's name",
     "viridis",
     colormap_words,
     [](std::string_view text) { return colormap(text).name; }},
    {"show",
     SettingForm::word,
     "a component's or definition's name; a formula needs one: `w = abs(u)^2; show = w`",
     "u"},
    {"sensitivity", SettingForm::word, "a parameter's name", "D"},
    {"title", SettingForm::string, "a text in double quotes", "\"Spots\""},
    {"source", SettingForm::string, "a text in double quotes", "\"Turing (1952)\""},
    {"about", SettingForm::string, "a text in double quotes", "\"What is seen\""},
});

struct SideName {
    std::string_view name;
    std::vector<Side> sides;
};
const std::vector<SideName>& side_names() {
    using enum Side;
    static const std::vector<SideName> names{{"left", {left}},
                                             {"right", {right}},
                                             {"top", {top}},
                                             {"bottom", {bottom}},
                                             {"x", {left, right}},
                                             {"y", {top, bottom}},
                                             {"all", {left, right, top, bottom}}};
    return names;
}

constexpr std::string_view kForms =
    "a statement is `du/dt = ...`, `u' = ...`, `NAME = ...`, `u(0) = ...`, `lap(psi) = ...` or a side, "
    "`left: u = 1`";

bool reads_as(const Syntax& formula, std::string_view name) {
    return formula.kind == SyntaxKind::name && formula.text == name;
}

bool is_number(const Syntax& formula, double number) {
    return formula.kind == SyntaxKind::number && formula.number == number;
}

Syntax call_of(std::string_view function, std::vector<Syntax> arguments) {
    Syntax call{SyntaxKind::call, std::string(function), 0, 0, 0, {}, arguments.front().span, 1};
    for (const Syntax& argument : arguments) {
        call.depth = std::max(call.depth, argument.depth + 1);
        call.span = {std::min(call.span.begin, argument.span.begin),
                     std::max(call.span.end, argument.span.end)};
    }
    call.args = std::move(arguments);
    return call;
}

using Part = std::optional<Syntax>;  // empty: 0

Part sum_of(Part a, Part b) {
    return !a ? b : !b ? a : call_of("+", {*a, *b});
}

Part negative_of(Part a) {
    return !a ? a : a->kind == SyntaxKind::call && a->text == "neg" ? a->args[0] : call_of("neg", {*a});
}

Part product_of(Part a, const Syntax& by, std::string_view sign) {
    return !a || is_number(by, 1) ? a : is_number(*a, 1) && sign == "*" ? by : call_of(sign, {*a, by});
}

// A formula as factor * NAME + rest; empty if it is not linear in the name.
struct Linear {
    Part factor, rest;
};
std::optional<Linear> linear_in(const Syntax& formula, std::string_view name) {
    if (!mentions(formula, name)) return Linear{{}, formula};
    Syntax one;
    one.number = 1;
    one.span = formula.span;
    if (reads_as(formula, name)) return Linear{one, {}};
    if (formula.kind != SyntaxKind::call) return std::nullopt;
    const std::string& sign = formula.text;
    const bool sum = sign == "+" || sign == "-";
    if (!sum && sign != "neg" && sign != "*" && sign != "/") return std::nullopt;
    const bool second = sign == "*" && mentions(formula.args[1], name);
    auto part = linear_in(formula.args[second], name);
    if (!part) return part;
    if (sign == "neg") return Linear{negative_of(part->factor), negative_of(part->rest)};
    const Syntax& by = formula.args[1 - int(second)];
    if (sum) {
        const auto other = linear_in(by, name);
        if (!other) return other;
        const auto added = [&](Part a, const Part& b) {
            return sum_of(std::move(a), sign == "+" ? b : negative_of(b));
        };
        return Linear{added(part->factor, other->factor), added(part->rest, other->rest)};
    }
    if (mentions(by, name)) return std::nullopt;
    return Linear{product_of(part->factor, by, sign), product_of(part->rest, by, sign)};
}

class StatementReader {
  public:
    StatementReader(std::string_view text, std::vector<Token> tokens) : tokens_(std::move(tokens)) {
        result_.text = text;
    }

    /// `lenient`: keeps what a statement gives before its error.
    Statements read(bool lenient) {
        survey();
        for (auto begin = tokens_.begin(); begin != tokens_.end();) {
            const auto end = std::ranges::find(begin, tokens_.end(), TokenKind::stop, &Token::kind);
            try {
                if (begin != end) statement({begin, end + 1});
            } catch (const TextError&) {
                if (!lenient) throw;
                result_.unreadable.push_back(join(begin->span, (end - 1)->span));
            }
            begin = end + 1;
        }
        for (const std::string& name : result_.second_order)
            if (is_complex(result_, name)) result_.complex.push_back({rate_name(name), {}});
        const bool waves = !result_.second_order.empty();
        if ((waves || result_.value("noise") == "stratonovich") && result_.value("integrator").empty())
            result_.settings.push_back({"integrator", waves ? "symplectic" : "heun", 0, {}});
        if (!lenient) require_square_cells();
        return std::move(result_);
    }

  private:
    // Collects the names that statements are about, by which `u_t` is the rate of u or a name of its own.
    void survey() {
        for (auto at = tokens_.begin(); at != tokens_.end();) {
            const auto end = std::ranges::find(at, tokens_.end(), TokenKind::stop, &Token::kind);
            const auto has = [&](std::ptrdiff_t i, std::string_view text) {
                return end - at > i && at[i].text == text;
            };
            if (has(1, "/") && has(2, "dt") && at->text.starts_with("d")) own_.insert(at->text.substr(1));
            if (has(1, "'") || (has(1, "=") && !at->text.ends_with("_t") && !at->text.ends_with("_tt")))
                own_.insert(at->text);
            for (; at != end; ++at) {
                mentioned_.insert(at->text);
                // Where u_tt stands, u_t is the velocity's name.
                if (at->text.ends_with("_tt")) own_.insert(at->text.substr(0, at->text.size() - 1));
                if (has(1, "/") && has(2, "dt2") && at->text.starts_with("d2"))
                    own_.insert(rate_name(at->text.substr(2)));
            }
            ++at;
        }
    }

    void require_square_cells() const {
        if (!dy_) return;
        const auto dx = std::ranges::find(result_.settings, "dx", &SettingStatement::name);
        const double ratio = (dx == result_.settings.end() ? 1 : dx->number) / dy_->number;
        if (ratio == 1) return;
        throw TextError(
            result_.text,
            dy_->span,
            "cells are square, dy is dx: measure y in units of dx instead, with `{0:.6g}*dyy(u)` for "
            "`dyy(u)`, `{1:.6g}*dy(u)` for `dy(u)` and `dxx(u) + {0:.6g}*dyy(u)` for `lap(u)`",
            ratio * ratio,
            ratio);
    }

    // The time derivative that a name stands for, as its component and order; empty if it stands for itself.
    struct TimeDerivative {
        std::string component;
        int order = 0;
    };
    std::optional<TimeDerivative> time_derivative(const Token& token) const {
        if (token.kind != TokenKind::name || own_.contains(token.text)) return std::nullopt;
        const std::size_t bar = token.text.rfind('_');
        if (bar == 0 || bar == std::string::npos) return std::nullopt;
        const std::string_view suffix = std::string_view(token.text).substr(bar);
        std::string component = token.text.substr(0, bar);
        if ((suffix != "_t" && suffix != "_tt") || !mentioned_.contains(component)) return std::nullopt;
        return TimeDerivative{std::move(component), int(suffix.size()) - 1};
    }

    // Writes du/dt as u_t, and d2u/dt2 as u_tt.
    std::vector<Token> with_names_of_rates(std::span<const Token> tokens) {
        std::vector<Token> result;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            Token token = tokens[i];
            for (const auto& [over, under, suffix] : {std::array<std::string_view, 3>{"d2", "dt2", "_tt"},
                                                      std::array<std::string_view, 3>{"d", "dt", "_t"}}) {
                if (token.kind != TokenKind::name || i + 2 >= tokens.size() || own_.contains(token.text) ||
                    token.text.size() <= over.size() || !token.text.starts_with(over) ||
                    tokens[i + 1].text != "/" || tokens[i + 2].text != under)
                    continue;
                const std::string component = token.text.substr(over.size());
                mentioned_.insert(component);
                token.text = component + std::string(suffix);
                token.span = join(token.span, tokens[i += 2].span);
                break;
            }
            result.push_back(std::move(token));
        }
        return result;
    }

    // Reads an equation that is to be solved for a time derivative: tau*du/dt = ..., m*u_tt + c*u_t = ...
    // Returns false if it is another statement.
    bool solved_for_rate(std::span<const Token> typed) {
        const auto is = [](const Token& token, std::string_view text) { return token.text == text; };
        const bool named = typed[0].kind == TokenKind::name;
        const bool plain =
            named && typed.size() > 4 && is(typed[1], "/") && is(typed[2], "dt") && is(typed[3], "=");
        if (plain || (named && (is(typed[1], ":") || is(typed[1], ",") || is(typed[1], "'"))) ||
            (named && is(typed[1], "=") && !typed[0].text.ends_with("_tt")) ||
            (named && is(typed[1], "(") && (typed[2].kind == TokenKind::number || is_function(typed))))
            return false;
        const std::vector<Token> tokens = with_names_of_rates(typed);
        std::optional<TimeDerivative> of;
        bool equals = false;
        for (const Token& token : tokens) {
            equals = equals || (token.kind == TokenKind::symbol && token.text == "=");
            const auto one = time_derivative(token);
            if (!one) continue;
            if (!of || one->order > of->order) of = one;
            if (one->order == of->order && one->component != of->component)
                throw TextError(result_.text,
                                token.span,
                                "an equation gives one rate: write `d{}/dt = ...` and `d{}/dt = ...`",
                                quotable(of->component),
                                quotable(one->component));
        }
        if (!of || !equals) return false;
        SyntaxReader reader(result_.text, tokens);
        const Syntax left = reader.formula();
        reader.expect("=", std::string(kForms));
        const Syntax right = reader.formula();
        reader.expect_end();
        const std::string rate = rate_name(of->component), name = of->order == 2 ? rate + "t" : rate;
        const auto a = linear_in(left, name), b = linear_in(right, name);
        const Part factor = a && b ? sum_of(a->factor, negative_of(b->factor)) : std::nullopt;
        if (!factor)
            reader.refuse(
                join(left.span, right.span),
                "this is not linear in `{0}`: a rate inside of a derivative or function has another name, "
                "such as `dw/dt = lap({1})` with `{1} - lap({1}) = w` for `{1}`",
                quotable(name),
                quotable(of->component));
        Part formula = sum_of(b->rest, negative_of(a->rest));
        if (!formula) {
            formula = Syntax();
            formula->span = right.span;
        }
        if (factor->kind == SyntaxKind::call && factor->text == "neg" && is_number(factor->args[0], 1))
            formula = negative_of(formula);
        else
            formula = product_of(formula, *factor, "/");
        if (of->order == 1) return evolve(reader, of->component, true, left.span, std::move(formula)), true;
        Syntax velocity{SyntaxKind::name, rate, 0, 0, 0, {}, left.span, 1};
        evolve(reader, of->component, true, left.span, std::move(velocity));
        evolve(reader, rate, true, left.span, std::move(formula));
        result_.second_order.push_back(of->component);
        return true;
    }

    void statement(std::span<const Token> tokens) {
        const TextSpan whole = tokens.front().span;
        // Skips an OpenCL type, as in "const float4 q = a*b".
        if (tokens.size() > 3 && tokens[0].text == "const" && is_float_type(tokens[1].text))
            tokens = tokens.subspan(1);
        if (tokens.size() > 2 && tokens[1].kind == TokenKind::name && is_float_type(tokens[0].text))
            tokens = tokens.subspan(1);
        SyntaxReader reader(result_.text, tokens);
        const std::size_t last = tokens.size() - 2;
        StatementPlace& place = result_.places.emplace_back();
        place.name = setting_name(tokens[0].text);
        place.span = join(whole, tokens[last].span);
        const auto is_form = [&](StatementForm form, std::size_t value) {
            place.form = form;
            place.value = join(tokens[std::min(value, last)].span, tokens[last].span);
        };
        if (tokens.size() > 2 && solved_for_rate(tokens)) return;
        if (is_elliptic(tokens)) return elliptic(reader);
        if (!reader.at_name()) reader.refuse(reader.peek().span, std::string(kForms));
        if (reader.at(kComplex) && reader.at_name(1)) return complex(reader);
        if (reader.at(":", 1) || reader.at(",", 1))
            is_form(StatementForm::side, 0), sides(reader);
        else if (reader.at("/", 1))
            rate(reader);
        else if (reader.at("'", 1))
            next_value(reader);
        else if (is_function(tokens))
            own_function(reader);
        else if (reader.at("(", 1))
            is_form(StatementForm::start, 5), initial(reader);
        else if (reader.at("=", 1))
            is_form(StatementForm::value, 2), named(reader);
        else
            reader.refuse(join(reader.peek().span, reader.peek(1).span), std::string(kForms));
        reader.expect_end();
    }

    // Whether it is f(u, v) = ..., with names in the brackets, of a name that has no meaning of its own.
    static bool is_function(std::span<const Token> tokens) {
        const Function* known = find_function(tokens[0].text);
        if (tokens[0].kind != TokenKind::name || (known && (!known->yields || known->meaning.linear_in != 0)))
            return false;
        std::size_t i = 1;
        while (i + 3 < tokens.size() && tokens[i].text == (i == 1 ? "(" : ",") &&
               tokens[i + 1].kind == TokenKind::name)
            i += 2;
        return i > 1 && tokens[i].text == ")" && tokens[i + 1].text == "=";
    }

    // A function of x, y and t alone is a definition, too.
    void own_function(SyntaxReader& reader) {
        const Token name = reader.peek();
        refuse_second(reader, name);
        Syntax head = reader.formula();
        reader.take();
        Syntax formula = reader.formula();
        const auto is_given = [](const Syntax& argument) {
            return argument.text == "x" || argument.text == "y" || argument.text == "t";
        };
        if (std::ranges::all_of(head.args, is_given))
            result_.definitions.push_back({name.text, formula, name.span});
        result_.functions.push_back({std::move(head), std::move(formula), name.text, name.span});
    }

    // Whether it is an equation of formulas: it has a '=' outside of brackets, preceded neither by a single
    // name nor by the beginning of another statement, such as du/dt, du/dx or d^2u/dt^2.
    static bool is_elliptic(std::span<const Token> tokens) {
        const auto is = [&](std::size_t i, std::string_view symbol) {
            return i < tokens.size() && tokens[i].kind == TokenKind::symbol && tokens[i].text == symbol;
        };
        const auto is_name = [&](std::size_t i) {
            return i < tokens.size() && tokens[i].kind == TokenKind::name;
        };
        const bool named = is_name(0);
        if (named && (is(1, "=") || is(1, ":") || is(1, ",") || is(1, "'"))) return false;
        if (named && is(1, "/") && is_name(2) &&
            (is(3, "=") || (tokens[0].text.starts_with("d") && tokens[2].text == "dt")))
            return false;
        if (tokens[0].kind != TokenKind::symbol && tokens[1].kind != TokenKind::symbol) return false;
        const auto close = std::ranges::find(tokens, ")", &Token::text);
        if (named && is(1, "(") && tokens[2].kind == TokenKind::number && (is(3, ")") || is(3, ",")) &&
            is(std::size_t(close - tokens.begin()) + 1, "="))
            return false;
        if (is_function(tokens)) return false;
        int open = 0;
        for (std::size_t i = 0; i < tokens.size(); ++i) {
            if (is(i, "(") || is(i, "[")) ++open;
            if (is(i, ")") || is(i, "]")) --open;
            if (!is(i, "=") || open != 0 || i == 0) continue;
            return tokens[i - 1].kind != TokenKind::symbol || is(i - 1, ")") || is(i - 1, "]");
        }
        return false;
    }

    void elliptic(SyntaxReader& reader) {
        EllipticStatement statement;
        statement.left = reader.formula();
        reader.expect("=", std::string(kForms));
        statement.right = reader.formula();
        statement.span = join(statement.left.span, statement.right.span);
        reader.expect_end();
        result_.elliptic.push_back(std::move(statement));
    }

    void complex(SyntaxReader& reader) {
        reader.take();
        do {
            if (!reader.at_name())
                reader.refuse(reader.peek().span,
                              "names of complex components stand here: `complex psi, phi`");
            const Token name = reader.take();
            if (is_complex(result_, name.text))
                reader.refuse(name.span, "`{}` is declared twice", quotable(name.text));
            result_.complex.push_back({name.text, name.span});
        } while (reader.accept(","));
        reader.expect_end();
    }

    // Without a formula it is read.
    void evolve(SyntaxReader& reader, std::string component, bool is_rate, TextSpan span, Part formula = {}) {
        for (const Evolution& other : result_.evolutions)
            if (other.component == component) {
                for (const TextSpan& name : {span, other.span}) {
                    const std::string typed = result_.text.substr(name.begin, name.end - name.begin);
                    if (typed == "delta_" + component || typed == component + "_t")
                        reader.refuse(
                            name,
                            "`{} = ...` is the rate d{}/dt, which has an equation: take another name",
                            quotable(typed),
                            quotable(component));
                }
                reader.refuse(span, "`{}` has two equations; each component has one", quotable(component));
            }
        // The name comes first, so that an unfinished formula has it, too (read_readable).
        result_.evolutions.push_back({std::move(component), is_rate, {}, span});
        result_.evolutions.back().formula = formula ? std::move(*formula) : reader.formula();
    }

    void rate(SyntaxReader& reader) {
        const Token over = reader.take();
        reader.take();
        const Token under = reader.peek();
        if (over.text.size() < 2 || over.text[0] != 'd' || under.text != "dt")
            reader.refuse(join(over.span, under.span), "a rate is written `du/dt = ...`");
        reader.take();
        reader.expect("=", "'=' is missing: `du/dt = ...`");
        evolve(reader, over.text.substr(1), true, over.span);
    }

    void next_value(SyntaxReader& reader) {
        const Token name = reader.take();
        reader.take();
        reader.expect("=", "'=' is missing: `u' = ...` gives the next value of u");
        evolve(reader, name.text, false, name.span);
    }

    void initial(SyntaxReader& reader) {
        const Token name = reader.take();
        reader.take();
        const Token zero = reader.take();
        if (zero.kind != TokenKind::number || zero.number != 0 || !reader.at(")"))
            reader.refuse(join(name.span, zero.span),
                          "before '=' stands a name; its value at the start is `u(0) = ...`");
        reader.take();
        reader.expect("=", "'=' is missing: `u(0) = ...`");
        for (const NamedFormula& other : result_.initials)
            if (other.name == name.text)
                reader.refuse(name.span, "`{}(0)` is given twice", quotable(name.text));
        result_.initials.push_back({name.text, reader.formula(), name.span});
    }

    // Reads the statements that begin with "NAME =". "u_t =" and "delta_u =" are synonyms of "du/dt =".
    void named(SyntaxReader& reader) {
        const Token name = reader.take();
        reader.take();
        const auto setting = std::ranges::find(kSettings, setting_name(name.text), &SettingRow::name);
        if (setting != kSettings.end() && is_setting(reader, *setting)) return set(reader, *setting, name);
        if (name.text == "dy") {
            const Syntax formula = reader.formula();
            if (const auto value = constant_value(formula); value && *value > 0)
                return void(dy_ = SettingStatement{"dy", "", *value, join(name.span, formula.span)});
            reader.refuse(name.span, "cells are square, dy is dx: leave this out");
        }
        constexpr std::string_view delta = "delta_";
        if (name.text.starts_with(delta) && name.text.size() > delta.size())
            return evolve(reader, name.text.substr(delta.size()), true, name.span);
        if (name.text.ends_with("_t") && name.text.size() > 2)
            return evolve(reader, name.text.substr(0, name.text.size() - 2), true, name.span);
        if (name.text.size() > 1 && contains(names_of(side_names()), lower(name.text)))
            reader.refuse(name.span, "a condition at a side is written `{}: u = 1`", lower(name.text));
        refuse_second(reader, name);
        Syntax formula = reader.formula();
        const std::optional<double> value = constant_value(formula);
        if (value && formula.kind != SyntaxKind::string)
            return parameter(reader, {name.text, *value, 0, 0, "", name.span, formula.span, {}});
        if (reader.at("in"))
            reader.refuse(reader.peek().span,
                          "a range belongs to a parameter, `NAME = 0.5 in [0, 1]`, whose value is a number");
        result_.definitions.push_back({name.text, std::move(formula), name.span});
    }

    void refuse_second(SyntaxReader& reader, const Token& name) const {
        const bool known =
            std::ranges::any_of(result_.definitions, [&](const auto& d) { return d.name == name.text; }) ||
            std::ranges::any_of(result_.parameters, [&](const auto& p) { return p.name == name.text; }) ||
            std::ranges::any_of(result_.functions, [&](const auto& f) { return f.name == name.text; });
        if (known) reader.refuse(name.span, "`{}` is defined twice", quotable(name.text));
    }

    void parameter(SyntaxReader& reader, ParameterStatement parameter) {
        if (!std::isfinite(parameter.value))
            reader.refuse(parameter.span, "`{}` is not a finite number", quotable(parameter.name));
        if (reader.accept("in")) range(reader, parameter);
        if (reader.at("["))
            parameter.unit = unit(reader);
        else if (parameter.low < parameter.high && is_unit(reader))
            parameter.unit = rest(reader);
        result_.parameters.push_back(std::move(parameter));
    }

    // Reads [low, high]. VisualPDE puts a step between them, which is skipped.
    void range(SyntaxReader& reader, ParameterStatement& parameter) {
        const TextSpan span = reader.peek().span;
        constexpr auto form = "a range is written `in [0, 1]`";
        reader.expect("[", form);
        parameter.low = reader.signed_number("a range's end");
        reader.expect(",", form);
        parameter.high = reader.signed_number("a range's end");
        if (reader.accept(",")) parameter.high = reader.signed_number("a range's end");
        parameter.range = join(span, reader.peek().span);
        reader.expect("]", form);
        if (!(parameter.low < parameter.high)) reader.refuse(span, "a range begins below its end");
        if (parameter.value < parameter.low || parameter.value > parameter.high)
            reader.refuse(parameter.span,
                          "`{}` is outside its range: {} is not in [{}, {}]",
                          quotable(parameter.name),
                          format_real(parameter.value),
                          format_real(parameter.low),
                          format_real(parameter.high));
    }

    std::string unit(SyntaxReader& reader) {
        const TextSpan open = reader.take().span;
        while (!reader.at("]") && !reader.at_end()) reader.take();
        if (reader.at_end()) reader.refuse(open, "a unit is written `[m^2/s]`: ']' is missing");
        const std::size_t begin = open.end, end = reader.take().span.begin;
        return result_.text.substr(begin, end - begin);
    }

    // Whether all that is left reads as a unit: m^2/s, 1/s.
    static bool is_unit(const SyntaxReader& reader) {
        std::size_t i = 0;
        for (; reader.peek(i).kind != TokenKind::stop; ++i) {
            const Token& token = reader.peek(i);
            const bool joins = token.kind == TokenKind::symbol &&
                               std::string_view("*/^-()").find(token.text) != std::string_view::npos;
            if (!joins && token.kind != TokenKind::name && token.kind != TokenKind::number) return false;
        }
        return i > 0 && reader.peek().kind != TokenKind::symbol;
    }

    std::string rest(SyntaxReader& reader) {
        const std::size_t begin = reader.peek().span.begin;
        std::size_t end = begin;
        while (!reader.at_end()) end = reader.take().span.end;
        return result_.text.substr(begin, end - begin);
    }

    void set(SyntaxReader& reader, const SettingRow& row, const Token& name) {
        const Token first = reader.peek();
        SettingStatement setting{std::string(row.name), "", 0, first.span};
        const auto refuse = [&] { reader.refuse(first.span, "`{}` is {}", row.name, row.allowed); };
        for (const SettingStatement& other : result_.settings)
            if (other.name == row.name && row.name != "sensitivity")
                reader.refuse(name.span, "`{}` is given twice", row.name);
        if (row.form == SettingForm::number || (row.form == SettingForm::time_step && !is_rule(reader))) {
            const std::optional<double> value = constant_value(reader.formula());
            if (!value || !(*value > 0) || !std::isfinite(*value)) refuse();
            setting.number = *value;
            setting.text = format_real(*value);
        } else if (row.form == SettingForm::time_step) {
            setting.text = joined(reader);
        } else if (row.form == SettingForm::formulas) {
            Syntax x = reader.formula();
            reader.expect(",", "the corner has two coordinates: `origin = -Lx/2, -Ly/2`");
            result_.origin = std::array{std::move(x), reader.formula()};
        } else if (row.form == SettingForm::condition) {
            setting.text = rest(reader);
        } else if (row.form == SettingForm::size) {
            setting.text = joined(reader);
            const auto extent = read_extent(setting.text);
            if (!extent) refuse();
            const bool line = setting.text.find('x') == std::string::npos;  // one row
            setting.text = fmt::format("{}x{}", extent->first, line ? 1 : extent->second);
        } else {
            if (first.kind != (row.form == SettingForm::word ? TokenKind::name : TokenKind::string)) refuse();
            const Token given = row.form == SettingForm::word ? word(reader) : reader.take();
            if (row.name == "show" && !reader.at_end()) refuse();
            setting.text = row.words ? spelt(row, given.text) : row.parse ? lower(given.text) : given.text;
            setting.span = given.span;
        }
        if (row.parse) setting.text = parsed(reader, row, setting);
        result_.settings.push_back(std::move(setting));
    }

    // A text may call something of its own `noise` or `mean`, which are settings only with their words.
    static bool is_setting(const SyntaxReader& reader, const SettingRow& row) {
        return (row.name != "noise" && row.name != "mean") ||
               (at_word(reader) && contains(names_of(row.words()), lower(reader.peek().text)));
    }

    // The derivative along x or y that a formula is, as the name of the field; empty: another formula.
    std::string slope_of(const Syntax& formula, char axis) const {
        const std::string along = std::string("d") + axis;
        if (formula.kind == SyntaxKind::name && formula.text.size() > 2 && !own_.contains(formula.text) &&
            formula.text.ends_with(std::string("_") + axis))
            return formula.text.substr(0, formula.text.size() - 2);
        if (formula.kind != SyntaxKind::call || formula.args[0].kind != SyntaxKind::name) return "";
        const std::string& name = formula.args[0].text;
        if (formula.text == along && formula.args.size() == 1) return name;
        return formula.text == "/" && reads_as(formula.args[1], along) && name.size() > 1 && name[0] == 'd'
                   ? name.substr(1)
                   : "";
    }

    // Writes derivatives across the side as the flux, which points outwards.
    Syntax with_flux(Syntax formula, Side side) const {
        const std::string field = slope_of(formula, side == Side::left || side == Side::right ? 'x' : 'y');
        if (!field.empty()) {
            const Syntax name{SyntaxKind::name, field, 0, 0, 0, {}, formula.span, 1};
            const Syntax flux = call_of("flux", {name});
            return side == Side::left || side == Side::top ? call_of("neg", {flux}) : flux;
        }
        for (Syntax& part : formula.args) part = with_flux(std::move(part), side);
        return formula;
    }

    void refuse_rate(const SyntaxReader& reader, const Syntax& formula) const {
        if (formula.kind == SyntaxKind::call && formula.text == "/" && reads_as(formula.args[1], "dt") &&
            formula.args[0].text.size() > 1 && formula.args[0].text[0] == 'd' &&
            !own_.contains(formula.args[0].text))
            reader.refuse(formula.span,
                          "a side has a value or a flux, and no rate: write what the rate comes to, such as "
                          "`left: {} = 100*t`",
                          quotable(formula.args[0].text.substr(1)));
        for (const Syntax& part : formula.args) refuse_rate(reader, part);
    }

    // Takes a word, hyphens included, as in "no-flux", and a number, as in "rkl2:9".
    static Token word(SyntaxReader& reader) {
        Token word = reader.take();
        while (reader.at("-") && reader.at_name(1)) {
            reader.take();
            const Token next = reader.take();
            word.text += "-" + next.text;
            word.span = join(word.span, next.span);
        }
        if (reader.at(":") && reader.peek(1).kind == TokenKind::number) {
            reader.take();
            const Token next = reader.take();
            word.text += ":" + next.text;
            word.span = join(word.span, next.span);
        }
        return word;
    }

    // Whether a word, hyphens included, is all that is left.
    static bool at_word(const SyntaxReader& reader) {
        std::size_t end = 1;
        while (reader.at("-", end) && reader.at_name(end + 1)) end += 2;
        return reader.at_name() && reader.peek(end).kind == TokenKind::stop;
    }

    // Whether a time step is a share of the limit, or chosen by a tolerance.
    static bool is_rule(const SyntaxReader& reader) {
        return reader.at("limit") || reader.at("limit", 1) || reader.at(":", 1);
    }

    // All that is left, without spaces.
    std::string joined(SyntaxReader& reader) {
        std::string text = rest(reader);
        std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n'; });
        return text;
    }

    void sides(SyntaxReader& reader) {
        std::vector<std::pair<Side, TextSpan>> at;
        std::optional<TextSpan> edge;
        do {
            const Token name = reader.take();
            if (lower(name.text) == kEdge) {
                edge = name.span;
                continue;
            }
            const auto& names = side_names();
            const auto row = std::ranges::find(names, lower(name.text), &SideName::name);
            if (row == names.end())
                reader.refuse(
                    name.span,
                    "before ':' stands a side: left, right, top, bottom, x (left and right), y or all; or "
                    "edge, for the edge of `inside`");
            for (const Side side : row->sides) at.emplace_back(side, name.span);
        } while (reader.accept(","));
        if (edge && !at.empty())
            reader.refuse(*edge, "the edge of `inside` has a statement of its own, such as `edge: u = 1`");
        reader.expect(":", "a condition at a side is written `left: u = 1`");
        SideStatement statement;
        if (at_word(reader)) {
            statement.word = lower(word(reader).text);
        } else {
            statement.left = reader.formula();
            reader.expect(
                "=", "a condition at a side is an equation, such as `left: u = 1` or `top: flux(u) = 0`");
            statement.right = reader.formula();
            refuse_rate(reader, statement.left);
            refuse_rate(reader, statement.right);
        }
        statement.named = int(at.size());
        statement.statement = result_.places.size() - 1;
        if (edge) {
            statement.side = Side::edge;
            statement.span = *edge;
            result_.edges.push_back(statement);
        }
        for (const auto& [side, span] : at) {
            SideStatement& one = result_.sides.emplace_back(statement);
            one.side = side;
            one.span = span;
            one.left = with_flux(std::move(one.left), side);
            if (one.left.text == "neg" && one.left.args[0].text == "flux") {
                one.left = Syntax(one.left.args[0]);
                one.right = *negative_of(std::move(one.right));
            }
        }
    }

    static std::string parsed(const SyntaxReader& reader,
                              const SettingRow& row,
                              const SettingStatement& setting) {
        try {
            return row.parse(setting.text);
        } catch (const InputError& error) {
            reader.refuse(setting.span, "`{}`: {}", row.name, error.sentence());
        }
    }

    // A word in the letters of its row, or in small ones where there is none.
    static std::string spelt(const SettingRow& row, const std::string& given) {
        for (const SettingWord& word : row.words())
            for (std::string name : {word.name, word.name + std::string(kReversed)})
                if (lower(name) == lower(given)) return name;
        return lower(given);
    }

    static std::string lower(std::string text) {
        for (char& c : text)
            if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
        return text;
    }

    std::vector<Token> tokens_;
    std::set<std::string> own_, mentioned_;  ///< names that statements are about, and all names
    std::optional<SettingStatement> dy_;
    Statements result_;
};

}  // namespace

std::string_view setting_name(std::string_view written) {
    return written == "stepper" ? "integrator" : written;
}

std::span<const SettingRow> setting_rows() {
    return kSettings;
}

std::vector<std::string> side_words() {
    return names_of(side_names());
}

std::array<std::string, 2> parts_of(std::string_view complex_name) {
    return {fmt::format("{}_re", complex_name), fmt::format("{}_im", complex_name)};
}

std::string Statements::value(std::string_view setting) const {
    const auto stated = std::ranges::find(settings, setting, &SettingStatement::name);
    return stated == settings.end() ? "" : stated->text;
}

std::string rate_name(std::string_view component) {
    return fmt::format("{}_t", component);
}

bool is_complex(const Statements& statements, std::string_view name) {
    return contains(names_of(statements.complex), name);
}

std::vector<std::string> component_names(const Statements& statements) {
    std::vector<std::string> names;
    for (const Evolution& e : statements.evolutions)
        if (is_complex(statements, e.component))
            for (std::string& part : parts_of(e.component)) names.push_back(std::move(part));
        else
            names.push_back(e.component);
    return names;
}

Statements read_statements(std::string_view text) {
    return StatementReader(text, read_tokens(text)).read(false);
}

Statements readable_statements(std::string_view text) {
    return StatementReader(text, readable_tokens(text)).read(true);
}

std::optional<double> constant_value(const Syntax& formula) {
    if (formula.kind == SyntaxKind::number) return formula.number;
    if (formula.kind == SyntaxKind::name && formula.text == "pi") return std::numbers::pi;
    if (formula.kind != SyntaxKind::call) return std::nullopt;
    std::array<double, 2> v{};
    if (formula.args.empty() || formula.args.size() > v.size()) return std::nullopt;
    for (std::size_t i = 0; i < formula.args.size(); ++i) {
        const auto value = constant_value(formula.args[i]);
        if (!value) return std::nullopt;
        v[i] = *value;
    }
    const std::string& f = formula.text;
    if (formula.args.size() == 1)
        return f == "neg"    ? std::optional(-v[0])
               : f == "sqrt" ? std::optional(std::sqrt(v[0]))
                             : std::nullopt;
    if (f == "+") return v[0] + v[1];
    if (f == "-") return v[0] - v[1];
    if (f == "*") return v[0] * v[1];
    if (f == "/") return v[0] / v[1];
    if (f == "^") return std::pow(v[0], v[1]);
    return std::nullopt;
}

}  // namespace stencil::equation
