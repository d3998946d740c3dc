#include "sim/import/ready_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <utility>

#include "sim/model/text/statements.h"
#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil::import {
namespace {

constexpr std::string_view kRate = "delta_";
constexpr std::size_t kMostStatements = 400;
constexpr std::size_t kMostRepeated = 200'000;  // limit of the pieces in the bodies of loops
constexpr int kDeepestCode = 100, kMostBranches = 60;

bool is_type(const Piece& piece) {
    static constexpr auto kTypes = std::to_array<std::string_view>(
        {"float", "float2", "float4", "float8", "double", "double4", "half", "const"});
    return piece.is_name() && contains(kTypes, piece.text);
}

using Row = std::pair<std::string_view, std::string_view>;

// Derivatives, by what stands before `_a` in a stencil's name. Ready's y axis points up; north is the row
// above in both programs.
constexpr auto kStencils = std::to_array<Row>({
    {"laplacian", "lap({0})"},
    {"x_gradient", "dx({0})"},
    {"y_gradient", "(-dy({0}))"},
    {"x_deriv2", "dxx({0})"},
    {"y_deriv2", "dyy({0})"},
    {"x_deriv3", "dx(dxx({0}))"},
    {"y_deriv3", "(-dy(dyy({0})))"},
    {"gradient_mag_squared", "grad2({0})"},
});

// Empty if it is no derivative.
std::string derivative_of(std::string_view kind, const std::string& u) {
    for (const auto& [theirs, ours] : kStencils)
        if (kind == theirs) return fmt::format(fmt::runtime(ours), u);
    return {};
}

// The bilaplacian as a sum over cells. (Ready's other sums, such as sobelN_u, exist here under the same
// names.) Isotropic, over 5x5 cells: Patra and Karttunen, Numerical Methods for Partial Differential
// Equations 22 (2006).
std::string bilaplacian_of(const std::string& u) {
    constexpr std::array kWeights{36, -10, -2, 0, 1, 1, 0, 0, 0};  // by the squared distance of the cell
    std::string sum;
    for (int row = -2; row <= 2; ++row)
        for (int column = -2; column <= 2; ++column) {
            const int weight = kWeights[std::size_t(row * row + column * column)];
            if (weight == 0) continue;
            sum += weight < 0 ? (sum.empty() ? "-" : " - ") : sum.empty() ? "" : " + ";
            if (std::abs(weight) != 1) sum += std::to_string(std::abs(weight)) + '*';
            sum += column == 0 && row == 0 ? u : fmt::format("{}[{:+d},{:+d}]", u, column, row);
        }
    return fmt::format("({})/(3*dx^4)", sum);
}

// Whether it is the position of a neighbour, such as n2e.
bool is_compass(std::string_view way) {
    for (std::size_t i = 0; i < way.size(); ++i) {
        if (std::string_view("nsew").find(way[i]) == way.npos) return false;
        if (i + 1 < way.size() && way[i + 1] >= '1' && way[i + 1] <= '8') ++i;
    }
    return !way.empty();
}

// Limits the recursion by which blocks, indices and branches are read.
void require_shallow(Pieces pieces) {
    int depth = 0, deepest = 0, branches = 0;
    for (const Piece& piece : pieces) {
        if (piece.is("(") || piece.is("[") || piece.is("{")) deepest = std::max(deepest, ++depth);
        if (piece.is(")") || piece.is("]") || piece.is("}")) --depth;
        if (piece.is_name() && (piece.text == "if" || piece.text == "for")) ++branches;
    }
    if (deepest > kDeepestCode) throw InputError("its formula is nested too deeply");
    if (branches > kMostBranches)
        throw InputError("its formula has more than {} branches and loops", kMostBranches);
}

// The index after a statement, i.e. of its semicolon, or after a block.
std::size_t end_of_statement(Pieces pieces, std::size_t at) {
    if (pieces[at].is("{")) return closing(pieces, at) + 1;
    while (at < pieces.size() && !pieces[at].is(";"))
        at =
            pieces[at].is("(") || pieces[at].is("[") || pieces[at].is("{") ? closing(pieces, at) + 1 : at + 1;
    return at;
}

// Requires an opening bracket and returns the index of the one that closes it.
std::size_t closing_of(Pieces pieces, std::size_t at) {
    if (at >= pieces.size() || !pieces[at].is("("))
        throw InputError("'(' is missing in '{}'", quotable(joined(pieces).substr(0, 60)));
    return closing(pieces, at);
}

// The index after the body of an `if` or a loop; the body may itself be an `if` or a loop.
std::size_t end_of_body(Pieces pieces, std::size_t at) {
    if (at >= pieces.size()) throw InputError("its formula ends before the body of an `if` or a loop");
    if (!pieces[at].is_name() || (pieces[at].text != "if" && pieces[at].text != "for"))
        return end_of_statement(pieces, at);
    std::size_t end = end_of_body(pieces, closing_of(pieces, at + 1) + 1);
    const std::size_t next = end < pieces.size() && pieces[end].is(";") ? end + 1 : end;
    if (pieces[at].text == "if" && next < pieces.size() && pieces[next].is_name() &&
        pieces[next].text == "else")
        end = end_of_body(pieces, next + 1);
    return end;
}

// A sum of products of whole numbers, such as 2*3 + 1.
std::optional<int> whole_of(Pieces pieces) {
    constexpr int kLargest = 1000;
    return whole_number(
        equation::constant_value(equation::read_formula(joined(pieces))), -kLargest, kLargest);
}

// Turns elements of arrays into variables: g[2] is g_at_2. Of a declared array only the name remains.
std::vector<Piece> without_arrays(Pieces pieces) {
    std::vector<Piece> plain;
    const bool declares = !pieces.empty() && is_type(pieces.front());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        plain.push_back(pieces[i]);
        if (!pieces[i].is_name() || i + 1 >= pieces.size() || !pieces[i + 1].is("[")) continue;
        const std::size_t end = closing(pieces, i + 1);
        const std::vector<Piece> inner = without_arrays(pieces.subspan(i + 2, end - i - 2));
        const auto index = whole_of(inner);
        if (!index || *index < 0)
            throw InputError("its formula has an array whose index is not a number, '{}'",
                             quotable(joined(pieces).substr(0, 60)));
        const bool whole = declares && (end + 1 == pieces.size() || pieces[end + 1].is(",")) &&
                           (i == 0 || pieces[i - 1].is(",") || is_type(pieces[i - 1]));
        if (!whole) plain.back().text += fmt::format("_at_{}", *index);
        i = end;
    }
    return plain;
}

