// Outputs of a run whose model, size or precision changes on the way.

#include <random>

#include "sim/files/exchange/field_set.h"
#include "sim/files/npy.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

namespace fs = std::filesystem;

namespace {

const std::string kEdited = "run --backend cpu --threads 2 --quiet --out {} ";
const std::string kToOne = "10:equation=du/dt = 0.1*lap(u) - 0.01*u^3; dt = 0.5";
const std::string kToTwo =
    "5:equation=du/dt = 0.1*lap(u) - 0.1*w; dw/dt = 0.2*lap(w) + 0.1*u - 0.3*w; w(0) = 0.25; dt = 0.5";

std::vector<double> values_in(const fs::path& file) {
    std::vector<double> values;
    stencil::read_npy(file).visit([&](const auto& field) {
        for (const auto value : field.cells()) values.push_back(double(value));
    });
    return values;
}

// Returns the first column of a table without its header.
Words first_column(const fs::path& file) {
    Words column = lines_of(file);
    column.erase(column.begin());
    for (std::string& line : column) line.resize(std::min(line.find(','), line.size()));
    return column;
}

bool depends_on_time(const std::string& file) {
    return file == "timings.json" || file.starts_with("figure.");
}

}  // namespace

TEST_CASE("A formula of diffusion is seen, measured and written, of the built-in one and of a typed one") {
    const ScratchFolder folder;
    const std::string shown =
        "--size 32x24 --steps 20 --export field.npy,laplacian.npy,initial.npy,statistics.csv ";
    for (const std::string method : {"reference", "cpu", "spectral"}) {
        INFO(method);
        const fs::path out = folder / method;
        require_done(stencilscope(
            kEdited + shown + "--method " + method + " --boundary insulated --show {}", out, "u^2 - 0.5*t"));
        const std::vector<double> u = values_in(out / "field-u.npy"),
                                  seen = values_in(out / "field-shown.npy");
        for (std::size_t i = 0; i < u.size(); ++i) REQUIRE(seen[i] == Approx(u[i] * u[i] - 10).epsilon(1e-5));
        const std::vector<double> start = values_in(out / "initial-u.npy"),
                                  at_first = values_in(out / "initial-shown.npy");
        for (std::size_t i = 0; i < start.size(); ++i)
            REQUIRE(at_first[i] == Approx(start[i] * start[i]).epsilon(1e-5));
        REQUIRE(first_column(out / "statistics-shown.csv") == words("0 20"));
    }
    const fs::path out = folder / "typed";
    require_done(
        stencilscope(kEdited + shown + "--equation {}", out, "du/dt=F*lap(u); F=0.1; q=u^2; show=q"));
    const std::vector<double> u = values_in(out / "field-u.npy"), seen = values_in(out / "field-shown.npy");
    for (std::size_t i = 0; i < u.size(); ++i) REQUIRE(seen[i] == Approx(u[i] * u[i]));
    const ProgramResult none = stencilscope(kEdited + shown + "--show {}", folder / "none", "nothing^2");
    REQUIRE(none.status == 2);
    REQUIRE(contains(none.err, "`nothing`"));
}

TEST_CASE("Looking at a formula changes no bit of the field") {
    const ScratchFolder folder;
    const std::string run =
        kEdited + "--size 40x30 --steps 60 --every 10 --export field.npy,statistics.csv,frames.npy ";
    require_done(stencilscope(run, folder / "plain"));
    require_done(stencilscope(run + "--show {}", folder / "seen", "1e30*u"));
    REQUIRE(read_bytes(folder / "plain/field.npy") == read_bytes(folder / "seen/field-u.npy"));
}

