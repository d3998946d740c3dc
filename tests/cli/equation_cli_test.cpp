// Typed equations on the command line, and the command stencilscope verify.
#include <fmt/format.h>

#include "kernels/field/boundary.h"
#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/problem/run_text.h"
#include "sim/problem/settings/settings.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

const std::string kRun = "run --backend cpu --threads 2 --quiet --out {} ";
const std::string kGrayScott =
    "du/dt = Du*lap(u) - u*v^2 + F*(1 - u); dv/dt = Dv*lap(v) + u*v^2 - (F + K)*v; "
    "Du = 0.16; Dv = 0.08; F = 0.035; K = 0.065";

// One step of Gray-Scott with periodic sides, in plain loops.
void step(Array<double>& u, Array<double>& v, double F) {
    Array<double> a = u.clone(), b = v.clone();
    const int nx = u.nx(), ny = u.ny();
    for (int y = 0; y < ny; ++y)
        for (int x = 0; x < nx; ++x) {
            const auto lap = [&](const Array<double>& f) {
                return f.at((x + 1) % nx, y) + f.at((x + nx - 1) % nx, y) + f.at(x, (y + 1) % ny) +
                       f.at(x, (y + ny - 1) % ny) - 4 * f.at(x, y);
            };
            const double p = a.at(x, y), q = b.at(x, y), reaction = p * q * q;
            u.at(x, y) = p + 0.5 * (0.16 * lap(a) - reaction + F * (1 - p));
            v.at(x, y) = q + 0.5 * (0.08 * lap(b) + reaction - (F + 0.065) * q);
        }
}

const std::string kText = "du/dt = 0.1*lap(u) + 0.01*sin(u + x); dt = 1; u(0) = random";

}  // namespace

TEST_CASE("A typed system steps as plain loops do, from files, with parameters that change on the way") {
    const ScratchFolder folder;
    Array<double> u = random_field(23, 17), v = random_field(23, 17);
    write_npy(folder / "u.npy", Field(u.clone()));
    write_npy(folder / "v.npy", Field(v.clone()));
    require_done(
        stencilscope(kRun + "--equation {} --dtype float64 --initial {} --initial {} --dt 0.5 --steps 9 "
                            "--set F=0.04 --at 4:F=0.05 --export default,statistics.csv",
                     folder / "out",
                     kGrayScott,
                     folder / "u.npy",
                     "v=" + (folder / "v.npy").string()));
    for (int i = 0; i < 9; ++i) step(u, v, i < 4 ? 0.04 : 0.05);
    REQUIRE(relative_error(read_npy(folder / "out/field-u.npy"), Field(u.clone())) < 1e-14);
    REQUIRE(relative_error(read_npy(folder / "out/field-v.npy"), Field(v.clone())) < 1e-14);
    for (const std::string& file : words("initial-u.npy laplacian-v.npy field-u.png laplacian-v.png "
                                         "figure.png statistics-v.csv"))
        REQUIRE(fs::exists(folder / "out" / file));
    const Json timings = read_json(folder / "out/timings.json");
    REQUIRE(contains(timings.at("model_text"), "u*v^2"));
    REQUIRE(timings.at("parameters").at("F") == 0.05);
    REQUIRE(timings.at("dt") == 0.5);
    REQUIRE(timings.at("way") == "interpreted");
    require_done(stencilscope(kRun + "--spec {}", folder / "again", folder / "out/spec.json"));
    REQUIRE(hash_of_fields(folder / "again") == hash_of_fields(folder / "out"));
    REQUIRE(read_json(folder / "again/timings.json").at("field_hash") == timings.at("field_hash"));
}

TEST_CASE("du/dt = c*lap(u) typed by hand has all methods and bits of the model diffusion") {
    const ScratchFolder folder;
    for (const BoundaryRow& row : kBoundaries)
        for (const char* method : {"cpu", "spectral"}) {
            INFO(row.name << " " << method);
            const std::string common = fmt::format(
                "{}--size 37x29 --steps 50 --initial noise --export field.npy --method {} --boundary {} ",
                kRun,
                method,
                row.name);
            require_done(stencilscope(
                common + "--dt 1 --equation {}", folder / "typed", "du/dt = c*lap(u); c = 0.17; dx = 1"));
            require_done(stencilscope(common + "--coefficient 0.17", folder / "own"));
            REQUIRE(hash_of_fields(folder / "typed") == hash_of_fields(folder / "own"));
        }
    require_refused(stencilscope("run --size 20 --model gray-scott --method spectral"), 2, "cpu");
    require_refused(stencilscope("run --size 20 --fast"), 2, "--method fast steps typed equations alone");
    require_refused(
        stencilscope("run --size 20 --model gray-scott --fast --backend cpu"), 2, "--backend says cpu");
}

