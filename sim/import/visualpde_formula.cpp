#include "sim/import/visualpde_formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "sim/model/text/statements.h"
#include "sim/model/text/syntax.h"
#include "sim/model/text/text_error.h"
#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil::import {
namespace {

constexpr int kDeepestFormula = 50;
constexpr std::size_t kLongest = equation::kMaxText, kMostPieces = 2'000'000;

bool is_picture(std::string_view name) {
    return (name.starts_with("I_S") || name.starts_with("I_T")) &&
           (name.size() == 3 || (name.size() == 4 && std::string_view("RGBA").find(name[3]) != name.npos));
}

bool is_constant(const std::string& formula) try {
    return equation::constant_value(equation::read_formula(formula)).has_value();
} catch (const InputError&) {
    return false;
}

}  // namespace

FormulaWriter::FormulaWriter(std::vector<std::string> species, std::vector<Parameter> parameters)
    : species_(std::move(species)), parameters_(std::move(parameters)) {
    for (const std::string& one : species_) names.of(one);
    for (Parameter& one : parameters_) {
        names.of(one.name);
        places_.emplace(one.name, places_.size());
        one.is_number = !one.range.empty() || is_constant(joined(one.value));
    }
    x_name = names.fresh("x_at");
    y_name = names.fresh("y_up");
}

void FormulaWriter::set_origin(const std::string& x, const std::string& y) {
    const auto origin = [&](const std::string& typed) {
        return value(typed) == 0 || typed.empty() ? std::string() : write(typed, Place::edge);
    };
    const std::string along_x = origin(x), along_y = origin(y);
    x_origin_ = along_x;
    y_origin_ = along_y;
}

void FormulaWriter::set_integral(const std::string& of, bool along_line) {
    if (!of.empty()) integrand_ = of;
    along_line_ = along_line;
}

std::string FormulaWriter::write(std::string_view typed, Place place) {
    place_ = place;
    deep_ = 0;
    const std::vector<Piece> pieces = pieces_of(typed);
    require_brackets(pieces);
    return pieces.empty() ? "0" : write(pieces);
}

std::optional<double> FormulaWriter::value(std::string_view typed) {
    const bool was_numbers = std::exchange(numbers_, true);
    const Place was_place = std::exchange(place_, Place::edge);
    const int was_deep = deep_;
    std::optional<double> value;
    try {
        const std::vector<Piece> pieces = pieces_of(typed);
        if (!pieces.empty()) value = equation::constant_value(equation::read_formula(write(pieces)));
    } catch (const InputError&) {
    }
    numbers_ = was_numbers;
    place_ = was_place;
    deep_ = was_deep;
    return value;
}

const Parameter* FormulaWriter::parameter(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? nullptr : &parameters_[found->second];
}

const std::string* FormulaWriter::species_called(std::string_view name) const {
    const auto found = std::ranges::find(species_, name);
    return found == species_.end() ? nullptr : &*found;
}

bool FormulaWriter::uses(std::string_view typed, const std::vector<std::string>& wanted) const {
    std::vector<std::vector<Piece>> left{pieces_of(typed)};
    std::set<std::string> seen;
    while (!left.empty()) {
        const std::vector<Piece> pieces = std::move(left.back());
        left.pop_back();
        for (const Piece& piece : pieces) {
            if (!piece.is_name() || !seen.insert(piece.text).second) continue;
            if (const Parameter* of = parameter(piece.text))
                left.push_back(of->value);
            else if (std::ranges::find(wanted, piece.text) != wanted.end())
                return true;
        }
    }
    return false;
}

bool FormulaWriter::has_species(std::string_view typed) const {
    if (uses(typed, species_)) return true;
    const std::vector<Piece> pieces = pieces_of(typed);
    return std::ranges::any_of(pieces, [&](const Piece& piece) {
        const std::size_t bar = piece.text.rfind('_');
        return piece.is_name() && bar != std::string::npos && parameter(piece.text) == nullptr &&
               species_called(piece.text.substr(0, bar)) != nullptr;
    });
}

