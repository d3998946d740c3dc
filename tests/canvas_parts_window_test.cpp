// What the canvas is made of: the places of its panes, colour bars, labels.
#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>
#include <vector>

#include "app/window/canvas_layout.h"
#include "app/window/color_bar.h"
#include "sim/view/colormap.h"
#include "tests/support/canvas_lab.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using stencil_test::Dice;
using stencil_test::ImGuiSession;
using stencil_test::kColors;

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