TEST_CASE("The time step is told beside its limit; above it a run is refused unless that is allowed") {
    const ScratchFolder folder;
    const std::string heat = "du/dt = D*lap(u) - u; D = 3; dx = 0.5; u(0) = sin(x)*sin(y)";
    const auto dt_of = [&](const std::string& words) {
        require_done(stencilscope(
            kRun + "--size 32 --steps 3 --equation {} --export timings.json " + words, folder / "out", heat));
        return read_json(folder / "out/timings.json").at("dt").get<double>();
    };
    const double limit = 2 / (8 * 3 / 0.25 + 1);
    REQUIRE(std::abs(dt_of("--dt limit") / limit - 1) < 1e-6);
    REQUIRE(std::abs(dt_of("--dt 0.5limit") / limit - 0.5) < 1e-6);
    REQUIRE(std::abs(dt_of("") / limit - 0.8) < 1e-6);
    REQUIRE(dt_of("--dt 0.1 --allow-unstable") == 0.1);
    require_refused(stencilscope("run --size 32 --steps 3 --dt 0.1 --equation {}", heat), 2, "D*lap(u) of u");
    // The largest coefficient of all cells sets the limit.
    require_refused(stencilscope("run --size 40 --steps 3 --dt 0.05 --equation {}",
                                 "du/dt = div(D*grad(u)); D = 1 + 9*x/Lx"),
                    2,
                    "limit");
    const std::string swing = "du/dt = v; dv/dt = -u + lap(u)";
    require_refused(
        stencilscope("run --size 16 --steps 3 --equation {}", swing), 2, "rk4, dp54, rkl2, symplectic");
    require_done(stencilscope("run --quiet --size 16 --steps 3 --stepper symplectic --equation {}", swing));
    // Implicit terms do not limit dt unless they grow.
    const auto words = "run --quiet --size 32x27 --steps 3 --dt 6 --model swift-hohenberg --stepper ";
    require_refused(stencilscope(std::string(words) + "rk4"), 2, "lap2(u) of u");
    require_refused(stencilscope(std::string(words) + "imex"), 2, "limit");
    require_done(
        stencilscope("run --quiet --size 32x27 --steps 3 --dt 0.5 --model swift-hohenberg --stepper imex"));
    require_done(stencilscope("run --quiet --size 16 --steps 3 --model heat --stepper imex --dt 5"));
    require_refused(
        stencilscope("run --size 16 --steps 3 --model heat-implicit --stepper euler"), 2, "limit");
    require_refused(stencilscope("run --size 16 --steps 3 --equation {} --stepper implicit",
                                 "du/dt = lap(u); left: u = 1; right: u - 0.3*flux(u) = 0"),
                    2,
                    "same sign");
    require_refused(stencilscope("run --size 16 --steps 3 --model kdv --stepper imex"), 2, "linear");
}

TEST_CASE("A field that nothing starts is noted") {
    const std::string words = "run --backend cpu --size 16 --steps 3 --equation {} ";
    const auto noted = [&](const ProgramResult& run) {
        REQUIRE(run.status == 0);
        return contains(run.err, "0 everywhere and stays so: give it a start, such as `w(0) = random`");
    };
    CHECK(noted(stencilscope(words, "dw/dt = lap(w); dv/dt = w")));
    CHECK_FALSE(noted(stencilscope(words, "dw/dt = lap(w) + 1")));
    CHECK_FALSE(noted(stencilscope(words, "dw/dt = lap(w); all: w = 1")));
    CHECK_FALSE(noted(stencilscope(words, "dw/dt = lap(w); w(0) = 0")));
    CHECK_FALSE(noted(stencilscope(words + "--initial 0*x", "dw/dt = lap(w)")));
}

