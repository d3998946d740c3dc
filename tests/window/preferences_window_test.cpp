// The window's preferences.
#include "app/window/preferences.h"

#include <sys/stat.h>

#include <optional>

#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

Preferences random_preferences(Dice& dice) {
    Preferences preferences;
    preferences.theme = dice.integer(0, 1) == 0 ? Theme::dark : Theme::light;
    preferences.font_size = float(dice.integer(10, 32));
    preferences.panels = dice.integer(0, 1) == 0;
    preferences.panel_width = float(dice.integer(280, 900));
    preferences.window_width = dice.integer(320, 5000);
    preferences.window_height = dice.integer(320, 5000);
    if (dice.integer(0, 1) == 0) preferences.prompts_done = {"paint", "three-up"};
    preferences.axes = dice.integer(0, 1) == 0;
    preferences.open_sections.clear();
    for (int i = dice.integer(0, 5); i > 0; --i)
        preferences.open_sections.push_back("Section " + std::to_string(dice.integer(0, 99)));
    preferences.view = dice.integer(0, 1) == 0 ? "laplacian" : "now";
    preferences.smooth = dice.integer(0, 1) == 0;
    preferences.show_numbers = dice.integer(0, 1) == 0;
    preferences.colormap = dice.integer(0, 1) == 0 ? "" : "magma";
    preferences.brush = {
        dice.uniform(-10, 10), dice.uniform(1, 1000), dice.integer(0, 1) == 0, dice.integer(0, 1) == 0};
    preferences.brush.shape = BrushShape(dice.integer(0, 3));
    preferences.straight = dice.integer(0, 1) == 0;
    preferences.fill_tolerance = dice.uniform(0, 1);
    preferences.export_folder = "folder " + std::to_string(dice.integer(0, 99));
    preferences.export_files.resize(std::size_t(dice.integer(0, 2)));
    preferences.export_replace = dice.integer(0, 1) == 0;
    for (int i = dice.integer(0, 3); i > 0; --i) preferences.recent.push_back("/" + std::to_string(i));
    return preferences;
}

}  // namespace

TEST_CASE("preferences come back from their file as they were saved") {
    Dice dice;
    const OwnSettings folder;
    CHECK(load_preferences() == Preferences{});
    for (int i = 0; i < 20; ++i) {
        const Preferences saved = random_preferences(dice);
        save_preferences(saved);
        CHECK(load_preferences() == saved);
    }
    CHECK(preferences_path() == folder / "stencilscope/window.json");
}

TEST_CASE("without XDG_CONFIG_HOME preferences are in ~/.config, and without a home they are nowhere") {
    const ScratchFolder folder;
    const Environment home("HOME", folder.path().string());
    {
        const Environment xdg("XDG_CONFIG_HOME", std::nullopt);
        CHECK(preferences_path() == folder / ".config/stencilscope/window.json");
        // A relative path would refer to the working folder, so it is ignored.
        const Environment relative("XDG_CONFIG_HOME", "settings");
        CHECK(preferences_path() == folder / ".config/stencilscope/window.json");
    }
    const Environment xdg("XDG_CONFIG_HOME", std::nullopt);
    const Environment no_home("HOME", std::nullopt);
    CHECK_FALSE(preferences_path());
    save_preferences({});
    CHECK(load_preferences() == Preferences{});
}

TEST_CASE("preferences that are no JSON are set aside with a message, and the defaults hold") {
    const OwnSettings folder;
    std::string trouble;
    save_preferences({});
    load_preferences(&trouble);
    CHECK(trouble.empty());
    const auto file = *preferences_path();
    write_bytes(file, R"({"theme": "lig)");
    CHECK(load_preferences(&trouble) == Preferences{});
    CHECK(trouble.find("window.json.bad") != std::string::npos);
    CHECK(read_bytes(file.string() + ".bad") == R"({"theme": "lig)");
    CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE("preferences that can't be saved are silent") {
    const ScratchFolder folder;
    write_bytes(folder / "stencilscope", "a file where the folder should be");
    const Environment xdg("XDG_CONFIG_HOME", folder.path().string());
    save_preferences({});
    CHECK(load_preferences() == Preferences{});
    CHECK(folder.entries() == 1);
}

TEST_CASE("preferences that are a pipe or a folder are not waited for, and the defaults hold") {
    const OwnSettings folder;
    std::filesystem::create_directory(folder / "stencilscope");
    const auto path = folder / "stencilscope/window.json";
    REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
    CHECK(load_preferences() == Preferences{});
    std::filesystem::remove(path);
    std::filesystem::create_directory(path);
    CHECK(load_preferences() == Preferences{});
}

TEST_CASE("a broken field of the preferences falls back to its default, and the others stay") {
    const Preferences standard;
    const Preferences read = read_preferences(
        R"({"theme": "light", "font_size": "large", "panel_width": 1e9, "window_width": -5, "panels": 3,
            "brush": {"radius": -3, "value": "much", "soft": true, "shape": "star", "tolerance": "some"}, "recent": "none", "view": 3,
            "window_height": 900, "prompts_done": ["paint"], "open_sections": ["View", 7], "unknown": {"a": [1]}})");
    CHECK(read.theme == Theme::light);
    CHECK(read.font_size == standard.font_size);
    CHECK(read.panel_width == kMaxPanelWidth);
    CHECK(read.window_width >= 100);
    CHECK(read.panels == standard.panels);
    CHECK(read.window_height == 900);
    CHECK(read.prompts_done == std::vector<std::string>{"paint"});
    CHECK(read.open_sections == standard.open_sections);
    CHECK(read.brush.radius > 0);
    CHECK(read.brush.value == standard.brush.value);
    CHECK(read.brush.soft);
    CHECK(read.brush.shape == BrushShape::round);
    CHECK(read.recent.empty());
    CHECK(read.view == standard.view);
    CHECK(read_preferences(R"({"theme": 3, "font_size": 1e999, "window_width": 1e300})").theme ==
          Theme::dark);
    CHECK(read_preferences(R"({"open_sections": []})").open_sections.empty());
}

TEST_CASE("preferences that are cut off anywhere are the defaults") {
    Dice dice;
    const std::string whole = write_preferences(random_preferences(dice));
    for (std::size_t length = 0; length + 2 < whole.size(); ++length)
        CHECK(read_preferences(whole.substr(0, length)) == Preferences{});
}
