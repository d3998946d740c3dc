// The node Sides without a window: its menus and numbers write the equation's text, and the run follows.
#include "app/window/panels/panels.h"
#include "sim/model/side_conditions.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/imgui_panels.h"

namespace {

struct SidesLab : SectionLab {
    explicit SidesLab(const RunSpec& run) : SectionLab(run, "Simulation", 900) {
        unfold("Simulation", "Sides");
        frames(2);
    }
    // Clicks a control of the square, whose three columns are at these shares of the panel's width.
    void click_at(const char* side, const char* label) {
        const std::string_view name = side;
        const float column = name == "left" ? 0.15f : name == "right" ? 0.8f : 0.45f;
        click("##panel", {"Simulation", "sides", side, label}, column);
        frames(2);
    }
    void choose(const char* side, int row) {
        click_at(side, "##kind");
        const ImGuiWindow* list = nullptr;
        for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
            if (window->WasActive && std::string_view(window->Name).starts_with("##Combo_")) list = window;
        REQUIRE(list);
        click({list->InnerRect.GetCenter().x,
               list->InnerRect.Min.y + list->WindowPadding.y +
                   (float(row) + 0.4f) * ImGui::GetTextLineHeightWithSpacing()});
        frames(3);
    }
    void enter_at(const char* side, const char* label, const char* number) {
        click_at(side, label);
        enter(number);
        frames(40);
    }
    const std::string& text() const { return snapshot.now.model->text; }
    SideCondition condition(std::size_t side, const char* component = "u") const {
        return side_conditions(text(), component)[side];
    }
};

constexpr int kValue = 0, kFlux = 1, kRobin = 2, kZeroOutside = 3, kPeriodic = 4;  // rows of the menus
constexpr int kClamped = 3;                                                        // of a menu that has it

}  // namespace

TEST_CASE("Menus around a square set the condition at each side, one edit each, and the field is kept") {
    using enum SideCondition::Kind;
    SidesLab lab(run_of_text("du/dt = 0.1*lap(u) + v; dv/dt = 0.1*lap(v)\nsize = 24x20; u(0) = x; v(0) = 1"));
    lab.session.apply(action::Step{3});
    lab.frames(3);
    const std::string before = lab.text();
    lab.choose("left", kValue);
    CHECK(lab.condition(0) == SideCondition{value});
    CHECK(lab.condition(1) == SideCondition{flux});
    CHECK(lab.condition(0, "v") == SideCondition{periodic});
    lab.enter_at("left", "##V", "sin(y)");
    CHECK(lab.condition(0) == SideCondition{value, "sin(y)"});
    lab.choose("right", kRobin);
    lab.enter_at("right", "##B", "2");
    CHECK(lab.condition(1) == SideCondition{robin, "0", "2"});
    lab.choose("left", kZeroOutside);
    CHECK(lab.condition(0) == SideCondition{zero});
    lab.choose("bottom", kFlux);
    CHECK(lab.condition(3) == SideCondition{flux});
    CHECK(lab.condition(2) == SideCondition{flux});
    CHECK(lab.snapshot.now.boundary_as_typed);
    CHECK(lab.snapshot.step == 3);
    CHECK(cells_of(lab.session.simulation().solver().state().components.front())[105] > 5);

    const std::size_t edits = lab.snapshot.history->done.size();
    lab.enter_at("right", "##V", "a + ");  // refused in place
    CHECK(lab.condition(1) == SideCondition{robin, "0", "2"});
    lab.choose("top", kPeriodic);
    CHECK(lab.condition(2) == SideCondition{periodic});
    CHECK(lab.condition(3) == SideCondition{periodic});
    CHECK(lab.snapshot.history->done.size() == edits + 1);
    lab.session.apply(action::Undo{});
    lab.frames(2);
    CHECK(lab.condition(3) == SideCondition{flux});
    for (std::size_t i = 0; i < edits; ++i) lab.session.apply(action::Undo{});
    lab.frames(2);
    CHECK(lab.text() == before);
}

TEST_CASE(
    "A side of an equation of fourth order can be clamped, and its menu shows the value and the slope") {
    using enum SideCondition::Kind;
    SidesLab lab(run_of_text("du/dt = -lap2(u); all: u = 0; dt = 0.01; size = 24x20; u(0) = 0"));
    const SideCondition at_rest{.kind = clamped, .value = "0"};
    lab.choose("left", kClamped);
    CHECK(contains(lab.text(), "left: u = 0; left: flux(u) = 0"));
    CHECK(lab.condition(0) == at_rest);
    CHECK(lab.condition(1) == SideCondition{value});
    lab.enter_at("left", "##S", "0.5");
    lab.enter_at("left", "##V", "y");
    CHECK(lab.condition(0) == SideCondition{.kind = clamped, .value = "y", .slope = "0.5"});
    CHECK(lab.text_of(900, [&] { draw_sides(lab.ui, lab.snapshot); }).find("clamped") != std::string::npos);
    lab.choose("left", kFlux);
    CHECK(lab.condition(0) == SideCondition{flux, "y"});
    CHECK_FALSE(contains(lab.text(), "left: u"));
    // An equation of second order takes one condition.
    SidesLab second(run_of_text("du/dt = lap(u); all: u = 0; size = 24x20; u(0) = 0"));
    second.choose("left", kZeroOutside);
    CHECK(second.condition(0) == SideCondition{zero});
}

