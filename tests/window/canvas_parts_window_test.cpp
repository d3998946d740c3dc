// Parts of the canvas: layout of panes, colour bars and the mouse on them, labels.
#include <imgui_internal.h>

#include "app/window/canvas/canvas_layout.h"
#include "app/window/canvas/canvas_overlay.h"
#include "app/window/panels/panels.h"
#include "sim/run/output/exports.h"
#include "sim/view/colormap.h"
#include "tests/support/catch.h"
#include "tests/support/window/canvas_lab.h"

namespace {

// A window with one bar over a range.
struct Bar : Interface {
    Bar(Pane pane, ValueRange range, std::string colormap = "viridis") {
        auto frame = std::make_shared<Frame>(*snapshot.frame);
        frame->panes = {{{pane, {}}, nullptr, range, std::move(colormap)}};
        snapshot.frame = frame;
        ui.color_bars = {{pane, {700, 600, 400, 12}}};
        frames(3);
    }
    void drag_end(float from, float to) { drag({from, 606}, {to, 606}, 4); }
    void right_click(ImVec2 at) {
        move_mouse(at);
        for (const bool down : {true, false, false}) {
            hands.right = down;
            frames();
        }
    }
    // Clicks an item of the menu at this share of its width.
    void click_in_menu(std::initializer_list<const char*> labels, float column) {
        click(ImGui::GetCurrentContext()->OpenPopupStack.back().Window->Name, labels, column);
    }
    std::vector<action::Change> changes() const { return actions_of<action::Change>(ui); }
};

}  // namespace

TEST_CASE("Panes, titles and colour bars lie beside each other within the canvas") {
    Dice random;
    const std::vector<Pane> three{Pane::start, Pane::now, Pane::laplacian};
    for (int i = 0; i < 200; ++i) {
        const ScreenRect area{double(random.integer(0, 400)),
                              double(random.integer(0, 100)),
                              double(random.integer(120, 2000)),
                              double(random.integer(60, 1500))};
        const double line = random.integer(10, 40);
        const FieldSize field{random.integer(1, 4000), random.integer(1, 4000)};
        const bool axes = random.integer(0, 1) == 1;
        const auto slots =
            lay_out(std::span(three).first(std::size_t(random.integer(1, 3))), area, line, field, axes);
        const PaneSlot& first = slots.front();
        for (std::size_t k = 0; k < slots.size(); ++k) {
            const PaneSlot& slot = slots[k];
            for (const ScreenRect& part : {slot.title, slot.picture}) {
                REQUIRE(part.x >= area.x);
                REQUIRE(part.y >= area.y);
            }
            REQUIRE(slot.title.y + slot.title.height == slot.picture.y);
            const double below = slot.color_bar.y - (slot.picture.y + slot.picture.height);
            REQUIRE((below > line) == slot.x_axis);
            REQUIRE(slot.x_axis == (axes && slot.color_bar.height > 0));
            REQUIRE(slot.y_axis == (slot.x_axis && slot.picture.x == first.picture.x));
            if (slot.y_axis) REQUIRE(slot.picture.x > area.x + 2 * line);
            REQUIRE(slot.picture.width == first.picture.width);
            REQUIRE(slot.picture.height == first.picture.height);
            if (slot.picture.height > 1)
                REQUIRE(slot.color_bar.y + slot.color_bar.height <= area.y + area.height);
            if (slot.picture.width > 1) REQUIRE(slot.picture.x + slot.picture.width <= area.x + area.width);
            for (std::size_t other = 0; other < k; ++other) {
                const bool same_row = slots[other].title.y == slot.title.y;
                if (same_row)
                    REQUIRE(slots[other].picture.x + slots[other].picture.width <= slot.picture.x);
                else if (slot.picture.height > 1)
                    REQUIRE(slots[other].color_bar.y + slots[other].color_bar.height <= slot.title.y);
            }

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
                if (part.x != shown.x) REQUIRE(part.width >= std::min(20 * line, at.width));
                REQUIRE(intersection(part, shown).height * intersection(part, shown).width == 0);
            }
        }
    }
}

