// The canvas under a mouse: what is asked of the engine, what is drawn where, and what strokes, probes and
// profiles come of it.
#include "app/window/canvas.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "app/window/color_bar.h"
#include "sim/view/colormap.h"
#include "tests/support/catch.h"
#include "tests/support/imgui_session.h"
#include "tests/support/scratch.h"

using namespace stencil;
using stencil_test::Dice;
using stencil_test::ImGuiSession;

namespace {

constexpr CanvasColors kColors{IM_COL32(20, 20, 24, 255),
                               IM_COL32(230, 230, 230, 255),
                               IM_COL32(140, 140, 140, 255),
                               IM_COL32(90, 90, 90, 255),
                               IM_COL32(80, 160, 255, 255),
                               IM_COL32(250, 180, 60, 255),
                               IM_COL32(250, 80, 60, 255)};

/// A canvas of its own session, with an engine that answers every request at the next frame.
struct Lab {
    explicit Lab(FieldSize field_size = {2000, 1500}, float framebuffer_scale = 1)
        : session({1000 / framebuffer_scale, 700 / framebuffer_scale}, framebuffer_scale),
          framebuffer(framebuffer_scale),
          field(field_size) {
        snapshot.now.size = Size{field.nx, field.ny};
        snapshot.running = true;
        frame();
    }

    void frame() {
        drawn = snapshot.frame;
        session.frame([&] {
            if (panel) {
                ImGui::SetNextWindowPos({0, 0});
                ImGui::SetNextWindowSize({300, 700});
                ImGui::Begin("panel");
                ImGui::End();
            }
            output = canvas.update(ui, snapshot, {{0, 0, 1000, 700}, kColors, session.seconds()});
        });
        if (answers) answer();
    }

    void answer() {
        auto next = std::make_shared<Frame>();
        next->nx = field.nx;
        next->ny = field.ny;
        for (const PaneRequest& pane : output.request.panes)
            next->panes.push_back({pane, std::make_shared<Pixels>(), {-1, 1}, "viridis"});
        if (output.request.numbers) {
            const CellBlock& block = *output.request.numbers;
            next->numbers =
                Numbers{block, std::vector<double>(std::size_t(block.nx) * std::size_t(block.ny), -0.25)};
        }
        snapshot.frame = next;
    }

    /// To a pixel of the frame buffer.
    void move(double px, double py) {
        session.hands.x = float(px) / framebuffer;
        session.hands.y = float(py) / framebuffer;
        frame();
    }
    void press(bool& button) {
        button = true;
        frame();
    }
    void release(bool& button) {
        button = false;
        frame();
    }
    void wheel(float notches) {
        session.hands.wheel = notches;
        frame();
    }
    /// Presses at one place, moves in so many parts to another, lets go.
    void drag(bool& button, SamplePoint from, SamplePoint to, int parts = 5) {
        move(from.x, from.y);
        press(button);
        for (int i = 1; i <= parts; ++i)
            move(from.x + (to.x - from.x) * i / parts, from.y + (to.y - from.y) * i / parts);
        release(button);
    }

    const PaneSlot& slot(std::size_t index = 0) {
        slots = lay_out(ui.panes, {0, 0, 1000, 700}, ImGui::GetFontSize() * framebuffer);
        return slots[index];
    }
    SamplePoint cell(double px, double py, std::size_t index = 0) {
        return cell_at(ui.view, slot(index).picture, px, py);
    }
    template <class T>
    std::vector<T> sent() const {
        std::vector<T> result;
        for (const Action& action : ui.actions)
            if (const T* one = std::get_if<T>(&action)) result.push_back(*one);
        return result;
    }

    ImGuiSession session;
    float framebuffer;
    FieldSize field;
    UiState ui;
    Snapshot snapshot;
    Canvas canvas;
    CanvasOutput output;
    std::shared_ptr<const Frame> drawn;  ///< the output's images are of this one
    std::vector<PaneSlot> slots;
    bool panel = false;
    bool answers = true;
};

}  // namespace

