// The tiles of a sweep on the canvas, and the panels that begin other runs.
#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/theme.h"
#include "sim/problem/spread.h"
#include "sim/run/resolve.h"
#include "tests/support/session_lab.h"
#include "tests/support/window/canvas_lab.h"

namespace {

constexpr const char* kSweptText =
    "du/dt = D*lap(u) + F*u; D = 0.1 in [0, 1]; F = 0.05 in [0, 0.1]; u(0) = 1; dt = 0.5; size = 40x30";

/// A canvas with 4 x 3 tiles of 40 x 30 cells.
struct TilesLab : Lab {
    TilesLab() : Lab({160, 90}) {
        snapshot.now = run_of_text(kSweptText);
        auto sweep = std::make_shared<SweepSpec>();
        sweep->base = snapshot.now;
        sweep->vary = {parse_vary("F=0.02:0.08:4"), parse_vary("D=0.1:0.3:3")};
        auto tiles = std::make_shared<MosaicTiles>();
        tiles->sweep = snapshot.beside.sweep = sweep;
        tiles->columns = 4;
        tiles->rows = 3;
        tiles->tile = {40, 30};
        tiles->status.assign(12, "running");
        tiles->status[5] = "not finite at step 20: u";
        snapshot.tiles = tiles;
        follow_beside(ui, snapshot);
        frame();
        frame();
    }
    /// A pixel at the cell of the picture.
    SamplePoint at(double x, double y) {
        const ScreenRect place = stencil::place(ui.view, slot().picture, {x, y, x, y});
        return {place.x, place.y};
    }
};

struct ParameterLab : SectionLab {
    ParameterLab() : SectionLab(run_of_text(kSweptText), "Equation") {}
    void choose(const char* parameter, const char* item) {
        const ImRect slider = find("##panel", {"Equation", parameter, "##value"});
        move_mouse(slider.GetCenter());
        hands.right = true;
        frames();
        hands.right = false;
        frames(2);
        for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows)
            if (window->WasActive && (window->Flags & ImGuiWindowFlags_Popup) != 0) {
                const std::string name = window->Name;
                click(name.c_str(), {item}, 0.3f);
                follow();
                return;
            }
        FAIL("no menu");
    }
};

}  // namespace

TEST_CASE("The canvas shows a sweep as one picture, whose axes have its values") {
    TilesLab lab;
    CHECK(lab.ui.panes == std::vector{Pane::mosaic});
    REQUIRE(lab.output.request.panes.size() == 1);
    CHECK(lab.output.request.panes[0].pane == Pane::mosaic);
    CHECK(lab.output.request.panes[0].resample.area.x1 == Approx(160).margin(1));
    CHECK(lab.output.drawings.size() == 1);  // one texture, however many tiles
    FieldAxes axes;
    lab.frame_of([&] {
        AxisScales scales;
        scales.x = AxisScale{"F", 0, 0, {"0.02", "0.04", "0.06", "0.08"}};
        axes = axes_over({{0, 0, 160, 90}, 600, 400, false}, 15, {}, {160, 90}, scales);
    });
    REQUIRE(axes.x.marks.size() == 4);
    CHECK(axes.x.marks[1].label == "0.04");
    CHECK(axes.x.marks[1].position == Approx(0.375));
    CHECK(axes.x.marks[3].label == "F = 0.08");
}

TEST_CASE("A click opens a tile, and a rectangle of tiles refines the ranges") {
    TilesLab lab;
    const SamplePoint tile = lab.at(60, 75);
    lab.move(tile.x, tile.y);
    CHECK(tile_at(lab.ui, lab.snapshot) == 1U);
    lab.click(lab.hands.left);
    REQUIRE(lab.sent<action::OpenTile>().size() == 1);
    CHECK(lab.sent<action::OpenTile>()[0].run == 1);
    CHECK(lab.ui.panes == std::vector{Pane::now});
    CHECK(lab.sent<action::Paint>().empty());
    lab.ui.panes = {Pane::mosaic};
    lab.frame();
    lab.drag(lab.hands.left, lab.at(50, 10), lab.at(110, 70), 8);
    REQUIRE(lab.sent<action::ShowSweep>().size() == 1);
    const SweepSpec& finer = *lab.sent<action::ShowSweep>()[0].sweep;
    CHECK(to_string(finer.vary[0]) == "F=0.04:0.06:4");
    CHECK(to_string(finer.vary[1]) == "D=0.1:0.3:3");
    CHECK(finer.base.size == Size{40, 30});
    // A run that failed is told by the session, and the tiles stay.
    lab.move(lab.at(60, 45).x, lab.at(60, 45).y);
    lab.click(lab.hands.left);
    CHECK(lab.ui.panes == std::vector{Pane::mosaic});
}

