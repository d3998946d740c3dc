#include "sim/import/importers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "sim/import/visualpde_formula.h"
#include "sim/model/equations.h"
#include "sim/model/text/text_error.h"
#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/numbers.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil::import {
namespace {

constexpr int kMostSpecies = 4;
constexpr int kMostCellsOfSide = 16384;  // limit of cells along a side

// VisualPDE's y axis points up, but its pictures have the same orientation as here, so only the coordinate
// changes sign.
constexpr std::array<std::string_view, 4> kSides{"left", "right", "top", "bottom"};

// Kinds of conditions at a side. In VisualPDE neumann, ghost and robin set the ghost cell, applied in this
// order; dirichlet sets the cell itself.
constexpr std::array<std::string_view, 5> kKinds{"periodic", "neumann", "ghost", "robin", "dirichlet"};
constexpr std::size_t kHeld = 4;
using Given = std::pair<std::size_t, std::string>;  // index in kKinds, and the condition's value

// Colour tables with an identical or similar counterpart here. `thermal` is reversed.
constexpr auto kColours =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"turbo", "turbo"},
                                                                  {"viridis", "viridis"},
                                                                  {"greyscale", "grey"},
                                                                  {"blue-magenta", "plasma"},
                                                                  {"cyclic", "vikO"},
                                                                  {"diverging", "coolwarm"},
                                                                  {"thermal", "thermal_r"}});

// Options without a counterpart, the values that have an effect, and the note to give for these.
constexpr auto kLeftOut = std::to_array<std::array<std::string_view, 3>>({
    {"threeD", "true", "the view in three dimensions"},
    {"plotType", "surface", "the view in three dimensions"},
    {"emboss", "true", "lighting"},
    {"contours", "true", "contours"},
    {"overlay", "true", "the overlay"},
    {"probing", "true", "probes"},
    {"autoPause", "true", "the automatic pause"},
    {"blendImage", "true", "a picture blended in"},
    {"captureWebcam", "true", "the webcam"},
    {"integrate", "true", "the integral that is told over the field"},
});

std::string lowered(std::string text) {
    std::ranges::transform(
        text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return text;
}

std::vector<std::string> species_of(const Options& options) {
    const auto number = whole_number(read_real(options["numSpecies"]), 1, kMostSpecies);
    if (!number)
        throw InputError(
            "numSpecies is {}: it must be 1 to {}", quotable(options["numSpecies"]), kMostSpecies);
    std::vector<std::string> names;
    for (const Piece& piece : pieces_of(options["speciesNames"]))
        if (piece.is_name()) names.push_back(piece.text);
    for (const char* placeholder : {"u", "v", "w", "q"})
        if (std::ranges::find(names, placeholder) == names.end()) names.emplace_back(placeholder);
    names.resize(std::size_t(*number));
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::count(names.begin(), names.end(), names[i]) > 1)
            throw InputError("two species are called {}", quotable(names[i]));
    return names;
}

// Reads NAME = VALUE [in [low, step, high]] of each parameter; if a name occurs twice, the last one counts.
std::vector<Parameter> parameters_of(const Options& options) {
    std::vector<Parameter> parameters;
    std::map<std::string, std::size_t> places;
    const std::vector<Piece> all = pieces_of(options["kineticParams"]);
    for (const Pieces one : split_at(all, ";")) {
        if (one.size() < 3 || !one[0].is_name() || !one[1].is("=")) continue;
        Parameter parameter{one[0].text, {}, "", false};
        const auto in =
            std::ranges::find_if(one, [](const Piece& p) { return p.is_name() && p.text == "in"; });
        parameter.value.assign(one.begin() + 2, in);
        if (in != one.end()) {
            const std::size_t open = std::size_t(in - one.begin()) + 1;
            if (open < one.size() && (one[open].is("[") || one[open].is("("))) {
                const auto ends = split_at(one.subspan(open + 1, closing(one, open) - open - 1), ",");
                const auto low = read_real(joined(ends.front())), high = read_real(joined(ends.back()));
                const auto value = read_real(joined(parameter.value));
                // The range is widened if the value lies outside of it.
                if (low && high && value && ends.size() > 1 &&
                    std::min(*low, *value) < std::max(*high, *value))
                    parameter.range =
                        fmt::format("[{}, {}]", std::min(*low, *value), std::max(*high, *value));
            }
        }
        const std::size_t at = places.emplace(parameter.name, parameters.size()).first->second;
        if (at == parameters.size()) parameters.emplace_back();
        parameters[at] = std::move(parameter);
    }
    return parameters;
}

