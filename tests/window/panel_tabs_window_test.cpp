// The side panel's tabs, each of which shows the sections that belong to it.
#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/preferences.h"
#include "app/window/shortcuts.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

PanelTab shown(const Interface& window) {
    return window.ui.preferences.panel_tab;
}

// Whether the header of a section is in the panel, somewhere below the tabs.
bool has_section(Interface& window, const char* title) {
    ImGui::SetScrollY(ImGui::FindWindowByName("##panel"), 0);
    try {
        window.find("##panel", {title});
        return true;
    } catch (const std::runtime_error&) {
        return false;
    }
}

const char* title_of(PanelTab tab) {
    return kPanelTabs[std::size_t(tab)].data();
}

}  // namespace

TEST_CASE("a click on a tab shows its sections alone, and each section has a tab") {
    Interface window;
    window.ui.preferences.open_sections = {};
    for (std::size_t i = kPanelTabs.size(); i-- > 0;) {
        const auto tab = PanelTab(i);
        window.click("##tabs", {title_of(tab)});
        CHECK(shown(window) == tab);
        CHECK(window.ui.preferences.open_sections.size() == kPanelTabs.size() - i);
    }
    window.ui.preferences.open_sections = {};
    for (std::size_t i = 0; i < kPanelTabs.size(); ++i) {
        window.ui.preferences.panel_tab = PanelTab(i);
        window.frames(2);
        for (const Section& section : sections()) {
            CAPTURE(i, section.title);
            CHECK(has_section(window, section.title) == (section.tab == PanelTab(i)));
        }
    }
    CHECK(tab_of("Measure") == PanelTab::measure);
    CHECK_FALSE(tab_of("Kitchen"));
}

TEST_CASE("no tab is cut, at any width of the panel and size of the text") {
    for (const float scale : {1.0f, 1.5f, 2.0f})
        for (const float width : {kMinPanelWidth, Preferences().panel_width, kMaxPanelWidth}) {
            CAPTURE(scale, width);
            HeadlessImGui imgui(1280 * scale, 800 * scale, scale);
            UiState ui = open_interface(scale);
            ui.preferences.panel_width = width;
            const Snapshot snapshot = empty_snapshot();
            imgui.draw = [&] { draw_interface(ui, snapshot); };
            imgui.frames(3);
            const WindowRect tabs = window_rect("##tabs");
            REQUIRE(tabs.drawn);
            CHECK(tabs.content.x <= tabs.room.x + 1);
            for (const std::string_view title : kPanelTabs) {
                const ImRect tab = imgui.find("##tabs", {title.data()});
                CHECK(tab.GetWidth() >= ImGui::CalcTextSize(title.data()).x);
            }
        }
}

TEST_CASE("keys go through the tabs, also while a text is typed, and show a hidden panel") {
    Interface window;
    const auto press = [&](int key) {
        CHECK(handle_key({key, GLFW_MOD_CONTROL}, window.ui, window.snapshot));
        window.frames(2);
    };
    for (std::size_t i = 1; i <= kPanelTabs.size(); ++i) {
        press(GLFW_KEY_PAGE_DOWN);
        CHECK(shown(window) == PanelTab(i % kPanelTabs.size()));
    }
    window.ui.preferences.panels = false;
    press(GLFW_KEY_PAGE_UP);
    CHECK(shown(window) == PanelTab::files);
    CHECK(window.ui.preferences.panels);
}

TEST_CASE("a section that is asked for, and one of a card of the tour, come with their tab") {
    Interface window;
    window.ui.preferences.open_sections = {};
    for (const Section& section : sections()) {
        CAPTURE(section.title);
        window.ui.ask(RevealSection{section.title});
        window.frames(2);
        CHECK(window.ui.requests.empty());
        CHECK(shown(window) == section.tab);
        CHECK(window.ui.preferences.open_sections.back() == section.title);
    }
    begin_tour(window.ui, window.snapshot);
    for (std::size_t i = 0; i < tour_steps().size(); ++i) {
        window.ui.panel.tour = {};
        window.ui.panel.tour.card = i;
        window.ui.panel.tour.reveals = true;
        window.frames(2);
        if (const std::string_view section = tour_steps()[i].section; !section.empty())
            CHECK(shown(window) == tab_of(section));
    }
}

TEST_CASE("each tab keeps how far it is scrolled") {
    Interface window;
    window.frames(3);
    ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
    const auto show = [&](PanelTab tab) {
        show_tab(window.ui, tab);
        window.frames(3);
    };
    show(PanelTab::performance);
    ImGui::SetScrollY(panel, 200);
    window.frames(3);
    REQUIRE(panel->Scroll.y == 200);
    show(PanelTab::model);
    CHECK(panel->Scroll.y == 0);
    ImGui::SetScrollY(panel, 50);
    window.frames(3);
    show(PanelTab::performance);
    CHECK(panel->Scroll.y == 200);
    show(PanelTab::model);
    CHECK(panel->Scroll.y == 50);
}

TEST_CASE("a text that was typed is applied although another tab is shown by then") {
    Interface window({"Equation"});
    window.frames(2);
    window.ui.panel.equation.edit.begin("du/dt = lap(u) - u");
    window.ui.panel.equation.typed_at = ImGui::GetTime();
    show_tab(window.ui, PanelTab::view);
    window.frames(60);
    CHECK(only<action::Change>(window.ui).setting == "equation");
    CHECK(window.ui.panel.equation.typed_at < 0);
}
