#include <cmath>
#include <fstream>

#include "sim/field/random.h"
#include "sim/text/json.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"

namespace {

nlohmann::json known_answers() {
    std::ifstream file(stencil_test::reference_file("random_numbers.json"));
    return nlohmann::json::parse(file);
}

}  // namespace

TEST_CASE("float32 random numbers are NumPy's") {
    const auto known = known_answers();
    for (const auto& [seed, key] : {std::pair{3966789u, "default_rng(3966789).random(8, float32)"},
                                    std::pair{987654321u, "default_rng(987654321).random(4, float32)"}}) {
        stencil::Random random(seed);
        for (const double value : known.at(key)) REQUIRE(double(random.next_float()) == value);
    }
}

TEST_CASE("float64 random numbers are NumPy's") {
    stencil::Random random(3966789);
    const auto known = known_answers();
    for (const double value : known.at("default_rng(3966789).random(4, float64)"))
        REQUIRE(random.next_double() == value);
}

TEST_CASE("A seed of more than 32 bits is NumPy's too") {
    // np.random.default_rng(12345678901234567890).random(4)
    stencil::Random random(12345678901234567890u);
    for (const double value :
         {0.0042248797955735107, 0.6523439976170509, 0.6078805024233389, 0.9843050417988058})
        REQUIRE(random.next_double() == value);
}

TEST_CASE("Drawing one float32 leaves the other half of the draw for the next") {
    stencil::Random floats(7);
    stencil::Random doubles(7);
    floats.next_float();
    const float high = floats.next_float();
    // Both use the same 64 bits; the upper part makes the float64.
    REQUIRE(std::abs(double(high) - doubles.next_double()) < 1e-6);
    floats.next_float();
    REQUIRE(std::abs(double(floats.next_float()) - doubles.next_double()) < 1e-6);
}
