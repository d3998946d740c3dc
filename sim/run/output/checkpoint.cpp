#include "sim/run/output/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/input_file.h"
#include "sim/files/npy.h"
#include "sim/run/resolve.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;

// JSON's numbers are exact for all that is finite.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

double number(const Json& json) {
    if (!json.is_string()) return json.get<double>();
    return json == "nan" ? NAN : json == "-nan" ? -NAN : json == "inf" ? INFINITY : -INFINITY;
}

template <class List>
Json numbers(const List& values) {
    Json json = Json::array();
    for (const double value : values) json.push_back(number(value));
    return json;
}

std::vector<double> numbers(const Json& json) {
    std::vector<double> values;
    for (const Json& value : json) values.push_back(number(value));
    return values;
}

Json to_json(const Timings::Sums& t) {
    return {{"seconds_per_step", numbers(t.seconds_per_step)},
            {"next", t.next},
            {"warm", t.warm},
            {"total_seconds", t.total_seconds},
            {"total_steps", t.total_steps},
            {"total_batches", t.total_batches}};
}

Timings::Sums timings_from(const Json& json) {
    return {numbers(json.at("seconds_per_step")),
            json.at("next"),
            json.at("warm"),
            json.at("total_seconds"),
            json.at("total_steps"),
            json.at("total_batches")};
}

Json to_json(const Measures& measures) {
    Json moments = Json::array(), probes = Json::array();
    for (const MeasuredMoment& m : measures.series()) {
        const Statistics& s = m.statistics;
        moments.push_back(
            {m.step, number(s.min), number(s.max), number(s.total), number(s.mean), s.not_finite});
    }
    for (const ProbeSeries& p : measures.probes())
        probes.push_back({{"x", p.x}, {"y", p.y}, {"steps", p.steps}, {"values", numbers(p.values)}});
    return {{"statistics", moments}, {"probes", probes}};
}

void read_measures(const Json& json, Measures& measures) {
    std::vector<MeasuredMoment> series;
    for (const Json& row : json.at("statistics"))
        series.push_back(
            {row.at(0),
             {number(row.at(1)), number(row.at(2)), number(row.at(3)), number(row.at(4)), row.at(5)}});
    std::vector<ProbeSeries> probes;
    for (const Json& row : json.at("probes"))
        probes.push_back({row.at("x"),
                          row.at("y"),
                          row.at("steps").get<std::vector<long long>>(),
                          numbers(row.at("values"))});
    measures.resume(std::move(series), std::move(probes));
}

Json to_json(const FrameProgress& frames) {
    Json json{{"count", frames.count}, {"ranges", Json::object()}};
    for (const auto& [formula, range] : frames.ranges)
        json["ranges"][formula] = {number(range.low), number(range.high)};
    return json;
}

FrameProgress frames_from(const Json& json) {
    FrameProgress frames{{}, json.at("count")};
    for (const auto& [formula, range] : json.at("ranges").items())
        frames.ranges[formula] = ValueRange{number(range[0]), number(range[1])};
    return frames;
}

// The arrays by the names of their files.
std::vector<std::pair<std::string, const Field*>> arrays_of(const RunCheckpoint& checkpoint) {
    const SolverSnapshot& solver = checkpoint.run.solver;
    std::vector<std::pair<std::string, const Field*>> arrays;
    const auto& components = checkpoint.run.now.model->components;
    for (std::size_t i = 0; i < components.size(); ++i) {
        arrays.emplace_back("start-" + components[i].name, &checkpoint.run.start->components[i]);
        arrays.emplace_back("field-" + components[i].name, &solver.plain.components[i]);
    }
    for (const auto& [name, field] : solver.inner.arrays) arrays.emplace_back("inner-" + name, &field);
    return arrays;
}

