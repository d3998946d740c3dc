#include "sim/problem/run_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "sim/files/held_arrays.h"
#include "sim/files/input_file.h"
#include "sim/import/model_file.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/sides.h"
#include "sim/model/step/stages.h"
#include "sim/model/time_step.h"
#include "sim/problem/artifact.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/setting_rows.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/unstable_step.h"
#include "sim/text/error.h"
#include "sim/text/json.h"
#include "sim/text/names.h"
#include "sim/text/numbers.h"
#include "sim/text/quote.h"
#include "sim/view/arrows.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

// Keys of spec.json that are not settings.
constexpr std::array<std::string_view, 9> kRemarks{
    "program", "version", "title", "about", "open_in", "open_since", "draft", "beside", "sweep"};

constexpr const char *kInitialHash = "initial_hash", *kDtLog = "dt_log";

// Whether a key of spec.json is a setting.
bool is_setting(std::string_view key) {
    return !contains(kRemarks, key) && key != kInitialHash && key != kDtLog;
}

StepLog log_from(const Json& json) {
    StepLog log;
    for (const Json& row : json) {
        const long long least = log.empty() ? 0 : log.back().step + 1;
        log.push_back({whole_number(row.at(0), kDtLog, least, kMaxSteps),
                       real_number(row.at(1), kDtLog, std::numeric_limits<double>::min(), 1e300)});
    }
    return log;
}

// The first row of that method, on any device.
const Method* named_method(const Configuration& spec) {
    return find_method(spec.method, std::nullopt, spec.family());
}

// Whether the method exists on the backend; with `auto`, on both.
bool runs_on(const Configuration& spec) {
    return spec.backend == "auto" ? runs_on_both(spec.method) : method_of(spec) != nullptr;
}

// Takes the settings and initial conditions that the model's text states; options beside the text override
// them.
void take_from_text(RunSpec& spec) {
    const equation::Equations& text = *spec.model->equations;
    if (spec.time || !spec.until.empty()) static_cast<Ending&>(spec) = {spec.kDefaultSteps};
    forget_ending(spec, [&](std::string_view name) { return !text.statements->value(name).empty(); });
    for (const equation::SettingStatement& statement : text.statements->settings)
        if (const Setting* row = setting_named(statement.name); row && row->stated)
            row->set(spec, statement.text);
    if (!text.show.empty()) spec.show.clear();
    if (!text.colormap.empty()) {
        std::erase_if(spec.colors, [&](const auto& own) { return own.second == spec; });
        spec.colormap.clear();
    }
    for (const equation::Evolving& component : text.components)
        if (&component == &text.components.front())
            spec.initial = component.start;
        else if (!component.start.empty())
            spec.initials[component.name] = component.start;
}

// A formula of --arrows that the model cannot read; empty if there is none.
std::string missing_arrow(const RunSpec& spec) {
    for (const std::string& formula : arrow_formulas(spec.arrows))
        if (!spec.model->reads(formula)) return formula;
    return "";
}

// Whether a condition holds at the start or after some scheduled change of the model or size.
template <class Holds>
bool at_some_moment(const RunSpec& spec, const Holds& holds) {
    if (holds(spec)) return true;
    RunSpec later = spec;
    later.edits = {};
    for (const Event& event : spec.edits) {
        const SetSetting* set = event.setting();
        if (!set || kind_of(set->setting) != SettingKind::shape) continue;
        set_setting(later, set->setting, set->value);
        if (holds(later)) return true;
    }
    return false;
}

// Checks settings against each other, without scheduled changes.
void check_settings(const RunSpec& spec) {
    if (spec.model->equations->solved_alone && !(spec.initial.empty() && spec.initials.empty()))
        throw InputError(Given{"initial"},
                         "{} follows from its equation at the start, too",
                         spec.model->components.front().name);
    if (const auto bound = spec.stability(); bound && bound->exceeded() && !spec.allow_unstable)
        throw UnstableStep(
            "{} {}: above {} explicit steps are unstable; allowed: 0 < {} <= {}, or add --allow-unstable",
            bound->parameter->name,
            bound->value,
            bound->largest,
            bound->parameter->name,
            bound->largest);
    const std::string& noise = spec.model->equations->noise;
    const auto takes = [&](const equation::IntegratorRow& row) {
        return row.takes_ito() == (noise == "ito");
    };
    if (!noise.empty() && !takes(*spec.integrator.row))
        throw InputError(
            "`noise = {}` is for {}: take one of these, or {} g*dg/du/2 {} the rate, where the noise is "
            "g*normal/sqrt(dt), and write `noise = {}`",
            noise,
            equation::listed_integrators(takes, "and"),
            noise == "ito" ? "subtract" : "add",
            noise == "ito" ? "from" : "to",
            noise == "ito" ? "stratonovich" : "ito");
    const Method* named = named_method(spec);
    if (!named && spec.method != "auto")
        throw InputError(
            "--method {} steps {} alone: {}{} is stepped by auto, {}",
            spec.method,
            spec.is_general() ? "du/dt = D*lap(u) by euler in two dimensions" : "typed equations",
            spec.model->name,
            spec.flat_axis() ? " on a line" : "",
            fmt::join(names_of(methods(spec.family())), ", "));
    if (named && spec.backend != "auto" && !method_of(spec))
        throw InputError("--method {} runs on {}, and --backend says {}",
                         spec.method,
                         name_of(named->device),
                         spec.backend);
}