TEST_CASE("Three panes stand in the arrangement in which the field is largest") {
    Dice random;
    const std::vector<Pane> three{Pane::start, Pane::now, Pane::laplacian};
    const double line = random.integer(14, 30);
    const auto columns = [&](const ScreenRect& area, FieldSize field) {
        const auto slots = lay_out(three, area, line, field);
        return std::ranges::count(slots, slots.front().title.y, [](const PaneSlot& s) { return s.title.y; });
    };
    const double side = 60 * line;
    const FieldSize square{1000, 1000}, wide{4000, 1000}, high{1000, 4000};
    CHECK(columns({0, 0, 3 * side, side}, square) == 3);
    CHECK(columns({0, 0, side, 3 * side}, square) == 1);
    CHECK(columns({0, 0, side, side}, square) == 2);
    CHECK(columns({0, 0, side, side}, wide) == 1);
    CHECK(columns({0, 0, side, side}, high) == 3);
    for (int i = 0; i < 100; ++i) {
        const ScreenRect area{0, 0, random.uniform(20, 100) * line, random.uniform(15, 80) * line};
        const FieldSize field{random.integer(100, 4000), random.integer(100, 4000)};
        const auto slots = lay_out(three, area, line, field);
        const auto scale = [&](const ScreenRect& at) {
            return std::min(at.width / field.nx, at.height / field.ny);
        };
        // Three in a row are nearly as large as possible.
        const double width = (area.width - 2.8 * line) / 3, height = area.height - 4.2 * line;
        REQUIRE(scale(slots.front().picture) >= 0.9 * scale({0, 0, width, height}));
        const PaneSlot& corner = top_right(slots);
        for (const PaneSlot& slot : slots) {
            REQUIRE(corner.title.y <= slot.title.y);
            if (slot.title.y == corner.title.y) REQUIRE(corner.title.x >= slot.title.x);
        }
    }
}