TEST_CASE("A field that is solved for alone is a run without steps") {
    const ScratchFolder folder;
    const std::string words = kRun + "--equation {} --size 24x17 --dtype float64 --export default,view.png";
    const ProgramResult run =
        stencilscope(words + " --steps 5", folder / "out", "lap(u) = 0; all: u = x*y; dx = 0.5");
    require_done(run);
    CHECK(contains(run.err, "`u` is solved for, and a run needs no steps"));
    const Field u = read_npy(folder / "out/field.npy");
    for (int y = 0; y < 17; ++y)
        for (int x = 0; x < 24; ++x)
            REQUIRE(std::abs(u.as<double>().at(x, y) - 0.25 * (x + 0.5) * (y + 0.5)) < 1e-12);
    CHECK(read_json(folder / "out/spec.json").at("steps") == 0);
    CHECK(read_json(folder / "out/timings.json").at("steps") == 0);
    require_done(stencilscope("run --quiet --spec {} --out {}", folder / "out/spec.json", folder / "again"));
    CHECK(hash_of_fields(folder / "again") == hash_of_fields(folder / "out"));
    require_refused(stencilscope(words + " --initial noise", folder / "none", "lap(u) = 0; all: u = x*y"),
                    2,
                    "follows from its");
    CHECK(!fs::exists(folder / "none"));
}

TEST_CASE("A formula of the components is shown, and --compare dt/2 tells the error of the steps") {
    const ScratchFolder folder;
    const std::string words =
        kRun +
        "--equation {} --size 24 --steps {} --dt {} --dtype float64 --show u^2+v --compare dt/2 "
        "--export field.npy,timings.json";
    const std::string equation =
        "du/dt = 0.2*lap(u) - u*v; dv/dt = u - v; u(0) = 1 + 0.5*sin(2*pi*x/Lx); v(0) = y/Ly";
    const auto error = [&](int steps, double dt) {
        require_done(stencilscope(words, folder / "out", equation, steps, dt));
        return read_json(folder / "out/timings.json").at("step_error").at("u").get<double>();
    };
    const double coarse = error(10, 0.1), fine = error(20, 0.05);
    REQUIRE(coarse / fine > 1.8);
    REQUIRE(coarse / fine < 2.2);
    const Field u = read_npy(folder / "out/field-u.npy"), v = read_npy(folder / "out/field-v.npy");
    const Field shown = read_npy(folder / "out/field-shown.npy");
    for (const auto& [x, y] : {std::pair{0, 0}, std::pair{7, 19}}) {
        const double a = u.as<double>().at(x, y), b = v.as<double>().at(x, y);
        REQUIRE(std::abs(shown.as<double>().at(x, y) - (a * a + b)) < 1e-14);
    }
    // Half the steps would have the changes at other times.
    require_done(
        stencilscope(kRun + "--equation {} --size 24 --steps 10 --dt 0.1 --at 5:dt=0.05 --checkpoint 10",
                     folder / "changed",
                     equation));
    require_refused(
        stencilscope("run --quiet --resume {} --steps 20 --compare dt/2", folder / "changed"), 2, "--at");
}

TEST_CASE("A typed run that was cut and resumed has the bits of one that never was") {
    const ScratchFolder folder;
    const auto compare = [&](const std::string& line, const std::string& equation = "") {
        INFO(line);
        const auto run = [&](const char* out, const char* more) {
            require_done(stencilscope(kRun + line + " --export field.npy " + more, folder / out, equation));
        };
        run("uncut", "--steps 80");
        run("cut", "--steps 30 --checkpoint 30");
        REQUIRE(hash_of_fields(folder / "cut") != hash_of_fields(folder / "uncut"));
        require_done(stencilscope("run --quiet --resume {} --steps 80", folder / "cut"));
        REQUIRE(hash_of_fields(folder / "cut") == hash_of_fields(folder / "uncut"));
    };
    compare(
        "--size 33x21 --set D=0.25 --at 13:dt=0.021 --at 40:D=0.2 --at 50:paint=1,4,add,9,9 --equation {}",
        "du/dt = D*lap(u) - u^3 + u + 0.1*normal + 0.01*sin(t); D = 0.3; u(0) = random - 0.5; "
        "dt = 0.037; boundary = insulated");
    compare("--size 33x20 --model swift-hohenberg --stepper imex --dt 0.3");
}