std::string brief(const std::string& typed) {
    return shortened(trimmed(typed), 200);
}

/// A line of the text.
struct Line {
    std::string text;
    std::string lost = {};     ///< the note if the line cannot be read here and is dropped; empty: the line
                               ///< is required
    std::string instead = {};  ///< the line that then replaces it; for a required line, a short form for
                               ///< reading
};

class Writer {
  public:
    explicit Writer(const Options& options)
        : options_(options), formulas_(species_of(options), parameters_of(options)) {}

    Imported result() {
        formulas_.set_origin(options_["minX"], options_["minY"]);
        formulas_.set_integral(options_["globalIntegralFun"], one_dimensional());
        algebraic_from_ = int(formulas_.species().size()) - algebraic_species();
        for (int i = 0; i < count(); ++i) equation(i);
        starts();
        boundary();
        inside();
        shown();
        definitions();
        settings();
        tell_left_out();
        leave_unreadable();
        return assembled();
    }

  private:
    int count() const { return int(formulas_.species().size()); }
    std::string name(int i) { return formulas_.names.of(formulas_.species()[std::size_t(i)]); }
    void line(Line line) {
        if ((written_ += line.text.size()) > equation::kMaxText)
            throw InputError("what would come of it is longer than the {} bytes of a text",
                             equation::kMaxText);
        lines_.push_back(std::move(line));
    }
    void leave(const std::string& what) {
        std::string note = "not carried over: " + shortened(what, 2000);
        if (notes_.empty() || notes_.back() != note) notes_.push_back(std::move(note));
    }
    bool one_dimensional() const { return options_["dimension"] == "1" || options_.on("oneDimensional"); }

    int algebraic_species() const {
        double number = read_real(options_["numAlgebraicSpecies"]).value_or(0);
        if (number == 0)
            for (const char* old : {"algebraicV", "algebraicW", "algebraicQ"})
                number += options_.given(old) ? 1 : 0;
        const int most = options_.on("crossDiffusion") ? count() - 1 : 0;
        return int(nearest_whole(std::floor(number), 0, most));
    }

    std::string integrator() const {
        const std::string scheme = options_["timesteppingScheme"];
        return scheme == "RK4" ? "rk4" : scheme == "Mid" ? "midpoint" : scheme == "AB2" ? "ab2" : "euler";
    }

    // The diffusion term of a species with coefficient D; "a;b" gives one per axis.
    std::string diffusion(const std::string& typed, const std::string& of) {
        const std::size_t cut = typed.find(';');
        const std::string along_x = trimmed(typed.substr(0, cut));
        const std::string along_y =
            cut == typed.npos || one_dimensional() ? "" : trimmed(typed.substr(cut + 1));
        if (formulas_.value(along_x) == 0 && (along_y.empty() || formulas_.value(along_y) == 0)) return {};
        const std::string d = bracketed(along_x);
        const bool uniform =
            formulas_.is_uniform(along_x) && (along_y.empty() || formulas_.is_uniform(along_y));
        if (along_y.empty())
            return uniform ? fmt::format("{}*lap({})", d, of) : fmt::format("div({}*grad({}))", d, of);
        const std::string e = bracketed(along_y);
        if (uniform) return fmt::format("{}*dxx({}) + {}*dyy({})", d, of, e, of);
        leave("face values of the coefficients {" + typed + "}, which are taken at the cells");
        return fmt::format("div(vec({}*dx({}), {}*dy({})))", d, of, e, of);
    }

    std::string bracketed(const std::string& typed) {
        const std::string text = formulas_.write(typed);
        return pieces_of(text).size() == 1 ? text : '(' + text + ')';
    }