TEST_CASE("The status line tells the step of the tiles while they are shown") {
    TilesLab lab;
    auto tiles = std::make_shared<MosaicTiles>(*lab.snapshot.tiles);
    tiles->step = 2000;
    lab.snapshot.tiles = tiles;
    lab.snapshot.step = 7;
    lab.snapshot.now = resolve(lab.snapshot.now, query_machine());
    lab.snapshot.spec = lab.snapshot.now;
    const auto told = [&] { return lab.text_of(3000, [&] { draw_status_line(lab.ui, lab.snapshot); }); };
    CHECK(told().find("step 2 000") != std::string::npos);
    CHECK(told().find("step 7") == std::string::npos);
    lab.ui.panes = {Pane::now};
    CHECK(told().find("step 7") != std::string::npos);
}

TEST_CASE("The timeline is the tiles' while they are shown, and a drag sends them to a step at its end") {
    Interface window;
    auto tiles = std::make_shared<MosaicTiles>();
    tiles->sweep = std::make_shared<SweepSpec>();
    tiles->columns = 4;
    tiles->rows = 3;
    tiles->tile = {40, 30};
    tiles->status.assign(12, "running");
    tiles->step = 250;
    tiles->furthest = 1000;
    window.quiet();
    window.snapshot.running = true;
    window.snapshot.tiles = tiles;
    window.snapshot.step = 7;
    window.snapshot.end_step = 9;
    window.frames(2);
    window.ui.panes = {Pane::mosaic};
    window.frames(2);
    const auto told = [&] { return window.text_of(900, [&] { draw_timeline(window.ui, window.snapshot); }); };
    CHECK(told().find("step 250 of 1 000") != std::string::npos);
    const ImRect slider = window.find("##timeline", {"##steps"});
    const auto at = [&](float share) {
        return ImVec2(slider.Min.x + share * slider.GetWidth(), slider.GetCenter().y);
    };
    window.ui.actions.clear();
    window.drag(at(0.9f), at(0.5f), 6);
    CHECK(!only<action::Run>(window.ui).on);
    CHECK(only<action::Jump>(window.ui).step == Approx(500).margin(10));
    window.ui.actions.clear();
    window.click("##timeline", {ICON_MARK});
    CHECK(actions_of<action::SetBookmark>(window.ui).empty());
    window.ui.panes = {Pane::now};
    window.frames(2);
    CHECK(told().find("step 7 of 9") != std::string::npos);
}

TEST_CASE("Tiles that are framed in the colours of a number have a bar for it beside that of the pictures") {
    TilesLab lab;
    auto tiles = std::make_shared<MosaicTiles>(*lab.snapshot.tiles);
    const int alone = lab.vertices();
    tiles->color = "D_max";
    tiles->observed.assign(12, 1);
    tiles->observed_range = {0, 2};
    lab.snapshot.tiles = tiles;
    lab.frame();
    lab.frame();
    CHECK(lab.vertices() > alone);
    CHECK(lab.ui.color_bars.size() == 1);  // only the pictures' can be dragged
}

TEST_CASE("The wheel zooms the tiles, and the pan tool moves them") {
    TilesLab lab;
    const SamplePoint at = lab.at(60, 75);
    lab.move(at.x, at.y);
    const double scale = lab.ui.view.scale;
    for (int i = 0; i < 5; ++i) lab.wheel(1);
    CHECK(lab.ui.view.scale > 2 * scale);
    CHECK(tile_at(lab.ui, lab.snapshot) == 1U);
    lab.ui.tool = Tool::pan;
    const double x = lab.ui.view.x;
    lab.drag(lab.hands.left, {500, 300}, {450, 300});
    CHECK(lab.ui.view.x > x);
    CHECK(lab.sent<action::OpenTile>().empty());
}

TEST_CASE("A slider's menu begins a sweep, spreads the parameter, and begins run B") {
    ParameterLab lab;
    lab.choose("F", "Sweep over x");
    REQUIRE(lab.snapshot.tiles);
    CHECK(to_string(lab.snapshot.tiles->sweep->vary[0]) == "F=0:0.1:16");
    CHECK(lab.snapshot.tiles->tile == Size{40, 30});
    lab.choose("D", "Sweep over y");
    REQUIRE(lab.snapshot.tiles->sweep->vary.size() == 2);
    CHECK(lab.snapshot.tiles->sweep->vary[1].name == "D");
    CHECK(lab.snapshot.tiles->count() == 256);
    copy_command_line(lab.ui, lab.snapshot);
    lab.choose("F", "Run B");
    REQUIRE(lab.snapshot.beside.run_b);
    CHECK(lab.snapshot.beside.run_b->values == std::vector<RunB::Value>{{0, "0.05"}});
    CHECK(lab.find("##panel", {"Equation", "F", "##run b"}).GetWidth() > 0);
    lab.choose("F", "Spread over x");
    const auto spread = spread_along(lab.now(), 0);
    INFO(lab.now().model->text);
    REQUIRE(spread);
    CHECK(spread->name == "F");
    CHECK(spread->first == Approx(0).margin(1e-12));
    CHECK(spread->last == Approx(0.1));
}
