// Where runs end: at a step, a time, where a condition is true, or where a field is not finite.

#include "sim/problem/settings/settings.h"
#include "sim/run/advance.h"
#include "sim/run/finite_watch.h"
#include "sim/run/stop_condition.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

RunSpec spec_given(const std::string& text, const std::vector<std::pair<std::string, std::string>>& given) {
    RunSpec spec = spec_of_text(text);
    SettingWords words;
    for (const auto& [name, value] : given) words.emplace_back(&find_setting(name), value);
    set_all(spec, words);
    return spec_from_json(to_json(spec).dump(), "record");
}

// Advances to the ending of the spec as `run` does.
void run_to_end(Simulation& simulation, FiniteWatch* watch = nullptr) {
    const RunSpec& spec = simulation.now();
    StopCondition condition(spec.until);
    Until until{.step = spec.steps, .stops = [&] { return condition.met(); }, .watch = watch};
    if (spec.time) until.time = end_time(simulation, *spec.time);
    condition.begin(simulation);
    if (watch) watch->begin(simulation);
    advance(simulation, until, {{condition.observer()}}, kLongSlices);
}

// Requires that a run, cut and resumed at a step, or repeated from its record, ends as the whole one.
void require_same_end(const RunSpec& spec, long long cut_at) {
    Simulation whole = begun(spec), cut = begun(spec);
    run_to_end(whole);
    cut.apply(Advance{cut_at});
    Simulation resumed(cut.state());
    run_to_end(resumed);
    Simulation again = begun(spec_from_json(to_json(whole.spec()).dump(), "record"));
    run_to_end(again);
    for (Simulation* other : {&resumed, &again}) {
        CHECK(other->step() == whole.step());
        CHECK(other->time() == whole.time());
        CHECK(same_bits(other->field(), whole.field()));
    }
}

}  // namespace

TEST_CASE("Endings and intervals are read as they are written, and others are refused") {
    for (const char* text : {"200", "12.5t", "max(v) < 1e-3", "steady:1e-6"})
        CHECK(to_string(read_ending(text, "stop at")) == text);
    for (const char* text : {"-1", "1.5", "0t", "steady:0", "steady:", "max(v", ""})
        CHECK(contains(message_of<InputError>([&] { read_ending(text, "stop at"); }), "stop at"));
    for (const char* text : {"100", "0.5t", "90s", "10min", "2h"})
        CHECK(to_string(read_interval(text, "checkpoint", true)) == text);
    for (const char* text : {"0", "0t", "-1t", "1.5", "1day", "", "t"})
        CHECK(contains(message_of<InputError>([&] { read_interval(text, "every", false); }), "every"));
    CHECK(contains(message_of<InputError>([] { read_interval("90s", "every", false); }), "0.5t"));
}

TEST_CASE("The ending given last replaces an earlier one, and spec.json keeps it") {
    const std::string plain = "du/dt = -u", timed = plain + "; time = 5; until = max(u) < 0.5";
    const Ending of_text{kMaxSteps, 5.0, "max(u) < 0.5"};
    CHECK(spec_given(plain, {}) == Ending(RunSpec::kDefaultSteps));
    CHECK(spec_given(timed, {}) == of_text);
    CHECK(spec_given(timed, {{"steps", "7"}}) == Ending(7));
    CHECK(spec_given(timed, {{"time", "3"}}) == Ending(kMaxSteps, 3.0));
    CHECK(spec_given(plain + "; steps = 20", {{"until", "steady:1e-3"}}) ==
          Ending(kMaxSteps, {}, "steady:1e-3"));
    CHECK(spec_given(plain, {{"time", "3"}, {"steps", "7"}}) == Ending(7, 3.0));
    RunSpec next = spec_of_text(timed);
    next.use_model(model_of_text(plain));
    CHECK(next == Ending(RunSpec::kDefaultSteps));
}

TEST_CASE("A run ends at a time to the bit, however dt is chosen and wherever the run is cut") {
    const std::string text = "du/dt = 0.2*lap(u) - u^3; u(0) = 1.2*sin(x)*cos(y); size = 24x18; time = 3.01";
    for (const char* dt : {"0.1", "follow:0.5limit", "tolerance:1e-4"})
        for (const char* integrator : {"bs32", "dp54"}) {
            CAPTURE(dt, integrator);
            RunSpec spec = run_of_text(text);
            set_setting(spec, "dt", dt);
            set_setting(spec, "integrator", integrator);
            set_setting(spec, "at", "12:boundary=periodic");
            Simulation simulation = begun(spec);
            run_to_end(simulation);
            CHECK(std::abs(simulation.time() - 3.01) < 1e-12);
            for (const long long cut : {simulation.step() / 2, simulation.step() - 1})
                require_same_end(spec, cut);
        }
    for (const char* integrator : {"euler", "ab2", "rkl2", "imex", "implicit", "crank-nicolson"}) {
        CAPTURE(integrator);
        RunSpec spec = run_of_text(text + "; dt = 0.1");
        set_setting(spec, "integrator", integrator);
        require_same_end(spec, 7);
    }
}

