#include "sim/run/output/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "sim/distributed/distributed_solver.h"
#include "sim/field/field_hash.h"
#include "sim/files/atomic_file.h"
#include "sim/files/folder.h"
#include "sim/files/held_arrays.h"
#include "sim/files/input_file.h"
#include "sim/files/npy.h"
#include "sim/import/model_file.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/text/error.h"
#include "sim/text/numbers.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int kFormat = 2;
constexpr long long kMostCells = 1LL * kMaxCells * kMaxCells;
constexpr long long kMostCounted = 1LL << 53;  // files, batches and steps of all that was tried
constexpr double kLargest = std::numeric_limits<double>::max();

// Finite doubles are written as JSON numbers, which round-trip exactly; others as text.
Json number(double value) {
    return std::isfinite(value) ? Json(value) : Json(fmt::format("{}", value));
}

double number(const Json& json) {
    if (json == "nan" || json == "-nan") return json == "nan" ? NAN : -NAN;
    if (json == "inf" || json == "-inf") return json == "inf" ? INFINITY : -INFINITY;
    return real_number(json, "a measured value", -kLargest, kLargest);
}

long long step_in(const Json& json) {
    return whole_number(json, "a step", 0, kMaxSteps);
}

void require(bool holds, const char* what) {
    if (!holds) throw NumberError("{}", what);
}

template <class List>
Json numbers(const List& values) {
    Json json = Json::array();
    for (const double value : values) json.push_back(number(value));
    return json;
}

template <class Read>
auto list_of(const Json& json, const Read& read) {
    require(json.is_array(), "a list is none");
    std::vector<decltype(read(json))> values;
    for (const Json& value : json) values.push_back(read(value));
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
    const auto seconds = [](const Json& value) { return real_number(value, "a time", 0, kLargest); };
    const auto count = [&](const char* name) { return whole_number(json.at(name), name, 0, kMostCounted); };
    Timings::Sums sums{list_of(json.at("seconds_per_step"), seconds)};
    const auto size = static_cast<long long>(sums.seconds_per_step.size());
    sums.next = std::size_t(whole_number(json.at("next"), "next", 0, std::max(size - 1, 0LL)));
    sums.warm = json.at("warm");
    sums.total_seconds = seconds(json.at("total_seconds"));
    sums.total_steps = count("total_steps");
    sums.total_batches = count("total_batches");
    return sums;
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
    Json json{{"statistics", moments}, {"probes", probes}};
    for (const MeasuredRow& row : measures.rows()) json["rows"].push_back({row.step, numbers(row.values)});
    return json;
}

void read_measures(const Json& json, Measures& measures) {
    std::vector<MeasuredMoment> series;
    for (const Json& row : json.at("statistics"))
        series.push_back({step_in(row.at(0)),
                          {number(row.at(1)),
                           number(row.at(2)),
                           number(row.at(3)),
                           number(row.at(4)),
                           std::size_t(whole_number(row.at(5), "not_finite", 0, kMostCells))}});
    std::vector<ProbeSeries> probes;
    const auto place = [](const Json& value) {
        return int(whole_number(value, "a probe", 0, kMaxCells - 1));
    };
    for (const Json& row : json.at("probes")) {
        probes.push_back({place(row.at("x")),
                          place(row.at("y")),
                          list_of(row.at("steps"), step_in),
                          list_of(row.at("values"), [](const Json& value) { return number(value); })});
        const ProbeSeries& last = probes.back();
        require(last.steps.size() == last.values.size(), "a probe needs a value at each step");
        require(std::ranges::is_sorted(last.steps), "a probe's steps must ascend");
    }
    std::vector<MeasuredRow> rows;
    for (const Json& row : json.value("rows", Json::array())) {
        rows.push_back(
            {step_in(row.at(0)), list_of(row.at(1), [](const Json& value) { return number(value); })});
        require(!rows.back().values.empty() && rows.back().values.size() == rows.front().values.size(),
                "rows over time must be of one length");
    }
    require(std::ranges::is_sorted(rows, {}, &MeasuredRow::step), "the steps of rows must ascend");
    require(probes.size() <= kMaxProbes, "there are too many probes");
    require(std::ranges::is_sorted(series, {}, &MeasuredMoment::step), "the steps of statistics must ascend");
    measures.resume(std::move(series), std::move(probes), std::move(rows));
}

