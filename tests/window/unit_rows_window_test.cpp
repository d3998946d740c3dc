// Physical units in the panel: D and coefficient, time and step.
#include <functional>
#include <string>

#include "app/window/panels/equation/parameter_rows.h"
#include "sim/run/settings.h"
#include "sim/run/units.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

struct Rows {
    HeadlessImGui imgui{600, 500};
    UiState ui;
    Snapshot snapshot = empty_snapshot();

    Rows() {
        for (int i = 0; i < 3; ++i) imgui.frame(draw());
    }

    std::function<void()> draw() {
        return [this] {
            ImGui::Begin("a window");
            ImGui::SetWindowSize(ImVec2(390, 450));
            ImGui::GetStateStorage()->SetInt(ImGui::GetID("Physical units"), 1);
            draw_units(ui, snapshot);
            ImGui::End();
        };
    }
    void set(const char* setting, const char* value) {
        set_setting(snapshot.now, setting, value);
        snapshot.spec = snapshot.now;
    }
    void type(std::initializer_list<const char*> labels, const char* text) {
        ui.actions.clear();
        imgui.click("a window", labels, draw());
        imgui.type(text);
        imgui.frame(draw());
        imgui.press(ImGuiKey_Enter, draw());
    }
};

}  // namespace

TEST_CASE("typing D sets the coefficient that it comes to, unless that were unstable") {
    Rows rows;
    rows.set("coefficient", "0.2");
    rows.set("unit-length", "0.01m");
    rows.set("unit-time", "0.1s");
    rows.type({"##D"}, "1e-4");
    const auto changes = actions_of<action::Change>(rows.ui);
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().setting == "coefficient");
    CHECK(std::stod(changes.front().value) == Approx(0.1));
    rows.type({"##D"}, "1");
    CHECK(actions_of<action::Change>(rows.ui).empty());
    CHECK(rows.ui.panel.equation.diffusivity.wrong.find("dt") != std::string::npos);
}

TEST_CASE("a unit is typed as its option takes it, and what is none stays with its reason") {
    Rows rows;
    rows.type({"unit-length", "##unit"}, "2.5mm");
    const auto changes = actions_of<action::Change>(rows.ui);
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().setting == "unit-length");
    CHECK(read_unit(changes.front().value, "") == Unit{2.5, "mm"});
    rows.type({"unit-time", "##unit"}, "3");
    CHECK(rows.ui.actions.empty());
    CHECK(rows.ui.panel.equation.unit_time.wrong.find("3") != std::string::npos);
}

TEST_CASE("typing a time jumps to the step nearest to it") {
    Rows rows;
    rows.set("unit-time", "0.1s");
    rows.snapshot.step = 100;
    rows.type({"##t"}, "25.04");
    const auto jumps = actions_of<action::Jump>(rows.ui);
    REQUIRE(jumps.size() == 1);
    CHECK(jumps.front().step == 250);
}
