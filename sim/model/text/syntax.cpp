#include "sim/model/text/syntax.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

// Binary operators by precedence, loosest first; unary minus and powers bind tighter.
constexpr std::array<std::array<std::string_view, 6>, 5> kLevels{{
    {"or"},
    {"and"},
    {"<", ">", "<=", ">=", "==", "!="},
    {"+", "-"},
    {"*", "/"},
}};
constexpr int kComparisons = 2;

bool is_word(const Token& token) {
    return token.kind == TokenKind::name || token.kind == TokenKind::symbol;
}

int level_of(const Token& token) {
    if (!is_word(token)) return -1;
    for (std::size_t level = 0; level < kLevels.size(); ++level)
        if (!token.text.empty() && std::ranges::find(kLevels[level], token.text) != kLevels[level].end())
            return int(level);
    return -1;
}

std::string shown(const Token& token) {
    return token.kind == TokenKind::stop ? "the end of the statement"
                                         : fmt::format("'{}'", quotable(token.text));
}

// Moves formulas into a list.
template <class... Formulas>
std::vector<Syntax> list_of(Formulas&... formulas) {
    std::vector<Syntax> list;
    (list.push_back(std::move(formulas)), ...);
    return list;
}

// Operators that may precede a name without brackets, as in ∇²u.
bool is_prefix(const Token& token) {
    return token.text == "lap" || token.text == "lap2" || token.text == "grad" ||
           is_laplacian_sign(token.text);
}

}  // namespace

const Token& SyntaxReader::peek(std::size_t ahead) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool SyntaxReader::at(std::string_view symbol, std::size_t ahead) const {
    return is_word(peek(ahead)) && peek(ahead).text == symbol;
}

Token SyntaxReader::take() {
    const Token& token = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return token;
}

bool SyntaxReader::accept(std::string_view symbol) {
    if (!at(symbol)) return false;
    take();
    return true;
}

void SyntaxReader::expect(std::string_view symbol, const std::string& sentence) {
    if (!accept(symbol)) refuse(peek().span, sentence);
}

void SyntaxReader::expect_end() {
    if (at_end()) return;
    refuse_juxtaposed();
    if (at(")") || at("]"))
        refuse(peek().span, "'{}' closes nothing: an opening bracket is missing", peek().text);
    if (at(",") && at_ > 0 && tokens_[at_ - 1].kind == TokenKind::number && peek(1).kind == TokenKind::number)
        refuse(join(tokens_[at_ - 1].span, peek(1).span),
               "a number has a point: write `{}.{}`",
               tokens_[at_ - 1].text,
               peek(1).text);
    if (at("="))
        refuse(peek().span, "'=' stands once, after what a statement is about; to compare, write '=='");
    refuse(peek().span, "{} is not expected here; a statement ends with its line or with ';'", shown(peek()));
}

double SyntaxReader::signed_number(std::string_view what) {
    const bool negative = accept("-");
    if (!negative) accept("+");
    if (peek().kind != TokenKind::number) refuse(peek().span, "{} is a number, not {}", what, shown(peek()));
    const double value = take().number;
    return negative ? -value : value;
}

// Refuses products without `*` ("2u", ")(", "u v") and suggests the spelling with it.
void SyntaxReader::refuse_juxtaposed() const {
    if (at_ == 0) return;
    const Token& before = tokens_[at_ - 1];
    const Token& here = peek();
    const bool left =
        before.kind == TokenKind::number || before.kind == TokenKind::name || before.text == ")";
    const bool right = here.kind == TokenKind::number || here.kind == TokenKind::name || here.text == "(";
    if (!left || !right || level_of(here) >= 0) return;
    const auto written = [&](TextSpan span) { return text_.substr(span.begin, span.end - span.begin); };
    const TextSpan both = join(before.span, here.span);
    if (written(both).find('\n') != std::string_view::npos) return;
    const bool rate = here.text.starts_with("d") && at("/", 1) && at("dt", 2);
    if (rate || (here.kind == TokenKind::name && (at("=", 1) || at("'", 1))))
        refuse(here.span,
               "a statement ends with its line or with ';': write `; {} ...`",
               rate ? fmt::format("{}/dt =", quotable(here.text)) : quotable(here.text));
    if (here.text == "if") refuse(here.span, "`a if c else b` is written `where(c, a, b)`");
    std::string mend = fmt::format("`{}`: write `{}*{}`",
                                   quotable(written(both)),
                                   quotable(written(before.span)),
                                   quotable(written(here.span)));
    const bool perhaps_function = before.kind == TokenKind::name && before.text.size() > 2;
    if (perhaps_function && here.text != "(" && !is_prefix(here))
        mend += fmt::format(", or `{}({})` of a function", quotable(before.text), quotable(here.text));
    if (before.kind == TokenKind::number && here.kind == TokenKind::name && here.spaced) {
        TextSpan unit = here.span;  // m^2/s is one
        for (std::size_t i = at_ + 1; i + 1 < tokens_.size() && !tokens_[i].spaced; ++i)
            unit.end = tokens_[i].span.end;
        mend += fmt::format(", or `{} [{}]` with a unit", quotable(before.text), quotable(written(unit)));
    }
    refuse(both, mend);
}

