// The section Equation without a window: typing, dragging and choosing send actions to the session.
#include <GLFW/glfw3.h>

#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/shortcuts.h"
#include "sim/problem/ready_runs.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/imgui_panels.h"

namespace {

constexpr const char* kTyped = "du/dt = D*lap(u) + v\ndv/dt = 0.1*lap(v)\nD = 0.1 in [0, 0.2]\nsize = 40x30";

struct EquationLab : SectionLab {
    explicit EquationLab(const std::string& text = kTyped) : SectionLab(run_of_text(text), "Equation") {}
    // Returns the child window that has this in its name.
    static const ImGuiWindow& child(std::string_view name) {
        for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
            if (window->WasActive && std::string_view(window->Name).find(name) != std::string_view::npos)
                return *window;
        throw std::runtime_error("no such window");
    }
    // Clicks into the editor's second line.
    void enter_editor() {
        const ImGuiWindow& editor = child("##text");
        click({editor.Pos.x + 30, editor.Pos.y + editor.Size.y - 8});
    }
    void press_with(bool InputState::*modifier, std::initializer_list<ImGuiKey> keys) {
        hands.*modifier = true;
        for (const ImGuiKey key : keys) press(key);
        hands.*modifier = false;
        frames();
    }
    void chord(ImGuiKey key) { press_with(&InputState::ctrl, {key}); }
    // Types at the end of the text, and waits until that is applied.
    void append(std::string_view typed) {
        enter_editor();
        chord(ImGuiKey_End);
        type(typed);
        frames(30);
    }
    const std::string& text() const { return state.edit.text(); }
    ImRect slider() { return find("##panel", {"Equation", "D", "##value"}); }
    const Model& model() { return *now().model; }
    EquationState& state = ui.panel.equation;
};

}  // namespace

TEST_CASE("A typed equation is applied after a moment of quiet, and a mistake is told in its place") {
    EquationLab lab;
    lab.enter_editor();
    lab.type("\nK = 3");
    CHECK_FALSE(lab.model().index_of("K"));  // continued typing is not interrupted
    lab.frames(30);
    CHECK(lab.model().index_of("K"));
    CHECK_FALSE(lab.state.mistake);
    lab.type("\ndw/dt = lop(u)");
    lab.frames(30);
    REQUIRE(lab.state.mistake);
    CHECK(lab.state.mistake->number == 6);
    CHECK(lab.state.mistake->column == 9);
    CHECK(lab.state.mistake->line == "dw/dt = lop(u)");
    CHECK(lab.model().components.size() == 2);
    CHECK(lab.session.snapshot()->messages.empty());
}

TEST_CASE("The panel keeps its places while a mistake comes and goes") {
    EquationLab lab;
    const ImRect before = lab.slider();
    lab.state.mistake = find_mistake("du/dt = nothing");
    REQUIRE(lab.state.mistake);
    CHECK(lab.slider().Min.y == before.Min.y);
}

TEST_CASE("The line with the caret is seen below a mistake of any length") {
    EquationLab lab;
    std::string sentence = "a condition";
    for (int i = 0; i < 40; ++i) sentence += " of many words";
    lab.state.mistake = Mistake{sentence, "left: u = 4.5", 3, 7};
    lab.frames(3);
    const ImGuiWindow& below = lab.child("below");
    CHECK(below.ContentSize.y <= below.Size.y + 1);
}

TEST_CASE("The text has the run's own values, and nothing comes of it that nobody typed") {
    EquationLab lab;
    lab.frames(40);
    lab.act(action::Change{"D", "0.15"});
    lab.act(action::Change{"boundary", "zero"});
    lab.frames(3);
    CHECK(lab.text().find("D = 0.15 in [0, 0.2]") != std::string::npos);
    CHECK(lab.text().find("boundary = zero") != std::string::npos);
    const std::size_t done = lab.snapshot.history->done.size();
    lab.enter_editor();
    lab.act(action::Change{"D", "0.05"});
    lab.frames(60);  // also of a text with the focus
    CHECK(lab.text().find("D = 0.05") != std::string::npos);
    CHECK(lab.now().parameter("D") == 0.05);
    CHECK(lab.snapshot.history->done.size() <= done + 1);
}

TEST_CASE("Slider and text agree while a mistake stands elsewhere in the text") {
    EquationLab lab;
    lab.append("\nq = lop(u)");
    REQUIRE(lab.state.mistake);
    lab.act(action::Change{"D", "0.15"});
    lab.frames(40);
    CHECK(lab.text().find("D = 0.15 in [0, 0.2]") != std::string::npos);
    CHECK(lab.text().find("q = lop(u)") != std::string::npos);
    CHECK(lab.now().parameter("D") == 0.15);
    CHECK(lab.state.mistake);
}