Json to_json(const RunCheckpoint& checkpoint) {
    const RunState& run = checkpoint.run;
    Json inner = Json::object();
    for (const auto& [name, value] : run.solver.inner.numbers)
        std::visit([&, &key = name](auto v) { inner[key] = v; }, value);
    Json measures = Json::object();
    for (const auto& [formula, measured] : checkpoint.measures) measures[formula] = to_json(measured);
    return {{"program", "stencilscope"},
            {"version", STENCILSCOPE_VERSION},
            {"format", kFormat},
            {"step", run.solver.plain.step},
            {"spec", stencil::to_json(run.spec)},
            {"now", stencil::to_json(run.now)},
            {"edits_applied", run.applied},
            {"conserves", run.conserves},
            {"coefficient", run.taken.coefficient},
            {"values", numbers(run.taken.values)},
            {"dt", run.taken.dt},
            {"method", run.solver.method},
            {"backend", run.solver.backend},
            {"inner", inner},
            {"timings", to_json(run.timings.sums())},
            {"measures", measures},
            {"frames", to_json(checkpoint.frames)}};
}

// The text with the hash of itself as its last entry.
std::string sealed(std::string body) {
    const std::uint64_t hash = xxh64(std::as_bytes(std::span(body)));
    return body + fmt::format(",\n \"checksum\": \"{:016x}\"\n}}\n", hash);
}

[[noreturn]] void refuse(const fs::path& path, std::string_view what) {
    throw InputError(fmt::format("--resume: {}: {}", path.string(), what));
}

Json read_json(const fs::path& path) {
    const std::string text = InputFile(path).read_text();
    if (sealed(text.substr(0, text.rfind(",\n \"checksum\""))) != text)
        refuse(path, "damaged: its checksum does not fit");
    const Json json = Json::parse(text);
    if (json.at("format") != kFormat)
        refuse(path, fmt::format("of version {} of this program", json.at("version").dump()));
    return json;
}

Field read_array(const fs::path& folder, const Json& json, const std::string& name) {
    const fs::path path = folder / (name + ".npy");
    Field field = read_npy(path, NonFinite::allowed);
    if (json.at("arrays").at(name) != field_hash(field)) refuse(path, "damaged: its checksum does not fit");
    return field;
}

State read_state(const fs::path& folder, const Json& json, const std::string& name, const Model& model) {
    State state;
    for (const Component& component : model.components)
        state.components.push_back(read_array(folder, json, name + "-" + component.name));
    return state;
}

RunCheckpoint read_from(const fs::path& folder) {
    const Json json = read_json(folder / "run.json");
    RunCheckpoint checkpoint;
    RunState& run = checkpoint.run;
    run.spec = spec_from_json(json.at("spec").dump(), "checkpoint");
    run.now = spec_from_json(json.at("now").dump(), "checkpoint");
    run.applied = json.at("edits_applied");
    run.conserves = json.at("conserves");
    run.taken = {{json.at("coefficient"), run.now.boundary}, numbers(json.at("values")), json.at("dt")};
    run.start = std::make_shared<State>(read_state(folder, json, "start", *run.now.model));
    run.timings = Timings(timings_from(json.at("timings")));
    SolverSnapshot& solver = run.solver;
    solver.method = json.at("method");
    solver.backend = json.at("backend");
    solver.plain = read_state(folder, json, "field", *run.now.model);
    solver.plain.step = json.at("step");
    for (const auto& [name, value] : json.at("inner").items()) {
        if (value.is_number_integer())
            solver.inner.numbers[name] = value.get<std::int64_t>();
        else
            solver.inner.numbers[name] = value.get<double>();
    }
    for (const auto& [name, hash] : json.at("arrays").items())
        if (name.starts_with("inner-"))
            solver.inner.arrays.emplace(name.substr(6), read_array(folder, json, name));
    for (const auto& [formula, measured] : json.at("measures").items())
        read_measures(measured, checkpoint.measures.emplace(formula, Measures(0)).first->second);
    checkpoint.frames = frames_from(json.at("frames"));
    return checkpoint;
}