Json to_json(const FrameProgress& frames) {
    Json json{{"count", frames.count}, {"ranges", Json::object()}, {"series", Json::array()}};
    for (const auto& [formula, range] : frames.ranges)
        json["ranges"][formula] = {number(range.low), number(range.high)};
    for (const auto& [first, names, dtype, nx, ny] : frames.series)
        json["series"].push_back({{"first", first},
                                  {"names", names},
                                  {"dtype", std::string(name_of(dtype))},
                                  {"nx", nx},
                                  {"ny", ny}});
    return json;
}

FrameProgress frames_from(const Json& json) {
    FrameProgress frames{{}, whole_number(json.at("count"), "count", 0, kMostCounted)};
    for (const auto& [formula, range] : json.at("ranges").items())
        frames.ranges[formula] = ValueRange{number(range.at(0)), number(range.at(1))};
    const auto side = [](const Json& value) { return int(whole_number(value, "a side", 1, kMaxCells)); };
    for (const Json& one : json.value("series", Json::array())) {
        const auto dtype = find_dtype(one.at("dtype").get<std::string>());
        require(dtype.has_value(), "a dtype must be float32 or float64");
        frames.series.push_back({step_in(one.at("first")),
                                 one.at("names").get<std::vector<std::string>>(),
                                 *dtype,
                                 side(one.at("nx")),
                                 side(one.at("ny"))});
    }
    require(std::ranges::is_sorted(frames.series, {}, &FrameSeries::first), "the frames' steps must ascend");
    return frames;
}

// A number that a method keeps between steps.
InnerNumbers::mapped_type inner_number(const std::string& name, const Json& json) {
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    constexpr double kFactor = 1e37;  // its inverse, too, is one in float32
    if (name == "coefficient") return real_number(json, name, 1 / kFactor, kFactor);
    if (name == "carried_error" || name == "clock_time" || name == "clock_past_dt")
        return real_number(json, name, -kLargest, kLargest);
    if (name.starts_with("global_")) return whole_number(json, name, -kMost - 1, kMost);  // a double's bits
    if (name == "growth_mantissa") return whole_number(json, name, 0, kMost);
    if (name == "growth_exponent") return whole_number(json, name, -1024, 1024);
    return step_in(json);
}

// Writes an array to a file and returns its hash.
using WriteArray = std::function<std::string(const fs::path&)>;

WriteArray array_of(Solver* solver, const Field& field, SolverArray array) {
    if (solver) return [=](const fs::path& path) { return solver->write_npy(path, array); };
    return [&field](const fs::path& path) {
        write_npy(path, field);
        return field_hash(field);
    };
}

std::vector<std::pair<std::string, WriteArray>> arrays_of(const RunCheckpoint& checkpoint) {
    using Kind = SolverArray::Kind;
    const RunState& run = checkpoint.run;
    std::vector<std::pair<std::string, WriteArray>> arrays;
    const auto& components = run.now.model->components;
    static const Field none;
    for (std::size_t i = 0; i < components.size(); ++i) {
        arrays.emplace_back("start-" + components[i].name, [i, start = run.start](const fs::path& path) {
            return write_npy(path, *start, i);
        });
        const Field& field = checkpoint.solver ? none : run.solver.plain.components[i];
        arrays.emplace_back("field-" + components[i].name,
                            array_of(checkpoint.solver, field, {Kind::component, i, {}}));
    }
    for (const auto& [name, field] : run.solver.inner.arrays)
        arrays.emplace_back("inner-" + name, array_of(checkpoint.solver, field, {Kind::inner, 0, name}));
    return arrays;
}

