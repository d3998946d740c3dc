// Sweeps: which runs there are, and that each has the bits that it has alone.

#include "sim/sweep/sweep.h"

#include <atomic>

#include "sim/distributed/distributed_solver.h"
#include "sim/files/atomic_file.h"
#include "sim/model/step/stages.h"
#include "sim/run/batch.h"
#include "sim/sweep/sweep_spec.h"
#include "tests/support/runs.h"

using namespace stencil;
using namespace stencil_test;

namespace {

SweepSpec sweep_of(const RunSpec& base, const std::vector<std::string>& vary) {
    SweepSpec sweep;
    sweep.base = base;
    for (const std::string& text : vary) sweep.vary.push_back(parse_vary(text));
    return sweep;
}

std::string refusal(const SweepSpec& sweep) {
    return message_of<InputError>([&] { sweep.validate(); });
}

// Runs a sweep, a few runs at a time.
void finish(Sweep& sweep) {
    while (!sweep.is_done()) sweep.advance();
}

struct SweptProblem {
    const char* text;
    std::vector<std::string> vary;
    const char* start = "noise";
};

const SweptProblem kProblems[] = {
    {"du/dt = lap(u) - u*v^2 + F*(1 - u); dv/dt = 0.5*lap(v) + u*v^2 - (F + K)*v; F = 0.03; K = 0.06; "
     "boundary = periodic; dt = 0.1",
     {"F=0.02:0.05:3", "K=0.055,0.06"}},
    {"du/dt = lap(u) + u - u^3; dt = 0.05", {"integrator=euler,heun,rk4,ab2", "dt=0.02,0.04"}},
    {"du/dt = lap(u) + 0.1*normal; dt = 0.05", {"seed=1:4:4"}},
    {"du/dt = D*lap(u); boundary = insulated; left: u = 0; top: flux(u) = 0.5; D = 0.5; dt = 0.1",
     {"left=0:1:3", "top=-1,2"}},
    {"du/dt = lap(u) - K*u; inside = (x - 12)^2 + (y - 9)^2 < 60; edge: u = 1; K = 0.1; dt = 0.1",
     {"K=0.1:0.5:3", "edge=0,2"}},
    {"du/dt = lap(u) - K*p; lap(p) - p = -u; K = 0.1; dt = 0.1", {"K=0.1:0.5:3"}},
    {"du/dt = conv(u, exp(-r)) - K*u; K = 0.1; dt = 0.1", {"K=0.1:0.5:3"}},
    {"du/dt = lap(u) + K*(u - u^3); K = 1; integrator = bs32",
     {"K=1:9:3", "dt=tolerance:1e-3,tolerance:1e-5"}},
    {"du/dt = lap(u) + K*u; K = 1; dt = follow:0.5limit", {"K=0.1:0.3:3"}},
};

}  // namespace

TEST_CASE("A range is even in its values, or in their logarithm, and keeps its ends as they were typed") {
    REQUIRE(parse_vary("F=0.01:0.07:4").values == std::vector<std::string>{"0.01", "0.03", "0.05", "0.07"});
    const Vary log = parse_vary("D=1e-3:10:5:log");
    REQUIRE(log.values == std::vector<std::string>{"1e-3", "0.01", "0.1", "1", "10"});
    REQUIRE(log.log);
    REQUIRE(parse_vary("seed=1:32:32").values.back() == "32");
    REQUIRE(parse_vary("seed=1:10:4").values == std::vector<std::string>{"1", "4", "7", "10"});
    REQUIRE(parse_vary("initial=f(x,y),g").values == std::vector<std::string>{"f(x,y)", "g"});
    for (const char* text : {"F", "=1", "F=", "F=1:2:1", "F=1:1:3", "F=0:2:3:log", "F=1,,2"})
        REQUIRE_FALSE(message_of<InputError>([&] { parse_vary(text); }).empty());
}

TEST_CASE("The first setting that varies runs fastest, and shapes are those of NumPy") {
    const SweepSpec sweep = sweep_of(spec_of_text("du/dt = A*u; A = 1"), {"A=1,2,3", "seed=4,5"});
    REQUIRE(sweep.count() == 6);
    REQUIRE(sweep.shape() == std::vector<std::size_t>{2, 3});
    REQUIRE(sweep.name(4) == "A=2, seed=5");
    REQUIRE(sweep.run(4).parameter("A") == 2);
    REQUIRE(sweep.run(4).seed == 5);
    const SweepSpec again = sweep_from_json(to_json(sweep).dump(), "spec.json");
    REQUIRE(again.vary == sweep.vary);
    REQUIRE(to_json(again) == to_json(sweep));
}

