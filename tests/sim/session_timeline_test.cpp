#include "sim/session/run_history.h"

#include "sim/files/atomic_file.h"
#include "tests/support/session_lab.h"

namespace {

RunSpec diffusion(const std::string& method = "cpu") {
    return noise_run({61, 43}, method);
}

struct Bench : SessionLab {
    explicit Bench(const RunSpec& spec) : SessionLab(spec) { see({Pane::now}); }
    void paint(double x, double y) { act(action::Paint{dab(x, y)}); }
};

// Makes a run with strokes and changed settings, and returns the field at some of its steps.
std::map<long long, std::vector<double>> eventful(Bench& bench, bool another_method) {
    std::map<long long, std::vector<double>> seen;
    const auto step = [&](long long steps) {
        bench.act(action::Step{steps});
        seen[bench.now()->step] = bench.cells();
    };
    seen[0] = bench.cells();
    step(10);
    step(25);
    bench.paint(20, 20);
    seen[35] = bench.cells();
    step(1);
    step(30);
    bench.set("boundary", "periodic");
    if (another_method) bench.set("method", "reference");
    step(13);
    bench.paint(40, 10);
    bench.paint(10, 30);
    seen[79] = bench.cells();
    step(40);
    return seen;
}

}  // namespace

TEST_CASE(
    "A run is gone back and forth through bit by bit, its edits included, and what is seen is repeated") {
    RunSpec typed = diffusion();
    typed.initial.clear();
    typed.use_model(find_model("gray-scott"));
    typed.size = Size{61, 43};
    Dice dice;
    for (const bool general : {false, true}) {
        CAPTURE(general);
        Bench bench(general ? typed : diffusion());
        const auto seen = eventful(bench, true);
        const std::size_t edits = bench.now()->spec.edits.size();
        for (int i = 0; i < 40; ++i) {
            auto one = seen.begin();
            std::advance(one, dice.integer(0, int(seen.size()) - 1));
            bench.act(action::Jump{one->first});
            CAPTURE(one->first);
            REQUIRE(bench.now()->step == one->first);
            REQUIRE(bench.now()->end_step == 119);
            REQUIRE(bench.cells() == one->second);
            for (const Event& edit : bench.now()->spec.edits) REQUIRE(edit.step <= one->first);
            if (i % 8 > 0) continue;
            const ScratchFolder folder;
            write_text_file(folder / "spec.json", to_json(bench.now()->spec).dump());
            Bench other(diffusion());
            other.act(action::Open{(folder / "spec.json").string()});
            REQUIRE(other.now()->step == one->first);
            REQUIRE(other.cells() == one->second);
        }
        bench.act(action::Jump{119});
        CHECK(bench.now()->spec.edits.size() == edits);
        CHECK(bench.now()->can_undo.find("brush stroke at step 79") == 0);
        bench.act(action::Jump{150});
        CHECK(bench.now()->end_step == 150);
    }
}

TEST_CASE("What is done at an earlier step leaves the later ones behind, and undoing it brings them back") {
    for (const int deed : {0, 1, 2}) {
        CAPTURE(deed);
        Bench bench(diffusion());
        const auto seen = eventful(bench, false);
        const auto spec = bench.now()->spec;
        bench.act(action::Jump{35});
        bench.set("colormap", "magma");  // changes only the view
        CHECK(bench.now()->end_step == 119);
        bench.act(action::Step{5});  // like a jump
        CHECK(bench.now()->end_step == 119);
        bench.act(action::Jump{35});
        bench.act(action::StopAt{40});
        if (deed == 0) bench.act(action::Run{true});
        if (deed == 1) bench.paint(5, 5);
        if (deed == 2) bench.set("coefficient", "0.1");
        CHECK(bench.now()->end_step == (deed == 0 ? 40 : 35));
        CHECK(bench.now()->spec.edits.size() == (deed == 0 ? 1 : 2));
        REQUIRE_FALSE(bench.now()->messages.empty());
        CHECK(contains(bench.message(), "Undo"));
        if (deed > 0) bench.act(action::Undo{});
        bench.act(action::Undo{});
        CHECK(bench.now()->step == 119);
        CHECK(bench.now()->spec.edits == spec.edits);
        CHECK(bench.cells() == seen.at(119));
        bench.act(action::Jump{66});
        CHECK(bench.cells() == seen.at(66));
        bench.act(action::Undo{});  // of the colours, at the step that is shown
        CHECK(bench.now()->step == 66);
        CHECK(bench.run().colormap.empty());
        bench.act(action::Undo{});  // undoes the newest stroke, whatever step is shown
        CHECK(bench.now()->step == 79);
    }
}

