// Every key does what the help says.
#include "app/window/shortcuts.h"

#include <GLFW/glfw3.h>

#include "app/window/panels/widgets/widgets.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

struct Outcome {
    const UiState& before;
    const UiState& after;
    const Snapshot& snapshot;

    /// Returns the only action sent.
    template <class T>
    const T* action() const {
        return after.actions.size() == 1 ? std::get_if<T>(&after.actions.front()) : nullptr;
    }
    double pace() const { return action<action::ScalePace>() ? action<action::ScalePace>()->factor : 0; }
};

using Expectation = bool (*)(const Outcome&);

template <class T>
bool acts(const Outcome& o) {
    return o.action<T>() != nullptr;
}

template <class T>
bool asks(const Outcome& o) {
    return o.after.asked<T>() != nullptr;
}

template <Tool kTool>
bool uses(const Outcome& o) {
    return o.after.tool == kTool;
}

const std::map<UiCommand, Expectation>& expectations() {
    static const std::map<UiCommand, Expectation> table{
        {toggle_running,
         [](const Outcome& o) {
             return o.action<action::Run>() && o.action<action::Run>()->on != o.snapshot.running;
         }},
        {act<action::Step>,
         [](const Outcome& o) { return o.action<action::Step>() && o.action<action::Step>()->steps == 1; }},
        {act<action::Reset>, acts<action::Reset>},
        {faster, [](const Outcome& o) { return o.pace() == 2; }},
        {slower, [](const Outcome& o) { return o.pace() == 0.5; }},
        {undo, acts<action::Undo>},
        {redo, acts<action::Redo>},
        {next_view,
         [](const Outcome& o) { return o.after.panes.size() == 1 && o.after.panes != o.before.panes; }},
        {toggle_three_up, [](const Outcome& o) { return o.after.panes == three_up(); }},
        {snap_range,
         [](const Outcome& o) {
             const auto* change = o.action<action::Change>();
             return change && change->setting == "range" && change->value == "-2:3";
         }},
        {fit, [](const Outcome& o) { return !o.before.view.fitted && o.after.view.fitted; }},
        {one_cell_per_pixel,
         [](const Outcome& o) { return o.after.view.scale == 1 && !o.after.view.fitted; }},
        {act<action::SetBookmark>, acts<action::SetBookmark>},
        {use_brush, uses<Tool::paint>},
        {use_eraser, [](const Outcome& o) { return o.after.erases && o.after.tool == Tool::paint; }},
        {use<Tool::pick>, uses<Tool::pick>},
        {use<Tool::probe>, uses<Tool::probe>},
        {use<Tool::profile>, uses<Tool::profile>},
        {use<Tool::pan>, uses<Tool::pan>},
        {smaller_brush,
         [](const Outcome& o) {
             return o.after.preferences.brush.radius < o.before.preferences.brush.radius;
         }},
        {larger_brush,
         [](const Outcome& o) {
             return o.after.preferences.brush.radius > o.before.preferences.brush.radius;
         }},
        {export_now,
         [](const Outcome& o) {
             const auto* wanted = o.action<action::Export>();
             return wanted && wanted->folder == o.before.preferences.exports.folder &&
                    wanted->files == o.before.preferences.exports.files;
         }},
        {copy_command_line,
         [](const Outcome& o) {
             return asks<CopyText>(o) && o.after.asked<CopyText>()->text.starts_with("stencilscope run");
         }},
        {toggle_large_editor,
         [](const Outcome& o) { return o.after.panel.equation.large && o.after.panel.equation.takes_focus; }},
        {toggle_reference_card,
         [](const Outcome& o) { return o.after.panel.equation.large && o.after.panel.equation.card; }},
        {show_open_popup, [](const Outcome& o) { return o.after.panel.open_popup_wanted; }},
        {toggle_gallery, [](const Outcome& o) { return o.after.gallery.open != o.before.gallery.open; }},
        {ask<CopyCanvas>, asks<CopyCanvas>},
        {ask<FocusNext>, asks<FocusNext>},
        {ask<FocusPrevious>, asks<FocusPrevious>},
        {toggle<&UiState::help_open>,
         [](const Outcome& o) { return o.after.help_open != o.before.help_open; }},
        {close_popups, [](const Outcome& o) { return !o.after.help_open && asks<ClosePopups>(o); }},
        {next_tab,
         [](const Outcome& o) { return o.after.preferences.panel_tab != o.before.preferences.panel_tab; }},
        {previous_tab,
         [](const Outcome& o) { return o.after.preferences.panel_tab != o.before.preferences.panel_tab; }},
        {toggle_panels,
         [](const Outcome& o) { return o.after.preferences.panels != o.before.preferences.panels; }},
        {toggle_theme,
         [](const Outcome& o) { return o.after.preferences.theme != o.before.preferences.theme; }},
        {larger_text,
         [](const Outcome& o) { return o.after.preferences.font_size > o.before.preferences.font_size; }},
        {smaller_text,
         [](const Outcome& o) { return o.after.preferences.font_size < o.before.preferences.font_size; }},
        {toggle<&UiState::presenter>,
         [](const Outcome& o) { return o.after.presenter != o.before.presenter; }},
        {toggle<&UiState::full_screen>,
         [](const Outcome& o) { return o.after.full_screen != o.before.full_screen; }},
        {ask<Quit>, asks<Quit>},
    };
    return table;
}

