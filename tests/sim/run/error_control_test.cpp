// dt chosen by the estimated error of each step: what a run decides is in its record.
#include "sim/run/error_control.h"

#include "sim/model/time_step.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

// It is slow, then quick, then slow again.
constexpr const char* kControlledText =
    "du/dt = K*lap(u) + 20*exp(-4*(t - 2)^2)*v - 0.1*u; dv/dt = 0.1*lap(v) - u*v; K = 0.2; u(0) = 0.3 + "
    "0.1*random; v(0) = 1 + sin(x); dx = 1; boundary = periodic";

RunSpec controlled_run(const std::string& stepper = "dp54",
                       const std::string& tolerance = "1e-4",
                       DType dtype = DType::float64) {
    return small_run(kControlledText, {{"stepper", stepper}, {"tolerance", tolerance}}, dtype);
}

// A run up to this time, whose last step ends there.
Simulation until(RunSpec spec, double time) {
    spec.allow_unstable = true;  // the last step is not chosen
    Simulation run = begun(std::move(spec));
    while (run.solver().time() + run.now().time_step() < time) run.apply(Advance{1});
    run.apply(Set{"dt", format_real(time - run.solver().time())});
    run.apply(Advance{1});
    return run;
}

}  // namespace

TEST_CASE("The error of a run falls with its tolerance, beside a fine reference") {
    const std::string stepper = GENERATE("bs32", "dp54");
    RunSpec fine = controlled_run("rk4", "0.5");
    set_setting(fine, "dt", "0.001");
    Simulation reference = begun(fine);
    reference.apply(Advance{4000});
    const Field truth = reference.field();
    double before = 1;
    for (const double tolerance : {1e-3, 1e-5, 1e-7}) {
        Simulation run = until(controlled_run(stepper, format_real(tolerance)), 4);
        const double error = relative_error(run.field(), truth);
        INFO(stepper << ", tolerance " << tolerance << ": " << run.step() << " steps, error " << error);
        CHECK(error < 30 * tolerance);
        CHECK(error < before / 10);
        before = error;
        // Steps are short where the rates are large.
        double least = 1, most = 0;
        for (const DecidedStep& decided : run.dt_log()) {
            least = std::min(least, decided.dt);
            most = std::max(most, decided.dt);
        }
        CHECK(least < most / 2);
        CHECK(run.step() < 4000);
    }
}

TEST_CASE("What is chosen by the error is in the record, which repeats the run and goes on alike") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    Simulation run = begun(controlled_run(GENERATE("bs32", "dp54"), "1e-4", dtype));
    run.apply(Advance{90});
    CHECK(run.edits().empty());
    CHECK(run.dt_log().size() > 3);
    require_record_repeats(run, 60);
    // Steps of a fixed dt have the bits of steps whose error is estimated.
    RunSpec fixed = controlled_run("dp54", "0.9", dtype);
    set_setting(fixed, "dt", "0.05");
    RunSpec loose = fixed;
    set_setting(loose, "tolerance", "0.9");
    CHECK(dt_of(loose.dt) == 0.05);
    Simulation a = begun(fixed), b = begun(loose);
    for (Simulation* each : {&a, &b}) each->apply(Advance{1});
    CHECK(same_bits(a.field(), b.field()));
}

TEST_CASE("How a controlled run is cut, saved, resumed and taken back changes no bit") {
    require_cut_changes_nothing(controlled_run(), 140, {1, 6, 1, 32});
}

TEST_CASE("Changes on the way of a controlled run repeat, scheduled or made by hand") {
    RunSpec spec = controlled_run();
    SECTION("scheduled") {
        for (const std::string& edit :
             items("10:K=0.8 | 15:paint=2,4,add,9,9 | 20:size=30x20 | 30:dtype=float32 | "
                   "40:tolerance=1e-3 | 50:stepper=bs32 | 60:boundary=insulated | 70:threads=1"))
            set_setting(spec, "at", edit);
        Simulation run = begun(spec);
        run.apply(Advance{120});
        require_record_repeats(run, 60);
    }
    SECTION("behind a step that was made again") {
        for (long long steps = 28; steps < 34; ++steps) {
            RunSpec cubic =
                run_of_text("du/dt = lap(u) + u - u^3; integrator = bs32; u(0) = random - 0.5; size = 40x32");
            set_setting(cubic, "tolerance", "1e-3");
            set_setting(cubic, "at", "25:tolerance=1e-4");
            Simulation run = begun(cubic);
            run.apply(Advance{steps});
            require_record_repeats(run, 20);
        }
    }
    SECTION("by hand") {
        Simulation run = begun(spec);
        run.apply(Set{"K", "0.3"});
        run.apply(Advance{20});
        run.apply(Set{"K", "1.5"});
        run.apply(Paint{parse_piece("2,4,add,9,9"), ""});
        run.apply(Advance{10});
        run.apply(Set{"dt", "0.01,tolerance:1e-5"});
        run.apply(Advance{10});
        run.apply(Set{"tolerance", "1e-3"});
        run.apply(Advance{30});
        require_record_repeats(run, 60);
        run.apply(Set{"dt", "0.01"});
        run.apply(Advance{20});
        CHECK(run.now().dt == TimeStep(FixedStep{0.01}));
        run.apply(Reset{});
        run.apply(Set{"tolerance", "1e-4"});
        run.apply(Advance{30});
        require_record_repeats(run, 60);
    }
}

