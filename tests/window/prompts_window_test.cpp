// The first-use prompts, without a window.
#include "app/window/panels/tour.h"

#include <cmath>

#include "app/window/panels/commands.h"
#include "app/window/theme.h"
#include "sim/text/names.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

// As in the main loop, prompts are updated before actions are sent.
void send(Interface& window) {
    follow_prompts(window.ui);
    window.ui.actions.clear();
}

const std::vector<std::string>& done(const Interface& window) {
    return window.ui.preferences.prompts_done;
}

}  // namespace

TEST_CASE("Prompts come one after the other, and each goes once it is done, in any order") {
    Interface window;
    window.ui.panes = {Pane::now};
    CHECK(done(window).empty());
    window.frames(3);
    send(window);
    CHECK(done(window).empty());
    REQUIRE(window_rect("##prompt").drawn);
    window.ui.act(action::Run{});
    change(window.ui, "boundary", "periodic");
    send(window);
    CHECK(done(window).empty());
    toggle_three_up(window.ui, window.snapshot);
    send(window);
    CHECK(done(window) == std::vector<std::string>{"three-up"});
    change(window.ui, "coefficient", "0.1");
    send(window);
    CHECK(done(window) == std::vector<std::string>{"three-up", "slider"});
    window.ui.act(action::Paint{});
    send(window);
    window.frames();
    CHECK(done(window).size() == prompts().size());
    CHECK_FALSE(window_rect("##prompt").drawn);
}

TEST_CASE("A prompt can be left out, and the one about a slider stands beside it where it is seen") {
    Interface window;
    window.ui.preferences.open_sections = {"Simulation"};
    window.frames(3);
    window.click("##prompt", {ICON_CLOSE});
    CHECK(done(window) == std::vector<std::string>{"paint"});
    window.frames(2);
    REQUIRE(window.ui.slider_y);
    const WindowRect prompt = window_rect("##prompt");
    const ImRect slider = window.find("##panel", {"Simulation", "##coefficient"});
    CHECK(std::abs((prompt.least.y + prompt.most.y) / 2 - slider.GetCenter().y) < 3);
    window.ui.preferences.open_sections = {};
    window.frames(3);
    CHECK_FALSE(window.ui.slider_y);
    CHECK(window_rect("##prompt").least.y > slider.Max.y);  // the first waits; the next is below the slider
}

TEST_CASE("Where all prompts are done there is none") {
    Interface window;
    window.ui.preferences.prompts_done = names_of(prompts());
    window.frames(2);
    CHECK_FALSE(window_rect("##prompt").drawn);
}

TEST_CASE("A prompt stands over the field and not over its colour bar") {
    Interface window;
    window.ui.panes = {Pane::now};
    window.ui.picture = {500, 150, 400, 300};
    window.frames(3);
    const WindowRect prompt = window_rect("##prompt");
    REQUIRE(prompt.drawn);
    CHECK(prompt.most.y <= 450);
    CHECK(std::abs((prompt.least.x + prompt.most.x) / 2 - 700) <= 1);
}
