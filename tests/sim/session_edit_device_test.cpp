// Editing the equation of a run keeps its field, on either device.
#include <string>
#include <vector>

#include "sim/model/model.h"
#include "sim/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/device.h"
#include "tests/support/fields.h"

using namespace stencil;
using namespace stencil_test;

namespace {

const std::string kPair =
    "du/dt = 0.1*lap(u) - u*v\ndv/dt = 0.05*lap(v) + u*v - 0.05*v\n"
    "u(0) = 1 + 0.1*sin(x); v(0) = 0.2*ind(x < 9); dt = 0.5; boundary = periodic; size = 137x61";
const std::string kThree = kPair + "\ndw/dt = 0.1*lap(w) + u; w(0) = 3 + x*y";

void act_on(Session& session, const Action& action) {
    session.apply(action);
    while (session.busy()) {
        session.work();
        if (const auto frame = session.snapshot()->frame) session.frame_taken(frame->count);
    }
}

std::vector<Field> fields_of(Session& session) {
    return session.simulation().solver().state().components;
}

}  // namespace

TEST_CASE("Components that an edit keeps have every bit, new ones begin, and so they do after a reset") {
    const auto [dtype, method] = GENERATE(table<DType, std::string>(
        {{DType::float32, "auto"}, {DType::float64, "auto"}, {DType::float32, "reference"}}));
    if (method == "reference" && kDevice != Device::cpu) return;
    INFO(name_of(dtype) << ", " << method);
    RunSpec spec;
    spec.use_model(model_of_text(kPair));
    spec.backend = name_of(kDevice);
    spec.method = method;
    spec.dtype = dtype;
    SessionOptions options;
    options.running = false;
    options.measure_limits = false;
    Session session(spec, options);
    const std::vector<Field> start = fields_of(session);
    act_on(session, action::Step{20});
    const std::vector<Field> now = fields_of(session);
    REQUIRE_FALSE(same_bits(start[0], now[0]));

    act_on(session, action::Change{"equation", kThree});
    std::vector<Field> more = fields_of(session);
    REQUIRE(more.size() == 3);
    CHECK(same_bits(more[0], now[0]));
    CHECK(same_bits(more[1], now[1]));
    const Field w = more[2].to(DType::float64);
    CHECK(w.as<double>().view().at(0, 0) == 3 + 0.5 * 0.5);
    CHECK(w.as<double>().view().at(136, 60) == 3 + 136.5 * 60.5);
    CHECK(session.snapshot()->step == 20);
    CHECK(same_bits(*session.simulation().start_of("w"), more[2]));

    act_on(session, action::Step{3});
    act_on(session, action::Change{"equation", kPair});
    act_on(session, action::Change{"equation", kThree});
    act_on(session, action::Reset{});
    more = fields_of(session);
    CHECK(same_bits(more[0], start[0]));
    CHECK(same_bits(more[1], start[1]));
    CHECK(same_bits(more[2], w.to(dtype)));
}
