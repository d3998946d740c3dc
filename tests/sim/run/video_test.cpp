// Films: the input of ffmpeg, and its failures. A shell script replaces ffmpeg.

#include "sim/machine/child_process.h"
#include "sim/run/output/film.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/program.h"
#include "tests/support/runs.h"

namespace {

using Frame = std::array<std::byte, 12>;  // 2x2 pixels

Frame frame_of(int value) {
    Frame frame;
    frame.fill(std::byte(value));
    return frame;
}

// Returns the error of making a film with so many frames; empty if it succeeds.
std::string refusal(const std::filesystem::path& file, int frames) {
    return message_of<MachineError>([&] {
        VideoFile video(file, {2, 2, 25});
        for (int i = 0; i < frames; ++i) video.add(frame_of(i));
        video.finish();
    });
}

}  // namespace

TEST_CASE("Without libx264 a film has another encoder that ffmpeg lists, and its message names the film") {
    const FakeFfmpeg fake(
        "case \"$*\" in *-encoders*) echo ' V....D mpeg4   MPEG-4 part 2'; exit;; esac; "
        "for last; do :; done; echo \"$last: no\" >&2; exit 1");
    const ScratchFolder folder;
    const auto file = folder / "film.mp4";
    VideoFile video(file, {2, 2, 25});
    CHECK(video.note() == "ffmpeg has no libx264: the film is encoded by mpeg4");
    CHECK(contains(refusal(file, 1), "ffmpeg: " + file.string() + ": no"));
    CHECK(contains(fake.arguments(), "-c:v mpeg4 -q:v 2"));
}

TEST_CASE("A film holds what ffmpeg made of the frames, and has its name once it is finished") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    const auto file = folder / "a film.mp4";
    VideoFile video(file, {2, 2, 25});
    for (int i = 1; i <= 3; ++i) video.add(frame_of(i));
    CHECK_FALSE(std::filesystem::exists(file));
    video.finish();
    CHECK(video.frames() == 3);
    CHECK(folder.entries() == 1);
    const std::string bytes = read_bytes(file);
    REQUIRE(bytes.size() == 36);
    for (std::size_t i = 0; i < bytes.size(); ++i) CHECK(bytes[i] == char(1 + i / 12));
    CHECK(contains(fake.arguments(), "-video_size 2x2"));
    CHECK(contains(fake.arguments(), "-framerate 25"));
    CHECK(contains(fake.arguments(), "-f mp4"));
}

TEST_CASE(
    "Where ffmpeg fails, is killed or takes nothing more, there is one line and no file; an older one "
    "stays") {
    struct Case {
        const char *script, *says;
    };
    const Case row = GENERATE(Case{"cat >/dev/null; echo '[mp4 @ 0x55d] No space left on device' >&2; exit 1",
                                   "ffmpeg: No space left on device"},
                              Case{"cat >/dev/null; kill -9 $$", "signal 9"},
                              Case{"exit 3", "ended with 3"},
                              Case{"echo 'Unknown encoder' >&2; exit 1", "Unknown encoder"});
    const FakeFfmpeg fake(row.script);
    const ScratchFolder folder;
    const auto file = folder / "film.webm";
    CAPTURE(row.script);
    // More than the socket's buffer, so that a dead ffmpeg is noticed before the end.
    const std::string said = refusal(file, 200000);
    CHECK(contains(said, row.says));
    CHECK(contains(said, "film.webm"));
    CHECK_FALSE(contains(said, "\n"));
    CHECK(folder.entries() == 0);
    write_bytes(file, "older");
    CHECK_FALSE(refusal(file, 3).empty());
    CHECK(read_bytes(file) == "older");
    CHECK(folder.entries() == 1);
}

TEST_CASE("A film that is left unfinished leaves nothing, and one without a frame is refused") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    {
        VideoFile video(folder / "film.gif", {2, 2, 25});
        video.add(frame_of(1));
    }
    CHECK(folder.entries() == 0);
    CHECK_FALSE(refusal(folder / "film.gif", 0).empty());
    CHECK(folder.entries() == 0);
}

