#include "sim/sweep/sweep_spec.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sim/files/input_file.h"
#include "sim/model/equations.h"
#include "sim/model/model.h"
#include "sim/model/side_conditions.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/run/stop_condition.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/text/shell_words.h"

namespace stencil {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kKey = "sweep";
const Given kVary{"vary"};

// A side of a component, as a name of what varies gives it.
struct NamedSide {
    equation::Side side;
    std::string component;
};

std::optional<NamedSide> named_side(std::string_view name) {
    const auto colon = name.find(':');
    const auto found = std::ranges::find(equation::kSideNames, name.substr(0, colon));
    if (found == equation::kSideNames.end()) return std::nullopt;
    return NamedSide{equation::Side(found - equation::kSideNames.begin()),
                     colon == name.npos ? "" : std::string(name.substr(colon + 1))};
}

// The condition with another value; sides without one get a fixed value.
SideCondition with_value(SideCondition condition, const std::string& value) {
    using Kind = SideCondition::Kind;
    if (condition.kind != Kind::flux && condition.kind != Kind::robin) condition = {.kind = Kind::value};
    condition.value = value;
    return condition;
}

void set_side(RunSpec& spec, const NamedSide& at, const std::string& value) {
    const std::string component = spec.model->components[component_index(*spec.model, at.component)].name;
    const std::string text = text_of_run(spec);
    std::string changed;
    if (at.side == equation::Side::edge) {
        const auto condition = edge_condition(text, component);
        if (!condition) throw InputError(kVary, "the model has no shape, so there is no edge");
        changed = text_with_edge(text, component, with_value(*condition, value));
    } else {
        const SideCondition condition = side_conditions(text, component)[std::size_t(at.side)];
        changed = text_with_side(text, component, at.side, with_value(condition, value));
    }
    const TimeStep dt = spec.dt;
    const Ending ending = spec;
    use_text(spec, model_of_text(changed));
    spec.dt = dt;
    static_cast<Ending&>(spec) = ending;
}

// What varies must be a part of the problem: not the device, not how a run is shown, and not the size of the
// fields, which are one array.
bool may_vary(const Setting& setting) {
    if (contains(std::array{setting_name::steps, setting_name::time, setting_name::until}, setting.name))
        return true;
    if (contains(
            std::array{setting_name::size, setting_name::dtype, setting_name::sensitivity, setting_name::set},
            setting.name))
        return false;
    return setting.kind != SettingKind::view && setting.kind != SettingKind::device;
}

void require_name(const RunSpec& spec, const std::string& name) {
    if (named_side(name) || spec.model->index_of(name)) return;
    const Setting* setting = setting_named(name);
    if (setting && may_vary(*setting)) return;
    std::vector<std::string> known = names_of(spec.model->parameters);
    for (const Setting& each : settings())
        if (may_vary(each) && !contains(known, each.name)) known.emplace_back(each.name);
    known.insert(known.end(), equation::kSideNames.begin(), equation::kSideNames.end());
    if (setting)
        throw InputError(
            kVary, "'{}' is the same in all runs of a sweep (allowed: {})", name, fmt::join(known, ", "));
    throw InputError(kVary, unknown_name_message("name", name, known));
}

// Parses the value, without a look at other settings: a run that cannot be is a run of the sweep that says
// so.
void require_value(RunSpec spec, const std::string& name, const std::string& value) {
    try {
        if (const auto side = named_side(name))
            set_side(spec, *side, value);
        else
            set_setting(spec, name, value);
    } catch (const InputError& error) {
        throw InputError(kVary, "{}={}: {}", name, quotable(value), error.sentence());
    }
}

// Splits at commas that are not in parentheses.
std::vector<std::string> split_values(std::string_view text) {
    std::vector<std::string> values(1);
    int depth = 0;
    for (const char c : text) {
        depth += c == '(' ? 1 : c == ')' ? -1 : 0;
        if (c == ',' && depth == 0)
            values.emplace_back();
        else
            values.back() += c;
    }
    return values;
}

// Twelve digits hide what the division of a range rounds.
std::string step_text(double value) {
    return fmt::format("{:.12g}", value);
}

// Beside the range, what rounding leaves in place of 0.
constexpr double kNothing = 1e-12;

std::optional<Vary> read_range(std::string_view name, std::string_view text) {
    const auto parts = split(text, ':');
    const bool log = parts.size() == 4 && parts[3] == "log";
    if (parts.size() != 3 && !log) return std::nullopt;
    const auto from = read_real(parts[0]), to = read_real(parts[1]);
    if (!from || !to) return std::nullopt;
    const auto count = parse_integer(parts[2], fmt::format("vary {}", name), 2, SweepSpec::kMostRuns);
    if (*from == *to) throw InputError(kVary, "{}: {} to {} is one value", name, parts[0], parts[1]);
    if (log && !(*from > 0 && *to > 0))
        throw InputError(kVary, "{}: a logarithmic range needs values above 0", name);
    Vary vary{std::string(name), {}, log};
    for (long long i = 0; i < count; ++i) {
        const double share = double(i) / double(count - 1);
        double value = log ? *from * std::pow(*to / *from, share) : *from + (*to - *from) * share;
        if (!log && std::abs(value) < kNothing * std::abs(*to - *from)) value = 0;
        vary.values.push_back(i == 0 ? parts[0] : i == count - 1 ? parts[1] : step_text(value));
    }
    return vary;
}

// The cells of a line of CSV.
std::vector<std::string> cells_of(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
            cells.back() += line[++i];
        else if (c == '"')
            quoted = !quoted;
        else if (c == ',' && !quoted)
            cells.emplace_back();
        else if (quoted || (c != ' ' && c != '\t' && c != '\r'))
            cells.back() += c;
    }
    return cells;
}

