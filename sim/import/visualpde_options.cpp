#include "sim/import/visualpde_options.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>

#include "sim/import/lz_string.h"
#include "sim/import/pieces.h"
#include "sim/model/text/tokens.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::import {
namespace {

using Json = nlohmann::json;
constexpr std::size_t kMostOptions = 1000, kMostViews = 50, kMostParts = 1000;
using Row = std::pair<std::string_view, std::string_view>;

// Default values of options, if they matter here; other options are empty by default.
constexpr auto kDefaults = std::to_array<Row>({
    {"boundaryConditions_", "periodic"},
    {"colourmap", "turbo"},
    {"diffusionStr_1_1", "0.04"},
    {"diffusionStr_2_2", "0.02"},
    {"diffusionStr_3_3", "0.02"},
    {"diffusionStr_", "0"},
    {"dimension", "2"},
    {"dirichletStr_", "0"},
    {"domainIndicatorFun", "(L_min/2)^2 - ((x-L_x/2)^2 + (y-L_y/2)^2)"},
    {"domainScale", "100"},
    {"dt", "0.1"},
    {"initCond_1", "1.0"},
    {"initCond_", "0"},
    {"maxColourValue", "1.0"},
    {"minColourValue", "0.0"},
    {"minX", "0"},
    {"minY", "0"},
    {"neumannStr_", "0"},
    {"numAlgebraicSpecies", "0"},
    {"numSpecies", "2"},
    {"reactionStr_1", "-u*v^2 + 0.037*(1.0 - u)"},
    {"reactionStr_2", "u*v^2 - (0.037+0.06)*v"},
    {"reactionStr_3", "u*v^2 - (0.037+0.06)*v"},
    {"reactionStr_", "0"},
    {"robinStr_", "0"},
    {"spatialStep", "0.5"},
    {"speciesNames", "u v w q"},
    {"timescale_", "1"},
    {"timesteppingScheme", "Euler"},
    {"whatToPlot", "v"},
});

// Short names in links, except those with letters for species.
constexpr auto kShort = std::to_array<Row>({
    {"aVi", "activeViewInd"},
    {"aV", "algebraicV"},
    {"aW", "algebraicW"},
    {"c", "colourmap"},
    {"cD", "crossDiffusion"},
    {"d", "domainIndicatorFun"},
    {"di", "dimension"},
    {"ds", "domainScale"},
    {"dv", "domainViaIndicatorFun"},
    {"fc", "flippedColourmap"},
    {"io", "imagePathOne"},
    {"it", "imagePathTwo"},
    {"iS", "initialState"},
    {"k", "kineticParams"},
    {"ma", "maxColourValue"},
    {"mi", "minColourValue"},
    {"n", "numSpecies"},
    {"na", "numAlgebraicSpecies"},
    {"o", "oneDimensional"},
    {"ov", "overlay"},
    {"p", "preset"},
    {"pa", "parent"},
    {"pT", "plotType"},
    {"sn", "speciesNames"},
    {"sp", "spatialStep"},
    {"sq", "squareCanvas"},
    {"ts", "timesteppingScheme"},
    {"v", "views"},
    {"wp", "whatToPlot"},
});
constexpr auto kShortOfSpecies = std::to_array<Row>({{"b", "boundaryConditions"},
                                                     {"c", "initCond"},
                                                     {"cs", "comboStr"},
                                                     {"d", "dirichletStr"},
                                                     {"n", "neumannStr"},
                                                     {"r", "reactionStr"},
                                                     {"ro", "robinStr"}});

// Former names of options, apart from those with the letters U, V, W and Q instead of numbers.
constexpr auto kOld = std::to_array<Row>({{"clearValue", "initCond"}});

// Options whose names identify a file of VisualPDE.
constexpr auto kTelling = std::to_array<std::string_view>({"reactionStr",
                                                           "boundaryConditions",
                                                           "kineticParams",
                                                           "diffusionStr",
                                                           "numSpecies",
                                                           "initCond_",
                                                           "domainScale",
                                                           "speciesNames",
                                                           "spatialStep",
                                                           "whatToPlot",
                                                           "numTimestepsPerFrame",
                                                           "simTitle",
                                                           "\"preset\"",
                                                           "presets["});

int number_of(char letter) {
    const std::size_t place = std::string_view("UVWQ").find(letter);
    return place == std::string_view::npos ? 0 : int(place) + 1;
}

// Replaces the letters at the end by numbers: diffusionStrUV becomes diffusionStr_1_2; empty if there are
// none.
std::string with_numbers(std::string_view name, std::string_view stem, std::string_view meant) {
    std::string_view letters = name;
    if (!name.starts_with(stem)) return {};
    letters.remove_prefix(stem.size());
    if (letters.empty() || letters.size() > 2 || !std::ranges::all_of(letters, number_of)) return {};
    std::string text(meant);
    for (const char letter : letters) text += '_' + std::to_string(number_of(letter));
    return text;
}

std::string long_name(const std::string& name) {
    for (const auto& [brief, full] : kShort)
        if (name == brief) return std::string(full);
    for (const auto& [brief, full] : kShortOfSpecies)
        if (const std::string numbered =
                with_numbers(name, brief, brief == "d" && name.size() == 3 ? "diffusionStr" : full);
            !numbered.empty())
            return numbered;
    return name;
}

std::string present_name(const std::string& name) {
    for (const auto& [old, present] : kOld)
        if (const std::string numbered = with_numbers(name, old, present); !numbered.empty()) return numbered;
    for (const std::string_view stem : {"boundaryConditions",
                                        "comboStr",
                                        "diffusionStr",
                                        "dirichletStr",
                                        "neumannStr",
                                        "reactionStr",
                                        "robinStr"})
        if (const std::string numbered = with_numbers(name, stem, stem); !numbered.empty()) return numbered;
    return name;
}

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

// Converts an object in JavaScript's syntax to JSON: `presets["NAME"] = {dt: 0x1, ...};`. Line breaks that an
// export inserts inside strings are removed.
class ObjectReader {
  public:
    explicit ObjectReader(std::string_view text) : text_(text) {}

