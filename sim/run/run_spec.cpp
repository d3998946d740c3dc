#include "sim/run/run_spec.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/files/input_file.h"
#include "sim/initial/initial.h"
#include "sim/run/exports.h"
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
}

Json get_size(const RunSpec& spec) {
    return spec.size ? Json(fmt::format("{}x{}", spec.size->nx, spec.size->ny)) : Json();
}

void set_coefficient(RunSpec& spec, std::string_view text) {
    const double value = parse_real(text, "--coefficient");
    if (value <= 0)
        throw InputError(
            fmt::format("--coefficient {}: must be above 0 and at most {}", quotable(text), kStabilityLimit));
    spec.coefficient = value;
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

void add_edit(RunSpec& spec, std::string_view text) {
    Edit edit = parse_edit(text);
    const auto after = std::ranges::upper_bound(spec.edits, edit.step, {}, &Edit::step);
    spec.edits.insert(after, std::move(edit));
}

Json get_edits(const RunSpec& spec) {
    Json texts;
    for (const Edit& edit : spec.edits) texts.push_back(to_string(edit));
    return texts;
}

void add_probe(RunSpec& spec, std::string_view text) {
    const auto parts = split(text, ',');
    if (parts.size() != 2)
        throw InputError(fmt::format("--probe {}: must be X,Y, e.g. 100,200", quotable(text)));
    spec.probes.push_back({int(parse_integer(parts[0], "--probe", 0, kMaxCells - 1)),
                           int(parse_integer(parts[1], "--probe", 0, kMaxCells - 1))});
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

constexpr Setting kSettings[] = {
    {"size", "NX[xNY]", "columns x rows (default: the file's own, or 2000x2000)", set_size, get_size},
    {"steps",
     "N",
     "explicit steps, 0 or more",
     [](RunSpec& s, std::string_view t) { s.steps = parse_integer(t, "--steps", 0, kMaxSteps); },
     [](const RunSpec& s) { return Json(s.steps); }},
    {"coefficient",
     "C",
     "D dt / dx^2; stable up to 0.25",
     set_coefficient,
     [](const RunSpec& s) { return Json(s.coefficient); }},
    {"boundary",
     "B",
     "zero, insulated or periodic",
     set_boundary,
     [](const RunSpec& s) { return Json(std::string(name_of(s.boundary))); }},
    {"initial",
     "NAME|FILE",
     "initial condition (see below), .npy array or PNG/JPEG picture",
     set_initial,
     [](const RunSpec& s) { return Json(s.initial); }},
    {"seed",
     "S",
     "of jagged and noise, as numpy.random.default_rng takes it",
     [](RunSpec& s, std::string_view t) { s.seed = parse_seed(t, "--seed"); },
     [](const RunSpec& s) { return Json(s.seed); }},
    {"dtype",
     "T",
     "float32 or float64",
     set_dtype,
     [](const RunSpec& s) { return Json(std::string(name_of(s.dtype))); }},
    {"method",
     "NAME",
     "how to step (see below); auto takes the fastest there is",
     set_method,
     [](const RunSpec& s) { return Json(s.method); }},
    {"backend",
     "B",
     "auto, cpu or cuda",
     [](RunSpec& s, std::string_view t) {
         s.backend = known_name("backend", t, {"auto", "cpu", "cuda"});
     },
     [](const RunSpec& s) { return Json(s.backend); }},
    {"threads",
     "N",
     "CPU threads (default: all)",
     [](RunSpec& s, std::string_view t) { s.threads = int(parse_integer(t, "--threads", 1, 4096)); },
     [](const RunSpec& s) { return s.threads > 0 ? Json(s.threads) : Json(); }},
    {"at",
     "STEP:SETTING=VALUE",
     "a change in mid-run, e.g. 500:coefficient=0.1 or 0:paint=1,20,replace,64,80; may be repeated",
     add_edit,
     get_edits,
     true},
    {"probe", "X,Y", "a cell whose values go to probes.csv; may be repeated", add_probe, get_probes, true},
    {"profile",
     "X0,Y0,X1,Y1",
     "a line in cell coordinates, whose values go to profile.csv",
     set_profile,
     get_profile},
    {"every",
     "N",
     "also a numbered frame every N steps",
     [](RunSpec& s, std::string_view t) { s.every = parse_integer(t, "--every", 1, kMaxSteps); },
     [](const RunSpec& s) { return s.every > 0 ? Json(s.every) : Json(); }},
    {"export",
     "LIST",
     "files to write, separated by commas (see below); default, all",
     set_exports,
     [](const RunSpec& s) { return Json(fmt::format("{}", fmt::join(s.exports, ","))); }},
    {"colormap",
     "NAME",
     "colours of the pictures (default viridis)",
     [](RunSpec& s, std::string_view t) { s.colormap = set_map(t); },
     [](const RunSpec& s) { return get_map(s.colormap); }},
    {"laplacian-colormap",
     "NAME",
     "colours of the Laplacian (default: --colormap; inferno in the figure)",
     [](RunSpec& s, std::string_view t) { s.laplacian_colormap = set_map(t); },
     [](const RunSpec& s) { return get_map(s.laplacian_colormap); }},
    {"range",
     "R",
     "values that the colours span: auto, percentile:LO:HI or MIN:MAX",
     [](RunSpec& s, std::string_view t) { s.range = parse_range(t, "--range"); },
     [](const RunSpec& s) { return Json(to_string(s.range)); }},
    {"laplacian-range",
     "R",
     "the same for the Laplacian (default percentile:5:95)",
     [](RunSpec& s, std::string_view t) { s.laplacian_range = parse_range(t, "--laplacian-range"); },
     [](const RunSpec& s) { return Json(to_string(s.laplacian_range)); }},
    {"range-per-frame",
     "",
     "each frame spans its own range; otherwise all span the first one's",
     [](RunSpec& s, std::string_view t) { s.range_per_frame = parse_flag(t, "--range-per-frame"); },
     [](const RunSpec& s) { return Json(s.range_per_frame); }},
    {"allow-unstable",
     "",
     "let the coefficient exceed 0.25",
     [](RunSpec& s, std::string_view t) { s.allow_unstable = parse_flag(t, "--allow-unstable"); },
     [](const RunSpec& s) { return Json(s.allow_unstable); }},
    {"memory-limit",
     "BYTES",
     "use no more host or GPU memory, e.g. 2GB",
     [](RunSpec& s, std::string_view t) { s.memory_limit = parse_bytes(t, "--memory-limit"); },
     [](const RunSpec&) { return Json(); }},
};

void set_from_json(RunSpec& spec, const Setting& setting, const Json& value) {
    if (!value.is_primitive() || value.is_null())
        throw InputError(fmt::format("{}: must be a number, a text, true or false", setting.name));
    setting.set(spec, value.is_string() ? value.get<std::string>() : value.dump());
}

}  // namespace

RunSpec::RunSpec() : exports(default_exports()) {}

std::span<const Setting> settings() {
    return kSettings;
}

const Setting& find_setting(std::string_view name) {
    const auto found = std::ranges::find(kSettings, name, &Setting::name);
    if (found != std::end(kSettings)) return *found;
    std::vector<std::string> known;
    for (const Setting& row : kSettings) known.emplace_back(row.name);
    throw InputError(unknown_name_message("setting", name, known));
}

bool runs_on_both(std::string_view method) {
    return find_method(method, Device::cpu) && find_method(method, Device::cuda);
}

const Method* method_of(const RunSpec& spec) {
    if (spec.backend == "auto") return find_method(spec.method);
    return find_method(spec.method, spec.backend == name_of(Device::cuda) ? Device::cuda : Device::cpu);
}

void RunSpec::validate() const {
    if (coefficient > kStabilityLimit && !allow_unstable)
        throw InputError(
            fmt::format("--coefficient {}: above {} explicit steps are unstable; allowed: 0 < C <= {}, "
                        "or add --allow-unstable",
                        coefficient,
                        kStabilityLimit,
                        kStabilityLimit));
    const bool frames = std::ranges::any_of(exports, is_frame_export);
    if (frames && every == 0) throw InputError("--export frames.png or frames.npy needs --every N");
    if (const Method* named = find_method(method); named && backend != "auto" && !method_of(*this))
        throw InputError(fmt::format(
            "--method {} runs on {}, and --backend says {}", method, name_of(named->device), backend));
    const auto exported = [&](std::string_view name) {
        return std::ranges::find(exports, name) != exports.end();
    };
    if (exported("profile.csv") && !profile)
        throw InputError("--export profile.csv needs --profile X0,Y0,X1,Y1");
    if (exported("probes.csv") && probes.empty()) throw InputError("--export probes.csv needs --probe X,Y");
    RunSpec later = *this;
    later.edits.clear();
    for (const Edit& edit : edits) {
        try {
            if (edit.setting != kPaint) later = changed(std::move(later), edit.setting, edit.value);
        } catch (const InputError& error) {
            throw InputError(fmt::format("--at {}: {}", edit.step, error.what()));
        }
    }
}

namespace {

// On whatever the backend turns out to be.
bool runs_on(const RunSpec& spec) {
    return spec.backend == "auto" ? runs_on_both(spec.method) : method_of(spec) != nullptr;
}

}  // namespace

RunSpec changed(RunSpec spec, std::string_view setting, std::string_view value) {
    find_setting(setting).set(spec, value);
    // The later word counts: a backend brings its own method, and a method its backend, unless it runs there.
    if (const Method* named = find_method(spec.method); named && !runs_on(spec)) {
        if (setting == "backend") spec.method = "auto";
        if (setting == "method") spec.backend = name_of(named->device);
    }
    spec.validate();
    return spec;
}

nlohmann::ordered_json to_json(const RunSpec& spec) {
    nlohmann::ordered_json json;
    json["program"] = "stencilscope";
    json["version"] = STENCILSCOPE_VERSION;
    for (const Setting& row : kSettings)
        if (const Json value = row.get(spec); !value.is_null()) json[std::string(row.name)] = value;
    return json;
}

namespace {

// As Json::parse(), but an object that names a key twice is refused: the last one would count silently.
Json parse_settings(const std::string& text, const std::string& file) {
    std::set<std::string, std::less<>> keys;
    std::string twice;
    const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
        if (event == Json::parse_event_t::key && depth == 1 && !keys.insert(value.get<std::string>()).second)
            twice = value.get<std::string>();
        return true;
    };
    Json json = Json::parse(text, watch, false);
    if (json.is_discarded()) throw InputError(file + ": not valid JSON");
    if (!twice.empty()) throw InputError(fmt::format("{}: names '{}' twice", file, quotable(twice)));
    return json;
}

}  // namespace

