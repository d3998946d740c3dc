// The interface without a window: layout, and what clicks and keys do.
#include "app/window/panels/panels.h"

#include <GLFW/glfw3.h>
#include <imgui_internal.h>
#include <sys/stat.h>

#include "app/window/display/frame_clock.h"
#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/preferences.h"
#include "app/window/shortcuts.h"
#include "kernels/methods/method.h"
#include "sim/import/model_file.h"
#include "sim/problem/run_text.h"
#include "sim/text/names.h"
#include "tests/support/runs.h"
#include "tests/support/window/imgui_panels.h"

namespace {

constexpr const char* kStrips[] = {
    "##toolbar", "##tabs", "##panel", "##panel edge", "##tools", "##timeline", "##notices", "##status"};

const std::initializer_list<const char*> kCoefficient = {"Equation", "coefficient", "##value"};

ImVec2 along(const ImRect& slider, float share) {
    return {slider.Min.x + share * slider.GetWidth(), slider.GetCenter().y};
}

// Returns the ID of a toolbar button, which follows ### in its label.
const char* label_of(UiCommand command) {
    static std::string label;
    label = "###" + std::string(shortcut_of(command)->what);
    return label.c_str();
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
    for (const float scale : {1.0f, 2.0f})
        for (const Theme theme : {Theme::dark, Theme::light})
            for (const bool full : {false, true}) {
                CAPTURE(scale, full);
                HeadlessImGui imgui(1280, 800, scale, theme);
                UiState ui = open_interface(scale);
                const Snapshot snapshot = full ? full_snapshot(dice) : empty_snapshot();
                if (full) ui.panes = {Pane::laplacian};
                imgui.draw = [&] { draw_interface(ui, snapshot); };
                imgui.frames(3);
                for (const char* name : kStrips) {
                    CAPTURE(name);
                    const WindowRect window = window_rect(name);
                    const bool nothing_to_say = !full && std::string(name) == "##notices";
                    REQUIRE(window.drawn != nothing_to_say);
                    if (nothing_to_say) continue;
                    CHECK(window.content.x <= window.room.x + 1);
                    if (std::string(name) != "##panel") CHECK(window.content.y <= window.room.y + 1);
                }
                ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
                bool measured = false;
                for (std::size_t tab = 0; tab < kPanelTabs.size(); ++tab) {
                    show_tab(ui, PanelTab(tab));
                    imgui.frames(2);
                    for (float y = 0; y <= panel->ScrollMax.y; y += panel->ClipRect.GetHeight()) {
                        ImGui::SetScrollY(panel, y);
                        imgui.frames(2);
                        CAPTURE(tab, y);
                        CHECK(panel->ContentSize.x <= panel->WorkRect.GetWidth() + 1);
                        measured |= ui.wants_histogram;
                    }
                }
                CHECK(ui.actions.empty());
                CHECK(measured);
            }
}

TEST_CASE("toolbar, panel, status line and canvas never overlap, and the canvas keeps a minimum") {
    Dice dice;
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
            imgui.draw = [&] { draw_interface(ui, snapshot); };
            imgui.frames(2);

            const ScreenRect canvas{ui.canvas.x / pixels,
                                    ui.canvas.y / pixels,
                                    ui.canvas.width / pixels,
                                    ui.canvas.height / pixels};
            const WindowRect tools = window_rect("##tools");
            const float taken = tools.drawn ? tools.most.x - tools.least.x : 0;
            CHECK(canvas.width >= (1 - kLargestPanelShare) * width - taken - 1);
            CHECK(canvas.width > taken);
            CHECK(canvas.height >= std::min(2.0 * 15 * scale, height - 1.0));
            std::vector<ScreenRect> parts{canvas};
            double area = canvas.width * canvas.height;
            for (const std::string name : kStrips)  // messages stand over the canvas
                if (const WindowRect window = window_rect(name.c_str());
                    window.drawn && name != "##notices") {
                    parts.push_back(rect_of(window));
                    area += parts.back().width * parts.back().height;
                }
            for (std::size_t a = 0; a < parts.size(); ++a)
                for (std::size_t b = 0; b < a; ++b) CHECK_FALSE(overlap(parts[a], parts[b]));
            // Without overlaps, the areas add up to the window only if they cover it.
            CHECK(area == Approx(double(width) * height));
            CHECK(window_rect("##panel").drawn <= ui.preferences.panels);
        }
    }
}