    std::string json() {
        at_ = text_.find('{');
        if (at_ == text_.npos) return std::string(text_);
        int depth = 0;
        std::size_t parts = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"' || c == '\'' || c == '`') {
                string(c);
            } else if (text_.substr(at_, 2) == "//" || text_.substr(at_, 2) == "/*") {
                comment();
            } else if (is_word(c) || c == '-' || c == '+' || c == '.') {
                word();
            } else {
                if ((c == '{' || c == '[') && ++parts > kMostParts)
                    throw InputError("it has more than {} objects and lists", kMostParts);
                depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
                if ((c == '}' || c == ']') && after_comma()) out_.erase(out_.find_last_of(','), 1);
                out_ += c;
                ++at_;
                if (depth == 0) return out_;
            }
        }
        return out_;
    }

  private:
    bool after_comma() const {
        const std::size_t last = out_.find_last_not_of(" \t\r\n");
        return last != out_.npos && out_[last] == ',';
    }

    void string(char quote) {
        out_ += '"';
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            const char c = text_[at_];
            if (c == '\\' && at_ + 1 < text_.size()) {
                ++at_;
                if (text_[at_] == '\'' || text_[at_] == '`')
                    out_ += text_[at_];
                else if (text_[at_] != '\n')
                    out_ += {c, text_[at_]};
            } else if (c == '"') {
                out_ += "\\\"";
            } else if (static_cast<unsigned char>(c) >= 0x20) {
                out_ += c;
            }
        }
        out_ += '"';
        if (at_ < text_.size()) ++at_;
    }

    void comment() {
        const std::string_view end = text_[at_ + 1] == '/' ? "\n" : "*/";
        const std::size_t found = text_.find(end, at_ + 2);
        at_ = found == text_.npos ? text_.size() : found + end.size();
    }

    // A number, a word such as true, or a name, which JSON requires in quotes.
    void word() {
        const std::size_t begin = at_;
        while (at_ < text_.size() &&
               (is_word(text_[at_]) || text_[at_] == '-' || text_[at_] == '+' || text_[at_] == '.'))
            ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        const std::size_t next = text_.find_first_not_of(" \t\r\n", at_);
        const bool name = next != text_.npos && text_[next] == ':';
        if (name || !(word == "true" || word == "false" || word == "null"))
            quoted(word);  // numbers too, since options are stored as texts
        else
            out_ += word;
    }

    void quoted(std::string_view word) {
        out_ += '"';
        out_ += word;
        out_ += '"';
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
};

std::string text_of(const Json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    return value.is_null() || value.is_structured() ? "" : value.dump();
}

using Values = std::map<std::string, std::string>;

// Present names take precedence over former ones in the same object.
Values values_of(const Json& object, bool shortened) {
    Values values;
    for (const auto& [key, value] : object.items()) {
        const std::string full = shortened ? long_name(key) : key, name = present_name(full);
        if (!value.is_null() && (name == full || !object.contains(name))) values[name] = text_of(value);
    }
    return values;
}

[[noreturn]] void refuse_twice(const std::string& name) {
    throw InputError("it names '{}' twice", quotable(name));
}

