// The interface without a window: what is drawn where, and what clicks and keys become.
#include "app/window/panels/panels.h"

#include <GLFW/glfw3.h>
#include <imgui_internal.h>

#include <cmath>
#include <limits>

#include "app/window/field_rate.h"
#include "app/window/format.h"
#include "app/window/layout.h"
#include "app/window/panels/widgets.h"
#include "app/window/preferences.h"
#include "app/window/shortcuts.h"
#include "sim/text/parse.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

constexpr const char* kStrips[] = {"##toolbar", "##panel", "##splitter", "##notices", "##status"};

struct Session {
    Dice dice;
    UiState ui = open_interface();
    Snapshot snapshot = full_snapshot(dice);

    std::function<void()> draw() {
        return [this] { draw_interface(ui, snapshot); };
    }
};

// The middle of the control in the first row of the panel's first section.
ImVec2 first_control(float share) {
    const WindowRect panel = window_rect("##panel");
    const float frame = ImGui::GetFontSize() + 2 * ImGui::GetStyle().FramePadding.y;
    const float y = panel.least.y + std::round(0.5f * ImGui::GetFontSize()) + frame +
                    ImGui::GetStyle().ItemSpacing.y + frame / 2;
    const float left = panel.least.x + 0.5f * (panel.most.x - panel.least.x);
    return {left + share * 0.4f * (panel.most.x - panel.least.x), y};
}

bool overlap(const ScreenRect& a, const ScreenRect& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

ScreenRect rect_of(const WindowRect& window) {
    return {window.least.x, window.least.y, window.most.x - window.least.x, window.most.y - window.least.y};
}

}  // namespace

TEST_CASE("every section draws and fits, in both themes and at both scales, full and empty") {
    Dice dice;
    CAPTURE(dice.seed);
    for (const float scale : {1.0f, 2.0f})
        for (const Theme theme : {Theme::dark, Theme::light})
            for (const bool full : {false, true}) {
                CAPTURE(scale, full);
                HeadlessImGui imgui(1280, 800, scale, theme);
                UiState ui = open_interface(scale);
                const Snapshot snapshot = full ? full_snapshot(dice) : empty_snapshot();
                if (full) ui.panes = {Pane::laplacian};
                for (int i = 0; i < 3; ++i) imgui.frame([&] { draw_interface(ui, snapshot); });
                for (const char* name : kStrips) {
                    CAPTURE(name);
                    const WindowRect window = window_rect(name);
                    REQUIRE(window.drawn);
                    CHECK(window.content.x <= window.room.x + 1);
                    if (std::string(name) != "##panel") CHECK(window.content.y <= window.room.y + 1);
                }
                CHECK(ui.actions.empty());
                CHECK(ui.wants_histogram);
            }
}

TEST_CASE("toolbar, panel, status line and canvas never overlap, and the canvas keeps a minimum") {
    Dice dice;
    CAPTURE(dice.seed);
    for (const float scale : {1.0f, 1.5f, 2.0f}) {
        HeadlessImGui imgui(1280, 800, scale);
        for (int i = 0; i < 40; ++i) {
            const float width = float(dice.integer(200, 3000)), height = float(dice.integer(100, 2000));
            const float pixels = float(dice.integer(1, 2));
            CAPTURE(scale, width, height, pixels);
            imgui.resize(width, height);
            ImGui::GetIO().DisplayFramebufferScale = ImVec2(pixels, pixels);
            UiState ui = open_interface(scale);
            ui.preferences.panels = dice.integer(0, 3) > 0;
            ui.preferences.panel_width = float(dice.uniform(kMinPanelWidth, kMaxPanelWidth));
            const Snapshot snapshot = full_snapshot(dice);
            Layout layout;
            for (int n = 0; n < 2; ++n) imgui.frame([&] { layout = draw_interface(ui, snapshot); });

            const ScreenRect canvas{layout.canvas.x / pixels,
                                    layout.canvas.y / pixels,
                                    layout.canvas.width / pixels,
                                    layout.canvas.height / pixels};
            CHECK(canvas.width >= (1 - kLargestPanelShare) * width - 1);
            CHECK(canvas.height >= std::min(2.0 * 15 * scale, height - 1.0));
            std::vector<ScreenRect> parts{canvas};
            double area = canvas.width * canvas.height;
            for (const char* name : kStrips)
                if (const WindowRect window = window_rect(name); window.drawn) {
                    parts.push_back(rect_of(window));
                    area += parts.back().width * parts.back().height;
                }
            for (std::size_t a = 0; a < parts.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) CHECK_FALSE(overlap(parts[a], parts[b]));
            // Without an overlap they can only add up to the window where nothing is left bare.
            CHECK(area == Approx(double(width) * height));
            CHECK(window_rect("##panel").drawn <= ui.preferences.panels);
        }
    }
}

