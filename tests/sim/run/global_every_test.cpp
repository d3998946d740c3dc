// Steps between those that take values of the whole field keep them, however the run is executed and cut.
#include "sim/problem/settings/settings.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

constexpr const char* kLaggingText =
    "du/dt = K*lap(u) + u - u^3 - mean(u - u^3) + 0.1*max(abs(dx(v))); dv/dt = 0.3*lap(v) - "
    "v*integral(u)/9e2 + mean((u - mean(u))^2); K = 0.2; u(0) = 0.3 + 0.5*random; v(0) = sin(x); dt = 0.1; "
    "left: v = min(u); right: v = 0; inside = (x - 12)^2 + (y - 9)^2 < 70 + 3*t";

RunSpec lagging(const std::string& every,
                DType dtype = DType::float32,
                const std::string& stepper = "euler",
                const std::string& text = kLaggingText) {
    RunSpec spec = small_run(text, {{"stepper", stepper}}, dtype);
    if (!every.empty()) set_setting(spec, "global-every", every);
    return spec;
}

Field after(RunSpec spec, long long steps) {
    Simulation run = begun(std::move(spec));
    run.apply(Advance{steps});
    return run.field();
}

}  // namespace

TEST_CASE("Steps keep the global values of the last step that N divides") {
    // Each step adds the mean, which is 1 at the start.
    const auto value = [](const char* every, int steps) {
        const Field field = after(
            lagging(every, DType::float64, "euler", "du/dt = mean(u); dt = 1; u(0) = 1; boundary = periodic"),
            steps);
        return stencil_test::cells_of(field).front();
    };
    CHECK(value("1", 6) == 64);
    CHECK(value("4", 3) == 4);
    CHECK(value("4", 4) == 5);
    CHECK(value("4", 8) == 25);
    CHECK(value("4", 9) == 50);
    CHECK(same_bits(after(lagging("1"), 40), after(lagging(""), 40)));
    CHECK_FALSE(same_bits(after(lagging("3"), 40), after(lagging("1"), 40)));
}

TEST_CASE("How a run with global values that lag is cut, saved and taken back changes no bit") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    const char* const stepper = GENERATE("euler", "ab2", "rk4", "symplectic");
    CAPTURE(stepper);
    for (const long long cut : {1, 6, 7, 8, 13, 14, 20})
        require_cut_changes_nothing(lagging("7", dtype, stepper), 30, {cut});
}

TEST_CASE("How steps are executed changes no bit between two values of the whole field") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    RunSpec spec = lagging("5", dtype);
    spec.size = Size{301, 240};
    spec.allow_unstable = true;  // the integral grows with the field
    spec.threads = 1;
    Simulation whole = begun(spec);
    whole.apply(Advance{43});
    spec.threads = 3;
    CHECK(same_bits(after(spec, 43), whole.field()));
    Simulation moved = begun(spec);
    moved.apply(Advance{12});
    moved.apply(Set{"threads", "2"});
    moved.apply(Advance{31});
    CHECK(same_bits(moved.field(), whole.field()));
    if (dtype == DType::float64) {
        spec.method = "reference";
        CHECK(same_bits(after(spec, 43), whole.field()));
    }
}

TEST_CASE("A change on the way takes global values anew, and its record repeats every bit") {
    for (const char* edit : {"11:K=0.3", "11:paint=2,4,add,9,9", "11:dt=0.05", "11:global-every=2"}) {
        CAPTURE(edit);
        RunSpec spec = lagging("8");
        set_setting(spec, "at", edit);
        Simulation run = begun(spec), parts = begun(spec);
        run.apply(Advance{30});
        for (const int steps : {10, 2, 1, 17}) parts.apply(Advance{steps});
        CHECK(same_bits(parts.field(), run.field()));
        Simulation again = begun(spec_from_json(to_json(run.spec()).dump(), "record"));
        again.apply(Advance{30});
        CHECK(same_bits(again.field(), run.field()));
    }
}

TEST_CASE("Checkpoints hold the global values that lag, and a resumed run has every bit") {
    const ScratchFolder folder;
    require_program_repeats(folder, kLaggingText, "--global-every 9", 40, 23);
    const ProgramResult told =
        stencilscope("run --equation {} --global-every 9 --size 8x8 --steps 1", kLaggingText);
    CHECK(contains(told.err, "note: --global-every 9: values of the whole field lag in the steps between"));
}

TEST_CASE("The setting of global values is refused where it means nothing") {
    RunSpec typed = lagging("2");
    CHECK_THROWS(set_setting(typed, "global-every", "0"));
}
