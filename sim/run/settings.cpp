#include "sim/run/settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "sim/initial/initial.h"
#include "sim/run/output/exports.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

using Json = nlohmann::json;

// The name if it is among the known ones.
std::string known_name(std::string_view kind, std::string_view given, const std::vector<std::string>& known) {
    if (std::ranges::find(known, given) == known.end())
        throw InputError(fmt::format("--{}: {}", kind, unknown_name_message(kind, given, known)));
    return std::string(given);
}

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

void set_boundary(RunSpec& spec, std::string_view text) {
    std::vector<std::string> known;
    for (const BoundaryRow& row : kBoundaries) known.emplace_back(row.name);
    const std::string name = known_name("boundary", text, known);
    spec.boundary = std::ranges::find(kBoundaries, name, &BoundaryRow::name)->boundary;
}

void set_initial(RunSpec& spec, std::string_view text) {
    parse_initial(text);
    spec.initial = std::string(text);
    spec.initial_hash.clear();
}

void set_dtype(RunSpec& spec, std::string_view text) {
    spec.dtype =
        known_name("dtype", text, {"float32", "float64"}) == "float32" ? DType::float32 : DType::float64;
}

void set_method(RunSpec& spec, std::string_view text) {
    std::vector<std::string> known{"auto"};
    for (const Method& method : methods())
        if (find_method(method.name) == &method) known.emplace_back(method.name);
    spec.method = known_name("method", text, known);
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

void set_profile(RunSpec& spec, std::string_view text) {
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
    spec.profile = ProfileLine{{number(0), number(1)}, {number(2), number(3)}};
}

Json get_profile(const RunSpec& spec) {
    if (!spec.profile) return {};
    const auto& [from, to] = *spec.profile;
    return fmt::format("{},{},{},{}", from.x, from.y, to.x, to.y);
}

std::string set_map(std::string_view text) {
    return std::string(stencil::colormap(text).name);
}

Json get_map(const std::string& name) {
    return name.empty() ? Json() : Json(name);
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

std::vector<Setting> make_settings() {
    std::vector<Setting> rows{
        {"size",
         "NX[xNY]",
         "columns x rows (default: the file's own, or 2000x2000)",
         SettingKind::shape,
         set_size,
         get_size},
        {"steps",
         "N",
         "explicit steps, 0 or more",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.steps = parse_integer(t, "--steps", 0, kMaxSteps); },
         [](const RunSpec& s) { return Json(s.steps); }},
        {"model",
         "NAME",
         "what is stepped: see 'stencilscope models'",
         SettingKind::origin,
         set_model,
         [](const RunSpec& s) { return Json(s.model->name); }},
        {"set",
         "NAME=VALUE",
         "a parameter of the model, e.g. coefficient=0.1; may be repeated",
         SettingKind::origin,
         nullptr,
         // Each parameter of a built-in model is written under its own name.
         [](const RunSpec&) { return Json(); },
         set_parameters},
        {"boundary",
         "B",
         "zero, insulated or periodic",
         SettingKind::parameter,
         set_boundary,
         [](const RunSpec& s) { return Json(std::string(name_of(s.boundary))); }},
        {"initial",
         "NAME|FILE",
         "initial condition (see below), .npy array or PNG/JPEG picture",
         SettingKind::origin,
         set_initial,
         [](const RunSpec& s) { return Json(s.initial); }},
        {"seed",
         "S",
         "of jagged and noise, as numpy.random.default_rng takes it",
         SettingKind::origin,
         [](RunSpec& s, std::string_view t) { s.seed = parse_seed(t, "--seed"); },
         [](const RunSpec& s) { return Json(s.seed); }},
        {"dtype",
         "T",
         "float32 or float64",
         SettingKind::shape,
         set_dtype,
         [](const RunSpec& s) { return Json(std::string(name_of(s.dtype))); }},
        {"method",
         "NAME",
         "how to step (see below); auto takes the fastest there is",
         SettingKind::device,
         set_method,
         [](const RunSpec& s) { return Json(s.method); }},
        {"backend",
         "B",
         "auto, cpu or cuda",
         SettingKind::device,
         [](RunSpec& s, std::string_view t) {
             s.backend = known_name("backend", t, {"auto", "cpu", "cuda"});
         },
         [](const RunSpec& s) { return Json(s.backend); }},
        {"threads",
         "N",
         "CPU threads (default: all)",
         SettingKind::device,
         [](RunSpec& s, std::string_view t) { s.threads = int(parse_integer(t, "--threads", 1, 4096)); },
         [](const RunSpec& s) { return s.threads > 0 ? Json(s.threads) : Json(); }},
        {"at",
         "STEP:SETTING=VALUE",
         "a change in mid-run, e.g. 500:coefficient=0.1 or 0:paint=1,20,replace,64,80; may be repeated",
         SettingKind::view,
         nullptr,
         get_edits,
         add_edits},
        {"probe",
         "X,Y",
         "a cell whose values go to probes.csv; may be repeated",
         SettingKind::view,
         nullptr,
         get_probes,
         add_probes},
        {"profile",
         "X0,Y0,X1,Y1",
         "a line in cell coordinates, whose values go to profile.csv",
         SettingKind::view,
         set_profile,
         get_profile},
        {"every",
         "N",
         "also a numbered frame every N steps",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.every = parse_integer(t, "--every", 1, kMaxSteps); },
         [](const RunSpec& s) { return s.every > 0 ? Json(s.every) : Json(); }},
        {"checkpoint",
         "N",
         "every N steps the whole state to DIR/checkpoint, for --resume",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) {
             s.checkpoint = parse_integer(t, "--checkpoint", 1, kMaxSteps);
         },
         [](const RunSpec& s) { return s.checkpoint > 0 ? Json(s.checkpoint) : Json(); }},
        {"export",
         "LIST",
         "files to write, separated by commas (see below); default, all",
         SettingKind::view,
         set_exports,
         [](const RunSpec& s) { return Json(fmt::format("{}", fmt::join(s.exports, ","))); }},
        {"colormap",
         "NAME",
         "colours of the pictures (default viridis)",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.colormap = set_map(t); },
         [](const RunSpec& s) { return get_map(s.colormap); }},
        {"laplacian-colormap",
         "NAME",
         "colours of the Laplacian (default: --colormap; inferno in the figure)",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.laplacian_colormap = set_map(t); },
         [](const RunSpec& s) { return get_map(s.laplacian_colormap); }},
        {"range",
         "R",
         "values that the colours span: auto, percentile:LO:HI or MIN:MAX",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.range = parse_range(t, "--range"); },
         [](const RunSpec& s) { return Json(to_string(s.range)); }},
        {"laplacian-range",
         "R",
         "the same for the Laplacian (default percentile:5:95)",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.laplacian_range = parse_range(t, "--laplacian-range"); },
         [](const RunSpec& s) { return Json(to_string(s.laplacian_range)); }},
        {"range-per-frame",
         "",
         "each frame spans its own range; otherwise all span the first one's",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.range_per_frame = parse_flag(t, "--range-per-frame"); },
         [](const RunSpec& s) { return Json(s.range_per_frame); }},
        {"allow-unstable",
         "",
         "let the coefficient exceed 0.25",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.allow_unstable = parse_flag(t, "--allow-unstable"); },
         [](const RunSpec& s) { return Json(s.allow_unstable); }},
        {"memory-limit",
         "BYTES",
         "use no more host or GPU memory, e.g. 2GB",
         SettingKind::view,
         [](RunSpec& s, std::string_view t) { s.memory_limit = parse_bytes(t, "--memory-limit"); },
         [](const RunSpec&) { return Json(); }}};
    // The parameters stand behind the model.
    std::vector<Setting> parameters;
    for (const auto& model : models())
        for (const ModelParameter& parameter : model->parameters) parameters.push_back(setting_of(parameter));
    const auto set = std::ranges::find(rows, "set", &Setting::name);
    rows.insert(set, parameters.begin(), parameters.end());
    for (Setting& row : rows)
        if (row.add)
            row.set = [add = row.add](RunSpec& spec, std::string_view text) {
                const std::string one(text);
                add(spec, {&one, 1});
            };
    return rows;
}

}  // namespace

std::span<const Setting> settings() {
    static const std::vector<Setting> table = make_settings();
    return table;
}

const Setting& find_setting(std::string_view name) {
    const auto table = settings();
    const auto found = std::ranges::find(table, name, &Setting::name);
    if (found != table.end()) return *found;
    std::vector<std::string> known;
    for (const Setting& row : table) known.emplace_back(row.name);
    throw InputError(unknown_name_message("setting", name, known));
}

SettingKind kind_of(std::string_view setting) {
    const auto table = settings();
    const auto row = std::ranges::find(table, setting, &Setting::name);
    return row == table.end() ? SettingKind::parameter : row->kind;
}

bool is_editable(const Setting& setting) {
    return setting.kind != SettingKind::view && setting.kind != SettingKind::origin;
}

}  // namespace stencil