TEST_CASE("the run button runs and pauses") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    const WindowRect toolbar = window_rect("##toolbar");
    const ImVec2 button(toolbar.least.x + 30, (toolbar.least.y + toolbar.most.y) / 2);
    for (const bool running : {true, false}) {
        session.snapshot.running = running;
        session.ui.actions.clear();
        imgui.click(button, session.draw());
        const auto runs = actions_of<action::Run>(session.ui);
        REQUIRE(runs.size() == 1);
        CHECK(runs.front().on != running);
        CHECK(session.ui.actions.size() == 1);
    }
}

TEST_CASE("a drag of the coefficient is one beginning and what continues it") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    for (int drag = 0; drag < 2; ++drag) {
        session.ui.actions.clear();
        imgui.move_mouse(first_control(drag == 0 ? 0.9f : 0.1f));
        imgui.frame(session.draw());
        imgui.press_mouse(true);
        for (int i = 0; i <= 10; ++i) {
            imgui.move_mouse(first_control(drag == 0 ? 0.9f - 0.08f * i : 0.1f + 0.08f * i));
            imgui.frame(session.draw());
            for (const auto& change : actions_of<action::Change>(session.ui))
                session.snapshot.now.set_parameter("coefficient", std::stod(change.value));
        }
        imgui.press_mouse(false);
        for (int i = 0; i < 60; ++i) imgui.frame(session.draw());
        const auto changes = actions_of<action::Change>(session.ui);
        REQUIRE(changes.size() > 4);
        CHECK(changes.size() == session.ui.actions.size());
        for (std::size_t i = 0; i < changes.size(); ++i) {
            CHECK(changes[i].setting == "coefficient");
            CHECK(changes[i].continuing == (i > 0));
            const auto value = read_real(changes[i].value);
            REQUIRE(value);
            CHECK((*value > 0 && *value <= 0.25));
        }
    }
}

TEST_CASE(
    "a double click makes the coefficient an input: sent once, when it is left, and no key does anything") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    const ImVec2 slider = first_control(0.5f);
    imgui.click(slider, session.draw());
    imgui.click(slider, session.draw());
    CHECK(ImGui::GetIO().WantTextInput);
    session.ui.actions.clear();
    imgui.type("0.");
    imgui.frame(session.draw());
    imgui.type("125");
    imgui.frame(session.draw());
    CHECK(session.ui.actions.empty());
    for (const Shortcut& row : shortcuts()) {
        const bool heard =
            handle_key({row.chords.front().key, row.chords.front().mods}, session.ui, session.snapshot);
        CHECK(heard == row.while_typing);
    }
    CHECK(session.ui.actions.empty());
    imgui.click(ImVec2(1000, 400), session.draw());
    const auto changes = actions_of<action::Change>(session.ui);
    REQUIRE(changes.size() == 1);
    CHECK(changes.front().value == "0.125");
    CHECK_FALSE(changes.front().continuing);
    CHECK_FALSE(ImGui::GetIO().WantTextInput);
}

TEST_CASE("the coefficient stays within the limit unless unstable steps are allowed") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    for (const bool allowed : {false, true}) {
        session.snapshot.now.allow_unstable = allowed;
        session.ui.actions.clear();
        imgui.move_mouse(first_control(0.5f));
        imgui.frame(session.draw());
        imgui.press_mouse(true);
        imgui.frame(session.draw());
        imgui.move_mouse(first_control(1.05f));
        imgui.frame(session.draw());
        imgui.press_mouse(false);
        imgui.frame(session.draw());
        const auto changes = actions_of<action::Change>(session.ui);
        REQUIRE(changes.size() == 1);
        CHECK((std::stod(changes.front().value) > 0.25) == allowed);
        for (int i = 0; i < 60; ++i) imgui.frame(session.draw());
    }
}

TEST_CASE("a click on a section's header closes and opens it, and that is remembered") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    const WindowRect panel = window_rect("##panel");
    const ImVec2 header(panel.least.x + 80, panel.least.y + 18);
    const auto all = session.ui.preferences.open_sections;
    imgui.click(header, session.draw());
    CHECK(session.ui.preferences.open_sections.size() == all.size() - 1);
    CHECK(std::ranges::find(session.ui.preferences.open_sections, "Simulation") ==
          session.ui.preferences.open_sections.end());
    imgui.click(header, session.draw());
    CHECK(session.ui.preferences.open_sections.back() == "Simulation");
}