std::string components_text(const RunSpec& spec) {
    return fmt::format("{}", fmt::join(names_of(spec.model->components), ", "));
}

}  // namespace

Vary parse_vary(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0 || equals + 1 == text.size())
        throw InputError(Given{"vary", quotable(text)},
                         "must be NAME=FROM:TO:COUNT, NAME=FROM:TO:COUNT:log, NAME=A,B,C or a list of runs "
                         "in a file, e.g. F=0.01:0.07:7");
    const std::string_view name = text.substr(0, equals), values = text.substr(equals + 1);
    Vary vary;
    if (auto range = read_range(name, values))
        vary = *std::move(range);
    else
        vary = {std::string(name), split_values(values)};
    if (contains(vary.values, std::string()))
        throw InputError(Given{"vary", quotable(text)}, "a value is missing");
    if (const Setting* setting = setting_named(vary.name)) vary.name = setting->name;
    return vary;
}

std::string to_string(const Vary& vary) {
    const std::string range = fmt::format("{}={}:{}:{}{}",
                                          vary.name,
                                          vary.values.front(),
                                          vary.values.back(),
                                          vary.values.size(),
                                          vary.log ? ":log" : "");
    const auto as_range =
        vary.values.size() > 1 ? read_range(vary.name, range.substr(vary.name.size() + 1)) : std::nullopt;
    return as_range == vary ? range : fmt::format("{}={}", vary.name, fmt::join(vary.values, ","));
}

std::vector<Vary> read_run_list(const std::filesystem::path& file) {
    InputFile input(file);
    std::vector<Vary> columns;
    for (const std::string& line : split(input.read_text(), '\n')) {
        if (line.find_first_not_of(" \t\r") == line.npos || line.starts_with('#')) continue;
        const auto cells = cells_of(line);
        if (columns.empty()) {
            for (const std::string& name : cells) columns.push_back({std::string(present_name(name)), {}});
            continue;
        }
        if (cells.size() != columns.size())
            input.refuse(fmt::format("run {} has {} values, and the first line names {}",
                                     columns.front().values.size() + 1,
                                     cells.size(),
                                     columns.size()));
        for (std::size_t i = 0; i < cells.size(); ++i) columns[i].values.push_back(cells[i]);
    }
    if (columns.empty() || columns.front().values.empty())
        input.refuse("must have a line of names and below it a line for each run");
    return columns;
}

RunSpec with_varied(RunSpec spec, std::string_view name, const std::string& value) {
    if (const auto side = named_side(name)) {
        set_side(spec, *side, value);
        return spec;
    }
    return with_setting(std::move(spec), name, value);
}

bool changes_text(std::string_view name) {
    if (named_side(name)) return true;
    return setting_named(name) && kind_of(name) == SettingKind::shape && name != setting_name::dt;
}

std::size_t SweepSpec::count() const {
    std::size_t count = 1;
    for (const std::size_t runs : shape()) count *= runs;
    return count;
}

std::vector<std::size_t> SweepSpec::shape() const {
    std::vector<std::size_t> shape;
    for (const Vary& one : vary) shape.insert(shape.begin(), one.values.size());
    if (listed) shape.resize(1);
    return shape;
}

std::size_t SweepSpec::place(std::size_t run, std::size_t axis) const {
    if (listed) return run;
    for (std::size_t faster = 0; faster < axis; ++faster) run /= vary[faster].values.size();
    return run % vary[axis].values.size();
}

const std::string& SweepSpec::value(std::size_t run, std::size_t axis) const {
    return vary[axis].values[place(run, axis)];
}