TEST_CASE("The words that repeat a typed run leave nothing out that its model does not say") {
    RunSpec spec;
    spec.use_model(find_model("gray-scott"));
    for (const auto& [name, value] :
         pairs("initial => jagged | initial => v=noise | set => F=0.05 | boundary => insulated | "
               "show => u*v | at => 5:F=0.06"))
        set_setting(spec, name, value);
    const std::string text = command_text(spec);
    for (const char* part :
         {"--model gray-scott", "u=jagged", "v=noise", "F=0.05", "--boundary insulated", "u*v", "5:F=0.06"})
        CHECK(contains(text, part));
    CHECK(!contains(text, "--equation"));
    // A file named like a preset with another content.
    RunSpec edited;
    edited.use_model(model_of_text("du/dt = 2*lap(u)", "gray-scott"));
    CHECK(contains(command_text(edited), "2*lap(u)"));
    RunSpec typed;
    set_setting(typed, "equation", "du/dt = D*lap(u) - u; D = 1");
    CHECK(contains(command_text(typed), "D*lap(u) - u"));
    CHECK(!contains(command_text(typed), "--model"));
}

TEST_CASE("Models come from files, with pictures and arrays beside them") {
    const ScratchFolder folder;
    const Array<double> mask = random_field(19, 11);
    write_npy(folder / "mask.npy", Field(mask.clone()));
    write_bytes(folder / "decay.txt",
                fmt::format("# decays where the array says so\ndu/dt = -a*u\na = array(\"{}\")\nu(0) = 1\n"
                            "dt = 0.5; size = 19x11; steps = 1\n",
                            (folder / "mask.npy").string()));
    require_done(stencilscope(
        kRun + "--model {} --dtype float64 --export field.npy", folder / "out", folder / "decay.txt"));
    const Field u = read_npy(folder / "out/field.npy");
    for (const auto& [x, y] : {std::pair{0, 0}, std::pair{18, 10}, std::pair{4, 7}})
        REQUIRE(std::abs(u.as<double>().at(x, y) - (1 - 0.5 * mask.at(x, y))) < 1e-15);
}

TEST_CASE("A picture has channels, and values at other places") {
    const ScratchFolder folder;
    std::vector<Rgb> pixels;
    for (int y = 0; y < 12; ++y)
        for (int x = 0; x < 20; ++x)
            pixels.push_back({std::uint8_t(9 * x), std::uint8_t(20 * y), std::uint8_t(5 * x + 7 * y)});
    write_png(folder / "p.png", 20, 12, pixels);
    const auto values = [&](const std::string& formula, const std::string& how) {
        const std::string text =
            fmt::format("u' = {}; p = image(\"{}\", red); I_S = image(\"{}\"); dx = 0.3; origin = -1, 2",
                        formula,
                        (folder / "p.png").string(),
                        (folder / "p.png").string());
        fs::remove_all(folder / "out");
        require_done(
            stencilscope("run --backend cpu --quiet --size 20x12 --steps 1 --dtype float64 --out {} "
                         "--export field.npy --equation {} " +
                             how,
                         folder / "out",
                         text));
        return read_npy(folder / "out/field.npy").as<double>().clone();
    };
    for (const char* how : {"--threads 1", "--threads 2"}) {
        const auto red = values("p", how), blue = values("I_SB", how),
                   next = values("p(x + dx, y - 2*dx)", how), turned = values("I_SG(x, 4 + Ly - y)", how),
                   wide = values("p((x - 1)/2, y)", how);
        for (int y = 0; y < 12; ++y)
            for (int x = 0; x < 20; ++x) {
                CHECK(std::abs(red.at(x, y) - 9 * x / 255.0) < 1e-12);
                CHECK(std::abs(blue.at(x, y) - (5 * x + 7 * y) / 255.0) < 1e-12);
                CHECK(next.at(x, y) == red.at(std::min(x + 1, 19), std::max(y - 2, 0)));
                CHECK(std::abs(turned.at(x, y) - 20 * (11 - y) / 255.0) < 1e-12);
                // x/2 from the corner, at -1: the centre of cell x is at half of that, between cells.
                CHECK(std::abs(wide.at(x, y) - 9 * std::max((x + 0.5) / 2 - 0.5, 0.0) / 255.0) < 1e-12);
            }
    }
}

