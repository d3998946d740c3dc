#include "sim/run/output/checkpoint.h"

#include <fmt/format.h>

#include "sim/distributed/distributed_solver.h"
#include "sim/field/field_hash.h"
#include "sim/text/json.h"
#include "tests/support/runs.h"

namespace fs = std::filesystem;

namespace {

RunSpec small_spec(std::string_view method, std::string_view dtype) {
    RunSpec spec = noise_run({41, 29}, std::string(method));
    spec.steps = 60;
    find_setting("dtype").set(spec, dtype);
    for (const char* edit : {"7:coefficient=0.137", "7:paint=0.5,4,add,20,11", "31:coefficient=0.05"})
        find_setting("at").set(spec, edit);
    return resolve(spec, query_machine());
}

Simulation begun_at_random(const RunSpec& spec) {
    return {spec, Field(random_field(spec.size->nx, spec.size->ny))};
}

RunCheckpoint kept(const RunCheckpoint& checkpoint) {
    const ScratchFolder folder;
    write_checkpoint(folder.path(), checkpoint);
    return read_checkpoint(folder.path());
}

RunCheckpoint checkpoint_of(Simulation& simulation) {
    return {simulation.state(), {}, {}};
}

}  // namespace

TEST_CASE("A resumed run has the bits of one that was never cut, by every method and precision") {
    Dice dice;
    for (const Method& method : methods())
        for (const char* dtype : {"float32", "float64"}) {
            if (method.device != Device::cpu || !method.make_float32) continue;
            INFO(method.name << " " << dtype);
            Simulation uncut = begun_at_random(small_spec(method.name, dtype));
            const int cut = dice.integer(0, 59);
            CAPTURE(cut);
            uncut.apply(Advance{cut});
            RunCheckpoint checkpoint = kept(checkpoint_of(uncut));
            // Another machine may have another number of threads.
            take_over(checkpoint, {{"threads", std::to_string(dice.integer(1, 3))}}, query_machine());
            Simulation resumed(std::move(checkpoint.run));
            REQUIRE(resumed.step() == cut);
            REQUIRE(field_hash(resumed.field()) == field_hash(uncut.field()));
            REQUIRE(resumed.timings().total_steps() == uncut.timings().total_steps());
            uncut.apply(Advance{60 - cut});
            resumed.apply(Advance{60 - cut});
            REQUIRE(field_hash(resumed.field()) == field_hash(uncut.field()));
            REQUIRE(field_hash(resumed.start()->whole()->components) ==
                    field_hash(uncut.start()->whole()->components));
            REQUIRE(resumed.now().parameter("coefficient") == 0.05);
            REQUIRE(resumed.edits() == uncut.edits());
        }
}

TEST_CASE("Another method or precision takes a checkpoint over, and the run's spec says so") {
    Simulation first = begun_at_random(small_spec("cpu", "float32"));
    first.apply(Advance{20});
    RunCheckpoint checkpoint = kept(checkpoint_of(first));
    take_over(checkpoint, {{"method", "reference"}, {"dtype", "float64"}, {"steps", "80"}}, query_machine());
    Simulation resumed(std::move(checkpoint.run));
    REQUIRE(resumed.now().method == "reference");
    REQUIRE(resumed.field().dtype() == DType::float64);
    REQUIRE(resumed.spec().steps == 80);
    resumed.apply(Advance{60});
    // The spec from its start takes the same course.
    Simulation again(resumed.spec(), first.start());
    again.apply(Advance{80});
    REQUIRE(field_hash(again.field()) == field_hash(resumed.field()));
}

TEST_CASE("What contradicts the run so far is refused when it goes on") {
    Simulation simulation = begun_at_random(small_spec("cpu", "float32"));
    simulation.apply(Advance{20});
    const auto refusal = [&](const char* name, const char* value) {
        return input_error([&] {
            RunCheckpoint checkpoint = kept(checkpoint_of(simulation));
            take_over(checkpoint, {{name, value}}, query_machine());
        });
    };
    for (const auto& [name, value] :
         {std::pair{"initial", "gaussian"}, {"seed", "7"}, {"at", "10:coefficient=0.1"}, {"every", "3"}}) {
        const std::string told = refusal(name, value);
        CAPTURE(name, told);
        REQUIRE(contains(told, "contradicts"));
    }
    // Events from the checkpoint's step on.
    for (const auto& [name, value] : {std::pair{"coefficient", "0.1"},
                                      {"size", "50x50"},
                                      {"boundary", "periodic"},
                                      {"at", "40:coefficient=0.1"}})
        REQUIRE(refusal(name, value).empty());
    REQUIRE(contains(refusal("steps", "19"), "step 20"));
    REQUIRE(refusal("coefficient", "0.2").empty());
    REQUIRE(refusal("steps", "20").empty());
}

