#include <algorithm>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <utility>

#include "sim/files/held_arrays.h"
#include "sim/import/model_file.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/text_error.h"
#include "sim/model/text/tokens.h"
#include "sim/model/text/typed_number.h"
#include "sim/model/time_step.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/setting_rows.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"
#include "sim/view/arrows.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

// Whether the text begins with a name and '=', and is neither a comparison nor a file.
bool names_component(const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string_view name = std::string_view(text).substr(0, equals);
    const bool is_word =
        std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_' || c >= 0x80; });
    std::error_code failed;
    return equals != text.npos && equals > 0 && is_word && text.find("==") != equals &&
           !std::filesystem::exists(text, failed);
}

// Sets the initial condition of one component and checks formulas.
void set_one_initial(RunSpec& spec, const std::string& text) {
    const std::size_t equals = text.find('=');
    const std::string name = text.substr(0, equals);
    const auto& components = spec.model->components;
    const auto named = std::ranges::find(components, name, &Component::name);
    const bool given = names_component(text) && named != components.end();
    if (names_component(text) && named == components.end())
        throw InputError(Given{"initial"}, unknown_name_message("component", name, names_of(components)));
    std::string what = given ? text.substr(equals + 1) : text;
    if (what.empty()) what = spec.model->equations->components[given ? named - components.begin() : 0].start;
    const InitialChoice choice = parse_initial(what);
    if (!choice.formula.empty()) equation::read_equations(spec.model->text, {choice.formula});
    spec.initial_hash.clear();
    if (given && named != components.begin())
        spec.initials[name] = what;
    else
        spec.initial = what;
}

void set_size(RunSpec& spec, std::string_view text) {
    const auto extent = read_extent(text);
    const auto fits = [](long long cells) { return cells >= 1 && cells <= kMaxCells; };
    if (!extent || !fits(extent->first) || !fits(extent->second))
        throw InputError(Given{"size", quotable(text)},
                         "must be NX or NXxNY, each a whole number from 1 to {}, e.g. 2000x1000",
                         kMaxCells);
    spec.size = Size{int(extent->first), int(extent->second)};
    spec.initial_hash.clear();
}

Json get_size(const RunSpec& spec) {
    return spec.size ? Json(fmt::format("{}x{}", spec.size->nx, spec.size->ny)) : Json();
}

// Sets one boundary for all, or with `as typed` the conditions of the model's text.
void set_boundary(RunSpec& spec, std::string_view text) {
    if (text.empty() || text == kAsTyped) {
        spec.boundary = spec.model->boundary;
        spec.boundary_as_typed = !spec.model->uniform_boundary;
        return;
    }
    const std::string name = setting_row::known_name("boundary", text, names_of(kBoundaries));
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
    use_text(spec, text == spec.model->text ? spec.model : model_of_text(text));
}

// Adds `sensitivity = ...` statements to the model's text, which keeps them.
void set_sensitivities(RunSpec& spec, std::span<const std::string> parameters) {
    for (const std::string& parameter : parameters) {
        const TimeStep dt = spec.dt;
        const long long steps = spec.steps;
        try {
            use_text(spec, model_of_text(text_of_run(spec) + "\nsensitivity = " + parameter));
        } catch (const equation::TextError& error) {
            throw InputError(Given{"sensitivity", quotable(parameter)}, error.sentence());
        }
        spec.dt = dt;
        spec.steps = steps;
    }
}

Json get_equation(const RunSpec& spec) {
    return is_preset(*spec.model) ? Json() : Json(with_paths_from("", spec.model->text, true));
}

Json get_model(const RunSpec& spec) {
    return get_equation(spec).is_null() ? Json(spec.model->name) : Json();
}

void set_dt(RunSpec& spec, std::string_view text) {
    spec.dt = parse_time_step(text);
}

// A tolerance is a way to choose dt, so it is kept there.
void set_tolerance(RunSpec& spec, std::string_view text) {
    const double tolerance = parse_real(std::string(text), "tolerance");
    if (!(tolerance > 0 && tolerance < 1))
        throw InputError(Given{"tolerance", quotable(text)}, "must be above 0 and below 1, e.g. 1e-4");
    spec.dt = ByTolerance{tolerance, dt_of(spec.dt)};
}