    void equation(int i) {
        std::string right;
        const auto add = [&](const std::string& term) {
            if (!term.empty()) right += (right.empty() ? "" : " + ") + term;
        };
        for (int j = 0; j < count(); ++j)
            if (i == j || options_.on("crossDiffusion"))
                add(diffusion(options_[fmt::format("diffusionStr_{}_{}", i + 1, j + 1)], name(j)));
        const std::string reaction = options_.of("reactionStr", i + 1);
        const bool is_alike = right.empty() && !formulas_.has_species(reaction);
        if (formulas_.value(reaction) != 0) {
            const std::string text = formulas_.write(reaction);
            add(right.empty() || !text.starts_with('-') ? text : "(" + text + ")");
        }
        if (right.empty()) right = "0";
        const std::string scale = options_.of("timescale", i + 1);
        if (options_.on("timescales") && formulas_.value(scale) != 1)
            right = fmt::format("({})/{}", right, bracketed(scale));
        // A definition without components is a number or a formula of position, without conditions at the
        // sides and derivatives. A factor that is always 1 makes it depend on a component.
        if (is_defined(i) && is_alike &&
            (formulas_.is_uniform(reaction) || options_.of("boundaryConditions", i + 1) != "periodic"))
            right = fmt::format("({})*ind(not ({} > 1e300))", right, name(0));
        if (is_defined(i)) return line({fmt::format("{} = {}", name(i), right)});
        const std::string left = i < algebraic_from_ ? "d" + name(i) + "/dt = " : name(i) + "' = ";
        line({left + right, "", left + '0'});
    }

    // In VisualPDE an algebraic species keeps its value of the last step. Integrators of several stages need
    // it at each stage, so it becomes a definition.
    bool is_defined(int i) const {
        if (i < algebraic_from_ || integrator() == "euler") return false;
        std::vector<std::string> later(formulas_.species().begin() + i, formulas_.species().end());
        for (int j = 0; j < count(); ++j)
            if (j >= i && formulas_.value(options_[fmt::format("diffusionStr_{}_{}", i + 1, j + 1)]) != 0)
                return false;
        return !formulas_.uses(options_.of("reactionStr", i + 1), later);
    }

    bool is_map(int i) const { return i >= algebraic_from_ && !is_defined(i); }

    void starts() {
        for (int i = 0; i < count(); ++i) {
            const std::string typed = options_.of("initCond", i + 1);
            if (is_defined(i) || formulas_.value(typed) == 0) continue;
            const std::string lost = fmt::format("the start of {}, {}", name(i), brief(typed));
            if (formulas_.has_species(typed))
                leave(lost + ": it is made of species");
            else if (const auto text = written(lost, typed))
                line({fmt::format("{}(0) = {}", name(i), *text), lost});
        }
    }

    void boundary() {
        line({"boundary = periodic"});
        for (int i = 0; i < count(); ++i) {
            const std::string kind = options_.of("boundaryConditions", i + 1);
            if (kind == "combo")
                combination(i);
            else if (kind != "periodic") {
                const std::string typed = options_.of(kind + "Str", i + 1);
                edge(i, kind, typed);
                condition(i, one_dimensional() ? "x" : "all", kind, typed);
            }
        }
    }

    void combination(int i) {
        std::array<Given, 4> given{}, held{};  // by side: for the ghost cell, and for the cell itself
        const std::vector<Piece> all = pieces_of(options_.of("comboStr", i + 1));
        for (const Pieces one : split_at(all, ";")) {
            if (one.empty()) continue;
            const auto place = [](const auto& names, const std::string& name) {
                return std::size_t(std::ranges::find(names, lowered(name)) - names.begin());
            };
            const std::size_t side = place(kSides, one[0].text);
            const std::size_t kind = place(kKinds, one.size() > 2 && one[1].is(":") ? one[2].text : "");
            const bool is_equation = one.size() > 3 && one[3].is("=");
            if (side == kSides.size() || kind == kKinds.size() ||
                (!is_equation && (kind != 0 || one.size() > 3))) {
                leave(fmt::format("the condition '{}' of {}", joined(one), name(i)));
            } else if (kind != 0) {
                std::pair counts(kind, joined(one.subspan(4)));
                auto& other = kind == kHeld ? held[side] : given[side];
                if (other.first > counts.first) std::swap(other, counts);
                leave_beside(i, side, other, counts);
                other = counts;
            }
        }
        for (std::size_t at = 0; at < (one_dimensional() ? 2 : 4); ++at)
            if (held[at].first != 0 && (given[at].first == 0 || !hold(i, at, held[at].second))) {
                leave_beside(i, at, given[at], held[at]);
                given[at] = held[at];
            }
        std::set<Given> different;
        for (std::size_t at = 0; at < (one_dimensional() ? 2 : 4); ++at) {
            auto& [kind, value] = given[at];
            different.insert(given[at]);
            if (kind == 0 && given[at ^ 1].first == 0) continue;
            if (kind == 0)
                leave(fmt::format("{} periodic at {} alone: nothing flows there", name(i), kSides[at]));
            condition(i, std::string(kSides[at]), std::string(kKinds[kind == 0 ? 1 : kind]), value);
        }
        if (different.size() == 1)
            edge(i, std::string(kKinds[different.begin()->first]), different.begin()->second);
        else if (has_domain())
            leave(fmt::format(
                "the conditions of {} at the edge of the domain, which differ by side: nothing flows there",
                name(i)));
    }

