// Fields for numbers and units, the slider that turns into one, and what a size needs.

#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/files/npy.h"
#include "sim/problem/units.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/imgui_panels.h"

namespace {

/// A window with one widget.
struct WidgetLab : HeadlessImGui {
    template <class F>
    explicit WidgetLab(F&& widget) : HeadlessImGui(300, 200) {
        draw = [this, widget] {
            begin_window("window", 300, 200);
            widget();
            at = {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()};
            ImGui::End();
        };
    }
    ImVec2 place(float share) const { return {at.Min.x + share * at.GetWidth(), at.GetCenter().y}; }
    const NumberDraft& draft() const { return ui.panel.drafts.begin()->second; }

    UiState ui;
    ImRect at;  ///< of the widget
};

/// A field for a whole number, and its result.
struct NumberLab : WidgetLab {
    NumberLab()
        : WidgetLab([this] {
              if (const auto entered = whole_input("##field", ui, value, 1, 1LL << 40, "")) {
                  value = *entered;
                  ++entries;
              }
          }) {
        frames();
    }
    void begin(std::string_view text) {
        click(at.GetCenter());
        type(text);
    }

    long long value = 17, entries = 0;
};

struct Slider : WidgetLab {
    Slider()
        : WidgetLab([this] {
              const SliderLook look{0, 0.25, "{:.4f}", false, {0, 0.25, "is above the limit"}};
              const auto edit = live_slider("##slider", ui, value, look);
              if (!edit) return;
              edits.push_back(*edit);
              value = edit->value;
          }) {
        frames();
    }
    void take_hold(float share) {
        move_mouse(place(share));
        press_mouse(true);
    }
    // Clicks, and waits a frame for the number field to get the focus.
    void begin_typing(float share) {
        click(place(share));
        frames();
    }

    SliderDraft& slider() { return ui.panel.sliders.begin()->second; }

    double value = 0.2;
    std::vector<LiveEdit> edits;
};

struct Rows : HeadlessImGui {
    Rows() : HeadlessImGui(600, 500) {
        draw = [this] {
            ImGui::Begin("a window");
            ImGui::SetWindowSize(ImVec2(390, 450));
            ImGui::GetStateStorage()->SetInt(ImGui::GetID("Physical units"), 1);
            draw_units(ui, snapshot);
            ImGui::End();
        };
        frames(3);
    }
    void set(const char* setting, const char* value) {
        set_setting(snapshot.now, setting, value);
        snapshot.spec = snapshot.now;
    }
    void fill(std::initializer_list<const char*> labels, const char* text) {
        ui.actions.clear();
        click("a window", labels);
        enter(text);
    }
    const std::string& wrong(std::initializer_list<const char*> labels) {
        return ui.panel.drafts.at(id_of("a window", labels)).wrong;
    }

    UiState ui;
    Snapshot snapshot = empty_snapshot();
};

}  // namespace

TEST_CASE("a whole number can be typed with an exponent, and Enter applies it once") {
    for (const auto& [text, value] :
         {std::pair{"1e4", 10000LL}, {"10k", 10000LL}, {"2^20", 1048576LL}, {"3*(4 + 1)", 15LL}}) {
        CAPTURE(text);
        NumberLab field;
        field.begin(text);
        CHECK(field.value == 17);
        field.press(ImGuiKey_Enter);
        CHECK(field.value == value);
        CHECK(field.entries == 1);
        CHECK(field.draft().wrong.empty());
    }
}

TEST_CASE("Esc brings the old number back") {
    NumberLab field;
    field.begin("1e4");
    field.press(ImGuiKey_Escape);
    field.frames(60);
    CHECK(field.entries == 0);
    CHECK(field.draft().text == "17");
}

TEST_CASE("what is not a number that is allowed changes nothing, stays, and says why") {
    for (const char* text : {"abc", "2.5", "0", "1e13"}) {
        CAPTURE(text);
        NumberLab field;
        field.begin(text);
        field.press(ImGuiKey_Enter);
        field.frames(60);
        CHECK(field.entries == 0);
        CHECK(field.draft().text == text);
        CHECK(field.draft().wrong.find(text) != std::string::npos);
        // The text can be corrected.
        field.begin("5");
        field.press(ImGuiKey_Enter);
        CHECK(field.value == 5);
        CHECK(field.draft().wrong.empty());
    }
}