TEST_CASE("What cannot vary is refused in one line that says what can") {
    const RunSpec base = spec_of_text("du/dt = lap(u) - K*u; K = 1");
    for (const auto& [vary, part] : pairs("k=1,2 => did you mean 'K'? | size=8,9 => the same in all runs | "
                                          "colormap=magma,viridis => the same in all runs | K=1,x => K=x | "
                                          "left:w=1,2 => unknown component | dt=-1,1 => dt=-1"))
        REQUIRE(contains(refusal(sweep_of(base, {vary})), part));
    REQUIRE(contains(refusal(sweep_of(base, {"K=1,2", "K=3,4"})), "twice"));
    REQUIRE(contains(refusal(sweep_of(base, {})), "--vary"));
    SweepSpec observing = sweep_of(base, {"K=1,2"});
    observing.observe = {"u"};
    REQUIRE(contains(refusal(observing), "differs from cell to cell"));
}

TEST_CASE("Every run of a sweep has the bits of the run alone") {
    for (const SweptProblem& problem : kProblems) {
        CAPTURE(problem.text);
        RunSpec base = run_of_text(problem.text);
        base.size = Size{24, 18};
        base.initial = problem.start;
        base.steps = 60;
        Sweep sweep(sweep_of(base, problem.vary), query_machine(), 2);
        finish(sweep);
        for (std::size_t i = 0; i < sweep.count(); ++i) {
            CAPTURE(i);
            REQUIRE(sweep.run(i).status == "done");
            Simulation alone = begun(sweep_of(base, problem.vary).run(i));
            alone.apply(Advance{60});
            REQUIRE(sweep.run(i).field_hash == hash_in_place(alone.solver()));
            REQUIRE(sweep.run(i).time == alone.time());
        }
    }
}

TEST_CASE("A run of a sweep ends where the run alone does: at a time, or by a condition") {
    RunSpec base = run_of_text("du/dt = -K*u; u(0) = 1; K = 1; dt = 0.01");
    base.size = Size{8, 6};
    base.initial = "";
    base.steps = kMaxSteps;
    base.until = "max(u) < 0.5";
    SweepSpec spec = sweep_of(base, {"K=1,2"});
    spec.observe = {"mean(u)", "max(u)^2"};
    Sweep sweep(spec, query_machine());
    finish(sweep);
    for (std::size_t i = 0; i < 2; ++i) {
        const double factor = 1 - 0.01 * double(i + 1);  // of Euler's method, a step
        const auto steps = static_cast<long long>(std::ceil(std::log(0.5) / std::log(factor)));
        REQUIRE(sweep.run(i).steps == steps);
        REQUIRE(sweep.run(i).ended_by == "until");
        REQUIRE_THAT(sweep.run(i).observed[0],
                     Catch::Matchers::WithinRel(std::pow(factor, double(steps)), 1e-5));
        REQUIRE_THAT(sweep.run(i).observed[1],
                     Catch::Matchers::WithinRel(std::pow(factor, 2 * double(steps)), 1e-5));
    }
    base.until = "";
    base.time = 0.255;
    Sweep timed(sweep_of(base, {"K=1,2"}), query_machine());
    finish(timed);
    REQUIRE(timed.run(1).ended_by == "time");
    REQUIRE_THAT(timed.run(1).time, Catch::Matchers::WithinAbs(0.255, 1e-12));
}

TEST_CASE("A run that overflows or is unstable says so, and stops no other") {
    RunSpec base = run_of_text("du/dt = D*lap(u) + K*u^2; u(0) = 1; D = 1; K = 0; dt = 0.1");
    base.size = Size{8, 6};
    base.initial = "";
    base.steps = 100;
    Sweep sweep(sweep_of(base, {"K=0,9", "D=1,100"}), query_machine());
    finish(sweep);
    REQUIRE(sweep.run(0).status == "done");
    REQUIRE(contains(sweep.run(1).status, "not finite at step"));
    REQUIRE(contains(sweep.run(2).status, "unstable"));
    REQUIRE(sweep.run(2).field_hash.empty());
}