    void leave_beside(int i, std::size_t side, const Given& other, const Given& counts) {
        if (other.first != 0)
            leave(fmt::format("{} at {}: {} = {}, beside {} = {}",
                              name(i),
                              kSides[side],
                              kKinds[other.first],
                              other.second,
                              kKinds[counts.first],
                              counts.second));
    }

    // Fixes the value of the cells at a side, in the equation and in the initial value. Returns whether that
    // is possible: the rate there becomes 0, so the value must be constant.
    bool hold(int i, std::size_t side, const std::string& typed) {
        static constexpr std::array kCells{"x < dx", "x > Lx - dx", "y < dx", "y > Ly - dx"};
        const bool rate = i < algebraic_from_;
        if (formulas_.uses(typed, {"RAND", "RANDN"}) || (rate && moves(typed))) return false;
        const auto value = written(fmt::format("{} held at {}", name(i), kSides[side]), typed, Place::side);
        if (!value) return false;
        const auto within = [&](std::string& text, const std::string& held) {
            const std::size_t right = text.find(" = ") + 3;
            text = fmt::format(
                "{}where({}, {}, {})", text.substr(0, right), kCells[side], held, text.substr(right));
        };
        within(lines_[std::size_t(i)].text, rate ? "0" : *value);
        const std::string head = name(i) + "(0) = ";
        auto start =
            std::ranges::find_if(lines_, [&](const Line& line) { return line.text.starts_with(head); });
        if (is_defined(i)) return true;
        if (start == lines_.end() && formulas_.value(typed) != 0) start = lines_.insert(start, {head + '0'});
        if (start != lines_.end()) within(start->text, *value);
        return true;
    }

    void condition(int i, const std::string& side, const std::string& kind, const std::string& typed) {
        const std::string& own = formulas_.species()[std::size_t(i)];
        const bool known = kind == "dirichlet" || kind == "neumann" || kind == "robin" || kind == "ghost";
        const bool held = (kind == "dirichlet" || kind == "ghost") && formulas_.uses(typed, {own});
        const std::string closed = fmt::format("{}: flux({}) = 0", side, name(i));
        const std::string lost =
            fmt::format("{} at {}: {} = {}; nothing flows there", name(i), side, kind, brief(typed));
        if (!known || held || formulas_.uses(typed, {"RAND", "RANDN"})) {
            leave(lost);
            return line({closed});
        }
        const auto text = written(lost, typed, Place::side);
        if (!text) return line({closed});
        // The value given is that of the ghost cell, and the face lies halfway to it.
        const std::string left = kind == "dirichlet" ? name(i)
                                 : kind == "ghost"   ? fmt::format("{0} + 0.5*dx*flux({0})", name(i))
                                                     : fmt::format("flux({})", name(i));
        line({fmt::format("{}: {} = {}", side, left, *text), lost, closed});
    }

    // Also writes the condition that holds at all sides for the edge of the domain.
    void edge(int i, const std::string& kind, const std::string& typed) {
        if (!has_domain()) return;
        const std::string& own = formulas_.species()[std::size_t(i)];
        const std::string left = kind == "dirichlet" ? name(i) : fmt::format("flux({})", name(i));
        const std::string lost =
            fmt::format("{} = {} at the edge of the domain, across which nothing flows", left, brief(typed));
        const bool zero = formulas_.value(typed) == 0;
        if (kind != "dirichlet" && (zero || (kind != "neumann" && kind != "robin"))) return;
        if ((kind == "dirichlet" && formulas_.uses(typed, {own})) || formulas_.uses(typed, {"RAND", "RANDN"}))
            return leave(lost);
        const auto text = written(lost, typed, Place::edge);
        if (!text) return;
        Line edge{fmt::format("edge: {} = {}", left, *text), lost};
        if (formulas_.has_picture(options_["domainIndicatorFun"]))
            edges_ += "; " + edge.text;
        else
            line(std::move(edge));
    }

