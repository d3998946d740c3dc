// The runs included with the program.
#include "sim/run/ready_runs.h"

#include "sim/model/presets.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/run/start.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/runs.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("Every ready run has a title and a sentence, can be begun, and has a name that no model has") {
    REQUIRE_FALSE(ready_runs().empty());
    for (const ReadyRun& run : ready_runs()) {
        CAPTURE(run.name);
        CHECK_FALSE(run.title.empty());
        CHECK(run.about.ends_with('.'));
        CHECK(run.about.size() < 170);  // fits on a tile of the gallery
        CHECK(find_preset(run.name) == nullptr);
        RunSpec spec = run.spec;
        CHECK_NOTHROW(spec.validate());
        spec.size = Size{24, 20};
        spec.backend = "cpu";
        spec.threads = 1;
        Simulation simulation = begun(spec);
        simulation.apply(Advance{2});
        CHECK(simulation.step() == 2);
    }
}

TEST_CASE(
    "A spec is named by a ready run or a file, and a name that is neither is refused with the nearest") {
    CHECK(named_spec("hot-plate").initial == "disk");
    const auto refusal = [](const char* name) { return message_of<InputError>([&] { named_spec(name); }); };
    CHECK(refusal("hot-plat").find("'hot-plate'") != std::string::npos);
    CHECK(refusal("none.json").find("none.json") != std::string::npos);
    const ScratchFolder folder;
    const std::string file = folder / "mine.json";
    write_bytes(file, R"({"title": "Mine", "about": "A remark.", "size": "7x5"})");
    CHECK(named_spec(file).size == Size{7, 5});
}