TEST_CASE("The canvas asks for the whole field at first and shows it where it was asked for") {
    Lab lab;
    lab.frame();
    REQUIRE(lab.output.request.panes.size() == 1);
    const ResampleRequest& asked = lab.output.request.panes.front().resample;
    REQUIRE(asked.area.x0 == Approx(0).margin(1e-9));
    REQUIRE(asked.area.x1 == Approx(2000).margin(1 / lab.ui.view.scale));
    REQUIRE(lab.output.drawings.size() == 1);
    REQUIRE(lab.output.drawings[0].where.width == asked.width);
    REQUIRE(lab.output.drawings[0].where.height == asked.height);
    REQUIRE(intersection(lab.output.drawings[0].where, lab.output.drawings[0].clip) ==
            lab.output.drawings[0].where);
    REQUIRE_FALSE(lab.output.moves);
}

TEST_CASE("The wheel zooms and keeps the cell under the cursor") {
    const float framebuffer = GENERATE(1.0f, 2.0f);
    Lab lab({2000, 1500}, framebuffer);
    Dice random;
    CAPTURE(random.seed, framebuffer);
    for (int i = 0; i < 40; ++i) {
        const ScreenRect shown =
            lab.output.drawings.empty() ? lab.slot().picture : lab.output.drawings[0].where;
        const ScreenRect inside = intersection(shown, lab.slot().picture);
        // ImGui knows the mouse in whole units, which are two pixels of such a frame buffer.
        const int px = int(inside.x + random.uniform(0.3, 0.7) * inside.width) & ~1;
        const int py = int(inside.y + random.uniform(0.3, 0.7) * inside.height) & ~1;
        lab.move(px, py);
        const SamplePoint before = lab.cell(px, py);
        const double scale = lab.ui.view.scale;
        lab.wheel(i % 3 == 2 ? -1.0f : 1.0f);
        const SamplePoint after = lab.cell(px, py);
        REQUIRE(lab.ui.view.scale == Approx(scale * (i % 3 == 2 ? 1 / 1.2 : 1.2)));
        REQUIRE((after.x - before.x) * lab.ui.view.scale == Approx(0).margin(0.01));
        REQUIRE((after.y - before.y) * lab.ui.view.scale == Approx(0).margin(0.01));
        lab.frame();
        const ResampleRequest& asked = lab.output.request.panes.front().resample;
        REQUIRE(lab.output.drawings[0].where.width == asked.width);
        REQUIRE(lab.output.drawings[0].where.height == asked.height);
    }
}

TEST_CASE("Ctrl and the wheel change the brush's radius and not the view") {
    Lab lab;
    lab.move(400, 300);
    const CanvasView view = lab.ui.view;
    lab.session.hands.ctrl = true;
    lab.wheel(1);
    REQUIRE(lab.ui.brush.radius == Approx(11.5));
    lab.wheel(-1);
    REQUIRE(lab.ui.brush.radius == Approx(10).epsilon(1e-3));
    for (int i = 0; i < 40; ++i) lab.wheel(-1);
    REQUIRE(lab.ui.brush.radius == 0.5);
    for (int i = 0; i < 80; ++i) lab.wheel(1);
    REQUIRE(lab.ui.brush.radius == 2000);
    REQUIRE(lab.ui.view == view);
}

TEST_CASE("The middle button, and Alt with the left one, drag the field with them") {
    const bool with_alt = GENERATE(false, true);
    Lab lab;
    lab.move(500, 350);
    for (int i = 0; i < 10; ++i) lab.wheel(1);
    const SamplePoint held = lab.cell(500, 350);
    lab.session.hands.alt = with_alt;
    bool& button = with_alt ? lab.session.hands.left : lab.session.hands.middle;
    lab.drag(button, {500, 350}, {623, 277});
    const SamplePoint now = lab.cell(623, 277);
    REQUIRE(now.x == Approx(held.x).margin(1e-6));
    REQUIRE(now.y == Approx(held.y).margin(1e-6));
    REQUIRE(lab.ui.actions.empty());
    // Without a button it stays.
    lab.move(100, 100);
    REQUIRE(lab.cell(623, 277).x == Approx(held.x).margin(1e-6));
}

