// `stencilscope fit`: targets from the files that runs write, its results, and what it refuses.

#include "sim/files/npy.h"
#include "tests/support/fields.h"
#include "tests/support/program.h"

namespace fs = std::filesystem;

namespace {

const std::string kGrowth =
    "du/dt = r*u*(1 - u/K); u(0) = 0.1 + x/100; r = 0.9; K = 2; dt = 0.05; size = 6x4; integrator = rk4";

template <class... Values>
ProgramResult fit(const std::string& more, const Values&... values) {
    return stencilscope("fit --backend cpu --dtype float64 --equation {} " + more, kGrowth, values...);
}

double value_of(const nlohmann::json& result, const std::string& name, const char* what = "value") {
    for (const auto& row : result.at("parameters"))
        if (row.at("name") == name) return row.at(what);
    return NAN;
}

// The logistic equation, solved for a cell of column 2.
double logistic(double t) {
    constexpr double kStart = 0.1 + 2.5 / 100;
    return 2 / (1 + (2 / kStart - 1) * std::exp(-0.9 * t));
}

void write_run(const fs::path& out) {
    require_done(
        stencilscope("run --backend cpu --quiet --dtype float64 --time 8 --every 1t --probe 2,1 --probe 4,3 "
                     "--export statistics.csv,probes.csv,field.npy --equation {} --out {}",
                     kGrowth,
                     out));
}

}  // namespace

TEST_CASE("A fit takes the files that a run exports, and a table of the solved equation") {
    const ScratchFolder folder;
    write_run(folder / "run");
    std::string points = "x,y,t,u\n";
    for (int i = 0; i < 12; ++i) points += fmt::format("2,1,{},{}\n", 0.75 * i, logistic(0.75 * i));
    write_bytes(folder / "points.csv", points);
    for (const std::string& target : {"mean(u)=" + (folder / "run/statistics.csv").string(),
                                      "u=" + (folder / "run/probes.csv").string(),
                                      (folder / "points.csv").string(),
                                      "u=" + (folder / "run/field.npy").string() + "@8"}) {
        INFO(target);
        const ProgramResult done = require_done(
            fit("--quiet --json - --fit r=0.5:log --fit K=1.5:1:5 --time 8 --target {}", target));
        const auto result = nlohmann::json::parse(done.out);
        CHECK(std::abs(value_of(result, "r") - 0.9) < 1e-5);
        CHECK(std::abs(value_of(result, "K") - 2) < 1e-4);
        CHECK(result.at("exact_derivatives") == true);
        CHECK(result.at("success") == true);
    }
}

TEST_CASE("A fit writes its tables, pictures and the fitted run, which a run takes") {
    const ScratchFolder folder;
    write_run(folder / "run");
    const fs::path out = folder / "fitted";
    const ProgramResult done =
        require_done(fit("--fit r=0.7 --fit K=1.8 --target {} --target {} --noise 0.01,0.02 --out {}",
                         "u=" + (folder / "run/field.npy").string() + "@8",
                         "u=" + (folder / "run/probes.csv").string(),
                         out));
    CHECK(
        names_in(out) ==
        words(
            "convergence.csv convergence.png fit.csv fit.json fitted.txt residual.png series.png spec.json"));
    CHECK(contains(done.out, "std. error"));
    CHECK(contains(done.out, "correlation"));
    CHECK(contains(done.out, "chi-square"));
    CHECK(lines_of(out / "fit.csv").front() == "parameter,estimate,standard_error,start,low,high,note");
    const auto result = read_json(out / "fit.json");
    CHECK(lines_of(out / "convergence.csv").size() == result.at("evaluations").get<std::size_t>() + 1);
    CHECK(result.at("runs") == 3 * result.at("evaluations").get<int>());
    for (const auto& run :
         {words("--spec {}", out / "spec.json"), words("--model {} --time 8", out / "fitted.txt")})
        require_done(run_program(joined(
            joined(words("run --backend cpu --dtype float64 --quiet --export field.npy --out {} --replace",
                         folder / "again"),
                   run),
            {})));
    CHECK(relative_error(read_npy(folder / "again/field.npy"), read_npy(folder / "run/field.npy")) < 1e-6);
}

TEST_CASE("A fit that does not converge, or that targets do not determine, ends with status 1") {
    const ScratchFolder folder;
    write_run(folder / "run");
    const std::string target = "u=" + (folder / "run/field.npy").string() + "@8";
    const ProgramResult few = fit("--fit r=0.2 --fit K=4 --evaluations 1 --target {}", target);
    CHECK(few.status == 1);
    CHECK(contains(few.out, "did not converge"));
    const ProgramResult none = stencilscope("fit --backend cpu --equation {} --fit a --fit b --target {}",
                                            "du/dt = -a*b*u; u(0) = 3; a = 1; b = 0.1; dt = 0.1; size = 6x4",
                                            target);
    CHECK(none.status == 1);
    CHECK(contains(none.out, "not identifiable: a, b"));
}

TEST_CASE("Bad words of a fit are refused in one line, and nothing is written") {
    const ScratchFolder folder;
    write_run(folder / "run");
    const fs::path out = folder / "none", field = folder / "run/field.npy",
                   table = folder / "run/statistics.csv";
    const fs::path small = folder / "small.npy";
    write_npy(small, Field(array_of(3, 2, [](int, int) { return 1; })));
    const auto refused = [&](const std::string& more, const std::string& part) {
        INFO(more);
        require_refused(run_program(joined(words("fit --backend cpu --equation {} --out {}", kGrowth, out),
                                           words(more, field, field))),
                        2,
                        part);
        CHECK_FALSE(fs::exists(out));
    };
    refused("--fit q --target {}", "unknown parameter 'q'");
    refused("--target {}", "--fit");
    refused("--fit r", "--target");
    refused("--fit r=1:2 --target {}", "NAME=START");
    refused("--fit r --target {}@soon", "time");
    refused("--fit r --target w={}", "w");
    refused("--fit r --noise 0 --target {}", "above 0");
    refused("--fit r --noise 1,2,3 --target {}", "one for each");
    refused("--fit r --target none.npy", "none.npy");
    refused("--fit r --target nonsense", "nonsense");
    refused("--fit r --dt follow:0.8limit --target {}", "do not depend on the parameters");
    refused("--fit r --at 3:r=1 --target {}", "on the way");
    refused("--fit r --every 3 --target {}", "--every");
    require_refused(fit("--fit r --target {}", small), 2, "3x2");
    require_refused(fit("--fit r --target {}", "u=" + table.string()), 2, "which column");
    require_refused(fit("--fit r --target {}", table), 2, "which column");
}
