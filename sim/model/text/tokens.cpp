#include "sim/model/text/tokens.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           static_cast<unsigned char>(c) >= 0x80;
}

// Signs that are replaced by ASCII: mathematical operators, exponents and non-breaking spaces.
constexpr auto kSigns = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"−", "-"},
    {"–", "-"},
    {"×", "*"},
    {"·", "*"},
    {"⋅", "*"},
    {"÷", "/"},
    {"²", "^2"},
    {"³", "^3"},
    {"⁴", "^4"},
    {"⁵", "^5"},
    {"≤", "<="},
    {"≥", ">="},
    {"≠", "!="},
    {"∧", "and"},
    {"∨", "or"},
    {"¬", "not"},
    {"∇²", "lap"},
    {"∇^2", "lap"},
    {"∇⁴", "lap2"},
    {"∇^4", "lap2"},
    {"∇·", "div"},
    {"∇⋅", "div"},
    {"∇", "grad"},
    {"π", "pi"},
    {"\\nabla^2", "lap"},
    {"\\nabla^4", "lap2"},
    {"\\nabla\\cdot", "div"},
    {"\\nabla", "grad"},
    {"\\Delta", "lap"},
    {"\\cdot", "*"},
    {"\\pi", "pi"},
    {"’", "'"},
    {"′", "'"},
    {"**", "^"},
    {"&&", "and"},
    {"||", "or"},
    {"\u00a0", " "},
    {"\u2009", " "},
    {"\u202f", " "},
    {"\ufeff", " "},
    {"<=", "<="},
    {">=", ">="},
    {"==", "=="},
    {"!=", "!="},
});
// Operators between two formulas; a statement continues over a line end before or after them.
constexpr auto kOperators =
    std::to_array<std::string_view>({"+", "-", "*", "/", "^", "<", ">", "<=", ">=", "==", "!=", "and", "or"});
constexpr std::string_view kSymbols = "+-*/^()[]{},=<>':!";

class TokenReader {
  public:
    explicit TokenReader(std::string_view text) : text_(text) {}

    /// `lenient`: leaves out characters that belong to no token.
    std::vector<Token> read(bool lenient) {
        if (!lenient && text_.size() > kMaxText)
            throw TextError(
                "", {}, "a model's text has at most {} bytes, this one {}", kMaxText, text_.size());
        if (!lenient && !is_utf8(text_))
            throw TextError("", {}, "a model's text is UTF-8, which this is not");
        // Other programs begin files with a byte order mark, which is read as a blank.
        const std::size_t mark = text_.starts_with("\ufeff") ? std::string_view("\ufeff").size() : 0;
        if (const auto control = first_control(text_.substr(mark)); !lenient && !control.empty()) {
            const std::size_t at = std::size_t(control.data() - text_.data());
            throw TextError(
                text_,
                {at, at + control.size()},
                "a text has no control or invisible characters but tabs and line ends: here is one");
        }
        while (at_ < text_.size()) try {
                next();
            } catch (const TextError& error) {
                if (!lenient) throw;
                at_ = std::max(at_ + 1, error.span().end);
            }
        stop();
        return std::move(tokens_);
    }