Snapshot random_session(Dice& dice) {
    Snapshot snapshot = empty_snapshot();
    snapshot.running = dice.integer(0, 1) == 1;
    snapshot.steps_per_frame = dice.integer(0, 1) * dice.integer(1, 1000);
    snapshot.last_batch = dice.integer(1, 1000);
    snapshot.budget_ms = dice.uniform(1, 30);
    snapshot.can_undo = "coefficient";
    snapshot.can_redo = "brush stroke";
    auto frame = std::make_shared<Frame>();
    frame->panes.push_back({{Pane::now, {}}, nullptr, {-2, 3}, "viridis"});
    snapshot.frame = frame;
    return snapshot;
}

UiState random_interface(Dice& dice) {
    UiState ui;
    ui.tool = Tool(dice.integer(0, 2));
    ui.preferences.brush.radius = dice.uniform(2, 100);
    ui.canvas = {0, 0, 800, 600};
    ui.view = {dice.uniform(2, 50), 3, 4, false};
    ui.help_open = dice.integer(0, 1) == 1;
    ui.preferences.exports.folder = "folder" + std::to_string(dice.integer(0, 99));
    return ui;
}

}  // namespace

TEST_CASE("no two shortcuts share a key in one place") {
    std::set<std::tuple<int, int, bool>> seen;
    for (const Shortcut& row : shortcuts()) {
        CHECK_FALSE(row.chords.empty());
        for (const Chord& chord : row.chords) {
            CAPTURE(row.what, chord.key, chord.mods);
            CHECK(seen.emplace(chord.key, chord.mods, row.is(kInEquation)).second);
        }
    }
}

TEST_CASE("the help names a shortcut by its keys, and keys that mean the same are one") {
    const std::pair<UiCommand, const char*> named[] = {{toggle_running, "Space"},
                                                       {redo, "Ctrl+Y or Ctrl+Shift+Z"},
                                                       {toggle<&UiState::help_open>, "H, F1 or ?"},
                                                       {larger_text, "Ctrl+plus"},
                                                       {faster, "+"},
                                                       {smaller_brush, "["},
                                                       {next_tab, "Ctrl+PageDown"},
                                                       {toggle_reference_card, "F1 in the equation"}};
    for (const auto& [command, keys] : named) CHECK(shortcut_of(command)->keys() == keys);
    const std::pair<KeyPress, Chord> same[] = {
        {{GLFW_KEY_EQUAL, GLFW_MOD_SHIFT}, {GLFW_KEY_EQUAL}},
        {{GLFW_KEY_KP_ADD}, {GLFW_KEY_EQUAL}},
        {{GLFW_KEY_KP_SUBTRACT, GLFW_MOD_CONTROL}, {GLFW_KEY_MINUS, GLFW_MOD_CONTROL}},
        {{GLFW_KEY_KP_DECIMAL, GLFW_MOD_NUM_LOCK}, {GLFW_KEY_PERIOD}},
        {{GLFW_KEY_KP_3}, {GLFW_KEY_3}}};
    for (const auto& [press, chord] : same) CHECK(chord_of(press) == chord);
}

TEST_CASE("every shortcut does what the help says of it") {
    Dice dice;
    const HeadlessImGui imgui(800, 600);
    for (const Shortcut& row : shortcuts()) {
        CAPTURE(row.what);
        const auto expected = expectations().find(row.command);
        REQUIRE(expected != expectations().end());
        CHECK(shortcut_of(row.command) == &row);
        for (const Chord& chord : row.chords) {
            UiState before = random_interface(dice);
            before.panel.equation.editing = row.is(kInEquation);
            const Snapshot snapshot = random_session(dice);
            UiState after = before;
            // Num lock and caps lock are ignored.
            CHECK(handle_key({chord.key, chord.mods | GLFW_MOD_NUM_LOCK, false}, after, snapshot));
            CHECK(expected->second({before, after, snapshot}));
            CHECK(after.actions.size() <= 1);
        }
    }
}

