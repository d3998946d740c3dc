// The files that runs write, how they are interrupted, and how they go on.

#include "sim/files/folder.h"
#include "sim/files/npy.h"
#include "tests/support/fake_ffmpeg.h"
#include "tests/support/program.h"
#include "tests/support/session_lab.h"

namespace fs = std::filesystem;

namespace {

const std::string kRecorded = "run --backend cpu --threads 2 --quiet --out {} ";

// Takes some hundred milliseconds, with edits, frames and tables.
const std::string kResumable =
    "run --backend cpu --method cpu --size 160x120 --threads 2 --initial noise --steps 3000 --every 300 "
    "--range symlog --colormap magma_r --probe 80,60 --at 700:coefficient=0.137 --at "
    "1500:paint=0.5,9,add,40,40 --boundary insulated "
    "--export default,statistics.csv,probes.csv,frames.npy,frames.png,frames.vti,frames.h5 --quiet "
    "--checkpoint 100 --out {} ";

// Returns all files whose bytes do not depend on timing, by name.
Files results_in(const fs::path& out) {
    const Words names = words("field.npy initial.npy laplacian.npy field.png statistics.csv probes.csv");
    return files_below(out, [&](const std::string& path) {
        return path.starts_with("frames/") || std::ranges::find(names, path) != names.end();
    });
}

}  // namespace

TEST_CASE("Numbered frames of an earlier run make room for those of the next") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    require_done(stencilscope(kRecorded + "--size 20x20 --steps 100 --every 10 --export frames.png", out));
    write_bytes(out / "frames/field_notes.png", "the user's own");
    require_done(stencilscope(kRecorded + "--size 20x20 --steps 50 --every 25 --export frames.png", out));
    REQUIRE(names_in(out / "frames") ==
            words("field_000000.png field_000025.png field_000050.png field_notes.png"));
}

TEST_CASE("A spec whose initial file has changed since is refused, unless the file is given anew") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    require_done(stencilscope(kRecorded + "--size 20x20 --steps 10 --export field.npy", out));
    const fs::path field = out / "field.npy", again = folder / "again", spec = again / "spec.json";
    require_done(stencilscope(kRecorded + "--initial {} --steps 10 --export spec.json", again, field));
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
    const std::string files = "initial.npy,field.npy,laplacian.npy,field.png,laplacian.png,spec.json";
    session.apply(stencil::action::Export{(folder / "session").string(), stencil::split(files, ',')});
    while (session.snapshot()->exporting) session.work();
    require_done(
        stencilscope("run --size 40x31 --initial noise --method cpu --steps 25 --quiet --export {} --out {}",
                     files,
                     folder / "run"));
    const auto all = [](const std::string& path) { return path.find("lock") == std::string::npos; };
    const Files run = files_below(folder / "run", all);
    REQUIRE(run.size() == 6);
    require_same_files(files_below(folder / "session", all), run);
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
        return read_json(folder / "spec.json");
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
    CHECK(contains(result.out, "film.mp4"));
    CHECK(read_bytes(film).size() == 3 * 8 * 6 * 3);
    CHECK(contains(fake.arguments(), "-framerate 12"));
    require_refused(stencilscope(start + "--video {}", folder / "film.avi"), 2, ".webm");
    require_refused(stencilscope(start + "--fps 12"), 2, "--video");
    require_refused(stencilscope(start + "--video {} --fps 0", film), 2, "--fps");
    require_refused(stencilscope(start + "--video {} --video-of mars", film), 2, "figure");
    require_refused(stencilscope(start + "--video {} --video-range film", film), 2, "canvas, frame, first");
    require_refused(stencilscope(start + "--video {} --video-size 5x5", film), 2, "--video-size");
    require_refused(stencilscope(start + "--video {} --video-seconds 0", film), 2, "above 0");
    require_done(stencilscope(
        start + "--video {} --video-seconds 2 --fps 4 --video-range 0:1 --video-size 400x300", film));
    CHECK(read_bytes(film).size() == 8 * 8 * 6 * 3);
    CHECK(contains(fake.arguments(), "pad=400:300"));
    require_done(stencilscope(start + "--video {} --video-of figure --every 20", film));
    CHECK(read_bytes(film).starts_with("\x89PNG"));
    const FakeFfmpeg broken("cat >/dev/null; echo 'No space left on device' >&2; exit 1");
    fs::remove(film);
    require_refused(stencilscope(start + "--video {} --out {} --export field.npy", film, folder / "rest"),
                    1,
                    "No space left");
    CHECK_FALSE(fs::exists(film));
    CHECK(fs::exists(folder / "rest/field.npy"));
}