TEST_CASE(
    "Sides, shapes and ghost cells of any kind have estimated errors, and a field that overflows ends") {
    RunSpec spec = run_of_text(
        "du/dt = div((1 + 0.5*cos(x*y))*grad(u)) - u^3 + sin(3*t); left: u = sin(5*t); right: flux(u) = 0.2; "
        "y: insulated; inside = x + y > 5; u(0) = 1; size = 17x13; dx = 1; stepper = bs32");
    set_setting(spec, "tolerance", "1e-5");
    Simulation run = begun(spec);
    run.apply(Advance{100});
    require_record_repeats(run, 60);
    RunSpec wild = run_of_text("du/dt = u^2; u(0) = 1; size = 4x4; stepper = dp54");
    set_setting(wild, "tolerance", "1e-4");
    Simulation blow_up = begun(wild);
    blow_up.apply(Advance{400});
    CHECK(blow_up.solver().time() < 1.001);
}

TEST_CASE("What cannot be controlled is refused in a line") {
    const auto refused = [](const std::string& text, const std::string& tolerance = "1e-4") {
        return input_error([&] {
            RunSpec spec = run_of_text(text + "; size = 8x8");
            set_setting(spec, "tolerance", tolerance);
            begun(spec);
        });
    };
    CHECK(refused("du/dt = lap(u)") ==
          "tolerance: euler does not estimate its error: take --integrator bs32 or dp54");
    CHECK(contains(refused("du/dt = lap(u) + normal; stepper = dp54"), "random numbers in the rate of u"));
    for (const char* value : {"0", "1", "-1", "x", "nan"})
        CHECK(contains(refused("du/dt = lap(u); stepper = dp54", value), "tolerance "));
    CHECK(to_string(parse_time_step("0.01,tolerance:1e-4")) == "0.01,tolerance:0.0001");
    CHECK(to_string(undecided(parse_time_step("0.01,tolerance:1e-4"))) == "tolerance:0.0001");
    CHECK(dt_of(parse_time_step("0.01,tolerance:1e-4")) == 0.01);
    for (const char* text :
         {"tolerance:", "tolerance:x", "0,tolerance:1e-4", "1tolerance:1e-4", "tolerance:0"})
        CHECK(!input_error([&] { parse_time_step(text); }).empty());
}

TEST_CASE("The controller lowers and raises dt, and leaves small changes out") {
    CHECK(step_factor(0.6, 0, 4) == 1);
    CHECK(step_factor(1e-9, 0, 4) == Approx(5));
    CHECK(step_factor(0.01, 0, 2) > 2);
    CHECK(step_factor(1, 0, 4) == Approx(0.9));
    CHECK(step_factor(0.9, 0.1, 4) < step_factor(0.9, 0, 4));
    CHECK(retry_factor(1e9, 4) == Approx(0.2));
    CHECK(retry_factor(NAN, 4) == Approx(0.2));
    CHECK(retry_factor(1.01, 2) <= 0.9);
}

TEST_CASE("The files of a controlled run repeat it, by other threads and resumed") {
    const ScratchFolder folder;
    require_program_repeats(folder, kControlledText, "--stepper dp54 --dt 0.01 --tolerance 1e-5", 120, 60);
    CHECK(read_json(folder / "whole/spec.json").at("dt_log").size() > 3);
    require_refused(stencilscope("run --model gray-scott --tolerance 1e-4 --quiet --out {}", folder / "no"),
                    2,
                    "--tolerance: euler does not estimate its error");
}