TEST_CASE("What is set aside is counted as in History: a stroke of two pieces is one change") {
    Bench bench(diffusion());
    bench.act(action::Step{10});
    bench.act(action::Paint{{{}, 5, 5, 8, 8}});
    bench.act(action::Paint{{{}, 8, 8, 12, 8, true}});
    bench.act(action::Step{10});
    bench.set("coefficient", "0.1");
    bench.act(action::Step{10});
    const std::size_t shown = bench.now()->history->done.size();
    REQUIRE(shown == 2);
    bench.act(action::Jump{5});
    bench.paint(5, 5);
    CHECK(contains(bench.message(), "(to 30) and 2 changes are set aside"));
}

TEST_CASE("What fails at an earlier step leaves the later ones where they are") {
    Bench bench(diffusion());
    const auto seen = eventful(bench, false);
    const auto [last, cells] = *seen.rbegin();
    bench.act(action::Jump{35});
    const auto before = bench.now();
    for (const Action& failing : {Action(action::Change{"coefficient", "0.9"}),
                                  Action(action::Change{"size", "900000x900000"}),
                                  Action(action::Open{"nothing-like-it.npy"})}) {
        bench.act(failing);
        REQUIRE(bench.now()->messages.back().level == Message::Level::error);
        REQUIRE(bench.now()->step == 35);
        REQUIRE(bench.now()->end_step == last);
        REQUIRE(bench.now()->history->done == before->history->done);
        for (const Message& message : bench.now()->messages) REQUIRE(!contains(message.text, "set aside"));
    }
    bench.act(action::Jump{last});
    REQUIRE(bench.cells() == cells);
}

TEST_CASE(
    "Where no copy of the field fits, settings can still be undone, and no state of a past that was left "
    "is taken for one of the run") {
    Bench bench(diffusion());
    bench.set("coefficient", "0.1");
    bench.paint(20, 20);
    bench.act(action::Step{40});
    bench.act(action::SetBookmark{});
    bench.act(action::Step{40});
    bench.set("memory-limit", "1000");
    bench.act(action::Jump{20});
    REQUIRE(contains(bench.message(), "Not enough memory to return"));
    REQUIRE(bench.now()->end_step == 20);
    for (const long long kept : bench.now()->kept_steps) REQUIRE(kept <= 20);
    bench.act(action::Reset{});
    CAPTURE(bench.message());
    REQUIRE(contains(bench.message(), "Not enough memory to undo this reset"));
    for (const std::string& entry : bench.now()->history->done) REQUIRE(!contains(entry, "brush stroke"));
    REQUIRE(contains(bench.now()->can_undo, "coefficient"));
    bench.act(action::Undo{});
    REQUIRE(bench.run().parameter("coefficient") == 0.2);
}

TEST_CASE("Going back that is stopped on its way has the edits of no later step") {
    Bench bench(diffusion("reference"));
    bench.act(action::Step{10});
    bench.paint(20, 20);
    bench.act(action::Step{20000});
    bench.paint(30, 20);
    bench.session.apply(action::Jump{0});
    bench.session.apply(action::Jump{20010});
    bench.session.apply(action::Jump{0});
    bench.session.apply(action::Jump{19999});
    bench.session.work();
    const long long at = bench.now()->step;
    bench.act(action::Cancel{});
    CHECK(bench.now()->end_step == 20010);
    CHECK_FALSE(bench.now()->ordered);
    CHECK(bench.now()->step == at);
    for (const Event& edit : bench.now()->spec.edits) CHECK(edit.step <= at);
}

TEST_CASE("The past keeps fewer states the longer ago, within their memory, and never loses the first") {
    Simulation simulation = begun(diffusion());
    Timeline timeline;
    timeline.keep(simulation, 1e12);
    const double each = double(timeline.bytes());
    REQUIRE(each >= 61 * 43 * 4);
    const double budget = 20.5 * each;
    for (int i = 0; i < 2000; ++i) {
        simulation.apply(Advance{1});
        timeline.keep(simulation, budget);
        REQUIRE(double(timeline.bytes()) <= budget);
    }
    const std::vector<long long> steps = timeline.steps();
    REQUIRE(steps.size() == 20);
    CHECK(steps.front() == 0);
    CHECK(steps.back() == 2000);
    CHECK(steps[18] >= 1998);
    // Going back by n steps recomputes at most about n.
    for (std::size_t i = 1; i + 1 < steps.size(); ++i) CHECK(steps[i + 1] - steps[i] <= 2000 - steps[i]);
    CHECK(timeline.before(1999)->step == steps[18]);
    for (int i = 0; i < 300; ++i) {
        simulation.apply(Advance{1});
        timeline.keep(simulation, 1e12);
    }
    CHECK(timeline.steps().size() == Timeline::kMost);
    timeline.cut(2000);
    CHECK(timeline.steps().back() < 2000);
    timeline.keep(simulation, 0.5 * each);
    CHECK(timeline.steps().empty());
}