TEST_CASE("Without ffmpeg a film is refused with the reason, and other endings with those that there are") {
    const ScratchFolder folder;
    const Environment path("PATH", folder.path().string());
    CHECK(contains(why_no_video(), "ffmpeg"));
    CHECK(contains(refusal(folder / "film.mp4", 1), "ffmpeg"));
    CHECK(contains(message_of<InputError>([] { check_video_name("film.avi"); }), ".webm"));
    CHECK(folder.entries() == 0);
}

TEST_CASE("A run's film has a frame for each moment, one pixel a cell, in the run's colours") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    RunSpec spec = noise_run({8, 6});
    spec.initial = "disk";
    spec.colormap = "grey";
    spec.range = parse_range("0:1", "range");
    Simulation simulation = begun(spec);
    FilmWriter film({folder / "film.mp4"}, {5});
    film.look(simulation);
    CHECK(film.observer().next({0}).step == 5);
    simulation.apply(Advance{3});
    film.look(simulation);
    CHECK(film.frames() == 1);
    CHECK(film.observer().next({3}).step == 5);
    simulation.apply(Advance{2});
    film.look(simulation);
    simulation.apply(Set{"size", "16x12"});  // does not change the film's size
    simulation.apply(Advance{5});
    film.look(simulation);
    film.finish();
    CHECK(film.frames() == 3);
    const std::string bytes = read_bytes(folder / "film.mp4");
    constexpr std::size_t kFrame = 8 * 6 * 3;
    REQUIRE(bytes.size() == 3 * kFrame);
    const auto at = [&](std::size_t frame, std::size_t x, std::size_t y) {
        return int(static_cast<unsigned char>(bytes[frame * kFrame + (y * 8 + x) * 3]));
    };
    CHECK(at(0, 0, 0) == 0);
    CHECK(at(0, 4, 3) == 255);
    CHECK(at(1, 4, 3) < 255);
    CHECK(at(1, 4, 3) > at(1, 0, 0));
}

namespace {

// Films a field that doubles in each step; returns the brightness of its middle in each frame.
std::vector<int> brightness(const std::string& range, const std::string& run_range = "auto") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    RunSpec spec = run_of_text("u' = 2*u\nu(0) = ind(x < 3)");
    spec.size = Size{4, 4};
    spec.colormap = "magma";
    spec.colors["u"] = {"grey", parse_range(run_range, "range"), ""};
    Simulation simulation = begun(spec);
    FilmRequest request{folder / "film.mp4"};
    request.range = range;
    FilmWriter film(request, {1});
    for (int i = 0; i < 3; ++i) {
        film.look(simulation);
        simulation.apply(Advance{1});
    }
    film.finish();
    REQUIRE(folder.entries() == 1);
    const std::string bytes = read_bytes(folder / "film.mp4");
    REQUIRE(bytes.size() == 3 * 48);
    std::vector<int> values;
    for (std::size_t i = 0; i < 3; ++i) values.push_back(static_cast<unsigned char>(bytes[i * 48]));
    return values;
}

}  // namespace

TEST_CASE("A film's colours span each frame, the first one, or what is asked for") {
    CHECK(brightness("frame", "0:4") == std::vector{255, 255, 255});
    CHECK(brightness("first") == std::vector{255, 255, 255});
    CHECK(brightness(FilmRequest().range, "0:8") ==
          std::vector{32, 64, 128});  // entries 256 / 8, 256 / 4 and 256 / 2 of grey
    CHECK(brightness("0:2") == std::vector{128, 255, 255});
}

