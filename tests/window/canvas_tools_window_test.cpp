// The canvas' tools: strokes, probes and profiles by mouse.

#include "tests/support/catch.h"
#include "tests/support/window/canvas_lab.h"

TEST_CASE("Ctrl and the wheel change the brush's radius and not the view") {
    Lab lab;
    lab.move(400, 300);
    const CanvasView view = lab.ui.view;
    lab.hands.ctrl = true;
    lab.wheel(1);
    REQUIRE(lab.ui.preferences.brush.radius == Approx(11.5));
    lab.wheel(-1);
    REQUIRE(lab.ui.preferences.brush.radius == Approx(10).epsilon(1e-3));
    for (int i = 0; i < 40; ++i) lab.wheel(-1);
    REQUIRE(lab.ui.preferences.brush.radius == 0.5);
    for (int i = 0; i < 80; ++i) lab.wheel(1);
    REQUIRE(lab.ui.preferences.brush.radius == 2000);
    REQUIRE(lab.ui.view == view);
}

TEST_CASE("A stroke is one point and pieces that join end to end along the mouse's way") {
    const bool erases = GENERATE(false, true);
    Lab lab;
    Dice random;
    CAPTURE(erases);
    lab.ui.preferences.brush = {0.75, 12, true, true};
    bool& button = erases ? lab.hands.right : lab.hands.left;
    lab.move(300, 300);
    std::vector<SamplePoint> way{lab.cell(300.5, 300.5)};
    lab.press(button);
    for (int i = 0; i < 20; ++i) {
        const int px = random.integer(100, 900);
        const int py = random.integer(100, 600);
        lab.move(px, py);
        lab.frame();
        way.push_back(lab.cell(px + 0.5, py + 0.5));
    }
    lab.release(button);
    lab.move(400, 400);
    const auto pieces = lab.sent<action::Paint>();
    REQUIRE(pieces.size() == way.size());
    const Brush expected = erases ? Brush{0, 12, false, true} : lab.ui.preferences.brush;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const BrushPiece& piece = pieces[i].piece;
        REQUIRE(piece.brush == expected);
        REQUIRE(piece.joined == (i > 0));
        REQUIRE(apart({piece.x1, piece.y1}, way[i]) <= 1.0 / 32);
        REQUIRE(piece.x1 * 16 == std::round(piece.x1 * 16));
        REQUIRE(piece.y1 * 16 == std::round(piece.y1 * 16));
        const BrushPiece& before = pieces[i > 0 ? i - 1 : 0].piece;
        REQUIRE(apart({piece.x0, piece.y0}, {before.x1, before.y1}) == 0);
    }
}

TEST_CASE("A stroke that begins on the canvas goes on over a panel, and keeps its brush") {
    Lab lab;
    lab.panel = true;
    lab.frame();
    lab.move(500, 300);
    lab.press(lab.hands.left);
    lab.ui.preferences.brush.value = 9;
    lab.move(250, 300);
    lab.move(150, 300);
    lab.release(lab.hands.left);
    const auto pieces = lab.sent<action::Paint>();
    REQUIRE(pieces.size() == 3);
    REQUIRE(pieces.back().piece.x1 < pieces.front().piece.x1);
    REQUIRE(pieces.back().piece.brush.value == 1);
}

TEST_CASE("What happens on a panel is none of the canvas' business") {
    Lab lab;
    lab.panel = true;
    lab.frame();
    lab.move(150, 350);
    lab.frame();
    const CanvasView view = lab.ui.view;
    for (const Tool tool : {Tool::paint, Tool::probe, Tool::profile}) {
        lab.ui.tool = tool;
        lab.drag(lab.hands.left, {150, 350}, {600, 400});
        lab.drag(lab.hands.middle, {150, 350}, {600, 400});
        lab.move(150, 350);
        lab.wheel(2);
        REQUIRE_FALSE(lab.ui.hover);
    }
    REQUIRE(lab.ui.actions.empty());
    REQUIRE(lab.ui.view == view);
    REQUIRE(lab.ui.profiles.empty());
}

TEST_CASE("A brush smaller than a cell paints the cell under the mouse") {
    Lab lab({40, 30});
    lab.ui.preferences.brush.radius = 0.5;
    Dice random;
    for (int i = 0; i < 20; ++i) {
        const int px = random.integer(200, 800);
        const int py = random.integer(200, 500);
        lab.ui.actions.clear();
        lab.move(px, py);
        lab.click(lab.hands.left);
        const BrushPiece piece = only<action::Paint>(lab.ui).piece;
        const SamplePoint cell = lab.cell(px + 0.5, py + 0.5);
        REQUIRE(painted(piece, int(cell.x), int(cell.y), 0.25) == 1);
    }
}