TEST_CASE("Undo says what it undoes and when that was done, and goes back by several at once") {
    Bench bench(diffusion());
    bench.act(action::Step{5});
    bench.paint(20, 20);
    bench.act(action::Step{5});
    bench.set("coefficient", "0.1");
    bench.act(action::Reset{});
    const auto history = bench.now()->history;
    REQUIRE(history->done.size() == 3);
    CHECK(history->done[0] == "brush stroke at step 5");
    CHECK(history->done[1] == "coefficient 0.2 to 0.1 at step 10");
    CHECK(history->done[2] == "reset at step 10");
    CHECK(bench.now()->can_undo == history->done[2]);
    bench.act(action::Undo{3});
    CHECK(bench.now()->history->done.empty());
    REQUIRE(bench.now()->history->undone.size() == 3);
    CHECK(bench.now()->history->undone.back() == history->done[0]);
    CHECK(bench.now()->step == 5);
    bench.act(action::Redo{2});
    CHECK(bench.now()->history->done.size() == 2);
}

TEST_CASE("Bookmarks of several runs are gone to and compared, and removing one leaves the others") {
    Bench bench(diffusion());
    bench.act(action::Step{40});
    bench.act(action::SetBookmark{});
    const auto a = bench.cells();
    bench.act(action::Step{20});
    const auto later = bench.cells();
    bench.act(action::GoToBookmark{0});  // belongs to this run: nothing is left behind
    CHECK(bench.cells() == a);
    CHECK(bench.now()->end_step == 60);
    CHECK(bench.now()->can_undo.empty());

    bench.see({Pane::from_bookmark});
    bench.act(action::Jump{60});
    REQUIRE(bench.now()->frame->comparison);
    double difference = 0, norm = 0, highest = -1e9;
    for (std::size_t i = 0; i < a.size(); ++i) {
        difference += (later[i] - a[i]) * (later[i] - a[i]);
        norm += a[i] * a[i];
        highest = std::max(highest, later[i] - a[i]);
    }
    CHECK(bench.now()->frame->comparison->relative == Approx(std::sqrt(difference / norm)));
    CHECK(bench.now()->frame->comparison->highest == Approx(highest));

    bench.act(action::Reset{});
    bench.set("coefficient", "0.1");
    bench.act(action::Step{40});
    bench.act(action::SetBookmark{});
    const auto b = bench.cells();
    const auto history = bench.now()->history;
    REQUIRE(history->bookmarks.size() == 2);
    CHECK_FALSE(history->bookmarks[0].on_the_way);
    CHECK(history->bookmarks[1].on_the_way);
    CHECK(history->compared == 1);
    bench.act(action::GoToBookmark{0});  // belongs to the previous run: a change that can be undone
    CHECK(bench.cells() == a);
    CHECK(bench.now()->now.parameter("coefficient") == 0.2);
    CHECK(contains(bench.now()->can_undo, "bookmark A"));
    bench.act(action::Undo{});
    CHECK(bench.cells() == b);
    bench.act(action::Compare{0});
    REQUIRE(bench.now()->frame->comparison);
    CHECK(bench.now()->frame->comparison->relative > 1e-3);
    bench.set("size", "30x20");
    CHECK_FALSE(bench.now()->history->bookmarks[0].why_no_difference.empty());
    CHECK_FALSE(bench.now()->frame->comparison);
    bench.act(action::RemoveBookmark{0});
    REQUIRE(bench.now()->history->bookmarks.size() == 1);
    CHECK(bench.now()->history->bookmarks[0].name == "B");
    CHECK(bench.now()->history->compared == 0);
}

TEST_CASE("Bookmarks have names, and come back with the run that is repeated or resumed") {
    const ScratchFolder folder;
    Bench bench(diffusion());
    bench.act(action::Step{10});
    bench.paint(20, 20);
    bench.act(action::Step{7});
    bench.act(action::SetBookmark{});
    const auto there = bench.cells();
    bench.act(action::NameBookmark{0, "after the stroke"});
    bench.act(action::NameBookmark{0, "two\nlines"});
    CHECK(bench.now()->messages.back().level == Message::Level::error);
    bench.act(action::Step{13});
    const RunSpec spec = bench.now()->spec;
    REQUIRE(spec.bookmarks == std::vector<RunSpec::Bookmark>{{17, "after the stroke"}});
    bench.act(action::SaveCheckpoint{folder.path().string()});
    while (bench.now()->exporting) bench.session.work();

    Bench again(spec);  // like --continue
    CHECK_FALSE(again.now()->history->bookmarks.at(0).why_no_difference.empty());
    again.act(action::Step{30});
    CHECK(again.now()->history->bookmarks.at(0).why_no_difference.empty());
    again.act(action::GoToBookmark{0});
    CHECK(again.now()->step == 17);
    CHECK(again.cells() == there);

    Bench resumed(diffusion());
    resumed.act(action::Resume{folder.path().string()});
    REQUIRE(resumed.now()->history->bookmarks.at(0).name == "after the stroke");
    resumed.act(action::GoToBookmark{0});  // recomputes the steps before the checkpoint
    CHECK(resumed.now()->step == 17);
    CHECK(resumed.cells() == there);
    resumed.act(action::Reset{});
    CHECK(resumed.now()->spec.bookmarks.empty());
}