Syntax SyntaxReader::make_call(std::string text, std::vector<Syntax> args, TextSpan span) const {
    Syntax call{SyntaxKind::call, std::move(text), 0, 0, 0, std::move(args), span, 1};
    for (const Syntax& argument : call.args) call.depth = std::max(call.depth, argument.depth + 1);
    if (call.depth > kMaxDepth)
        refuse(span, "a formula is at most {} operations deep: break it up by definitions", kMaxDepth);
    return call;
}

Syntax SyntaxReader::formula() {
    if (++open_ > kMaxDepth) refuse(peek().span, "brackets are at most {} deep", kMaxDepth);
    Syntax result = binary(0);
    --open_;
    return result;
}

Syntax SyntaxReader::binary(int level) {
    if (level == int(kLevels.size())) return unary();
    if (level == kComparisons && at("not")) return unary();
    Syntax left = binary(level + 1);
    const auto compares = [&] { return level == kComparisons && in_condition_ && at("="); };
    for (bool first = true; level_of(peek()) == level || compares(); first = false) {
        Token sign = take();
        if (sign.text == "=") sign.text = "==";
        if (level == kComparisons && !first)
            refuse(sign.span, "comparisons do not chain: write `a < b and b < c`");
        Syntax right = binary(level + 1);
        const TextSpan span = join(left.span, right.span);
        left = make_call(std::move(sign.text), list_of(left, right), span);
    }
    return left;
}

// Whether an OpenCL cast such as (float4) stands here, followed by an operand.
bool SyntaxReader::at_cast() const {
    const Token& next = peek(3);
    return at("(") && at_name(1) && is_float_type(peek(1).text) && at(")", 2) &&
           (next.kind == TokenKind::name || next.kind == TokenKind::number || at("(", 3) || at("-", 3)) &&
           level_of(next) != 0 && level_of(next) != 1;
}

Syntax SyntaxReader::unary() {
    while (at_cast())
        for (int i = 0; i < 3; ++i) take();
    std::string_view name;
    if (at("-")) name = "neg";
    if (at("not") || at("!")) name = "not";
    if (at("+") || !name.empty()) {
        if (++open_ > kMaxDepth) refuse(peek().span, "signs are at most {} in a row", kMaxDepth);
        const bool of_comparison = at("not");  // '!' binds as tightly as in C
        const TextSpan sign = take().span;
        Syntax of = of_comparison ? binary(kComparisons) : unary();
        --open_;
        if (name.empty()) return of;
        const TextSpan span = join(sign, of.span);
        return make_call(std::string(name), list_of(of), span);
    }
    return power();
}

Syntax SyntaxReader::power() {
    Syntax base = postfix();
    if (!at("^")) return base;
    if (++open_ > kMaxDepth) refuse(peek().span, "powers are at most {} in a row", kMaxDepth);
    take();
    Syntax exponent = unary();
    --open_;
    const TextSpan span = join(base.span, exponent.span);
    return make_call("^", list_of(base, exponent), span);
}

Syntax SyntaxReader::postfix() {
    Syntax result = primary();
    // A bracket after a number is a unit, not a neighbour.
    while (at("[") && result.kind != SyntaxKind::number && result.kind != SyntaxKind::imaginary)
        result = neighbour(std::move(result));
    return result;
}