TEST_CASE(
    "The old picture moves with the view while the engine is late, and three dots say so after a while") {
    Lab lab;
    lab.move(500, 350);
    for (int i = 0; i < 10; ++i) lab.wheel(1);
    lab.frame();
    const ScreenRect before = lab.output.drawings[0].where;
    lab.answers = false;
    lab.drag(lab.session.hands.middle, {500, 350}, {540, 380});
    const ScreenRect after = lab.output.drawings[0].where;
    REQUIRE(after == ScreenRect{before.x + 40, before.y + 30, before.width, before.height});
    REQUIRE(lab.output.moves);
    const int quiet = lab.session.vertices();
    for (int i = 0; i < 30; ++i) lab.frame();
    REQUIRE(lab.session.vertices() > quiet);
    lab.answers = true;
    lab.frame();
    lab.frame();
    REQUIRE_FALSE(lab.output.moves);
    REQUIRE(lab.session.vertices() <= quiet);
}

TEST_CASE("A double click of the middle button and f fit, 1 shows one pixel per cell") {
    Lab lab;
    const CanvasView fitted = lab.ui.view;
    lab.move(500, 350);
    lab.wheel(3);
    REQUIRE_FALSE(lab.ui.view.fitted);
    for (int i = 0; i < 2; ++i) {
        lab.press(lab.session.hands.middle);
        lab.release(lab.session.hands.middle);
    }
    REQUIRE(lab.ui.view == fitted);
    lab.canvas.one_to_one(lab.ui);
    lab.frame();
    REQUIRE(lab.ui.view.scale == 1);
    REQUIRE(lab.ui.view.x == std::round(lab.ui.view.x));
    const ResampleRequest& asked = lab.output.request.panes.front().resample;
    REQUIRE(asked.area.x1 - asked.area.x0 == asked.width);
    lab.canvas.fit(lab.ui);
    lab.frame();
    REQUIRE(lab.ui.view == fitted);
}

TEST_CASE("A stroke is one point and pieces that join end to end along the mouse's way") {
    const bool erases = GENERATE(false, true);
    Lab lab;
    Dice random;
    CAPTURE(random.seed, erases);
    lab.ui.brush = {0.75, 12, true, true};
    bool& button = erases ? lab.session.hands.right : lab.session.hands.left;
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
    const Brush expected = erases ? Brush{0, 12, false, true} : lab.ui.brush;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const BrushPiece& piece = pieces[i].piece;
        REQUIRE(piece.brush == expected);
        REQUIRE(piece.joined == (i > 0));
        REQUIRE(piece.x1 == Approx(way[i].x).margin(1.0 / 32));
        REQUIRE(piece.y1 == Approx(way[i].y).margin(1.0 / 32));
        REQUIRE(piece.x1 * 16 == std::round(piece.x1 * 16));
        REQUIRE(piece.y1 * 16 == std::round(piece.y1 * 16));
        const BrushPiece& before = pieces[i > 0 ? i - 1 : 0].piece;
        REQUIRE(piece.x0 == before.x1);
        REQUIRE(piece.y0 == before.y1);
    }
}

TEST_CASE("A stroke that begins on the canvas goes on over a panel, and keeps its brush") {
    Lab lab;
    lab.panel = true;
    lab.frame();
    lab.move(500, 300);
    lab.press(lab.session.hands.left);
    lab.ui.brush.value = 9;
    lab.move(100, 300);
    lab.move(50, 300);
    lab.release(lab.session.hands.left);
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
        lab.drag(lab.session.hands.left, {150, 350}, {600, 400});
        lab.drag(lab.session.hands.middle, {150, 350}, {600, 400});
        lab.move(150, 350);
        lab.wheel(2);
        REQUIRE_FALSE(lab.ui.hover);
    }
    REQUIRE(lab.ui.actions.empty());
    REQUIRE(lab.ui.view == view);
    REQUIRE_FALSE(lab.ui.profile);
}