TEST_CASE("A run killed at random moments and resumed each time ends with the bits of one never cut") {
    Dice dice;
    const ScratchFolder folder;
    const fs::path uncut = folder / "uncut", cut = folder / "cut";
    const auto start = std::chrono::steady_clock::now();
    require_done(stencilscope(kResumable, uncut));
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const auto line = [&] {
        const bool begun = fs::exists(cut / "checkpoint") || fs::exists(cut / "checkpoint.last");
        return words(begun ? "run --quiet --resume {}" : kResumable, cut);
    };
    int kills = 0;
    for (int i = 0; i < 8; ++i) {
        // A share of the measured duration, which includes the cost of sanitizers.
        const double after = std::max(0.01, seconds * dice.uniform(0.05, 0.5));
        const ProgramResult result = run_program(line(), {.interrupt_after = after, .signal = SIGKILL});
        INFO(result.err);
        REQUIRE((result.status == 0 || result.status == 128 + SIGKILL));
        if (result.status == 0) break;
        ++kills;
    }
    WARN(kills << " kills");
    if (!fs::exists(cut / "timings.json")) require_done(run_program(line()));
    REQUIRE(results_in(uncut).size() > 6);
    require_same_files(results_in(uncut), results_in(cut));
    REQUIRE(read_json(cut / "timings.json").at("field_hash") ==
            read_json(uncut / "timings.json").at("field_hash"));
}

TEST_CASE("An interrupted run goes on where it was, also into another folder and to a later end") {
    const ScratchFolder folder;
    const fs::path first = folder / "first", whole = folder / "whole", longer = folder / "longer";
    const std::string seldom = kResumable + "--every 10000 --checkpoint 2000 ";
    const ProgramResult interrupted =
        run_program(words(seldom + "--steps 1000000", first), {.interrupt_once = first / "checkpoint"});
    REQUIRE(interrupted.status == 130);
    const long long at = read_json(first / "timings.json").at("steps");
    REQUIRE(at > 0);
    const std::string steps = std::to_string(at + 700);
    const ProgramResult resumed =
        require_done(stencilscope("run --resume {} --steps {} --out {} --threads 1", first, steps, longer));
    REQUIRE(contains(resumed.err, std::to_string(at)));
    require_done(stencilscope(seldom + "--steps {}", whole, steps));
    REQUIRE(hash_of_fields(longer) == hash_of_fields(whole));
    for (const char* table : {"statistics.csv", "probes.csv"})
        REQUIRE(read_bytes(longer / table) == read_bytes(whole / table));
}

TEST_CASE("What cannot be resumed is refused in one line") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const auto resume = [&](const std::string& more) { return stencilscope("run --resume {} " + more, out); };
    require_refused(resume(""), 2, "no checkpoint");
    require_done(stencilscope(
        "run --size 20x20 --steps 30 --checkpoint 10 --quiet --export field.npy,spec.json --out {}", out));
    require_refused(resume("--seed 5"), 2, "--seed 5 contradicts");
    require_refused(resume("--initial noise"), 2, "--initial noise contradicts");
    require_refused(resume("--coefficient 0.3"), 2, "unstable");
    require_refused(resume("--set G=1"), 2, "unknown parameter");
    require_refused(resume("--at 12:coefficient=0.1"), 2, "--at 12:coefficient=0.1 contradicts");
    require_refused(resume("--at 40:G=1"), 2, "--at 40");
    require_refused(resume("--steps 10"), 2, "step 30");
    require_refused(stencilscope("run --resume {} --spec {}", out, out / "spec.json"), 2, "--spec");
    require_refused(stencilscope("run --resume {}", ""), 2, "--resume");
    require_refused(stencilscope("run --checkpoint 10"), 2, "--out");
    require_done(resume("--quiet"));
    const fs::path field = out / "checkpoint/field-u.npy";
    write_bytes(field, read_bytes(field).substr(0, 500));
    require_refused(resume(""), 2, "field-u.npy");
}