TEST_CASE("the run button runs and pauses") {
    Interface window;
    for (const bool running : {true, false}) {
        window.snapshot.running = running;
        window.ui.actions.clear();
        window.click("##toolbar", {label_of(toggle_running)});
        CHECK(only<action::Run>(window.ui).on != running);
        CHECK(window.ui.actions.size() == 1);
    }
}

TEST_CASE("what is typed into the toolbar's pace is the pace, and nothing else") {
    Interface window;
    window.click("##toolbar", {"##pace"});
    // As shortcuts they would select three-up and one pixel per cell.
    window.type("31");
    for (const int key : {GLFW_KEY_3, GLFW_KEY_1}) CHECK_FALSE(handle_key({key}, window.ui, window.snapshot));
    CHECK(window.ui.actions.empty());
    window.press(ImGuiKey_Enter);
    CHECK(only<action::Pace>(window.ui).steps_per_frame == 31);
    CHECK(window.ui.actions.size() == 1);
}

TEST_CASE("below one step per frame the pace is slow motion, by its keys and as a fraction") {
    Interface window;
    UiState& ui = window.ui;
    window.snapshot.steps_per_frame = 1;
    for (const int frames : {2, 4, 8, 16, 32, 64, 64}) {
        slower(ui, window.snapshot);
        CHECK(ui.frames_per_step == frames);
    }
    for (const int frames : {32, 16, 8, 4, 2, 1}) {
        faster(ui, window.snapshot);
        CHECK(ui.frames_per_step == frames);
    }
    CHECK(ui.actions.empty());
    faster(ui, window.snapshot);
    CHECK(only<action::ScalePace>(ui).factor == 2);
    const auto enter = [&](const char* text) {
        ui.actions.clear();
        enter_pace(ui, window.snapshot, text);
        return std::pair{ui.frames_per_step, only<action::Pace>(ui).steps_per_frame};
    };
    CHECK(enter("1/4") == std::pair{4, 1LL});
    CHECK(enter("0.5") == std::pair{2, 1LL});
    CHECK(enter("1k") == std::pair{1, 1000LL});
    for (const char* wrong : {"0", "-3", "1/65", "fast", ""})
        CHECK_THROWS_AS(enter_pace(ui, window.snapshot, wrong), InputError);
}

TEST_CASE("the link that is copied carries the equation as the run has it") {
    Interface window;
    window.snapshot.now = spec_with("model=gray-scott size=40x30 set=F=0.04");
    copy_link(window.ui, window.snapshot);
    CHECK(text_of_link(window.ui.take<CopyText>()->text) == text_of_run(window.snapshot.now));
}

TEST_CASE("the list of exports scrolls to its end in a low window") {
    Interface window;
    window.quiet();
    window.resize(1280, 420);
    window.frames(3);
    window.click("##toolbar", {label_of(export_now)});
    window.frames(4);
    REQUIRE(!ImGui::GetCurrentContext()->OpenPopupStack.empty());
    const ImGuiWindow* popup = ImGui::GetCurrentContext()->OpenPopupStack.back().Window;
    REQUIRE(popup);
    CHECK(popup->Rect().Max.y <= 420);
    CHECK(popup->ScrollMax.y > 0);
    CHECK(popup->ContentSize.y - popup->ScrollMax.y <= popup->InnerRect.GetHeight());
}

TEST_CASE("a drag of the coefficient is one edit that continues, within the range of the text") {
    Interface window;
    const ImRect slider = window.find("##panel", kCoefficient);
    for (const float from : {0.3f, 0.6f}) {
        window.ui.actions.clear();
        window.drag(along(slider, from), along(slider, 1.05f), 3);
        const auto changes = actions_of<action::Change>(window.ui);
        REQUIRE(changes.size() == 3);
        for (const auto& change : changes) {
            CHECK(change.setting == "coefficient");
            CHECK(change.continuing == (&change != &changes.front()));
            CHECK(std::stod(change.value) > 0);
        }
        CHECK(std::stod(changes.back().value) == 0.25);
        window.frames(60);
    }
}

