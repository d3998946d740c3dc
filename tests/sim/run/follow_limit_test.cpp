// A dt that follows the stability limit: what a run decides is in its record.
#include <fmt/format.h>

#include "sim/files/npy.h"
#include "sim/model/time_step.h"
#include "sim/problem/units.h"
#include "sim/run/limit_watch.h"
#include "sim/run/stability.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

// Its limit falls, and later rises.
constexpr const char* kText =
    "du/dt = K*lap(u + u^3) + 1.5 + sin(t/3) - u; K = 0.2; u(0) = 0.3 + 0.1*random; dx = 1; boundary = "
    "periodic";

RunSpec following(DType dtype = DType::float32, const std::string& dt = "follow:0.8limit") {
    return small_run(kText, {{"dt", dt}}, dtype);
}

double share(Simulation& run) {
    return run.now().time_step() / stable_step(run.now(), run.solver()).dt;
}

}  // namespace

TEST_CASE(
    "A dt that follows the limit stays at its share, and what it decides is in the log, which repeats the "
    "run") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    Simulation run = begun(following(dtype));
    Simulation fixed = begun(following(dtype, "0.8limit"));
    fixed.apply(Advance{10 * kFollowEvery});
    for (int i = 0; i < 30; ++i) {
        run.apply(Advance{kFollowEvery});
        REQUIRE(share(run) <= 0.8401);
        REQUIRE(share(run) > 0.15);
    }
    CHECK(run.edits().empty());
    REQUIRE(run.dt_log().size() > 3);
    for (const auto& [step, dt] : run.dt_log()) CHECK((step % kFollowEvery == 0 && dt > 0));
    CHECK(time_at(run.spec(), run.step()).value() == Approx(run.solver().time()));
    require_record_repeats(run);
}

TEST_CASE("How a run that follows the limit is cut, saved, resumed and taken back changes no bit") {
    require_cut_changes_nothing(following(), 1000, {1, 62, 1, 1, 63, 100, 13, 159});
}

TEST_CASE("Changes on the way of a run that follows the limit repeat, scheduled or made by hand") {
    RunSpec spec = following();
    SECTION("scheduled") {
        for (const std::string& edit :
             items("64:K=0.8 | 70:paint=2,4,add,9,9 | 128:size=30x20 | 200:dtype=float64 | 230:K=0.1 | "
                   "300:dt=0.9limit | 340:dt=follow:0.5limit | 400:boundary=insulated"))
            set_setting(spec, "at", edit);
        Simulation run = begun(spec);
        run.apply(Advance{64});
        CHECK(share(run) < 0.85);
        run.apply(Advance{450});
        CHECK(time_at(run.spec(), run.step()).value() == Approx(run.solver().time()));
        require_record_repeats(run);
    }
    SECTION("by hand") {
        Simulation run = begun(spec);
        run.apply(Set{"K", "0.3"});
        CHECK(run.edits().empty());
        CHECK(run.dt_log().size() == 1);
        CHECK(share(run) < 0.85);
        run.apply(Advance{64});
        for (const char* k : {"0.8", "0.7", "0.3", "0.9"}) {
            run.apply(Set{"K", k});
            CHECK(share(run) < 0.85);
        }
        run.apply(Paint{parse_piece("2,4,add,9,9"), ""});
        run.apply(Set{"boundary", "insulated"});
        run.apply(Set{"K", "0.5"});
        run.apply(Advance{30});
        run.apply(Set{"K", "1.5"});
        run.apply(Set{"dt", format_real(run.now().time_step())});
        const double dt = run.now().time_step();
        run.apply(Advance{200});
        CHECK(run.now().time_step() == dt);
        run.apply(Reset{});
        CHECK(run.edits().empty());
        run.apply(Set{"dt", "follow:limit"});
        run.apply(Advance{70});
        run.apply(Reset{});
        CHECK(share(run) < 1.001);
        run.apply(Advance{70});
        require_record_repeats(run);
        run.apply(Set{"equation", "du/dt = lap(u^3 + u); u(0) = 1"});
        CHECK(is_adaptive(run.now().dt));
        run.apply(Advance{150});
        CHECK(share(run) <= 1.001);
        require_record_repeats(run);
    }
    SECTION("another text") {
        spec.dt = UsualStep{};
        set_setting(spec, "at", "20:equation=du/dt = 0.1*lap(u) - u^3; u(0) = 1");
        Simulation run = begun(spec);
        run.apply(Advance{60});
        REQUIRE(run.edits().size() == 1);
        REQUIRE(run.dt_log().size() == 1);
        CHECK(time_at(run.spec(), 60).value() == Approx(run.solver().time()));
        require_record_repeats(run);
    }
}

