#include "sim/run/setting_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/text_error.h"
#include "sim/run/keep_choices.h"
#include "sim/run/output/exports.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil {

using Json = nlohmann::json;

namespace {

// The name, if it is known. Throws InputError.
std::string known_name(std::string_view kind, std::string_view given, const std::vector<std::string>& known) {
    if (!contains(known, given))
        throw InputError(fmt::format("--{}: {}", kind, unknown_name_message(kind, given, known)));
    return std::string(given);
}

// Sets the initial condition of one component and checks formulas.
void set_one_initial(RunSpec& spec, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto& components = spec.model->components;
    const auto named = std::ranges::find(components, name, &Component::name);
    const bool given = equals != std::string::npos && named != components.end();
    const std::string what = given ? text.substr(equals + 1) : text;
    if (what.empty() && spec.model->built_in)
        throw InputError("--initial '': must be an initial condition, a file or a formula");
    const InitialChoice choice = parse_initial(what);
    if (!choice.formula.empty()) equation::read_equations(spec.model->text, {choice.formula});
    spec.initial_hash.clear();
    if (given && named != components.begin())
        spec.initials[name] = what;
    else
        spec.initial = what;
}

void require_typed(const RunSpec& spec, std::string_view setting) {
    if (spec.model->built_in)
        throw InputError(fmt::format("--{} is of typed equations: {} has none (see --equation and --model)",
                                     setting,
                                     spec.model->name));
}

ProfileLine read_profile(const std::string& text) {
    const auto parts = split(text, ',');
    if (parts.size() != 4)
        throw InputError(
            fmt::format("--profile {}: must be X0,Y0,X1,Y1, e.g. 0.5,64,127.5,64", quotable(text)));
    const auto number = [&](int i) {
        const double value = parse_real(parts[std::size_t(i)], "--profile");
        if (std::abs(value) > kMaxCells)
            throw InputError(fmt::format(
                "--profile {}: each must be from -{} to {}", quotable(text), kMaxCells, kMaxCells));
        return value;
    };
    return {{number(0), number(1)}, {number(2), number(3)}};
}

}  // namespace

void set_size(RunSpec& spec, std::string_view text) {
    const auto parts = split(text, 'x');
    const auto fits = [](const std::string& part) {
        const long long cells = read_integer(part).value_or(0);
        return cells >= 1 && cells <= kMaxCells;
    };
    if (parts.size() > 2 || !fits(parts.front()) || !fits(parts.back()))
        throw InputError(
            fmt::format("--size {}: must be NX or NXxNY, each a whole number from 1 to {}, e.g. 2000x1000",
                        quotable(text),
                        kMaxCells));
    spec.size = Size{int(*read_integer(parts.front())), int(*read_integer(parts.back()))};
    spec.initial_hash.clear();
}

Json get_size(const RunSpec& spec) {
    return spec.size ? Json(fmt::format("{}x{}", spec.size->nx, spec.size->ny)) : Json();
}

// Sets one boundary for all, or with `as typed` the conditions of the model's text.
void set_boundary(RunSpec& spec, std::string_view text) {
    if (text.empty() || text == kAsTyped) {
        spec.boundary = spec.model->components.front().boundary.left;
        spec.boundary_as_typed = !spec.model->uniform_boundary;
        return;
    }
    const std::string name = known_name("boundary", text, names_of(kBoundaries));
    spec.boundary = std::ranges::find(kBoundaries, name, &BoundaryRow::name)->boundary;
    spec.boundary_as_typed = false;
}

void set_initial(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) set_one_initial(spec, text);
}

Json get_initial(const RunSpec& spec) {
    if (spec.initials.empty()) return spec.initial.empty() ? Json() : Json(spec.initial);
    Json texts = Json::array();
    if (!spec.initial.empty()) texts.push_back(spec.model->components.front().name + "=" + spec.initial);
    for (const auto& [name, what] : spec.initials) texts.push_back(name + "=" + what);
    return texts;
}

void set_equation(RunSpec& spec, std::span<const std::string> texts) {
    const std::string text = fmt::format("{}", fmt::join(texts, "\n"));
    if (text == spec.model->text) return;
    const RunSpec before = spec;
    spec.use_model(model_of_text(text));
    keep_choices(spec, before);
}

// Adds `sensitivity = ...` statements to the model's text, which keeps them.
void set_sensitivities(RunSpec& spec, std::span<const std::string> parameters) {
    for (const std::string& parameter : parameters) {
        if (spec.model->built_in)
            throw InputError(
                fmt::format("--sensitivity is of typed equations: {} has none", spec.model->name));
        const RunSpec before = spec;
        try {
            spec.use_model(
                model_of_text(spec.model->text + "\nsensitivity = " + parameter, spec.model->name));
        } catch (const equation::TextError& error) {
            throw InputError(fmt::format("--sensitivity {}: {}", quotable(parameter), error.sentence()));
        }
        keep_choices(spec, before);
    }
}

Json get_equation(const RunSpec& spec) {
    return !spec.model->built_in && !is_preset(*spec.model) ? Json(spec.model->text) : Json();
}

Json get_model(const RunSpec& spec) {
    return get_equation(spec).is_null() ? Json(spec.model->name) : Json();
}

