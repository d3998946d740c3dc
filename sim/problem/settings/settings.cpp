#include "sim/problem/settings/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "sim/import/model_file.h"
#include "sim/initial/initial.h"
#include "sim/model/equations.h"
#include "sim/model/step/stages.h"
#include "sim/model/text/text_error.h"
#include "sim/problem/export_names.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_text.h"
#include "sim/problem/time_step.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/arrows.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

// The name, if it is known. Throws InputError.
std::string known_name(std::string_view kind, std::string_view given, const std::vector<std::string>& known) {
    if (!contains(known, given)) throw InputError("--{}: {}", kind, unknown_name_message(kind, given, known));
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
        throw InputError("--{} applies to typed equations: {} has none (see --equation and --model)",
                         setting,
                         spec.model->name);
}

ProfileLine read_profile(const std::string& text) {
    const auto parts = split(text, ',');
    if (parts.size() != 4)
        throw InputError("--profile {}: must be X0,Y0,X1,Y1, e.g. 0.5,64,127.5,64", quotable(text));
    const auto number = [&](int i) {
        const double value = parse_real(parts[std::size_t(i)], "--profile");
        if (std::abs(value) > kMaxCells)
            throw InputError(
                "--profile {}: each must be from -{} to {}", quotable(text), kMaxCells, kMaxCells);
        return value;
    };
    return {{number(0), number(1)}, {number(2), number(3)}};
}

