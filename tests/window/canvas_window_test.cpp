// The canvas under the mouse: requests to the engine, and the layout of drawings.

#include "tests/support/catch.h"
#include "tests/support/window/canvas_lab.h"

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

TEST_CASE("Where there are contours and cells are large, the cells themselves are asked for") {
    Lab lab({40, 30});
    REQUIRE(lab.ui.view.scale > 1);
    const auto asked = [&] { return lab.output.request.panes.at(0).resample; };
    CHECK(asked().width > 40);
    lab.snapshot.now.contours = "0.5";
    lab.frame();
    CHECK(asked() == ResampleRequest{{0, 0, 40, 30}, 40, 30, false});
    lab.ui.preferences.smooth = true;
    lab.frame();
    CHECK(asked().width > 40);
}

TEST_CASE("The wheel zooms and keeps the cell under the cursor") {
    const float framebuffer = GENERATE(1.0f, 2.0f);
    Lab lab({2000, 1500}, framebuffer);
    Dice random;
    CAPTURE(framebuffer);
    for (int i = 0; i < 40; ++i) {
        const ScreenRect shown =
            lab.output.drawings.empty() ? lab.slot().picture : lab.output.drawings[0].where;
        const ScreenRect inside = intersection(shown, lab.slot().picture);
        // ImGui's mouse positions are whole units, which are two pixels in this frame buffer.
        const int px = int(inside.x + random.uniform(0.3, 0.7) * inside.width) & ~1;
        const int py = int(inside.y + random.uniform(0.3, 0.7) * inside.height) & ~1;
        lab.move(px, py);
        const SamplePoint before = lab.cell(px, py);
        const double scale = lab.ui.view.scale;
        lab.wheel(i % 3 == 2 ? -1.0f : 1.0f);
        const SamplePoint after = lab.cell(px, py);
        REQUIRE(lab.ui.view.scale == Approx(scale * (i % 3 == 2 ? 1 / 1.2 : 1.2)));
        REQUIRE(apart(after, before) * lab.ui.view.scale < 0.01);
        lab.frame();
        const ResampleRequest& asked = lab.output.request.panes.front().resample;
        REQUIRE(lab.output.drawings[0].where.width == asked.width);
        REQUIRE(lab.output.drawings[0].where.height == asked.height);
    }
}

TEST_CASE("The middle button, and Alt with the left one, drag the field with them") {
    const bool with_alt = GENERATE(false, true);
    Lab lab;
    lab.move(500, 350);
    for (int i = 0; i < 10; ++i) lab.wheel(1);
    const SamplePoint held = lab.cell(500, 350);
    lab.hands.alt = with_alt;
    bool& button = with_alt ? lab.hands.left : lab.hands.middle;
    lab.drag(button, {500, 350}, {623, 277});
    REQUIRE(apart(lab.cell(623, 277), held) < 1e-6);
    REQUIRE(lab.ui.actions.empty());
    // Moving without a button does not pan.
    lab.move(100, 100);
    REQUIRE(apart(lab.cell(623, 277), held) < 1e-6);
}

TEST_CASE(
    "The old picture moves with the view while the engine is late, and three dots say so after a while") {
    Lab lab;
    lab.move(500, 350);
    for (int i = 0; i < 10; ++i) lab.wheel(1);
    lab.frame();
    const ScreenRect before = lab.output.drawings[0].where;
    lab.answers = false;
    lab.drag(lab.hands.middle, {500, 350}, {540, 380});
    const ScreenRect after = lab.output.drawings[0].where;
    REQUIRE(after == ScreenRect{before.x + 40, before.y + 30, before.width, before.height});
    REQUIRE(lab.output.moves);
    const int quiet = lab.vertices();
    for (int i = 0; i < 30; ++i) lab.frame();
    REQUIRE(lab.vertices() > quiet);
    lab.answers = true;
    lab.frame();
    lab.frame();
    REQUIRE_FALSE(lab.output.moves);
    REQUIRE(lab.vertices() <= quiet);
}