// [[a, b], [c, d]], as matrix(a, b, c, d).
Syntax SyntaxReader::matrix() {
    constexpr auto form = "a matrix is written `[[a, b], [c, d]]`";
    const TextSpan open = take().span;
    std::vector<Syntax> entries;
    for (int row = 0; row < 2; ++row) {
        if (row > 0) expect(",", form);
        expect("[", form);
        entries.push_back(formula());
        expect(",", form);
        entries.push_back(formula());
        expect("]", form);
    }
    if (!at("]")) refuse(open, form);
    return make_call("matrix", std::move(entries), join(open, take().span));
}

Syntax SyntaxReader::primary() {
    if (at("(")) return bracket();
    if (at("[")) return matrix();
    if (peek().kind == TokenKind::number) {
        const Token token = take();
        Syntax number;
        number.number = token.number;
        number.text = token.text;
        number.span = token.span;
        if (at("i") && !peek().spaced && !at("(", 1) && !at("[", 1)) {
            number.kind = SyntaxKind::imaginary;
            number.span = join(token.span, take().span);
        }
        if ((at_name() && !peek().spaced && level_of(peek()) < 0)) refuse_juxtaposed();
        return number;
    }
    if (peek().kind == TokenKind::string) {
        Token token = take();
        return {SyntaxKind::string, std::move(token.text), 0, 0, 0, {}, token.span, 1};
    }
    if (!at_name() || level_of(peek()) >= 0)
        refuse(peek().span, "a number, a name or a bracket is missing before {}", shown(peek()));
    Token name = take();
    if (name.text == "lap" && at("^") && peek(1).kind == TokenKind::number && peek(1).number == 2) {
        take();
        take();
        name.text = "lap2";
    }
    if (at("(")) return arguments(std::move(name));
    const bool prefix = is_prefix(name) && (at_name() || at("("));
    if (prefix && level_of(peek()) < 0) {
        Syntax of = postfix();
        const TextSpan span = join(name.span, of.span);
        return make_call(is_laplacian_sign(name.text) ? "lap" : std::move(name.text), list_of(of), span);
    }
    return {SyntaxKind::name, std::move(name.text), 0, 0, 0, {}, name.span, 1};
}

// Consumes the bracket that closes the one at `open`, and returns its position.
TextSpan SyntaxReader::close(TextSpan open) {
    if (at(")")) return take().span;
    refuse_juxtaposed();
    if (at("=") && at_ > 0 && tokens_[at_ - 1].kind == TokenKind::name)
        refuse(
            join(tokens_[at_ - 1].span, peek().span),
            "`{} = ...` is not an argument: what holds at the sides is a statement of its own, `left: u = 0`",
            quotable(tokens_[at_ - 1].text));
    const std::size_t next = std::min(text_.find_first_not_of(" \t", peek().span.end), text_.size());
    const std::string_view behind = text_.substr(next, text_.find_first_of("=\n", next) - next);
    if (at_end() && behind.starts_with(";") && behind.find(')') != std::string_view::npos)
        refuse({next, next + 1},
               "';' ends a statement: different coefficients along x and y are `a*dxx(u) + b*dyy(u)`");
    refuse(open, "this bracket is never closed: ')' is missing before {}", shown(peek()));
}

Syntax SyntaxReader::bracket() {
    const TextSpan open = take().span;
    Syntax inside = formula();
    inside.span = join(open, close(open));
    return inside;
}

Syntax SyntaxReader::arguments(Token function) {
    const TextSpan open = take().span;
    std::vector<Syntax> args;
    if (!at(")")) {
        // In a condition '=' compares, as nothing else is meant.
        const bool outer = in_condition_, has_condition = function.text == "where" || function.text == "ind";
        do {
            in_condition_ = outer || (has_condition && args.empty());
            args.push_back(formula());
        } while (accept(","));
        in_condition_ = outer;
    }
    const TextSpan span = join(function.span, close(open));
    return make_call(std::move(function.text), std::move(args), span);
}

Syntax SyntaxReader::neighbour(Syntax of) {
    const TextSpan open = take().span;
    const int column = offset("x", "dx");
    expect(",", "a neighbour has two offsets: `u[+1,0]` is the cell to the right, `u[0,-1]` the one above");
    const int row = offset("y", "dy");
    if (!at("]")) refuse(open, "']' is missing before {}", shown(peek()));
    const TextSpan span = join(of.span, take().span);
    Syntax result = make_call("neighbour", list_of(of), span);
    result.kind = SyntaxKind::neighbour;
    result.column = column;
    result.row = row;
    return result;
}