    bool moves(const std::string& typed) const {
        return formulas_.has_species(typed) || formulas_.uses(typed, {"t"});
    }

    // Whether the domain can be written as `inside`, in the text or in the note about a picture.
    bool has_domain() const {
        const std::string typed = options_["domainIndicatorFun"];
        return options_.on("domainViaIndicatorFun") && !formulas_.uses(typed, {"RAND", "RANDN"}) &&
               !formulas_.has_slopes(typed) && (moves(typed) || !formulas_.is_uniform(typed));
    }

    void inside() {
        if (!options_.on("domainViaIndicatorFun")) return;
        const std::string typed = options_["domainIndicatorFun"];
        if (formulas_.uses(typed, {"RAND", "RANDN"}) || formulas_.has_slopes(typed))
            return leave("the domain " + brief(typed) + ": all of the rectangle is stepped");
        if (formulas_.is_uniform(typed) && !moves(typed)) return leave("the domain " + brief(typed));
        if (moves(typed))
            leave("what is outside of the moving domain " + brief(typed) +
                  ": cells there keep their values, and begin with them when it reaches them");
        const std::string lost = "the domain " + brief(typed) + ": all of the rectangle is stepped";
        auto text = written(lost, typed);
        if (!text) return;
        if (!is_condition(pieces_of(typed))) *text += " > 0";
        if (formulas_.has_picture(typed))
            return leave(fmt::format("the domain of a picture: add inside = {}{} for it", *text, edges_));
        line({"inside = " + *text, lost});
    }

    void shown() {
        std::string typed = trimmed(options_["whatToPlot"]);
        const std::vector<std::string>& species = formulas_.species();
        if (!options_.given("whatToPlot")) typed = species[std::min<std::size_t>(1, species.size() - 1)];
        const auto one = std::ranges::find(species, typed);
        if (one != species.end()) {
            if (one != species.begin()) line({"show = " + formulas_.names.of(typed)});
        } else if (!typed.empty() && !formulas_.value(typed)) {
            const std::string lost = "what is shown, " + typed;
            if (const auto text = written(lost, typed))
                line({fmt::format("shown = {}\nshow = shown", *text), lost});
        }
        for (const Options& view : options_.further_views()) further(view);
        arrows();
        range_ = range_of(options_);
    }

    // Defines another view's formula with that view's colours, so that the user can switch to it.
    void further(const Options& view) {
        const std::string typed = trimmed(view["whatToPlot"]);
        if (!view.given("whatToPlot") || typed == trimmed(options_["whatToPlot"]) ||
            !seen_.insert(typed).second || (formulas_.is_uniform(typed) && !formulas_.has_species(typed)))
            return;
        std::string name;
        if (contains(formulas_.species(), typed)) {
            name = formulas_.names.of(typed);
        } else {
            const std::string lost = "the view " + name_of(view);
            const auto text = written(lost, typed);
            if (!text) return;
            name = formulas_.names.fresh(fmt::format("view{}", ++definitions_ + 1));
            line({fmt::format("{} = {}", name, *text), lost});
        }
        const Options whole = options_.with(view);
        const std::string table = table_of(whole, "the view " + name_of(view)), range = range_of(whole);
        colors_.push_back(fmt::format("{}={}{}{}", name, table, range.empty() ? "" : ",", range));
    }

    // The range of a view's colours, in the syntax of --range; empty: automatic.
    std::string range_of(const Options& view) {
        if (view.on("autoSetColourRange")) return "";
        const auto low = formulas_.value(view["minColourValue"]);
        const auto high = formulas_.value(view["maxColourValue"]);
        if (!low || !high)
            leave(fmt::format("the range of colours from {} to {}",
                              brief(view["minColourValue"]),
                              brief(view["maxColourValue"])));
        if (!low || !high || *low >= *high) return "";
        return fmt::format("{}:{}", *low, *high);
    }

