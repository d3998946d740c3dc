// Texts in messages, and words of a shell.
#include "sim/text/quote.h"

#include <fmt/format.h>

#include "sim/model/model.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/text/shell_words.h"
#include "tests/support/catch.h"

using Words = std::vector<std::string>;

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

// Characters that no text of a stranger may carry to a terminal or hide in a name.
const std::string kControls[] = {std::string(1, '\0'),
                                 "\x01",
                                 "\a",
                                 "\b",
                                 "\v",
                                 "\f",
                                 "\x1b",
                                 "\x7f",
                                 "\xc2\x80",
                                 "\xc2\x85",
                                 "\xc2\x9b",
                                 "\xc2\xad",
                                 "\u200b",
                                 "\u200e",
                                 "\u2028",
                                 "\u202e",
                                 "\u2060",
                                 "\u2069",
                                 "\ufeff",
                                 "\U000e0041",
                                 "\xff"};

TEST_CASE("Control and invisible characters are found and replaced, tabs and line ends stay") {
    CHECK(first_control("a\tb\nc\r\nd é 水 \u00a0 ∇²u").empty());
    CHECK(first_control("a\rb") == "\r");
    CHECK(printable_lines("a\tb\r\nc\rd") == "a\tb\r\nc?d");
    CHECK(printable("a\tb\nc") == "a?b?c");
    for (const std::string& control : kControls) {
        CAPTURE(control);
        const std::string text = "é" + control + "b";
        CHECK(first_control(text) == control);
        CHECK(printable_lines(text) == "é?b");
        CHECK(printable(text) == "é?b");
    }
}

TEST_CASE("A model's text with a control or invisible character is refused wherever it stands") {
    for (const std::string& control : kControls) {
        CAPTURE(control);
        for (const char* form : {"title = \"a{}b\"; du/dt = lap(u)",
                                 "du/dt = lap(u) # a{}b",
                                 "du/dt = lap(u{})",
                                 "source = \"{}\"\ndu/dt = lap(u)",
                                 "du{}x/dt = lap(u)"}) {
            const std::string text = fmt::format(fmt::runtime(form), control);
            CHECK_THROWS_AS(model_of_text(text), InputError);
            CHECK(first_control(message_of<InputError>([&] { model_of_text(text); })).empty());
        }
    }
    CHECK(contains(message_of<InputError>([] { model_of_text("dt = 1\ntitle = \"\u202e\"; du/dt = u"); }),
                   "\n  title = \"?\"; du/dt = u\n"));
    CHECK(model_of_text("\ufeffdu/dt = lap(u) # ü\t\r\ndt = 0.1")->components.size() == 1);
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
    CHECK(unknown_name_message("setting", "k", {}) == "unknown setting 'k' (there is none)");
    CHECK(unknown_name_message("setting", std::string(10'000'000, 's'), known).size() < 200);
}

TEST_CASE("A line falls into the words that a shell makes of it") {
    REQUIRE(shell_words("ridge --rows 500") == Words{"ridge", "--rows", "500"});
    REQUIRE(shell_words("  a\t b\n").size() == 2);
    REQUIRE(shell_words("").empty());
    REQUIRE(shell_words(" \t").empty());
    REQUIRE(shell_words("einsum --subscripts='ij, jk -> ik'") ==
            Words{"einsum", "--subscripts=ij, jk -> ik"});
    REQUIRE(shell_words(R"(a '' "" b)") == Words{"a", "", "", "b"});
    REQUIRE(shell_words(R"('it'\''s' "a \"b\" \n" c\ d \\)") == Words{"it's", R"(a "b" \n)", "c d", "\\"});
    for (const char* open : {"a 'b", "a \"b", "\"\\\""}) REQUIRE_THROWS_AS(shell_words(open), InputError);
}

TEST_CASE("What was quoted for a shell is read back") {
    Dice dice;
    const std::string_view letters = "ab '\"\\$`*~-=\n\t";
    for (int i = 0; i < 300; ++i) {
        Words words;
        std::string line;
        for (int count = dice.integer(0, 4); count > 0; --count) {
            std::string word;
            for (int length = dice.integer(0, 6); length > 0; --length)
                word += letters[std::size_t(dice.integer(0, int(letters.size()) - 1))];
            line += quoted_for_shell(word) + ' ';
            words.push_back(word);
        }
        CAPTURE(line);
        REQUIRE(shell_words(line) == words);
    }
}

TEST_CASE("A line that cannot be read is refused with a reason, whatever it begins with") {
    for (const std::string& line :
         {std::string("\0'", 2), std::string("\x1b[31m'"), std::string(100'000, '\'') + "'"}) {
        const std::string message = message_of<InputError>([&] { shell_words(line); });
        CHECK(contains(message, "quote"));
        CHECK(message.find('\x1b') == std::string::npos);
        CHECK(message.size() < 200);
    }
}

TEST_CASE("Numbers of the command line are read as those of the window's fields, and a comma is told of") {
    CHECK(parse_integer("1e3", "steps", 0, 100000) == 1000);
    CHECK(parse_integer("10k", "steps", 0, 100000) == 10000);
    CHECK(parse_integer("10K", "steps", 0, 100000) == 10000);
    CHECK(parse_real("1/8", "coefficient") == 0.125);
    CHECK(parse_real("2M", "set") == 2e6);
    CHECK(contains(message_of<InputError>([] { parse_real("0,1", "coefficient"); }), "point"));
    CHECK(contains(message_of<InputError>([] { parse_integer("1,000", "steps", 0, 10); }), "comma"));
    CHECK_FALSE(contains(message_of<InputError>([] { parse_real("ten", "steps"); }), "comma"));
}

TEST_CASE("An error has its setting apart from its sentence, and a mistake in a text has its place") {
    try {
        parse_real("x", "dt");
        FAIL();
    } catch (const InputError& error) {
        CHECK(error.setting() == "dt");
        CHECK(std::string(error.what()) == "dt x: must be a finite number");
        CHECK(error.sentence() == "x: must be a finite number");
        CHECK(error.in_sentence() == "--dt x: must be a finite number");
    }
    CHECK(InputError(Given{"tolerance"}, "{} estimates no error", "euler").sentence() ==
          "euler estimates no error");
    CHECK(InputError("{} is missing", "a file").sentence() == "a file is missing");
    try {
        model_of_text("du/dt = lap(w)");
        FAIL();
    } catch (const InputError& error) {
        CHECK(error.setting().empty());
        CHECK(contains(error.what(), error.sentence() + "\n  du/dt = lap(w)\n              ^"));
    }
}

TEST_CASE("Sizes take the numbers that all settings take, one for both or one for each side") {
    using Extent = std::pair<long long, long long>;
    CHECK(read_extent("1e3x1k") == Extent(1000, 1000));
    CHECK(read_extent("10k") == Extent(10000, 10000));
    CHECK(read_extent("12x7") == Extent(12, 7));
    CHECK(read_extent("8/2x3") == Extent(4, 3));
    for (const char* wrong : {"", "x", "10x", "x10", "1.5", "10x10x10", "10 x 10", "1/3x3", "1e99"}) {
        CAPTURE(wrong);
        CHECK_FALSE(read_extent(wrong));
    }
}
