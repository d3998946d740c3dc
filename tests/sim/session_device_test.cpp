// Sessions on either device: the method of `auto`, and edits of the equation.

#include "sim/distributed/distributed_solver.h"
#include "sim/session/mosaic.h"
#include "sim/session/session.h"
#include "tests/support/device.h"
#include "tests/support/session_lab.h"

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

const std::string kPair =
    "du/dt = 0.1*lap(u) - u*v\ndv/dt = 0.05*lap(v) + u*v - 0.05*v\n"
    "u(0) = 1 + 0.1*sin(x); v(0) = 0.2*ind(x < 9); dt = 0.5; boundary = periodic; size = 137x61";
const std::string kThree = kPair + "\ndw/dt = 0.1*lap(w) + u; w(0) = 3 + x*y";

std::vector<Field> fields_of(Session& session) {
    return session.simulation().solver().state().components;
}

}  // namespace

TEST_CASE("A GPU steps the tiles of a sweep together") {
    SweepSpec sweep;
    sweep.base = spec_of_text("du/dt = D*lap(u) - u; D = 1; dt = 0.1; size = 32x32; steps = 10");
    sweep.base.backend = name_of(kDevice);
    sweep.vary = {parse_vary("D=0.5:1:8"), parse_vary("dt=0.1,0.05")};
    Mosaic mosaic(sweep, query_machine());
    while (mosaic.busy(false)) mosaic.work(false, 0, 100);
    CHECK(mosaic.tiles()->way.empty() == (kDevice == Device::cpu));
    mosaic.work(true, 7, 100);
    CHECK(mosaic.step() == 17);
    Simulation copy(mosaic.state_of(11)), alone = begun(resolve(sweep.run(11), query_machine()));
    alone.apply(Advance{17});
    CHECK(hash_in_place(copy.solver()) == hash_in_place(alone.solver()));
}

TEST_CASE("Under auto the method follows the steps of a frame, and the switch is an edit of the run") {
    RunSpec spec = noise_run(kSize);
    spec.backend = name_of(kDevice);
    Session session(spec, standing());
    session.apply(action::Run{true});
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
    REQUIRE(std::size_t(std::ranges::count_if(edits, [](const Event& event) {
                return event.setting() && event.setting()->setting == "method";
            })) == switches);
}

TEST_CASE("Components that an edit keeps have every bit, new ones begin, and so they do after a reset") {
    const auto [dtype, method] = GENERATE(table<DType, std::string>(
        {{DType::float32, "auto"}, {DType::float64, "auto"}, {DType::float32, "reference"}}));
    if (method == "reference" && kDevice != Device::cpu) return;
    INFO(name_of(dtype) << ", " << method);
    RunSpec spec = run_of_text(kPair);
    spec.backend = name_of(kDevice);
    spec.method = method;
    spec.dtype = dtype;
    Session session(spec, standing());
    const std::vector<Field> start = fields_of(session);
    perform(session, action::Step{20});
    const std::vector<Field> now = fields_of(session);
    REQUIRE_FALSE(same_bits(start[0], now[0]));

    perform(session, action::Change{"equation", kThree});
    std::vector<Field> more = fields_of(session);
    REQUIRE(more.size() == 3);
    CHECK(same_bits(more[0], now[0]));
    CHECK(same_bits(more[1], now[1]));
    const Field w = more[2].to(DType::float64);
    CHECK(w.as<double>().view().at(0, 0) == 3 + 0.5 * 0.5);
    CHECK(w.as<double>().view().at(136, 60) == 3 + 136.5 * 60.5);
    CHECK(session.snapshot()->step == 20);
    CHECK(same_bits(*session.simulation().start_of("w"), more[2]));

    perform(session, action::Step{3});
    perform(session, action::Change{"equation", kPair});
    perform(session, action::Change{"equation", kThree});
    perform(session, action::Reset{});
    more = fields_of(session);
    CHECK(same_bits(more[0], start[0]));
    CHECK(same_bits(more[1], start[1]));
    CHECK(same_bits(more[2], w.to(dtype)));
}