// A share of the stable limit stays text until a field is there to compute the limit from.
void set_dt(RunSpec& spec, std::string_view text) {
    require_typed(spec, "dt");
    const bool share = text.ends_with("limit");
    const std::string number(share ? text.substr(0, text.size() - 5) : text);
    const double value = parse_real(share && number.empty() ? "1" : number, "--dt");
    if (value <= 0)
        throw InputError(fmt::format("--dt {}: must be above 0, e.g. 0.01 or 0.8limit", quotable(text)));
    spec.dt = (number.empty() || read_real(number) ? number : format_real(value)) + (share ? "limit" : "");
}

void set_dx(RunSpec& spec, std::string_view text) {
    require_typed(spec, "dx");
    const double dx = parse_real(std::string(text), "--dx");
    if (dx <= 0) throw InputError(fmt::format("--dx {}: must be above 0", quotable(text)));
    spec.dx = dx;
}

void set_stepper(RunSpec& spec, std::string_view text) {
    require_typed(spec, "stepper");
    equation::scheme_of(text);
    spec.stepper = std::string(text);
}

void set_show(RunSpec& spec, std::string_view text) {
    spec.show = std::string(text);
}

void set_dtype(RunSpec& spec, std::string_view text) {
    spec.dtype = *find_dtype(known_name("dtype", text, {"float32", "float64"}));
}

std::string read_method(std::string_view text) {
    std::vector<std::string> known{"auto"};
    for (const std::string_view model : {kDiffusion, kEquation})
        for (const Method& method : methods(model))
            if (!contains(known, method.name)) known.emplace_back(method.name);
    return known_name("method", text, known);
}

std::string read_backend(std::string_view text) {
    return known_name("backend", text, {"auto", "cpu", "cuda"});
}

std::string read_colormap(std::string_view text) {
    return std::string(colormap(text).name);
}

void set_exports(RunSpec& spec, std::string_view text) {
    spec.exports.clear();
    for (const std::string& name : split(text, ',')) add_export(name, spec.exports);
}

void add_edits(RunSpec& spec, std::span<const std::string> texts) {
    std::vector<Edit> edits;
    for (const std::string& text : texts) edits.push_back(parse_edit(text));
    spec.edits.add(std::move(edits));
}

Json get_edits(const RunSpec& spec) {
    Json texts;
    for (const Edit& edit : spec.edits) texts.push_back(to_string(edit));
    return texts;
}

void add_probes(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const auto parts = split(text, ',');
        if (parts.size() != 2)
            throw InputError(fmt::format("--probe {}: must be X,Y, e.g. 100,200", quotable(text)));
        spec.probes.push_back({int(parse_integer(parts[0], "--probe", 0, kMaxCells - 1)),
                               int(parse_integer(parts[1], "--probe", 0, kMaxCells - 1))});
    }
}

Json get_probes(const RunSpec& spec) {
    Json texts;
    for (const RunSpec::Cell& cell : spec.probes) texts.push_back(fmt::format("{},{}", cell.x, cell.y));
    return texts;
}

void add_profiles(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) spec.profiles.push_back(read_profile(text));
}

Json get_profiles(const RunSpec& spec) {
    Json texts;
    for (const auto& [from, to] : spec.profiles)
        texts.push_back(fmt::format("{},{},{},{}", from.x, from.y, to.x, to.y));
    return texts;
}

void add_bookmarks(RunSpec& spec, std::span<const std::string> texts) {
    constexpr std::size_t kLongest = 60;
    for (const std::string& text : texts) {
        const std::size_t colon = text.find(':');
        const std::string name = colon == text.npos ? "" : text.substr(colon + 1);
        if (name.empty() || name.size() > kLongest ||
            std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
            throw InputError(fmt::format(
                "--bookmark {}: must be STEP:NAME, e.g. 500:two spots, with a name of at most {} bytes",
                quotable(text),
                kLongest));
        spec.bookmarks.push_back({parse_integer(text.substr(0, colon), "--bookmark", 0, kMaxSteps), name});
    }
}

Json get_bookmarks(const RunSpec& spec) {
    Json texts;
    for (const auto& [step, name] : spec.bookmarks) texts.push_back(fmt::format("{}:{}", step, name));
    return texts;
}

void set_model(RunSpec& spec, std::string_view text) {
    const auto model = find_model(text);
    if (model == spec.model) return;
    spec.use_model(model);
}

void set_parameters(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw InputError(
                fmt::format("--set {}: must be NAME=VALUE, e.g. coefficient=0.1", quotable(text)));
        const std::string name = text.substr(0, equals);
        spec.set_parameter(name, parse_real(text.substr(equals + 1), "--set " + quotable(name)));
    }
}

// Parameters without a setting of their own, if they differ from the model's default.
Json get_parameters(const RunSpec& spec) {
    Json texts;
    if (spec.model->built_in) return texts;
    for (std::size_t i = 0; i < spec.parameters.size(); ++i)
        if (const ModelParameter& row = spec.model->parameters[i]; spec.parameters[i] != row.value)
            texts.push_back(fmt::format("{}={}", row.name, spec.parameters[i]));
    return texts;
}

}  // namespace stencil