std::string SweepSpec::name(std::size_t run) const {
    std::string name;
    for (std::size_t axis = 0; axis < vary.size(); ++axis)
        name += fmt::format("{}{}={}", axis > 0 ? ", " : "", vary[axis].name, value(run, axis));
    return name;
}

RunSpec SweepSpec::run(std::size_t index) const {
    RunSpec spec = base;
    // Parameters exist by the model, and a side is a part of its text.
    for (const bool of_model : {true, false})
        for (std::size_t axis = 0; axis < vary.size(); ++axis)
            if ((chooses_model(vary[axis].name) || named_side(vary[axis].name)) == of_model)
                spec = with_varied(std::move(spec), vary[axis].name, value(index, axis));
    return spec;
}

void SweepSpec::validate() const {
    if (vary.empty())
        throw InputError("a sweep needs --vary NAME=FROM:TO:COUNT, what differs from run to run");
    double runs = 1;
    for (const Vary& one : vary) runs *= listed ? 1 : double(one.values.size());
    if (runs > double(kMostRuns))
        throw InputError(kVary, "{:.0f} runs are too many: at most {}", runs, kMostRuns);
    for (std::size_t axis = 0; axis < vary.size(); ++axis) {
        const Vary& one = vary[axis];
        const auto twice = std::ranges::count(vary, one.name, &Vary::name);
        if (twice > 1) throw InputError(kVary, "{} varies twice", one.name);
        if (chooses_model(one.name)) {
            for (const std::string& value : one.values) {
                const RunSpec other = with_varied(base, one.name, value);
                if (components_text(other) != components_text(base))
                    throw InputError(kVary,
                                     "{}={}: has the components {}, and the sweep's runs have {}",
                                     one.name,
                                     quotable(value),
                                     components_text(other),
                                     components_text(base));
            }
            continue;
        }
        require_name(base, one.name);
        for (const std::string& value : one.values) require_value(base, one.name, value);
    }
    for (const Event& event : base.edits)
        if (const SetSetting* set = event.setting();
            set && (set->setting == setting_name::size || set->setting == setting_name::dtype ||
                    chooses_model(set->setting)))
            throw InputError(Given{"at", std::to_string(event.step)},
                             "{} changes, and the fields of a sweep are one array",
                             set->setting);
    for (const std::string& formula : observe)
        require_whole_field_value(*base.model, formula, Given{"observe", quotable(formula)});
}

std::string command_text(const SweepSpec& sweep) {
    constexpr std::string_view kRun = "stencilscope run";
    std::string text = "stencilscope sweep" + command_text(sweep.base).substr(kRun.size());
    for (const Vary& one : sweep.vary) text += " --vary " + quoted_for_shell(to_string(one));
    for (const std::string& formula : sweep.observe) text += " --observe " + quoted_for_shell(formula);
    if (!sweep.map.empty()) text += " --map " + quoted_for_shell(sweep.map);
    return text;
}

Json to_json(const SweepSpec& sweep) {
    Json vary = Json::array();
    for (const Vary& one : sweep.vary) {
        Json row{{"name", one.name}, {"values", one.values}};
        if (one.log) row["log"] = true;
        vary.push_back(row);
    }
    Json json = to_json(sweep.base);
    json[kKey] = {{"vary", vary}, {"observe", sweep.observe}};
    if (sweep.listed) json[kKey]["listed"] = true;
    if (!sweep.map.empty()) json[kKey]["map"] = sweep.map;
    return json;
}

bool is_sweep(const std::string& text) {
    const Json json = Json::parse(text, nullptr, false);
    return json.is_object() && json.contains(kKey);
}

SweepSpec sweep_from_json(const std::string& text, const std::string& file) {
    Json json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains(kKey)) throw InputError("{}: is no sweep's", file);
    SweepSpec sweep;
    try {
        const Json& own = json.at(kKey);
        for (const Json& row : own.at("vary"))
            if (row.is_string())
                sweep.vary.push_back(parse_vary(row.get<std::string>()));
            else
                sweep.vary.push_back({row.at("name").get<std::string>(),
                                      row.at("values").get<std::vector<std::string>>(),
                                      row.value("log", false)});
        sweep.observe = own.at("observe").get<std::vector<std::string>>();
        sweep.listed = own.value("listed", false);
        sweep.map = own.value("map", "");
    } catch (const Json::exception&) {
        throw InputError(
            "{}: '{}' must have `vary`, a list of names with their values, and `observe`", file, kKey);
    }
    if (sweep.listed)
        for (const Vary& one : sweep.vary)
            if (one.values.size() != sweep.vary.front().values.size())
                throw InputError("{}: the columns of a list have different lengths", file);
    json.erase(kKey);
    sweep.base = spec_from_json(json.dump(), file);
    return sweep;
}

}  // namespace stencil