    // The colour table of a view; empty, with a note, if there is no counterpart here.
    std::string table_of(const Options& view, const std::string& what) {
        const std::string colours = view["colourmap"];
        const auto same =
            std::ranges::find(kColours, std::string_view(colours), [](const auto& row) { return row.first; });
        if (same == kColours.end()) {
            leave(fmt::format("the colours {}{}{}", quotable(colours), what.empty() ? "" : " of ", what));
            return "";
        }
        const std::string_view table = same->second;
        if (!view.on("flippedColourmap")) return std::string(table);
        return table.ends_with(kReversed) ? std::string(table.substr(0, table.size() - kReversed.size()))
                                          : std::string(table) + std::string(kReversed);
    }

    // Writes a formula that the equations do not depend on; it is left out if it cannot be written here.
    std::optional<std::string> written(const std::string& what,
                                       const std::string& typed,
                                       Place place = Place::cell) {
        try {
            return formulas_.write(typed, place);
        } catch (const InputError& error) {
            leave(fmt::format("{}: {}", what, error.what()));
            return std::nullopt;
        }
    }

    static std::string name_of(const Options& view) {
        std::string name = view["name"];
        for (std::size_t open; (open = name.find('<')) != name.npos;)
            name.replace(open, name.find('>', open) - open + (name.find('>', open) != name.npos), " ");
        return quotable(name.substr(0, 60));
    }

    void arrows() {
        if (!options_.on("vectorField")) return;
        const std::string across = options_["arrowX"], up = options_["arrowY"];
        if (across.empty() || up.empty()) return leave("arrows");
        try {
            // The y axis points down here, so the y component changes sign.
            ways_ = {formulas_.write(across, Place::edge),
                     fmt::format("-({})", formulas_.write(up, Place::edge))};
            arrows_ = fmt::format("{},{}", ways_[0], ways_[1]);
        } catch (const InputError& error) {
            leave(fmt::format("arrows: {}", error.what()));
        }
    }

    // Writes the parameters, and the definitions that formulas need.
    void definitions() {
        std::vector<std::string> rows;
        // Leaves out unused formulas, which may belong to something that is not imported.
        std::set<std::string> used, made_of;
        for (const Line& line : lines_)
            for (const Piece& piece : pieces_of(line.text)) used.insert(piece.text);
        for (const Parameter& one : formulas_.parameters())
            for (const Piece& piece : one.value) made_of.insert(piece.text);
        for (const Parameter& one : formulas_.parameters()) {
            const std::string left = formulas_.names.of(one.name);
            if (one.is_number)
                rows.push_back(fmt::format(
                    "{} = {}{}", left, joined(one.value), one.range.empty() ? "" : " in " + one.range));
            else if (used.contains(left) || made_of.contains(one.name))
                rows.push_back(fmt::format("{} = {}", left, formulas_.write(joined(one.value))));
        }
        Needs& needs = formulas_.needs;
        if (needs.x) rows.push_back(fmt::format("{} = x + {}", formulas_.x_name, bracketed_origin("minX")));
        if (needs.y && formulas_.value(options_["minY"]) == 0)
            rows.push_back(fmt::format("{} = Ly - y", formulas_.y_name));
        else if (needs.y)
            rows.push_back(fmt::format("{} = Ly - y + {}", formulas_.y_name, bracketed_origin("minY")));
        for (const std::string& noise : needs.noises)
            rows.push_back(
                fmt::format("{} = normal/{}", noise, one_dimensional() ? "sqrt(dt*dx)" : "(sqrt(dt)*dx)"));
        for (const std::string& picture : needs.files) {
            rows.push_back(fmt::format("{} = 0", picture));
            const std::string path = options_[picture == "I_S" ? "imagePathOne" : "imagePathTwo"];
            leave(fmt::format("the picture {0}{1}: write {0} = image(\"FILE.png\", mean) in place of {0} = 0",
                              picture,
                              path.empty() ? "" : ", " + shortened(path, 80)));
        }
        if (needs.integral && formulas_.value(options_["globalIntegralUpdatePeriod"]).value_or(10) != 1)
            leave("that GlobalInt is computed in some steps only: integral() is in each");
        for (std::string& row : rows) line({std::move(row)});
    }

    std::string bracketed_origin(const std::string& option) {
        return '(' + formulas_.write(options_[option], Place::edge) + ')';
    }

    double positive(const std::string& option) {
        const auto value = formulas_.value(options_[option]);
        if (!value || !std::isfinite(*value) || *value <= 0)
            throw InputError("{} is {}: it must be a positive number", option, quotable(options_[option]));
        return *value;
    }