bool FormulaWriter::has_slopes(std::string_view typed) const {
    const std::vector<Piece> pieces = pieces_of(typed);
    return (has_species(typed) && !uses(typed, species_)) ||
           std::ranges::any_of(pieces, [](const Piece& piece) { return piece.is("["); });
}

bool FormulaWriter::has_picture(std::string_view typed) const {
    std::vector<std::string> pictures;
    for (const char* picture : {"I_S", "I_T"})
        for (const char* channel : {"", "R", "G", "B", "A"})
            pictures.push_back(std::string(picture) + channel);
    return uses(typed, pictures);
}

bool FormulaWriter::is_uniform(std::string_view typed) const {
    static const std::vector<std::string> kVarying{"x",
                                                   "y",
                                                   "RAND",
                                                   "RANDN",
                                                   "WhiteNoise",
                                                   "WhiteNoise_1",
                                                   "WhiteNoise_2",
                                                   "WhiteNoise_3",
                                                   "WhiteNoise_4",
                                                   "Bump",
                                                   "Gauss",
                                                   "interior",
                                                   "exterior"};
    return !uses(typed, kVarying) && !has_picture(typed) && !has_species(typed);
}

std::string FormulaWriter::write(Pieces pieces) {
    if (++deep_ > kDeepestFormula) {
        throw InputError("its formulas are nested too deeply, or go in a circle");
    }
    // Limits the total length, because nested parameters with long formulas could make it grow exponentially.
    if ((written_ += pieces.size()) > kMostPieces) throw InputError("its formulas are too long");
    std::string text;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const Piece& piece = pieces[i];
        const bool bracket = i + 1 < pieces.size() && (pieces[i + 1].is("(") || pieces[i + 1].is("["));
        std::string one = piece.text;
        if (piece.is_name() && bracket) {
            const std::size_t end = closing(pieces, i + 1);
            const Pieces inner = pieces.subspan(i + 2, end - i - 2);
            one = pieces[i + 1].is("[") ? neighbour(piece.text, inner) : call(piece.text, inner);
            i = end;
        } else if (piece.is_name()) {
            one = name(piece.text);
        } else if (piece.is("&&")) {
            one = " and ";
        } else if (piece.is("||")) {
            one = " or ";
        } else if (piece.is("!")) {
            one = " not ";
        } else if (piece.is("**")) {
            one = "^";
        } else if (piece.is(";") || piece.is("#") || piece.is("\"") || piece.is("{") || piece.is("}")) {
            throw InputError(
                "'{}' has no meaning in a formula, '{}'", piece.text, quotable(joined(pieces).substr(0, 80)));
        }
        if (piece.spaced && !text.empty() && !text.ends_with(' ')) text += ' ';
        if (text.ends_with(' ') && one.starts_with(' ')) one.erase(0, 1);
        text += one;
        if (text.size() > kLongest) {
            throw InputError("its formulas are longer than {} bytes", kLongest);
        }
    }
    --deep_;
    return text;
}

std::string FormulaWriter::coordinate(bool along_x) {
    const std::string& origin = along_x ? x_origin_ : y_origin_;
    if (along_x && origin.empty()) return "x";
    (along_x ? needs.x : needs.y) |= place_ == Place::cell;
    if (place_ == Place::cell) return along_x ? x_name : y_name;
    const std::string more = origin.empty() ? "" : fmt::format(" + ({})", origin);
    return along_x ? fmt::format("(x{})", more) : fmt::format("(Ly - y{})", more);
}

