// Films: the input of ffmpeg, and its failures. A shell script replaces ffmpeg.

#include <array>

#include "sim/machine/child_process.h"
#include "sim/run/output/film.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/fields.h"
#include "tests/support/runs.h"
#include "tests/support/scratch.h"
#include "tests/support/skip.h"

using namespace stencil;
using namespace stencil_test;

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
    spec.range = parse_range("0:1", "--range");
    Simulation simulation = begun(spec);
    FilmWriter film({folder / "film.mp4", 30, false}, simulation.spec());
    film.write(simulation);
    simulation.apply(Advance{5});
    film.write(simulation);
    simulation.apply(Set{"size", "16x12"});  // does not change the film's size
    film.write(simulation);
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