TEST_CASE("the histogram is asked for only while it is seen") {
    Session session;
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    CHECK(session.ui.wants_histogram);
    session.ui.preferences.open_sections = {"View"};
    imgui.frame(session.draw());
    CHECK_FALSE(session.ui.wants_histogram);
    session.ui.preferences.open_sections = {"Measure"};
    session.ui.preferences.panels = false;
    imgui.frame(session.draw());
    CHECK_FALSE(session.ui.wants_histogram);
}

TEST_CASE("the initial condition's draft follows the session and is its own in between") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    InitialState& draft = session.ui.panel.initial;
    CHECK(draft.name == "jagged");
    const double radius = session.dice.uniform(0.1, 0.4);
    session.snapshot.now.initial = "disk:radius=" + format_real(radius);
    imgui.frame(session.draw());
    CHECK(draft.name == "disk");
    CHECK(draft.parameters.at("radius") == radius);
    draft.parameters.at("radius") = 2 * radius;
    imgui.frame(session.draw());
    CHECK(draft.parameters.at("radius") == 2 * radius);
    session.snapshot.now.initial = "a_folder/of_a_file_that_has_gone.npy";
    imgui.frame(session.draw());
    CHECK(draft.name.empty());
}

TEST_CASE("the panel's edge can be dragged, and takes no more than its share of the window") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    const WindowRect edge = window_rect("##splitter");
    imgui.move_mouse(ImVec2((edge.least.x + edge.most.x) / 2, 400));
    imgui.frame(session.draw());
    imgui.press_mouse(true);
    imgui.frame(session.draw());
    const float wished = float(session.dice.integer(300, 500));
    imgui.move_mouse(ImVec2(wished, 420));
    for (int i = 0; i < 3; ++i) imgui.frame(session.draw());
    CHECK(std::abs(window_rect("##splitter").most.x - wished) <= 6);
    imgui.move_mouse(ImVec2(1200, 420));
    for (int i = 0; i < 3; ++i) imgui.frame(session.draw());
    imgui.press_mouse(false);
    imgui.frame(session.draw());
    CHECK(window_rect("##splitter").most.x <= 0.45f * 1280);
    CHECK(session.ui.canvas.x <= 0.45 * 1280);
    CHECK(session.ui.actions.empty());
}

TEST_CASE("the newest message can be dismissed, and so can the hint of the first start") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    imgui.frame(session.draw());
    const WindowRect notices = window_rect("##notices");
    REQUIRE(notices.drawn);
    const ImVec2 close(notices.most.x - 18, (notices.least.y + notices.most.y) / 2);
    imgui.click(close, session.draw());
    const auto dismissed = actions_of<action::DismissMessage>(session.ui);
    REQUIRE(dismissed.size() == 1);
    CHECK(dismissed.front().id == session.snapshot.messages.back().id);
    session.snapshot.messages.clear();
    imgui.click(close, session.draw());
    CHECK(session.ui.preferences.hints_seen);
    CHECK_FALSE(window_rect("##notices").drawn);
}

TEST_CASE("the help opens and closes by its keys, while the canvas stays in use") {
    Session session;
    HeadlessImGui imgui(1280, 800);
    handle_key({GLFW_KEY_F1}, session.ui, session.snapshot);
    for (int i = 0; i < 2; ++i) imgui.frame(session.draw());
    CHECK(window_rect("Help").drawn);
    CHECK_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    handle_key({GLFW_KEY_ESCAPE}, session.ui, session.snapshot);
    imgui.frame(session.draw());
    imgui.frame(session.draw());
    CHECK_FALSE(window_rect("Help").drawn);
}

TEST_CASE("the escape key closes a list that is open") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    session.ui.preferences.open_sections = {"View"};
    for (int i = 0; i < 2; ++i) imgui.frame(session.draw());
    // The view's first control stands below two closed sections.
    ImVec2 list = first_control(0.5f);
    const float header =
        ImGui::GetFontSize() + 2 * ImGui::GetStyle().FramePadding.y + ImGui::GetStyle().ItemSpacing.y;
    list.y += 2 * header;
    imgui.click(list, session.draw());
    CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    handle_key({GLFW_KEY_ESCAPE}, session.ui, session.snapshot);
    imgui.frame(session.draw());
    CHECK_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    CHECK(session.ui.actions.empty());
}