Json parsed(std::string_view text) {
    const std::string json = ObjectReader(text).json();
    constexpr int kDeepest = 20;
    int deepest = 0;
    std::array<std::set<std::string>, kDeepest + 2> keys;  // keys of the open objects, by depth
    std::string twice;
    const auto keep = [&](int depth, Json::parse_event_t event, Json& part) {
        deepest = std::max(deepest, depth);
        if (depth > kDeepest) return false;
        if (event == Json::parse_event_t::object_start) keys[std::size_t(depth) + 1].clear();
        if (event == Json::parse_event_t::key &&
            !keys[std::size_t(depth)].insert(part.get<std::string>()).second)
            twice = part.get<std::string>();
        return true;
    };
    const Json object = Json::parse(std::string_view(json), keep, false);
    if (!object.is_object() || deepest > kDeepest) throw InputError("it is not an object of options");
    if (!twice.empty()) refuse_twice(twice);
    if (object.size() > kMostOptions) throw InputError("it has more than {} options", kMostOptions);
    return object;
}

std::string percent_decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto hex = [&](std::size_t at) {
            return at < text.size() ? std::string_view("0123456789abcdef")
                                          .find(char(std::tolower(static_cast<unsigned char>(text[at]))))
                                    : std::string_view::npos;
        };
        const bool coded = text[i] == '%' && hex(i + 1) < 16 && hex(i + 2) < 16;
        plain += coded ? char(hex(i + 1) * 16 + hex(i + 2)) : text[i];
        if (coded) i += 2;
    }
    return plain;
}

std::optional<std::string_view> parameter(std::string_view link, std::string_view name) {
    std::size_t at = link.find('?');
    while (at < link.size()) {
        const std::string_view rest = link.substr(at + 1);
        const std::string_view one = rest.substr(0, rest.find_first_of("&#"));
        if (one.starts_with(name) && one.substr(name.size(), 1) == "=") return one.substr(name.size() + 1);
        at += one.size() + 1;
    }
    return std::nullopt;
}

}  // namespace

bool Options::in(std::string_view text) {
    return std::ranges::any_of(kTelling, [&](std::string_view name) { return text.find(name) != text.npos; });
}

Options Options::read(std::string_view text) {
    const std::size_t first = text.find("presets[");
    if (first != text.npos && text.find("presets[", first + 1) != text.npos)
        throw InputError("it has several presets: give a file of one alone");
    const Json object = parsed(text);
    Options options;
    options.values_ = values_of(object, false);
    const std::string parent = options["parent"];
    if (!parent.empty() && parent != "default" && parent != "null")
        throw InputError(
            "it has only what differs from the preset {}, which is not there: open it in VisualPDE and take "
            "its link, which has everything",
            quotable(parent));
    const auto views = object.find("views");
    if (views == object.end() || !views->is_array() || views->empty()) return options;
    if (views->size() > kMostViews) throw InputError("it has more than {} views", kMostViews);
    const int last = int(views->size()) - 1;
    const double given = read_real(options["activeViewInd"]).value_or(0);
    const std::size_t active =
        std::size_t(whole_number(std::clamp(given, 0.0, double(last)), 0, last).value_or(0));
    for (std::size_t i = 0; i < views->size(); ++i) {
        const Json& view = (*views)[i];
        if (!view.is_object()) continue;
        if (i != active) options.views_.emplace_back().values_ = values_of(view, false);
        if (i == active)
            for (const auto& [key, value] : values_of(view, false)) options.values_[key] = value;
    }
    return options;
}

Options Options::of_link(std::string_view link) {
    const auto coded = parameter(link, "options");
    if (!coded && parameter(link, "preset"))
        throw InputError(
            "the link names a preset, and nothing is fetched: open it in VisualPDE, and take the link that "
            "`Share` copies, with ?options=");
    if (!coded) throw InputError("the link has no ?options=, which carry a simulation of VisualPDE");
    const Json object = parsed(decompress_lz_string(percent_decoded(*coded), equation::kMaxText));
    Json full = Json::object();
    for (const auto& [key, value] : object.items()) {
        const std::string name = long_name(key);
        if (full.contains(name)) refuse_twice(name);
        full[name] = value;
    }
    return read(full.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string Options::operator[](const std::string& name) const {
    const auto given = values_.find(name);
    if (given != values_.end()) return given->second;
    for (const auto& [key, value] : kDefaults)
        if (name == key || (key.ends_with('_') && name.starts_with(key))) return std::string(value);
    return {};
}

std::string Options::of(const std::string& stem, int species) const {
    return (*this)[stem + '_' + std::to_string(species)];
}

bool Options::on(const std::string& name) const {
    const std::string value = (*this)[name];
    return value == "true" || value == "1";
}

}  // namespace stencil::import
