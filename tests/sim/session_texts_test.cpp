// What a text makes of a session: one that is solved, a line, notes.
#include "tests/support/session_lab.h"

TEST_CASE(
    "A text that is solved shows its solution, makes no steps, and is solved again for another number") {
    SessionLab bench(run_of_text("0 = lap(u); all: u = k*x; k = 1 in [0, 3]; size = 37x29"));
    bench.see({Pane::now});
    const auto slope = [&] {
        const auto u = bench.cells("u");
        return u[5] - u[4];
    };
    CHECK(std::abs(slope() - 1) < 1e-3);
    CHECK(contains(bench.now()->why_not_run, "Solved"));
    bench.act(action::Change{"k", "2"});
    bench.act(action::Change{"k", "2.5", true});
    CHECK(std::abs(slope() - 2.5) < 1e-3);
    bench.act(action::Undo{});
    CHECK(std::abs(slope() - 1) < 1e-3);
    for (const Action& steps :
         {Action(action::Run{true}), Action(action::Step{3}), Action(action::Jump{7})}) {
        bench.act(steps);
        CHECK(bench.now()->step == 0);
        CHECK_FALSE(bench.now()->running);
        CHECK(contains(bench.message(), "no steps to make"));
    }
    CHECK_FALSE(Session(bench.run(), running()).snapshot()->running);
    // A run that steps stands still as soon as its text is one that is solved, and goes on after another.
    bench.set("equation", "du/dt = lap(u)");
    bench.session.apply(action::Run{true});
    CHECK(bench.now()->running);
    bench.set("equation", "lap(u) = 1; all: u = 0");
    CHECK_FALSE(bench.now()->running);
    bench.set("equation", "du/dt = lap(u)");
    CHECK(bench.now()->why_not_run.empty());
}

TEST_CASE("The view over time is filled as a line steps, and undo of a reset brings it back") {
    SessionLab bench(run_of_text("du/dt = 0.2*lap(u); u(0) = 3 + x; size = 50; dt = 0.1"));
    ViewRequest view = view_of({Pane::xt}, {50, 30});
    bench.session.set_view(view);
    const auto picture = [&] {
        settle(bench.session);
        const PaneImage& image = bench.now()->frame->panes.at(0);
        REQUIRE(image.pixels->width == 50);
        REQUIRE(image.pixels->height == 30);
        return std::pair(image.pixels->host, image.range);
    };
    const auto [first, first_range] = picture();
    for (std::size_t i = 0; i < first.size(); ++i) REQUIRE(first[i] == 3.5f + float(i % 50));
    CHECK(first_range.high == 52.5);
    bench.act(action::Step{600});
    const auto u = bench.cells("u");
    const auto [later, range] = picture();
    for (std::size_t x = 0; x < 50; ++x) {
        REQUIRE(later[x] == first[x]);
        REQUIRE(later[29 * 50 + x] == float(u[x]));
    }
    CHECK(range.low == first_range.low);  // the colours span all rows
    bench.act(action::Reset{});
    CHECK(picture().first == first);
    bench.act(action::Undo{});
    CHECK(bench.now()->step == 600);
    CHECK(picture().first == later);
}

TEST_CASE("A thin layer is noted beside the text's own notes") {
    SessionLab bench(
        run_of_text("du/dt = div(D*grad(u)); D = where(abs(x - 15.5) < 0.6, 1e-3, 1); k = 2; size = 37x29"));
    const auto& notes = bench.now()->notes;
    REQUIRE(notes.size() == 2);
    CHECK(contains(notes[0], "`k`"));
    CHECK(contains(notes[1], "mean = harmonic"));
}
