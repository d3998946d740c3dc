#include "sim/text/quote.h"

#include "sim/text/names.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

TEST_CASE("Text in messages keeps its letters and loses what could steer a terminal") {
    CHECK(printable("größe 水 🙂.npy") == "größe 水 🙂.npy");
    CHECK(printable("a\x1b[31mb\n\x7f") == "a?[31mb??");
    CHECK(printable(std::string("a\0b", 3)) == "a?b");
    CHECK(printable("bad\xff\xc3") == "bad??");
    CHECK(printable("\xc2\x9b"
                    "31m") == "?31m");  // CSI as one character
    CHECK(printable("\xe2\x80\xae"
                    "gpj.exe") == "?gpj.exe");  // right to left
    CHECK(printable("\xc0\xaf") == "??");       // overlong
    CHECK(printable("\xed\xa0\x80") == "???");  // a surrogate
    CHECK(quotable(std::string(41, 'x')) == std::string(40, 'x') + "...");
    CHECK(quotable(std::string(39, 'x') + "水y") == std::string(39, 'x') + "...");
}

TEST_CASE("Whatever is quoted is UTF-8 and short") {
    Dice random;
    for (int i = 0; i < 1000; ++i) {
        const std::string text = quotable(random.bytes(std::size_t(random.integer(0, 60))));
        REQUIRE(is_utf8(text));
        REQUIRE(text.size() <= 43);
    }
}

TEST_CASE("A name of megabytes is no name that was meant") {
    const std::string known[] = {"size", "steps"};
    CHECK(nearest_name(std::string(10'000'000, 's'), known).empty());
    CHECK(unknown_name_message("setting", std::string(10'000'000, 's'), known).size() < 200);
}
