#include "sim/session/session.h"

#include <fmt/format.h>

#include "sim/files/atomic_file.h"
#include "sim/files/npy.h"
#include "sim/run/output/measures.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/session_lab.h"

TEST_CASE("Exports replace nothing, unless told to: the next one has a folder of its own") {
    const ScratchFolder folder;
    RunSpec spec = small_run();
    spec.initial.clear();
    spec.use_model(find_model("gray-scott"));
    Session session(spec, standing());
    settle(session);
    const auto export_to = [&](const std::string& name, bool replace = false) {
        session.apply(action::Export{(folder / name).string(), {"field.npy", "spec.json"}, replace});
        finish_export(session);
        return session.snapshot()->messages.back().folder;
    };
    const auto written = [&](const char* name) { return read_bytes(folder / name / "field-v.npy"); };
    REQUIRE(export_to("out") == (folder / "out").string());
    const std::string first = written("out");
    perform(session, action::Step{5});
    REQUIRE(export_to("out") == (folder / "out-2").string());
    REQUIRE(export_to("out/") == (folder / "out-3").string());
    REQUIRE(written("out") == first);
    REQUIRE(written("out-2") != first);
    REQUIRE(export_to("out", true) == (folder / "out").string());
    REQUIRE(written("out") != first);
}

TEST_CASE("A table that there is nothing for is left out of an export, which says so") {
    const ScratchFolder folder;
    Session session(small_run(), standing());
    settle(session);
    session.apply(action::Export{(folder / "out").string(), {"field.npy", "profile.csv", "probes.csv"}});
    finish_export(session);
    REQUIRE(std::filesystem::exists(folder / "out" / "field.npy"));
    REQUIRE_FALSE(std::filesystem::exists(folder / "out" / "profile.csv"));
    REQUIRE(contains(newest_message(session), "profile.csv"));
    REQUIRE(contains(newest_message(session), "probes.csv"));
}

TEST_CASE("A figure of the view has the panes on the canvas, and is left out for those of other runs") {
    const ScratchFolder folder;
    Session session(small_run(), standing());
    const auto exported = [&](Pane pane, const char* name) {
        session.set_view(small_view_of(pane));
        settle(session);
        session.apply(action::Export{(folder / name).string(), {"view.svg", "spec.json"}});
        finish_export(session);
        return std::filesystem::exists(folder / name / "view.svg") ? read_bytes(folder / name / "view.svg")
                                                                   : "";
    };
    CHECK_FALSE(contains(exported(Pane::now, "now"), "Laplacian"));
    CHECK(contains(exported(Pane::laplacian, "laplacian"), "Laplacian of u"));
    CHECK(read_spec((folder / "laplacian/spec.json").string()).view == "laplacian");
    session.apply(action::SetBookmark{});
    CHECK(exported(Pane::from_bookmark, "bookmark").empty());
    CHECK(contains(newest_message(session), "only for the canvas"));
    CHECK(read_spec((folder / "bookmark/spec.json").string()).view.empty());
}

TEST_CASE("An export that is cancelled writes no further file, and says how many it left") {
    const ScratchFolder folder;
    Session session(small_run(), standing());
    ExportOrder order;
    order.folder = folder / "out";
    order.output = run_output(session.simulation());
    order.output.now.exports = {"field.npy", "spec.json"};
    WriteProgress progress;
    progress.cancelled = true;
    const ExportOutcome outcome = order.write(progress);
    REQUIRE(progress.all == 2);
    REQUIRE(progress.done == 0);
    REQUIRE(std::filesystem::is_empty(folder / "out"));
    REQUIRE(contains(outcome.text, "stopped"));
}

TEST_CASE("A film of a session has a frame at every multiple of its step, and is told of with its folder") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Session session(noise_run({8, 6}), standing());
    session.apply(action::Record{folder.path().string(), 5, true, false, ".gif"});
    perform(session, action::Step{12});
    CHECK(session.snapshot()->recording == (folder / "film.gif").string());
    CHECK(session.snapshot()->recorded == 3);
    session.apply(action::Record{});
    CHECK(session.snapshot()->recording.empty());
    const Message told = session.snapshot()->messages.back();
    CHECK(contains(told.text, "Recorded 3 frames"));
    CHECK(told.folder == folder.path().string());
    CHECK(read_bytes(folder / "film.gif").size() == 3 * 8 * 6 * 3);
    session.apply(action::Record{folder.path().string(), 5, true, false, ".avi"});
    CHECK(contains(session.snapshot()->messages.back().text, ".webm"));
    CHECK(session.snapshot()->recording.empty());
}

TEST_CASE("A film from the start is that of run --video, whatever was done on the way") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Session session(noise_run({8, 6}), standing());
    perform(session, action::Step{7});
    session.apply(action::Change{"coefficient", "0.125"});
    session.apply(action::Paint{dab(3, 3)});
    perform(session, action::Step{13});
    action::Film order{folder.path().string(), ".gif"};
    order.choices.seconds = 0.5;
    order.choices.fps = 10;
    const std::vector<float> before = cells(session);
    session.apply(order);
    CHECK(session.snapshot()->exporting);
    CHECK(contains(session.snapshot()->export_doing, "film.gif"));
    finish_export(session);
    CHECK(contains(newest_message(session), "Made a film of 5 frames"));
    CHECK(cells(session) == before);

    Simulation again = begun(session.simulation().spec());
    FilmRequest request = order.choices;
    request.file = folder / "again.gif";
    FilmWriter film(request, film_pace(request, {0}, {20}, 0));
    film.look(again);
    while (again.step() < 20) {
        again.apply(Advance{1});
        film.look(again);
    }
    film.finish();
    CHECK(read_bytes(folder / "again.gif") == read_bytes(folder / "film.gif"));
    CHECK(read_bytes(folder / "film.gif").size() == 5 * 8 * 6 * 3);

    order.ending = ".avi";
    session.apply(order);
    CHECK(contains(newest_message(session), ".webm"));
    CHECK_FALSE(session.snapshot()->exporting);
}