TEST_CASE("Painting works in every pane but the start's") {
    Lab lab;
    lab.ui.panes = {Pane::start, Pane::now, Pane::laplacian};
    lab.frame();
    for (std::size_t i = 0; i < 3; ++i) {
        const ScreenRect at = lab.slot(i).picture;
        lab.ui.actions.clear();
        lab.move(std::floor(at.x + at.width / 3), std::floor(at.y + at.height / 2));
        lab.click(lab.hands.left);
        const auto pieces = lab.sent<action::Paint>();
        REQUIRE(pieces.size() == (i == 0 ? 0 : 1));
        REQUIRE(lab.ui.said.empty() == (i > 0));
        lab.ui.said.clear();
        if (i == 0) continue;
        const double middle =
            lab.ui.view.x + (std::floor(at.x + at.width / 3) - at.x + 0.5) / lab.ui.view.scale;
        REQUIRE(pieces[0].piece.x0 == Approx(middle).margin(1.0 / 16));
    }
}

TEST_CASE("A left click pins a probe on its cell, a right click near it removes it") {
    Lab lab({90, 60});
    lab.ui.tool = Tool::probe;
    lab.move(421, 333);
    lab.click(lab.hands.left);
    const auto added = only<action::AddProbe>(lab.ui);
    const SamplePoint at = lab.cell(421.5, 333.5);
    REQUIRE(added.x == int(at.x));
    REQUIRE(added.y == int(at.y));

    lab.snapshot.probes = {{80, 50, {}, {}}, {added.x, added.y, {}, {}}};
    lab.click(lab.hands.left);
    REQUIRE(lab.sent<action::AddProbe>().size() == 1);
    lab.move(600, 200);
    lab.click(lab.hands.right);
    REQUIRE(lab.sent<action::RemoveProbe>().empty());
    lab.move(424, 331);
    lab.click(lab.hands.right);
    REQUIRE(only<action::RemoveProbe>(lab.ui).index == 1);
    REQUIRE(lab.sent<action::Paint>().empty());
}

TEST_CASE("Drags set profiles, their ends can be dragged again, and a right click removes the nearest") {
    Lab lab;
    lab.ui.tool = Tool::profile;
    lab.drag(lab.hands.left, {300, 250}, {700, 450});
    REQUIRE(lab.ui.profiles.size() == 1);
    const double near = 1.0 / 16;
    REQUIRE(apart(lab.ui.profiles.front().from, lab.cell(300, 250)) <= near);
    REQUIRE(apart(lab.ui.profiles.front().to, lab.cell(700, 450)) <= near);
    lab.frame();
    REQUIRE(lab.output.request.profiles == lab.ui.profiles);

    const SamplePoint to = lab.ui.profiles.front().to;
    lab.move(500, 300);
    REQUIRE(ImGui::GetMouseCursor() == ImGuiMouseCursor_Arrow);
    lab.move(302, 251);
    REQUIRE(ImGui::GetMouseCursor() == ImGuiMouseCursor_Hand);
    lab.drag(lab.hands.left, {302, 251}, {350, 500});
    REQUIRE(lab.ui.profiles.front().to == to);
    REQUIRE(apart(lab.ui.profiles.front().from, lab.cell(350, 500)) <= near);

    // A click draws no line, and lines end at the field's edge.
    const ProfileLine line = lab.ui.profiles.front();
    lab.drag(lab.hands.left, {500, 300}, {501, 300});
    REQUIRE(lab.ui.profiles.front() == line);

    // A second line is added, and a right click removes the nearest one.
    lab.drag(lab.hands.left, {500, 300}, {5000, 300});
    REQUIRE(lab.ui.profiles.size() == 2);
    REQUIRE(lab.ui.profiles[0] == line);
    REQUIRE(lab.ui.profiles[1].to.x == 2000);
    lab.move(352, 498);
    lab.press(lab.hands.right);
    REQUIRE(lab.ui.profiles.size() == 1);
    REQUIRE(lab.ui.profiles[0].to.x == 2000);

    // Beyond the limit the oldest line is removed.
    for (std::size_t i = 0; i < kMostProfiles; ++i)
        lab.drag(lab.hands.left, {400 + 20.0 * double(i), 350}, {420 + 20.0 * double(i), 450});
    REQUIRE(lab.ui.profiles.size() == kMostProfiles);
    REQUIRE(lab.ui.profiles[0].to.x < 2000);
}

TEST_CASE("With Shift a profile is level, upright or diagonal") {
    Lab lab;
    lab.ui.tool = Tool::profile;
    lab.hands.shift = true;
    const auto drawn = [&](SamplePoint to) {
        lab.ui.profiles.clear();
        lab.drag(lab.hands.left, {400, 300}, to);
        REQUIRE(lab.ui.profiles.size() == 1);
        const auto& [from, end] = lab.ui.profiles.front();
        return SamplePoint{end.x - from.x, end.y - from.y};
    };
    const SamplePoint level = drawn({600, 320}), upright = drawn({390, 500}), diagonal = drawn({300, 380});
    REQUIRE(level.x > 0);
    REQUIRE(level.y == 0);
    REQUIRE(upright.x == 0);
    REQUIRE(diagonal.x < 0);
    REQUIRE(diagonal.y == Approx(-diagonal.x));
}

