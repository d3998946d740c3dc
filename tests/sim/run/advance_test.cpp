#include "sim/run/advance.h"

#include "tests/support/runs.h"

namespace {

using Steps = std::vector<long long>;

Observer noting(Steps& steps, Observer when) {
    when.look = [&steps](Simulation& simulation) { steps.push_back(simulation.step()); };
    return when;
}

}  // namespace

TEST_CASE("The loop of a run calls each observer where it is due, in the order of the list") {
    RunSpec spec = noise_run({8, 6});
    set_setting(spec, "at", "7:coefficient=0.1");
    Simulation simulation = begun(spec);
    std::string order;
    const auto note = [&](const char* name) { return [&order, name](Simulation&) { order += name; }; };
    Steps threes, fours, slices;
    const std::vector<Observer> observers{noting(threes, at_multiples(3, nullptr)),
                                          noting(fours, at_multiples(4, nullptr)),
                                          noting(slices, after_slices(nullptr)),
                                          at_multiples(6, note("a")),
                                          at_multiples(4, note("b")),
                                          at_multiples(0, note("never"))};
    advance(simulation, {13}, observers, {1e9, 1e9, kMaxSteps});
    CHECK(threes == Steps{3, 6, 9, 12});
    CHECK(fours == Steps{4, 8, 12});
    CHECK(slices == Steps{3, 4, 6, 7, 8, 9, 12, 13});
    CHECK(order == "babab");
    CHECK(simulation.step() == 13);
}

TEST_CASE("A run ends at a step, at the first step at or after a time, or when it is stopped") {
    const auto begin = [] { return begun(run_of_text("du/dt = lap(u); dt = 0.1; u(0) = x; size = 8x6")); };
    Simulation simulation = begin();
    advance(simulation, {.step = 5, .time = 100}, {}, kLongSlices);
    CHECK(simulation.step() == 5);
    advance(simulation, {.step = 100, .time = 0.7}, {}, kLongSlices);
    CHECK(simulation.step() == 7);  // 7 * 0.1 is above 0.7 by a rounding
    advance(simulation, {.time = 0.71}, {}, kLongSlices);
    CHECK(simulation.step() == 8);
    advance(simulation, {.time = 0.2}, {}, kLongSlices);
    CHECK(simulation.step() == 8);
    int slices = 0;
    const Observer count = after_slices([&](Simulation&) { ++slices; });
    advance(simulation, {.stops = [&] { return slices == 2; }}, {{count}}, {1e-9, 0, 1});
    CHECK(slices == 2);
}

TEST_CASE("A time that a run is to reach is found where dt changes on the way") {
    for (const char* dt : {"0.1", "follow:0.5limit", "tolerance:1e-3"}) {
        CAPTURE(dt);
        RunSpec spec =
            run_of_text("du/dt = 0.2*lap(u) - u^3; integrator = bs32; u(0) = 1.2*sin(x)*cos(y); size = 16");
        set_setting(spec, "dt", dt);
        set_setting(spec, "at", "20:dt=0.05");
        Simulation simulation = begun(spec), again = begun(spec);
        // An observer in time shortens no step; only the end of a run does.
        bool looked = false;
        const Observer at_three{[](const RunClock&) { return Due{.time = 3}; },
                                [&](Simulation&) { looked = true; }};
        advance(simulation, {.stops = [&] { return looked; }}, {{at_three}}, kLongSlices);
        while (!is_at(again.time(), 3, again.next_dt())) again.apply(Advance{1});
        CHECK(simulation.step() == again.step());
        CHECK(simulation.time() == again.time());
    }
}