TEST_CASE("All files show the components that there are at the end") {
    const ScratchFolder folder;
    const fs::path out = folder / "one";
    const std::string all =
        "--size 32 --steps 30 --every 5 --export "
        "field.npy,field.vti,figure.png,figure.svg,statistics.csv,probes.csv,frames.png ";
    const ProgramResult result = require_done(
        stencilscope(kEdited + all + "--model gray-scott --arrows u,v --probe 3,4 --at {}", out, kToOne));
    REQUIRE(contains(result.err, "no arrows of u,v"));
    for (const std::string& name :
         words("field.npy figure.png figure.svg field.vti statistics.csv probes-v.csv "
               "frames/field-v_000005.png frames/field_000010.png"))
        REQUIRE(fs::exists(out / name));
    for (const char* name : {"field-v.npy", "frames/field-v_000010.png"})
        REQUIRE_FALSE(fs::exists(out / name));
    REQUIRE(first_column(out / "statistics.csv").size() == 7);
    // No parameters are left.
    const ProgramResult told = require_done(
        stencilscope("run --model gray-scott --size 8 --steps 12 --out {} --export field.npy --at {}",
                     folder / "told",
                     kToOne));
    REQUIRE(contains(told.out, "8x8 float32, periodic boundary, from"));
    // The series of a removed component ends at the change.
    REQUIRE(first_column(out / "statistics-v.csv") == words("0 5"));

    const fs::path two = folder / "two";
    require_done(stencilscope(kEdited + all + "--arrows u,w --show w --probe 3,4 --at {}", two, kToTwo));
    REQUIRE(first_column(two / "statistics-u.csv").size() == 7);
    REQUIRE(first_column(two / "statistics-w.csv") == words("5 10 15 20 25 30"));
    REQUIRE(contains(read_bytes(two / "figure.svg"), "of w"));
}

TEST_CASE("Another model on the way leaves the figure and the tables") {
    const ScratchFolder folder;
    int number = 0;
    for (const auto& [model, at] : {std::pair{"diffusion", "5:model=gray-scott"},
                                    std::pair{"wave", "5:model=gray-scott"},
                                    std::pair{"gray-scott", "5:model=diffusion"},
                                    std::pair{"gray-scott", "5:equation=du/dt = 0.1*lap(u)"},
                                    std::pair{"gray-scott", "5:sensitivity=F"}}) {
        INFO(model << " " << at);
        const fs::path out = folder / std::to_string(++number);
        require_done(stencilscope(
            kEdited +
                "--size 32 --steps 10 --export figure.png,statistics.csv,histogram.csv --model {} --at {}",
            out,
            model,
            at));
        REQUIRE(fs::exists(out / "figure.png"));
    }
}

TEST_CASE("A file that the last model cannot have is refused before the first step") {
    const ScratchFolder folder;
    const std::string run = kEdited + "--size 32 --steps 30 --export phase.csv ";
    require_refused(stencilscope(run + "--model gray-scott --at {}", folder / "a", kToOne), 2, "phase.csv");
    REQUIRE_FALSE(fs::exists(folder / "a"));
    require_done(stencilscope(run + "--at {}", folder / "b", kToTwo));
    REQUIRE(fs::exists(folder / "b/phase.csv"));
    require_refused(stencilscope(kEdited + "--arrows u,v --size 32", folder / "c"), 2, "--arrows");
    const ProgramResult none = stencilscope(kEdited + "--show w --size 32", folder / "c");
    REQUIRE(none.status == 2);
    REQUIRE(contains(none.err, "`w`"));
}

TEST_CASE("A resumed run may show a component that came on the way") {
    const ScratchFolder folder;
    const std::string run =
        kEdited + "--size 32 --export field.npy,spec.json --checkpoint 20 --at {} --steps ";
    require_done(stencilscope(run + "20", folder / "run", kToTwo));
    require_done(
        stencilscope("run --quiet --resume {} --steps 30 --show w --export field.npy,spec.json,field.png",
                     folder / "run"));
    require_done(stencilscope("run --quiet --spec {} --out {}", folder / "run/spec.json", folder / "again"));
    REQUIRE(read_bytes(folder / "run/field-w.npy") == read_bytes(folder / "again/field-w.npy"));
    require_refused(stencilscope("run --quiet --resume {} --steps 30 --sensitivity F", folder / "run"),
                    2,
                    "--sensitivity");
}

TEST_CASE("Another integrator and back is the same run, resumed and repeated") {
    const ScratchFolder folder;
    const std::string run = kEdited +
                            "--equation {} --size 48x36 --boundary periodic --at 5:stepper=heun --at "
                            "10:stepper=euler --export field.npy,spec.json,timings.json ";
    const std::string text = "du/dt = 0.1*lap(u); dt = 1; u(0) = sin(x) + cos(y)";
    require_done(stencilscope(run + "--steps 30", folder / "uncut", text));
    require_done(stencilscope(run + "--steps 15 --checkpoint 15", folder / "cut", text));
    require_done(stencilscope("run --quiet --resume {} --steps 30", folder / "cut"));
    require_done(
        stencilscope("run --quiet --spec {} --out {}", folder / "uncut/spec.json", folder / "again"));
    REQUIRE(read_bytes(folder / "cut/field.npy") == read_bytes(folder / "uncut/field.npy"));
    REQUIRE(read_bytes(folder / "again/field.npy") == read_bytes(folder / "uncut/field.npy"));
    const std::string way = read_json(folder / "uncut/timings.json").at("method");
    REQUIRE(read_json(folder / "cut/timings.json").at("method") == way);
}