TEST_CASE("A double click of the middle button and f fit, 1 shows one pixel per cell") {
    Lab lab;
    const CanvasView fitted = lab.ui.view;
    lab.move(500, 350);
    lab.wheel(3);
    REQUIRE_FALSE(lab.ui.view.fitted);
    for (int i = 0; i < 2; ++i) lab.click(lab.hands.middle);
    REQUIRE(lab.ui.view == fitted);
    lab.ui.view = one_to_one(lab.ui.view, lab.ui.picture);
    lab.frame();
    REQUIRE(lab.ui.view.scale == 1);
    REQUIRE(lab.ui.view.x == std::round(lab.ui.view.x));
    const ResampleRequest& asked = lab.output.request.panes.front().resample;
    REQUIRE(asked.area.x1 - asked.area.x0 == asked.width);
    lab.ui.view.fitted = true;
    lab.frame();
    REQUIRE(lab.ui.view == fitted);
}

TEST_CASE("Three panes are of one size, on whole pixels, beside each other, and show the same cells") {
    Lab lab({600, 900});
    lab.ui.panes = {Pane::start, Pane::now, Pane::laplacian};
    lab.frame();
    lab.frame();
    REQUIRE(lab.output.drawings.size() == 3);
    // Measurements under the cursor belong to the first pane requested.
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
        REQUIRE(apart(*lab.ui.hover, at) < 1e-6);
    }
    lab.hands.x = -1e6f;
    lab.frame();
    REQUIRE_FALSE(lab.ui.hover);
}

TEST_CASE("Cells that are large enough have their numbers asked for and drawn, and no others") {
    Lab lab({200, 150});
    lab.move(500, 350);
    lab.frame();
    REQUIRE_FALSE(lab.output.request.numbers);
    const int without = lab.vertices();
    while (lab.ui.view.scale < 50) lab.wheel(1);
    REQUIRE(lab.output.request.numbers);
    const CellBlock block = *lab.output.request.numbers;
    const CellArea& area = lab.output.request.panes.front().resample.area;
    REQUIRE(block.x == std::floor(area.x0));
    REQUIRE(block.x + block.nx == std::ceil(area.x1));
    REQUIRE(block.y == std::floor(area.y0));
    REQUIRE(block.y + block.ny == std::ceil(area.y1));
    lab.frame();
    const int with = lab.vertices();
    REQUIRE(with > without + block.nx * block.ny * 4);
    lab.ui.preferences.show_numbers = false;
    lab.frame();
    REQUIRE_FALSE(lab.output.request.numbers);
    REQUIRE(lab.vertices() < with - block.nx * block.ny * 4);
}