TEST_CASE("a click on a section's header closes and opens it, and that is remembered") {
    Interface window;
    auto& open = window.ui.preferences.open_sections;
    const auto all = open;
    const ImVec2 header = window.find("##panel", {"Equation"}).GetCenter();
    window.click(header);
    CHECK(open.size() == all.size() - 1);
    CHECK(std::ranges::find(open, "Equation") == open.end());
    window.click(header);
    CHECK(open.back() == "Equation");
}

TEST_CASE("the initial condition's draft follows the session and is its own in between") {
    Interface window;
    InitialState& draft = window.ui.panel.initial;
    CHECK(draft.name == "jagged");
    const double radius = window.dice.uniform(0.1, 0.4);
    window.snapshot.now.initial = "disk:radius=" + format_real(radius);
    window.frames();
    CHECK(draft.name == "disk");
    CHECK(draft.parameters.at("radius") == radius);
    draft.parameters.at("radius") = 2 * radius;
    window.frames();
    CHECK(draft.parameters.at("radius") == 2 * radius);
    window.snapshot.now.initial = "a_folder/of_a_file_that_has_gone.npy";
    window.frames();
    CHECK(draft.name.empty());
}

TEST_CASE("the panel's edge can be dragged, and takes no more than its share of the window") {
    Interface window;
    const WindowRect edge = window_rect("##panel edge");
    const float wished = float(window.dice.integer(300, 500));
    window.drag({(edge.least.x + edge.most.x) / 2, 400}, {wished, 420});
    window.frames(2);
    CHECK(std::abs(window_rect("##panel edge").most.x - wished) <= 6);
    window.drag({wished, 420}, {1200, 420});
    window.frames(2);
    CHECK(window_rect("##panel edge").most.x <= 0.45f * 1280);
    CHECK(window_rect("##tools").least.x <= 0.45f * 1280);
    CHECK(window.ui.actions.empty());
}

TEST_CASE("the newest message can be dismissed") {
    Interface window;
    window.frames(3);
    const WindowRect notices = window_rect("##notices");
    REQUIRE(notices.drawn);
    const ImVec2 close(notices.most.x - 18, (notices.least.y + notices.most.y) / 2);
    window.click(close);
    CHECK(only<action::DismissMessage>(window.ui).id == window.snapshot.messages.back().id);
    window.snapshot.messages.clear();
    window.frames();
    CHECK_FALSE(window_rect("##notices").drawn);
}

TEST_CASE("a message moves nothing, and goes by itself unless it is an error") {
    Interface window;
    window.snapshot.messages.clear();
    window.frames(3);
    const ScreenRect canvas = window.ui.canvas;
    const WindowRect timeline = window_rect("##timeline");
    window.snapshot.messages = {{Message::Level::notice, 1001, "Wrote 8 files", "here"}};
    window.frames(3);
    const WindowRect notices = window_rect("##notices");
    REQUIRE(notices.drawn);
    CHECK(notices.least.y >= float(canvas.y));
    CHECK(notices.most.y <= float(canvas.y + canvas.height));
    CHECK(window.ui.canvas == canvas);
    CHECK(window_rect("##timeline").least.y == timeline.least.y);
    window.frames(700);  // of 1/60 s
    CHECK_FALSE(window_rect("##notices").drawn);
    window.snapshot.messages.push_back({Message::Level::error, 1002, "It was too large"});
    window.frames(700);
    CHECK(window_rect("##notices").drawn);
}

TEST_CASE("the progress of an export is in its popup while that is open") {
    Interface window;
    window.quiet();
    window.snapshot.exporting = true;
    window.snapshot.export_doing = "writing files";
    window.frames(40);
    CHECK(window_rect("##long").drawn);
    window.click("##toolbar", {label_of(export_now)});
    window.frames(3);
    CHECK_FALSE(window_rect("##long").drawn);
}

TEST_CASE("a mistake of several lines is seen whole, its caret included") {
    Interface window;
    window.snapshot.messages = {{Message::Level::error, 1, "lop is not a function"}};
    window.frames(3);
    const float line = window_rect("##notices").room.y;
    window.snapshot.messages.front().text += "\n  du/dt = lop(u)\n          ^^^";
    window.frames(3);
    const WindowRect notices = window_rect("##notices");
    CHECK(notices.room.y > line + 1.5f * ImGui::GetFontSize());
    CHECK(notices.content.y <= notices.room.y + 1);
}