TEST_CASE("Measures, frames and values that are no finite numbers come back as they were") {
    const double inf = std::numeric_limits<double>::infinity();
    RunSpec spec = small_spec("cpu", "float32");
    spec.edits = {};
    Simulation simulation = begun_at_random(spec);
    simulation.apply(Paint{parse_piece("1e30,50,replace,5,5")});
    simulation.apply(Paint{parse_piece("1e30,50,add,5,5")});
    RunCheckpoint checkpoint = checkpoint_of(simulation);
    checkpoint.run.solver.plain.components.front().as<float>().at(3, 4) = NAN;
    checkpoint.run.solver.plain.components.front().as<float>().at(4, 4) = float(-inf);
    checkpoint.measures["u"].resume({{0, {0.1, 1e300, -inf, NAN, 3}}, {9, {1.0 / 3, 5, 0, -0.0, 0}}},
                                    {{3, 4, {0, 9}, {NAN, 1e-320}}},
                                    {{4, {NAN, 0.5}}, {9, {1, -inf}}});
    checkpoint.frames = {{{"u", ValueRange{0.1, 1.0 / 3}}}, 7};
    const RunCheckpoint back = kept(checkpoint);
    REQUIRE(look_at(*back.run.solver.arrays, 0).hash == field_hash(checkpoint.run.solver.plain.components));
    REQUIRE(statistics_csv(back.measures.at("u")) == statistics_csv(checkpoint.measures.at("u")));
    REQUIRE(probes_csv(back.measures.at("u")) == probes_csv(checkpoint.measures.at("u")));
    const auto& rows = back.measures.at("u").rows();
    REQUIRE((rows.size() == 2 && std::isnan(rows[0].values[0]) && rows[0].values[1] == 0.5));
    REQUIRE((rows[1].step == 9 && rows[1].values == std::vector<double>{1, -inf}));
    REQUIRE(back.frames.count == 7);
    REQUIRE(back.frames.ranges.at("u").high == 1.0 / 3);
}

TEST_CASE("A checkpoint with any byte changed, or cut short, is refused in one line") {
    Dice dice;
    const ScratchFolder folder;
    REQUIRE(contains(input_error([&] { read_checkpoint(folder.path()); }), "no checkpoint"));
    Simulation simulation = begun_at_random(small_spec("cpu", "float32"));
    simulation.apply(Advance{20});
    write_checkpoint(folder.path(), checkpoint_of(simulation));
    for (const auto& entry : fs::directory_iterator(folder / "checkpoint"))
        for (int i = 0; i < 20; ++i) {
            const std::string whole = read_bytes(entry.path());
            std::string damaged = whole;
            const auto place = std::size_t(dice.integer(0, int(whole.size()) - 1));
            if (i % 4 == 0)
                damaged.resize(place);
            else
                damaged[place] = char(damaged[place] ^ (1 << dice.integer(0, 7)));
            INFO(entry.path().filename() << " " << place << " of " << whole.size());
            write_bytes(entry.path(), damaged);
            const std::string message = input_error([&] { read_checkpoint(folder.path()); });
            write_bytes(entry.path(), whole);
            REQUIRE_FALSE(message.empty());
            REQUIRE_FALSE(contains(message, "\n"));
        }
    REQUIRE(read_checkpoint(folder.path()).run.solver.plain.step == 20);
}