TEST_CASE("A change drops what a repeated run decided later, and a limit that stays moves nothing") {
    Simulation run = begun(following());
    run.apply(Advance{1000});
    Simulation again = begun(run.spec());
    again.apply(Advance{200});
    again.apply(Set{"K", "0.25"});
    CHECK(again.dt_log().back().step <= 200);
    again.apply(Advance{500});
    require_record_repeats(again);

    RunSpec constant = following();
    set_setting(constant, "equation", "du/dt = 0.2*lap(u)");
    set_setting(constant, "dt", "follow:0.8limit");
    Simulation diffusion = begun(constant);
    diffusion.apply(Advance{300});
    CHECK(diffusion.dt_log().size() == 1);
    CHECK(diffusion.now().time_step() == Approx(1));

    RunSpec record = run.spec();
    set_setting(record, "dt", "follow:0.5limit");
    CHECK(record.dt_log.empty());
}

TEST_CASE(
    "Runs whose decided steps are among the events, as versions before the log wrote them, repeat alike") {
    const bool by_error = GENERATE(false, true);
    RunSpec spec = small_run(kText, {{"stepper", "bs32"}, {"dt", "follow:0.8limit"}}, DType::float64);
    if (by_error) set_setting(spec, "tolerance", "1e-3");
    for (const char* event : {"70:K=0.4", "100:paint=2,4,add,9,9"}) set_setting(spec, "at", event);
    Simulation run = begun(spec);
    run.apply(Advance{150});
    REQUIRE(run.dt_log().size() > 2);
    const TimeStep rule = undecided(run.now().dt);
    nlohmann::ordered_json old = to_json(run.spec());
    old.erase("dt_log");
    old["dt"] = to_string(with_dt(rule, run.dt_log()[0].dt));
    std::vector<std::string> at;
    EventList both = run.edits();
    for (const auto& [step, dt] : run.dt_log())
        if (step > 0) add_events(both, {{step, SetSetting{"dt", to_string(with_dt(rule, dt))}}});
    for (const Event& event : both) at.push_back(to_string(event));
    old["at"] = at;
    const RunSpec read = spec_from_json(old.dump(), "old");
    CHECK(read.edits == run.edits());
    Simulation again = begun(read);
    again.apply(Advance{150});
    for (Simulation* each : {&run, &again}) each->apply(Advance{100});
    CHECK(same_bits(again.field(), run.field()));
    CHECK(again.edits() == run.edits());
    CHECK(time_at(again.spec(), 250).value() == Approx(run.solver().time()));
    // Another choice of dt, after another text: they stay what their user did.
    nlohmann::ordered_json texts{{"equation", "du/dt = lap(u)"}, {"dt", "0.1"}};
    texts["at"] = {"20:dt=0.2,follow:0.8limit",
                   "32:dt=0.15,follow:0.8limit",
                   "40:equation=du/dt = lap(u) - u",
                   "40:dt=0.1,follow:0.8limit"};
    const RunSpec other = spec_from_json(texts.dump(), "old");
    CHECK(other.edits.size() == 3);
    CHECK(to_string(other.edits[0]) == "20:dt=follow:0.8limit");
    CHECK(other.dt_log == StepLog{{20, 0.2}, {32, 0.15}, {40, 0.1}});
}