TEST_CASE("A brush smaller than a cell paints the cell under the mouse") {
    Lab lab({40, 30});
    lab.ui.brush.radius = 0.5;
    Dice random;
    CAPTURE(random.seed);
    for (int i = 0; i < 20; ++i) {
        const int px = random.integer(200, 800);
        const int py = random.integer(200, 500);
        lab.ui.actions.clear();
        lab.move(px, py);
        lab.press(lab.session.hands.left);
        lab.release(lab.session.hands.left);
        const auto pieces = lab.sent<action::Paint>();
        REQUIRE(pieces.size() == 1);
        const SamplePoint cell = lab.cell(px + 0.5, py + 0.5);
        REQUIRE(painted(pieces[0].piece, int(cell.x), int(cell.y), 0.25) == 1);
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
        lab.press(lab.session.hands.left);
        lab.release(lab.session.hands.left);
        const auto pieces = lab.sent<action::Paint>();
        REQUIRE(pieces.size() == (i == 0 ? 0 : 1));
        if (i == 0) continue;
        const double middle =
            lab.ui.view.x + (std::floor(at.x + at.width / 3) - at.x + 0.5) / lab.ui.view.scale;
        REQUIRE(pieces[0].piece.x0 == Approx(middle).margin(1.0 / 16));
    }
}

TEST_CASE("Three panes are of one size, on whole pixels, beside each other, and show the same cells") {
    Lab lab({600, 900});
    lab.ui.panes = {Pane::start, Pane::now, Pane::laplacian};
    lab.frame();
    lab.frame();
    REQUIRE(lab.output.drawings.size() == 3);
    // What is measured under the cursor is of the first pane that is asked for.
    REQUIRE(lab.output.request.panes.front().pane == Pane::now);
    for (std::size_t i = 0; i < 3; ++i) {
        const PaneDrawing& drawing = lab.output.drawings[i];
        REQUIRE(drawing.image->request.pane == lab.ui.panes[i]);
        REQUIRE(drawing.clip == lab.slot(i).picture);
        REQUIRE(drawing.clip.x == std::round(drawing.clip.x));
        REQUIRE(drawing.where.width == lab.output.drawings[0].where.width);
        REQUIRE(drawing.where.x - drawing.clip.x ==
                lab.output.drawings[0].where.x - lab.output.drawings[0].clip.x);
        REQUIRE(drawing.clip.x >= 0);
        REQUIRE(drawing.clip.x + drawing.clip.width <= 1000);
        if (i > 0)
            REQUIRE(drawing.clip.x >
                    lab.output.drawings[i - 1].clip.x + lab.output.drawings[i - 1].clip.width);
    }
}

TEST_CASE("The hover is the point of the field under the cursor, in any view") {
    Lab lab({311, 207});
    Dice random;
    CAPTURE(random.seed);
    for (int i = 0; i < 60; ++i) {
        const int px = random.integer(0, 999);
        const int py = random.integer(0, 699);
        lab.move(px, py);
        lab.wheel(float(random.integer(-3, 4)));
        const ScreenRect picture = lab.slot().picture;
        const SamplePoint at = lab.cell(px + 0.5, py + 0.5);
        const bool inside = picture.contains(px, py) && at.x >= 0 && at.y >= 0 && at.x < 311 && at.y < 207;
        REQUIRE(lab.ui.hover.has_value() == inside);
        REQUIRE(lab.output.request.hover == lab.ui.hover);
        if (!inside) continue;
        REQUIRE(lab.ui.hover->x == Approx(at.x));
        REQUIRE(lab.ui.hover->y == Approx(at.y));
    }
    lab.session.hands.x = -1e6f;
    lab.frame();
    REQUIRE_FALSE(lab.ui.hover);
}