// Index of the colon that belongs to the `?` preceding the pieces.
std::size_t colon_of(Pieces pieces) {
    int depth = 0;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (pieces[i].is("(") || pieces[i].is("[")) i = closing(pieces, i);
        if (pieces[i].is("?")) ++depth;
        if (pieces[i].is(":") && depth-- == 0) return i;
    }
    throw InputError("a `?` has no `:`, in '{}'", quotable(joined(pieces).substr(0, 80)));
}

}  // namespace

CodeReader::CodeReader(std::vector<std::string> chemicals, const std::vector<std::string>& parameters)
    : chemicals_(std::move(chemicals)) {
    for (const std::string& one : chemicals_) names.of(one);
    for (const std::string& one : parameters) names.of(one);
}

bool CodeReader::is_chemical(std::string_view name) const {
    return contains(chemicals_, name);
}

bool CodeReader::has_value(const std::string& name) const {
    return now_.contains(name) || is_chemical(name) || is_rate(name) || names.knows(name);
}

bool CodeReader::is_rate(std::string_view name) const {
    return name.starts_with(kRate) && is_chemical(name.substr(kRate.size()));
}

void CodeReader::read(std::string_view code) {
    const std::vector<Piece> all = pieces_of(code);
    require_brackets(all);
    require_shallow(all);
    statements(all);
}