// I_S, I_TR ...: the grey value or a channel of two pictures, here or at another position. Their y axis
// begins at the bottom.
std::string FormulaWriter::picture(const std::string& name, Pieces place) {
    const std::string whole = name.substr(0, 3);
    if (std::ranges::find(needs.files, whole) == needs.files.end()) needs.files.push_back(whole);
    if (place.empty()) return name;
    const auto places = split_at(place, ",");
    const std::string x = write(places[0]), y = places.size() > 1 ? write(places[1]) : "0";
    return fmt::format("{}({}{}, Ly - ({}){})",
                       name,
                       x,
                       x_origin_.empty() ? "" : fmt::format(" - ({})", x_origin_),
                       y,
                       y_origin_.empty() ? "" : fmt::format(" + ({})", y_origin_));
}

// Only the outermost cells are the exterior. The bounds lie between cell centres and faces.
std::string FormulaWriter::outermost(bool interior) const {
    if (place_ == Place::side) return interior ? "0" : "1";
    const std::string inner = "x > 1.25*dx and x < Lx - 1.25*dx and y > 1.25*dx and y < Ly - 1.25*dx";
    return interior ? fmt::format("ind({})", inner) : fmt::format("ind(not ({}))", inner);
}

// All uses of the same name see the same numbers.
std::string FormulaWriter::noise(const std::string& name) {
    const std::string own =
        names.of(name == "WhiteNoise" || name == "WhiteNoise_1" ? "noise" : "noise" + name.substr(10));
    if (std::ranges::find(needs.noises, own) == needs.noises.end()) needs.noises.push_back(own);
    return own;
}

std::string FormulaWriter::name(const std::string& name) {
    static constexpr auto kMeant = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"L_x", "Lx"},
        {"L_y", "Ly"},
        {"L", "max(Lx, Ly)"},
        {"L_min", "min(Lx, Ly)"},
        {"RAND", "random"},
        {"RANDN", "normal"},
        {"dx", "dx"},
        {"dy", "dx"},
        {"dt", "dt"},
        {"t", "t"},
        {"pi", "pi"},
    });
    if (const Parameter* of = parameter(name)) {
        if (!numbers_ && (place_ == Place::cell || of->is_number)) return names.of(name);
        return fmt::format("({})", write(Pieces(of->value)));
    }
    if (species_called(name) != nullptr) return names.of(name);
    if (name == "x" || name == "y") return coordinate(name == "x");
    if (name == "MINX" || name == "MINY") {
        const std::string& origin = name == "MINX" ? x_origin_ : y_origin_;
        return origin.empty() ? "0" : fmt::format("({})", origin);
    }
    if (name == "MAXX" || name == "MAXY") {
        const std::string& origin = name == "MAXX" ? x_origin_ : y_origin_;
        return fmt::format(
            "({}{})", name == "MAXX" ? "Lx" : "Ly", origin.empty() ? "" : fmt::format(" + ({})", origin));
    }
    if (is_picture(name)) return picture(name);
    if (name.starts_with("WhiteNoise")) return noise(name);
    if (name == "GlobalInt") {
        needs.integral = true;
        return fmt::format("integral({})", write(pieces_of(integrand_)));
    }
    if (name == "interior" || name == "exterior") return outermost(name == "interior");
    for (const auto& [theirs, ours] : kMeant)
        if (name == theirs) return std::string(ours);
    if (const auto slope = derivative(name)) return *slope;
    return name;
}

std::optional<std::string> FormulaWriter::derivative(const std::string& name) {
    const std::size_t bar = name.rfind('_');
    if (bar == std::string::npos || species_called(name.substr(0, bar)) == nullptr) return std::nullopt;
    const std::string u = names.of(name.substr(0, bar)), way = name.substr(bar + 1);
    static constexpr auto kWays = std::to_array<std::pair<std::string_view, std::string_view>>({
        {"x", "dx({0})"},
        {"y", "(-dy({0}))"},
        {"xx", "dxx({0})"},
        {"yy", "dyy({0})"},
        {"x2", "dxx({0})"},
        {"y2", "dyy({0})"},
        {"xy", "(-dxy({0}))"},
        {"yx", "(-dxy({0}))"},
        {"xf", "dxf({0})"},
        {"xb", "dxb({0})"},
        {"yf", "(-dyb({0}))"},
        {"yb", "(-dyf({0}))"},
        {"xf2", "((4*{0}[+1,0] - 3*{0} - {0}[+2,0])/(2*dx))"},
        {"xb2", "((3*{0} - 4*{0}[-1,0] + {0}[-2,0])/(2*dx))"},
        {"yf2", "((4*{0}[0,-1] - 3*{0} - {0}[0,-2])/(2*dx))"},
        {"yb2", "((3*{0} - 4*{0}[0,+1] + {0}[0,+2])/(2*dx))"},
    });
    for (const auto& [theirs, ours] : kWays)
        if (way == theirs) return fmt::format(fmt::runtime(ours), u);
    return std::nullopt;
}