TEST_CASE("A left click pins a probe on its cell, a right click near it removes it") {
    Lab lab({90, 60});
    lab.ui.tool = Tool::probe;
    lab.move(421, 333);
    lab.press(lab.session.hands.left);
    lab.release(lab.session.hands.left);
    const auto added = lab.sent<action::AddProbe>();
    REQUIRE(added.size() == 1);
    const SamplePoint at = lab.cell(421.5, 333.5);
    REQUIRE(added[0].x == int(at.x));
    REQUIRE(added[0].y == int(at.y));

    lab.snapshot.probes = {{80, 50, {}, {}}, {added[0].x, added[0].y, {}, {}}};
    lab.press(lab.session.hands.left);
    lab.release(lab.session.hands.left);
    REQUIRE(lab.sent<action::AddProbe>().size() == 1);
    lab.move(600, 200);
    lab.press(lab.session.hands.right);
    lab.release(lab.session.hands.right);
    REQUIRE(lab.sent<action::RemoveProbe>().empty());
    lab.move(424, 331);
    lab.press(lab.session.hands.right);
    lab.release(lab.session.hands.right);
    REQUIRE(lab.sent<action::RemoveProbe>().size() == 1);
    REQUIRE(lab.sent<action::RemoveProbe>()[0].index == 1);
    REQUIRE(lab.sent<action::Paint>().empty());
}

TEST_CASE("A drag sets the profile, its ends can be dragged again, and a right click removes it") {
    Lab lab;
    lab.ui.tool = Tool::profile;
    lab.drag(lab.session.hands.left, {300, 250}, {700, 450});
    REQUIRE(lab.ui.profile);
    const double near = 1.0 / 16;
    REQUIRE(lab.ui.profile->from.x == Approx(lab.cell(300, 250).x).margin(near));
    REQUIRE(lab.ui.profile->from.y == Approx(lab.cell(300, 250).y).margin(near));
    REQUIRE(lab.ui.profile->to.x == Approx(lab.cell(700, 450).x).margin(near));
    lab.frame();
    REQUIRE(lab.output.request.profile == lab.ui.profile);

    const SamplePoint to = lab.ui.profile->to;
    lab.drag(lab.session.hands.left, {302, 251}, {350, 500});
    REQUIRE(lab.ui.profile->to == to);
    REQUIRE(lab.ui.profile->from.x == Approx(lab.cell(350, 500).x).margin(near));

    // A click means no line, and no line leaves the field.
    const ProfileLine line = *lab.ui.profile;
    lab.drag(lab.session.hands.left, {500, 300}, {501, 300});
    REQUIRE(*lab.ui.profile == line);
    lab.drag(lab.session.hands.left, {500, 300}, {5000, 300});
    REQUIRE(lab.ui.profile->to.x == 2000);

    lab.move(500, 300);
    lab.press(lab.session.hands.right);
    REQUIRE_FALSE(lab.ui.profile);
}

TEST_CASE("With Shift a profile is level, upright or diagonal") {
    Lab lab;
    lab.ui.tool = Tool::profile;
    lab.session.hands.shift = true;
    lab.drag(lab.session.hands.left, {400, 300}, {600, 320});
    REQUIRE(lab.ui.profile);
    REQUIRE(lab.ui.profile->from.y == lab.ui.profile->to.y);
    REQUIRE(lab.ui.profile->to.x > lab.ui.profile->from.x);
    lab.ui.profile.reset();
    lab.drag(lab.session.hands.left, {400, 300}, {390, 500});
    REQUIRE(lab.ui.profile->from.x == lab.ui.profile->to.x);
    lab.ui.profile.reset();
    lab.drag(lab.session.hands.left, {400, 300}, {300, 380});
    const double dx = lab.ui.profile->to.x - lab.ui.profile->from.x;
    const double dy = lab.ui.profile->to.y - lab.ui.profile->from.y;
    REQUIRE(dx < 0);
    REQUIRE(dy == Approx(-dx));
}