// Reads statements one after the other.
void CodeReader::statements(Pieces pieces) {
    for (std::size_t at = 0; at < pieces.size();) {
        if (pieces[at].is(";")) {
            ++at;
        } else if (pieces[at].is_name() && pieces[at].text == "if") {
            at = branch(pieces, at);
        } else if (pieces[at].is_name() && pieces[at].text == "for") {
            at = loop(pieces, at);
        } else {
            const std::size_t end = end_of_statement(pieces, at);
            if (pieces[at].is("{")) {
                outer_.emplace_back();
                statements(pieces.subspan(at + 1, end - at - 2));
                for (const auto& [target, own] : outer_.back())
                    if (own.empty())
                        now_.erase(target);
                    else
                        now_[target] = own;
                outer_.pop_back();
            } else
                statement(pieces.subspan(at, end - at));
            at = end;
        }
    }
}

// Both branches are computed, and each cell uses the values of the branch that it takes.
std::size_t CodeReader::branch(Pieces pieces, std::size_t at) {
    const std::size_t close = closing_of(pieces, at + 1);
    const std::string own = names.fresh("branch");
    definitions_.push_back(
        fmt::format("{} = ind({})", own, condition(pieces.subspan(at + 2, close - at - 2))));
    std::size_t end = end_of_body(pieces, close + 1);
    in_case(own + " > 0", pieces.subspan(close + 1, end - close - 1));
    while (end < pieces.size() && pieces[end].is(";")) ++end;
    if (end == pieces.size() || !pieces[end].is_name() || pieces[end].text != "else") return end;
    const std::size_t other = end_of_body(pieces, end + 1);
    in_case(own + " <= 0", pieces.subspan(end + 1, other - end - 1));
    return other;
}

void CodeReader::in_case(const std::string& condition, Pieces body) {
    conditions_.push_back(condition);
    statements(body);
    conditions_.pop_back();
}

// for (int i = 0; i < 5; i++): the body is read once for each number.
std::size_t CodeReader::loop(Pieces pieces, std::size_t at) {
    const std::size_t close = closing_of(pieces, at + 1), end = end_of_body(pieces, close + 1);
    const auto head = split_at(pieces.subspan(at + 2, close - at - 2), ";");
    const Pieces body = pieces.subspan(close + 1, end - close - 1);
    const auto refuse = [&] {
        throw InputError("its formula has a loop that does not count from a number to a number, '{}'",
                         quotable(joined(pieces.subspan(at, close + 1 - at)).substr(0, 60)));
    };
    if (head.size() != 3) refuse();
    const Pieces first = head[0].empty() || head[0][0].text != "int" ? head[0] : head[0].subspan(1);
    if (first.size() < 3 || !first[0].is_name() || !first[1].is("=")) refuse();
    const std::string& name = first[0].text;
    const auto begin = whole_of(first.subspan(2));
    const Pieces test = head[1], more = head[2];
    const bool counts = more.size() == 2 && ((more[0].text == name && more[1].is("++")) ||
                                             (more[0].is("++") && more[1].text == name));
    if (!begin || !counts || test.size() < 3 || test[0].text != name) refuse();
    auto last = whole_of(test.subspan(2));
    if (!last || !(test[1].is("<") || test[1].is("<=") || test[1].is("!="))) refuse();
    if (!test[1].is("<=")) --*last;
    for (int i = *begin; i <= *last; ++i) {
        repeated_ += body.size();
        if (repeated_ > kMostRepeated) throw InputError("its formula has loops that are too long");
        std::vector<Piece> copy(body.begin(), body.end());
        for (Piece& piece : copy)
            if (piece.is_name() && piece.text == name)
                piece = {Piece::Kind::number, std::to_string(i), piece.spaced};
        if (++statements_ > kMostStatements)
            throw InputError("its formula has more than {} statements", kMostStatements);
        statements(copy);
    }
    return end;
}