TEST_CASE("A shortened last step is one step, after which dt is what it was") {
    Simulation simulation = begun(run_of_text("du/dt = 1; u(0) = 0; dt = 0.3; size = 4; time = 1"));
    run_to_end(simulation);
    CHECK(simulation.step() == 4);
    CHECK(simulation.solver().statistics({}).max == Approx(1));
    CHECK(simulation.next_dt() == 0.3);
    Simulation whole = begun(run_of_text("du/dt = 1; dt = 0.1; size = 4; time = 0.7"));
    run_to_end(whole);
    CHECK(whole.step() == 7);
    CHECK(whole.edits().empty());
}

TEST_CASE("Maps end at the step nearest to a time") {
    for (const auto& [time, step] :
         std::vector<std::pair<double, long long>>{{10.4, 10}, {10.6, 11}, {3, 3}}) {
        RunSpec spec = run_of_text("u' = u; size = 4");
        spec.steps = kMaxSteps;
        spec.time = time;
        Simulation simulation = begun(spec);
        run_to_end(simulation);
        CHECK(simulation.step() == step);
    }
}

TEST_CASE("A run ends at the first look at which its condition is true") {
    struct Row {
        const char *text, *condition;
        long long step;
    };
    for (const auto& [text, condition, step] :
         {Row{"du/dt = -u; u(0) = 1; dt = 0.1", "max(u) < 0.5", 7},                     // 0.9^7 = 0.478
          Row{"du/dt = -u; u(0) = 1; dt = 0.001", "max(u) < 0.5 and min(u) > 0", 700},  // 0.999^693 = 0.5
          Row{"du/dt = -u; u(0) = 1; dt = 0.1", "t > 0.95", 10},
          Row{"du/dt = -u; u(0) = 1; dt = 0.1", "steady:0.5", 7},
          Row{"du/dt = -u; dv/dt = 1 - v; u(0) = 1; v(0) = 0.9; dt = 0.1", "steady:0.05", 29},
          Row{"du/dt = -u; u(0) = 1; dt = 0.1", "max(u) < 2", 0},
          Row{"u' = u/2; u(0) = 1", "mean(u) < 0.1", 4}}) {
        CAPTURE(text, condition);
        RunSpec spec = run_of_text(std::string(text) + "; size = 6x4");
        spec.steps = 5000;
        spec.until = condition;
        Simulation simulation = begun(spec);
        run_to_end(simulation);
        CHECK(simulation.step() == step);
        if (step > 3) require_same_end(spec, step - 3);
    }
    CHECK(next_look(0) == 1);
    CHECK(next_look(99) == 100);
    CHECK(next_look(101) == 110);
    CHECK(next_look(2345) == 2400);
}

TEST_CASE("A condition that differs between cells, or of rates that there are not, is refused") {
    const auto refusal = [](const char* text, const char* condition) {
        return message_of<InputError>([&] { require_condition(*model_of_text(text), condition); });
    };
    CHECK(contains(refusal("du/dt = -u", "u < 1"), "from cell to cell"));
    CHECK(contains(refusal("du/dt = -u", "x < 1"), "from cell to cell"));
    CHECK(contains(refusal("u' = u/2", "steady:1e-3"), "no rate"));
    CHECK(contains(refusal("du/dt = -u + noise", "steady:1e-3"), "noise"));
    CHECK(contains(refusal("du/dt = -u", "max(w) < 1"), "w"));
    CHECK(refusal("complex a; da/dt = 1i*lap(a)", "steady:1e-3").empty());
}

TEST_CASE("A run stops at the first step at which a field is not finite") {
    // 10^(2^n) exceeds float32 at step 6; the reference steps in float64.
    for (const auto& [method, step] : {std::pair{"auto", 6LL}, std::pair{"reference", 9LL}}) {
        CAPTURE(method);
        RunSpec spec = run_of_text("u' = u*u; v' = v; u(0) = 10; v(0) = 1; size = 6x4");
        spec.method = method;
        spec.steps = 5000;
        Simulation simulation = begun(spec);
        FiniteWatch watch;
        run_to_end(simulation, &watch);
        REQUIRE(watch.found());
        CHECK(watch.found()->text() == "u is not finite at step " + std::to_string(step));
        CHECK(simulation.step() == step);
        Simulation again = begun(spec);
        again.apply(Advance{step});
        CHECK(same_bits(again.field(), simulation.field()));
    }
}

TEST_CASE("Where no copy of the state is kept, the steps between which a field overflowed are told") {
    RunSpec spec = run_of_text("u' = u*u; u(0) = 10; size = 6x4");
    spec.steps = 500;
    spec.memory_limit = 1;
    Simulation simulation = begun(spec);
    FiniteWatch watch;
    run_to_end(simulation, &watch);
    REQUIRE(watch.found());
    CHECK(contains(watch.found()->text(), "one of the steps 1 to"));
}