TEST_CASE("why a number was refused is said below its field until the next click, and nothing moves for it") {
    NumberLab field;
    field.begin("2.5");
    const WindowRect before = window_rect("window");
    CHECK_FALSE(window_rect("##said").drawn);
    field.press(ImGuiKey_Enter);
    field.frames(60);
    const WindowRect said = window_rect("##said");
    REQUIRE(said.drawn);
    CHECK(said.least.y >= field.at.GetCenter().y);
    CHECK(said.most.x <= 300);
    CHECK(window_rect("window").content.y == before.content.y);
    field.click({150, 150});
    CHECK_FALSE(window_rect("##said").drawn);
    CHECK(field.draft().text == "2.5");
    CHECK_FALSE(field.draft().wrong.empty());
}

TEST_CASE("of two refused numbers only the one typed last says why, beside the panel where there is room") {
    HeadlessImGui imgui(900, 300);
    UiState ui;
    imgui.draw = [&] {
        begin_window("window", 300, 200);
        for (const char* id : {"##one", "##two"}) whole_input(id, ui, 17, 1, 100, "");
        ImGui::End();
    };
    imgui.frames(2);
    for (const char* id : {"##one", "##two"}) {
        imgui.click("window", {id}, 0.2f);
        imgui.type("many");
        imgui.press(ImGuiKey_Tab);
        imgui.frames(2);
        const WindowRect said = window_rect("##said");
        REQUIRE(said.drawn);
        CHECK(said.least.x >= 300);
        CHECK(said.most.y - said.least.y < 3 * ImGui::GetFontSize() + 2 * ImGui::GetStyle().WindowPadding.y);
    }
}

TEST_CASE("a formula that can't be read is refused where it was typed") {
    std::vector<std::string> taken;
    UiState ui;
    WidgetLab field([&] {
        formula_row({ui, "Formula", ""}, "u", "du/dt = D*lap(u); D = 0.1", [&](const std::string& formula) {
            taken.push_back(formula);
        });
    });
    field.frames();
    for (const char* text : {"u^2 + q", "u^2 + D"}) {
        field.click(field.at.GetCenter());
        field.enter(text);
        const NumberDraft& draft = ui.panel.drafts.begin()->second;
        CHECK(draft.text == text);
        CHECK(draft.wrong.empty() == !taken.empty());
    }
    CHECK(taken == std::vector<std::string>{"u^2 + D"});
}

TEST_CASE("a double click on a slider opens a text, moves nothing, and Esc leaves the number as it was") {
    Slider slider;
    for (int click = 0; click < 2; ++click) slider.click(slider.place(0.1f));
    CHECK(ImGui::GetIO().WantTextInput);
    CHECK(slider.edits.empty());
    slider.type("0.1");
    slider.press(ImGuiKey_Escape);
    slider.frames(60);
    CHECK_FALSE(ImGui::GetIO().WantTextInput);
    CHECK(slider.edits.empty());
    CHECK(slider.value == 0.2);
}

TEST_CASE("a number typed into a slider is sent once; one beyond the limit is kept and refused") {
    Slider slider;
    slider.begin_typing(0.1f);
    slider.enter("0.3");
    CHECK(slider.edits.empty());
    CHECK(slider.slider().typed.text == "0.3");
    CHECK(slider.slider().typed.wrong.find("0.3") != std::string::npos);
    slider.begin_typing(0.5f);
    slider.enter("0.1");
    REQUIRE(slider.edits.size() == 1);
    CHECK(slider.value == 0.1);
    CHECK_FALSE(slider.edits.front().continuing);
}

TEST_CASE("a drag moves a slider to its ends and no further, and is one edit that continues") {
    Slider slider;
    slider.take_hold(0.5f);
    CHECK(slider.edits.empty());
    for (const float share : {0.9f, 1.4f, -0.5f}) slider.move_mouse(slider.place(share));
    slider.press_mouse(false);
    slider.frames(60);
    REQUIRE(slider.edits.size() == 3);
    CHECK(slider.edits[1].value == 0.25);
    CHECK(slider.edits[2].value == 0);
    CHECK_FALSE(slider.edits[0].continuing);
    CHECK(slider.edits[2].continuing);
    CHECK_FALSE(slider.slider().typing);
}

