// The command stencilscope verify.
#include "tests/support/catch.h"
#include "tests/support/program.h"
#include "tests/support/scratch.h"

using namespace stencil_test;

namespace {

const std::string kText = "du/dt = 0.1*lap(u) + 0.01*sin(u + x); dt = 1; u(0) = random";

}  // namespace

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
        CHECK(result.out.find(row.at("field_hash").get<std::string>()) != std::string::npos);
    }
    CHECK(result.out.find("4 of 4 comparisons are right") != std::string::npos);
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
    CHECK(result.err.find("DIFFERS") != std::string::npos);
    CHECK(result.err.find("compiled rows has") != std::string::npos);
}

TEST_CASE("verify refuses what is no model") {
    require_refused(stencilscope("verify --model no-such"), 2, "no-such");
}
