// The manual page and shell completions generated from the options.

#include <regex>

#include "tests/support/fields.h"
#include "tests/support/program.h"

namespace {

// Returns the long options at the beginnings of lines of a help text.
std::vector<std::string> options_in(const std::string& help) {
    std::vector<std::string> names;
    const std::regex option("\n +(-[a-z],)?--([a-z0-9-]+)");
    for (std::sregex_iterator at(help.begin(), help.end(), option), end; at != end; ++at)
        names.push_back((*at)[2]);
    return names;
}

std::string options_as(const char* format) {
    return require_done(stencilscope("options --format {}", format)).out;
}

std::string escaped(const std::string& name) {
    return std::regex_replace(name, std::regex("-"), "\\-");
}

bool has_shell(const std::string& shell) {
    return std::system(("command -v " + shell + " >/dev/null 2>&1").c_str()) == 0;
}

// Returns bash's completions of the last word.
std::string completed(const ScratchFolder& folder, const std::string& line) {
    const auto file = write_bytes(folder / "bash", options_as("bash")).string();
    const auto out = (folder / "offered").string();
    const std::string script =
        ". '" + file + "'; COMP_WORDS=(" + program_file() + " " + line +
        "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _stencilscope; echo \"${COMPREPLY[*]}\" >'" + out + "'";
    REQUIRE(std::system(("bash -c '" + std::regex_replace(script, std::regex("'"), "'\\''") + "'").c_str()) ==
            0);
    return read_bytes(out);
}

}  // namespace

TEST_CASE("Every option that help tells is in the manual page and among what may come next") {
    const std::string man = options_as("man");
    for (const std::string command :
         {"", "run ", "bench ", "devices ", "models ", "example ", "example ridge ", "options "}) {
        const auto names = options_in(require_done(stencilscope(command + "--help")).out);
        const auto next = require_done(stencilscope("options --next {}", "stencilscope " + command)).out;
        REQUIRE_FALSE(names.empty());
        for (const std::string& name : names) {
            CAPTURE(command, name);
            CHECK(contains(man, "\\-\\-" + escaped(name) + "\\fR"));
            CHECK(contains("\n" + next, "\n--" + name + "\n"));
        }
    }
}

TEST_CASE("Shells read their completions without a complaint") {
    const ScratchFolder folder;
    for (const std::string shell : {"bash", "zsh", "fish"}) {
        if (!has_shell(shell)) continue;
        const auto file = write_bytes(folder / shell, options_as(shell.c_str())).string();
        CHECK(std::system((shell + " -n '" + file + "'").c_str()) == 0);
    }
}

TEST_CASE("bash completes options, commands and the names of tables") {
    const ScratchFolder folder;
    CHECK(completed(folder, "run --siz") == "--size\n");
    CHECK(completed(folder, "exa") == "example\n");
    CHECK(completed(folder, "example rid") == "ridge\n");
    CHECK(completed(folder, "run --size 10 --boundary per") == "periodic\n");
    CHECK(completed(folder, "run --out bench --quie") == "--quiet\n");
    CHECK(completed(folder, "run --steps \"\"") == "\n");
}