TEST_CASE("Cells that are large enough have their numbers asked for and drawn, and no others") {
    Lab lab({200, 150});
    lab.move(500, 350);
    lab.frame();
    REQUIRE_FALSE(lab.output.request.numbers);
    const int without = lab.session.vertices();
    while (lab.ui.view.scale < 50) lab.wheel(1);
    REQUIRE(lab.output.request.numbers);
    const CellBlock block = *lab.output.request.numbers;
    const CellArea& area = lab.output.request.panes.front().resample.area;
    REQUIRE(block.x == std::floor(area.x0));
    REQUIRE(block.x + block.nx == std::ceil(area.x1));
    REQUIRE(block.y == std::floor(area.y0));
    REQUIRE(block.y + block.ny == std::ceil(area.y1));
    lab.frame();
    const int with = lab.session.vertices();
    REQUIRE(with > without + block.nx * block.ny * 4);
    lab.ui.show_numbers = false;
    lab.frame();
    REQUIRE_FALSE(lab.output.request.numbers);
    REQUIRE(lab.session.vertices() < with - block.nx * block.ny * 4);
}

TEST_CASE("Any canvas, field and choice of panes is drawn without harm") {
    Dice random;
    CAPTURE(random.seed);
    Lab lab;
    for (const FieldSize field : {FieldSize{1, 1}, {1, 1000000}, {1 << 30, 1}, {16384, 16384}}) {
        lab.field = field;
        lab.snapshot.frame.reset();
        lab.snapshot.now.size = Size{field.nx, field.ny};
        lab.snapshot.busy = "jumping to step 5000";
        lab.snapshot.recording = "somewhere";
        lab.snapshot.running = false;
        lab.snapshot.probes = {{0, 0, {}, {}}, {field.nx - 1, field.ny - 1, {}, {}}};
        lab.ui.profile = ProfileLine{{0, 0}, {double(field.nx), double(field.ny)}};
        for (int i = 0; i < 60; ++i) {
            lab.ui.panes =
                i % 2 ? std::vector{Pane::now} : std::vector{Pane::start, Pane::now, Pane::laplacian};
            lab.ui.scale = float(random.uniform(0.5, 3));
            lab.move(random.integer(0, 999), random.integer(0, 699));
            lab.wheel(float(random.integer(-8, 12)));
            lab.drag(lab.session.hands.middle,
                     {500, 350},
                     {double(random.integer(-900, 1900)), double(random.integer(-900, 1900))},
                     2);
            CAPTURE(field.nx, field.ny, i, lab.ui.view.scale);
            REQUIRE(lab.output.request.panes.size() == lab.ui.panes.size());
            const ResampleRequest asked = lab.output.request.panes.front().resample;
            lab.frame();
            REQUIRE(lab.output.drawings.size() == lab.ui.panes.size());
            REQUIRE(lab.output.drawings[0].where.width == asked.width);
            REQUIRE(lab.output.drawings[0].where.height == asked.height);
        }
    }
    for (const ScreenRect& area :
         {ScreenRect{0, 0, 0, 0}, {990, 690, 3, 3}, {0, 0, 1000, 5}, {20, 20, 40, 600}})
        lab.session.frame([&] {
            const CanvasOutput output = lab.canvas.update(lab.ui, lab.snapshot, {area, kColors, 0});
            REQUIRE_FALSE(output.request.panes.empty());
        });
}