TEST_CASE("A batch tells of each run why it could not be stepped, and steps the others") {
    Simulation a = begun(noise_run({20, 10})), b = begun(noise_run({20, 10})),
               alone = begun(noise_run({20, 10}));
    ThreadPool threads(2);
    Batch batch({&a, &b}, {threads});
    const Advance advances[] = {{-1}, {7}};
    const auto failures = batch.advance(advances);
    REQUIRE(contains(failures[0], "-1 steps"));
    REQUIRE(failures[1].empty());
    alone.apply(Advance{7});
    REQUIRE(b.step() == 7);
    REQUIRE(same_bits(b.field(), alone.field()));
}

TEST_CASE("The wavelength and the growth of a run are those of its spectrum and its dispersion relation") {
    RunSpec base =
        run_of_text("du/dt = K*u - lap(lap(u)) - 2*lap(u) - u; K = 0; dt = 0.001; boundary = periodic");
    base.size = Size{64, 32};
    base.steps = 1;
    set_setting(base, "initial", "0.1*cos(pi*x/8)");
    Sweep sweep(sweep_of(base, {"K=0.1,0.3"}), query_machine());
    finish(sweep);
    for (std::size_t i = 0; i < 2; ++i) {
        REQUIRE(sweep.run(i).status == "done");
        REQUIRE_THAT(sweep.run(i).wavelength, Catch::Matchers::WithinRel(16.0, 1e-9));
    }
    REQUIRE_THAT(sweep.run(1).growth, Catch::Matchers::WithinAbs(0.3, 0.02));  // K - (1 - k^2)^2 at k = 1
}

TEST_CASE("Runs that differ in numbers alone share their equations and the programs made of them") {
    const RunSpec base = run_of_text("du/dt = D*lap(u) - K*u; u(0) = random; D = 1; K = 0.1; dt = 0.1");
    const SweepSpec sweep = sweep_of(base, {"K=0.1,0.2", "seed=1,2", "dt=0.1,0.05"});
    const auto plans = planned_equations(sweep.run(0));
    const auto program = plans->step(base.integrator, false, 0.1);
    for (std::size_t i = 0; i < sweep.count(); ++i) {
        const RunSpec run = sweep.run(i);
        REQUIRE(planned_equations(run) == plans);
        REQUIRE(plans->step(run.integrator, false, run.time_step()) == program);
    }
    REQUIRE(plans->step(base.integrator, true, 0.1) != program);
    REQUIRE(*program == equation::make_program(plans->equations(), base.integrator, false, 0.1));
    for (const char* other : {"dx=2,3", "boundary=periodic,insulated", "left=1,2"}) {
        const SweepSpec apart = sweep_of(base, {other});
        REQUIRE(planned_equations(apart.run(0)) != planned_equations(apart.run(1)));
    }
    REQUIRE(planned_equations(base, {"2*u"})->equations().extra.size() == 1);
}

TEST_CASE(
    "A run that has ended is looked at once, before it is told of, and what a look throws ends the sweep") {
    RunSpec base = run_of_text("du/dt = D*lap(u); D = 1; dt = 0.1");
    base.size = Size{8, 6};
    base.steps = 20;
    const SweepSpec spec = sweep_of(base, {"D=1,2,100", "seed=1:4:4"});
    Sweep sweep(spec, query_machine(), 5);
    std::vector<std::atomic<int>> looks(sweep.count());
    std::vector<std::size_t> told;
    sweep.on_measured = [&](std::size_t run, Simulation& simulation) {
        ++looks[run];
        if (simulation.step() != 20) ++looks[run];
    };
    sweep.on_end = [&](std::span<const std::size_t> runs) {
        for (const std::size_t run : runs) {
            told.push_back(run);
            REQUIRE(sweep.run(run).ended());
            REQUIRE(looks[run] == (sweep.run(run).is_done() ? 1 : 0));
        }
    };
    finish(sweep);
    std::ranges::sort(told);
    REQUIRE(told.size() == sweep.count());
    REQUIRE(std::ranges::adjacent_find(told) == told.end());
    REQUIRE(contains(sweep.run(2).status, "unstable"));
    Sweep failing(spec, query_machine());
    failing.on_measured = [](std::size_t, Simulation&) { throw FileError("the disk is full"); };
    REQUIRE(message_of<FileError>([&] { finish(failing); }) == "the disk is full");
}