TEST_CASE("A picture is a shape with conditions at its edge") {
    const ScratchFolder folder;
    std::vector<Rgb> pixels;
    for (int y = 0; y < 30; ++y)
        for (int x = 0; x < 40; ++x)
            pixels.push_back((x - 20) * (x - 20) + 2 * y * y < 400 ? Rgb{255, 255, 255} : Rgb{});
    write_png(folder / "coast.png", 40, 30, pixels);
    const auto hash = [&](const std::string& inside, const std::string& how) {
        const std::string text = fmt::format(
            "du/dt = lap(u) + 0.1*v; dv/dt = 0.2*lap(v) - u*v; dt = 0.1; size = 40x30; inside = {}\n"
            "edge: u = sin(0.3*x + t); edge: flux(v) = 0.1*u; boundary = insulated; v(0) = random",
            inside);
        const fs::path out = folder / "out";
        fs::remove_all(out);
        require_done(
            stencilscope("run --backend cpu --quiet --steps 20 --out {} --export timings.json "
                         "--equation {} " +
                             how,
                         out,
                         text));
        return read_json(out / "timings.json").at("field_hash").get<std::string>();
    };
    // A name is told from the working folder, and spec.json has the whole path.
    const fs::path near = fs::proximate(folder / "coast.png");
    require_done(stencilscope(
        "run --backend cpu --quiet --size 41x2 --steps 0 --out {} --export spec.json --equation {}",
        folder / "near",
        fmt::format("u' = u # \"a\"\nu(0) = image(\"{}\")", near.string())));
    CHECK(contains(read_bytes(folder / "near/spec.json"),
                   fmt::format("image(\\\"{}\\\")", (folder / "coast.png").string())));
    const std::string picture = fmt::format("image(\"{}\")", (folder / "coast.png").string());
    const std::string expected = hash("(x - 20.5)^2 + 2*(y - 0.5)^2 < 400", "--threads 1");
    CHECK(hash(picture, "--threads 2") == expected);
    CHECK(hash(picture + " > 0.5", "--threads 1") == expected);
    CHECK(hash("not " + picture, "--threads 2") != expected);
}

TEST_CASE("Mistakes in a text are shown with a caret and a mend, and nothing is written") {
    const ScratchFolder folder;
    const fs::path out = folder / "out";
    const auto refused = [&](const std::string& equation, const std::string& part) {
        INFO(equation);
        const ProgramResult result = stencilscope(kRun + "--equation {}", out, equation);
        REQUIRE(result.status == 2);
        REQUIRE(contains(result.err, part));
        REQUIRE(contains(result.err, "^"));
        REQUIRE(!fs::exists(out));
    };
    refused("du/dt = lap(u) + k; K = 1", "`K`");
    refused("du/dt = 2u", "2*u");
    refused("du/dt = lap(u", ")");
    require_refused(stencilscope("run --model gray-scott --set G=1"), 2, "Du");
    require_refused(stencilscope("run --model gray-scott --at 5:G=1"), 2, "did you mean");
    require_refused(stencilscope("run --model gray-scott --stepper leap"), 2, "symplectic");
    require_refused(stencilscope("run --model gray-scott --initial w=1"), 2, "unknown component 'w'");
    // Mistakes that values lead to, at the start or on the way.
    for (const char* words : {"--set k=0.5", "--set k=0.4 --at 1:k=0.5"})
        require_refused(stencilscope(std::string("run --size 8 --steps 2 --equation {} ") + words,
                                     "du/dt = lap(u); k = 1; all: u = k*flux(u)"),
                        2,
                        "left: the factors of u");
    for (const char* dtype : {"float32", "float64"})
        require_refused(
            stencilscope(fmt::format("run --model brusselator --size 8 --set a=0 --dtype {}", dtype)),
            2,
            "64 of 64 cells of the start are not finite");
    for (const char* words : {"--initial 2*q", "--show w"}) {
        const ProgramResult result = stencilscope(std::string("run --model gray-scott ") + words);
        REQUIRE(result.status == 2);
        REQUIRE(contains(result.err, "^"));
    }
}

TEST_CASE(
    "Sensitivities are exported beside the components, and a run of them is repeated from its spec.json") {
    const ScratchFolder folder;
    require_done(stencilscope(kRun +
                                  "--model gray-scott --sensitivity F --sensitivity K --size 40x30 --steps "
                                  "20 --export field.npy,spec.json,timings.json",
                              folder / "a"));
    for (const char* name : {"u", "v", "du_dF", "dv_dF", "du_dK", "dv_dK"}) {
        INFO(name);
        CHECK(fs::exists(folder / "a" / fmt::format("field-{}.npy", name)));
    }
    CHECK(read_json(folder / "a/timings.json").at("steps") == 20);
    require_done(stencilscope(kRun + "--spec {} --export field.npy", folder / "b", folder / "a/spec.json"));
    CHECK(hash_of_fields(folder / "a") == hash_of_fields(folder / "b"));
    require_refused(stencilscope("run --size 20 --model gray-scott --sensitivity Du2"), 2, "Du2");
}