void set_in(RunSpec& spec, std::string_view setting, std::string_view value) {
    setting = present_name(setting);
    set_setting(spec, setting, value);
    if (setting == setting_name::backend || setting == setting_name::method) spec.kernel.reset();
    // The later setting wins: a backend without the method resets it to `auto`, and a method that the backend
    // lacks changes the backend.
    if (const Method* named = named_method(spec); named && !runs_on(spec)) {
        if (setting == setting_name::backend) spec.method = "auto";
        if (setting == setting_name::method) spec.backend = name_of(named->device);
    }
    if ((setting == setting_name::integrator || setting == setting_name::size) && !named_method(spec))
        spec.method = "auto";
    check_settings(spec);
}

std::string text_of(std::string_view name, const Json& value) {
    if (!value.is_primitive() || value.is_null())
        throw InputError("{}: must be a number, a text, true or false", name);
    return value.is_string() ? value.get<std::string>() : value.dump();
}

void set_from_json(RunSpec& spec, const std::string& name, const Json& value) {
    const Setting& setting = find_setting(name);
    if (!setting.add || !value.is_array()) {
        setting.set(spec, text_of(name, value));
        return;
    }
    std::vector<std::string> texts;
    for (const Json& item : value) texts.push_back(text_of(name, item));
    setting.add(spec, texts);
}

// Refuses repeated keys, of which nlohmann::json would silently keep the last.
Json parse_once(const std::string& text, const std::string& file) {
    std::set<std::string> keys;
    std::string twice;
    const auto note_key = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (depth == 1 && event == Json::parse_event_t::key && !keys.insert(parsed.get<std::string>()).second)
            twice = parsed.get<std::string>();
        return true;
    };
    Json json = Json::parse(text, note_key, false);
    if (json.is_discarded()) throw InputError(file + ": not valid JSON");
    if (!json.is_object()) throw InputError(file + ": must hold a JSON object of settings");
    if (!twice.empty()) throw InputError("{}: names '{}' twice", file, quotable(twice));
    return json;
}

std::size_t index_in(const Model& model, std::string_view name) {
    if (const auto index = model.index_of(name)) return *index;
    throw InputError(unknown_name_message("parameter", name, names_of(model.parameters)));
}

}  // namespace

StepParameters Problem::params() const {
    StepParameters all{{0, boundary}, parameters, time_step()};
    if (!is_general()) all.coefficient = model->diffusivity(parameters) * all.dt / (dx * dx);
    return all;
}

void Configuration::decide_dt(double step) {
    if (std::holds_alternative<UsualStep>(dt)) usual_dt = step;
    dt = with_dt(dt, step);
}

double Problem::time_step() const {
    return dt_of(dt);
}

std::optional<std::size_t> Problem::flat_axis() const {
    return size ? equation::flat_axis(size->nx, size->ny) : std::nullopt;
}

bool Problem::is_general() const {
    return !model->diffusivity || integrator != equation::Integrator() || flat_axis();
}

std::optional<std::size_t> find_component(const Model& model, std::string_view name) {
    const auto found = std::ranges::find(model.components, name, &Component::name);
    if (found == model.components.end()) return std::nullopt;
    return std::size_t(found - model.components.begin());
}

std::size_t component_index(const Model& model, std::string_view name) {
    if (name.empty()) return 0;
    if (const auto index = find_component(model, name)) return *index;
    throw InputError(unknown_name_message("component", name, names_of(model.components)));
}

InitialChoice values_of(const Model& model, const SetField& field) {
    component_index(model, field.component);
    InitialChoice choice;
    if (model.reads(field.what))
        choice.formula = field.what;
    else
        choice = parse_initial(field.what);
    if (!choice.formula.empty())
        equation::read_equations(model.text, {choice.formula});  // throws with the mistake
    initial_size(choice);                                        // throws for a file that is none
    return choice;
}

