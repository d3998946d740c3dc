
#include <algorithm>

#include "sim/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/device.h"

using namespace stencil;
using namespace stencil_test;

namespace {

// Where methods differ on a GPU: many cells and few steps.
constexpr Size kSize = kDevice == Device::cuda ? Size{1500, 1400} : Size{300, 280};

void run_frames(Session& session, std::uint64_t frames) {
    std::uint64_t taken = 0;
    for (const std::uint64_t first = session.snapshot()->frame ? session.snapshot()->frame->count : 0;
         taken < first + frames;) {
        session.work();
        if (const auto frame = session.snapshot()->frame) session.frame_taken(taken = frame->count);
    }
}

}  // namespace

TEST_CASE("Under auto the method follows the steps of a frame, and the switch is an edit of the run") {
    RunSpec spec;
    spec.size = kSize;
    spec.initial = "noise";
    spec.backend = name_of(kDevice);
    SessionOptions options;
    options.running = true;
    options.measure_limits = false;
    options.steps_per_frame = 1;
    Session session(spec, options);
    std::string before = session.snapshot()->now.method;
    std::size_t switches = 0;
    for (const long long pace : {1, 50, 1}) {
        INFO(name_of(kDevice) << ", " << pace << " steps a frame");
        const MethodRequest request{kDevice, {kSize.nx, kSize.ny}, sizeof(float), spec.boundary, pace};
        session.apply(action::Pace{pace, 12});
        run_frames(session, 12);
        const std::string now = session.snapshot()->now.method;
        REQUIRE(expected_seconds(*find_method(now), request) * 0.8 <=
                expected_seconds(choose_method(request), request));
        REQUIRE(session.snapshot()->auto_method);
        if (now != before) ++switches;
        before = now;
    }
    // Each change is recorded, so that the run can be repeated.
    const auto& edits = session.snapshot()->spec.edits;
    REQUIRE(std::size_t(std::ranges::count(edits, "method", &Edit::setting)) == switches);
}
