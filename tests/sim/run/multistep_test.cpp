// ab2 keeps the rates of the step before: they are saved, taken back and forgotten with the state they belong
// to.

#include "sim/problem/settings/settings.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

constexpr const char* kMultistepText =
    "du/dt = K*lap(u) + v - u^3; dv/dt = 0.3*lap(v) - u*t; K = 0.2; u(0) = 0.3 + 0.1*random; v(0) = sin(x); "
    "dt = 0.1; boundary = periodic; stepper = ab2";

RunSpec multistep(DType dtype = DType::float32, const std::string& text = kMultistepText) {
    return small_run(text, {}, dtype);
}

// The value of a single cell at time 1, with these changes on the way.
double after_unit_time(int steps, const std::vector<std::string>& edits = {}) {
    RunSpec spec = multistep(DType::float64,
                             "du/dt = K*u*cos(t); K = 1; u(0) = 1; stepper = ab2; dt = 0.1; boundary = zero");
    spec.size = Size{1, 1};
    set_setting(spec, "dt", format_real(1.0 / steps));
    for (const std::string& edit : edits) set_setting(spec, "at", edit);
    Simulation run = begun(spec);
    run.apply(Advance{steps});
    return stencil_test::cells_of(run.field()).front();
}

}  // namespace

TEST_CASE("How a run by ab2 is cut, saved, resumed and taken back changes no bit") {
    const DType dtype = GENERATE(DType::float32, DType::float64);
    require_cut_changes_nothing(multistep(dtype), 100, {1, 1, 17, 0, 21});
    Simulation run = begun(multistep(dtype));
    run.apply(Advance{40});
    require_record_repeats(run, 60);
}

TEST_CASE("How ab2 is executed changes no bit on the way, and what changes its rates begins anew") {
    Simulation whole = begun(multistep()), moved = begun(multistep());
    whole.apply(Advance{40});
    moved.apply(Advance{20});
    moved.apply(Set{"threads", "2"});
    moved.apply(Advance{10});
    moved.apply(Set{"threads", "1"});
    moved.apply(Advance{10});
    CHECK(same_bits(moved.field(), whole.field()));

    // The rates before a stroke or of other parameters are not those of the field.
    for (const char* edit :
         {"20:K=0.3", "20:paint=2,4,add,9,9", "20:boundary=insulated", "20:dtype=float64"}) {
        INFO(edit);
        RunSpec spec = multistep();
        set_setting(spec, "at", edit);
        Simulation run = begun(spec), euler = begun(spec);
        for (Simulation* each : {&run, &euler}) each->apply(Advance{20});
        euler.apply(Set{"stepper", "euler"});
        for (Simulation* each : {&run, &euler}) each->apply(Advance{1});
        CHECK(relative_error(run.field(), euler.field().to(DType::float64)) < 1e-7);
        for (Simulation* each : {&run, &euler}) each->apply(Advance{1});
        CHECK(relative_error(run.field(), euler.field().to(DType::float64)) > 1e-6);
    }
}

TEST_CASE("An integrator that is set by its former name is recorded by the present one") {
    Simulation run = begun(multistep());
    run.apply(Advance{3});
    run.apply(Set{"stepper", "heun"});
    REQUIRE(run.edits().size() == 1);
    CHECK(to_string(*run.edits().begin()) == "3:integrator=heun");
    CHECK(parse_event("3:stepper=heun") == *run.edits().begin());
}

TEST_CASE("ab2 keeps its order where dt and parameters change on the way") {
    const double exact = std::exp(std::sin(1.0));
    const auto error = [&](int steps) { return std::abs(after_unit_time(steps) - exact); };
    CHECK(std::log2(error(512) / error(1024)) == Approx(2).margin(0.1));
    // The last half of the time in steps of three halves, then of half the length.
    const auto with_edits = [&](int steps) {
        const double dt = 1.0 / steps;
        const auto at = [&](int step, double share) {
            return std::to_string(step) + ":dt=" + format_real(share * dt);
        };
        return std::abs(after_unit_time(steps, {at(steps / 2, 1.5), at(3 * steps / 4, 0.5)}) - exact);
    };
    CHECK(std::log2(with_edits(512) / with_edits(1024)) == Approx(2).margin(0.15));
}

TEST_CASE("Checkpoints of ab2 hold its rates, and a resumed run has every bit") {
    const ScratchFolder folder;
    require_program_repeats(folder, kMultistepText, "", 60, 37);
    CHECK(exists(folder / "cut/checkpoint/inner-past-u.npy"));
    require_done(stencilscope("run --resume {} --steps 70 --method reference --quiet", folder / "cut"));
}