TEST_CASE("Ctrl+Z in the text takes back what was typed, and the run follows") {
    EquationLab lab;
    lab.append("\nK = 3");
    CHECK(lab.model().index_of("K"));
    lab.chord(ImGuiKey_Z);
    lab.frames(30);
    CHECK(lab.text() == kTyped);
    CHECK_FALSE(lab.model().index_of("K"));
    lab.chord(ImGuiKey_Y);
    lab.frames(30);
    CHECK(lab.model().index_of("K"));
}

TEST_CASE("The clipboard, the arrow keys and the mouse move and change the text as elsewhere") {
    EquationLab lab;
    lab.enter_editor();
    lab.chord(ImGuiKey_Home);
    const editing::TextEdit& edit = lab.state.edit;
    lab.press(ImGuiKey_DownArrow);
    CHECK(edit.caret() == lab.text().find("dv/dt"));
    lab.press(ImGuiKey_End);
    CHECK(edit.caret() == lab.text().find("\nD ="));
    lab.press_with(&InputState::shift, {ImGuiKey_Home});
    CHECK(edit.selected() == "dv/dt = 0.1*lap(v)");
    lab.chord(ImGuiKey_X);
    CHECK(lab.text().find("dv/dt") == std::string::npos);
    lab.chord(ImGuiKey_V);
    CHECK(lab.text() == kTyped);
    lab.chord(ImGuiKey_A);
    CHECK(edit.selected() == kTyped);
    const ImGuiWindow& box = lab.child("##text");
    lab.click({box.Pos.x + 6, box.Pos.y + 10});
    CHECK(edit.caret() == 0);
    lab.press(ImGuiKey_Backspace);
    CHECK(lab.text() == kTyped);
    lab.press(ImGuiKey_Delete);
    CHECK(lab.text() == kTyped + 1);
    lab.press(ImGuiKey_Escape);
    CHECK_FALSE(lab.state.active);
    lab.type("x");
    CHECK(lab.text() == kTyped + 1);
}

TEST_CASE("A begun name is completed by Tab, and by Enter once a row was chosen") {
    EquationLab lab;
    lab.enter_editor();
    lab.chord(ImGuiKey_End);
    for (const char* letter : {"\n", "q", " ", "=", " ", "l", "a"}) lab.type(letter);
    CHECK(lab.state.listed);
    CHECK(window_rect("##completions").drawn);
    lab.press(ImGuiKey_Tab);
    CHECK(lab.text().ends_with("q = lap("));
    CHECK_FALSE(lab.state.listed);
    for (const char* letter : {"u", ")", "\n", "i", "n", "t"}) lab.type(letter);
    CHECK(lab.state.listed);
    lab.press(ImGuiKey_DownArrow);
    lab.press(ImGuiKey_Enter);
    CHECK(lab.text().ends_with("integrator = "));
    lab.type("h");
    lab.press(ImGuiKey_Enter);
    CHECK(lab.text().ends_with("integrator = h\n"));  // nothing was chosen
}

TEST_CASE("F2 opens the editor beside the field, with a mistake's message at its line") {
    EquationLab lab;
    const double width = lab.ui.canvas.width;
    toggle_large_editor(lab.ui, lab.snapshot);
    lab.frames(3);
    const WindowRect pane = window_rect("##editor");
    REQUIRE(pane.drawn);
    CHECK(lab.ui.canvas.x >= double(pane.most.x));
    CHECK(lab.ui.canvas.width < width);
    CHECK(lab.state.active);  // it has the focus
    lab.chord(ImGuiKey_End);
    const float before = lab.child("##text").ContentSize.y;
    lab.type("\nq = lop(u)");
    lab.frames(30);
    REQUIRE(lab.state.mistake);
    CHECK(lab.child("##text").ContentSize.y > before + 1.5f * ImGui::GetFontSize());
    CHECK(lab.model().components.size() == 2);
    toggle_reference_card(lab.ui, lab.snapshot);
    lab.frames(3);
    CHECK(lab.child("##card").ContentSize.y > 500);
    toggle_large_editor(lab.ui, lab.snapshot);
    lab.frames(3);
    CHECK_FALSE(window_rect("##editor").drawn);
    CHECK(lab.ui.canvas.width == width);
}