TEST_CASE("keys are ignored while a text is being typed") {
    Dice dice;
    const HeadlessImGui imgui(800, 600);
    ImGui::GetIO().WantTextInput = true;
    const Snapshot snapshot = random_session(dice);
    for (const Shortcut& row : shortcuts())
        for (const Chord& chord : row.chords) {
            UiState ui;
            ui.panel.equation.editing = row.is(kInEquation);
            CHECK(handle_key({chord.key, chord.mods, false}, ui, snapshot) == row.is(kWhileTyping));
            CHECK(ui.actions.empty());
            // Only quitting, and what belongs to the text.
            CHECK((ui.asked<Quit>() != nullptr) == (row.command == ask<Quit>));
        }
}

TEST_CASE(
    "Tab brings the keyboard into each part of the window and out again, and Space or Enter presses what has "
    "it") {
    const bool by_enter = GENERATE(false, true);
    Interface window;
    const auto part = [] {
        const ImGuiContext& context = *ImGui::GetCurrentContext();
        return context.IO.NavVisible ? std::string(context.NavWindow->RootWindow->Name) : std::string();
    };
    const auto tab = [&](int mods) {
        window.ui.actions.clear();
        CHECK(handle_key({GLFW_KEY_TAB, mods, false}, window.ui, window.snapshot));
        CHECK(window.ui.actions.empty());  // no step
        window.frames(3);
    };
    window.frames(2);
    CHECK(part().empty());
    std::vector<std::string> parts;
    for (tab(0); !part().empty(); tab(0)) {
        REQUIRE(parts.size() < 10);
        parts.push_back(part());
    }
    REQUIRE(parts.size() >= 3);
    CHECK(parts[0] == "##toolbar");
    CHECK(parts[1] == "##tabs");
    CHECK(parts[2] == "##panel");
    tab(GLFW_MOD_SHIFT);
    CHECK(part() == parts.back());
    tab(0);
    tab(0);
    CHECK(handle_key({GLFW_KEY_PAGE_DOWN, GLFW_MOD_CONTROL, false}, window.ui, window.snapshot));
    window.press(ImGuiKey_PageDown);
    CHECK(part().empty());
    tab(0);
    // Space clicks the focused control, which runs or pauses, and is no shortcut of the canvas.
    CHECK_FALSE(handle_key({GLFW_KEY_SPACE, 0, false}, window.ui, window.snapshot));
    window.press(by_enter ? ImGuiKey_Enter : ImGuiKey_Space);
    CHECK(actions_of<action::Run>(window.ui).size() == 1);
    const ImGuiID first = ImGui::GetCurrentContext()->NavId;
    window.press(ImGuiKey_RightArrow);
    window.frames(2);
    CHECK(ImGui::GetCurrentContext()->NavId != first);
    CHECK(part() == "##toolbar");
    window.press(ImGuiKey_Escape);
    window.frames(2);
    CHECK(part().empty());
    CHECK(handle_key({GLFW_KEY_SPACE, 0, false}, window.ui, window.snapshot));
}

TEST_CASE("the keyboard reaches a slider, whose number Space opens to be typed") {
    HeadlessImGui imgui(400, 300);
    UiState ui;
    std::optional<LiveEdit> edit;
    imgui.draw = [&] {
        ImGui::Begin("a window");
        ImGui::SetNextItemWidth(200);
        if (const auto news = live_slider("##slider", ui, 0.2, {0, 1})) edit = news;
        ImGui::End();
    };
    imgui.frames();
    imgui.press(ImGuiKey_DownArrow);
    REQUIRE(ImGui::GetIO().NavVisible);
    imgui.press(ImGuiKey_Space);
    imgui.frames(4);
    REQUIRE(ImGui::GetIO().WantTextInput);
    imgui.enter("0.125");
    REQUIRE(edit);
    CHECK(edit->value == 0.125);
}

TEST_CASE("a held key repeats what can be repeated and nothing else") {
    Dice dice;
    const HeadlessImGui imgui(800, 600);
    const Snapshot snapshot = random_session(dice);
    UiState ui;
    handle_key({GLFW_KEY_SPACE, 0, true}, ui, snapshot);
    handle_key({GLFW_KEY_T, 0, true}, ui, snapshot);
    CHECK(ui.actions.empty());
    CHECK(ui.preferences.theme == Theme::dark);
    handle_key({GLFW_KEY_PERIOD, 0, true}, ui, snapshot);
    handle_key({GLFW_KEY_EQUAL, 0, true}, ui, snapshot);
    CHECK(ui.actions.size() == 2);
}

TEST_CASE("keys that stand for nothing are left to others") {
    const HeadlessImGui imgui(800, 600);
    UiState ui;
    CHECK_FALSE(handle_key({GLFW_KEY_X, 0, false}, ui, empty_snapshot()));
    CHECK_FALSE(handle_key({GLFW_KEY_SPACE, GLFW_MOD_ALT, false}, ui, empty_snapshot()));
    CHECK(handle_key({GLFW_KEY_Z, GLFW_MOD_CONTROL, false}, ui, empty_snapshot()));
    CHECK(ui.actions.empty());  // there is nothing to undo
}
