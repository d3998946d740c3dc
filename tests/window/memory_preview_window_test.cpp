// What the panel says of a size before it is applied, against what applying it comes to.
#include <utility>

#include "app/window/panels/panels.h"
#include "sim/session/session.h"
#include "tests/support/catch.h"

using namespace stencil;

TEST_CASE("The memory that a size is said to need is what applying it is refused for, or accepted with") {
    for (const auto& [anew, method] :
         {std::pair{true, "reference"}, {false, "reference"}, {true, "auto"}, {false, "auto"}}) {
        CAPTURE(anew, method);
        bool refused = false;
        for (int edge = 256; !refused; edge += 256) {
            CAPTURE(edge);
            REQUIRE(edge < 8192);
            RunSpec spec;
            spec.size = Size{64, 64};
            spec.initial = "noise";
            spec.backend = "cpu";
            spec.method = method;
            spec.memory_limit = 100'000'000;
            SessionOptions options;
            options.running = options.measure_limits = false;
            options.steps_per_frame = 1;
            Session session(spec, options);
            // So many that auto begins another run with another method.
            session.apply(action::Pace{1'000'000});
            if (!anew) {
                session.apply(action::Step{1});
                session.work();
            }
            const MemoryPreview preview = memory_preview(*session.snapshot(), {edge, edge});
            session.apply(action::Change{"size", std::to_string(edge)});
            refused = session.snapshot()->now.size->nx != edge;
            REQUIRE(preview.fits == !refused);
            if (refused) REQUIRE(session.snapshot()->messages.back().text == preview.text);
        }
    }
}