  private:
    void next() {
        const char c = text_[at_];
        if (c == '\n' || c == ';') {
            // A formula continues over line ends inside brackets and where an operator ends or begins a line.
            if (c == ';' || (depth_ == 0 && !goes_on())) stop();
            if (c == ';') depth_ = 0;
            ++at_;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at_;
            spaced_ = true;
        } else if (text_.substr(at_).starts_with("//")) {
            throw TextError(text_, {at_, at_ + 2}, "comments begin with #");
        } else if (c == '#') {
            at_ = std::min(text_.find('\n', at_), text_.size());
        } else if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            number();
        } else if (c == '"') {
            string();
        } else if (!sign() && !second_rate() && !name()) {
            symbol();
        }
    }

    void add(TokenKind kind, std::string text, std::size_t length, double number = 0) {
        tokens_.push_back(
            {kind, std::move(text), number, {at_, at_ + length}, std::exchange(spaced_, false)});
        at_ += length;
    }

    // Ends the statement right after the last token.
    void stop() {
        const std::size_t at = tokens_.empty() ? 0 : tokens_.back().span.end;
        tokens_.push_back({TokenKind::stop, "", 0, {at, at}, false});
    }

    // Comments may stand between the lines of a statement, too.
    bool goes_on() {
        if (at_ < goes_on_to_) return true;
        if (tokens_.empty() || tokens_.back().kind == TokenKind::stop) return false;
        std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
        while (next < text_.size() && text_[next] == '#')
            next = text_.find_first_not_of(" \t\r\n", std::min(text_.find('\n', next), text_.size()));
        if (next >= text_.size() || is_statement(next)) return false;
        const Token& last = tokens_.back();
        const bool begun = last.kind != TokenKind::string &&
                           (contains(kOperators, last.text) || last.text == "not" || last.text == "!");
        if (!begun && !begins_operator(next)) return false;
        goes_on_to_ = next;
        return true;
    }

    bool begins_operator(std::size_t at) const {
        const std::string_view rest = text_.substr(at);
        for (const auto& [typed, meant] : kSigns)
            if (rest.starts_with(typed)) return contains(kOperators, meant);
        std::size_t end = 0;
        while (end < rest.size() && (is_letter(rest[end]) || is_digit(rest[end]))) ++end;
        return contains(kOperators, rest.substr(0, std::max<std::size_t>(end, 1)));
    }

    // Whether the line that begins there contains a '=' itself, which makes it a statement.
    bool is_statement(std::size_t begin) const {
        const std::string_view line = text_.substr(begin, text_.find_first_of("\n;#", begin) - begin);
        int open = 0;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '(') ++open;
            if (line[i] == ')') --open;
            if (i == 0 || open > 0) continue;
            const bool longer = i + 1 < line.size() && line[i + 1] == '=';
            if (line[i] == '=' && !longer &&
                std::string_view("=<>!").find(line[i - 1]) == std::string_view::npos)
                return true;
        }
        return false;
    }

    void number() {
        double value = 0;
        const auto [end, problem] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        const std::size_t length = std::size_t(end - (text_.data() + at_));
        if (problem != std::errc{} || !std::isfinite(value))
            throw TextError(
                text_, {at_, at_ + length}, "a number is at most about 1.8e308 and at least 5e-324");
        add(TokenKind::number, std::string(text_.substr(at_, length)), length, value);
        take_float_suffix();
    }

    // Accepts "1.0f", as OpenCL and C write it.
    void take_float_suffix() {
        const bool suffix = at_ < text_.size() && (text_[at_] == 'f' || text_[at_] == 'F') &&
                            (at_ + 1 == text_.size() || begins_sign(at_ + 1) ||
                             (!is_letter(text_[at_ + 1]) && !is_digit(text_[at_ + 1])));
        if (suffix && tokens_.back().text.find_first_of(".eE") != std::string::npos) ++at_;
    }

    void string() {
        const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
        if (end == std::string_view::npos || text_[end] == '\n')
            throw TextError(text_, {at_, at_ + 1}, "a text in quotes ends on its line: '\"' is missing");
        add(TokenKind::string, std::string(text_.substr(at_ + 1, end - at_ - 1)), end + 1 - at_);
    }

    bool sign() {
        for (const auto& [typed, meant] : kSigns) {
            if (!text_.substr(at_).starts_with(typed)) continue;
            if (meant == " ") {
                at_ += typed.size();
                spaced_ = true;
                return true;
            }
            if (meant.size() == 2 && meant[0] == '^') {
                add(TokenKind::symbol, "^", 0);
                add(TokenKind::number, std::string(meant.substr(1)), typed.size(), meant[1] - '0');
            } else {
                add(is_letter(meant[0]) ? TokenKind::name : TokenKind::symbol,
                    std::string(meant),
                    typed.size());
            }
            return true;
        }
        return false;
    }

    // Reads d^2u/dt^2 and ∂²u/∂t² as d2u/dt2.
    bool second_rate() {
        using Pair = std::pair<std::string_view, std::string_view>;
        const std::string_view rest = text_.substr(at_);
        for (const auto& [over, under] :
             {Pair{"d^2", "dt^2"}, Pair{"d²", "dt²"}, Pair{"∂²", "∂t²"}, Pair{"∂^2", "∂t^2"}}) {
            if (!rest.starts_with(over)) continue;
            std::size_t end = over.size();
            while (end < rest.size() && (is_letter(rest[end]) || is_digit(rest[end]))) ++end;
            if (end == over.size() || !rest.substr(end).starts_with("/" + std::string(under))) continue;
            add(TokenKind::name, "d2" + std::string(rest.substr(over.size(), end - over.size())), end);
            add(TokenKind::symbol, "/", 1);
            add(TokenKind::name, "dt2", under.size());
            return true;
        }
        return false;
    }

    bool name() {
        if (!is_letter(text_[at_])) return false;
        std::size_t end = at_;
        while (end < text_.size() && (is_letter(text_[end]) || is_digit(text_[end])) && !begins_sign(end))
            ++end;
        std::string name(text_.substr(at_, end - at_));
        constexpr std::string_view partial = "∂", second = "∂²";
        if (text_.substr(at_).starts_with(second))
            throw TextError(text_,
                            {at_, at_ + second.size()},
                            "a second derivative is written `dxx(u)`, and `∂²u/∂x² + ∂²u/∂y²` is `lap(u)`");
        if (name.starts_with(partial)) name.replace(0, partial.size(), "d");
        add(TokenKind::name, std::move(name), end - at_);
        return true;
    }

    bool begins_sign(std::size_t at) const {
        return static_cast<unsigned char>(text_[at]) >= 0x80 &&
               std::ranges::any_of(kSigns,
                                   [&](const auto& row) { return text_.substr(at).starts_with(row.first); });
    }

    void symbol() {
        const char c = text_[at_];
        if (kSymbols.find(c) == std::string_view::npos) refuse_symbol(c);
        if (c == '(' || c == '[') ++depth_;
        if ((c == ')' || c == ']') && depth_ > 0) --depth_;
        add(TokenKind::symbol, std::string(1, c), 1);
    }

    [[noreturn]] void refuse_symbol(char c) const {
        std::string mend = "operators are + - * / ^ < > and or not";
        if (c == '?') mend = "`a ? b : c` is written `where(a, b, c)`";
        if (c == '|') mend = "`|u|` is written `abs(u)`, and what is one or the other `a or b`";
        if (c == '&') mend = "both are written `a and b`";
        const bool dotted = c == '.' && at_ > 0 && is_letter(text_[at_ - 1]) && at_ + 1 < text_.size() &&
                            is_letter(text_[at_ + 1]);
        if (dotted) mend = "functions stand by themselves, `sin(u)` for `np.sin(u)`";
        if (c == '%') mend = "the rest of a division is written `mod(a, b)`";
        throw TextError(
            text_, {at_, at_ + 1}, "'{}' has no meaning here: {}", printable(text_.substr(at_, 1)), mend);
    }

    std::string_view text_;
    std::size_t at_ = 0, goes_on_to_ = 0;
    int depth_ = 0;
    bool spaced_ = false;
    std::vector<Token> tokens_;
};

}  // namespace

std::vector<Token> read_tokens(std::string_view text) {
    return TokenReader(text).read(false);
}

std::vector<Token> readable_tokens(std::string_view text) {
    return TokenReader(text).read(true);
}

}  // namespace stencil::equation