TEST_CASE("Two conditions of a side are read together, however they are spelt") {
    using enum SideCondition::Kind;
    const auto at = [](const std::string& sides, std::size_t side) {
        return side_conditions("du/dt = -lap2(u); dv/dt = -lap2(v)\n" + sides, "u")[side];
    };
    const SideCondition both{.kind = clamped, .value = "1", .slope = "2"};
    CHECK(at("left: u = 1; left: flux(u) = 2", 0) == both);
    CHECK(at("all: du/dn = 2; left: u = 7; all: u = 1", 1) == both);
    CHECK(at("all: du/dn = 2; left: u = 7; all: u = 1", 0) == SideCondition{value, "7"});
    CHECK(at("all: flux(u) = 2; all: v = 1; all: u = 1", 3) == both);
    const std::string one = text_with_side(
        "du/dt = -lap2(u)\ntop: u = 1\ntop: flux(u) = 2", "u", equation::Side::top, {flux, "3"});
    CHECK(side_conditions(one, "u")[2] == SideCondition{flux, "3"});
    CHECK_FALSE(contains(one, "top: u"));
}

TEST_CASE("The edge of a shape has a menu within the square, which writes a condition of its own") {
    using enum SideCondition::Kind;
    SidesLab lab(
        run_of_text("du/dt = 0.1*lap(u) + v; dv/dt = 0.1*lap(v)\ninside = x < 12; edge: flux(u) = -v\n"
                    "size = 24x20; u(0) = x; v(0) = 1"));
    CHECK(edge_condition(lab.text(), "u") == SideCondition{flux, "-v"});
    CHECK(edge_condition(lab.text(), "v") == SideCondition{flux});
    lab.choose("edge", kValue);
    CHECK(contains(lab.text(), "edge: u = -v"));
    lab.enter_at("edge", "##V", "1");
    CHECK(edge_condition(lab.text(), "u") == SideCondition{value, "1"});
    lab.choose("edge", kRobin);
    lab.enter_at("edge", "##B", "2");
    CHECK(contains(lab.text(), "edge: u + 2*flux(u) = 1"));
    CHECK(lab.condition(0) == SideCondition{periodic});
    CHECK(edge_condition(lab.text(), "v") == SideCondition{flux});
    lab.enter_at("edge", "##V", "1 + ");  // refused in place
    CHECK(contains(lab.text(), "edge: u + 2*flux(u) = 1"));
}

TEST_CASE("A condition at the edge of a shape is read and written, for each form and component") {
    using enum SideCondition::Kind;
    const auto with = [](const std::string& edges) {
        return "du/dt = lap(u); dv/dt = lap(v); inside = x < 9\n" + edges;
    };
    CHECK_FALSE(edge_condition("du/dt = lap(u)", "u"));
    CHECK(edge_condition(with("edge: zero; edge: u = t"), "u") == SideCondition{value, "t"});
    CHECK(edge_condition(with("edge: zero; edge: u = t"), "v") == SideCondition{zero});
    // It is about the component whose flux stands in it, else about the first one.
    CHECK(edge_condition(with("edge: v = flux(u)"), "u")->kind == typed);
    CHECK(edge_condition(with("edge: v = flux(u)"), "v") == SideCondition{flux});
    CHECK(text_with_edge(with("edge: zero"), "v", {value, "2"}) == with("edge: zero\nedge: v = 2"));
    CHECK(text_with_edge(with("edge: u = 1; edge: v = 2"), "v", {flux, "3"}) ==
          with("edge: u = 1; edge: flux(v) = 3"));
    CHECK(text_with_edge(with(""), "u", {zero}) == with("edge: u + 0.5*dx*flux(u) = 0\n"));
    const std::string wave = "complex psi; dpsi/dt = 0.5i*lap(psi); inside = x < 9\nedge: psi = 0";
    CHECK(edge_quantity(wave, "psi_im") == "psi");
    CHECK(edge_condition(wave, "psi_im") == SideCondition{value});
    CHECK(contains(text_with_edge(wave, "psi_im", {flux}), "edge: flux(psi) = 0"));
}

TEST_CASE("A side of the default model is chosen, and the run goes on with its settings") {
    RunSpec run = run_of_text("du/dt = lap(u)");
    run.use_model(find_model("diffusion"));
    run.size = Size{30, 20};
    run.boundary = Boundary::insulated;
    run.set_parameter("coefficient", 0.1);
    SidesLab lab(run);
    lab.session.apply(action::Step{3});
    lab.frames(3);
    lab.choose("left", kValue);
    lab.enter_at("left", "##V", "2");
    CHECK(lab.condition(0) == SideCondition{SideCondition::Kind::value, "2"});
    for (const std::size_t side : {1, 2, 3})
        CHECK(lab.condition(side) == SideCondition{SideCondition::Kind::flux});
    CHECK(lab.snapshot.step == 3);
    CHECK(lab.snapshot.now.size == Size{30, 20});
    CHECK(lab.snapshot.now.parameter("coefficient") == 0.1);
    CHECK(lab.snapshot.now.time_step() == 1);
}
