// Compares the panel's prediction for a size with the effect of applying it.
#include <filesystem>
#include <utility>

#include "app/window/panels/panels.h"
#include "sim/files/npy.h"
#include "sim/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"
#include "tests/support/session_lab.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("What a size needs is worked out once, and no file of the model is read again for it") {
    const ScratchFolder folder;
    const auto file = folder / "start.npy";
    write_npy(file, Field(Array<double>(20, 10)));
    RunSpec spec = run_of_text("du/dt = 0.1*lap(u) + array(\"" + file.string() + "\")\ndt = 0.1");
    spec.size = Size{20, 10};
    Session session(spec, standing());
    MemoryNeedsOf known;
    const MemoryPreview before = memory_preview(*session.snapshot(), {20, 10}, known);
    INFO(before.text);
    REQUIRE(before.fits);
    std::filesystem::remove(file);
    REQUIRE(memory_preview(*session.snapshot(), {20, 10}, known).text == before.text);
    MemoryNeedsOf fresh;
    REQUIRE_FALSE(memory_preview(*session.snapshot(), {20, 10}, fresh).fits);
}

TEST_CASE("The memory that a size is said to need is what applying it is refused for, or accepted with") {
    for (const auto& [anew, method] :
         {std::pair{true, "reference"}, {false, "reference"}, {true, "auto"}, {false, "auto"}}) {
        CAPTURE(anew, method);
        bool refused = false;
        for (int edge = 256; !refused; edge += 256) {
            CAPTURE(edge);
            REQUIRE(edge < 8192);
            RunSpec spec = noise_run({64, 64}, method);
            spec.memory_limit = 100'000'000;
            Session session(spec, standing());
            // So many steps that `auto` begins another run with another method.
            session.apply(action::Pace{1'000'000});
            if (!anew) {
                session.apply(action::Step{1});
                session.work();
            }
            MemoryNeedsOf known;
            const MemoryPreview preview = memory_preview(*session.snapshot(), {edge, edge}, known);
            session.apply(action::Change{"size", std::to_string(edge)});
            refused = session.snapshot()->now.size->nx != edge;
            REQUIRE(preview.fits == !refused);
            if (refused) REQUIRE(session.snapshot()->messages.back().text == preview.text);
        }
    }
}
