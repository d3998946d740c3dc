#include "sim/session/engine/engine.h"

#include "sim/files/npy.h"
#include "tests/support/session_lab.h"

TEST_CASE("An engine steps on its own thread while others ask and act") {
    std::atomic<int> news = 0;
    Engine engine(small_run(), running(), [&] { ++news; });
    std::uint64_t last = 0;
    long long furthest = 0;
    // Counts frames, because undo lowers the step; requests grow slowly, so as not to overload the machine.
    for (int frames = 0; frames < 100; std::this_thread::sleep_for(std::chrono::milliseconds(1))) {
        engine.check();
        const auto snapshot = engine.snapshot();
        if (!snapshot || !snapshot->frame || snapshot->frame->count == last) continue;
        last = snapshot->frame->count;
        furthest = std::max(furthest, snapshot->frame->step);
        REQUIRE(snapshot->frame->panes.size() <= 1);
        engine.frame_taken(last);
        const int i = ++frames;
        engine.see(stencil_test::view_of({i % 2 ? Pane::now : Pane::laplacian}, {30 + i % 7, 20}));
        if (i % 2 == 0) engine.send({action::Paint{dab(i % 60, i % 40)}});
        if (i % 7 == 0) engine.send({action::Undo{}});
        if (i % 5 == 0) engine.send({action::Change{"coefficient", i % 2 ? "0.1" : "0.2"}});
    }
    REQUIRE(news > 5);
    REQUIRE(furthest > 0);
    // Once it is up to date, the snapshot shows what the last action did.
    engine.send({action::Tell{"the last one"}});
    while (!engine.is_up_to_date()) std::this_thread::yield();
    CHECK(engine.snapshot()->messages.back().text == "the last one");
}

TEST_CASE("An engine answers while a step takes long, and can be left in the middle of one") {
    RunSpec spec = small_run("reference");
    spec.size = Size{2000, 2000};
    Engine engine(spec, running(), [] {});
    engine.see(small_view_of(Pane::now));
    long long step = -1;
    int answers = 0, most = 0;
    for (int frames = 0; frames < 4; ++answers) {
        engine.check();
        const auto snapshot = engine.snapshot();
        if (!snapshot || !snapshot->frame) continue;
        engine.frame_taken(snapshot->frame->count);
        if (snapshot->frame->step == step) continue;
        step = snapshot->frame->step;
        if (frames++ > 0) most = std::max(most, answers);
        answers = 0;
    }
    REQUIRE(most > 100);
}

TEST_CASE("An engine that cannot begin says why") {
    RunSpec spec = small_run();
    spec.initial = "nothing-like-it.npy";
    Engine engine(spec, standing(), [] {});
    std::string why;
    while (why.empty()) {
        why = input_error([&] { engine.check(); });
        std::this_thread::yield();
    }
    REQUIRE(contains(why, "nothing-like-it.npy"));
}

TEST_CASE("An initial field that is cut while it is made changes nothing, not even what can be undone") {
    bool cut = false;
    SessionOptions options = standing();
    options.cut = [&cut] { return cut; };
    Session session(small_run(), options);
    session.set_view(small_view_of(Pane::now));
    session.apply(action::Step{5});
    settle(session);
    const auto before = cells(session);
    cut = true;
    session.apply(action::Change{"initial", "jagged"});
    REQUIRE(contains(newest_message(session), "Stopped"));
    const auto snapshot = session.snapshot();
    REQUIRE(snapshot->now.initial == "noise");
    REQUIRE(snapshot->step == 5);
    REQUIRE(snapshot->can_undo.empty());
    REQUIRE(snapshot->busy.empty());
    REQUIRE(cells(session) == before);
    cut = false;
    session.apply(action::Change{"initial", "jagged"});
    REQUIRE(session.snapshot()->now.initial == "jagged");
}

TEST_CASE("An engine that makes a slow field says so, and leaves it when it is stopped") {
    RunSpec spec = small_run();
    spec.size = Size{1, 1000003};  // a prime: a transform takes seconds
    Engine engine(spec, standing(), [] {});
    const auto wait_until = [&](auto&& seen) {
        while (!engine.snapshot() || !seen(*engine.snapshot())) {
            engine.check();
            std::this_thread::yield();
        }
    };
    wait_until([](const Snapshot&) { return true; });
    engine.send({action::Change{"initial", "jagged"}});
    wait_until([](const Snapshot& now) { return now.busy.find("making") != now.busy.npos && now.ordered; });
    engine.send({action::Run{false}});
    wait_until([](const Snapshot& now) { return !now.messages.empty() || now.now.initial == "jagged"; });
    REQUIRE(engine.snapshot()->now.initial == "noise");
    REQUIRE(contains(engine.snapshot()->messages.back().text, "Stopped"));
}
