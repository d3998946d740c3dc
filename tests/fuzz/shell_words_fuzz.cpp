// Fuzzes the splitting of shell words.
#include "sim/text/shell_words.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

void run_one(std::string_view input) {
    const std::string whole(input);
    const std::vector<std::string> one = shell_words(quoted_for_shell(whole));
    require(one == std::vector{whole}, "any text is one word once it is quoted", whole);
    std::vector<std::string> words;
    if (!accepted([&] { words = shell_words(input); })) return;
    std::string line;
    for (const std::string& word : words) line += quoted_for_shell(word) + " ";
    require(shell_words(line) == words, "words stay what they are", whole, line);
}

std::vector<std::string> seeds() {
    return {
        "ridge --rows 500 --at '1e-3, 2'", R"(a\ b "c \"d\" $e" 'f'"'"'g')", "--empty= ''", "tab\tnewline\n"};
}

const Target target("shell_words", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