std::string_view boundary_text(const Problem& spec) {
    return spec.boundary_as_typed ? kAsTyped : name_of(spec.boundary);
}

double Problem::parameter(std::string_view name) const {
    return parameters[index_in(*model, name)];
}

void Problem::set_parameter(std::string_view name, double value) {
    parameters[index_in(*model, name)] = value;
}

bool Problem::Bound::exceeded() const {
    constexpr double kRounding = 1e-9;
    return value > largest * (1 + kRounding);
}

std::optional<Problem::Bound> Problem::stability() const {
    const auto* step = std::get_if<FixedStep>(&dt);
    if (is_general() || !step) return std::nullopt;
    const double d = model->diffusivity(parameters);
    for (std::size_t i = 0; i < parameters.size() && d > 0; ++i) {
        std::vector<double> twice = parameters;
        twice[i] *= 2;
        const double factor = d / parameters[i];
        if (factor > 0 && model->diffusivity(twice) == 2 * d)
            return Bound{
                &model->parameters[i], parameters[i], kStabilityLimit * dx * dx / (step->dt * factor)};
    }
    return std::nullopt;
}

std::string parameter_text(const Problem& spec) {
    std::string text;
    for (std::size_t i = 0; i < spec.parameters.size(); ++i)
        text += fmt::format(", {} {}", spec.model->parameters[i].name, spec.parameters[i]);
    return text;
}

RunSpec::RunSpec() {
    steps = kDefaultSteps;
    exports = default_exports();
    static const std::shared_ptr<const Model> standard = find_model(kDefaultModel);
    use_model(standard);
}

void RunSpec::use_model(std::shared_ptr<const Model> another) {
    model = std::move(another);
    parameters.clear();
    for (const ModelParameter& row : model->parameters) parameters.push_back(row.value);
    boundary = model->boundary;
    boundary_as_typed = !model->uniform_boundary;
    initials.clear();
    initial_hash.clear();
    dt = UsualStep{};
    usual_dt = 0;
    dx = 1;
    integrator = {};
    global_every = 0;
    take_from_text(*this);
    if (!named_method(*this)) method = "auto";
}

long long RunSpec::likely_steps() const {
    if (!time) return open() ? kDefaultSteps : steps;
    const double each = time_step();
    if (each <= 0) return std::min(steps, kDefaultSteps);
    return static_cast<long long>(std::min(std::max(1.0, std::ceil(*time / each)), double(steps)));
}

std::string RunSpec::shown() const {
    if (!show.empty() && model->reads(show)) return show;
    const std::string& own = model->equations->show;
    return own.empty() ? model->components.front().name : own;
}

std::string RunSpec::drawn_arrows() const {
    return missing_arrow(*this).empty() ? arrows : "";
}

bool RunSpec::draws_outline() const {
    return outline && model->equations->inside;
}

const Coloring& RunSpec::coloring(const std::string& formula) const {
    const auto own = colors.find(formula);
    return own == colors.end() ? *this : own->second;
}

std::string RunSpec::value_unit(const std::string& formula) const {
    return colors.contains(formula) || formula == shown() ? coloring(formula).unit : "";
}

Coloring& RunSpec::coloring() {
    const auto own = colors.find(shown());
    return own == colors.end() ? *this : own->second;
}

const std::string& RunSpec::chosen_colormap(const std::string& formula) const {
    const std::string& chosen = coloring(formula).colormap;
    return chosen.empty() ? model->equations->colormap : chosen;
}

bool runs_on_both(std::string_view method) {
    return find_method(method, Device::cpu) && find_method(method, Device::cuda);
}

const Method* method_of(const Configuration& spec) {
    if (spec.backend == "auto") return named_method(spec);
    const Device device = spec.backend == name_of(Device::cuda) ? Device::cuda : Device::cpu;
    return find_method(spec.method, device, spec.family());
}

void RunSpec::validate() const {
    check_settings(*this);
    if (edits.empty()) return;
    RunSpec later = *this;
    later.edits = {};
    for (const Event& event : edits) {
        try {
            if (const SetSetting* set = event.setting())
                set_in(later, set->setting, set->value);
            else if (const auto* field = std::get_if<SetField>(&event.change))
                values_of(*later.model, *field);
            else
                component_index(*later.model, std::get<Paint>(event.change).component);
        } catch (const InputError& error) {
            throw InputError(Given{"at", std::to_string(event.step)}, error.in_sentence());
        }
    }
}

void RunSpec::require_formula(const std::string& formula) const {
    if (!formula.empty() &&
        !at_some_moment(*this, [&](const RunSpec& now) { return now.model->reads(formula); }))
        equation::read_equations(model->text, {formula});  // throws with the mistake
}

