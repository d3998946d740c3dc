#include "sim/session/pace.h"

#include "sim/files/atomic_file.h"
#include "tests/support/session_lab.h"

TEST_CASE("The pace is doubled and halved as often as it is said, however late it is heard") {
    Session session(small_run(), standing());
    session.apply(action::Pace{6, 12});
    for (const double factor : {2.0, 2.0, 2.0, 0.5}) session.apply(action::ScalePace{factor});
    REQUIRE(session.snapshot()->steps_per_frame == 24);
    for (int i = 0; i < 7; ++i) session.apply(action::ScalePace{0.5});
    REQUIRE(session.snapshot()->steps_per_frame == 1);
}

TEST_CASE("A long jump is done at once where the method is auto, and its spec repeats it bit for bit") {
    Session session(small_run(), standing());
    session.set_view(small_view_of(Pane::now));
    perform(session, action::Step{30});
    const std::string stepping = session.snapshot()->now.method;
    perform(session, action::Jump{100'000'000'000});
    const auto snapshot = session.snapshot();
    REQUIRE(snapshot->step == 100'000'000'000);
    REQUIRE(snapshot->now.method == stepping);
    REQUIRE(snapshot->auto_method);
    REQUIRE(contains(newest_message(session), "spectral"));

    Session other(small_run(), standing());
    const ScratchFolder folder;
    write_text_file(folder / "spec.json", to_json(snapshot->spec).dump());
    perform(other, action::Open{(folder / "spec.json").string()});
    REQUIRE(other.snapshot()->step == 100'000'000'000);
    REQUIRE(cells(other) == cells(session));
}

TEST_CASE(
    "A jump goes at once or by steps as it is asked to, and the method that was asked for steps again") {
    Session session(small_run("cpu"), standing());
    perform(session, action::Step{30});
    perform(session, action::Jump{200, true});
    REQUIRE(session.snapshot()->step == 200);
    REQUIRE(session.snapshot()->now.method == "cpu");
    REQUIRE_FALSE(session.snapshot()->auto_method);
    REQUIRE(contains(newest_message(session), "spectral"));
    const auto at_once = cells(session);

    Session other(small_run("cpu"), standing());
    perform(other, action::Jump{200, false});
    REQUIRE(other.snapshot()->messages.empty());
    REQUIRE(other.snapshot()->spec.edits.empty());
    const auto by_steps = cells(other);
    REQUIRE(at_once != by_steps);
    for (std::size_t i = 0; i < at_once.size(); ++i) REQUIRE(at_once[i] == Approx(by_steps[i]).margin(1e-5));
}

TEST_CASE("Cancel ends an order, and the suite without stopping the run beneath it") {
    Session session(small_run("reference"), standing());
    session.set_view(small_view_of(Pane::now));
    settle(session);
    session.apply(action::Jump{100'000'000});
    for (int i = 0; i < 5; ++i) session.work();
    REQUIRE(session.snapshot()->ordered);
    perform(session, action::Cancel{});
    REQUIRE_FALSE(session.snapshot()->ordered);
    REQUIRE(session.snapshot()->step < 100'000'000);
    session.apply(action::Run{true});
    session.apply(action::MeasureSuite{});
    session.work();
    REQUIRE(session.snapshot()->measuring_suite);
    session.apply(action::Cancel{});
    REQUIRE_FALSE(session.snapshot()->measuring_suite);
    REQUIRE(session.snapshot()->running);
}

TEST_CASE("auto stays asked for until another method is, and is undone as what it was") {
    Session session(small_run(), standing());
    settle(session);
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(session.snapshot()->now.method == "cpu");
    perform(session, action::Step{5});
    const auto before = cells(session);
    session.apply(action::Change{"method", "reference"});
    REQUIRE_FALSE(session.snapshot()->auto_method);
    REQUIRE(session.snapshot()->now.method == "reference");
    REQUIRE(cells(session) == before);
    session.apply(action::Undo{});
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(session.snapshot()->now.method == "cpu");
    session.apply(action::Redo{});
    REQUIRE_FALSE(session.snapshot()->auto_method);
    session.apply(action::Change{"method", "auto"});
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(cells(session) == before);
    // Changing size and initial condition keeps it.
    session.apply(action::Change{"size", "30x20"});
    session.apply(action::Change{"initial", "gaussian"});
    REQUIRE(session.snapshot()->auto_method);
    REQUIRE(newest_message(session).empty());
}

TEST_CASE("A method that was asked for stays, whatever the pace, and so does one that a run's edit brings") {
    RunSpec spec = small_run("reference");
    const auto run_frames = [](Session& session, std::uint64_t frames) {
        while (!session.snapshot()->frame || session.snapshot()->frame->count < frames) turn(session);
    };
    Session manual(spec, running());
    manual.apply(action::Pace{1000, 12});
    run_frames(manual, 12);
    REQUIRE(manual.snapshot()->now.method == "reference");
    REQUIRE(manual.snapshot()->spec.edits.empty());
    spec.method = "auto";
    spec.edits = {{3, SetSetting{"method", "reference"}}};
    Session edited(spec, running());
    edited.apply(action::Pace{1000, 12});
    run_frames(edited, 12);
    REQUIRE(edited.snapshot()->now.method == "reference");
    REQUIRE_FALSE(edited.snapshot()->auto_method);
}

TEST_CASE("The suite of methods is measured while the run stands still, and leaves the field as it was") {
    Session session(small_run(), running());
    session.work();
    const auto before = cells(session);
    const long long step = session.snapshot()->step;
    session.apply(action::MeasureSuite{});
    REQUIRE(session.snapshot()->measuring_suite);
    REQUIRE_FALSE(session.snapshot()->running);
    for (int pieces = 0; session.snapshot()->measuring_suite; ++pieces) {
        REQUIRE(pieces < 100000);
        REQUIRE(session.snapshot()->step == step);
        REQUIRE(contains(session.snapshot()->busy, "measuring"));
        REQUIRE(cells(session) == before);
        session.work();
    }
    REQUIRE(session.snapshot()->running);
    const auto speeds = session.snapshot()->speeds;
    for (const Method& method : methods()) {
        if (method.device != Device::cpu) continue;
        INFO(method.name);
        const auto found = std::ranges::find(speeds, &method, &MethodSpeed::method);
        REQUIRE(found != speeds.end());
        REQUIRE((method.jumps ? found->jump_seconds : found->gcells_per_s) > 0);
        REQUIRE(found->edge == Approx(std::sqrt(61.0 * 43)));
        REQUIRE(found->error.value() <= 1e-4);
    }
    // Another action ends it and keeps the results.
    session.apply(action::MeasureSuite{});
    session.work();
    session.apply(action::Step{1});
    REQUIRE_FALSE(session.snapshot()->measuring_suite);
    settle(session);
    REQUIRE(session.snapshot()->step == step + 1);
    REQUIRE(session.snapshot()->speeds.size() >= speeds.size());
}

TEST_CASE("A run's own speeds are kept for each method and size") {
    Session session(small_run(), running());
    session.apply(action::Pace{50, 12});
    const auto run_until = [&](std::size_t speeds) {
        for (int i = 0; session.snapshot()->speeds.size() < speeds; ++i) {
            REQUIRE(i < 100000);
            turn(session);
        }
    };
    run_until(1);
    session.apply(action::Change{"method", "reference"});
    run_until(2);
    const auto speeds = session.snapshot()->speeds;
    REQUIRE(speeds[0].method->name == "cpu");
    REQUIRE(speeds[1].method->name == "reference");
    REQUIRE(speeds[1].gcells_per_s > 0);
    session.apply(action::Change{"dtype", "float64"});
    REQUIRE(session.snapshot()->speeds.empty());
}

TEST_CASE("The copy bandwidth is measured in pieces between frames, and never while it is not asked for") {
    Session without(small_run(), standing());
    settle(without);
    REQUIRE(without.snapshot()->limits.copy_gb_per_s == 0);
    SessionOptions options = running();
    options.measure_limits = true;
    Session session(small_run(), options);
    session.apply(action::Pace{3, 12});
    int pieces = 0;
    while (session.snapshot()->limits.copy_gb_per_s == 0) {
        const auto before = session.snapshot()->step;
        turn(session);
        REQUIRE(session.snapshot()->step <= before + 3);
        REQUIRE(++pieces < 10000);
    }
    REQUIRE(session.snapshot()->limits.copy_gb_per_s > 0.1);
    REQUIRE(session.snapshot()->step > 3 * 7);
    // The instruction rate is measured next, and is another in another precision.
    const auto wait_for_rate = [&] {
        while (session.snapshot()->limits.instructions_per_second == 0) {
            turn(session);
            REQUIRE(++pieces < 20000);
        }
    };
    wait_for_rate();
    session.apply(action::Change{"dtype", "float64"});
    REQUIRE(session.snapshot()->limits.instructions_per_second == 0);
    REQUIRE(session.snapshot()->limits.copy_gb_per_s > 0.1);
    wait_for_rate();
}

TEST_CASE("Paces follow the cost of a step, in whole passes of the method") {
    REQUIRE(slice_steps({0, 12}) > 0);
    REQUIRE(slice_steps({1e-3, 12}) == 24);
    REQUIRE(slice_steps({5e-3, 12}) == 12);
    REQUIRE(slice_steps({1.0, 12}) == 1);
    REQUIRE(paced_steps({1e-3, 1}, 12, 11) == 11);   // within the hysteresis
    REQUIRE(paced_steps({1e-4, 1}, 12, 10) == 20);   // at most doubles
    REQUIRE(paced_steps({1e-3, 1}, 12, 100) == 12);  // but decreases at once
    REQUIRE(paced_steps({10.0, 12}, 12, 5) == 1);
    // A beginning is neither hurried through nor stands still, until a pace is chosen.
    for (const double seconds_per_step : {1e-9, 10.0}) {
        Pace pace;
        pace.most_auto = 20;
        const auto batch = [&] {
            for (int i = 0; i < 10; ++i) pace.begin_batch(0, {seconds_per_step, 1});
            return pace.target;
        };
        REQUIRE(batch() == (seconds_per_step < 1 ? 20 : 10));
        pace.set(0, 12, 0);
        REQUIRE((seconds_per_step < 1 ? batch() > 1000 : batch() == 1));
    }
}