RunSpec spec_from_json(const std::string& text, const std::string& file) {
    const Json json = parse_settings(text, file);
    if (!json.is_object()) throw InputError(file + ": must hold a JSON object of settings");
    RunSpec spec;
    try {
        for (const auto& [name, value] : json.items()) {
            if (name == "program" || name == "version") continue;
            const Setting& setting = find_setting(name);
            if (setting.repeatable && value.is_array()) {
                for (const Json& item : value) set_from_json(spec, setting, item);
                continue;
            }
            set_from_json(spec, setting, value);
        }
    } catch (const InputError& error) {
        throw InputError(file + ": " + error.what());
    }
    return spec;
}

RunSpec read_spec(const std::string& file) {
    constexpr std::uintmax_t kMaxBytes = 256'000'000;  // some millions of edits
    return spec_from_json(InputFile(file).read_text(kMaxBytes), printable(file));
}

bool conserves_total(const RunSpec& spec) {
    RunSpec now = spec;
    now.edits.clear();
    if (!row_of(now.boundary).conserves_total) return false;
    for (const Edit& edit : spec.edits) {
        if (edit.setting == kPaint || edit.setting == "size") return false;
        now = changed(std::move(now), edit.setting, edit.value);
        if (!row_of(now.boundary).conserves_total) return false;
    }
    return true;
}

}  // namespace stencil
