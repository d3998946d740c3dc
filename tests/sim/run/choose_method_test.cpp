#include "sim/run/choose_method.h"

#include <cmath>

#include "sim/session/auto_method.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using stencil_test::Dice;

namespace {

MethodRequest random_request(Dice& dice) {
    MethodRequest request;
    request.device = dice.integer(0, 1) == 0 ? Device::cpu : Device::cuda;
    // From tiny fields to those that fill a GPU, evenly distributed over orders of magnitude.
    const auto length = [&] { return int(std::exp(dice.uniform(0, std::log(60000)))); };
    request.shape = {length(), length()};
    request.cell_bytes = dice.integer(0, 1) == 0 ? sizeof(float) : sizeof(double);
    request.boundary = kBoundaries[std::size_t(dice.integer(0, 2))].boundary;
    request.steps = static_cast<long long>(std::exp(dice.uniform(0, std::log(1e6))));
    return request;
}

bool fits(const Method& method, const MethodRequest& request) {
    return !method.unsupported_reason || method.unsupported_reason(request.shape, request.cell_bytes).empty();
}

}  // namespace

TEST_CASE("auto takes the method with the least expected time, never a jump nor one that does not fit") {
    Dice dice;
    for (int i = 0; i < 2000; ++i) {
        const MethodRequest request = random_request(dice);
        const Method& chosen = choose_method(request);
        REQUIRE(chosen.device == request.device);
        REQUIRE_FALSE(chosen.jumps);
        REQUIRE(fits(chosen, request));
        const double least = expected_seconds(chosen, request);
        REQUIRE(std::isfinite(least));
        for (const Method& method : methods()) {
            const double seconds = expected_seconds(method, request);
            REQUIRE(least <= seconds);
            if (method.jumps || method.device != request.device || !fits(method, request))
                REQUIRE(std::isinf(seconds));
        }
    }
}

TEST_CASE("A call costs more the more steps it has, and its steps cost less each") {
    Dice dice;
    for (int i = 0; i < 500; ++i) {
        MethodRequest request = random_request(dice);
        for (const Method& method : methods()) {
            request.steps = 1;
            const double one = expected_seconds(method, request);
            if (std::isinf(one)) continue;
            request.steps = 10000;
            const double many = expected_seconds(method, request);
            REQUIRE(many > one);
            REQUIRE(many / 10000 <= one * (1 + 1e-9));
        }
    }
}

TEST_CASE("Between the sizes that were measured the time never falls by much, and beyond them it grows") {
    for (const Method& method : methods()) {
        MethodRequest request;
        request.device = method.device;
        double before = 0;
        for (int edge = 64; edge <= 65536; edge *= 2) {
            request.shape = {edge, edge};
            const double seconds = expected_seconds(method, request);
            if (std::isinf(seconds)) continue;
            INFO(method.name << " " << edge);
            REQUIRE(seconds >= (edge > 16384 ? 3.9 : 0.5) * before);
            before = seconds;
        }
    }
}

TEST_CASE(
    "Whole passes of a method that fuses steps waste nothing, and a remainder costs at most another pass") {
    MethodRequest request{Device::cuda, {8192, 8192}};
    for (const Method& method : methods()) {
        if (method.steps_fused < 2) continue;
        request.device = method.device;
        const auto seconds = [&](long long steps) {
            request.steps = steps;
            return expected_seconds(method, request);
        };
        if (std::isinf(seconds(1))) continue;
        INFO(method.name);
        const int pass = method.steps_fused;
        for (int steps = 1; steps < 3 * pass; ++steps)
            REQUIRE(seconds(steps) <= seconds(steps + 1) * (1 + 1e-9));
        REQUIRE(seconds(pass + 1) <= seconds(2 * pass));
    }
}

TEST_CASE("auto leaves out what is not allowed") {
    const Method& fastest = choose_method({Device::cuda, {2000, 2000}});
    const auto another = [&](const Method& method) { return &method != &fastest; };
    const Method& second = choose_method({Device::cuda, {2000, 2000}}, another);
    REQUIRE(&second != &fastest);
    REQUIRE(expected_seconds(second, {Device::cuda, {2000, 2000}}) >=
            expected_seconds(fastest, {Device::cuda, {2000, 2000}}));
}

TEST_CASE("A better method takes over only after it was better frame after frame") {
    const Method& slow = *find_method("reference");
    const Method& fast = *find_method("cpu");
    const MethodRequest request{Device::cpu, {2000, 2000}, sizeof(float), Boundary::zero, 10};
    AutoMethod follower;
    int frames = 1;
    while (!follower.for_frame(slow, request)) REQUIRE(++frames < 100);
    REQUIRE(frames > 3);
    // A frame in which the present method is the best restarts the count.
    for (int i = 1; i < frames; ++i) REQUIRE_FALSE(follower.for_frame(slow, request));
    REQUIRE_FALSE(follower.for_frame(fast, request));
    for (int i = 1; i < frames; ++i) REQUIRE_FALSE(follower.for_frame(slow, request));
    REQUIRE(follower.for_frame(slow, request) == &fast);
}

TEST_CASE("A long order is worth another method, a short one is not") {
    const Method& slow = *find_method("reference");
    MethodRequest request{Device::cpu, {2000, 2000}, sizeof(float), Boundary::zero, 1};
    REQUIRE_FALSE(AutoMethod::for_order(slow, request));
    request.steps = 100000;
    REQUIRE(AutoMethod::for_order(slow, request) == find_method("cpu"));
    REQUIRE_FALSE(AutoMethod::for_order(*find_method("cpu"), request));
}