void CodeReader::statement(Pieces pieces) {
    const std::string shown = quotable(joined(pieces).substr(0, 60));
    if (++statements_ > kMostStatements)
        throw InputError("its formula has more than {} statements", kMostStatements);
    for (const char* word : {"else", "while", "return", "do", "switch", "break", "continue"})
        if (mentions(pieces, word))
            throw InputError("its formula has `{}`, control flow, in '{}'", word, shown);
    const std::vector<Piece> plain = without_arrays(pieces);
    pieces = plain;
    bool declared = false, integer = false;
    while (!pieces.empty() && (is_type(pieces.front()) || pieces.front().text == "int")) {
        integer = integer || pieces.front().text == "int";
        pieces = pieces.subspan(1);
        declared = true;
    }
    for (const Pieces one : declared ? split_at(pieces, ",") : std::vector{pieces}) {
        if (one.empty() || !one[0].is_name()) throw InputError("'{}' is not an assignment", shown);
        const std::string& target = one[0].text;
        if (declared) declare(target, integer);
        if (declared && one.size() == 1) continue;  // also the name of an array
        if (one.size() < 3) throw InputError("'{}' is not an assignment", shown);
        std::string text = write(one.subspan(2));
        for (const char op : {'+', '-', '*', '/'})
            if (one[1].is(std::string{op, '='})) {
                const std::string before = name(target);
                text = op == '+' || (op == '-' && pieces_of(text).size() == 1)
                           ? fmt::format("{} {} {}", before, op, text)
                           : fmt::format("{} {} ({})", before, op, text);
            } else if (!one[1].is("=") && op == '+' && one[1].text.size() != 2) {
                throw InputError("'{}' is not an assignment", shown);
            }
        if (is_integer(target)) {
            const auto value = conditions_.empty() ? whole_of(pieces_of(text)) : std::nullopt;
            if (!value)
                throw InputError("its formula has an int that is not a number of its own, '{}'", shown);
            now_[target] = *value < 0 ? fmt::format("({})", *value) : std::to_string(*value);
            continue;
        }
        assign(target, std::move(text));
    }
}

// A variable that is declared in a block hides one of the same name until the block's end.
void CodeReader::declare(const std::string& target, bool integer) {
    const auto now = now_.find(target);
    if (!outer_.empty()) outer_.back().emplace(target, now == now_.end() ? "" : now->second);
    if (now != now_.end()) now_.erase(now);
    if (integer) now_[target] = "0";
}

bool CodeReader::is_integer(std::string_view name) const {
    const auto now = now_.find(name);
    return now != now_.end() &&
           (std::isdigit(static_cast<unsigned char>(now->second[0])) != 0 || now->second[0] == '(');
}

void CodeReader::assign(const std::string& target, std::string text) {
    const std::string of = is_rate(target) ? target.substr(kRate.size()) : target;
    const std::string wish = is_rate(target)       ? "rate_" + of
                             : is_chemical(target) ? of + "_1"
                             : names.knows(target) ? target + "_2"
                                                   : "";
    for (auto condition = conditions_.rbegin(); condition != conditions_.rend(); ++condition)
        text = fmt::format("where({}, {}, {})", *condition, text, has_value(target) ? name(target) : "0");
    const std::string own = wish.empty() ? names.of(target) : names.fresh(wish);
    definitions_.push_back(fmt::format("{} = {}", own, text));
    now_[target] = own;
}

// C accepts a number as a condition: whether it is not 0.
std::string CodeReader::condition(Pieces pieces) {
    if (split_at(pieces, "?").size() > 1) return write(pieces) + " != 0";
    for (const auto& [sign, word] : {Row{"||", " or "}, Row{"&&", " and "}})
        if (const auto parts = split_at(pieces, sign); parts.size() > 1) {
            std::string text;
            for (const Pieces part : parts) text += (text.empty() ? "" : std::string(word)) + condition(part);
            return text;
        }
    const auto in_brackets = [](Pieces all) {
        return !all.empty() && all[0].is("(") && closing(all, 0) + 1 == all.size();
    };
    if (in_brackets(pieces)) return '(' + condition(pieces.subspan(1, pieces.size() - 2)) + ')';
    if (!pieces.empty() && pieces[0].is("!")) {
        const Pieces rest = pieces.subspan(1);
        if (in_brackets(rest)) return "not " + condition(rest);
        if (!is_condition(rest)) return write(rest) + " == 0";
    }
    return is_condition(pieces) || pieces.empty() ? write(pieces) : write(pieces) + " != 0";
}