TEST_CASE("a tooltip waits until the mouse rests, and frames go on until it has come") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    bool moves = false;
    const auto draw = [&] { moves = draw_interface(session.ui, session.snapshot).moves; };
    const auto shown = [] { return window_rect("##Tooltip_00").drawn; };
    imgui.frame(draw);
    CHECK_FALSE(moves);
    imgui.move_mouse(first_control(0.5f));
    for (int i = 0; i < 10; ++i) imgui.frame(draw);
    CHECK(moves);
    CHECK_FALSE(shown());
    for (int i = 0; i < 40; ++i) imgui.frame(draw);
    CHECK_FALSE(moves);
    CHECK(shown());
    imgui.move_mouse(ImVec2(1000, 400));
    for (int i = 0; i < 3; ++i) imgui.frame(draw);
    CHECK_FALSE(shown());
    CHECK_FALSE(moves);
}

TEST_CASE("a tooltip is seen whole once no more frames are asked for") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    bool moves = false;
    const auto draw = [&] { moves = draw_interface(session.ui, session.snapshot).moves; };
    const auto tip = [] { return ImGui::FindWindowByName("##Tooltip_00"); };
    imgui.frame(draw);
    imgui.move_mouse(first_control(0.5f));
    imgui.frame(draw);
    int frames = 0;
    while (moves && frames < 1000) {
        imgui.frame(draw);
        ++frames;
    }
    REQUIRE(tip());
    CHECK_FALSE(tip()->Hidden);
    const ImVec2 size = tip()->Size;
    for (int i = 0; i < 5; ++i) imgui.frame(draw);
    CHECK(tip()->Size.x == size.x);
    CHECK(tip()->Size.y == size.y);
}

TEST_CASE("while a jump goes on the main button, Space and Esc stop it, and the time that is left is shown") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(1280, 800);
    session.snapshot.running = false;
    session.snapshot.ordered = true;
    session.snapshot.busy = "jumping to step 1000000";
    session.snapshot.busy_share = 0.25;
    session.snapshot.busy_seconds_left = 90;
    for (int i = 0; i < 2; ++i) imgui.frame(session.draw());
    const WindowRect toolbar = window_rect("##toolbar");
    imgui.click({toolbar.least.x + 30, (toolbar.least.y + toolbar.most.y) / 2}, session.draw());
    handle_key({GLFW_KEY_SPACE}, session.ui, session.snapshot);
    handle_key({GLFW_KEY_ESCAPE}, session.ui, session.snapshot);
    const auto runs = actions_of<action::Run>(session.ui);
    REQUIRE(runs.size() == 3);
    for (const auto& run : runs) CHECK_FALSE(run.on);
    CHECK(format_duration(90) == "90 s");
    CHECK(format_duration(600) == "10 min");
    // What is open goes first.
    session.ui.actions.clear();
    session.ui.help_open = true;
    handle_key({GLFW_KEY_ESCAPE}, session.ui, session.snapshot);
    CHECK(session.ui.actions.empty());
}

TEST_CASE("a path is opened by Enter, with ~ for the home folder, and an error goes when the path changes") {
    Session session;
    CAPTURE(session.dice.seed);
    const ScratchFolder home;
    write_bytes(home / "there.npy", "x");
    const char* kept = std::getenv("HOME");
    const std::string before = kept ? kept : "";
    setenv("HOME", home.path().c_str(), 1);
    HeadlessImGui imgui(1280, 800);
    InitialState& state = session.ui.panel.initial;
    ImVec2 field;
    const auto draw = [&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({400, 500});
        ImGui::Begin("initial");
        draw_initial(session.ui, session.snapshot);
        const ImVec2 end = ImGui::GetItemRectMin();
        field = {end.x + 150, end.y - 10};
        ImGui::End();
    };
    imgui.frame(draw);
    const auto open = [&](const char* path) {
        imgui.click(field, draw);
        imgui.type(path);
        imgui.frame(draw);
        imgui.press(ImGuiKey_Enter, draw);
    };
    open("~/missing.npy");
    CHECK(actions_of<action::Open>(session.ui).empty());
    CHECK(state.path_error.find("missing.npy") != std::string::npos);
    state.path.clear();
    open("~/there.npy");
    const auto opened = actions_of<action::Open>(session.ui);
    REQUIRE(opened.size() == 1);
    CHECK(opened.front().path == (home / "there.npy").string());
    CHECK(state.path_error.empty());
    // The session's own error about it goes, too.
    session.ui.actions.clear();
    const int id = session.snapshot.messages.back().id + 1;
    session.snapshot.messages.push_back({Message::Level::error, id, "there.npy: no array"});
    imgui.click(field, draw);
    imgui.type("z");
    imgui.frame(draw);
    const auto dismissed = actions_of<action::DismissMessage>(session.ui);
    REQUIRE(dismissed.size() == 1);
    CHECK(dismissed.front().id == id);
    setenv("HOME", before.c_str(), 1);
}