TEST_CASE("Letters right after F2, in the same frame, are typed into the editor, and are no commands") {
    EquationLab lab;
    const std::string before = lab.text();
    for (const int key : {GLFW_KEY_PERIOD, GLFW_KEY_F2, GLFW_KEY_U}) {
        handle_key({key, 0, false, key != GLFW_KEY_F2}, lab.ui, lab.snapshot);
        if (key == GLFW_KEY_F2) lab.state.typed_before = 1;  // as the main loop counts the period
    }
    CHECK(lab.ui.preferences.panels);  // which U alone hides
    CHECK(lab.ui.panel.equation.large);
    lab.type(".u");
    CHECK(lab.text() == "u" + before);
    lab.type("v");
    CHECK(lab.text() == "uv" + before);
}

TEST_CASE("A text that the session changes is shown, unless another one is being typed") {
    EquationLab lab;
    lab.frames(40);
    lab.act(action::Change{"model", "life", false, true});
    lab.frames(2);
    CHECK(lab.text() == lab.model().text);
    lab.act(action::Undo{});
    lab.frames(2);
    CHECK(lab.text() == kTyped);
}

TEST_CASE("Another text takes the place of one with a mistake, which undo in the text brings back") {
    EquationLab lab;
    lab.append("\nK = 3");
    lab.frames(60);
    lab.append("\nq = lop(u)");
    const std::string draft = lab.text();
    REQUIRE(lab.state.mistake);
    lab.frames(40);
    CHECK(lab.text() == draft);  // the answer to K = 3 leaves it
    lab.act(action::Undo{});
    lab.frames(3);
    CHECK(lab.text() == kTyped);
    CHECK_FALSE(lab.state.mistake);
    lab.enter_editor();
    lab.chord(ImGuiKey_Z);
    CHECK(lab.text() == draft);
    lab.frames(30);
    CHECK(lab.state.mistake);
    lab.act(action::Change{"model", "life", false, true});
    lab.frames(3);
    CHECK(lab.text() == lab.snapshot.text);
    lab.append("\nq = lop(u)");
    REQUIRE(lab.state.mistake);
    begin_model(lab.ui, "life");  // once more
    lab.frames(3);
    CHECK(lab.text() == lab.snapshot.text);
    CHECK_FALSE(lab.state.mistake);
}

TEST_CASE("The text that a kept session had is shown once the run is at its last step") {
    EquationLab lab;
    lab.frames(2);
    CHECK(unapplied_text(lab.state).empty());
    const std::string draft = std::string(kTyped) + "\nq = lop(u)";
    lab.state.draft = draft;
    CHECK(unapplied_text(lab.state) == draft);
    lab.snapshot.ordered = true;
    lab.HeadlessImGui::frames(1);
    CHECK(lab.text() == kTyped);
    lab.frames(40);
    CHECK(lab.text() == draft);
    CHECK(lab.state.mistake);
    CHECK(unapplied_text(lab.state) == draft);
}

TEST_CASE("An error of the run is not the refusal of a text that was not sent") {
    EquationLab lab;
    lab.append("\nq = lop(u)");
    const auto said = [&] {
        std::string text;
        lab.frame_of([&] {
            begin_window("alone", 900, 700);
            ImGui::LogToBuffer();
            draw_large_editor(lab.ui, lab.snapshot);
            text = ImGui::GetCurrentContext()->LogBuffer.c_str();
            ImGui::End();
        });
        return text;
    };
    Message error{Message::Level::error, 100, "u is not finite at step 12"};
    lab.snapshot.messages = {error};
    CHECK(said().find("Rejected") == std::string::npos);
    error.subject = "equation";
    lab.snapshot.messages = {error};
    CHECK(said().find("Rejected: u is not finite") != std::string::npos);
}

TEST_CASE("A parameter's slider changes it at once, within a range that a menu changes") {
    EquationLab lab;
    const ImRect slider = lab.slider();
    const auto drag = [&](float from, float to) {
        const auto place = [&](float share) {
            return ImVec2(slider.Min.x + share * slider.GetWidth(), slider.GetCenter().y);
        };
        lab.drag(place(from), place(to));
        lab.frames(2);
    };
    drag(0.5f, 0.75f);
    CHECK(std::abs(lab.now().parameter("D") - 0.15) < 0.01);
    lab.state.ranges["D"].high = 1.0;
    drag(0.5f, 0.2f);
    CHECK(std::abs(lab.now().parameter("D") - 0.2) < 0.02);
}

