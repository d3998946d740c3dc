#include "app/window/panels/tour/tour.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <utility>

#include "app/window/panels/commands.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/model/model.h"

namespace stencil {
namespace {

const TourStep& card(const TourState& tour) {
    return tour_steps()[*tour.card];
}

void turn_to(UiState& ui, std::size_t number) {
    TourState& tour = ui.panel.tour;
    tour = {};
    if (number < tour_steps().size()) tour.card = number;
    tour.reveals = tour.scrolls = tour.card.has_value();
}

figure::Box box_of(ImVec2 least, ImVec2 most) {
    return {least.x, least.y, most.x - least.x, most.y - least.y};
}

// Returns the canvas in ImGui's coordinates.
figure::Box canvas_of(const UiState& ui) {
    const ImVec2 pixels = ImGui::GetIO().DisplayFramebufferScale;
    return {ui.canvas.x / pixels.x,
            ui.canvas.y / pixels.y,
            ui.canvas.width / pixels.x,
            ui.canvas.height / pixels.y};
}

void draw_frame_around(const figure::Box& control) {
    const figure::Box around = control.grown(em(0.2f));
    ImGui::GetForegroundDrawList()->AddRect(ImVec2(float(around.left), float(around.top)),
                                            ImVec2(float(around.right()), float(around.bottom())),
                                            ImGui::GetColorU32(warning_color()),
                                            em(0.2f),
                                            0,
                                            em(0.15f));
}

void draw_card(UiState& ui, const TourStep& step, float width) {
    const std::size_t number = *ui.panel.tour.card, count = tour_steps().size();
    ImGui::PushTextWrapPos(width);
    colored_text(fmt::format("{} of {}: {}", number + 1, count, step.title), warning_color());
    ImGui::TextUnformatted(step.text.data(), step.text.data() + step.text.size());
    ImGui::PopTextWrapPos();
    if (ui.panel.tour.done) colored_text("Done.", good_color());
    const bool last = number + 1 == count;
    const bool next =
        button(last ? "Finish" : "Next", ImVec2(em(5), 0), last ? "Ends the tour" : "To the next card");
    bool skipped = false;
    if (!last) {
        ImGui::SameLine();
        skipped = button("Skip the tour", ImVec2(0, 0), "Ends it; Help has it again. Key Esc.");
    }
    if (skipped)
        end_tour(ui);
    else if (next)
        turn_to(ui, number + 1);
}

}  // namespace

void begin_tour(UiState& ui, const Snapshot& snapshot) {
    ui.help_open = false;
    ui.preferences.panels = true;
    if (!snapshot.now.model->built_in) begin_model(ui, "diffusion");
    if (snapshot.running) ui.act(action::Run{false});
    turn_to(ui, 0);
}

void end_tour(UiState& ui) {
    ui.panel.tour = {};
}

bool in_tour(const UiState& ui) {
    return ui.panel.tour.card.has_value();
}

void mark(UiState& ui, TourSpot spot) {
    TourState& tour = ui.panel.tour;
    if (!tour.card || spot == TourSpot::none || card(tour).spot != spot) return;
    if (tour.scrolls) ImGui::SetScrollHereY(0.6f);
    tour.scrolls = false;
    if (ImGui::IsItemVisible()) tour.control = box_of(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
}

bool tour_reveals(const UiState& ui, std::string_view section) {
    const TourState& tour = ui.panel.tour;
    return tour.card && tour.reveals && card(tour).section == section;
}

void follow_tour(UiState& ui, const Snapshot& snapshot) {
    TourState& tour = ui.panel.tour;
    if (!tour.card) return;
    tour.done |= card(tour).done(ui, snapshot);
    // Wait until a slider is released and the methods are measured.
    if (!tour.done || ImGui::IsMouseDown(0) || snapshot.measuring_ladder) tour.done_at = ImGui::GetTime();
    if (ImGui::GetTime() > tour.done_at + card(tour).stays) turn_to(ui, *tour.card + 1);
}

figure::Point card_place(const figure::Box& control,
                         const figure::Box& card,
                         const figure::Box& area,
                         double gap) {
    const auto within = [&](double draft, double low, double high, double size) {
        return std::max(low + gap, std::min(draft, high - gap - size));
    };
    return {within(control.right() + gap, area.left, area.right(), card.width),
            within(control.middle_y() - card.height / 2, area.top, area.bottom(), card.height)};
}

void draw_tour(UiState& ui) {
    TourState& tour = ui.panel.tour;
    if (!tour.card) return;
    tour.reveals = false;
    const TourStep& step = card(tour);
    const figure::Box canvas = canvas_of(ui);
    const float width = std::min(em(21), float(canvas.width) - em(2.5f));
    if (width < em(10)) return;
    const figure::Box control = tour.control.value_or(figure::Box{canvas.middle_x(), canvas.bottom(), 0, 0});
    const figure::Point at = card_place(control, tour.size, canvas, em(0.6f));
    ImGui::SetNextWindowPos(ImVec2(float(at.x), float(at.y)));
    ImGui::PushStyleColor(ImGuiCol_Border, warning_color());
    constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                        ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoFocusOnAppearing |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus;
    ImGui::Begin("##tour", nullptr, kFlags);
    ImGui::PopStyleColor();
    tour.size = {0, 0, ImGui::GetWindowWidth(), ImGui::GetWindowHeight()};
    tour.seen = std::exchange(tour.control, std::nullopt);
    if (tour.seen) draw_frame_around(*tour.seen);
    draw_card(ui, step, width);
    ImGui::End();
}

}  // namespace stencil
