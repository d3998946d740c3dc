// A fit beside a session's run.
#include <cmath>
#include <thread>

#include "sim/files/atomic_file.h"
#include "sim/files/npy.h"
#include "sim/session/fit_task.h"
#include "sim/text/json.h"
#include "tests/support/scratch.h"
#include "tests/support/session_lab.h"

namespace {

constexpr const char* kFitted =
    "du/dt = D*lap(u) + F*u; D = 0.1 in [0, 1]; F = 0.01 in [0, 0.1]; boundary = periodic\n"
    "u(0) = 1 + 0.5*sin(2*pi*x/Lx); dt = 0.5; size = 24x18";

struct FitLab : SessionLab {
    FitLab() : SessionLab(run_of_text(kFitted)) { see({Pane::now}); }

    /// Writes the field at t = 10 of the run with D = 0.2 and F = 0.05.
    std::string write_target() {
        RunSpec spec = run_of_text(kFitted);
        spec.set_parameter("D", 0.2);
        spec.set_parameter("F", 0.05);
        Simulation run = begun(spec);
        run.apply(Advance{20});
        write_npy(folder / "target.npy", run.field());
        return "u=" + (folder / "target.npy").string() + "@10";
    }
    void plan(std::vector<std::string> targets, std::vector<std::string> parameters) {
        act(action::PlanFit{{std::move(targets), std::move(parameters), {}}});
    }
    /// Works until the fit has ended, and takes its newest state.
    void finish() {
        for (int i = 0; now()->fit && now()->fit->running; ++i) {
            REQUIRE(i < 20000);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            turn(session);
        }
        turn(session);
        settle(session);
    }

    ScratchFolder folder;
};

}  // namespace

TEST_CASE("A session fits in the background while its run goes on, and shows target, run and difference") {
    FitLab lab;
    const std::string target = lab.write_target();
    lab.plan({target}, {"D", "F=0.02"});
    CHECK(lab.now()->beside.fit.parameters.size() == 2);
    CHECK(!lab.now()->fit);
    lab.act(action::StartFit{});
    REQUIRE(lab.now()->fit);
    lab.act(action::Step{3});  // the run is stepped meanwhile
    CHECK(lab.now()->step == 3);
    lab.finish();
    const auto fit = lab.now()->fit;
    CAPTURE(fit->failure);
    REQUIRE(fit->result.success);
    REQUIRE(fit->result.estimates.size() == 2);
    CHECK(fit->result.estimates[0].value == Approx(0.2).epsilon(1e-4));
    CHECK(fit->result.estimates[1].value == Approx(0.05).epsilon(1e-4));
    CHECK(*fit->result.estimates[1].parameter.start == 0.02);
    REQUIRE(fit->has_fields());
    lab.see(fit_panes());
    const auto& frame = *lab.now()->frame;
    REQUIRE(frame.panes.size() == 3);
    const auto& [goal, run, difference] = std::tie(frame.panes[0], frame.panes[1], frame.panes[2]);
    CHECK(goal.range.high == run.range.high);
    CHECK(difference.colormap == "coolwarm");
    CHECK(difference.range.high == -difference.range.low);
    for (std::size_t i = 0; i < 24 * 18; ++i) {
        REQUIRE(run.pixels->host[i] == Approx(goal.pixels->host[i]).epsilon(1e-4));
        REQUIRE(difference.pixels->host[i] ==
                Approx(run.pixels->host[i] - goal.pixels->host[i]).margin(1e-6));
    }
}

TEST_CASE("Each target that is a field is pictured on demand, beside its run and their difference") {
    FitLab lab;
    const std::string target = lab.write_target();
    write_text_file(lab.folder / "mean.csv", "t,mean(u)\n0,1\n5,1.3\n");
    RunSpec spec = run_of_text(kFitted);
    spec.set_parameter("D", 0.2);
    spec.set_parameter("F", 0.05);
    Simulation run = begun(spec);
    run.apply(Advance{6});
    write_npy(lab.folder / "early.npy", run.field());
    lab.plan({target, (lab.folder / "mean.csv").string(), (lab.folder / "early.npy").string() + "@3"},
             {"D", "F=0.02"});
    lab.act(action::StartFit{});
    lab.finish();
    REQUIRE(lab.now()->fit);
    CAPTURE(lab.now()->fit->failure);
    REQUIRE(lab.now()->fit->has_fields());
    const auto shown = [&](std::size_t index) {
        ViewRequest view = view_of(fit_panes(), {24, 18});
        view.fit_target = index;
        view.hover = SamplePoint{3.5, 2.5};
        lab.session.set_view(view);
        settle(lab.session);
        return lab.now()->frame;
    };
    const auto late = shown(0), early = shown(2), table = shown(1);
    for (std::size_t i = 0; i < 24 * 18; ++i)
        REQUIRE(double(early->panes[0].pixels->host[i]) == cells_of(run.field())[i]);
    CHECK(early->hover_value == cells_of(run.field())[2 * 24 + 3]);
    for (std::size_t pane = 0; pane < 3; ++pane) {
        CHECK(late->panes[pane].pixels->host != early->panes[pane].pixels->host);
        CHECK(late->panes[pane].pixels->host == table->panes[pane].pixels->host);  // a table has none
    }
    CHECK(lab.now()->fit->pictured(2).when == " at t = 3");
}