TEST_CASE("Any canvas, field and choice of panes is drawn without harm") {
    Dice random;
    Lab lab;
    for (const FieldSize field : {FieldSize{1, 1}, {1, 1000000}, {1 << 30, 1}, {16384, 16384}}) {
        lab.field = field;
        lab.snapshot.frame.reset();
        lab.snapshot.now.size = Size{field.nx, field.ny};
        lab.snapshot.busy = "jumping to step 5000";
        lab.snapshot.recording = "somewhere";
        lab.snapshot.running = false;
        lab.snapshot.probes = {{0, 0, {}, {}}, {field.nx - 1, field.ny - 1, {}, {}}};
        lab.ui.profiles = {ProfileLine{{0, 0}, {double(field.nx), double(field.ny)}}};
        for (int i = 0; i < 60; ++i) {
            lab.ui.panes =
                i % 2 ? std::vector{Pane::now} : std::vector{Pane::start, Pane::now, Pane::laplacian};
            lab.ui.scale = float(random.uniform(0.5, 3));
            lab.move(random.integer(0, 999), random.integer(0, 699));
            lab.wheel(float(random.integer(-8, 12)));
            lab.drag(lab.hands.middle,
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
        lab.frame_of([&] {
            const CanvasOutput output = lab.canvas.update(lab.ui, lab.snapshot, {area, kColors, 0});
            REQUIRE_FALSE(output.request.panes.empty());
        });
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

TEST_CASE("The middle of the canvas stays where it is in the field when panes, window or field change") {
    Lab lab({320, 240});
    lab.ui.view = one_to_one(lab.ui.view, lab.ui.picture);
    lab.frame();
    const auto middle = [&] {
        const ScreenRect& at = lab.ui.picture;
        return cell_at(lab.ui.view, at, at.x + at.width / 2, at.y + at.height / 2);
    };
    CHECK(middle().x == Approx(160).margin(1));
    lab.ui.panes = three_up();
    lab.frame();
    CHECK(apart(middle(), {160, 120}) <= 1);
    lab.ui.preferences.axes = false;
    lab.frame();
    CHECK(middle().x == Approx(160).margin(1));
    lab.field = {40, 1000};
    lab.snapshot.now.size = Size{40, 1000};
    lab.frame();
    CHECK(lab.ui.view.scale == 1);
    CHECK(middle().x == Approx(20).margin(1));
    CHECK(middle().y == Approx(500).margin(5));
}

TEST_CASE("Axes have whole cells of the part that is seen, where they are, or the unit of lengths") {
    Lab lab;
    Dice random;
    for (int i = 0; i < 100; ++i) {
        const double low = random.uniform(0, 1000), span = std::exp2(random.uniform(-1, 11));
        FieldAxes axes;
        lab.frame_of([&] { axes = axes_over({{low, low, low + span, low + span}, 600, 400, false}, 15); });
        CAPTURE(low, span);
        if (span > 2) CHECK(axes.x.marks.size() >= 2);
        for (const figure::Ticks& ticks : {axes.x, axes.y})
            for (const figure::Tick& tick : ticks.marks)
                CHECK(std::to_string(std::lround(low + tick.position * span)) == tick.label);
    }
    FieldAxes axes;
    lab.frame_of([&] {
        axes = axes_over({{0, 0, 400 - 1e-11, 300}, 600, 400, false}, 15, {0.01, 0, 0, "m"});
    });
    REQUIRE(axes.x.marks.size() > 2);
    CHECK(axes.x.marks.back().label == "4 m");  // an end that is whole has its label
    CHECK(axes.x.marks.front().label == "0");
    // The equation's coordinates, with `origin` and dx.
    lab.frame_of([&] {
        axes = axes_over({{100, 0, 300, 300}, 600, 400, false}, 15, {0.5, -100, 20, "", true});
    });
    REQUIRE(axes.y.marks.size() > 2);
    for (const figure::Tick& tick : axes.y.marks)
        CHECK(std::stod(tick.label) == Approx(20 + 150 * tick.position).margin(1e-6));
    const figure::Tick& last = axes.x.marks.back();
    CHECK(std::stod(last.label) == Approx(-50 + 100 * last.position).margin(1e-6));
}

TEST_CASE("Three-up has a fourth place for plots while there is a line or a probe") {
    Lab lab;
    lab.ui.panes = three_up();
    lab.frame();
    CHECK(lab.ui.plots.width == 0);
    lab.snapshot.probes.push_back({3, 4, {}, {}});
    lab.frame();
    REQUIRE(lab.ui.plots.width > 0);
    for (std::size_t i = 0; i < 3; ++i) {
        const PaneSlot& slot = lab.slot(i);
        for (const ScreenRect& part : {slot.title, slot.picture, slot.color_bar}) {
            const ScreenRect both = intersection(part, lab.ui.plots);
            CHECK(both.width * both.height == 0);
        }
    }
    CHECK(lab.output.request.panes.size() == 3);
    lab.snapshot.probes = {};
    lab.ui.profiles = {ProfileLine{{1, 1}, {9, 9}}};
    lab.frame();
    CHECK(lab.ui.plots.width > 0);
    lab.ui.panes = {Pane::now};
    lab.frame();
    CHECK(lab.ui.plots.width == 0);

    Lab row({1500, 1500});  // plots below three pictures in a row are as wide as these
    row.ui.panes = three_up();
    row.snapshot.probes.push_back({3, 4, {}, {}});
    row.frame();
    REQUIRE(row.slot(2).title.y == row.slot(0).title.y);
    const ScreenRect& last = row.slot(2).title;
    CHECK(row.ui.plots.x == row.slot(0).title.x);
    CHECK(row.ui.plots.x + row.ui.plots.width == last.x + last.width);
}