TEST_CASE("Copies of a log share it while the run goes on to decide, and settings of another run drop it") {
    StepLog log;
    for (int i = 0; i < 20; ++i) log.push_back({i, 0.1});
    const StepLog seen = log;
    log.push_back({20, 0.2});
    CHECK(log.begin() == seen.begin());
    CHECK(seen.size() == 20);
    StepLog other = seen;
    other.push_back({30, 0.3});
    CHECK(other.begin() != seen.begin());
    CHECK(log.back() == DecidedStep{20, 0.2});
    log.modify([](auto& steps) { steps.pop_back(); });
    CHECK(log == seen);
    CHECK(seen.until(4).size() == 5);
    RunSpec spec = following();
    spec.dt_log = seen;
    for (const auto& [setting, value, kept] : {std::tuple{"every", "7", 20},
                                               {"method", "cpu", 20},
                                               {"at", "12:K=0.3", 12},
                                               {"K", "0.3", 0},
                                               {"seed", "4", 0},
                                               {"size", "9", 0}}) {
        RunSpec changed = spec;
        set_setting(changed, setting, value);
        CHECK(int(changed.dt_log.size()) == kept);
    }
    for (const char* log_text : {"[[3, 0.1], [2, 0.1]]", "[[3, 0]]", "[[3]]", "[3]", "7", R"([["a", 1]])"})
        CHECK(
            contains(input_error([&] { spec_from_json(fmt::format(R"({{"dt_log": {}}})", log_text), "f"); }),
                     "dt_log"));
}

TEST_CASE("A dt is read as it is written, and anything else is refused in a line") {
    for (const char* text :
         {"0.01", "0.8limit", "limit", "follow:0.8limit", "follow:limit", "0.0125,follow:0.8limit"})
        CHECK(to_string(parse_time_step(text)) == text);
    CHECK(to_string(parse_time_step("1/8")) == "0.125");
    CHECK(to_string(parse_time_step("1/8,follow:4/5limit")) == "0.125,follow:0.8limit");
    for (const std::string& text :
         items(" | 0 | -1 | x | follow: | follow:0.8 | follow:0limit | follow:-1limit | 0,follow:limit | "
               "1follow:limit | limit,follow:limit | folow:0.8limit | nan | follow:infimit")) {
        CAPTURE(text);
        CHECK(contains(input_error([&] { parse_time_step(text); }), "0.01, 0.8limit or follow:0.8limit"));
    }
    CHECK(dt_of(parse_time_step("0.0125,follow:0.8limit")) == 0.0125);
    CHECK(to_string(undecided(parse_time_step("0.0125,follow:0.8limit"))) == "follow:0.8limit");
}