void set_dx(RunSpec& spec, std::string_view text) {
    const double dx = equation::typed_number(text).value_or(0);
    if (!(dx > 0)) throw InputError(Given{"dx", quotable(text)}, "must be above 0");
    spec.dx = dx;
}

void set_integrator(RunSpec& spec, std::string_view text) {
    spec.integrator = equation::scheme_of(text);
}

void set_global_every(RunSpec& spec, std::string_view text) {
    spec.global_every = parse_integer(text, "global-every", 1, kMaxSteps);
}

void set_dtype(RunSpec& spec, std::string_view text) {
    const DType dtype = *find_dtype(setting_row::known_name("dtype", text, {"float32", "float64"}));
    if (dtype != std::exchange(spec.dtype, dtype)) spec.initial_hash.clear();
}

void set_model(RunSpec& spec, std::string_view text) {
    const FoundModel found = open_model(std::string(text));
    spec.use_model(found.model);
    if (!found.range.empty()) spec.range = parse_range(found.range, "range");
    spec.colors.clear();
    add_colors(spec, found.colors);
    if (!found.arrows.empty()) spec.arrows = read_arrows(found.arrows);
}

// --coefficient C is --set coefficient=C.
void set_coefficient(RunSpec& spec, std::string_view text) {
    const double value = parse_real(text, "coefficient");
    if (value <= 0 && is_preset(*spec.model))
        throw InputError(Given{"coefficient", quotable(text)},
                         "must be above 0 and, for stable steps, at most {}",
                         kStabilityLimit);
    spec.set_parameter(setting_name::coefficient, value);
}

Json get_coefficient(const RunSpec& spec) {
    const bool has = spec.model->index_of(setting_name::coefficient).has_value();
    return has ? Json(spec.parameter(setting_name::coefficient)) : Json();
}

void set_parameters(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw InputError(Given{"set", quotable(text)}, "must be NAME=VALUE, e.g. coefficient=0.1");
        const std::string name = text.substr(0, equals);
        const std::string value = text.substr(equals + 1);
        if (name == setting_name::coefficient)
            set_coefficient(spec, value);
        else
            spec.set_parameter(name, parse_real(value, "set " + quotable(name)));
    }
}

// Parameters that differ from the model's default; `coefficient` has a row of its own.
Json get_parameters(const RunSpec& spec) {
    Json texts;
    for (std::size_t i = 0; i < spec.parameters.size(); ++i)
        if (const ModelParameter& row = spec.model->parameters[i];
            spec.parameters[i] != row.value && row.name != setting_name::coefficient)
            texts.push_back(fmt::format("{}={}", row.name, spec.parameters[i]));
    return texts;
}

}  // namespace