TEST_CASE(
    "Settings and events given with --resume happen from the checkpoint on, as if planned at the start") {
    const ScratchFolder folder;
    const std::string first =
        "run --quiet --replace --model gray-scott --size 24 --threads 1 --export field.npy,spec.json ";
    const std::string saved = first + "--at 10:F=0.04 --at 35:K=0.06 --checkpoint 20 --steps 20 --out {}";
    for (const auto& [given, planned] :
         {std::pair{"--set F=0.05", "--at 20:F=0.05"},
          {"--at 30:F=0.05", "--at 30:F=0.05"},
          {"--at 10:F=0.04 --at 20:paint=1,3,replace,9,9", "--at 20:paint=1,3,replace,9,9"},
          {"--dt 0.5 --boundary insulated", "--at 20:dt=0.5 --at 20:boundary=insulated"},
          {"--dt follow:0.5limit", "--at 20:dt=follow:0.5limit"},
          {"--integrator heun --size 30x20", "--at 20:size=30x20 --at 20:integrator=heun"},
          {"--model gray-scott --at 35:K=0.06", ""}}) {
        CAPTURE(given);
        require_done(stencilscope(saved, folder / "cut"));
        require_done(
            stencilscope(fmt::format("run --quiet --resume {{}} --steps 70 {}", given), folder / "cut"));
        require_done(stencilscope(
            fmt::format("{} --at 10:F=0.04 {} --at 35:K=0.06 --steps 70 --out {{}}", first, planned),
            folder / "whole"));
        require_done(stencilscope(
            "run --quiet --replace --spec {} --out {}", folder / "cut/spec.json", folder / "again"));
        for (const char* name : {"field-u.npy", "field-v.npy"}) {
            CHECK(read_bytes(folder / "cut" / name) == read_bytes(folder / "whole" / name));
            CHECK(read_bytes(folder / "cut" / name) == read_bytes(folder / "again" / name));
        }
        for (const char* key : {"at", "dt_log"})
            CHECK(read_json(folder / "cut/spec.json").value(key, nlohmann::json()) ==
                  read_json(folder / "whole/spec.json").value(key, nlohmann::json()));
    }
}

TEST_CASE("One run at a time writes into a folder, and the next one is told") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const std::string run =
        "run --backend cpu --size 20 --steps 40 --checkpoint 10 --export field.npy --quiet --out {}";
    require_done(stencilscope(run, out));
    {
        const stencil::Descriptor lock = stencil::lock_folder(out, "out");
        require_refused(stencilscope(run, out), 2, "another run");
        require_refused(stencilscope("run --quiet --resume {} --steps 50", out), 2, "another run");
        require_done(stencilscope(run, folder / "other"));
    }
    // A killed run leaves no lock.
    const std::string endless =
        "run --backend cpu --size 200 --steps 100000000 --checkpoint 10 --export field.npy --quiet --out {}";
    run_program(words(endless, folder / "killed"),
                {.interrupt_once = folder / "killed/checkpoint", .signal = SIGKILL});
    require_done(stencilscope(run, folder / "killed"));
    require_done(stencilscope("run --quiet --resume {} --steps 50", out));
}

TEST_CASE("A new run leaves no checkpoint of an older one in its folder") {
    const ScratchFolder folder;
    const fs::path out = folder / "out", other = folder / "other";
    const std::string run = "run --backend cpu --size 20 --steps 40 --export field.npy --quiet --out {}";
    require_done(stencilscope(run + " --checkpoint 10", out));
    require_done(stencilscope(run + " --checkpoint 20", other));
    require_done(stencilscope("run --quiet --resume {} --steps 41 --out {}", out, other));
    require_done(stencilscope(run, out));
    for (const fs::path& left : {out, other})
        require_refused(stencilscope("run --quiet --resume {}", left), 2, "there is no checkpoint");
}

TEST_CASE("What a run cannot take up in its middle is refused, sensitivities too") {
    const ScratchFolder folder;
    require_done(
        stencilscope("run --backend cpu --model gray-scott --size 20 --steps 4 --checkpoint 2 --export "
                     "field.npy --quiet --out {}",
                     folder.path()));
    require_refused(stencilscope("run --quiet --resume {} --sensitivity F", folder.path()), 2, "contradicts");
    require_refused(
        stencilscope("run --quiet --resume {} --json {}", folder.path(), folder / "checkpoint/run.json"),
        2,
        "lies in a checkpoint");
}

TEST_CASE("A run whose terminal is closed, or that is told to end, writes what was done") {
    const int signal = GENERATE(SIGHUP, SIGTERM, SIGINT);
    const ScratchFolder folder;
    const ProgramResult result =
        run_program(words("run --backend cpu --size 200 --steps 100000000 --checkpoint 100 --quiet --out {}",
                          folder.path()),
                    {.interrupt_once = folder / "checkpoint", .signal = signal});
    INFO(result.err);
    REQUIRE(result.status == 128 + signal);
    REQUIRE(read_json(folder / "timings.json").at("steps") > 0);
}