TEST_CASE("Frames of another shape are another series") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const std::string kinds = stencil::why_no_hdf5().empty() ? "frames.vti,frames.h5" : "frames.vti";
    const std::string run = kEdited + "--size 24x16 --steps 20 --every 5 --at 8:size=12x8 --export " + kinds;
    require_done(stencilscope(run, out));
    const std::string first = read_bytes(out / "frames/field.pvd"),
                      second = read_bytes(out / "frames/field-2.pvd");
    REQUIRE(contains(first, "field_000005.vti"));
    REQUIRE_FALSE(contains(first, "field_000010.vti"));
    REQUIRE(contains(second, "field_000010.vti"));
    REQUIRE(contains(second, "field_000020.vti"));
    if (kinds.ends_with(".h5")) REQUIRE(fs::exists(out / "frames/field-2.h5"));
    // A later run without edits removes those files.
    require_done(stencilscope(kEdited + "--size 24x16 --steps 5 --every 5 --export frames.vti", out));
    REQUIRE_FALSE(fs::exists(out / "frames/field-2.pvd"));
}

TEST_CASE("A damaged checkpoint names the one before") {
    const ScratchFolder folder;
    const std::string run = kEdited + "--size 16 --export field.npy --steps ";
    require_done(stencilscope(run + "20 --checkpoint 10", folder.path()));
    fs::copy(folder / "checkpoint", folder / "checkpoint.last", fs::copy_options::recursive);
    write_bytes(folder / "checkpoint/run.json", "");
    require_refused(stencilscope("run --resume {}", folder.path()), 2, "checkpoint.last");
}

TEST_CASE("After any edits every file is written, and spec.json repeats all of them") {
    const std::vector<std::string> changes{
        "equation=du/dt = 0.1*lap(u) - 0.01*u^3; dt = 0.5; boundary = periodic",
        "equation=du/dt = 0.1*lap(u) - 0.1*w; dw/dt = 0.2*lap(w) + 0.1*u - 0.3*w; w(0) = 0.25; p = u*w; show "
        "= p",
        "equation=du/dt = 0.2*lap(u); dt = 1",
        "model=gray-scott",
        "model=diffusion",
        "size=20x14",
        "size=33x17",
        "dtype=float64",
        "dtype=float32",
        "boundary=periodic",
        "boundary=insulated",
        "paint=0.5,3,add,6,7",
        "method=reference",
        "method=cpu"};
    const std::vector<std::string> of_typed{
        "stepper=heun", "stepper=euler", "stepper=rk4", "dt=0.25", "dx=1.5"};
    std::mt19937 random(20261123);
    const auto pick = [&](const auto& list) { return list[random() % list.size()]; };
    const ScratchFolder folder;
    for (int run = 0; run < (kWatchedMemory ? 1 : 4); ++run) {
        const fs::path out = folder / std::to_string(run), again = folder / (std::to_string(run) + "-again");
        const bool typed = run % 2 == 1;
        Words line = words(
            "run --backend cpu --threads 2 --quiet --steps 12 --every 4 --probe 3,4 --export all --model {} "
            "--size 24x18 --out {}",
            typed ? "gray-scott" : "diffusion",
            out);
        if (run % 3 == 0) line = joined(line, {"--show", "u^2"});
        if (run == 1) line = joined(line, {"--arrows", "gradient"});
        bool may_step = typed;
        for (const int step : {3, 4, 7, 9}) {
            std::string change = may_step && random() % 3 == 0 ? pick(of_typed) : pick(changes);
            if (change == "model=diffusion") may_step = false;
            if (change.starts_with("equation=") || change == "model=gray-scott") may_step = true;
            line = joined(line, {"--at", std::to_string(step) + ":" + change});
        }
        std::string text;
        for (const std::string& word : line) text += word + " ";
        INFO(text);
        const ProgramResult result = run_program(line);
        // If the new equation does not allow the step, the message names dt.
        if (result.status == 2) {
            REQUIRE(contains(result.err, "dt"));
            continue;
        }
        require_done(result);
        require_done(stencilscope("run --quiet --spec {} --out {}", out / "spec.json", again));
        require_same_files(files_below(out, std::not_fn(depends_on_time)),
                           files_below(again, std::not_fn(depends_on_time)));
    }
}
