#include "sim/text/shell_words.h"

#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

using Words = std::vector<std::string>;

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
        CHECK(message.find("quote") != std::string::npos);
        CHECK(message.find('\x1b') == std::string::npos);
        CHECK(message.size() < 200);
    }
}