TEST_CASE("The estimates of a fit are taken over in one step of undo, and its files are the command's") {
    FitLab lab;
    lab.plan({lab.write_target()}, {"D", "F"});
    lab.act(action::TakeFit{});
    CHECK(lab.message() == "there are no estimates yet");
    lab.act(action::StartFit{});
    lab.finish();
    lab.act(action::Step{2});
    lab.act(action::TakeFit{});
    CHECK(lab.run().parameter("D") == Approx(0.2).epsilon(1e-4));
    CHECK(lab.run().parameter("F") == Approx(0.05).epsilon(1e-4));
    CHECK(lab.now()->can_undo == "estimates of the fit at step 2");
    lab.act(action::Undo{});
    CHECK(lab.run().parameter("D") == 0.1);
    CHECK(lab.run().parameter("F") == 0.01);
    lab.act(action::Redo{});
    CHECK(lab.run().parameter("D") == Approx(0.2).epsilon(1e-4));
    const std::string out = (lab.folder / "out").string();
    lab.act(action::ExportFit{out});
    CHECK(lab.message() == "Wrote 7 files to " + out);
    CHECK(read_bytes(lab.folder / "out" / "residual.png").starts_with("\x89PNG"));
    // The command of the fit begins where it began, whatever the sliders are now.
    const auto fit = lab.now()->fit;
    const std::string command = fitting::command_text(fit->run, fit->words);
    CHECK(command.starts_with("stencilscope fit "));
    CHECK(command.find("--target u=") != std::string::npos);
    CHECK(command.ends_with(" --fit D --fit F"));
    // Without a plan there is no fit; undo brings the plan back.
    lab.act(action::PlanFit{});
    CHECK(!lab.now()->fit);
    lab.act(action::Undo{});
    CHECK(lab.now()->beside.fit == fit->words);
}

TEST_CASE("A fit that cannot be says why, and one that is stopped keeps what it found") {
    FitLab lab;
    lab.plan({"u=" + (lab.folder / "nothing.npy").string() + "@10"}, {"D"});
    lab.act(action::StartFit{});
    lab.finish();
    CHECK(lab.now()->fit->failure.find("nothing.npy") != std::string::npos);
    CHECK(lab.message() == lab.now()->fit->failure);
    lab.act(action::ExportFit{(lab.folder / "out").string()});
    CHECK(lab.message() == "there is no fit to export");
    // A run that is watched has no end, so the target needs a time.
    std::string target = lab.write_target();
    target.resize(target.rfind('@'));
    lab.plan({target}, {"D"});
    lab.act(action::StartFit{});
    lab.finish();
    CHECK(lab.now()->fit->failure.find("at which time") != std::string::npos);
    lab.act(action::StopAt{20});
    lab.act(action::StartFit{});
    lab.finish();
    CHECK(lab.now()->fit->failure.empty());
    CHECK(lab.now()->fit->run.steps == 20);
    lab.act(action::StartFit{});
    lab.act(action::CancelFit{});
    lab.finish();
    CHECK(!lab.now()->fit->running);
}

TEST_CASE("A field of another size is fitted on as many cells as it has") {
    FitLab lab;
    const std::string target = lab.write_target();
    lab.set("size", "48x36");
    lab.plan({target}, {"D"});
    lab.act(action::StartFit{});
    lab.finish();
    CHECK(lab.now()->fit->run.size == Size{24, 18});
    CHECK(lab.now()->fit->failure.empty());
}

TEST_CASE("A fit's words are kept in the session's file, and its parameters read as they are written") {
    const fitting::FitWords words{{"v=a b.npy@3", "mean(v)=t.csv"}, {"F=0.1:0:1", "K:log"}, {0.02, 1}};
    nlohmann::ordered_json file = to_json(run_of_text(kFitted));
    Beside beside;
    beside.fit = words;
    file[kBesideKey] = to_json(beside);
    CHECK(beside_of_file(file.dump(), "session.json").fit == words);
    for (const char* text : {"F", "F=0.1", "F=0.1:0:1", "F=:0:", "F=0.5::2:log", "K:log", "F=::1e-05"})
        CHECK(to_string(fitting::read_parameter(text)) == text);
    CHECK(std::isinf(fitting::read_parameter("F=:0:").high));
    CHECK(!fitting::read_parameter("F=:0:").start);
    for (const char* wrong : {"F=", "F=1:2", "F=a:0:1", "=1", "F=1:2:3:4"})
        CHECK_THROWS_AS(fitting::read_parameter(wrong), InputError);
}