TEST_CASE("Panes, titles and colour bars lie beside each other within the canvas") {
    Dice random;
    CAPTURE(random.seed);
    const std::vector<Pane> three{Pane::start, Pane::now, Pane::laplacian};
    for (int i = 0; i < 200; ++i) {
        const ScreenRect area{double(random.integer(0, 400)),
                              double(random.integer(0, 100)),
                              double(random.integer(120, 2000)),
                              double(random.integer(60, 1500))};
        const double line = random.integer(10, 40);
        const auto slots = lay_out(std::span(three).first(std::size_t(random.integer(1, 3))), area, line);
        double left = area.x;
        for (const PaneSlot& slot : slots) {
            for (const ScreenRect& part : {slot.title, slot.picture}) {
                REQUIRE(part.x >= left);
                REQUIRE(part.y >= area.y);
            }
            REQUIRE(slot.title.y + slot.title.height == slot.picture.y);
            REQUIRE(slot.picture.y + slot.picture.height == slot.color_bar.y);
            REQUIRE(slot.picture.width == slots.front().picture.width);
            if (slot.picture.height > 1)
                REQUIRE(slot.color_bar.y + slot.color_bar.height <= area.y + area.height);
            left = slot.picture.x + slot.picture.width;

            const ScreenRect& at = slot.picture;
            const ScreenRect shown = intersection({std::floor(at.x + random.uniform(-0.5, 0.9) * at.width),
                                                   std::floor(at.y + random.uniform(-0.5, 0.9) * at.height),
                                                   double(random.integer(1, 2000)),
                                                   double(random.integer(1, 2000))},
                                                  at);
            const PaneSlot moved = captioned(slot, shown, 20 * line);
            for (const ScreenRect& part : {moved.title, moved.color_bar}) {
                REQUIRE(part.x >= at.x);
                REQUIRE(part.x + part.width <= at.x + at.width);
                REQUIRE(intersection(part, shown).height * intersection(part, shown).width == 0);
            }
        }
        if (slots.front().picture.width > 1) REQUIRE(left <= area.x + area.width);
    }
}

TEST_CASE("The colour bar has all colours of its table, from left to right") {
    ImGuiSession session({1000, 700});
    PaneImage image;
    image.request.pane = Pane::laplacian;
    image.range = {-3e-4, 8e-4};
    image.colormap = "inferno";
    std::vector<double> places(256, -1);
    session.frame([&] {
        Painter painter;
        draw_color_bar(painter, kColors, {0, 600, 900, 60}, image);
        const ImDrawList& list = *ImGui::GetBackgroundDrawList();
        for (const ImDrawVert& vertex : list.VtxBuffer)
            for (std::size_t i = 0; i < 256; ++i) {
                const Rgb color = colormap("inferno").colors[i];
                if (vertex.col == IM_COL32(color.r, color.g, color.b, 255)) places[i] = vertex.pos.x;
            }
    });
    for (std::size_t i = 0; i < 256; ++i) {
        CAPTURE(i);
        REQUIRE(places[i] > 0);
        if (i > 0 && colormap("inferno").colors[i] != colormap("inferno").colors[i - 1])
            REQUIRE(places[i] > places[i - 1]);
    }
    // The newest corner of a colour is that at the left below.
    REQUIRE(places.back() == Approx(899).margin(2));
}

TEST_CASE("Labels are written in ASCII where the font has no other signs") {
    ImGuiSession session({100, 100});
    session.frame([] {
        // ImGui's own font has the signs of Latin-1 only.
        REQUIRE(Painter().writable("−2×10⁻⁴") == "-2x10^-4");
        REQUIRE(Painter().writable("×10¹² + 300") == "×10¹² + 300");
        REQUIRE(Painter().writable("0.25") == "0.25");
    });
}

TEST_CASE("Each pane has its row of the table, under its own name") {
    std::vector<std::string_view> names;
    for (const PaneRow& row : panes()) {
        REQUIRE(&row_of(row.pane) == &row);
        REQUIRE_FALSE(row.title.empty());
        REQUIRE_FALSE(row.help.empty());
        names.push_back(row.name);
    }
    std::ranges::sort(names);
    REQUIRE(std::ranges::adjacent_find(names) == names.end());
    REQUIRE(names.size() == 5);
}

TEST_CASE("After a change of the field's size the new field is asked for while the old one is still shown") {
    Lab lab({400, 300});
    lab.frame();
    lab.answers = false;
    lab.snapshot.now.size = Size{1000, 100};
    lab.frame();
    const ResampleRequest& asked = lab.output.request.panes.front().resample;
    REQUIRE(asked.area.x1 == Approx(1000).margin(1 / lab.ui.view.scale));
    REQUIRE(lab.output.drawings.size() == 1);
    REQUIRE(lab.output.drawings[0].image->request.resample.area.x1 == Approx(400).margin(1));
}
