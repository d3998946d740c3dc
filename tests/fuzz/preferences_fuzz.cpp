// Fuzzes window.json, the window's preferences.
#include "app/window/preferences.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

void run_one(std::string_view input) {
    const std::string text = write_preferences(read_preferences(input));
    const std::string again = write_preferences(read_preferences(text));
    require(again == text, "preferences stay what they are", text, again);
}

std::vector<std::string> seeds() {
    return {
        write_preferences(Preferences()),
        R"({"theme": "light", "font_size": 1e99, "panels": false, "window_width": 5, "open_sections": ["a", "b"]})"};
}

const Target target("preferences", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
