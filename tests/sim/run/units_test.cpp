// Physical units only affect what is reported, never what is computed.
#include "sim/run/units.h"

#include <fmt/format.h>

#include "sim/run/command_text.h"
#include "sim/run/run_spec.h"
#include "sim/run/settings.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("A unit is a number with a name, or the name alone") {
    CHECK(read_unit("0.01m", "--x") == Unit{0.01, "m"});
    CHECK(read_unit("0.01 m", "--x") == Unit{0.01, "m"});
    CHECK(read_unit("5e3km", "--x") == Unit{5000, "km"});
    CHECK(read_unit("5eV", "--x") == Unit{5, "eV"});
    CHECK(read_unit("s", "--x") == Unit{1, "s"});
    CHECK_FALSE(read_unit("", "--x").given());
    for (const char* text : {"3", "0m", "-1m", "1e999m", "1 m,s", "m\"", "inf m", "m\n", "one two"}) {
        CAPTURE(text);
        CHECK_THROWS_AS(read_unit(text, "--unit-length"), InputError);
    }
    Dice dice;
    const Unit unit{dice.uniform(1e-9, 1e9), "mm"};
    CHECK(read_unit(to_string(unit), "--x") == unit);
}

TEST_CASE("D and the coefficient are each other's, by dx and dt") {
    RunSpec spec;
    set_setting(spec, "coefficient", "0.2");
    CHECK(diffusivity(spec) == 0.2);
    set_setting(spec, "unit-length", "0.01m");
    set_setting(spec, "unit-time", "0.1s");
    CHECK(diffusivity(spec) == Approx(0.2 * 1e-4 / 0.1));
    CHECK(coefficient_of(spec, diffusivity(spec)) == Approx(0.2));
    CHECK(coefficient_of(spec, 1e-4) == Approx(0.1));
}

TEST_CASE("The time of a step is that of all steps before it") {
    RunSpec spec;
    CHECK(time_text(spec, 100).empty());
    set_setting(spec, "unit-time", "0.1s");
    CHECK(time_text(spec, 100) == "10 s");
    set_setting(spec, "equation", "du/dt = lap(u) - u^3");
    set_setting(spec, "dt", "0.05");
    spec.unit_time = {};
    CHECK(time_text(spec, 100) == "5");
    set_setting(spec, "at", "40:dt=0.1");
    CHECK(time_at(spec, 100).value() == Approx(40 * 0.05 + 60 * 0.1));
    CHECK(time_at(spec, 40).value() == Approx(2));
    set_setting(spec, "at", "60:dt=0.8limit");
    CHECK_FALSE(time_at(spec, 100));
    CHECK(time_at(spec, 60));
}

TEST_CASE("Units stand in tables, figures and spec.json, and leave the field as it is") {
    const ScratchFolder folder;
    const auto run = [&](const std::string& name, const std::string& units) {
        const ProgramResult result = stencilscope(
            "run --size 40x30 --steps 10 --probe 3,4 --profile 2,2,30,20 --export "
            "field.npy,spec.json,statistics.csv,probes.csv,profile.csv,figure.svg --out {} --quiet " +
                units,
            folder / name);
        REQUIRE(result.status == 0);
        return folder / name;
    };
    const auto plain = run("plain", "");
    const auto with = run("with", "--unit-length 0.01m --unit-time 0.5s");
    const auto typed = run("typed", "--model gray-scott --dt 1/8 --at 1e1:F=4/100");
    CHECK(read_bytes(typed / "statistics-u.csv").find("step,time,min,") == 0);
    CHECK(read_bytes(typed / "statistics-u.csv").find("\n10,1.25,") != std::string::npos);
    CHECK(read_bytes(typed / "probes-u.csv").starts_with("probe,x,y,step,time,value\n"));
    CHECK(read_bytes(plain / "field.npy") == read_bytes(with / "field.npy"));
    CHECK(read_bytes(plain / "statistics.csv").starts_with("step,min,"));
    CHECK(read_bytes(with / "statistics.csv").starts_with("step,time (s),min,"));
    CHECK(read_bytes(with / "statistics.csv").find("\n10,5,") != std::string::npos);
    CHECK(read_bytes(with / "probes.csv").starts_with("probe,x,y,step,time (s),value\n"));
    CHECK(read_bytes(with / "profile.csv").starts_with("distance (m),distance,x,y,value\n"));
    CHECK(read_bytes(with / "figure.svg").find("x (m)") != std::string::npos);
    CHECK(read_bytes(plain / "figure.svg").find("x (cells)") != std::string::npos);
    const RunSpec again = read_spec((with / "spec.json").string());
    CHECK(again.unit_length == Unit{0.01, "m"});
    CHECK(again.unit_time == Unit{0.5, "s"});
    CHECK(command_text(again).find("--unit-length '0.01 m'") != std::string::npos);
    const ProgramResult refused = stencilscope("run --size 8 --steps 1 --unit-time 3");
    CHECK(refused.status == 2);
    CHECK(refused.err.find("--unit-time 3") != std::string::npos);
}
