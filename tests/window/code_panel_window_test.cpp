// The section of generated code, without a window.
#include "app/window/layout.h"
#include "app/window/panels/panels.h"
#include "sim/session/session.h"
#include "tests/support/catch.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/imgui_panels.h"

using namespace stencil;
using namespace stencil_test;

namespace {

// Shows only this section, for a typed equation that is not stepped.
struct CodeLab {
    explicit CodeLab(const std::string& text) {
        Session session(run_of_text(text), standing());
        settle(session);
        snapshot = *session.snapshot();
        ui.preferences.open_sections = {"Generated code"};
        frames(2);
    }
    void draw() { draw_interface(ui, snapshot); }
    void frames(int count) {
        for (int i = 0; i < count; ++i) imgui.frame([this] { draw(); });
    }
    ImRect enlarge() {
        return imgui.find("##panel", {"Generated code", "Enlarge"}, [this] { draw(); });
    }
    // Clicks the button at the left of that one.
    void copy() {
        const ImRect right = enlarge();
        imgui.click({right.Min.x - right.GetWidth() / 2, right.GetCenter().y}, [this] { draw(); });
    }

    UiState ui;
    Snapshot snapshot;
    HeadlessImGui imgui{1280, 1600};
};

constexpr const char* kText = "du/dt = D*lap(u) - u^3; D = 0.1; size = 40x30";

}  // namespace

TEST_CASE("The stages are shown at first, any text of the device can be chosen, and all of it is copied") {
    CodeLab lab(kText);
    const CodeState& state = lab.ui.panel.code;
    lab.copy();
    CHECK(state.code.stages == ImGui::GetClipboardText());
    lab.ui.panel.code.chosen = 1;
    lab.frames(2);
    lab.copy();
    CHECK(state.code.texts[0].text == ImGui::GetClipboardText());
    lab.imgui.click(lab.enlarge().GetCenter(), [&] { lab.draw(); });
    lab.frames(2);
    CHECK(window_rect("Generated code##large").drawn);
}

TEST_CASE("The code follows the run: its text, precision, stepper and device") {
    CodeLab lab(kText);
    const CodeState& state = lab.ui.panel.code;
    const auto shown = [&] {
        std::string all = state.code.stages;
        for (const auto& text : state.code.texts) all += text.text;
        return all;
    };
    const auto changes = [&](const char* setting, const char* value) {
        const std::string before = shown();
        lab.snapshot.now = changed(lab.snapshot.now, setting, value);
        lab.ui.panel.code.chosen = 2;
        lab.frames(2);
        CHECK(state.chosen <= state.code.texts.size());
        return shown() != before;
    };
    CHECK(changes("dtype", "float64"));
    CHECK(state.code.bytes == 16);
    CHECK(changes("stepper", "heun"));
    CHECK(changes("equation", "du/dt = lap(u) - u; size = 40x30"));
    lab.snapshot.now.method = "naive";
    lab.snapshot.now.backend = "cuda";
    lab.frames(2);
    CHECK(state.code.texts[0].language == "CUDA");
}

TEST_CASE("What is known of the kernels is drawn, and a built-in model has no generated code") {
    CodeLab lab(kText);
    const float before = window_rect("##panel").content.y;
    lab.snapshot.way.compiling = true;
    lab.snapshot.way.tried.push_back({"12 steps a pass", 168, 0, 2, 900, true});
    lab.frames(2);
    CHECK(window_rect("##panel").content.y > before);
    lab.snapshot.now.use_model(models().front());
    lab.frames(2);
    CHECK(window_rect("##panel").content.y < before);
}
