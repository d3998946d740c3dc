// The mouse on colour bars.
#include <imgui_internal.h>

#include <memory>

#include "app/window/panels/color_bar_input.h"
#include "app/window/panels/commands.h"
#include "sim/run/output/exports.h"
#include "sim/view/colormap.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

// A window with one bar over a range.
struct Bar {
    Bar(Pane pane, ValueRange range, std::string colormap = "viridis") {
        auto frame = std::make_shared<Frame>(*window.snapshot.frame);
        frame->panes = {{{pane, {}}, nullptr, range, std::move(colormap)}};
        window.snapshot.frame = frame;
        window.ui.color_bars = {{pane, {700, 600, 400, 12}}};
        window.frames(3);
    }
    void drag(float from, float to) {
        window.move_mouse({from, 606});
        window.press_mouse(true);
        for (int i = 1; i <= 4; ++i) window.move_mouse({from + (to - from) * float(i) / 4, 606});
        window.press_mouse(false);
    }
    void right_click(ImVec2 at) {
        window.move_mouse(at);
        for (const bool down : {true, false}) {
#if IMGUI_VERSION_NUM >= 18700
            ImGui::GetIO().AddMouseButtonEvent(1, down);
#else
            ImGui::GetIO().MouseDown[1] = down;
#endif
            window.frames();
        }
        window.frames();
    }
    // Clicks an item of the menu, found by its label.
    void click_in_menu(std::initializer_list<const char*> labels) {
        const ImGuiWindow* menu = ImGui::GetCurrentContext()->OpenPopupStack.back().Window;
        ImGuiID id = menu->ID;
        for (const char* label : labels) id = ImHashStr(label, 0, id);
        for (float y = 4; y < menu->Size.y; y += 8)
            for (const float x : {0.4f, 0.6f, 0.75f}) {
                const ImVec2 at(menu->Pos.x + x * menu->Size.x, menu->Pos.y + y);
                window.move_mouse(at);
                if (ImGui::GetCurrentContext()->HoveredId == id) return window.click(at);
            }
        FAIL("no such item");
    }
    std::vector<action::Change> changes() const {
        return actions_of<action::Change>(window.ui);
    }

    Interface window;
};

}  // namespace

TEST_CASE("an end that is dragged stops before the other one, and both move where zero is in the middle") {
    const ValueRange range{2, 4};
    CHECK(to_string(dragged_range(range, false, false, 0.25)) == "2.5:4");
    CHECK(to_string(dragged_range(range, false, false, -0.5)) == "1:4");
    CHECK(to_string(dragged_range(range, false, true, 1)) == "2:6");
    for (const bool high : {false, true})
        for (const double by : {-5.0, 5.0}) {
            const RangeRule rule = dragged_range(range, false, high, by);
            CHECK(rule.low < rule.high);
            const RangeRule both = dragged_range({-3, 3}, true, high, by);
            CHECK(both.low < both.high);
            CHECK(both.low == -both.high);
        }
    CHECK(to_string(dragged_range({1e-2, 1, Scale::log}, false, false, -0.5)) == "log:0.001:1");
    CHECK(to_string(dragged_range({1e-2, 1, Scale::log}, false, true, -0.5)) == "log:0.01:0.1");
    CHECK(dragged_range({-1, 1, Scale::symlog}, false, true, 0.1).high > 1.5);
}

TEST_CASE("dragging an end of the colour bar is a fixed range, sent while it is dragged") {
    Bar bar(Pane::now, {0, 8});
    bar.drag(1090, 990);  // drags the high end by a quarter of the bar
    const auto changes = bar.changes();
    REQUIRE(changes.size() >= 2);
    CHECK(changes.back().setting == "range");
    CHECK(changes.back().value == "0:6");
    CHECK_FALSE(changes.front().continuing);
    CHECK(changes.back().continuing);

    Bar laplacian(Pane::laplacian, {-1, 1, Scale::symlog});
    laplacian.drag(705, 805);
    REQUIRE(!laplacian.changes().empty());
    CHECK(laplacian.changes().back().setting == "laplacian-range");
    const RangeRule rule = parse_range(laplacian.changes().back().value, "");
    CHECK(rule.scale == Scale::symlog);
    CHECK(rule.low > -0.1);
    CHECK(rule.high == 1);

    Bar difference(Pane::from_start, {-1, 1}, "coolwarm");
    difference.drag(705, 805);
    CHECK(difference.changes().empty());
}

TEST_CASE("a double click on the colour bar gives the range back to the field, on its scale") {
    Bar bar(Pane::now, {0.5, 1, Scale::log});
    bar.window.snapshot.now.range = parse_range("log:0.5:1", "");
    for (int i = 0; i < 2; ++i) bar.window.click({900, 606});
    REQUIRE(bar.changes().size() == 1);
    CHECK(bar.changes().front().value == "log");
}

TEST_CASE("the right button opens the colour bar's menu, with scale, range and the reversed table") {
    Bar bar(Pane::now, {0, 1});
    bar.right_click({900, 606});
    REQUIRE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    bar.click_in_menu({"values", "scale", "Log"});
    bar.click_in_menu({"values", "Reversed"});
    bar.click_in_menu({"values", "Fit range to view"});
    REQUIRE(bar.changes().size() == 2);
    CHECK(bar.changes()[0].value == "log");
    CHECK(bar.changes()[1].setting == "colormap");
    CHECK(bar.changes()[1].value == std::string(field_colors(bar.window.snapshot.now).name) + "_r");
    REQUIRE(bar.window.ui.asked<FitRange>());
    CHECK(bar.window.ui.asked<FitRange>()->setting == "range");
}

TEST_CASE("the range of what is visible is that of the newest frame's pixels, once they are on the host") {
    UiState ui;
    Snapshot snapshot;
    auto frame = std::make_shared<Frame>();
    auto pixels = std::make_shared<Pixels>();
    pixels->width = 3;
    pixels->height = 2;
    pixels->host = {0.5f, 0.75f, NAN, 0.25f, INFINITY, 0.5f, 99};  // one more than there are pixels
    pixels->on_device = true;
    frame->panes = {{{Pane::laplacian, {}}, pixels, {0, 1}, "viridis"},
                    {{Pane::now, {}}, pixels, {0, 1}, "viridis"}};
    snapshot.frame = frame;
    ui.ask(FitRange{"range"});
    hold_visible_range(ui, snapshot);
    CHECK(ui.actions.empty());
    pixels->on_device = false;
    hold_visible_range(ui, snapshot);
    hold_visible_range(ui, snapshot);
    const auto changes = actions_of<action::Change>(ui);
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().setting == "range");
    CHECK(changes.front().value == "0.25:0.75");
}