// Reads a neighbour's offset: a number of cells, or "x + dx" and "x - 2*dx".
int SyntaxReader::offset(std::string_view coordinate, std::string_view spacing) {
    const TextSpan span = peek().span;
    const bool coordinates = accept(coordinate);
    if (coordinates && !at("+") && !at("-")) return 0;
    const bool spaced = coordinates && (at_name(1) || peek(1).kind == TokenKind::number);
    const double sign = spaced && take().text == "-" ? -1 : 1;
    const double value = spaced && at_name() ? sign : sign * signed_number("a neighbour's offset in cells");
    if (coordinates) {
        accept("*");
        if (!accept(spacing) && !accept("dx"))
            refuse(peek().span,
                   "a neighbour is `{}` and a number of cells times `{}` away",
                   coordinate,
                   spacing);
    }
    if (value != std::trunc(value) || std::abs(value) > kMaxReach)
        refuse(span, "a neighbour's offset is a whole number of cells from -{0} to {0}", kMaxReach);
    return int(value);
}

namespace {

// Precedence of the outermost operation, for to_text.
int binding(const Syntax& syntax) {
    if (syntax.kind == SyntaxKind::number) return syntax.number < 0 ? 5 : 8;
    if (syntax.kind != SyntaxKind::call) return 8;
    if (syntax.text == "^") return 6;
    if (syntax.text == "neg") return 5;
    if (syntax.text == "not") return 2;
    for (std::size_t level = 0; level < kLevels.size(); ++level)
        if (std::ranges::find(kLevels[level], syntax.text) != kLevels[level].end()) return int(level);
    return 8;
}

std::string in_brackets(const Syntax& syntax, int at_least) {
    return binding(syntax) < at_least ? "(" + to_text(syntax) + ")" : to_text(syntax);
}

}  // namespace

bool is_laplacian_sign(std::string_view name) {
    return name == "Delta" || name == "Δ" || name == "∆";
}

bool is_float_type(std::string_view name) {
    return name == "float" || name == "float4" || name == "double" || name == "double4";
}

Syntax read_formula(std::string_view text) {
    const std::vector<Token> tokens = read_tokens(text);
    SyntaxReader reader(text, tokens);
    Syntax formula = reader.formula();
    reader.expect_end();
    const auto stop = std::ranges::find(tokens, TokenKind::stop, &Token::kind);
    const auto more =
        std::find_if(stop, tokens.end(), [](const Token& token) { return token.kind != TokenKind::stop; });
    if (more != tokens.end()) reader.refuse(more->span, "this is one formula, and no statement follows it");
    return formula;
}

bool mentions(const Syntax& formula, std::string_view name) {
    const auto is = [](const Syntax& part, std::string_view own) {
        return part.kind == SyntaxKind::name && part.text == own;
    };
    if (formula.text == "/" && is(formula.args[1], "dn") && is(formula.args[0], "d" + std::string(name)))
        return true;
    return is(formula, name) ||
           std::ranges::any_of(formula.args, [&](const Syntax& part) { return mentions(part, name); });
}

std::string to_text(const Syntax& syntax) {
    if (syntax.kind == SyntaxKind::number) return format_real(syntax.number);
    if (syntax.kind == SyntaxKind::imaginary) return format_real(syntax.number) + "i";
    if (syntax.kind == SyntaxKind::name) return syntax.text;
    if (syntax.kind == SyntaxKind::string) return '"' + syntax.text + '"';
    if (syntax.kind == SyntaxKind::neighbour)
        return fmt::format("{}[{:+d},{:+d}]", in_brackets(syntax.args[0], 8), syntax.column, syntax.row);
    const int own = binding(syntax);
    if (syntax.text == "neg") return "-" + in_brackets(syntax.args[0], own);
    if (syntax.text == "not") return "not " + in_brackets(syntax.args[0], own + 1);
    if (syntax.text == "^") return in_brackets(syntax.args[0], 7) + "^" + in_brackets(syntax.args[1], 5);
    if (own < 8) {
        const std::string left = in_brackets(syntax.args[0], own == kComparisons ? own + 1 : own),
                          right = in_brackets(syntax.args[1], own + 1);
        return own == 4 ? left + syntax.text + right : left + " " + syntax.text + " " + right;
    }
    std::string text = syntax.text + "(";
    for (const Syntax& argument : syntax.args)
        text += (&argument == syntax.args.data() ? "" : ", ") + to_text(argument);
    return text + ")";
}

}  // namespace stencil::equation