TEST_CASE("The text of a run has its settings in it, and runs as the run does") {
    const ScratchFolder folder;
    const std::string run = kRun + "--steps 7 --export field.npy,spec.json ";
    require_done(
        stencilscope(run + "--model gray-scott --size 40x30 --set F=0.05 --boundary zero", folder / "a"));
    const ProgramResult text = require_done(stencilscope("models {}", folder / "a/spec.json"));
    for (const char* part : {"F = 0.05", "size = 40x30", "boundary = zero"}) CHECK(contains(text.out, part));
    require_done(stencilscope(run + "--model {}", folder / "b", write_bytes(folder / "model.txt", text.out)));
    CHECK(hash_of_fields(folder / "a") == hash_of_fields(folder / "b"));
}

TEST_CASE("The code of a typed equation is printed with its stages, operations, limits and speed") {
    const ProgramResult cpu =
        require_done(stencilscope("models --code --size 64 --threads 2 --backend cpu --dt 0.5 --equation {}",
                                  "du/dt = 0.1*lap(u) - u^3"));
    for (const char* token : {"u' =", "7 operations", "8 bytes", "GCells/s at one step", "void stage0"}) {
        INFO(token);
        CHECK(contains(cpu.out, token));
    }
    for (const auto& [words, told] : {std::pair{"", "taken by each step; --global-every N"},
                                      {"--global-every 7 ", "every step whose number 7 divides"}})
        CHECK(
            contains(require_done(stencilscope("models allen-cahn-conserved --code --size 16 --backend cpu " +
                                               std::string(words)))
                         .out,
                     told));
    const auto cuda = require_done(stencilscope("models gray-scott --code --backend cuda"));
    CHECK(contains(cuda.out, "steps per pass"));
    CHECK_FALSE(contains(cuda.out, "__fdividef"));
    const auto fast = require_done(stencilscope("models gray-scott --code --fast --backend cuda"));
    CHECK(contains(fast.out, "#define divide_rn __fdividef"));
    require_refused(
        stencilscope("models gray-scott --code --fast --backend cpu"), 2, "method fast runs on cuda");
    require_refused(stencilscope("models gray-scott --size 64"), 2, "--code");
    require_refused(stencilscope("models diffusion --code"), 2, "--equation");
    require_refused(stencilscope("models --code --model gray-scott"), 2, "--model");
}

TEST_CASE("A run whose compiler fails says why, and has the bits of one that compiles") {
    const OwnCache scratch;
    const std::string run = kRun + "--size 256 --steps 3000 --export field.npy --equation {}";
    require_done(stencilscope(run, scratch / "compiled", kGrayScott));
    const auto broken = write_script(scratch / "cc", "echo 'error: a compiler of stone' >&2; exit 1");
    const Environment compiler("CC", broken.string());
    const auto result = require_done(stencilscope(run, scratch / "interpreted", kGrayScott));
    CHECK(contains(result.err, "a compiler of stone"));
    CHECK(hash_of_fields(scratch / "interpreted") == hash_of_fields(scratch / "compiled"));
}

TEST_CASE("verify steps a model in every way and says that all have the same bits") {
    const OwnCache scratch;
    const auto model = write_bytes(scratch / "mine.txt", kText);
    const auto result = require_done(stencilscope(
        "verify --model {} --out {} --json {}", model, scratch / "out", scratch / "report.json"));
    const auto report = read_json(scratch / "report.json");
    CHECK(report == read_json(scratch / "out" / "verify.json"));
    CHECK(report.at("differing") == 0);
    REQUIRE(report.at("rows").size() == 4);
    for (const auto& row : report.at("rows")) {
        CHECK(row.at("right") == true);
        CHECK(row.at("ways").size() >= (row.at("note") == "" ? 3 : 2));
        CHECK(contains(result.out, row.at("field_hash").get<std::string>()));
    }
    CHECK(contains(result.out, "4 of 4 comparisons are right"));
    CHECK_FALSE(std::filesystem::exists(scratch / "out" / "certificate.json"));  // needs all presets
}