void RunSpec::require_arrows() const {
    if (at_some_moment(*this, [](const RunSpec& now) { return missing_arrow(now).empty(); })) return;
    try {
        equation::read_equations(model->text, {missing_arrow(*this)});
    } catch (const equation::TextError& mistake) {
        throw InputError(Given{"arrows", arrows}, mistake.sentence());
    }
}

RunSpec RunSpec::at_end() const {
    RunSpec later = *this, end = *this;
    end.edits = later.edits = {};
    for (const Event& event : edits)
        if (const SetSetting* set = event.setting(); set && event.step <= steps)
            set_in(later, set->setting, set->value);
    static_cast<Configuration&>(end) = later;
    return end;
}

RunSpec with_setting(RunSpec spec, std::string_view setting, std::string_view value) {
    const std::string before = spec.shown();
    set_in(spec, setting, value);
    // View settings cannot invalidate scheduled changes, so thousands of them need not be checked again.
    if (kind_of(setting) != SettingKind::view || setting == setting_name::allow_unstable) spec.validate();
    if (setting == setting_name::show) spec.require_formula(spec.show);
    if (turn_of(setting) == Turn::colors) spec.require_formula(formula_of_colors(std::string(value)));
    // A formula that is no longer shown keeps its colours for when it is shown again. Another one has other
    // units.
    if (setting == setting_name::show && spec.shown() != before) {
        spec.colors.try_emplace(before, spec);
        spec.unit.clear();
    }
    if (setting == setting_name::arrows) spec.require_arrows();
    return spec;
}

nlohmann::ordered_json sliders_json(const Problem& problem) {
    auto rows = nlohmann::ordered_json::array();
    for (std::size_t i = 0; i < problem.parameters.size(); ++i) {
        const ModelParameter& row = problem.model->parameters[i];
        rows.push_back({{"name", row.name},
                        {"value", problem.parameters[i]},
                        {"low", row.low},
                        {"high", row.high},
                        {"unit", row.unit}});
    }
    return rows;
}

nlohmann::ordered_json to_json(const RunSpec& spec) {
    nlohmann::ordered_json json = program_json();
    for (const Setting& row : settings())
        if (const Json value = row.get(spec); !value.is_null()) json[std::string(row.json_key())] = value;
    if (!spec.initial_hash.empty()) json[kInitialHash] = spec.initial_hash;
    for (const DecidedStep& decided : spec.dt_log) json[kDtLog].push_back({decided.step, decided.dt});
    return json;
}

RunSpec spec_from_json(const std::string& text, const std::string& file) {
    const Json json = parse_once(text, file);
    RunSpec spec;
    try {
        refuse_two_models(json.contains(setting_name::model), json.contains(setting_name::equation));
        // The model comes first because it defines which parameters exist.
        for (const Setting& row : settings())
            if (row.turn == Turn::model && json.contains(row.name))
                set_from_json(spec, std::string(row.name), json[std::string(row.name)]);
        forget_ending(spec, [&](std::string_view name) { return json.contains(std::string(name)); });
        for (const Turn turn : kTurnsAfterModel)
            for (const auto& [name, value] : json.items())
                if (is_setting(name) && turn_of(name) == turn) set_from_json(spec, name, value);
        if (json.contains(kInitialHash)) spec.initial_hash = text_of(kInitialHash, json[kInitialHash]);
        if (json.contains(kDtLog))
            spec.dt_log = log_from(json[kDtLog]);
        else
            separate_decisions(spec);
    } catch (const Json::exception&) {
        throw InputError("{}: {} must be rows of a step and a dt", file, kDtLog);
    } catch (const InputError& error) {
        throw InputError(file + ": " + error.in_sentence());
    }
    return spec;
}

RunSpec read_spec(const std::string& file) {
    constexpr std::uintmax_t kMaxBytes = 256'000'000;  // some millions of changes
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    RunSpec spec =
        spec_from_json(with_arrays_beside(InputFile(file).read_text(kMaxBytes), folder), printable(file));
    if (const std::string text = with_paths_from(folder, spec.model->text); text != spec.model->text)
        spec.model = model_of_text(text, spec.model->name);
    const auto from_folder = [&](std::string& initial) {
        const std::string name = parse_initial(initial).file;
        std::error_code ignored;
        if (!name.empty() && std::filesystem::exists(folder / name, ignored))
            initial = (folder / name).string();
    };
    from_folder(spec.initial);
    for (auto& [component, initial] : spec.initials) from_folder(initial);
    return spec;
}

}  // namespace stencil