// What may be said anew for the rest of a run.
bool may_change(const Setting& setting) {
    static constexpr std::string_view kFixed[] = {"every", "at", "probe", "profile", "bookmark"};
    if (std::ranges::find(kFixed, setting.name) != std::end(kFixed)) return false;
    return setting.kind == SettingKind::view || setting.kind == SettingKind::device ||
           setting.name == "dtype";
}

void add_edit(RunState& run, std::string_view setting, std::string value) {
    std::vector<Edit>& edits = run.spec.edits.own();
    edits.insert(edits.begin() + std::ptrdiff_t(run.applied++),
                 Edit{run.solver.plain.step, std::string(setting), std::move(value)});
}

}  // namespace

void write_checkpoint(const fs::path& folder, const RunCheckpoint& checkpoint) {
    const fs::path next = folder / "checkpoint.new", place = folder / "checkpoint",
                   last = folder / "checkpoint.last";
    std::error_code ignored;
    fs::remove_all(next, ignored);
    fs::create_directories(next, ignored);  // where it cannot be made, the first file says why
    Json json = to_json(checkpoint);
    json["arrays"] = Json::object();
    for (const auto& [name, field] : arrays_of(checkpoint)) {
        json["arrays"][name] = field_hash(*field);
        write_npy(next / (name + ".npy"), *field);
    }
    std::string text = json.dump(1);
    text.resize(text.size() - 2);  // without the brace at its end
    write_text_file(next / "run.json", sealed(std::move(text)));
    if (fs::exists(place, ignored)) {
        fs::remove_all(last, ignored);
        rename_folder(place, last);
    }
    rename_folder(next, place);
    fs::remove_all(last, ignored);
}

RunCheckpoint read_checkpoint(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : {"checkpoint", "checkpoint.last"}) {
        const fs::path place = folder / name;
        if (!fs::exists(place, ignored)) continue;
        try {
            return read_from(place);
        } catch (const Json::exception& error) {
            refuse(place / "run.json", fmt::format("damaged ({})", error.what()));
        }
    }
    refuse(folder, "there is no checkpoint; 'run --out DIR --checkpoint N' writes them");
}

void remove_checkpoint(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : {"checkpoint", "checkpoint.last", "checkpoint.new"})
        fs::remove_all(folder / name, ignored);
}

void take_over(RunCheckpoint& checkpoint,
               const std::vector<std::pair<std::string, std::string>>& given,
               const Machine& machine) {
    RunState& run = checkpoint.run;
    const RunSpec before = run.now;
    if (run.now.backend == name_of(Device::cuda) && !machine.has_cuda())
        run.now.method = run.now.backend = "auto";
    for (const auto& [name, value] : given) {
        const Setting& setting = find_setting(name);
        RunSpec wanted = run.spec;
        setting.set(wanted, value);
        if (!may_change(setting)) {
            if (setting.get(wanted) != setting.get(run.spec) || wanted.parameters != run.spec.parameters)
                throw InputError(fmt::format(
                    "--resume: --{} {} contradicts the run so far; leave it out", name, quotable(value)));
            continue;
        }
        run.now = changed(run.now, name, value);
        if (setting.kind == SettingKind::view || name == "threads") run.spec = std::move(wanted);
    }
    const long long step = run.solver.plain.step;
    if (run.spec.steps < step)
        throw InputError(
            fmt::format("--resume: --steps {}: the run is at step {} already", run.spec.steps, step));
    run.now = resolve(run.now, machine);
    if (run.now.dtype != before.dtype) {
        add_edit(run, "dtype", std::string(name_of(run.now.dtype)));
        run.start = std::make_shared<State>(run.start->to(run.now.dtype));
    }
    if (method_of(run.now) == method_of(before)) return;
    if (runs_on_both(run.now.method)) add_edit(run, "backend", run.now.backend);
    add_edit(run, "method", run.now.method);
}

}  // namespace stencil