bool CodeReader::is_whole(Pieces pieces) const {
    return std::ranges::all_of(pieces, [&](const Piece& piece) {
        const bool number =
            piece.kind == Piece::Kind::number && piece.text.find_first_of(".eE") == std::string::npos;
        const bool sign = piece.kind == Piece::Kind::symbol &&
                          std::string_view("+-*/()").find(piece.text) != std::string_view::npos;
        return number || sign || is_integer(piece.text);
    });
}

// The quotient of two constant formulas of whole numbers, which C rounds towards 0; empty if one is not
// constant.
std::optional<std::string> CodeReader::whole_quotient(const std::string& above, Pieces below) {
    const auto a = equation::constant_value(equation::read_formula(above));
    const auto b = equation::constant_value(equation::read_formula(write(below)));
    if (!a || !b) return std::nullopt;
    if (*b == 0) throw InputError("its formula divides {} by 0", quotable(above));
    return fmt::format("{}", std::trunc(*a / *b) + 0.0);
}

std::string CodeReader::write(Pieces pieces) {
    if (++deep_ > kDeepestCode) throw InputError("its formula is nested too deeply");
    if (const auto choice = split_at(pieces, "?"); choice.size() > 1) {
        const Pieces rest = pieces.subspan(choice[0].size() + 1);
        const std::size_t colon = colon_of(rest);
        std::string text = fmt::format("where({}, {}, {})",
                                       condition(choice[0]),
                                       write(rest.subspan(0, colon)),
                                       write(rest.subspan(colon + 1)));
        --deep_;
        return text;
    }
    std::string text;
    std::size_t in_text = 0;  // where the current product begins
    bool whole = true;        // whether all its factors are whole numbers
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const std::size_t begin = i;
        const Piece& piece = pieces[i];
        std::string one = piece.text;
        if (piece.is("/") && i + 1 < pieces.size()) {
            const std::size_t end = (pieces[i + 1].is("(") ? closing(pieces, i + 1) : i + 1) + 1;
            const bool call = end < pieces.size() && pieces[end].is("(");
            const Pieces below = pieces.subspan(i + 1, end - i - 1);
            if (const auto quotient = whole && !call && in_text < text.size() && is_whole(below)
                                          ? whole_quotient(text.substr(in_text), below)
                                          : std::nullopt) {
                text.replace(text.find_first_not_of(' ', in_text), text.size(), *quotient);
                i = end - 1;
                continue;
            }
        }
        // A cast has no effect here.
        const bool cast =
            piece.is("(") && i + 2 < pieces.size() && is_type(pieces[i + 1]) && pieces[i + 2].is(")");
        if (piece.is("(") && i + 2 < pieces.size() && pieces[i + 1].text == "int" && pieces[i + 2].is(")"))
            throw InputError("its formula rounds by (int), in '{}'", quotable(joined(pieces).substr(0, 80)));
        if (cast) {
            whole = false;
            i += 2;
            continue;
        }
        if (piece.is_name() && i + 1 < pieces.size() && pieces[i + 1].is("(")) {
            const std::size_t end = closing(pieces, i + 1);
            one = call(piece.text, pieces.subspan(i + 2, end - i - 2));
            i = end;
        } else if (piece.is("(")) {
            const std::size_t end = closing(pieces, i);
            one = '(' + write(pieces.subspan(i + 1, end - i - 1)) + ')';
            i = end;
        } else if (piece.is_name()) {
            one = name(piece.text);
        } else if (piece.is("&&") || piece.is("||")) {
            one = piece.is("&&") ? " and " : " or ";
        } else if (piece.is("!")) {
            one = " not ";
        } else if (piece.is("=") || piece.is(";") || piece.is("\"") || piece.is("#") || piece.is("%") ||
                   piece.is("&") || piece.is("|") || piece.is("{") || piece.is("}") || piece.is("[") ||
                   piece.is(":")) {
            throw InputError("'{}' has no meaning in a formula here, '{}'",
                             piece.text,
                             quotable(joined(pieces).substr(0, 80)));
        }
        if (piece.spaced && !text.empty() && !text.ends_with(' ')) text += ' ';
        if (text.ends_with(' ') && one.starts_with(' ')) one.erase(0, 1);
        text += one;
        if (piece.kind == Piece::Kind::symbol && !piece.is("*") && !piece.is("/") && !piece.is("(")) {
            in_text = text.size();
            whole = true;
        } else {
            whole = whole && is_whole(pieces.subspan(begin, i + 1 - begin));
        }
    }
    --deep_;
    return text;
}