TEST_CASE("The colour bar has all colours of its table, from left to right") {
    HeadlessImGui session(1000, 700);
    PaneImage image;
    image.request.pane = Pane::laplacian;
    image.range = {-3e-4, 8e-4};
    image.colormap = "inferno";
    std::vector<double> places(256, -1);
    session.frame_of([&] {
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
    // The newest colour corner is at the lower left.
    REQUIRE(places.back() == Approx(899).margin(2));
}

TEST_CASE("A colour bar in a narrow strip goes without a long label, and keeps a short one") {
    HeadlessImGui session(1000, 700);
    session.frame_of([&] {
        Painter painter;
        const double line = painter.line_height();
        const auto share_of_bar = [&](const char* label, double lines) {
            PaneImage image;
            image.label = label;
            image.range = {0, 1};
            image.colormap = "viridis";
            const double width = std::round(lines * line);
            return draw_color_bar(painter, kColors, {0, 600, width, 60}, image).width / width;
        };
        CHECK(share_of_bar("Laplacian of v", 8) > 0.8);
        CHECK(share_of_bar("Laplacian of v", 20) < 0.75);
        const double short_label = share_of_bar("v", 8);
        CHECK(short_label > 0.7);
        CHECK(short_label < 0.92);
    });
}

TEST_CASE("A colour bar has numbers at both ends, in strips of every width and for ranges of every size") {
    HeadlessImGui session(1000, 700);
    session.frame_of([&] {
        Painter painter;
        const double line = painter.line_height();
        const ValueRange ranges[]{{0, 1},
                                  {-3.2e-8, 3.2e-8},
                                  {-1.234e-300, 4.2e-300},
                                  {300.0001, 300.0006},
                                  {0.96, 1.04},
                                  {1e-9, 2.5, Scale::log},
                                  {-40, 40, Scale::symlog},
                                  {-2e-7, -2e-7}};
        for (ValueRange range : ranges)
            for (const char* label : {"", "u", "difference", "Laplacian of v (mol/L)"})
                for (double lines = 2; lines < 40; lines *= 1.13)
                    for (const bool exceeded : {false, true}) {
                        range.below = range.above = exceeded;
                        PaneImage image;
                        image.label = label;
                        image.range = range;
                        image.colormap = "viridis";
                        const double arrows = exceeded ? 1.2 * line : 2;
                        const ScreenRect strip{0, 0, std::round(lines * line), 2.6 * line};
                        const ColorBarMarks marks = color_bar_marks(painter, strip, image, arrows);
                        CAPTURE(range.low, range.high, label, lines, marks.ticks.note);
                        const auto& ticks = marks.ticks.marks;
                        REQUIRE(!ticks.empty());
                        REQUIRE(!ticks.front().label.empty());
                        const auto width = [&](const std::string& text) {
                            return painter.text_width(text, marks.size);
                        };
                        if (range.low < range.high) {
                            REQUIRE(ticks.front().position == 0);
                            REQUIRE(ticks.back().position == 1);
                            REQUIRE(ticks.front().label != ticks.back().label);
                        }
                        if (marks.two_lines) {
                            REQUIRE(width(ticks.front().label) <= strip.width + 1);
                            REQUIRE(width(ticks.back().label) <= strip.width + 1);
                            continue;
                        }
                        // Nothing touches: what stands at the left, the bar, and the labels below it.
                        REQUIRE(std::max(width(marks.label), width(marks.ticks.note)) + marks.width <=
                                strip.width);
                        double taken = 0;
                        for (const figure::Tick& tick : ticks) taken += width(tick.label);
                        REQUIRE(taken <= marks.width - arrows);
                    }
    });
}

TEST_CASE("an end that is dragged stops before the other one, and both move where zero is in the middle") {
    const ValueRange range{2, 4};
    CHECK(to_string(dragged_range(range, false, false, 0.25)) == "2.5:4");
    CHECK(to_string(dragged_range(range, false, false, -0.5)) == "1:4");
    CHECK(to_string(dragged_range(range, false, true, 1)) == "2:6");
    for (const bool high : {false, true})
        for (const double by : {-5.0, 5.0}) {
            const RangeRule rule = dragged_range(range, false, high, by);
            CHECK(rule.low < rule.high);
            const RangeRule both = dragged_range({-3, 3}, true, high, by);
            CHECK(both.low < both.high);
            CHECK(both.low == -both.high);
        }
    CHECK(to_string(dragged_range({1e-2, 1, Scale::log}, false, false, -0.5)) == "log:0.001:1");
    CHECK(to_string(dragged_range({1e-2, 1, Scale::log}, false, true, -0.5)) == "log:0.01:0.1");
    CHECK(dragged_range({-1, 1, Scale::symlog}, false, true, 0.1).high > 1.5);
}

TEST_CASE("dragging an end of the colour bar is a fixed range, sent while it is dragged") {
    Bar bar(Pane::now, {0, 8});
    bar.drag_end(1090, 990);  // drags the high end by a quarter of the bar
    const auto changes = bar.changes();
    REQUIRE(changes.size() >= 2);
    CHECK(changes_of(bar.ui).back() == "range=0:6");
    CHECK_FALSE(changes.front().continuing);
    CHECK(changes.back().continuing);

    Bar laplacian(Pane::laplacian, {-1, 1, Scale::symlog});
    laplacian.drag_end(705, 805);
    REQUIRE(!laplacian.changes().empty());
    CHECK(laplacian.changes().back().setting == "laplacian-range");
    const RangeRule rule = parse_range(laplacian.changes().back().value, "");
    CHECK(rule.scale == Scale::symlog);
    CHECK(rule.low > -0.1);
    CHECK(rule.high == 1);

    Bar difference(Pane::from_start, {-1, 1}, "coolwarm");
    difference.drag_end(705, 805);
    CHECK(difference.changes().empty());
}

TEST_CASE("a double click on the colour bar gives the range back to the field, on its scale") {
    Bar bar(Pane::now, {0.5, 1, Scale::log});
    bar.snapshot.now.range = parse_range("log:0.5:1", "");
    for (int i = 0; i < 2; ++i) bar.click({900, 606});
    CHECK(changes_of(bar.ui) == std::vector<std::string>{"range=log"});
}

TEST_CASE("the colour bar of a formula beside the shown one changes the colours that it has for itself") {
    for (const bool own : {false, true}) {
        Bar bar(Pane::second, {0, 8});
        auto frame = std::make_shared<Frame>(*bar.snapshot.frame);
        frame->panes.front().formula = "v";
        bar.snapshot.frame = frame;
        if (own) bar.snapshot.now.colors["v"] = {"magma", {}, ""};
        bar.drag_end(1090, 990);
        REQUIRE(!bar.changes().empty());
        CHECK(changes_of(bar.ui).back() == (own ? "colors=v=magma,0:6" : "range=0:6"));
    }
}

TEST_CASE("the right button opens the colour bar's menu, with scale, range and the reversed table") {
    Bar bar(Pane::now, {0, 1});
    bar.right_click({900, 606});
    REQUIRE(ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup));
    bar.click_in_menu({"values", "Scale", "Log"}, 0.73f);
    bar.click_in_menu({"values", "Reversed"}, 0.4f);
    bar.click_in_menu({"values", "Fit range to view"}, 0.65f);
    const std::string reversed = std::string(field_colors(bar.snapshot.now).name) + "_r";
    CHECK(changes_of(bar.ui) == std::vector<std::string>{"range=log", "colormap=" + reversed});
    REQUIRE(bar.ui.asked<FitRange>());
    CHECK(bar.ui.asked<FitRange>()->setting == "range");
}

TEST_CASE("the range of what is visible is that of the newest frame's pixels, once they are on the host") {
    UiState ui;
    Snapshot snapshot;
    auto frame = std::make_shared<Frame>();
    auto pixels = std::make_shared<Pixels>();
    pixels->width = 3;
    pixels->height = 2;
    pixels->host = {0.5f, 0.75f, NAN, 0.25f, INFINITY, 0.5f, 99};  // one more than there are pixels
    pixels->on_device = true;
    frame->panes = {{{Pane::laplacian, {}}, pixels, {0, 1}, "viridis"},
                    {{Pane::now, {}}, pixels, {0, 1}, "viridis"}};
    snapshot.frame = frame;
    ui.ask(FitRange{"range"});
    hold_visible_range(ui, snapshot);
    CHECK(ui.actions.empty());
    pixels->on_device = false;
    hold_visible_range(ui, snapshot);
    hold_visible_range(ui, snapshot);
    CHECK(changes_of(ui) == std::vector<std::string>{"range=0.25:0.75"});
}