TEST_CASE("the help opens and closes by its keys, and is seen whole while the canvas stays in use") {
    Interface window;
    window.snapshot.messages.clear();
    handle_key({GLFW_KEY_F1}, window.ui, window.snapshot);
    window.frames(3);
    const WindowRect help = window_rect("Help");
    REQUIRE(help.drawn);
    CHECK(help.content.y <= help.room.y);
    CHECK_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    handle_key({GLFW_KEY_ESCAPE}, window.ui, window.snapshot);
    window.frames(2);
    CHECK_FALSE(window_rect("Help").drawn);
}

TEST_CASE("the escape key closes a list that is open") {
    Interface window({"View"});
    window.frames(2);
    window.click("##panel", {"View", "##pane"});
    CHECK(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    handle_key({GLFW_KEY_ESCAPE}, window.ui, window.snapshot);
    window.frames();
    CHECK_FALSE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    CHECK(window.ui.actions.empty());
}

TEST_CASE("a tooltip waits until the mouse rests, and is seen whole once no more frames are asked for") {
    const ImVec2 slider = Interface().find("##panel", kCoefficient).GetCenter();
    Interface window;
    window.quiet();
    const auto tip = [] { return ImGui::FindWindowByName("##Tooltip_00"); };
    const auto shown = [] { return window_rect("##Tooltip_00").drawn; };
    window.frames(3);
    CHECK_FALSE(window.moves);
    window.move_mouse(slider);
    window.frames(10);
    CHECK(window.moves);
    CHECK_FALSE(shown());
    for (int i = 0; window.moves && i < 1000; ++i) window.frames();
    CHECK_FALSE(window.moves);
    REQUIRE(shown());
    CHECK_FALSE(tip()->Hidden);
    const ImVec2 size = tip()->Size;
    window.frames(5);
    CHECK(tip()->Size.x == size.x);
    CHECK(tip()->Size.y == size.y);
    window.move_mouse(ImVec2(1000, 400));
    window.frames(2);
    CHECK_FALSE(shown());
    CHECK_FALSE(window.moves);
}

TEST_CASE("no tooltip covers what a mouse button is held on") {
    const ImRect slider = Interface().find("##panel", kCoefficient);
    const ImRect button = Interface().find("##toolbar", {label_of(toggle_running)});
    const auto shown = [] { return window_rect("##Tooltip_00").drawn; };
    for (const ImRect& item : {slider, button}) {
        Interface window;
        window.move_mouse(item.GetCenter());
        window.frames(60);
        REQUIRE(shown());
        window.press_mouse(true);
        for (const float share : {0.2f, 0.8f}) {
            window.move_mouse(along(item, share));
            window.frames(60);
            CHECK_FALSE(shown());
        }
        window.press_mouse(false);
        window.frames(60);
        CHECK(shown());
    }
}

TEST_CASE("a tooltip stands below the toolbar and beside the panel, where it covers no neighbours") {
    const auto tip_at = [](ImVec2 at) {
        Interface window;
        window.move_mouse(at);
        window.frames(60);
        REQUIRE(window_rect("##Tooltip_00").drawn);
        return window_rect("##Tooltip_00");
    };
    Interface window;
    const ImVec2 button = window.find("##toolbar", {label_of(act<action::Reset>)}).GetCenter();
    CHECK(tip_at(button).least.y >= window_rect("##toolbar").most.y);
    const ImVec2 slider = window.find("##panel", kCoefficient).GetCenter();
    CHECK(tip_at(slider).least.x >= window_rect("##panel").most.x);
    CHECK(tip_at({30, window_rect("##status").least.y + 12}).most.y <= window_rect("##status").least.y);
}

TEST_CASE("every method has a card, which tells why it is faster and what limits it, with a picture") {
    for (const std::string_view model : {kDiffusion, kEquation})
        for (const Method& method : methods(model)) {
            CAPTURE(method.name, model);
            HeadlessImGui imgui(1000, 600);
            imgui.draw = [&] {
                begin_window("list", 200, 400);
                ImGui::Button("here");
                method_tooltip(method, "");
                ImGui::End();
            };
            imgui.move_mouse(imgui.find("list", {"here"}, 0.1f).GetCenter());
            imgui.frames(60);
            const WindowRect card = window_rect("##Tooltip_00");
            REQUIRE(card.drawn);
            CHECK(card.content.y > 8 * ImGui::GetTextLineHeight());
            CHECK(card.most.x <= 1000);
            CHECK(card.least.x >= 0);
        }
}

TEST_CASE("a tooltip is as wide as a narrow window has room for") {
    HeadlessImGui imgui(250, 400);
    imgui.draw = [] {
        ImGui::SetNextWindowPos({0, 0});
        ImGui::Begin("narrow");
        ImGui::Button("here");
        tooltip(std::string(40, 'a') + " " + std::string(20, 'b') + "\n--option");
        ImGui::End();
    };
    imgui.move_mouse(imgui.find("narrow", {"here"}).GetCenter());
    imgui.frames(60);
    const WindowRect tip = window_rect("##Tooltip_00");
    REQUIRE(tip.drawn);
    CHECK(tip.least.x >= 0);
    CHECK(tip.most.x <= 250);
}

TEST_CASE("the status line tells four things, less where there is no room, and the others in its tooltips") {
    Interface window;
    window.snapshot.busy.clear();
    window.snapshot.running = true;
    window.ui.cost.fields_per_s = 24.5;
    window.ui.cost.steps_per_s = 2450;
    window.ui.transfer.text = "copied through the host: interop is switched off";
    window.snapshot.way.name = "compiled";
    set_setting(window.snapshot.spec, "unit-time", "0.5s");
    const auto told = [&](float width) {
        return window.text_of(width, [&] { draw_status_line(window.ui, window.snapshot); });
    };
    const std::string all = told(3000);
    CHECK(all.find("2450 steps/s") != all.npos);
    CHECK(all.find("step ") != all.npos);
    CHECK(all.find(", t = ") != all.npos);
    const auto tips = status_tooltips(window.ui, window.snapshot);
    CHECK(tips.size() <= 4);
    for (const char* other : {"24.5 frames/s", "switched off", "(compiled)", "GCells/s"}) {
        CAPTURE(other);
        CHECK(all.find(other) == all.npos);
        for (const std::string& tip : tips) CHECK(tip.find(other) != tip.npos);
    }
    // What was said takes the place of the cell under the mouse.
    const std::size_t cell = all.rfind(" = ");
    REQUIRE(cell != all.npos);
    window.ui.say("Copied");
    CHECK(told(3000).find("Copied") != all.npos);
    CHECK(told(3000).find(all.substr(cell)) == all.npos);
    window.ui.said.clear();
    std::size_t before = all.size();
    for (float width = 2000; width > 300; width -= 20) {
        CAPTURE(width);
        const std::string some = told(width);
        CHECK(some.find("...") == some.npos);
        CHECK(some.size() <= before);
        CHECK(some.find("step ") != some.npos);
        before = some.size();
    }
    CHECK(before < all.size());
    window.ui.cost = {};  // the run stands still
    CHECK(told(3000).find("steps/s") == all.npos);
}

TEST_CASE("while a jump goes on the main button, Space and Esc stop it") {
    Interface window;
    window.snapshot.running = false;
    window.snapshot.ordered = true;
    window.snapshot.busy = "jumping to step 1000000";
    window.snapshot.busy_share = 0.25;
    window.frames(2);
    window.click("##toolbar", {label_of(toggle_running)});
    handle_key({GLFW_KEY_SPACE}, window.ui, window.snapshot);
    handle_key({GLFW_KEY_ESCAPE}, window.ui, window.snapshot);
    const auto runs = actions_of<action::Run>(window.ui);
    REQUIRE(runs.size() == 2);
    for (const auto& run : runs) CHECK_FALSE(run.on);
    CHECK(actions_of<action::Cancel>(window.ui).size() == 1);
    // Open popups are closed first.
    window.ui.actions.clear();
    window.ui.help_open = true;
    handle_key({GLFW_KEY_ESCAPE}, window.ui, window.snapshot);
    CHECK(window.ui.actions.empty());
}

// Draws only the section of the initial condition.
static void draw_initial_alone(Interface& window) {
    window.draw = [&window] {
        begin_window("initial", 400, 500);
        draw_initial(window.ui, window.snapshot);
        ImGui::End();
    };
}

TEST_CASE("a seed is typed as numbers are, and refused where it stands") {
    Interface window;
    draw_initial_alone(window);
    const ImVec2 field = window.find("initial", {"##Seed"}).GetCenter();
    for (const char* text : {"1e4", "18446744073709551615", "-1", "abc"}) {
        window.click(field);
        window.enter(text);
    }
    CHECK(changes_of(window.ui) == std::vector<std::string>{"seed=10000", "seed=18446744073709551615"});
    const NumberDraft& draft = window.ui.panel.drafts.at(window.id_of("initial", {"##Seed"}));
    CHECK(draft.text == "abc");
    CHECK_FALSE(draft.wrong.empty());
}

TEST_CASE("a path is opened by Enter, with ~ for the home folder, and an error goes when the path changes") {
    Interface window;
    const ScratchFolder home;
    write_bytes(home / "there.npy", "x");
    const Environment variable("HOME", home.path().string());
    InitialState& state = window.ui.panel.initial;
    draw_initial_alone(window);
    const ImVec2 field = window.find("initial", {"##path"}).GetCenter();
    const auto open = [&](const char* path) {
        window.click(field);
        window.enter(path);
    };
    open("~/missing.npy");
    CHECK(actions_of<action::Open>(window.ui).empty());
    CHECK(state.path_error.find("missing.npy") != std::string::npos);
    state.path.clear();
    open("~/there.npy");
    CHECK(only<action::Open>(window.ui).path == (home / "there.npy").string());
    CHECK(state.path_error.empty());
    // An error of the session about it disappears, too.
    window.ui.actions.clear();
    const int id = window.snapshot.messages.back().id + 1;
    window.snapshot.messages.push_back({Message::Level::error, id, "there.npy: no array"});
    window.click(field);
    window.type("z");
    CHECK(only<action::DismissMessage>(window.ui).id == id);
}

TEST_CASE("a copy says how large it is and how many edits it holds") {
    const ScratchFolder folder;
    Interface window;
    window.ui.preferences.exports.folder = folder.path().string();
    copy_command_line(window.ui, window.snapshot);
    const std::string out = " --out " + folder.path().string();
    CHECK(window.ui.take<CopyText>()->text == command_text(window.snapshot.spec) + out);
    window.ui.preferences.exports.files = {"field.npy", "figure.pdf"};
    copy_command_line(window.ui, window.snapshot);
    CHECK(window.ui.take<CopyText>()->text ==
          command_text(window.snapshot.spec) + out + " --export field.npy,figure.pdf");
    CHECK(window.ui.said.find("Copied") == 0);
    CHECK(window.ui.said.find("edit") == std::string::npos);
    window.snapshot.spec.edits = EventList(std::vector<Event>(350, {1, SetSetting{"coefficient", "0.1"}}));
    copy_command_line(window.ui, window.snapshot);
    CHECK(window.ui.said.find("350 edits") != std::string::npos);
    CHECK(window.ui.take<CopyText>()->text.find("--spec") != std::string::npos);
    CHECK(folder.entries() == 1);
    // If no file can be written, the whole command is copied.
    window.ui.preferences.exports.folder.clear();
    copy_command_line(window.ui, window.snapshot);
    CHECK(window.ui.take<CopyText>()->text == command_text(window.snapshot.spec));
}

TEST_CASE("a message about files opens their folder, and says where the desktop cannot") {
    const ScratchFolder folder;
    Interface window;
    window.snapshot.messages = {{Message::Level::notice, 7, "Wrote 8 files", folder.path().string()}};
    {
        const Environment none("PATH", (folder / "nothing").string());
        window.click("##notices", {"###open7"});
        CHECK(window.ui.said.find("xdg-open") != std::string::npos);
    }
    // Opening the pipe blocks until the started program writes.
    const std::filesystem::path answer = folder / "answer";
    REQUIRE(mkfifo(answer.c_str(), 0600) == 0);
    write_script(folder / "xdg-open", "echo \"$1\" > '" + answer.string() + "'");
    const Environment path("PATH", folder.path().string());
    window.ui.said.clear();
    window.click("##notices", {"###open7"});
    REQUIRE(window.ui.said.empty());
    CHECK(read_bytes(answer) == folder.path().string() + "\n");
}

TEST_CASE("a picture that no PNG holds is left out for a reason, and what has no pixel a cell is not") {
    RunSpec spec;
    spec.size = Size{60000, 60000};
    for (const char* name : {"field.png", "laplacian.png", "frames.png"})
        CHECK_FALSE(find_artifact(name)->why_not(spec).empty());
    for (const char* name : {"field.npy", "figure.png"}) CHECK(find_artifact(name)->why_not(spec).empty());
}

TEST_CASE("a figure of the view is exported in its button's format, at the size that is typed") {
    Interface window({"Export"});
    window.resize(1280, 1600);
    window.frames(3);
    const ImRect png = window.find("##panel", {"Export", "PNG##view"});
    const std::string files[] = {"view.png", "view.svg", "view.pdf"};
    for (int i = 0; i < 3; ++i) {
        window.ui.actions.clear();
        window.click({png.GetCenter().x - float(i) * (png.GetWidth() + 4), png.GetCenter().y});
        const auto order = only<action::Export>(window.ui);
        CHECK(order.files == std::vector{files[i]});
        CHECK(order.folder == window.ui.preferences.exports.folder);
    }
    window.ui.actions.clear();
    const ImRect size = window.find("##panel", {"Export", "##Figure size"});
    window.click(size.GetCenter());
    window.enter("9 x 7");
    CHECK(changes_of(window.ui).empty());
    window.click(size.GetCenter());
    window.enter("9x7");
    CHECK(changes_of(window.ui) == std::vector<std::string>{"figure-size=9x7cm"});
}

TEST_CASE("a start from a file can be begun again") {
    Interface window;
    window.snapshot.now.initial = "/somewhere/photo.png";
    window.ui.preferences.open_sections = {"Initial condition"};
    window.frames(3);
    window.click("##panel", {"Initial condition", "###apply"});
    CHECK(actions_of<action::Reset>(window.ui).size() == 1);
    CHECK(window.ui.panel.initial.path == "/somewhere/photo.png");
}

TEST_CASE("the next view follows the one that is shown, however it came to be shown") {
    Interface window;
    for (const PaneRow& row : panes()) {
        CAPTURE(row.name);
        window.ui.panes = {row.pane};
        next_view(window.ui, window.snapshot);
        const bool last = &row == &panes().back();
        CHECK(window.ui.panes == std::vector<Pane>{last ? panes().front().pane : (&row + 1)->pane});
        window.ui.panes = {row.pane};
        toggle_three_up(window.ui, window.snapshot);
        CHECK(window.ui.panes.size() == 3);
        toggle_three_up(window.ui, window.snapshot);
        CHECK(window.ui.panes == std::vector<Pane>{row.pane});
    }
}

TEST_CASE("the rate is that of new fields, falls while they are late, and is zero at rest") {
    FieldRate rate;
    CHECK(rate.per_second(0).fields == 0);
    for (int i = 0; i < 100; ++i) rate.shown(0.25 * i, 10 * i);
    CHECK(rate.per_second(0.25 * 99).fields == Approx(4));
    CHECK(rate.per_second(0.25 * 99 + 0.2).fields == Approx(4));
    CHECK(rate.per_second(0.25 * 99 + 10).fields < 1);
    for (const double late : {0.0, 0.2, 10.0}) {
        const FieldRates rates = rate.per_second(0.25 * 99 + late);
        CHECK(rates.steps == Approx(10 * rates.fields));
    }
    rate.rest();
    CHECK(rate.per_second(30).fields == 0);
    CHECK(rate.per_second(30).steps == 0);
    // Slow fields have a rate, too.
    rate.shown(100, 2000);
    rate.shown(110, 2005);
    CHECK(rate.per_second(110).fields == Approx(0.1));
    CHECK(rate.per_second(110).steps == Approx(0.5));
    // A reset to step 0 does not give a negative rate.
    rate.shown(111, 0);
    CHECK(rate.per_second(111).steps == 0);
    rate.shown(112, 5);
    CHECK(rate.per_second(112).steps == Approx(5));
}

TEST_CASE("numbers for people keep their figures, and what was not measured yet is a dash") {
    for (const auto& [text, expected] : {std::pair{format_count(0), "0"},
                                         {format_count(1234567), "1 234 567"},
                                         {format_count(-123), "-123"},
                                         {format_count(-1234), "-1 234"},
                                         {format_figures(0.1234), "0.123"},
                                         {format_figures(9.999), "10.0"},
                                         {format_figures(4567.8), "4568"},
                                         {format_value(0), "0"},
                                         {format_value(0.00854), "0.008540"},
                                         {format_value(-9.99996), "-10.00"},
                                         {format_value(2230.5849), "2231"},
                                         {format_value(3.21e-7), "3.210e-07"},
                                         {format_value(std::nan("")), "nan"},
                                         {format_value(-INFINITY), "-inf"},
                                         {format_duration(90), "90 s"},
                                         {format_duration(600), "10 min"},
                                         {format_measured(0), kUnknown.data()},
                                         {format_measured(0.943, format_share), "94%"},
                                         {format_measured(0.00554), "0.00554"}})
        CHECK(text == expected);
    Dice dice;
    for (int i = 0; i < 1000; ++i) {
        const double value = dice.uniform(-1, 1) * std::pow(10, dice.uniform(-8, 8));
        CHECK(std::stod(format_value(value)) == Approx(value).epsilon(5.1e-4));
        CHECK(std::stod(format_short(value, 6)) == Approx(value).epsilon(1e-5));
        const double span = std::abs(value) * std::pow(10, dice.uniform(-5, 2));
        // Both ends of an axis and its middle have different labels.
        CHECK(format_in_span(value, span) != format_in_span(value + span / 2, span));
        CHECK(std::abs(std::stod(format_in_span(value, span)) - value) <= 0.06 * span);
    }
}

TEST_CASE("the chart of speeds has a button that measures the suite, unless it is being measured") {
    Interface window({"Performance"});
    const ImVec2 button = window.find("##panel", {"Performance", "Measure all methods"}).GetCenter();
    for (const bool measuring : {false, true}) {
        window.snapshot.measuring_suite = measuring;
        window.ui.actions.clear();
        window.click(button);
        REQUIRE(actions_of<action::MeasureSuite>(window.ui).empty() == measuring);
    }
}

TEST_CASE("A brush whose radius is in percent keeps its share of the field, one in cells its cells") {
    Interface window;
    const Size size = *window.snapshot.now.size;
    window.frames();
    const double radius = window.ui.preferences.brush.radius;
    window.ui.panel.brush.percent = GENERATE(true, false);
    window.snapshot.now.size = Size{2 * size.nx, 2 * size.ny};
    window.frames();
    CHECK(window.ui.preferences.brush.radius == (window.ui.panel.brush.percent ? 2 * radius : radius));
}

TEST_CASE("sections far from what is seen keep their room and are not made") {
    Interface window;
    window.resize(1280, 300);
    window.frames(3);
    ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
    REQUIRE(panel);
    const float page = panel->ClipRect.GetHeight();
    float content = 0;
    const auto look_at_all = [&] {
        bool drawn = false;
        for (float y = 0; y < panel->ScrollMax.y; y += page / 2) {
            ImGui::SetScrollY(panel, y);
            window.frames(3);
            CAPTURE(y);
            // Within a line, because rounding to pixels depends on the position.
            if (content > 0) CHECK(std::abs(panel->ContentSize.y - content) < ImGui::GetFontSize());
            drawn |= window.ui.slider_drawn;
        }
        return drawn;
    };
    CHECK(look_at_all());
    CHECK_FALSE(window.ui.slider_drawn);
    content = panel->ContentSize.y;
    REQUIRE(content > 4 * page);
    look_at_all();
}

TEST_CASE("exports are in groups that fold, each with the number of its ticked files") {
    HeadlessImGui imgui(400, 1600);
    UiState ui;
    Dice dice;
    const Snapshot snapshot = full_snapshot(dice);
    imgui.draw = [&] {
        begin_window("a window", 390, 1590);
        draw_export_choice(ui, snapshot);
        ImGui::End();
    };
    imgui.frames(3);
    std::vector<std::string>& files = ui.preferences.exports.files;
    REQUIRE(contains(files, "field.npy"));
    imgui.click("a window", {"field.npy"}, 0.05f);
    CHECK_FALSE(contains(files, "field.npy"));
    imgui.click("a window", {"field.npy"}, 0.05f);
    CHECK(contains(files, "field.npy"));
    CHECK_THROWS(imgui.click("a window", {"statistics.csv"}, 0.05f));
    imgui.click("a window", {"###Tables"}, 0.2f);
    imgui.click("a window", {"statistics.csv"}, 0.05f);
    CHECK(contains(files, "statistics.csv"));
    for (const ExportGroupRow& group : kExportGroups) {
        const auto of_group = [&](const Artifact& file) { return file.group == group.group; };
        CHECK(std::ranges::any_of(artifacts(), of_group));
    }
}