TEST_CASE("A recording of so many seconds ends by itself") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Session session(noise_run({8, 6}), standing());
    action::Record order{folder.path().string(), 5, true, false, ".gif"};
    order.choices.seconds = 0.4;
    order.choices.fps = 5;
    order.choices.range = "0:1";
    session.apply(order);
    perform(session, action::Step{100});
    CHECK(session.snapshot()->recording.empty());
    CHECK(contains(newest_message(session), "Recorded 2 frames"));
    CHECK(read_bytes(folder / "film.gif").size() == 2 * 8 * 6 * 3);
}

TEST_CASE("A recording has a frame at every multiple of its step, whatever the pace, and says where") {
    const ScratchFolder folder;
    Session session(small_run(), standing());
    session.apply(action::Record{folder.path().string(), 10, false, true});
    perform(session, action::Jump{35});
    session.apply(action::Record{});
    REQUIRE(session.snapshot()->recording.empty());
    REQUIRE(contains(newest_message(session), "Recorded 4 files"));
    REQUIRE(session.snapshot()->messages.back().folder == (folder / "frames").string());
    for (const int step : {0, 10, 20, 30})
        REQUIRE(std::filesystem::exists(folder / "frames" / fmt::format("field_{:06}.npy", step)));
    REQUIRE(std::distance(std::filesystem::directory_iterator(folder / "frames"), {}) == 4);
}

TEST_CASE(
    "A recording goes on in another folder where the run begins anew, and every file keeps its picture") {
    const ScratchFolder folder;
    const std::filesystem::path runs = folder / "runs";
    const auto files_in = [](const std::filesystem::path& of) {
        return std::distance(std::filesystem::directory_iterator(of), {});
    };
    Session session(run_of_text("du/dt = v; dv/dt = -u; u(0) = 1; size = 8x8; dt = 0.1; show = v"),
                    standing());
    session.apply(action::Record{runs.string(), 10});
    perform(session, action::Step{25});  // steps 0, 10, 20
    perform(session, action::Reset{});
    perform(session, action::Step{15});  // step 10
    session.apply(action::Change{"model", "heat", false, true});
    perform(session, action::Step{20});  // steps 10, 20
    perform(session, action::Undo{});
    CHECK(session.snapshot()->recorded == 6 + 2 + 2);
    session.apply(action::Record{});
    const std::string told = newest_message(session);
    CHECK(contains(told, "Recorded 10 files to " + (runs / "frames").string()));
    CHECK(contains(told, "/runs-2/frames, "));
    CHECK(contains(told, "field_*.png"));
    CHECK(files_in(runs / "frames") == 6);
    CHECK(files_in(folder / "runs-2/frames") == 2);
    CHECK(files_in(folder / "runs-3/frames") == 2);
    session.apply(action::Record{runs.string(), 10});
    session.apply(action::Record{});
    CHECK(contains(newest_message(session), "field-v_*.png"));
}

TEST_CASE("Probes, profile and histogram follow the field and go to CSV") {
    const ScratchFolder folder;
    Session session(small_run(), standing());
    session.apply(action::AddProbe{7, 9});
    ViewRequest view = small_view_of(Pane::now);
    view.hover = SamplePoint{3.5, 4.5};
    view.profiles = {ProfileLine{{0.5, 0.5}, {60.5, 0.5}}, ProfileLine{{3.5, 0.5}, {3.5, 20.5}}};
    view.numbers = CellBlock{2, 3, 4, 5};
    view.histogram_bins = 32;
    session.set_view(view);
    settle(session);
    perform(session, action::Step{8});
    const auto snapshot = session.snapshot();
    const auto field = cells(session);
    const auto at = [&](int x, int y) { return double(field[std::size_t(y * 61 + x)]); };
    REQUIRE(snapshot->probes.at(0).steps == std::vector<long long>{0, 8});
    REQUIRE(snapshot->probes.at(0).values.back() == at(7, 9));
    const Frame& frame = *snapshot->frame;
    REQUIRE(frame.hover_value == at(3, 4));
    REQUIRE(frame.profiles.at(0).values.size() == 61);
    REQUIRE(frame.profiles.at(0).values.at(60) == Approx(at(60, 0)));
    REQUIRE(frame.profiles.at(1).values.at(20) == Approx(at(3, 20)));
    REQUIRE(snapshot->spec.profiles == view.profiles);
    REQUIRE(frame.numbers->values.at(4 * 4 + 3) == at(5, 7));
    std::uint64_t counted = 0;
    for (const auto count : frame.histogram->counts) counted += count;
    REQUIRE(counted == field.size());
    REQUIRE(snapshot->series.back().step == 8);
    session.apply(action::ExportMeasures{folder.path().string()});
    for (const char* name : {"statistics.csv", "probes.csv", "profile.csv", "histogram.csv"})
        REQUIRE(read_bytes(folder / name).size() > 20);
    REQUIRE(contains(read_bytes(folder / "probes.csv"), fmt::format("1,7,9,8,8,{}", at(7, 9))));
}