    void settings() {
        const double length = positive("domainScale");
        const double whole = std::floor(length / positive("spatialStep") + 1e-9);
        const int cells = int(nearest_whole(whole, 1, kMostCellsOfSide));
        line({fmt::format("dx = {};  dt = {}", length / cells, positive("dt"))});
        line({fmt::format("size = {}x{}", cells, one_dimensional() ? 1 : cells)});
        int map = algebraic_from_;
        while (map < count() && !is_map(map)) ++map;
        if (integrator() != "euler") line({"integrator = " + (map < count() ? "euler" : integrator())});
        if (integrator() != "euler" && map < count())
            leave(fmt::format("the scheme {}: {} is given outright, which euler alone steps",
                              options_["timesteppingScheme"],
                              name(map)));
        if (const std::string table = table_of(options_, ""); !table.empty()) line({"colormap = " + table});
    }

    void tell_left_out() {
        const auto is_brush = [](const auto& option) { return option.first.starts_with("brush"); };
        if (std::ranges::any_of(options_.values(), is_brush) && options_["brushEnabled"] != "false")
            leave("brush settings");
        std::vector<Options> views = options_.further_views();
        views.push_back(options_);
        for (const auto& [option, value, subject] : kLeftOut)
            if (std::ranges::any_of(views, [&option = option, &value = value](const Options& view) {
                    return view[std::string(option)] == value ||
                           (value == "true" && view.on(std::string(option)));
                }))
                leave(std::string(subject));
        if (!options_["initialState"].empty()) leave("a stored state");
    }

    // Drops the lines that cannot be read here, except required ones. Of a required line with a short form
    // only that is read, because reading the line itself would take long.
    void leave_unreadable() {
        std::string text;
        std::vector<std::size_t> begins;
        const auto read = [&](const std::vector<std::string>& shown) {
            text.clear();
            begins.clear();
            for (const Line& line : lines_) {
                begins.push_back(text.size());
                text += (line.lost.empty() && !line.instead.empty() ? line.instead : line.text) + ";\n";
            }
            equation::read_equations(text, shown);
        };
        constexpr int kMost = 40;
        bool again = true;
        for (int i = 0; again && i < kMost; ++i) try {
                again = false;
                read({});
                if (!ways_.empty()) try {
                        read(ways_);
                    } catch (const InputError&) {
                        leave("arrows");
                        arrows_.clear();
                    }
            } catch (const equation::TextError& error) {
                const auto next = std::ranges::upper_bound(begins, error.span().begin);
                Line& line = lines_[std::size_t(next - begins.begin()) - 1];
                if (line.lost.empty()) return;
                leave(fmt::format("{}: {}", line.lost, error.sentence()));
                const std::string name = line.text.substr(0, line.text.find(' '));
                std::erase_if(colors_, [&](const std::string& row) { return row.starts_with(name + '='); });
                line = {line.instead};
                again = true;
            } catch (const InputError&) {
            }
    }

    Imported assembled() {
        std::string text = "# From VisualPDE. Its y axis points up, and Top is the top here, too.\n";
        for (const std::string& note : notes_) text += "# " + one_line(note) + '\n';
        const std::string title = trimmed(options_["simTitle"]);
        if (!title.empty()) text += "title = " + in_quotes(title) + '\n';
        for (const Line& line : lines_)
            if (!line.text.empty()) text += line.text + '\n';
        for (std::string& note : notes_) note = one_line(note);
        return {text, notes_, range_, arrows_, colors_};
    }

    static std::string one_line(std::string text) {
        std::ranges::replace_if(
            text, [](char c) { return c == '\n' || c == '\r' || c == '\t'; }, ' ');
        return printable(text);
    }

    const Options& options_;
    mutable FormulaWriter formulas_;
    int algebraic_from_ = 0;
    std::vector<Line> lines_;
    std::vector<std::string> notes_, colors_, ways_;
    std::string range_, arrows_;
    std::string edges_;           ///< conditions at the edge of a picture's domain
    std::size_t written_ = 0;     ///< total bytes of the lines
    std::set<std::string> seen_;  ///< formulas of further views, as typed
    int definitions_ = 0;         ///< number of definitions for further views
};

}  // namespace

Imported model_of_visualpde(const Options& options) {
    return Writer(options).result();
}

}  // namespace stencil::import