TEST_CASE("spec.json of a run that follows the limit repeats it, longer too, and tables have its times") {
    const ScratchFolder folder;
    const std::string end = " --export field.npy,timings.json,spec.json --quiet --out {} ";
    const std::string tables =
        "--every 50 --probe 3,4 --profile 1,1,20,15 --export "
        "field.npy,timings.json,spec.json,statistics.csv,probes.csv,profile.csv,histogram.csv ";
    const std::string run = "run --equation {} --size 24x18 --dt follow:0.8limit --steps {} ";
    require_done(stencilscope(run + tables + "--quiet --out {}", kText, 900, folder / "short"));
    require_done(stencilscope(run + end, kText, 1400, folder / "long"));
    require_done(stencilscope(run + end + "--checkpoint 130", kText, 700, folder / "cut"));
    require_done(stencilscope("run --resume {} --steps 1400 --quiet", folder / "cut"));
    require_done(stencilscope("run --spec {} --every 77" + end, folder / "short/spec.json", folder / "same"));
    require_done(stencilscope(
        "run --spec {} --steps 1400 --threads 1" + end, folder / "short/spec.json", folder / "longer"));
    CHECK(read_bytes(folder / "same/field.npy") == read_bytes(folder / "short/field.npy"));
    CHECK(read_bytes(folder / "longer/field.npy") == read_bytes(folder / "long/field.npy"));
    CHECK(read_bytes(folder / "cut/field.npy") == read_bytes(folder / "long/field.npy"));
    const auto spec = read_json(folder / "long/spec.json");
    CHECK_FALSE(spec.contains("at"));
    CHECK(spec.at("dt") == "follow:0.8limit");
    CHECK(spec.at("dt_log").size() > 2);
    CHECK(read_json(folder / "longer/spec.json").at("dt_log") == spec.at("dt_log"));
    CHECK(read_json(folder / "cut/spec.json").at("dt_log") == spec.at("dt_log"));
    const std::string time = read_json(folder / "short/timings.json").at("time").dump();
    const auto statistics = lines_of(folder / "short/statistics.csv");
    CHECK(std::stod(split(statistics.back(), ',').at(1)) == Approx(std::stod(time)));
    CHECK(lines_of(folder / "short/profile.csv").front() == "distance,x,y,value,time");
    CHECK(lines_of(folder / "short/histogram.csv").front() == "low,high,cells,time");
    CHECK(std::stod(split(lines_of(folder / "short/profile.csv").back(), ',').at(4)) ==
          Approx(std::stod(time)));
    require_refused(stencilscope(run + "--compare dt/2", kText, 10), 2, "--compare dt/2: dt follows");
}

TEST_CASE("A dt that the limit falls below on the way is told once, at the step") {
    // The limit is 1/(0.4 + 0.04 t): below 0.5 from t = 40 on.
    Simulation of_time =
        begun(small_run("du/dt = (0.1 + 0.01*t)*lap(u); dt = 0.5; u(0) = random", {}, DType::float64));
    LimitWatch watch;
    watch.begin(of_time);
    of_time.apply(Advance{12});
    CHECK(watch.look(of_time, true).empty());
    of_time.apply(Advance{100});
    CHECK_THAT(watch.look(of_time, true), ContainsSubstring("from step 81 on: dt 0.5 is 1."));
    CHECK(watch.look(of_time, true).empty());
    // A field that grows moves it, too; then the step of the look is known.
    Simulation of_field =
        begun(small_run("du/dt = lap(u + u^3) + 1; dt = 0.1; u(0) = 0.1*random", {}, DType::float64));
    LimitWatch other;
    other.begin(of_field);
    of_field.apply(Advance{4});
    CHECK(other.look(of_field, true).empty());
    of_field.apply(Advance{6});
    CHECK_THAT(other.look(of_field, true), ContainsSubstring("at step 10, and was not at step 4"));
    // One that follows it, or was allowed to be above it, has nothing to tell.
    Simulation follows = begun(following());
    follows.apply(Advance{200});
    CHECK(LimitWatch().look(follows, true).empty());
}

TEST_CASE("Where every step is unstable, the integrators by which it is not are named") {
    const RunSpec wave = small_run("du/dt = v; dv/dt = lap(u)", {}, DType::float64);
    CHECK_THROWS_WITH(begun(wave),
                      ContainsSubstring("by euler is unstable: take the integrator ") &&
                          ContainsSubstring("rk4") && ContainsSubstring("symplectic"));
    CHECK(name_of(begun(small_run("u_tt = lap(u)", {}, DType::float64)).now().integrator) == "symplectic");
    for (const char* text : {"du/dt = u*WhiteNoise; noise = ito; integrator = heun",
                             "du/dt = u*WhiteNoise; noise = stratonovich; integrator = euler"})
        CHECK_THROWS_WITH(begun(small_run(text, {}, DType::float64)), ContainsSubstring("`noise = "));
}