Json to_json(const RunCheckpoint& checkpoint) {
    const RunState& run = checkpoint.run;
    Json inner = Json::object();
    InnerNumbers all = run.solver.inner.numbers;
    if (run.solver.clock) all.merge(numbers_of(*run.solver.clock));
    for (const auto& [name, value] : all) std::visit([&, &key = name](auto v) { inner[key] = v; }, value);
    Json measures = Json::object();
    for (const auto& [formula, measured] : checkpoint.measures) measures[formula] = to_json(measured);
    return {{"program", "stencilscope"},
            {"version", STENCILSCOPE_VERSION},
            {"format", kFormat},
            {"step", run.solver.plain.step},
            {"spec", stencil::to_json(run.document())},
            {"now", stencil::to_json(run.now)},
            {"edits_applied", run.applied},
            {"conserves", run.conserves},
            {"error_before", run.error_before},
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

// Appends the hash of the text as its last entry.
std::string sealed(std::string body) {
    const std::uint64_t hash = xxh64(std::as_bytes(std::span(body)));
    return body + fmt::format(",\n \"checksum\": \"{:016x}\"\n}}\n", hash);
}

[[noreturn]] void refuse(const fs::path& path, std::string_view what) {
    throw InputError(Given{"resume"}, "{}: {}", path.string(), what);
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

// Opens arrays by file name and verifies their checksums.
std::shared_ptr<const RowSource> read_arrays(const fs::path& folder,
                                             const Json& json,
                                             const std::vector<std::string>& names) {
    std::vector<fs::path> files;
    for (const std::string& name : names) files.push_back(folder / (name + ".npy"));
    auto rows = file_rows(files);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (json.at("arrays").at(names[i]) != look_at(*rows, i).hash)
            refuse(files[i], "damaged: its checksum does not fit");
    return rows;
}

std::vector<std::string> component_files(const std::string& start, const RunSpec& spec) {
    std::vector<std::string> names;
    for (const Component& component : spec.model->components) names.push_back(start + component.name);
    return names;
}

// Regenerates the initial state from the spec if the processes can do so and the hashes agree; null
// otherwise.
std::shared_ptr<const RowSource> made_again(const RowSource& start, RunSpec spec, const Json& hashes) {
    if (spec.size != Size{start.nx(), start.ny()} || spec.model->components.size() != start.count())
        return nullptr;
    try {
        auto again = start_in_place(spec);
        if (!again) return nullptr;
        again = rounded(rounded(again, spec.dtype), start.dtypes().front());
        for (std::size_t c = 0; c < start.count(); ++c)
            if (hashes.at("start-" + spec.model->components[c].name) != look_at(*again, c).hash)
                return nullptr;
        return again;
    } catch (const InputError&) {
        return nullptr;  // its input files have changed
    }
}

// The files of the initial state exist only until the next checkpoint is written.
std::shared_ptr<const RowSource> read_start(const fs::path& folder, const Json& json, const RunState& run) {
    const auto start = read_arrays(folder, json, component_files("start-", run.now));
    if (auto again = made_again(*start, run.document(), json.at("arrays"))) return again;
    return std::make_shared<StateRows>(start->whole());
}

RunCheckpoint read_from(const fs::path& folder) {
    const Json json = read_json(folder / "run.json");
    RunCheckpoint checkpoint;
    RunState& run = checkpoint.run;
    for (const std::string& name : array_names(json.dump())) {
        if (!fs::exists(folder / name)) continue;  // one of the user's files
        const auto held = run.arrays.insert(hold_array(read_npy(folder / name))).first;
        if (held->first != name) refuse(folder / name, "damaged: its checksum does not fit");
    }
    const RunSpec document = spec_from_json(json.at("spec").dump(), "checkpoint");
    run.at_start = document;
    run.edits = document.edits;
    run.dt_log = document.dt_log;
    run.now = document;
    run.now.edits = {};
    run.now.dt_log = {};
    static_cast<Configuration&>(run.now) = spec_from_json(json.at("now").dump(), "checkpoint");
    const long long step = run.solver.plain.step = step_in(json.at("step"));
    // Older checkpoints have decided steps among the events.
    const auto all = static_cast<long long>(json.at("spec").value("at", Json::array()).size());
    run.applied = std::size_t(whole_number(json.at("edits_applied"), "edits_applied", 0, all));
    const EventList& edits = run.edits;
    const auto moved = static_cast<std::size_t>(all) - edits.size();
    if (moved > 0) run.applied = edits.until(step).size();
    require(
        std::all_of(
            edits.begin() + run.applied, edits.end(), [&](const Event& event) { return event.step >= step; }),
        "a change before the step has not been made");
    run.conserves = json.at("conserves");
    const auto finite = [](const char* name, const Json& value, double least) {
        return real_number(value, name, least, kLargest);
    };
    run.error_before = finite("error_before", json.value("error_before", Json(0.0)), 0);
    run.taken = {{finite("coefficient", json.at("coefficient"), -kLargest), run.now.boundary},
                 list_of(json.at("values"), [&](auto& value) { return finite("a value", value, -kLargest); }),
                 finite("dt", json.at("dt"), 0)};
    require(run.now.size.has_value(), "the size is missing");
    if (run.taken.values.size() != run.now.parameters.size()) run.taken.values = run.now.parameters;
    run.start = read_start(folder, json, run);
    run.timings = Timings(timings_from(json.at("timings")));
    SolverRecord& solver = run.solver;
    solver.method = json.at("method");
    solver.backend = json.at("backend");
    for (const auto& [name, value] : json.at("inner").items())
        solver.inner.numbers[name] = inner_number(name, value);
    solver.clock = take_clock(solver.inner.numbers);
    std::vector<std::string> arrays = component_files("field-", run.now);
    for (const auto& [name, hash] : json.at("arrays").items())
        if (name.starts_with("inner-")) solver.inner.arrays.emplace(name.substr(6), Field());
    for (const auto& [name, field] : solver.inner.arrays) arrays.push_back("inner-" + name);
    solver.arrays = read_arrays(folder, json, arrays);
    for (const auto& [formula, measured] : json.at("measures").items())
        read_measures(measured, checkpoint.measures.emplace(formula, Measures(0)).first->second);
    checkpoint.frames = frames_from(json.at("frames"));
    return checkpoint;
}

RunCheckpoint read_whole(const fs::path& place) {
    try {
        return read_from(place);
    } catch (const NumberError& error) {
        refuse(place / "run.json", fmt::format("damaged ({})", error.what()));
    } catch (const Json::exception&) {
        refuse(place / "run.json", "damaged: a value is missing or of another kind");
    }
}

bool link_file(const fs::path& from, const fs::path& to) {
    std::error_code failed;  // some file systems have no hard links
    fs::create_hard_link(from, to, failed);
    return !failed;
}

// Whether --resume may change the setting for the rest of the run.
bool may_change(const Setting& setting) {
    if (setting.of_whole_run) return false;
    return setting.kind == SettingKind::view || setting.kind == SettingKind::device ||
           setting.name == setting_name::dtype;
}

// Records a change that was made to `now` already.
void add_event(RunState& run, std::string_view setting, std::string value) {
    run.edits.modify([&](std::vector<Event>& events) {
        events.insert(events.begin() + std::ptrdiff_t(run.applied++),
                      Event{run.solver.plain.step, SetSetting{std::string(setting), std::move(value)}});
    });
}

// The events of this step that make the settings of a run as given. Throws InputError if one contradicts
// the run so far.
std::vector<Event> events_of_settings(const RunSpec& document, const SettingsByName& given, long long step) {
    SettingWords words;
    for (const auto& [name, value] : given)  // the same model again would set its own size and dt
        if (name != setting_name::model || open_model(value).model->text != document.model->text)
            words.emplace_back(&find_setting(name), value);
    RunSpec wanted = document;
    set_all(wanted, words);
    wanted.dt = undecided(wanted.dt);
    for (const auto& [setting, value] : words) {
        if (is_editable(*setting) ? setting->name != setting_name::sensitivity
                                  : setting->get(wanted) == setting->get(document))
            continue;
        if (setting->name == setting_name::set) continue;
        throw InputError(Given{"resume"},
                         "--{} {} contradicts the run so far; leave it out",
                         setting->name,
                         quotable(value));
    }
    std::vector<Event> events;
    const auto add = [&](std::string name, std::string value) {
        events.push_back({step, SetSetting{std::move(name), std::move(value)}});
    };
    if (wanted.model->text != document.model->text) {
        add(setting_name::equation, wanted.model->text);
    } else {
        for (std::size_t i = 0; i < wanted.parameters.size(); ++i)
            if (wanted.parameters[i] != document.parameters[i])
                add(wanted.model->parameters[i].name, format_real(wanted.parameters[i]));
    }
    for (const Setting& row : settings())
        if (is_editable(row) && !may_change(row) && !chooses_model(row.name) &&
            !document.model->index_of(row.name) && row.get(wanted) != row.get(document))
            add(std::string(row.name), setting_text(wanted, row.name));
    return events;
}

// Takes new events for the steps to come. Throws InputError if one contradicts the run so far.
void add_events_ahead(RunState& run, const std::vector<Event>& given) {
    const long long step = run.solver.plain.step;
    std::vector<Event> more;
    for (const Event& event : given) {
        if (std::ranges::find(run.edits, event) != run.edits.end()) continue;
        if (event.step < step)
            throw InputError(Given{"resume"},
                             "--at {} contradicts the run so far, which is at step {}; leave it out",
                             quotable(to_string(event)),
                             step);
        more.push_back(event);
        run.dt_log = run.dt_log.until(std::max(step, event.step - 1));
    }
    RunSpec ahead = run.now;
    add_events(ahead.edits, more);
    ahead.validate();
    add_events(run.edits, std::move(more));
}

// Writes the files of a checkpoint to `next`, or links those of the start at `place`, which stay as they are.
WrittenStart write_files(const fs::path& next,
                         const fs::path& place,
                         const RunCheckpoint& checkpoint,
                         const WrittenStart* written) {
    Json json = to_json(checkpoint);
    json["arrays"] = Json::object();
    WrittenStart start{checkpoint.run.start};
    const bool same_start = written && written->rows == start.rows;
    for (const auto& [name, write] : arrays_of(checkpoint)) {
        const std::string file = name + ".npy";
        const bool linked =
            same_start && written->hashes.contains(name) && link_file(place / file, next / file);
        const std::string hash = linked ? written->hashes.at(name) : write(next / file);
        if (name.starts_with("start-")) start.hashes[name] = hash;
        json["arrays"][name] = hash;
    }
    std::string text = json.dump(1);
    write_arrays_named(text, next);
    text.resize(text.size() - 2);  // without the closing brace
    write_text_file(next / "run.json", sealed(std::move(text)));
    return start;
}

}  // namespace

void write_checkpoint(const fs::path& folder, const RunCheckpoint& checkpoint, WrittenStart* written) {
    const fs::path next = folder / "checkpoint.new", place = folder / "checkpoint",
                   last = folder / "checkpoint.last";
    std::error_code ignored;
    fs::remove_all(next, ignored);
    fs::create_directories(next, ignored);  // on failure, writing the first file reports why
    WrittenStart start;
    try {
        start = write_files(next, place, checkpoint, written);
    } catch (...) {
        fs::remove_all(next, ignored);
        throw;
    }
    if (fs::exists(fs::symlink_status(place, ignored))) {
        fs::remove_all(last, ignored);
        rename_folder(place, last);
    }
    rename_folder(next, place);
    fs::remove_all(last, ignored);
    if (written) *written = std::move(start);
}

RunCheckpoint read_checkpoint(const fs::path& folder) {
    const fs::path newest = folder / "checkpoint", last = folder / "checkpoint.last";
    std::error_code ignored;
    if (!fs::exists(newest, ignored)) {
        if (fs::exists(last, ignored)) return read_whole(last);
        refuse(folder, "there is no checkpoint; 'run --out DIR --checkpoint N' writes them");
    }
    try {
        return read_whole(newest);
    } catch (const InputError& error) {
        if (!fs::exists(last, ignored)) throw;
        const long long step = read_whole(last).run.solver.plain.step;
        throw InputError(Given{"resume"},
                         "{}; {}, of step {}, is whole: rename it to 'checkpoint'",
                         error.sentence(),
                         last.string(),
                         step);
    }
}

void remove_checkpoint(const fs::path& folder) {
    std::error_code ignored;
    for (const char* name : {"checkpoint", "checkpoint.last", "checkpoint.new"})
        fs::remove_all(folder / name, ignored);
}

void take_over(RunCheckpoint& checkpoint, const SettingsByName& given, const Machine& machine) {
    RunState& run = checkpoint.run;
    const RunSpec before = run.now;
    RunSpec document = run.document();
    document.dt = undecided(document.dt);
    const long long step = run.solver.plain.step;
    std::vector<Event> events;
    SettingsByName of_problem;
    if (run.now.backend == name_of(Device::cuda) && !machine.has_cuda())
        run.now.method = run.now.backend = "auto";
    const auto gives = [&](std::string_view name) {
        return std::ranges::count(given, name, &std::pair<std::string, std::string>::first) > 0;
    };
    forget_ending(run.now, gives);
    for (const auto& [name, value] : given) {
        const Setting& setting = find_setting(name);
        if (setting.name == setting_name::at) {
            events.push_back(parse_event(value));
            continue;
        }
        if (!may_change(setting)) {
            of_problem.emplace_back(name, value);
            continue;
        }
        run.now = with_setting(run.now, name, value);
        if (name == setting_name::threads) run.at_start.threads = run.now.threads;
    }
    if (run.now.steps < step)
        throw InputError(Given{"resume"}, "--steps {}: the run is at step {} already", run.now.steps, step);
    run.now = resolve(run.now, machine);
    if (run.now.dtype != before.dtype) {
        add_event(run, setting_name::dtype, std::string(name_of(run.now.dtype)));
        run.start = rounded(run.start, run.now.dtype);
    }
    if (method_of(run.now) != method_of(before)) {
        if (runs_on_both(run.now.method)) add_event(run, setting_name::backend, run.now.backend);
        add_event(run, setting_name::method, run.now.method);
    }
    for (Event& event : events_of_settings(document, of_problem, step)) events.push_back(std::move(event));
    add_events_ahead(run, events);
}

}  // namespace stencil