TEST_CASE("A film of so many seconds has its frames evenly over the run, several for a step if need be") {
    FilmRequest request;
    request.seconds = 2;
    request.fps = 5;
    const FilmPace pace = film_pace(request, {100}, {1000}, 0);
    REQUIRE(pace.count == 10);
    for (long long k = 0; k < 10; ++k) CHECK(pace.step_of(k) == 100 + 100 * k);
    CHECK(film_pace({}, {0}, {6000}, 0).every == 20);
    CHECK(film_pace({}, {0}, {6000}, 7).every == 7);

    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    Simulation simulation = begun(noise_run({8, 6}));
    request.file = folder / "film.mp4";
    FilmWriter film(request, film_pace(request, {0}, {3}, 0));
    film.look(simulation);
    advance(simulation, {3}, {{film.observer()}}, kLongSlices);
    CHECK(film.full());
    CHECK(film.observer().next({3}).step == kMaxSteps);
    film.finish();
    CHECK(read_bytes(request.file).size() == 10 * 8 * 6 * 3);
}

TEST_CASE("Films have even sides: cells are enlarged evenly, or the last ones are repeated") {
    CHECK(video_enlargement(100, 100) == 5);
    CHECK(video_enlargement(101, 100) == 6);
    CHECK(video_enlargement(481, 3) == 1);
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    RunSpec spec = noise_run({481, 3});
    spec.initial = "jagged";
    Simulation simulation = begun(spec);
    FilmWriter film({folder / "film.mp4"}, {1});
    film.look(simulation);
    film.finish();
    CHECK(contains(fake.arguments(), "-video_size 482x4"));
    const std::string bytes = read_bytes(folder / "film.mp4");
    REQUIRE(bytes.size() == 482 * 4 * 3);
    constexpr std::size_t kRow = 482 * 3;
    for (std::size_t y = 0; y < 3; ++y)
        CHECK(bytes.substr(y * kRow + 480 * 3, 3) == bytes.substr(y * kRow + 481 * 3, 3));
    CHECK(bytes.substr(2 * kRow, kRow) == bytes.substr(3 * kRow, kRow));
    CHECK(bytes.substr(0, kRow) != bytes.substr(kRow, kRow));
}

TEST_CASE("What a film cannot be is said with what is allowed") {
    for (const char* range : {"mars", "film", ""})
        CHECK(
            contains(message_of<InputError>([&] { read_film_range(range); }), "canvas, frame, first or MIN"));
    CHECK(contains(message_of<InputError>([] { read_film_range("2:1"); }), "below"));
    CHECK(contains(message_of<InputError>([] { read_film_size("401x300"); }), "even"));
    CHECK(contains(message_of<InputError>([] { read_film_size("400"); }), "1280x720"));
}

TEST_CASE("A detached program gets its words as they are, without a shell, and one that is missing is told") {
    const ScratchFolder scratch;
    const auto file = scratch / "$(touch a); touch 'b' & c";
    REQUIRE(start_detached({"touch", file.string()}));
    for (int look = 0; look < 500 && !std::filesystem::exists(file); ++look)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    CHECK(names_in(scratch.path()) == std::vector<std::string>{file.filename().string()});
    CHECK_FALSE(start_detached({"no-such-program-anywhere", "x"}));
}

TEST_CASE("A tool that prints for ever is ended, and its first line is told") {
    const FakeFfmpeg ffmpeg("yes 'it goes on' >&2");
    const ScratchFolder folder;
    CHECK(contains(refusal(folder / "film.mp4", 5), "it goes on"));
}

TEST_CASE("ffmpeg itself makes films of all endings, where it is installed") {
    if (find_program("ffmpeg").empty()) skip("no ffmpeg");
    const std::string ending = GENERATE(".mp4", ".webm", ".gif");
    const ScratchFolder folder;
    const auto file = folder / ("film" + ending);
    const std::string said = refusal(file, 5);
    CAPTURE(ending);
    if (contains(said, "Unknown encoder")) skip("an ffmpeg that was built without " + ending);
    REQUIRE(said.empty());
    const std::string bytes = read_bytes(file);
    CHECK(bytes.size() > 100);
    CHECK(contains(bytes.substr(0, 64), ending == ".gif" ? "GIF89a" : ending == ".mp4" ? "ftyp" : "webm"));
}