std::string CodeReader::call(const std::string& function, Pieces arguments) {
    if (is_type({Piece::Kind::name, function, false})) return '(' + write(arguments) + ')';
    std::string text = function == "fabs" ? "abs(" : function + '(';
    bool first = true;
    for (const Pieces argument : split_at(arguments, ",")) {
        text += (first ? "" : ", ") + write(argument);
        first = false;
    }
    return text + ')';
}

std::string CodeReader::name(const std::string& name) {
    if (const auto now = now_.find(name); now != now_.end()) return now->second;
    if (is_rate(name)) return "0";
    if (is_chemical(name) || names.knows(name)) return names.of(name);
    if (name == "timestep") return "dt";
    if (name == "x_pos") return "((x - dx/2)/Lx)";
    if (name == "y_pos") return "((Ly - y - dx/2)/Ly)";
    if (name == "z_pos") return "0";
    if (name.starts_with("M_PI")) return "pi";
    if (name == "dx") return "dx";
    const std::size_t bar = name.rfind('_');
    if (bar == std::string::npos) return name;
    const std::string_view kind = std::string_view(name).substr(0, bar),
                           way = std::string_view(name).substr(bar + 1);
    if (is_chemical(kind) && is_compass(way)) return fmt::format("{}_{}", names.of(std::string(kind)), way);
    return is_chemical(way) ? stencil(kind, std::string(way)) : name;
}

std::string CodeReader::stencil(std::string_view kind, const std::string& chemical) {
    const std::string u = names.of(chemical), whole = std::string(kind) + '_' + chemical;
    if (kind == "trilaplacian") return fmt::format("lap({})", stencil("bilaplacian", chemical));
    if (const std::string derivative = derivative_of(kind, u); !derivative.empty()) return derivative;
    if (kind != "bilaplacian") return fmt::format("{}_{}", kind, u);
    std::string& own = sums_[whole];
    if (own.empty()) {
        own = names.fresh(whole);
        definitions_.push_back(fmt::format("{} = {}", own, bilaplacian_of(u)));
    }
    return own;
}

std::vector<std::string> CodeReader::lines() {
    std::vector<std::string> lines;
    std::vector<std::string> definitions = definitions_;
    // A definition that only the next state uses is inserted there.
    const auto take = [&](const std::string& own) {
        const std::string head = own + " = ";
        const auto row =
            std::ranges::find_if(definitions, [&](const std::string& d) { return d.starts_with(head); });
        const bool named = std::ranges::any_of(definitions_, [&](const std::string& d) {
            return mentions(pieces_of(d.substr(d.find('=') + 1)), own);
        });
        if (row == definitions.end() || named) return own;
        std::string text = row->substr(head.size());
        definitions.erase(row);
        return text;
    };
    for (const std::string& chemical : chemicals_) {
        const std::string own = names.of(chemical);
        const auto next = now_.find(chemical), rate = now_.find(std::string(kRate) + chemical);
        if (next == now_.end() && rate != now_.end())
            lines.push_back(fmt::format("d{}/dt = {}", own, take(rate->second)));
        else if (next == now_.end())
            lines.push_back(fmt::format("{}' = {}", own, own));
        else if (rate == now_.end())
            lines.push_back(fmt::format("{}' = {}", own, take(next->second)));
        else
            lines.push_back(fmt::format("{}' = {} + dt*{}", own, next->second, rate->second));
    }
    lines.insert(lines.end(), definitions.begin(), definitions.end());
    return lines;
}

}  // namespace stencil::import
