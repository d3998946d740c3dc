#include "sim/import/importers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>

#include "sim/import/visualpde_formula.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil::import {
namespace {

constexpr int kMostSpecies = 4;
constexpr int kMostCellsOfSide = 16384;  // of a side

struct SideNames {
    std::string_view theirs, ours, axis;
};
// VisualPDE's y axis points up, and its picture is the same as here: only the coordinate turns.
constexpr auto kSides = std::to_array<SideNames>(
    {{"Left", "left", "x"}, {"Right", "right", "x"}, {"Top", "top", "y"}, {"Bottom", "bottom", "y"}});

// Colour tables that are the same here, or look much alike. thermal runs the other way.
constexpr auto kColours =
    std::to_array<std::pair<std::string_view, std::string_view>>({{"turbo", "turbo"},
                                                                  {"viridis", "viridis"},
                                                                  {"greyscale", "grey"},
                                                                  {"blue-magenta", "plasma"},
                                                                  {"cyclic", "vikO"},
                                                                  {"diverging", "coolwarm"},
                                                                  {"thermal", "thermal_r"}});

// Options without a counterpart, by the beginning of their names; one line tells of all in a row.
struct Left {
    std::string_view subject;
    std::vector<std::string_view> options;
};
const std::vector<Left>& left_out() {
    static const std::vector<Left> rows{
        {"brush settings", {"brush", "whatToDraw", "drawIn3D"}},
        {"the view in three dimensions", {"camera", "customSurface", "surfaceFun", "threeD", "plotType"}},
        {"lighting", {"emboss"}},
        {"contours", {"contour"}},
        {"the overlay", {"overlay"}},
        {"probes", {"probe"}},
        {"the automatic pause", {"autoPause"}},
        {"a stored state", {"initialState"}},
        {"a picture blended in", {"blendImage"}},
        {"the webcam", {"captureWebcam"}},
        {"the integral that is told over the field", {"integrate"}},
    };
    return rows;
}

std::vector<std::string> species_of(const Options& options) {
    const double number = read_real(options["numSpecies"]).value_or(0);
    if (number != std::floor(number) || number < 1 || number > kMostSpecies)
        throw InputError(
            "numSpecies is {}: it must be 1 to {}", quotable(options["numSpecies"]), kMostSpecies);
    std::vector<std::string> names;
    for (const Piece& piece : pieces_of(options["speciesNames"]))
        if (piece.is_name()) names.push_back(piece.text);
    for (const char* placeholder : {"u", "v", "w", "q"})
        if (std::ranges::find(names, placeholder) == names.end()) names.emplace_back(placeholder);
    names.resize(std::size_t(number));
    for (std::size_t i = 0; i < names.size(); ++i)
        if (std::count(names.begin(), names.end(), names[i]) > 1)
            throw InputError("two species are called {}", quotable(names[i]));
    return names;
}

// Reads NAME = VALUE [in [low, step, high]] of each.
std::vector<Parameter> parameters_of(const Options& options) {
    std::vector<Parameter> parameters;
    const std::vector<Piece> all = pieces_of(options["kineticParams"]);
    for (const Pieces one : split_at(all, ";")) {
        if (one.size() < 3 || !one[0].is_name() || !one[1].is("=")) continue;
        Parameter parameter{one[0].text, {}, ""};
        const auto in =
            std::ranges::find_if(one, [](const Piece& p) { return p.is_name() && p.text == "in"; });
        parameter.value.assign(one.begin() + 2, in);
        if (in != one.end()) {
            const std::size_t open = std::size_t(in - one.begin()) + 1;
            if (open < one.size() && (one[open].is("[") || one[open].is("("))) {
                const auto ends = split_at(one.subspan(open + 1, closing(one, open) - open - 1), ",");
                const auto low = read_real(joined(ends.front())), high = read_real(joined(ends.back()));
                const auto value = read_real(joined(parameter.value));
                // A slider that stands outside of its range widens it.
                if (low && high && value && ends.size() > 1 &&
                    std::min(*low, *value) < std::max(*high, *value))
                    parameter.range =
                        fmt::format("[{}, {}]", std::min(*low, *value), std::max(*high, *value));
            }
        }
        std::erase_if(parameters, [&](const Parameter& other) { return other.name == parameter.name; });
        parameters.push_back(std::move(parameter));
    }
    return parameters;
}

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
        return assembled();
    }

  private:
    int count() const { return int(formulas_.species().size()); }
    std::string name(int i) { return formulas_.names.of(formulas_.species()[std::size_t(i)]); }
    void line(std::string text) { lines_.push_back(std::move(text)); }
    void leave(std::string what) { notes_.push_back("not carried over: " + std::move(what)); }
    bool one_dimensional() const { return options_["dimension"] == "1" || options_.on("oneDimensional"); }

    int algebraic_species() const {
        int number = int(read_real(options_["numAlgebraicSpecies"]).value_or(0));
        if (number == 0)
            for (const char* old : {"algebraicV", "algebraicW", "algebraicQ"})
                number += options_.given(old) ? 1 : 0;
        return options_.on("crossDiffusion") ? std::clamp(number, 0, count() - 1) : 0;
    }

    std::string integrator() const {
        const std::string scheme = options_["timesteppingScheme"];
        return scheme == "RK4" ? "rk4" : scheme == "Mid" ? "midpoint" : scheme == "AB2" ? "ab2" : "euler";
    }

    // A coefficient D of the gradient of a species; "a;b" has one for each axis.
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
        if (formulas_.value(reaction) != 0) {
            const std::string text = formulas_.write(reaction);
            add(right.empty() || !text.starts_with('-') ? text : "(" + text + ")");
        }
        if (right.empty()) right = "0";
        const std::string scale = options_.of("timescale", i + 1);
        if (options_.on("timescales") && formulas_.value(scale) != 1)
            right = fmt::format("({})/{}", right, bracketed(scale));
        if (i < algebraic_from_)
            line(fmt::format("d{}/dt = {}", name(i), right));
        else
            line(fmt::format("{}{} = {}", name(i), is_defined(i) ? "" : "'", right));
    }

    // An algebraic species is its last step's value there. An integrator of several stages wants it in each,
    // as a definition.
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
            if (formulas_.has_species(typed)) {
                leave(fmt::format("the start of {}, {}: it is made of species", name(i), trimmed(typed)));
                continue;
            }
            line(fmt::format("{}(0) = {}", name(i), formulas_.write(typed)));
        }
    }

    void boundary() {
        line("boundary = periodic");
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
        std::array<std::string, 4> kinds, values;
        kinds.fill("periodic");
        const std::vector<Piece> all = pieces_of(options_.of("comboStr", i + 1));
        for (const Pieces one : split_at(all, ";")) {
            if (one.size() < 3 || !one[1].is(":")) continue;
            const auto side = std::ranges::find(kSides, std::string_view(one[0].text), &SideNames::theirs);
            if (side == kSides.end()) continue;
            const std::size_t at = std::size_t(side - kSides.begin());
            kinds[at] = one[2].text;
            kinds[at][0] = char(kinds[at][0] | 0x20);
            values[at] = one.size() > 4 ? joined(one.subspan(4)) : "0";
        }
        std::set<std::pair<std::string, std::string>> different;
        for (std::size_t at = 0; at < 4; ++at) {
            if (one_dimensional() && kSides[at].axis == "y") continue;
            different.emplace(kinds[at], trimmed(values[at]));
            const bool opposite = kinds[at ^ 1] == "periodic";
            if (kinds[at] == "periodic" && opposite) continue;
            if (kinds[at] == "periodic") {
                leave(fmt::format("{} periodic at {} alone: nothing flows there", name(i), kSides[at].ours));
                kinds[at] = "neumann";
                values[at] = "0";
            }
            condition(i, std::string(kSides[at].ours), kinds[at], values[at]);
        }
        if (different.size() == 1)
            edge(i, different.begin()->first, different.begin()->second);
        else if (options_.on("domainViaIndicatorFun") && has_domain())
            leave(fmt::format(
                "the conditions of {} at the edge of the domain, which differ by side: nothing flows there",
                name(i)));
    }

    void condition(int i, const std::string& side, const std::string& kind, const std::string& typed) {
        const std::string& own = formulas_.species()[std::size_t(i)];
        std::vector<std::string> others = formulas_.species();
        std::erase(others, own);
        const bool known = kind == "dirichlet" || kind == "neumann" || kind == "robin" || kind == "ghost";
        const bool held = (kind == "dirichlet" || kind == "ghost") && formulas_.uses(typed, {own});
        if (!known || held || formulas_.uses(typed, others) || formulas_.uses(typed, {"RAND", "RANDN"})) {
            leave(fmt::format("{} at {}: {} = {}; nothing flows there", name(i), side, kind, trimmed(typed)));
            return line(fmt::format("{}: flux({}) = 0", side, name(i)));
        }
        const std::string text = formulas_.write(typed, true);
        // The face lies halfway to a ghost cell, whose value this is.
        const std::string left = kind == "dirichlet" ? name(i)
                                 : kind == "ghost"   ? fmt::format("{0} + 0.5*dx*flux({0})", name(i))
                                                     : fmt::format("flux({})", name(i));
        line(fmt::format("{}: {} = {}", side, left, text));
    }

    // Writes the condition that holds at all sides for the edge of the domain too, where it may depend on
    // other species.
    void edge(int i, const std::string& kind, const std::string& typed) {
        if (!options_.on("domainViaIndicatorFun") || !has_domain()) return;
        const std::string& own = formulas_.species()[std::size_t(i)];
        if (kind == "dirichlet" && formulas_.uses(typed, {own}))
            return leave(fmt::format(
                "{} = {} at the edge of the domain, across which nothing flows", name(i), trimmed(typed)));
        if (formulas_.uses(typed, {"RAND", "RANDN"})) return;
        const bool zero = formulas_.value(typed) == 0;
        if (kind == "dirichlet" || (!zero && (kind == "neumann" || kind == "robin")))
            line(fmt::format("edge: {} = {}",
                             kind == "dirichlet" ? name(i) : fmt::format("flux({})", name(i)),
                             formulas_.write(typed, true)));
    }

    bool moves(const std::string& typed) const {
        return formulas_.has_species(typed) || formulas_.uses(typed, {"t"});
    }

    // Whether `inside` is written.
    bool has_domain() const {
        const std::string typed = options_["domainIndicatorFun"];
        return !formulas_.uses(typed, {"RAND", "RANDN"}) && !formulas_.has_slopes(typed) &&
               (moves(typed) || !formulas_.is_uniform(typed)) && !formulas_.has_picture(typed);
    }

    void inside() {
        if (!options_.on("domainViaIndicatorFun")) return;
        const std::string typed = options_["domainIndicatorFun"];
        if (formulas_.uses(typed, {"RAND", "RANDN"}) || formulas_.has_slopes(typed))
            return leave("the domain " + trimmed(typed) + ": all of the rectangle is stepped");
        if (formulas_.is_uniform(typed) && !moves(typed)) return leave("the domain " + trimmed(typed));
        if (moves(typed))
            leave("what is outside of the moving domain " + trimmed(typed) +
                  ": cells there keep their values, and begin with them when it reaches them");
        const std::string text = is_condition(pieces_of(typed))
                                     ? formulas_.write(typed)
                                     : fmt::format("{} > 0", formulas_.write(typed));
        if (formulas_.has_picture(typed))
            return leave(fmt::format("the domain of a picture: add inside = {} for it", text));
        line("inside = " + text);
    }

    void shown() {
        std::string typed = trimmed(options_["whatToPlot"]);
        const std::vector<std::string>& species = formulas_.species();
        if (!options_.given("whatToPlot")) typed = species[std::min<std::size_t>(1, species.size() - 1)];
        const auto one = std::ranges::find(species, typed);
        if (one != species.end()) {
            if (one != species.begin()) line("show = " + formulas_.names.of(typed));
        } else if (!typed.empty() && !formulas_.value(typed)) {
            if (const auto text = written("what is shown, " + typed, typed)) {
                line("shown = " + *text);
                line("show = shown");
            }
        }
        for (const Options& view : options_.further_views()) further(view);
        arrows();
        range_ = range_of(options_);
    }

    // Makes a definition of another view's formula, so that one can switch to it, with the view's colours.
    void further(const Options& view) {
        const std::string typed = trimmed(view["whatToPlot"]);
        if (!view.given("whatToPlot") || typed == trimmed(options_["whatToPlot"]) ||
            !seen_.insert(typed).second || (formulas_.is_uniform(typed) && !formulas_.has_species(typed)))
            return;
        std::string name;
        if (contains(formulas_.species(), typed)) {
            name = formulas_.names.of(typed);
        } else {
            const auto text = written("the view " + name_of(view), typed);
            if (!text) return;
            name = formulas_.names.fresh(fmt::format("view{}", ++definitions_ + 1));
            line(fmt::format("{} = {}", name, *text));
        }
        const Options whole = options_.with(view);
        const std::string table = table_of(whole, "the view " + name_of(view)), range = range_of(whole);
        colors_.push_back(fmt::format("{}={}{}{}", name, table, range.empty() ? "" : ",", range));
    }

    // The range of a view's colours, as --range takes it; empty: automatic.
    std::string range_of(const Options& view) const {
        const auto low = formulas_.value(view["minColourValue"]);
        const auto high = formulas_.value(view["maxColourValue"]);
        if (!low || !high || *low >= *high || view.on("autoSetColourRange")) return "";
        return fmt::format("{}:{}", *low, *high);
    }

    // The colour table of a view; empty if it is another.
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

    // A formula that only shows something: what cannot be said of it is left out.
    std::optional<std::string> written(const std::string& what, const std::string& typed) {
        try {
            return formulas_.write(typed);
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
            // The y axis points down here.
            arrows_ = fmt::format("{},-({})", formulas_.write(across, true), formulas_.write(up, true));
        } catch (const InputError& error) {
            leave(fmt::format("arrows: {}", error.what()));
        }
    }

    // Parameters, and what formulas have turned out to need.
    void definitions() {
        std::vector<std::string> rows;
        for (const Parameter& one : formulas_.parameters()) {
            const std::string left = formulas_.names.of(one.name);
            if (formulas_.is_number(one))
                rows.push_back(fmt::format(
                    "{} = {}{}", left, joined(one.value), one.range.empty() ? "" : " in " + one.range));
            else if (is_used(one))
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
                              path.empty() ? "" : ", " + path.substr(0, 80)));
        }
        if (needs.integral && formulas_.value(options_["globalIntegralUpdatePeriod"]).value_or(10) != 1)
            leave("that GlobalInt is computed in some steps only: integral() is in each");
        lines_.insert(lines_.end(), rows.begin(), rows.end());
    }

    // Formulas that nothing names are left out: they may be of what does not carry over.
    bool is_used(const Parameter& one) {
        const std::string own = formulas_.names.of(one.name);
        const auto in = [&](const std::string& text) { return mentions(pieces_of(text), own); };
        if (std::ranges::any_of(lines_, in)) return true;
        return std::ranges::any_of(formulas_.parameters(), [&](const Parameter& other) {
            return other.name != one.name && mentions(other.value, one.name);
        });
    }

    std::string bracketed_origin(const std::string& option) {
        return '(' + formulas_.write(options_[option], true) + ')';
    }

    double positive(const std::string& option) {
        const auto value = formulas_.value(options_[option]);
        if (!value || !std::isfinite(*value) || *value <= 0)
            throw InputError("{} is {}: it must be a positive number", option, quotable(options_[option]));
        return *value;
    }

    void settings() {
        const double length = positive("domainScale");
        const int cells = int(
            std::clamp(std::floor(length / positive("spatialStep") + 1e-9), 1.0, double(kMostCellsOfSide)));
        line(fmt::format("dx = {};  dt = {}", length / cells, positive("dt")));
        line(fmt::format("size = {}x{}", cells, one_dimensional() ? 1 : cells));
        if (integrator() != "euler") line("integrator = " + integrator());
        const std::string scheme = options_["timesteppingScheme"];
        for (int i = algebraic_from_; i < count(); ++i)
            if (is_map(i) && integrator() != "euler") {
                std::ranges::replace(lines_, "integrator = " + integrator(), "integrator = euler");
                leave(fmt::format(
                    "the scheme {}: {} is given outright, which euler alone steps", scheme, name(i)));
                break;
            }
        if (const std::string table = table_of(options_, ""); !table.empty()) line("colormap = " + table);
    }

    void tell_left_out() {
        for (const Left& row : left_out()) {
            const bool given = std::ranges::any_of(options_.values(), [&](const auto& option) {
                return std::ranges::any_of(
                    row.options, [&](std::string_view name) { return option.first.starts_with(name); });
            });
            if (given) leave(std::string(row.subject));
        }
    }

    Imported assembled() {
        std::string text = "# From VisualPDE. Its y axis points up, and Top is the top here, too.\n";
        for (const std::string& note : notes_) text += "# " + one_line(note) + '\n';
        const std::string title = trimmed(options_["simTitle"]);
        if (!title.empty()) text += "title = " + in_quotes(title) + '\n';
        for (const std::string& line : lines_) text += line + '\n';
        for (std::string& note : notes_) note = one_line(note);
        return {text, notes_, range_, arrows_, colors_};
    }

    static std::string one_line(std::string text) {
        std::ranges::replace_if(
            text, [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, ' ');
        return text;
    }

    const Options& options_;
    mutable FormulaWriter formulas_;
    int algebraic_from_ = 0;
    std::vector<std::string> lines_, notes_, colors_;
    std::string range_, arrows_;
    std::set<std::string> seen_;  ///< by further views, as typed
    int definitions_ = 0;         ///< of further views
};

}  // namespace

Imported model_of_visualpde(const Options& options) {
    return Writer(options).result();
}

}  // namespace stencil::import
