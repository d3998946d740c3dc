// The tour.
#include "app/window/panels/tour.h"

#include "app/window/panels/commands.h"
#include "app/window/theme.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

figure::Box box_of(const WindowRect& rect) {
    return {rect.least.x, rect.least.y, rect.most.x - rect.least.x, rect.most.y - rect.least.y};
}

// Draws frames as the main loop does.
void send_frames(Interface& window, int frames = 3) {
    for (int i = 0; i < frames; ++i) {
        follow_tour(window.ui, window.snapshot);
        window.ui.actions.clear();
        window.frames();
    }
}

// Continues until the next card, which waits so that the result can be seen.
void send_until_next(Interface& window) {
    const auto before = window.ui.panel.tour.card;
    for (int i = 0; i < 600 && window.ui.panel.tour.card == before; ++i) send_frames(window, 1);
    window.frames(2);
}

void begin(Interface& window) {
    begin_tour(window.ui, window.snapshot);
    window.ui.actions.clear();
    window.frames(3);
}

std::size_t card_of(const Interface& window) {
    REQUIRE(window.ui.panel.tour.card);
    return *window.ui.panel.tour.card;
}

// Clicks in the last line of the card, at this distance from its left.
void click_button(Interface& window, float from_left) {
    const WindowRect card = window_rect("##tour");
    REQUIRE(card.drawn);
    window.click({card.least.x + from_left, card.most.y - 20});
}

void do_what_is_asked(Interface& window) {
    UiState& ui = window.ui;
    switch (tour_steps()[card_of(window)].spot) {
        case TourSpot::step:
            return ui.act(action::Step{1});
        case TourSpot::run:
            return ui.act(action::Run{});
        case TourSpot::coefficient:
            return change(ui, "coefficient", "0.1");
        case TourSpot::view:
            return show_pane(ui, Pane::laplacian);
        case TourSpot::method:
            return change(ui, "method", "naive");
        case TourSpot::suite:
            return ui.act(action::MeasureSuite{});
        case TourSpot::equation:
            return change(ui, "equation", "du/dt = 0.1*lap(u)");
        case TourSpot::kernel:
            ui.panel.kernel.file = "mine.cu";
            return;
        case TourSpot::none:
            FAIL("a card without a control");
    }
}

}  // namespace

TEST_CASE("The tour goes through eight cards by what is done, and its cards never lie over their controls") {
    for (const float scale : {1.0f, 2.0f}) {
        Interface window;
        CAPTURE(scale);
        window.ui.preferences.open_sections.clear();
        window.ui.scale = scale;
        ImGui::GetIO().FontGlobalScale = scale;
        begin(window);
        REQUIRE(tour_steps().size() == 8);
        for (std::size_t i = 0; i < tour_steps().size(); ++i) {
            CAPTURE(i);
            REQUIRE(card_of(window) == i);
            window.frames(2);
            const WindowRect card = window_rect("##tour");
            REQUIRE(card.drawn);
            const figure::Box screen{0, 0, 1280, 800};
            CHECK(screen.holds(box_of(card)));
            REQUIRE(window.ui.panel.tour.seen);  // the control
            CHECK_FALSE(box_of(card).overlaps(*window.ui.panel.tour.seen));
            CHECK(card.content.x <= card.room.x + 1);
            window.ui.act(action::Undo{});  // an unrelated action
            send_frames(window);
            REQUIRE(card_of(window) == i);
            do_what_is_asked(window);
            send_frames(window);
            CHECK(window.ui.panel.tour.done);
            send_until_next(window);
        }
        CHECK_FALSE(in_tour(window.ui));
        CHECK_FALSE(window_rect("##tour").drawn);
    }
}

TEST_CASE("Next goes on, and Skip and Esc end the tour") {
    Interface window;
    begin(window);
    for (std::size_t i = 0; i < tour_steps().size(); ++i) {
        REQUIRE(card_of(window) == i);
        click_button(window, 40);
        window.frames(2);
    }
    CHECK_FALSE(in_tour(window.ui));
    begin(window);
    click_button(window, 130);
    CHECK_FALSE(in_tour(window.ui));
    begin(window);
    window.ui.help_open = true;
    close_popups(window.ui, window.snapshot);
    CHECK(in_tour(window.ui));
    close_popups(window.ui, window.snapshot);
    CHECK_FALSE(in_tour(window.ui));
}

TEST_CASE("A slider stays in the hand: the card goes on when it is let go") {
    Interface window;
    begin(window);
    window.ui.panel.tour.card = 2;
    window.press_mouse(true);
    change(window.ui, "coefficient", "0.1", true);
    send_frames(window, 200);
    CHECK(card_of(window) == 2);
    window.press_mouse(false);
    send_until_next(window);
    CHECK(card_of(window) == 3);
}

TEST_CASE("A card stands beside its control within the area") {
    const figure::Box area{340, 40, 900, 700}, card{0, 0, 300, 150};
    const auto placed = [&](const figure::Box& control) {
        const figure::Point at = card_place(control, card, area, 8);
        const figure::Box box{at.x, at.y, card.width, card.height};
        CHECK(area.holds(box));
        CHECK_FALSE(box.overlaps(control));
        return at;
    };
    CHECK(placed({10, 300, 320, 20}).y == 300 + 10 - 75);  // beside a row of the panel
    CHECK(placed({700, 5, 80, 30}).y == 48);               // below a button of the toolbar
    CHECK(placed({10, 700, 320, 20}).y == 740 - 8 - 150);
}

TEST_CASE("A card scrolls to its control again when the page above it grows, and not when the user scrolls") {
    Interface window;
    window.resize(1280, 400);
    begin(window);
    window.ui.panel.tour.card = 4;  // about the method, below the equation
    window.ui.panel.tour.reveals = true;
    window.frames(6);
    ImGuiWindow* panel = ImGui::FindWindowByName("##panel");
    REQUIRE(window.ui.panel.tour.seen);
    const float before = panel->Scroll.y;
    REQUIRE(before > 0);
    window.snapshot.now.use_model(find_model("gray-scott"));  // whose section Equation is longer
    window.frames(8);
    CHECK(panel->Scroll.y > before);
    CHECK(window.ui.panel.tour.seen);
    for (const float scroll : {0.8f * panel->Scroll.y, 0.0f}) {
        ImGui::SetScrollY(panel, scroll);
        window.frames(6);
    }
    CHECK(panel->Scroll.y == 0);
}
