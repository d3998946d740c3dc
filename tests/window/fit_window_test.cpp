// The section Fit, and the canvas with a fit.
#include <imgui_internal.h>

#include <thread>

#include "app/window/canvas/canvas_overlay.h"
#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "sim/files/npy.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/canvas_lab.h"

namespace {

constexpr const char* kFittedText =
    "du/dt = D*lap(u) + F*u; D = 0.1 in [0, 1]; F = 0.05 in [0, 0.1]; boundary = periodic\n"
    "u(0) = 1 + 0.5*sin(2*pi*x/Lx); dt = 0.5; size = 24x18";

constexpr float kBox = 0.38f;  // where boxes are, as a share of the panel's width

struct FitSection : SectionLab {
    FitSection() : SectionLab(run_of_text(kFittedText), "Fit") {
        RunSpec spec = run_of_text(kFittedText);
        spec.set_parameter("D", 0.2);
        Simulation run = begun(spec);
        run.apply(Advance{20});
        write_npy(folder / "target.npy", run.field());
        session.apply(action::Step{20});
        settle(session);
        follow();
        frames(3);
    }
    std::string target() const { return (folder / "target.npy").string(); }
    void press(const char* label, float column = 0.3f) {
        click("##panel", {"Fit", label}, column);
        follow();
        frames(3);
    }
    void finish() {
        for (int i = 0; snapshot.fit && snapshot.fit->running; ++i) {
            REQUIRE(i < 20000);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            session.work();
            follow();
        }
        frames(3);
    }

    ScratchFolder folder;
};

}  // namespace

TEST_CASE("A file that is dropped becomes a target, and a ticked slider is found and taken over") {
    FitSection lab;
    REQUIRE(take_drop(lab.ui, lab.snapshot, lab.target()));
    lab.frames(3);
    CHECK(lab.snapshot.beside.fit.targets == std::vector{lab.target() + "@10"});
    lab.click("##panel", {"Fit", "D", "D"}, kBox);
    lab.follow();
    lab.frames(3);
    CHECK(lab.snapshot.beside.fit.parameters == std::vector<std::string>{"D"});
    lab.click("##panel", {"Fit", "D", "##low"}, 0.45f);
    lab.enter("0.01");
    lab.frames(3);
    CHECK(lab.snapshot.beside.fit.parameters == std::vector<std::string>{"D=:0.01:"});
    lab.press("Fit");
    REQUIRE(lab.snapshot.fit);
    lab.finish();
    CHECK(lab.snapshot.fit->result.success);
    follow_beside(lab.ui, lab.snapshot);
    CHECK(lab.ui.panes == fit_panes());
    copy_command_line(lab.ui, lab.snapshot);
    const auto copied = lab.ui.take<CopyText>();
    REQUIRE(copied);
    CHECK(copied->text.starts_with("stencilscope fit "));
    CHECK(copied->text.find(" --fit D=:0.01:") != std::string::npos);
    lab.press("Take over", 0.8f);
    CHECK(lab.now().parameter("D") == Approx(0.2).epsilon(1e-4));
    CHECK(lab.ui.panes == std::vector{Pane::now});
    lab.act(action::Undo{});
    CHECK(lab.now().parameter("D") == 0.1);
    lab.click("##panel", {"Fit", "D", "D"}, kBox);
    lab.follow();
    lab.frames(3);
    CHECK(lab.snapshot.beside.fit.parameters.empty());
}

TEST_CASE("One of several targets is chosen to be pictured, and its title tells which") {
    FitSection lab;
    lab.act(action::PlanFit{{{lab.target() + "@10", lab.target() + "@5"}, {"D"}, {}}});
    lab.act(action::StartFit{});
    lab.finish();
    REQUIRE(lab.snapshot.fit->has_fields());
    CHECK(title_of_target(*lab.snapshot.fit, lab.ui.fit_target) == "Target 1 at t = 10");
    lab.press("##Pictured", 0.5f);
    for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
        if (window->WasActive && (window->Flags & ImGuiWindowFlags_Popup) != 0) {
            const std::string name = window->Name;
            lab.click(name.c_str(), {"2: target.npy@5"}, 0.3f);
            break;
        }
    lab.frames(2);
    CHECK(lab.ui.fit_target == 1);
    CHECK(title_of_target(*lab.snapshot.fit, lab.ui.fit_target) == "Target 2 at t = 5");
}

TEST_CASE("Only arrays, pictures and tables are targets, and only while the section takes what is dropped") {
    FitSection lab;
    CHECK(!take_drop(lab.ui, lab.snapshot, "kernel.cu"));
    CHECK(!take_drop(lab.ui, lab.snapshot, "spec.json"));
    lab.press("Takes drops", kBox);
    CHECK(!take_drop(lab.ui, lab.snapshot, lab.target()));
    lab.press("Takes drops", kBox);
    CHECK(take_drop(lab.ui, lab.snapshot, lab.target()));
    lab.ui.actions.clear();
    lab.ui.requests.clear();
    open_only(lab.ui, {"View"});
    lab.frames(3);
    CHECK(!take_drop(lab.ui, lab.snapshot, lab.target()));
    CHECK(actions_of<action::PlanFit>(lab.ui).empty());
}

TEST_CASE("On the pictures of a fit the left button moves them, and paints nothing") {
    Lab lab({24, 18});
    auto fit = std::make_shared<FitView>();
    fit->run = run_of_text(kFittedText);
    fit->run.size = Size{48, 36};
    fit->fields = std::make_shared<const std::vector<fitting::FieldResidual>>(1);
    lab.snapshot.fit = fit;
    follow_beside(lab.ui, lab.snapshot);
    lab.frame();
    lab.frame();
    CHECK(lab.ui.panes == fit_panes());
    REQUIRE(lab.output.request.panes.size() == 3);
    CHECK(lab.output.request.panes[0].resample.area.x1 == Approx(48).margin(1));
    const ScreenRect& picture = lab.slot().picture;
    const SamplePoint at{picture.x + picture.width / 2, picture.y + picture.height / 2};
    lab.move(at.x, at.y);
    for (int i = 0; i < 10; ++i) lab.wheel(1);
    const double before = lab.ui.view.x;
    lab.drag(lab.hands.left, at, {at.x - 50, at.y});
    CHECK(lab.ui.view.x > before);
    CHECK(lab.sent<action::Paint>().empty());
}