std::vector<Setting> problem_settings() {
    using namespace setting_row;
    using enum SettingKind;
    static const std::string integrator_help =
        equation::listed_integrators([](const auto&) { return true; }) + " (default: the model's own)";
    static const std::string tolerance_help = fmt::format(
        "with {}: chooses dt so that the estimated error of a step stays below E (1 + |u|); "
        "--dt is the first one",
        equation::listed_integrators([](const auto& each) { return each.error_order > 0; }, "and"));
    return {
        stated(row(
            {setting_name::size, "NX[xNY]", "columns x rows (default: the file's own, or 2000x2000)", shape},
            set_size,
            get_size)),
        stated(row(
            {setting_name::steps,
             "N",
             "explicit steps, 0 or more (default 10000, without --time and --until)"},
            [](RunSpec& s, std::string_view text) { s.steps = parse_integer(text, "steps", 0, kMaxSteps); },
            [](const RunSpec& s) {
                return s.open() && (s.time || !s.until.empty()) ? Json() : Json(s.steps);
            })),
        stated(row(
            {setting_name::time,
             "T",
             "run until t = T: the last step is shortened; maps end at the nearest step"},
            [](RunSpec& s, std::string_view text) { s.time = read_end_time(text, "time"); },
            [](const RunSpec& s) { return s.time ? Json(*s.time) : Json(); })),
        stated(row(
            {setting_name::until,
             "CONDITION",
             "run until a formula of values of the whole field is true, such as 'max(v) < 1e-3', or, by "
             "steady:1e-6, until the largest |du/dt| is below that"},
            [](RunSpec& s, std::string_view text) { s.until = checked_condition(text, "until"); },
            [](const RunSpec& s) { return unless_empty(s.until); })),
        set_in_turn(Turn::model,
                    row({setting_name::model,
                         "NAME|FILE|LINK",
                         "the model: see 'stencilscope models'; a file or link of another program, too",
                         shape},
                        set_model,
                        get_model)),
        set_in_turn(Turn::model,
                    list({setting_name::equation,
                          "TEXT",
                          "the equation as text: statements separated by ';', lines or repeated options",
                          shape},
                         set_equation,
                         get_equation)),
        list({setting_name::sensitivity,
              "NAME",
              "a parameter by which the components' derivatives are stepped beside them, as du_dNAME; may be "
              "repeated",
              shape},
             set_sensitivities,
             get_nothing),
        row({setting_name::coefficient,
             "C",
             "the parameter of the model diffusion, D dt / dx^2: stable up to 0.25",
             parameter},
            set_coefficient,
            get_coefficient),
        list({setting_name::set,
              "NAME=VALUE",
              "a parameter of the model, e.g. coefficient=0.1; may be repeated",
              origin},
             set_parameters,
             get_parameters),
        stated(
            row({setting_name::dt,
                 "T",
                 "time step: a number, a share of the stable one as 0.8limit, or as follow:0.8limit one that "
                 "stays at that share while the field changes",
                 parameter},
                set_dt,
                [](const RunSpec& s) { return unless_empty(to_string(s.dt)); })),
        row({setting_name::tolerance, "E", tolerance_help, parameter}, set_tolerance, get_nothing),
        stated(
            row({setting_name::dx, "H", "distance of cells", shape},
                set_dx,
                [](const RunSpec& s) { return s.dx == s.model->equations->spacing ? Json() : Json(s.dx); })),
        stated(formerly("stepper",
                        row({setting_name::integrator, "NAME", integrator_help, shape},
                            set_integrator,
                            [](const RunSpec& s) {
                                const bool own = s.integrator == s.model->equations->integrator;
                                return own ? Json() : Json(name_of(s.integrator));
                            }))),
        row({setting_name::global_every,
             "N",
             "values of the whole field, such as mean(u), are taken by every N-th step alone and lag in "
             "those between (default 1)",
             shape},
            set_global_every,
            [](const RunSpec& s) { return s.global_every > 0 ? Json(s.global_every) : Json(); }),
        row({setting_name::boundary, "B", "zero, insulated or periodic", parameter},
            set_boundary,
            [](const RunSpec& s) {
                return s.boundary_as_typed ? Json() : Json(std::string(name_of(s.boundary)));
            }),
        list({setting_name::initial,
              "[NAME=]WHAT",
              "an initial condition (see below), .npy array, PNG/JPEG picture or formula of x and y, for the "
              "component NAME or the first one",
              origin},
             set_initial,
             get_initial),
        member({setting_name::seed, "S", "of jagged and noise, as numpy.random.default_rng takes it", origin},
               &RunSpec::seed,
               parse_seed,
               std::identity()),
        row({setting_name::dtype, "T", "float32 or float64", shape},
            set_dtype,
            [](const RunSpec& s) { return Json(std::string(name_of(s.dtype))); }),
        flag(setting_name::allow_unstable,
             "let the coefficient or dt exceed the largest stable value",
             &RunSpec::allow_unstable),
        flag(setting_name::allow_overflow,
             "go on where a field is no longer finite (NaN or infinite), where a run stops otherwise",
             &RunSpec::allow_overflow)};
}

}  // namespace stencil