TEST_CASE("The button sets dt to a share of the limit, and the canvas shows components together") {
    EquationLab lab;
    lab.act(action::Change{"dt", "0.1"});
    lab.click("##panel", {"Equation", "Use 0.8 of the limit"});
    lab.frames(2);
    const double limit = lab.session.snapshot()->step_limit->limit.dt;
    CHECK(std::abs(lab.now().time_step() / limit - 0.8) < 1e-6);
    lab.click("##panel", {"Equation", "Follow the limit"});
    lab.frames(2);
    CHECK(std::holds_alternative<FollowLimit>(lab.now().dt));
    CHECK(contains(lab.session.snapshot()->text, "\ndt = follow:0.8limit"));
    lab.click("##panel", {"Equation", "Follow the limit"});
    lab.frames(2);
    CHECK(std::holds_alternative<FixedStep>(lab.now().dt));
    lab.ui.panes = component_panes(lab.model());
    lab.frames(1);
    CHECK(shows_components(lab.ui));
    lab.act(action::Change{"equation", "du/dt = lap(u)"});
    lab.frames(1);
    CHECK(lab.ui.panes == std::vector<Pane>{Pane::now});
}

TEST_CASE("A click in the gallery begins a ready run, which runs on, or a run with that model") {
    EquationLab lab;
    lab.act(action::Step{3});
    const auto click_tile = [&](std::string_view name) {
        lab.ui.gallery.open = true;
        lab.frames(3);
        lab.click("Gallery", {name.data()}, 0.04f);
        CHECK_FALSE(lab.ui.gallery.open);
    };
    lab.ui.gallery.search = presets()[0].name;  // its tile is below the ready runs
    click_tile(presets()[0].name);
    CHECK(lab.ui.gallery.wanted);
    CHECK(lab.model().name == presets()[0].name);
    CHECK(lab.session.snapshot()->step == 0);
    CHECK_FALSE(lab.session.snapshot()->running);
    lab.ui.gallery.search = "TWO-r";
    CHECK_THROWS(click_tile(presets()[0].name));
    lab.ui.gallery.search = "";
    lab.ui.panes = {Pane::laplacian};
    const ReadyRun& run = ready_runs()[0];
    click_tile(run.name);
    CHECK(lab.ui.panes == panes_of(run.spec));
    CHECK(lab.now().size == run.spec.size);
    CHECK(lab.session.snapshot()->running);
    lab.session.apply(action::Undo{});
    CHECK(lab.model().name == presets()[0].name);
}

TEST_CASE("The panes, lines and viewpoint of a run that was opened are taken over once") {
    EquationLab lab;
    auto opened = std::make_shared<OpenedView>();
    opened->panes = {Pane::surface};
    opened->profiles = {{{1, 2}, {5, 6}}};
    opened->surface = {20, 50, 1, 2};
    lab.snapshot.opened = opened;
    follow_opened(lab.ui, lab.snapshot);
    CHECK(lab.ui.panes == opened->panes);
    CHECK(lab.ui.profiles == opened->profiles);
    CHECK(lab.ui.surface == opened->surface);
    lab.ui.panes = {Pane::laplacian};
    follow_opened(lab.ui, lab.snapshot);
    CHECK(lab.ui.panes == std::vector{Pane::laplacian});
}

TEST_CASE("The dispersion relation follows the sliders, is enlarged, and draws its ring") {
    EquationLab lab(
        "du/dt = lap(u) + a*u - 2*v; dv/dt = 20*lap(v) + 2*u - 3*v; a = 1 in [0, 2]; dt = 0.001; "
        "size = 40x30; boundary = periodic");
    const DispersionState& state = lab.ui.panel.dispersion;
    CHECK_FALSE(state.relation);
    lab.unfold("Equation", "Dispersion relation");
    lab.frames(3);
    REQUIRE(state.relation);
    REQUIRE(state.relation->fastest);
    CHECK(state.relation->base.steady);
    CHECK(state.relation->about(lab.snapshot.now) == "about u = 0, v = 0");
    CHECK(lab.ui.wants_spectrum);
    const double before = state.relation->fastest->rate;
    lab.act(action::Change{"a", "1.5"});
    lab.frames(3);
    CHECK(state.relation->fastest->rate > before + 0.3);

    CHECK_FALSE(window_rect("Dispersion relation##large").drawn);
    const ImRect tick = lab.find("##panel", {"Equation", "Ring on the field"});
    lab.click({tick.Min.x - 60, tick.GetCenter().y});
    lab.frames(2);
    CHECK(window_rect("Dispersion relation##large").drawn);
    close_popups(lab.ui, lab.snapshot);
    lab.frames(2);
    CHECK_FALSE(window_rect("Dispersion relation##large").drawn);

    CHECK_FALSE(lab.snapshot.now.wave_ring);
    lab.click(lab.find("##panel", {"Equation", "Ring on the field"}).GetCenter());
    lab.frames(2);
    CHECK(lab.snapshot.now.wave_ring);
    CHECK(lab.snapshot.spec.wave_ring);
    // Nothing is left of it for a model without rates.
    lab.act(action::Change{"model", "life"});
    lab.frames(2);
    CHECK_FALSE(state.relation);
}