TEST_CASE("a copy says how large it is and how many edits it holds") {
    Session session;
    copy_command_line(session.ui, session.snapshot);
    CHECK(session.ui.said.find("Copied") == 0);
    CHECK(session.ui.said.find("edit") == std::string::npos);
    session.snapshot.spec.edits.own().resize(350);
    copy_command_line(session.ui, session.snapshot);
    CHECK(session.ui.said.find("350 edits") != std::string::npos);
}

TEST_CASE("the next view follows the one that is shown, however it came to be shown") {
    Session session;
    for (const PaneRow& row : panes()) {
        CAPTURE(row.name);
        session.ui.panes = {row.pane};
        next_view(session.ui, session.snapshot);
        const bool last = &row == &panes().back();
        CHECK(session.ui.panes == std::vector<Pane>{last ? panes().front().pane : (&row + 1)->pane});
        session.ui.panes = {row.pane};
        toggle_three_up(session.ui, session.snapshot);
        CHECK(session.ui.panes.size() == 3);
        toggle_three_up(session.ui, session.snapshot);
        CHECK(session.ui.panes == std::vector<Pane>{row.pane});
    }
}

TEST_CASE("the rate is that of new fields, falls while they are late, and is zero at rest") {
    FieldRate rate;
    CHECK(rate.per_second(0) == 0);
    for (int i = 0; i < 100; ++i) rate.shown(0.25 * i);
    CHECK(rate.per_second(0.25 * 99) == Approx(4));
    CHECK(rate.per_second(0.25 * 99 + 0.2) == Approx(4));
    CHECK(rate.per_second(0.25 * 99 + 10) < 1);
    rate.rest();
    CHECK(rate.per_second(30) == 0);
    // One slow field after another has a rate, too.
    rate.shown(100);
    rate.shown(110);
    CHECK(rate.per_second(110) == Approx(0.1));
}

TEST_CASE("what was not measured yet is a dash, not a zero") {
    CHECK(format_measured(0) == kUnknown);
    CHECK(format_measured(0, format_share) == kUnknown);
    CHECK(format_measured(0.94, format_share) == "94 %");
    CHECK(format_measured(12.345) == "12.35");
}

TEST_CASE("numbers for people keep their figures") {
    CHECK(format_count(0) == "0");
    CHECK(format_count(1234567) == "1 234 567");
    CHECK(format_count(-123) == "-123");
    CHECK(format_count(-1234) == "-1 234");
    CHECK(format_figures(0.1234) == "0.123");
    CHECK(format_figures(9.999) == "10.0");
    CHECK(format_figures(4567.8) == "4568");
    CHECK(format_value(std::numeric_limits<double>::quiet_NaN()) == "nan");
    CHECK(format_value(-std::numeric_limits<double>::infinity()) == "-inf");
    CHECK(format_share(0.943) == "94 %");
    Dice dice;
    CAPTURE(dice.seed);
    for (int i = 0; i < 1000; ++i) {
        const double value = dice.uniform(-1, 1) * std::pow(10, dice.uniform(-8, 8));
        CHECK(std::stod(format_value(value)) == Approx(value).epsilon(1e-3).margin(5e-5));
        CHECK(std::stod(format_short(value, 6)) == Approx(value).epsilon(1e-5));
        const double span = std::abs(value) * std::pow(10, dice.uniform(-5, 2));
        // The two ends of an axis and its middle can be told apart.
        CHECK(format_in_span(value, span) != format_in_span(value + span / 2, span));
        CHECK(std::abs(std::stod(format_in_span(value, span)) - value) <= 0.06 * span);
    }
}

TEST_CASE("the chart of speeds has a button that measures the ladder, unless it is being measured") {
    Session session;
    CAPTURE(session.dice.seed);
    HeadlessImGui imgui(400, 900);
    const auto draw = [&] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({400, 900});
        ImGui::Begin("performance");
        draw_performance(session.ui, session.snapshot);
        ImGui::End();
    };
    imgui.frame(draw);
    for (const bool measuring : {false, true}) {
        session.snapshot.measuring_ladder = measuring;
        session.ui.actions.clear();
        for (float y = 5; y < 900; y += 8) imgui.click({200, y}, draw);
        REQUIRE(actions_of<action::MeasureLadder>(session.ui).empty() == measuring);
    }
}