TEST_CASE("Each number of a checkpoint is refused outside of its limits, whatever its checksum") {
    using Json = nlohmann::ordered_json;
    const ScratchFolder folder;
    const fs::path file = folder / "checkpoint/run.json";
    Simulation simulation = begun_at_random(small_spec("cpu", "float32"));
    simulation.apply(Advance{20});
    RunCheckpoint checkpoint = checkpoint_of(simulation);
    checkpoint.measures["u"].resume({{0, {}}, {9, {}}}, {{3, 4, {0, 9}, {1, 2}}}, {});
    checkpoint.frames = {{{"u", ValueRange{0, 1}}}, 7, {{0, {"u"}, DType::float32, 41, 29}}};
    write_checkpoint(folder.path(), checkpoint);
    Json whole = Json::parse(read_bytes(file));
    whole.erase("checksum");
    const auto refusal = [&](const Json& json) {
        std::string text = json.dump(1);
        text.resize(text.size() - 2);
        const std::uint64_t hash = xxh64(std::as_bytes(std::span(text)));
        write_bytes(file, fmt::format("{},\n \"checksum\": \"{:016x}\"\n}}\n", text, hash));
        return input_error([&] { read_checkpoint(folder.path()); });
    };
    REQUIRE(refusal(whole).empty());
    const std::vector<Json> never{
        -1, INT64_MIN, UINT64_MAX, 1e300, 0.5, "nan", "", Json(), Json::array(), Json::object()};
    for (const std::string& place :
         items("step | edits_applied | timings/next | timings/total_steps | timings/total_batches | "
               "frames/count | frames/series/0/first | frames/series/0/nx | frames/series/0/ny | "
               "frames/series/0/dtype | measures/u/statistics/1/0 | measures/u/statistics/1/5 | "
               "measures/u/probes/0/x | measures/u/probes/0/y | measures/u/probes/0/steps/1 | inner/steps | "
               "inner/growth_mantissa")) {
        for (const Json& value : never) {
            Json json = whole;
            json[Json::json_pointer("/" + std::string(place))] = value;
            INFO(place << " = " << value);
            const std::string message = refusal(json);
            REQUIRE(contains(message, "run.json"));
            REQUIRE_FALSE(contains(message, "\n"));
        }
    }
    const std::vector<std::pair<const char*, Json>> values{{"edits_applied", 0},
                                                           {"edits_applied", 4},
                                                           {"step", 1LL << 60},
                                                           {"dt", -1},
                                                           {"dt", "nan"},
                                                           {"coefficient", "nan"},
                                                           {"values/0", "inf"},
                                                           {"error_before", -1},
                                                           {"timings/next", 1 << 20},
                                                           {"timings/total_seconds", -1},
                                                           {"timings/seconds_per_step", 3},
                                                           {"inner/coefficient", 0.0},
                                                           {"inner/growth_exponent", 1LL << 40},
                                                           {"frames/ranges/u", Json::array()},
                                                           {"frames/ranges/u/0", "x"},
                                                           {"measures/u/statistics/0/1", ""},
                                                           {"measures/u/statistics/0", {0, 1}},
                                                           {"measures/u/statistics/0/0", 10},
                                                           {"measures/u/probes/0/steps", {0}},
                                                           {"measures/u/probes/0/steps", {9, 0}},
                                                           {"measures/u/probes/0/x", 1LL << 31},
                                                           {"frames/series/0/nx", 0},
                                                           {"now/size", Json()},
                                                           {"conserves", 1}};
    for (const auto& [place, value] : values) {
        Json json = whole;
        json[Json::json_pointer("/" + std::string(place))] = value;
        INFO(place << " = " << value);
        REQUIRE_FALSE(refusal(json).empty());
    }
}

TEST_CASE("A run's checkpoints share the files of its initial state") {
    const ScratchFolder folder;
    Simulation simulation = begun_at_random(small_spec("cpu", "float32"));
    const fs::path file = folder / "checkpoint/start-u.npy", first = folder / "first.npy";
    WrittenStart written;
    write_checkpoint(folder.path(), checkpoint_of(simulation), &written);
    fs::create_hard_link(file, first);
    simulation.apply(Advance{20});
    write_checkpoint(folder.path(), checkpoint_of(simulation), &written);
    REQUIRE(fs::equivalent(first, file));
    REQUIRE(read_checkpoint(folder.path()).run.solver.plain.step == 20);
    fs::remove(file);  // then there is nothing to link to
    write_checkpoint(folder.path(), checkpoint_of(simulation), &written);
    REQUIRE_FALSE(fs::equivalent(first, file));
    REQUIRE(read_bytes(file) == read_bytes(first));
}

TEST_CASE("Whatever moment writing a checkpoint ended at, the last good one is there") {
    const ScratchFolder folder;
    Simulation simulation = begun_at_random(small_spec("cpu", "float32"));
    simulation.apply(Advance{20});
    write_checkpoint(folder.path(), checkpoint_of(simulation));
    // Killed while writing the next checkpoint.
    fs::create_directory(folder / "checkpoint.new");
    write_bytes(folder / "checkpoint.new/run.json", "{");
    REQUIRE(read_checkpoint(folder.path()).run.solver.plain.step == 20);
    // Killed between the two renames.
    fs::rename(folder / "checkpoint", folder / "checkpoint.last");
    REQUIRE(read_checkpoint(folder.path()).run.solver.plain.step == 20);
    simulation.apply(Advance{5});
    write_checkpoint(folder.path(), checkpoint_of(simulation));
    REQUIRE(read_checkpoint(folder.path()).run.solver.plain.step == 25);
    REQUIRE(folder.entries() == 1);
}

TEST_CASE("A hash of a field is XXH64's, and another one for another bit, shape or precision") {
    const auto of = [](std::string_view text) { return xxh64(std::as_bytes(std::span(text))); };
    REQUIRE(of("") == 0xef46db3751d8e999);
    REQUIRE(of("abc") == 0x44bc2cf5ad770999);
    REQUIRE(of("Nobody inspects the spammish repetition") == 0xfbcea83c8a378bf1);
    Field field = Field(random_field(12, 10)).to(DType::float32);
    const std::string hash = field_hash(field);
    REQUIRE(field_hash(field.clone()) == hash);
    REQUIRE(field_hash(field.to(DType::float64)) != hash);
    Array<float> turned(10, 12);
    std::ranges::copy(field.as<float>().cells(), turned.data());
    REQUIRE(field_hash(Field(std::move(turned))) != hash);
    float& cell = field.as<float>().at(3, 4);
    cell = std::nextafter(cell, 2.0f);
    REQUIRE(field_hash(field) != hash);
}
