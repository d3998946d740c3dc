// Outputs state what was run, and outputs of earlier runs are not mistaken for new ones.

#include <fmt/format.h>

#include <atomic>
#include <set>
#include <thread>

#include "sim/files/npy.h"
#include "sim/model/presets.h"
#include "sim/session/session.h"
#include "sim/text/json.h"
#include "tests/support/catch.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"
#include "tests/support/session_lab.h"

using namespace stencil_test;
namespace fs = std::filesystem;

namespace {

const std::string kRecorded = "run --backend cpu --threads 2 --quiet --out {} ";

}  // namespace

TEST_CASE("Numbered frames of an earlier run make room for those of the next") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    require_done(stencilscope(kRecorded + "--size 20x20 --steps 100 --every 10 --export frames.png", out));
    write_bytes(out / "frames/field_notes.png", "the user's own");
    require_done(stencilscope(kRecorded + "--size 20x20 --steps 50 --every 25 --export frames.png", out));
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(out / "frames")) names.insert(entry.path().filename());
    const std::set<std::string> wanted{
        "field_000000.png", "field_000025.png", "field_000050.png", "field_notes.png"};
    REQUIRE(names == wanted);
}

TEST_CASE("A spec whose initial file has changed since is refused, unless the file is given anew") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    require_done(stencilscope(kRecorded + "--size 20x20 --steps 10 --export field.npy", out));
    const std::string field = (out / "field.npy").string();
    const fs::path again = folder / "again";
    require_done(stencilscope(kRecorded + "--initial {} --steps 10 --export spec.json", again, field));
    const std::string spec = (again / "spec.json").string();
    require_done(stencilscope("run --spec {} --quiet", spec));
    // This overwrites field.npy, which spec.json names as the initial condition.
    require_done(stencilscope(kRecorded + "--initial {} --steps 10 --export field.npy", out, field));
    require_refused(stencilscope("run --spec {}", spec), 2, "--initial");
    require_done(stencilscope("run --spec {} --initial {} --quiet", spec, field));
}

TEST_CASE("A file beyond the range of float32 is refused as a change of precision would be") {
    const ScratchFolder folder;
    stencil::Array<double> cells(8, 8);
    std::ranges::fill(cells.cells(), 1e300);
    const fs::path file = folder / "big.npy";
    stencil::write_npy(file, stencil::Field(std::move(cells)));
    require_refused(stencilscope("run --initial {} --dtype float32", file), 2, "float64");
    require_done(stencilscope("run --initial {} --dtype float64 --quiet", file));
}

TEST_CASE("A folder without a name is refused") {
    require_refused(stencilscope("run --size 8 --out {}", ""), 2, "--out");
}

TEST_CASE("A figure says that the coefficient changed on the way") {
    const ScratchFolder folder;
    require_done(stencilscope(
        kRecorded +
            "--size 20x20 --steps 4 --coefficient 0.125 --at 2:coefficient=0.0625 --export figure.svg",
        folder.path()));
    const std::string figure = read_bytes(folder / "figure.svg");
    REQUIRE(contains(figure, "0.125"));
    REQUIRE(contains(figure, "0.0625"));
}

TEST_CASE("What a session exports is what run writes, byte for byte") {
    const ScratchFolder folder;
    stencil::Session session(noise_run({40, 31}, "cpu"), standing());
    perform(session, stencil::action::Step{25});
    const Words files{"initial.npy", "field.npy", "laplacian.npy", "field.png", "laplacian.png", "spec.json"};
    session.apply(stencil::action::Export{(folder / "session").string(), files});
    while (session.snapshot()->exporting) session.work();
    require_done(stencilscope(
        "run --size 40x31 --initial noise --method cpu --steps 25 --quiet "
        "--export initial.npy,field.npy,laplacian.npy,field.png,laplacian.png,spec.json --out {}",
        folder / "run"));
    for (const std::string& name : files) {
        INFO(name);
        const bool same = read_bytes(folder / "session" / name) == read_bytes(folder / "run" / name);
        REQUIRE(same);
    }
}

TEST_CASE("An output folder that is removed in mid-run is made again") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    std::atomic<bool> over = false, removed = false;
    std::thread remover([&] {
        while (!over && !removed)
            if (fs::exists(out / "frames/field_000000.png")) {
                std::error_code ignored;
                fs::remove_all(out, ignored);
                removed = true;
            }
    });
    const ProgramResult result = stencilscope(
        kRecorded + "--size 200x200 --steps 600 --every 300 --method reference --export default", out);
    over = true;
    remover.join();
    INFO(result.err);
    REQUIRE(removed);
    REQUIRE(result.status == 0);
    REQUIRE(fs::exists(out / "field.npy"));
}

TEST_CASE("models lists the table and shows a model's text; run takes its parameters by --set and by name") {
    const ProgramResult list = require_done(stencilscope("models"));
    REQUIRE(contains(list.out, "diffusion"));
    const ProgramResult text = require_done(stencilscope("models diffusion"));
    REQUIRE(contains(text.out, "lap(u)"));
    REQUIRE(contains(text.out, "coefficient"));
    require_refused(stencilscope("models difusion"), 2, "did you mean 'diffusion'");
    REQUIRE(contains(list.out, "Pearson"));
    const ProgramResult preset = require_done(stencilscope("models gray-scott"));
    REQUIRE(preset.out == stencil::find_preset("gray-scott")->text);
    require_refused(stencilscope("models gray-scot"), 2, "did you mean 'gray-scott'");

    const ScratchFolder folder;
    const auto spec_of = [&](const std::string& settings) {
        require_done(
            stencilscope(kRecorded + "--size 8x8 --steps 1 --export spec.json " + settings, folder.path()));
        return nlohmann::json::parse(read_bytes(folder / "spec.json"));
    };
    const auto spec = spec_of("--model diffusion --set coefficient=0.125");
    REQUIRE(spec == spec_of("--coefficient 0.125"));
    REQUIRE(spec.at("model") == "diffusion");
    REQUIRE(spec.at("coefficient") == 0.125);
    require_refused(stencilscope("run --model pudding"), 2, "--model");
    require_refused(stencilscope("run --set coeficient=0.1"), 2, "did you mean 'coefficient'");
    require_refused(stencilscope("run --set coefficient"), 2, "NAME=VALUE");
    require_refused(stencilscope("run --set coefficient=0.3"), 2, "--allow-unstable");
}

TEST_CASE("run --video makes a film of every so many steps, and says where it is") {
    const FakeFfmpeg fake(kKeepsFrames);
    const ScratchFolder folder;
    const std::string film = (folder / "film.mp4").string();
    const std::string start = "run --size 8x6 --backend cpu --steps 20 ";
    const ProgramResult result = require_done(stencilscope(start + "--video {} --every 10 --fps 12", film));
    CHECK(result.out.find("film.mp4") != std::string::npos);
    CHECK(read_bytes(film).size() == 3 * 8 * 6 * 3);
    CHECK(fake.arguments().find("-framerate 12") != std::string::npos);
    require_refused(stencilscope(start + "--video {}", folder / "film.avi"), 2, ".webm");
    require_refused(stencilscope(start + "--fps 12"), 2, "--video");
    require_refused(stencilscope(start + "--video {} --fps 0", film), 2, "--fps");
    require_refused(stencilscope(start + "--video {} --video-of mars", film), 2, "figure");
    const FakeFfmpeg broken("cat >/dev/null; echo 'No space left on device' >&2; exit 1");
    fs::remove(film);
    require_refused(stencilscope(start + "--video {}", film), 1, "No space left");
    CHECK_FALSE(fs::exists(film));
}
