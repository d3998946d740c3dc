// A dt that follows the stability limit: what a run decides is in its record.
#include "sim/files/npy.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/time_step.h"
#include "sim/problem/units.h"
#include "sim/run/simulation.h"
#include "sim/run/stability.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

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

TEST_CASE("A dt that follows the limit stays at its share, and its changes are events that repeat the run") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    Simulation run = begun(following(dtype));
    Simulation fixed = begun(following(dtype, "0.8limit"));
    fixed.apply(Advance{10 * kFollowEvery});
    for (int i = 0; i < 30; ++i) {
        run.apply(Advance{kFollowEvery});
        REQUIRE(share(run) <= 0.8401);
        REQUIRE(share(run) > 0.15);
    }
    REQUIRE(run.edits().size() > 3);
    for (const Edit& edit : run.edits()) {
        CHECK(edit.setting == "dt");
        CHECK(edit.step % kFollowEvery == 0);
        CHECK(dt_of(parse_time_step(edit.value)) > 0);
    }
    CHECK(time_at(run.spec(), run.step()).value() == Approx(run.solver().time()));
    require_record_repeats(run);
}

TEST_CASE("How a run that follows the limit is cut, saved, resumed and taken back changes no bit") {
    require_cut_changes_nothing(following(), 1000, {1, 62, 1, 1, 63, 100, 13, 159});
}

TEST_CASE("Changes on the way of a run that follows the limit repeat, scheduled or made by hand") {
    RunSpec spec = following();
    SECTION("scheduled") {
        for (const char* edit : {"64:K=0.8",
                                 "70:paint=2,4,add,9,9",
                                 "128:size=30x20",
                                 "200:dtype=float64",
                                 "230:K=0.1",
                                 "300:dt=0.9limit",
                                 "340:dt=follow:0.5limit",
                                 "400:boundary=insulated"})
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
        REQUIRE(run.edits().size() == 2);
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
    for (const Edit& edit : again.edits()) CHECK(edit.step <= 200);
    again.apply(Advance{500});
    require_record_repeats(again);

    RunSpec constant = following();
    set_setting(constant, "equation", "du/dt = 0.2*lap(u)");
    set_setting(constant, "dt", "follow:0.8limit");
    Simulation diffusion = begun(constant);
    diffusion.apply(Advance{300});
    CHECK(diffusion.edits().empty());
    CHECK(diffusion.now().time_step() == Approx(1));

    RunSpec record = run.spec();
    set_setting(record, "dt", "follow:0.5limit");
    CHECK(record.edits.empty());
}

TEST_CASE("A dt is read as it is written, and anything else is refused in a line") {
    for (const char* text :
         {"0.01", "0.8limit", "limit", "follow:0.8limit", "follow:limit", "0.0125,follow:0.8limit"})
        CHECK(to_string(parse_time_step(text)) == text);
    CHECK(to_string(parse_time_step("1/8")) == "0.125");
    CHECK(to_string(parse_time_step("1/8,follow:4/5limit")) == "0.125,follow:0.8limit");
    for (const char* text : {"",
                             "0",
                             "-1",
                             "x",
                             "follow:",
                             "follow:0.8",
                             "follow:0limit",
                             "follow:-1limit",
                             "0,follow:limit",
                             "1follow:limit",
                             "limit,follow:limit",
                             "folow:0.8limit",
                             "nan",
                             "follow:infimit"}) {
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
    CHECK(spec.at("at").size() > 2);
    CHECK(read_json(folder / "longer/spec.json").at("at") == spec.at("at"));
    CHECK(read_json(folder / "cut/spec.json").at("at") == spec.at("at"));
    const std::string time = read_json(folder / "short/timings.json").at("time").dump();
    const auto statistics = lines_of(folder / "short/statistics.csv");
    CHECK(std::stod(split(statistics.back(), ',').at(1)) == Approx(std::stod(time)));
    CHECK(lines_of(folder / "short/profile.csv").front() == "distance,x,y,value,time");
    CHECK(lines_of(folder / "short/histogram.csv").front() == "low,high,cells,time");
    CHECK(std::stod(split(lines_of(folder / "short/profile.csv").back(), ',').at(4)) ==
          Approx(std::stod(time)));
    require_refused(stencilscope(run + "--compare dt/2", kText, 10), 2, "--compare dt/2: dt follows");
}