// The distance of a position from here in cells: x + 2*dx is 2, y is 0. Parameters have their initial values.
std::optional<int> FormulaWriter::cells(Pieces place, bool along_x) {
    constexpr int kFarthest = 8;
    const auto from = [&](const char* here) {
        std::vector<Piece> counted(place.begin(), place.end());
        for (Piece& piece : counted) {
            if (!piece.is_name()) continue;
            if (piece.text == (along_x ? "x" : "y")) piece.text = here;
            if (piece.text == "dx" || piece.text == "dy") piece.text = "1";
        }
        return value(joined(counted));
    };
    const auto at_0 = from("0"), at_1 = from("1");
    const bool whole = at_0 && *at_0 == std::round(*at_0) && std::abs(*at_0) <= kFarthest;
    if (!whole || !at_1 || *at_1 != *at_0 + 1) return std::nullopt;
    return int(*at_0);
}

std::string FormulaWriter::neighbour(const std::string& of, Pieces arguments) {
    const auto places = split_at(arguments, ",");
    if (species_called(of) != nullptr && places.size() == 2) {
        const auto right = cells(places[0], true), up = cells(places[1], false);
        if (right && up)
            return *right == 0 && *up == 0 ? names.of(of)
                                           : fmt::format("{}[{:+d},{:+d}]", names.of(of), *right, -*up);
    }
    throw InputError("{}[{}] is no neighbour a whole number of cells away, and has no counterpart here",
                     quotable(of),
                     quotable(joined(arguments)));
}

std::string FormulaWriter::call(const std::string& function, Pieces arguments) {
    if (function == "ind" || function == "float")
        return fmt::format("{}({})", is_condition(arguments) ? "ind" : "", write(arguments));
    if (is_picture(function)) return picture(function, arguments);
    std::vector<std::string> texts;
    for (const Pieces argument : split_at(arguments, ",")) texts.push_back(write(argument));
    // Bump and Gauss take their centre as a position, which they compare with x and y.
    const bool hill = function == "Bump" || function == "Gauss";
    if (hill && !texts.empty() && !x_origin_.empty())
        texts[0] = fmt::format("{} - ({})", texts[0], x_origin_);
    // Without a centre for y it is L_y/2, wherever the y axis begins. In one dimension Bump depends on x
    // only.
    if (function == "Bump" && along_line_ && texts.size() == 3)
        texts.erase(texts.begin() + 1);
    else if (hill && texts.size() == 2 && !y_origin_.empty() && !(function == "Bump" && along_line_))
        texts.insert(texts.begin() + 1, fmt::format("Ly/2 + ({})", y_origin_));
    else if (hill && texts.size() > 2)
        texts[1] =
            fmt::format("Ly - ({}){}", texts[1], y_origin_.empty() ? "" : fmt::format(" + ({})", y_origin_));
    if (hill && texts.size() == 5) texts[4] = fmt::format("-({})", texts[4]);
    std::string text = function + '(';
    if (function == "safepow") text = "pow(";
    if (function == "safetanh") text = "tanh(";
    for (std::size_t i = 0; i < texts.size(); ++i) text += (i > 0 ? ", " : "") + texts[i];
    return text + ')';
}

}  // namespace stencil::import
