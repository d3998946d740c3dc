#include "app/window/panels/tour.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/panels/commands.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/theme.h"
#include "sim/model/model.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

constexpr ImGuiWindowFlags kCard =
    kPlainWindow | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoBringToFrontOnFocus;

// Frames until ImGui has scrolled to a control and measured the card with its new text.
constexpr int kSettles = 4;

const TourStep& card(const TourState& tour) {
    return tour_steps()[*tour.card];
}

void turn_to(UiState& ui, std::size_t number) {
    TourState& tour = ui.panel.tour;
    tour = {};
    if (number < tour_steps().size()) tour.card = number;
    tour.reveals = tour.card.has_value();
    tour.settles = kSettles;
}

figure::Box box_of(ImVec2 least, ImVec2 most) {
    return {least.x, least.y, most.x - least.x, most.y - least.y};
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
        skipped = button("Skip the tour", ImVec2(0, 0), "Ends the tour; Help can start it again. Key Esc.");
    }
    if (skipped)
        end_tour(ui);
    else if (next)
        turn_to(ui, number + 1);
}

template <class T>
bool sent(const UiState& ui, const Snapshot&) {
    return std::ranges::any_of(ui.actions,
                               [](const Action& action) { return std::holds_alternative<T>(action); });
}

bool changed_one_of(const UiState& ui, std::initializer_list<std::string_view> settings) {
    return std::ranges::any_of(ui.actions, [&](const Action& action) {
        const auto* change = std::get_if<action::Change>(&action);
        return change && contains(settings, change->setting);
    });
}

// Facts in these texts: |1 - 8c| <= 1 holds up to c = 0.25; a float32 step reads and writes 4 bytes per cell;
// the chart's limit assumes three instructions per cell (sim/bench/speed_chart.cpp).
constexpr TourStep kSteps[] = {
    {"one step",
     "The field is a grid of cells, each with a number. A step updates every cell from its own value and its "
     "four neighbours: new = old + c * (sum of neighbours - 4 * old). Press Step.",
     "",
     TourSpot::step,
     sent<action::Step>},
    {"many steps",
     "Step by step the field gets smoother, like heat in a plate. This is a partial differential equation, "
     "diffusion. Press Run.",
     "",
     TourSpot::run,
     sent<action::Run>},
    {"why 0.25",
     "This is c. Each step multiplies a checkerboard pattern by 1 - 8c. Above c = 0.25 that is below -1, so "
     "even the smallest error grows. That is why the slider ends there. Try it.",
     "Equation",
     TourSpot::coefficient,
     [](const UiState& ui, const Snapshot&) { return changed_one_of(ui, {"coefficient"}); }},
    {"what drives it",
     "Sum of neighbours - 4 * old is the discrete Laplacian. Where it is positive, a cell rises; where it is "
     "negative, it falls. Choose Laplacian here, or Start, field, Laplacian.",
     "",
     TourSpot::view,
     [](const UiState& ui, const Snapshot&) { return contains(ui.panes, Pane::laplacian); }},
    {"why memory matters",
     "A kernel is the code that computes a step. Per cell it moves 8 bytes (float32) and executes three "
     "instructions, so on a field larger than the caches it waits for memory. Methods that compute several "
     "steps per pass over memory wait less. Choose another one.",
     "Simulation",
     TourSpot::method,
     [](const UiState& ui, const Snapshot&) {
         return changed_one_of(ui, {setting_name::method, setting_name::backend});
     }},
    {"the roofline",
     "Measure all methods: they appear in this chart. The dashed lines are the limits of this machine: "
     "memory bandwidth (one step per pass) and arithmetic. The ring is your run.",
     "Performance",
     TourSpot::suite,
     sent<action::MeasureSuite>,
     8},
    {"your own equation",
     "This text is the equation. Edit it: with  - 0.001*u  after the Laplacian the field decays as it "
     "spreads. Changes apply as you type; Undo reverts them. F2 opens a large editor, and the gallery (G) "
     "has "
     "more equations.",
     "Equation",
     TourSpot::equation,
     [](const UiState& ui, const Snapshot&) {
         return changed_one_of(ui, {setting_name::equation, setting_name::model});
     }},
    {"write your own kernel",
     "These buttons create a CUDA file to start from. Each time you save it, it is compiled and, on an "
     "NVIDIA GPU, checked, timed and used once it is correct.",
     "Your kernel",
     TourSpot::kernel,
     [](const UiState& ui, const Snapshot&) { return !ui.panel.kernel.file.empty(); }},
};

}  // namespace

void begin_tour(UiState& ui, const Snapshot& snapshot) {
    ui.help_open = false;
    show_panels(ui);
    if (snapshot.now.model->name != kDefaultModel) begin_model(ui, kDefaultModel);
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
    // Again if the page above it has grown, but not after the user has scrolled away from it.
    const float place = ImGui::GetItemRectMin().y - ImGui::GetWindowPos().y + ImGui::GetScrollY();
    const bool follows = tour.seen || tour.settles > 0;
    if (!tour.scrolled_to || (follows && std::abs(place - *tour.scrolled_to) > 1)) {
        ImGui::SetScrollHereY(0.6f);
        tour.scrolled_to = place;
        tour.settles = kSettles;
    }
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
    if (!tour.done || ImGui::IsMouseDown(0) || snapshot.measuring_suite) tour.done_at = ImGui::GetTime();
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
    if (tour.settles > 0) --tour.settles;
    if (!tour.card) return;
    tour.reveals = false;
    const TourStep& step = card(tour);
    const Area room = area_of(ui.canvas);
    const figure::Box canvas = box_of(room.at(0, 0), room.at(1, 1));
    const float width = std::min(em(21), room.width - em(2.5f));
    if (width < em(10)) return;
    const figure::Box control = tour.control.value_or(figure::Box{canvas.middle_x(), canvas.bottom(), 0, 0});
    const figure::Point at = card_place(control, tour.size, canvas, em(0.6f));
    ImGui::SetNextWindowPos(ImVec2(float(at.x), float(at.y)));
    ImGui::PushStyleColor(ImGuiCol_Border, warning_color());
    ImGui::Begin("##tour", nullptr, kCard);
    ImGui::PopStyleColor();
    tour.size = {0, 0, ImGui::GetWindowWidth(), ImGui::GetWindowHeight()};
    tour.seen = std::exchange(tour.control, std::nullopt);
    if (tour.seen) draw_frame_around(*tour.seen);
    draw_card(ui, step, width);
    ImGui::End();
}

std::span<const TourStep> tour_steps() {
    return kSteps;
}

}  // namespace stencil
