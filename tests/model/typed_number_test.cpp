// Numbers typed into the window's fields.
#include "sim/model/text/typed_number.h"

#include <limits>
#include <numbers>
#include <utility>

#include "tests/support/catch.h"

using namespace stencil::equation;

TEST_CASE("Numbers are read as people type them") {
    const std::pair<const char*, double> typed[] = {
        {"1e4", 1e4},
        {"10k", 1e4},
        {"1.5k", 1500},
        {"2M", 2e6},
        {"3G", 3e9},
        {"2^20", 1048576},
        {" 10 000 ", 1e4},
        {"1 000 000", 1e6},
        {"-0.25", -0.25},
        {"+.5", 0.5},
        {"1/4", 0.25},
        {"3*(4 + 1)", 15},
        {"2×10²", 200},
        {"2*10k + 1", 20001},
        {"sqrt(2)^2/2 - pi", 1.0000000000000002 - std::numbers::pi}};
    for (const auto& [text, value] : typed) {
        CAPTURE(text);
        CHECK(typed_number(text) == value);
    }
}

TEST_CASE("What is no number, or two of them, is none") {
    for (const char* text :
         {"",       " ",     "abc", "1e",     "k",     "2^",      "^2",       "1e400", "9^999", "0x10",
          "1,5",    "nan",   "1/0", "2 3",    "10kk",  "10k 000", "5;",       "5;6",   "(1",    "x",
          "lap(1)", "\"5\"", "inf", "u[1,0]", "1 < 2", "10 0000", "sqrt(-1)", "\xff"}) {
        CAPTURE(text);
        CHECK_FALSE(typed_number(text));
        CHECK_FALSE(typed_whole(text));
    }
}

TEST_CASE("Whole numbers are whole, and exact") {
    CHECK(typed_whole("1e4") == 10000);
    CHECK(typed_whole("2^53") == 1LL << 53);
    CHECK(typed_whole("9223372036854775807") == std::numeric_limits<long long>::max());
    CHECK(typed_whole("-3") == -3);
    for (const char* text : {"2.5", "1/3", "1e16", "2^54"}) {
        CAPTURE(text);
        CHECK(typed_number(text));
        CHECK_FALSE(typed_whole(text));
    }
}