TEST_CASE("Where the mouse goes after a button was let go is no part of what was dragged") {
    Lab lab;
    Dice random;
    const auto let_go_elsewhere = [&](bool& button) {
        button = false;
        lab.move(random.integer(600, 900), random.integer(400, 600));
    };
    lab.move(300, 300);
    lab.press(lab.hands.left);
    lab.move(350, 280);
    let_go_elsewhere(lab.hands.left);
    REQUIRE(lab.sent<action::Paint>().size() == 2);

    lab.move(300, 300);
    lab.press(lab.hands.middle);
    lab.move(400, 250);
    const CanvasView panned = lab.ui.view;
    let_go_elsewhere(lab.hands.middle);
    REQUIRE(lab.ui.view == panned);
}

TEST_CASE(
    "A line and a rectangle are painted when the button is let go, and the rectangle is of whole cells") {
    const bool line = GENERATE(true, false);
    Lab lab({200, 140});
    lab.ui.preferences.brush.shape = line ? BrushShape::round : BrushShape::rectangle;
    lab.ui.preferences.brush.soft = true;
    lab.ui.preferences.straight = line;
    lab.move(300, 200);
    lab.press(lab.hands.left);
    lab.move(500, 300);
    lab.move(420, 340);
    CHECK(lab.sent<action::Paint>().empty());
    const SamplePoint from = lab.cell(300.5, 200.5), to = lab.cell(420.5, 340.5);
    lab.release(lab.hands.left);
    const auto pieces = lab.sent<action::Paint>();
    REQUIRE(pieces.size() == (line ? 2 : 1));
    const BrushPiece& last = pieces.back().piece;
    CHECK_FALSE(pieces.front().piece.joined);
    CHECK(last.joined == line);
    CHECK(last.brush.soft == line);
    if (line) {
        CHECK(std::abs(last.x0 - from.x) <= 1.0 / 32);
        CHECK(std::abs(last.y1 - to.y) <= 1.0 / 32);
    } else {
        CHECK(last.x0 == std::floor(from.x));
        CHECK(last.y0 == std::floor(from.y));
        CHECK(last.x1 == std::floor(to.x) + 1);
        CHECK(last.y1 == std::floor(to.y) + 1);
    }
}

TEST_CASE("A fill is one piece with its tolerance, and the eraser paints 0") {
    Lab lab({200, 140});
    lab.ui.preferences.brush = {0.75, 12, true, true, BrushShape::fill};
    lab.ui.preferences.fill_tolerance = 0.25;
    lab.drag(lab.hands.left, {300, 200}, {400, 300});
    CHECK(only<action::Paint>(lab.ui).piece.brush == Brush{0.75, 0.25, true, false, BrushShape::fill});
    lab.ui.actions.clear();
    lab.ui.erases = true;
    lab.click(lab.hands.left);
    CHECK(only<action::Paint>(lab.ui).piece.brush == Brush{0, 0.25, false, false, BrushShape::fill});
    CHECK(lab.ui.said.empty());
}

TEST_CASE("Whatever is painted beside the field is no edit, and says that there is nothing") {
    Lab lab({40, 140});
    lab.ui.preferences.brush.radius = 2;
    lab.ui.preferences.brush.shape = GENERATE(BrushShape::round, BrushShape::rectangle, BrushShape::fill);
    lab.move(500, 300);
    lab.click(lab.hands.left);
    CHECK(lab.ui.said.empty());
    const std::size_t within = lab.sent<action::Paint>().size();
    CHECK(within > 0);
    lab.move(60, 300);
    lab.click(lab.hands.left);
    CHECK(lab.ui.said == "Outside the field");
    CHECK(lab.sent<action::Paint>().size() == within);
}

TEST_CASE("The eyedropper takes the value of the cell that was clicked, though the mouse went on") {
    Lab lab({200, 140});
    lab.ui.tool = Tool::pick;
    lab.move(300, 200);
    lab.click(lab.hands.left);
    REQUIRE(lab.ui.picks);
    const SamplePoint clicked = *lab.ui.picks;
    lab.move(500, 400);
    CHECK(lab.output.request.hover == clicked);
    CHECK(lab.ui.preferences.brush.value == 1);
    auto answer = std::make_shared<Frame>(*lab.snapshot.frame);
    answer->hover = clicked;
    answer->hover_value = 0.375;
    lab.snapshot.frame = answer;
    lab.frame();
    CHECK(lab.ui.preferences.brush.value == 0.375);
    CHECK(lab.ui.tool == Tool::paint);
    CHECK_FALSE(lab.ui.picks);
    CHECK(lab.sent<action::Paint>().empty());
}