TEST_CASE("verify notices a compiler that translates wrongly") {
    const OwnCache scratch;
    const auto model = write_bytes(scratch / "mine.txt", kText);
    const auto wrong = write_script(scratch / "cc", "sed 's/fma_rn(-v/fma_rn(v/g' | cc \"$@\"");
    const Environment compiler("CC", wrong.string());
    const auto result = stencilscope("verify --quick --quiet --model {}", model);
    INFO(result.err);
    CHECK(result.status == 1);
    CHECK(contains(result.err, "DIFFERS"));
    CHECK(contains(result.err, "compiled rows has"));
}

TEST_CASE("verify refuses what is no model") {
    require_refused(stencilscope("verify --model no-such"), 2, "no-such");
}

TEST_CASE("Runs of diffusion from before it was a text are repeated and resumed to the bit") {
    const ScratchFolder folder;
    const auto hash_of = [&](const std::string& words) {
        require_done(stencilscope(kRun + "--export timings.json " + words, folder / "out"));
        return read_json(folder / "out/timings.json").at("field_hash").get<std::string>();
    };
    CHECK(hash_of("--spec " + reference_file("diffusion-1.0/spec.json")) == "bde63a861eeab4bf");
    fs::copy(reference_file("diffusion-1.0"), folder / "run", fs::copy_options::recursive);
    require_done(stencilscope("run --quiet --resume {} --steps 20 --export timings.json --out {}",
                              folder / "run",
                              folder / "resumed"));
    CHECK(read_json(folder / "resumed/timings.json").at("field_hash") == "c9e88d068f180541");
}

TEST_CASE("The default model takes what any text takes") {
    const ScratchFolder folder;
    for (const std::string& words :
         items("--dt 0.5 | --dt 0.5limit | --dx 2 --boundary periodic | --integrator rk4 --dt 1.1 | "
               "--integrator bs32 --tolerance 1e-4 | --sensitivity coefficient | --at 5:dt=0.25")) {
        INFO(words);
        const std::string line = kRun + "--size 24x20 --steps 12 --export field.npy " + words;
        require_done(stencilscope(line, folder / "own"));
        require_done(stencilscope(
            line + " --equation {}",
            folder / "typed",
            "du/dt = coefficient*lap(u); coefficient = 0.2; dt = 1; boundary = zero; u(0) = \"jagged\""));
        CHECK(hash_of_fields(folder / "own") == hash_of_fields(folder / "typed"));
    }
    require_done(stencilscope(
        kRun + "--size 24 --steps 12 --compare dt/2 --export dispersion.csv,timings.json", folder / "own"));
    CHECK(read_json(folder / "own/timings.json").at("step_error").at("u") > 0);
    require_refused(stencilscope("run --coefficient 0.3"), 2, "coefficient 0.3: above 0.25");
    require_refused(stencilscope("run --coefficient 0"), 2, "above 0");
    require_refused(stencilscope("run --dx 0.5"), 2, "coefficient 0.2: above 0.0625");
    require_refused(stencilscope("run --equation {} --at 5:D=2", "du/dt = 2*D*lap(u); D = 0.5; dt = 0.1"),
                    2,
                    "D 2: above 1.25");
}

TEST_CASE("A text names an initial condition of the table") {
    const ScratchFolder folder;
    const std::string rates = "du/dt = 0.1*lap(u); dv/dt = 0.2*lap(v); dt = 1; ";
    const std::string line = kRun + "--size 24x20 --steps 3 --export field.npy --equation {} ";
    require_done(stencilscope(line, folder / "text", rates + "v(0) = \"gaussian:sigma=0.2\""));
    require_done(stencilscope(line + "--initial v=gaussian:sigma=0.2", folder / "option", rates));
    CHECK(hash_of_fields(folder / "text") == hash_of_fields(folder / "option"));
    for (const auto& [start, part] : {std::pair{"\"gausian\"", "did you mean 'gaussian'"},
                                      {"\"photo.png\"", "image(...)"},
                                      {"\"x + 1\"", "a formula has no quotes"}}) {
        const ProgramResult refused = stencilscope("run --equation {}", rates + "v(0) = " + start);
        CHECK(refused.status == 2);
        CHECK(contains(refused.err, part));
    }
}