void set_size(RunSpec& spec, std::string_view text) {
    const auto extent = read_extent(text);
    const auto fits = [](long long cells) { return cells >= 1 && cells <= kMaxCells; };
    if (!extent || !fits(extent->first) || !fits(extent->second))
        throw InputError("--size {}: must be NX or NXxNY, each a whole number from 1 to {}, e.g. 2000x1000",
                         quotable(text),
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
    const std::string name = known_name("boundary", text, names_of(kBoundaries));
    spec.boundary = std::ranges::find(kBoundaries, name, &BoundaryRow::name)->boundary;
    spec.boundary_as_typed = false;
}

void set_figure_size(RunSpec& spec, std::string_view text) {
    std::string sides(text);
    if (sides.ends_with("cm")) sides.resize(sides.size() - 2);
    const auto parts = split(sides, 'x');
    const auto side = [&](std::size_t i) { return i < parts.size() ? read_real(parts[i]).value_or(-1) : 0; };
    const auto fits = [](double cm) { return cm >= FigureSize::kLeast && cm <= FigureSize::kMost; };
    if (!text.empty() && (parts.size() > 2 || !fits(side(0)) || (parts.size() == 2 && !fits(side(1)))))
        throw InputError("--figure-size {}: must be W or WxH, each from {} to {} cm, e.g. 12x10cm",
                         quotable(text),
                         FigureSize::kLeast,
                         FigureSize::kMost);
    spec.figure_size = text.empty() ? FigureSize() : FigureSize{side(0), side(1)};
}

Json get_figure_size(const RunSpec& spec) {
    const auto [width, height] = spec.figure_size;
    if (width == 0) return Json();
    return height == 0 ? fmt::format("{}cm", width) : fmt::format("{}x{}cm", width, height);
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
            throw InputError("--sensitivity applies to typed equations: {} has none", spec.model->name);
        const RunSpec before = spec;
        try {
            spec.use_model(
                model_of_text(spec.model->text + "\nsensitivity = " + parameter, spec.model->name));
        } catch (const equation::TextError& error) {
            throw InputError("--sensitivity {}: {}", quotable(parameter), error.sentence());
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

void set_dt(RunSpec& spec, std::string_view text) {
    require_typed(spec, "dt");
    spec.dt = checked_time_step(text);
    // A run that is asked to follow the limit anew leaves what an earlier one decided.
    const TimeStep step = read_time_step(spec.dt);
    if (step.follows && !step.dt && std::ranges::any_of(spec.edits, is_decided_dt))
        std::erase_if(spec.edits.own(), is_decided_dt);
}

// A tolerance is a way to choose dt, so it is kept there.
void set_tolerance(RunSpec& spec, std::string_view text) {
    require_typed(spec, "tolerance");
    const double tolerance = parse_real(std::string(text), "--tolerance");
    if (!(tolerance > 0 && tolerance < 1))
        throw InputError("--tolerance {}: must be above 0 and below 1, e.g. 1e-4", quotable(text));
    const auto dt = read_time_step(spec.dt).dt;
    set_dt(spec, fmt::format("{}tolerance:{}", dt ? format_real(*dt) + "," : "", format_real(tolerance)));
    if (std::ranges::any_of(spec.edits, is_decided_dt)) std::erase_if(spec.edits.own(), is_decided_dt);
}

void set_dx(RunSpec& spec, std::string_view text) {
    require_typed(spec, "dx");
    const double dx = parse_real(std::string(text), "--dx");
    if (dx <= 0) throw InputError("--dx {}: must be above 0", quotable(text));
    spec.dx = dx;
}

void set_integrator(RunSpec& spec, std::string_view text) {
    require_typed(spec, "integrator");
    equation::scheme_of(text);
    spec.chosen_integrator = std::string(text);
}

void set_global_every(RunSpec& spec, std::string_view text) {
    require_typed(spec, "global-every");
    spec.global_every = parse_integer(text, "--global-every", 1, kMaxSteps);
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

void add_probes(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const auto parts = split(text, ',');
        if (parts.size() != 2) throw InputError("--probe {}: must be X,Y, e.g. 100,200", quotable(text));
        spec.probes.push_back({int(parse_integer(parts[0], "--probe", 0, kMaxCells - 1)),
                               int(parse_integer(parts[1], "--probe", 0, kMaxCells - 1))});
    }
}

void add_profiles(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) spec.profiles.push_back(read_profile(text));
}

void add_bookmarks(RunSpec& spec, std::span<const std::string> texts) {
    constexpr std::size_t kLongestBookmark = 60;
    for (const std::string& text : texts) {
        const std::size_t colon = text.find(':');
        const std::string name = colon == text.npos ? "" : text.substr(colon + 1);
        if (name.empty() || name.size() > kLongestBookmark ||
            std::ranges::any_of(name, [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
            throw InputError(
                "--bookmark {}: must be STEP:NAME, e.g. 500:two spots, with a name of at most {} bytes",
                quotable(text),
                kLongestBookmark);
        spec.bookmarks.push_back({parse_integer(text.substr(0, colon), "--bookmark", 0, kMaxSteps), name});
    }
}

// Formulas may have = as a part of >= and others; what follows them has none.
std::string formula_of_colors(const std::string& text) {
    const std::size_t equals = text.rfind('=');
    return equals == text.npos ? "" : text.substr(0, equals);
}

void add_colors(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const std::string formula = formula_of_colors(text);
        const std::size_t equals = formula.size(), comma = text.find(',', equals);
        if (formula.empty())
            throw InputError(
                "--colors {}: must be FORMULA=NAME,RANGE, e.g. v=magma,0:1; either may be left out",
                quotable(text));
        Coloring own;
        const std::string name = text.substr(equals + 1, comma == text.npos ? comma : comma - equals - 1);
        if (!name.empty()) own.colormap = read_colormap(name);
        if (comma != text.npos) own.range = parse_range(text.substr(comma + 1), "--colors");
        spec.colors.insert_or_assign(formula, own);
    }
}

// Colours as those of formulas without their own say nothing.
Json get_colors(const RunSpec& spec) {
    Json texts;
    for (const auto& [formula, own] : spec.colors)
        if (own != spec) texts.push_back(coloring_text(formula, own));
    return texts;
}

void set_model(RunSpec& spec, std::string_view text) {
    const FoundModel found = open_model(std::string(text));
    if (found.model == spec.model) return;
    spec.use_model(found.model);
    if (!found.range.empty()) spec.range = parse_range(found.range, "--range");
    spec.colors.clear();
    add_colors(spec, found.colors);
    if (!found.arrows.empty()) spec.arrows = read_arrows(found.arrows);
}

void set_parameters(RunSpec& spec, std::span<const std::string> texts) {
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == std::string::npos)
            throw InputError("--set {}: must be NAME=VALUE, e.g. coefficient=0.1", quotable(text));
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

std::string to_string(const RunSpec::Cell& cell) {
    return fmt::format("{},{}", cell.x, cell.y);
}
std::string to_string(const ProfileLine& line) {
    return fmt::format("{},{},{},{}", line.from.x, line.from.y, line.to.x, line.to.y);
}
std::string to_string(const RunSpec::Bookmark& bookmark) {
    return fmt::format("{}:{}", bookmark.step, bookmark.name);
}

// The table.

Setting setting_of(const ModelParameter& parameter) {
    const std::string& name = parameter.name;
    return {name,
            parameter.symbol,
            parameter.help,
            SettingKind::parameter,
            [&name](RunSpec& spec, std::string_view text) {
                spec.set_parameter(name, parse_real(text, "--" + name));
            },
            [&name](const RunSpec& spec) {
                return spec.model->index_of(name) ? Json(spec.parameter(name)) : Json();
            }};
}

/// Name, value placeholder, help and kind of a row.
struct Words {
    std::string_view name, value, help;
    SettingKind kind = SettingKind::view;
    std::string option() const { return fmt::format("--{}", name); }
};

Setting row(const Words& w,
            std::function<void(RunSpec&, std::string_view)> set,
            std::function<Json(const RunSpec&)> get) {
    return {w.name, w.value, w.help, w.kind, std::move(set), std::move(get)};
}

// A row for a member of the spec, which `read` makes of a text and the option's name, and `written` gives to
// spec.json.
template <class Part, class Member, class Read, class Written>
Setting member(const Words& w, Member Part::*member, Read read, Written written) {
    return row(
        w,
        [=](RunSpec& spec, std::string_view text) { spec.*member = Member(read(text, w.option())); },
        [=](const RunSpec& spec) { return Json(written(spec.*member)); });
}

Json unless_empty(const std::string& text) {
    return text.empty() ? Json() : Json(text);
}

// Whole numbers below `least` count as unset.
template <class Part, class Member>
Setting whole(const Words& w, Member Part::*number, long long least, long long most) {
    return member(
        w,
        number,
        [=](std::string_view text, const std::string& option) {
            return parse_integer(text, option, least, most);
        },
        [=](Member value) { return value < least ? Json() : Json(value); });
}

template <class Part>
Setting text(const Words& w, std::string Part::*text, std::string (*read)(std::string_view)) {
    return member(
        w, text, [=](std::string_view given, const std::string&) { return read(given); }, unless_empty);
}

template <class Part>
Setting range(const Words& w, RangeRule Part::*rule) {
    return member(w, rule, parse_range, [](const RangeRule& value) { return to_string(value); });
}

template <class Part>
Setting unit(const Words& w, Unit Part::*unit) {
    return member(w, unit, read_unit, [](const Unit& value) { return unless_empty(to_string(value)); });
}

template <class Part>
Setting flag(std::string_view name, std::string_view help, bool Part::*flag) {
    return member({name, "", help}, flag, parse_flag, std::identity());
}

// Rows for settings that may be repeated; the second is for a list of the spec.
Setting list(const Words& w,
             void (*add)(RunSpec&, std::span<const std::string>),
             std::function<Json(const RunSpec&)> get) {
    const auto set = [add](RunSpec& spec, std::string_view text) {
        const std::string one(text);
        add(spec, {&one, 1});
    };
    return {w.name, w.value, w.help, w.kind, set, std::move(get), add};
}

template <class Part, class List>
Setting list(const Words& w, List Part::*member, void (*add)(RunSpec&, std::span<const std::string>)) {
    return list(w, add, [member](const RunSpec& spec) {
        Json texts;
        for (const auto& item : spec.*member) texts.push_back(to_string(item));
        return texts;
    });
}

// Rows whose values other options give, or which are never written, have nothing for spec.json.
Json get_nothing(const RunSpec&) {
    return {};
}

std::string as_is(std::string_view text) {
    return std::string(text);
}

std::vector<Setting> problem_settings() {
    using enum SettingKind;
    return {
        row({"size", "NX[xNY]", "columns x rows (default: the file's own, or 2000x2000)", shape},
            set_size,
            get_size),
        whole({"steps", "N", "explicit steps, 0 or more"}, &RunSpec::steps, 0, kMaxSteps),
        row({"model",
             "NAME|FILE|LINK",
             "the model: see 'stencilscope models'; a file or link of another program, too",
             shape},
            set_model,
            get_model),
        list({"equation",
              "TEXT",
              "the equation as text: statements separated by ';', lines or repeated options",
              shape},
             set_equation,
             get_equation),
        list({"sensitivity",
              "NAME",
              "a parameter by which the components' derivatives are stepped beside them, as du_dNAME; may be "
              "repeated",
              shape},
             set_sensitivities,
             get_nothing),
        // Parameters of built-in models have rows under their own names.
        list({"set", "NAME=VALUE", "a parameter of the model, e.g. coefficient=0.1; may be repeated", origin},
             set_parameters,
             get_parameters),
        row({"dt",
             "T",
             "time step of typed equations: a number, a share of the stable one as 0.8limit, or as "
             "follow:0.8limit one that stays at that share while the field changes",
             parameter},
            set_dt,
            [](const RunSpec& s) { return unless_empty(s.dt); }),
        row({"tolerance",
             "E",
             "with bs32 and dp54: chooses dt so that the estimated error of a step stays below E (1 + |u|); "
             "--dt is the first one",
             parameter},
            set_tolerance,
            get_nothing),
        row({"dx", "H", "distance of cells of typed equations", shape},
            set_dx,
            [](const RunSpec& s) { return s.dx > 0 ? Json(s.dx) : Json(); }),
        row({"integrator",
             "NAME",
             "euler, heun, midpoint, ab2, bs32, rk4, dp54, rkl2[:STAGES], symplectic or imex (default: the "
             "model's own)",
             shape},
            set_integrator,
            [](const RunSpec& s) { return unless_empty(s.chosen_integrator); }),
        row({"global-every",
             "N",
             "values of the whole field, such as mean(u), are taken by every N-th step alone and lag in "
             "those between (default 1)",
             shape},
            set_global_every,
            [](const RunSpec& s) { return s.global_every > 0 ? Json(s.global_every) : Json(); }),
        row({"boundary", "B", "zero, insulated or periodic", parameter},
            set_boundary,
            [](const RunSpec& s) {
                return s.boundary_as_typed ? Json() : Json(std::string(name_of(s.boundary)));
            }),
        list({"initial",
              "[NAME=]WHAT",
              "an initial condition (see below), .npy array, PNG/JPEG picture or formula of x and y, for the "
              "component NAME or the first one",
              origin},
             set_initial,
             get_initial),
        member({"seed", "S", "of jagged and noise, as numpy.random.default_rng takes it", origin},
               &RunSpec::seed,
               parse_seed,
               std::identity()),
        row({"dtype", "T", "float32 or float64", shape},
            set_dtype,
            [](const RunSpec& s) { return Json(std::string(name_of(s.dtype))); }),
        flag("allow-unstable",
             "let the coefficient or dt exceed the largest stable value",
             &RunSpec::allow_unstable)};
}

std::vector<Setting> computation_settings() {
    using enum SettingKind;
    return {text({"method", "NAME", "how to step (see below); auto takes the fastest there is", device},
                 &RunSpec::method,
                 read_method),
            text({"backend", "B", "auto, cpu or cuda", device}, &RunSpec::backend, read_backend),
            whole({"threads", "N", "CPU threads (default: all)", device}, &RunSpec::threads, 1, 4096),
            member({"memory-limit", "BYTES", "use no more host or GPU memory, e.g. 2GB"},
                   &RunSpec::memory_limit,
                   parse_bytes,
                   [](std::uint64_t) { return Json(); })};
}

std::vector<Setting> measurement_settings() {
    return {
        list({"at",
              "STEP:SETTING=VALUE",
              "a change in mid-run, e.g. 500:coefficient=0.1 or 0:paint=1,20,replace,64,80; may be repeated"},
             &RunSpec::edits,
             add_edits),
        list({"probe", "X,Y", "a cell whose values go to probes.csv; may be repeated"},
             &RunSpec::probes,
             add_probes),
        list({"profile",
              "X0,Y0,X1,Y1",
              "a line in cell coordinates, whose values go to profile.csv; may be repeated"},
             &RunSpec::profiles,
             add_profiles),
        list({"bookmark", "STEP:NAME", "a moment that the window has among its bookmarks; may be repeated"},
             &RunSpec::bookmarks,
             add_bookmarks)};
}

std::vector<Setting> file_settings() {
    return {whole({"every", "N", "also a numbered frame every N steps"}, &RunSpec::every, 1, kMaxSteps),
            whole({"checkpoint", "N", "every N steps the whole state to DIR/checkpoint, for --resume"},
                  &RunSpec::checkpoint,
                  1,
                  kMaxSteps),
            row({"export", "LIST", "files to write, separated by commas (see below); default, all"},
                set_exports,
                [](const RunSpec& s) { return Json(fmt::format("{}", fmt::join(s.exports, ","))); })};
}

std::vector<Setting> look_settings() {
    using enum SettingKind;
    return {
        text({"show",
              "FORMULA",
              "the quantity shown and measured, e.g. v or u^2 + v^2 (default: the first component)"},
             &RunSpec::show,
             as_is),
        row(
            {"colormap", "NAME", "colours of the pictures; NAME_r: reversed (default viridis)"},
            [](RunSpec& s, std::string_view name) { s.coloring().colormap = read_colormap(name); },
            [](const RunSpec& s) { return unless_empty(s.colormap); }),
        row(
            {"range",
             "[SCALE:]R",
             "values that the colours span: auto, percentile:LO:HI or MIN:MAX; SCALE is log, symlog or "
             "centred "
             "(at zero), e.g. log:1e-4:1"},
            [](RunSpec& s, std::string_view text) { s.coloring().range = parse_range(text, "--range"); },
            [](const RunSpec& s) { return Json(to_string(s.range)); }),
        list({"colors",
              "FORMULA=[NAME][,RANGE]",
              "colours and range of one formula, which it has whenever it is shown, e.g. v=magma,0:1; may be "
              "repeated"},
             add_colors,
             get_colors),
        flag("range-per-frame",
             "each frame spans its own range; otherwise all span the first one's",
             &RunSpec::range_per_frame),
        text({"laplacian-colormap",
              "NAME",
              "colours of the Laplacian (default: coolwarm, or a diverging --colormap; inferno in the "
              "figure)"},
             &RunSpec::laplacian_colormap,
             read_colormap),
        range({"laplacian-range", "[SCALE:]R", "the same for the Laplacian (default percentile:5:95)"},
              &RunSpec::laplacian_range),
        unit({"unit-length",
              "[N]UNIT",
              "what a length of 1 is (in the built-in diffusion a cell), e.g. 0.01m: for figures and tables"},
             &RunSpec::unit_length),
        unit({"unit-time", "[N]UNIT", "what a time of 1 is (in the built-in diffusion a step), e.g. 0.1s"},
             &RunSpec::unit_time),
        text({"contours",
              "L1,L2,...|N",
              "lines of equal value in the window and in figures: at these levels, or N spread over the "
              "colours"},
             &RunSpec::contours,
             read_contours),
        text({"arrows",
              "gradient|flux|A,B",
              "arrows in the window and in figures: the gradient of what is shown, its flux (downhill), or "
              "two formulas across and down, such as u,v or 'dy(psi),-dx(psi)'"},
             &RunSpec::arrows,
             read_arrows),
        member(
            {"outline",
             "true|false",
             "draw the edge of a model's shape, `inside = ...`, in the window and in figures (default true)"},
            &RunSpec::outline,
            parse_flag,
            [](bool on) { return on ? Json() : Json(false); }),
        member(
            {"surface",
             "AZ,EL[,ZOOM[,HEIGHT]]",
             "from where a surface is seen: degrees by which it is turned, and of the eye above it, its "
             "size, and a factor of its height (default -30,40)"},
            &RunSpec::surface,
            [](std::string_view text, const std::string&) { return read_surface_view(text); },
            [](const SurfaceView& view) { return view == SurfaceView() ? Json() : Json(to_string(view)); }),
        text({"view",
              "NAME",
              "what the window and view.* show: now, laplacian, from-start, from-reference, start, surface, "
              "three-up or components"},
             &RunSpec::view,
             read_view),
        row({"figure-size",
             "W[xH]cm",
             "width, or width and height, of the figures view.* and dispersion.*, e.g. 12x10cm"},
            set_figure_size,
            get_figure_size),
        flag("wave-ring",
             "a circle over the field, in the window and in view.*, as wide as the fastest growing wave is "
             "long",
             &RunSpec::wave_ring)};
}

std::vector<Setting> make_settings() {
    std::vector<Setting> rows;
    const auto add = [&](std::string_view group, std::vector<Setting> its_rows) {
        for (Setting& row : its_rows) rows.emplace_back(std::move(row)).group = group;
    };
    add("Problem", problem_settings());
    add("Computation", computation_settings());
    add("Changes and measurements", measurement_settings());
    add("Files", file_settings());
    add("Pictures", look_settings());
    std::ranges::find(rows, "integrator", &Setting::name)->former = "stepper";
    // Inserts the built-in models' parameters before `set`.
    std::vector<Setting> parameters;
    for (const auto& model : models())
        for (const ModelParameter& parameter : model->parameters)
            parameters.emplace_back(setting_of(parameter)).group = rows.front().group;
    const auto set = std::ranges::find(rows, "set", &Setting::name);
    rows.insert(set, parameters.begin(), parameters.end());
    return rows;
}

}  // namespace

std::span<const Setting> settings() {
    static const std::vector<Setting> table = make_settings();
    return table;
}

std::string coloring_text(const std::string& formula, const Coloring& own) {
    return fmt::format(
        "{}={}{}", formula, own.colormap, own.range == RangeRule() ? "" : "," + to_string(own.range));
}

void set_setting(RunSpec& spec, std::string_view name, std::string_view value) {
    if (const Setting* row = setting_named(name)) return row->set(spec, value);
    if (!spec.model->index_of(name)) {
        std::vector<std::string> known = names_of(spec.model->parameters);
        for (const Setting& setting : settings())
            if (is_editable(setting) && !contains(known, setting.name)) known.emplace_back(setting.name);
        throw InputError(unknown_name_message("setting", name, known));
    }
    spec.set_parameter(name, parse_real(std::string(value), fmt::format("--set {}", name)));
}

void set_all(RunSpec& spec, const SettingWords& words) {
    std::map<const Setting*, std::vector<std::string>> lists;
    for (const auto& [setting, text] : words)
        if (setting->add) lists[setting].push_back(text);
    const auto take = [&](Turn turn) {
        for (const auto& [setting, text] : words) {
            if (turn_of(setting->name) != turn) continue;
            if (!setting->add)
                setting->set(spec, text);
            else if (const auto given = lists.extract(setting))
                setting->add(spec, given.mapped());
        }
    };
    take(Turn::model);
    std::ranges::for_each(kTurnsAfterModel, take);
    for (const auto& [setting, text] : words)
        if (setting->name == "colors") spec.require_formula(formula_of_colors(text));
}

Turn turn_of(std::string_view setting) {
    if (contains(kModelSettings, setting)) return Turn::model;
    return setting == "show" ? Turn::show : setting == "colors" ? Turn::colors : Turn::others;
}

std::string setting_text(const RunSpec& spec, std::string_view name) {
    const Setting* row = setting_named(name);
    if (row == nullptr) return format_real(spec.parameter(name));
    const Json value = row->get(spec);
    return value.is_null() ? "" : value.is_string() ? value.get<std::string>() : value.dump();
}

const Setting* setting_named(std::string_view name) {
    for (const Setting& setting : settings())
        if (setting.name == name || (!name.empty() && setting.former == name)) return &setting;
    return nullptr;
}

std::string_view present_name(std::string_view name) {
    const Setting* setting = setting_named(name);
    return setting == nullptr ? name : setting->name;
}

const Setting& find_setting(std::string_view name) {
    if (const Setting* setting = setting_named(name)) return *setting;
    return row_named(settings(), "setting", name);
}

SettingKind kind_of(std::string_view setting) {
    const Setting* row = setting_named(setting);
    return row == nullptr ? SettingKind::parameter : row->kind;
}

bool is_editable(const Setting& setting) {
    return setting.kind != SettingKind::view && setting.kind != SettingKind::origin;
}

}  // namespace stencil