TEST_CASE("Esc ends a drag where it began") {
    Slider slider;
    slider.take_hold(0.5f);
    slider.move_mouse(slider.place(0.9f));
    REQUIRE(slider.edits.size() == 1);
    slider.press(ImGuiKey_Escape);
    CHECK(slider.value == 0.2);
    CHECK(slider.edits.back().continuing);
    // The button is still down.
    slider.move_mouse(slider.place(0.3f));
    slider.frames(60);
    slider.press_mouse(false);
    slider.frames(60);
    CHECK(slider.edits.size() == 2);
    CHECK_FALSE(slider.slider().typing);
}

TEST_CASE("the diffusivity stands in physical units, of diffusion alone") {
    Rows rows;
    rows.set("unit-length", "0.01m");
    rows.set("unit-time", "0.1s");
    const float with = window_rect("a window").content.y;
    rows.set("equation", "du/dt = lap(u) - u");
    rows.frames(3);
    CHECK(window_rect("a window").content.y < with);
}

TEST_CASE("a unit is typed as its option takes it, and what is none stays with its reason") {
    Rows rows;
    rows.fill({"##Length 1"}, "2.5mm");
    const auto change = only<action::Change>(rows.ui);
    CHECK(change.setting == "unit-length");
    CHECK(read_unit(change.value, "") == Unit{2.5, "mm"});
    rows.fill({"##Time 1"}, "3");
    CHECK(rows.ui.actions.empty());
    CHECK(rows.wrong({"##Time 1"}).starts_with("3: must be a number above 0 with a unit"));
}

TEST_CASE("no button jumps to a step that was refused") {
    SectionLab lab(noise_run({40, 30}), "Simulation");
    const ImRect by_steps = lab.find("##panel", {"Simulation", "###by_steps"}, 0.7f);
    const auto jump_to = [&](const char* text) {
        lab.click("##panel", {"Simulation", "Jump to step", "##Jump to step"}, 0.5f);
        lab.enter(text);
        lab.click(by_steps.GetCenter());
        return lab.session.snapshot()->step;
    };
    CHECK(jump_to("7") == 7);
    CHECK(jump_to("9a") == 7);
    CHECK(jump_to("9") == 9);
}

TEST_CASE("typing a time jumps to the step nearest to it") {
    Rows rows;
    rows.set("unit-time", "0.1s");
    rows.snapshot.step = 100;
    rows.fill({"##t"}, "25.04");
    CHECK(only<action::Jump>(rows.ui).step == 250);
}

TEST_CASE("What a size needs is worked out without the arrays of the model's files") {
    const ScratchFolder folder;
    const auto file = folder / "start.npy";
    write_npy(file, Field(Array<double>(20, 10)));
    RunSpec spec = run_of_text("du/dt = 0.1*lap(u) + array(\"" + file.string() + "\")\ndt = 0.1");
    spec.size = Size{20, 10};
    Session session(spec, standing());
    MemoryNeedsOf known;
    const MemoryPreview before = memory_preview(*session.snapshot(), {20, 10}, known);
    INFO(before.text);
    REQUIRE(before.fits);
    std::filesystem::remove(file);
    REQUIRE(memory_preview(*session.snapshot(), {20, 10}, known).text == before.text);
    MemoryNeedsOf fresh;
    REQUIRE(memory_preview(*session.snapshot(), {20, 10}, fresh).text == before.text);
}

TEST_CASE("The memory that a size is said to need is what applying it is refused for, or accepted with") {
    for (const auto& [anew, method] :
         {std::pair{true, "reference"}, {false, "reference"}, {true, "auto"}, {false, "auto"}}) {
        CAPTURE(anew, method);
        bool refused = false;
        for (int edge = 256; !refused; edge += 256) {
            CAPTURE(edge);
            REQUIRE(edge < 8192);
            RunSpec spec = noise_run({64, 64}, method);
            spec.memory_limit = 100'000'000;
            Session session(spec, standing());
            // So many steps that `auto` begins another run with another method.
            session.apply(action::Pace{1'000'000});
            if (!anew) {
                session.apply(action::Step{1});
                session.work();
            }
            MemoryNeedsOf known;
            const MemoryPreview preview = memory_preview(*session.snapshot(), {edge, edge}, known);
            session.apply(action::Change{"size", std::to_string(edge)});
            refused = session.snapshot()->now.size->nx != edge;
            REQUIRE(preview.fits == !refused);
            if (refused) REQUIRE(session.snapshot()->messages.back().text == preview.text);
        }
    }
}
