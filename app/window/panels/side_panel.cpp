#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/examples/example.h"

namespace stencil {
namespace {

// The examples come last, because they are left out if their table is empty.
constexpr Section kSections[] = {
    {"Equation", "The equation as text: yours or a preset's", draw_equation},
    {"Simulation", "Parameters, boundary, steps, size and hardware", draw_simulation},
    {"Initial condition", "The field at step 0", draw_initial},
    {"View", "What the canvas shows and in which colours", draw_view},
    {"Brush", "Shape, value and size of strokes on the canvas", draw_brush},
    {"Measure", "Statistics, profiles and probes", draw_measure},
    {"Performance", "Speed, and time per frame", draw_performance},
    {"Generated code", "Stages, kernels, limits and code of a typed equation", draw_code},
    {"Your kernel", "Your own CUDA kernel, checked and timed each time it is saved", draw_kernel},
    {"Export", "Files, films, checkpoints and earlier runs", draw_exports},
    {"Examples", "Other workloads on CPU and GPU", draw_examples},
};

// Content up to a page beyond the panel's edges is still drawn, so that the keyboard can reach it.
bool is_far(float height) {
    const ImGuiWindow* panel = ImGui::GetCurrentWindow();
    const float top = ImGui::GetCursorScreenPos().y, page = panel->ClipRect.GetHeight();
    return top > panel->ClipRect.Max.y + page || top + height < panel->ClipRect.Min.y - page;
}

// Content far outside keeps its height but is not drawn, unless the mouse or keyboard may be using it.
void draw_contents(const Section& section, UiState& ui, const Snapshot& snapshot, bool reveals) {
    const float top = ImGui::GetCursorPosY();
    const ImGuiID key = ImGui::GetID("height");
    const float height = ImGui::GetStateStorage()->GetFloat(key);
    if (height > 0 && !reveals && !in_tour(ui) && !ImGui::IsAnyItemActive() && is_far(height)) {
        ImGui::SetCursorPosY(top + height);
        return;
    }
    section.draw(ui, snapshot);
    ImGui::GetStateStorage()->SetFloat(key, ImGui::GetCursorPosY() - top);
}

void draw_section(const Section& section, UiState& ui, const Snapshot& snapshot) {
    auto& open_sections = ui.preferences.open_sections;
    const auto* asked = ui.asked<RevealSection>();
    const bool is_asked = asked && asked->title == section.title && ui.take<RevealSection>();
    const bool reveals = is_asked || tour_reveals(ui, section.title);
    const bool was_open = std::ranges::find(open_sections, section.title) != open_sections.end();
    ImGui::SetNextItemOpen(was_open || reveals);
    const bool is_open = ImGui::CollapsingHeader(section.title);
    tooltip(section.tip);
    if (reveals) ImGui::SetScrollHereY(0);
    if (is_open && !was_open) open_sections.emplace_back(section.title);
    if (!is_open && was_open) std::erase(open_sections, section.title);
    if (!is_open) return;
    ImGui::PushID(section.title);
    draw_contents(section, ui, snapshot, reveals);
    ImGui::Dummy(ImVec2(0, em(0.2f)));
    ImGui::PopID();
}

}  // namespace

std::span<const Section> sections() {
    const std::span<const Section> all(kSections);
    return examples().empty() ? all.first(all.size() - 1) : all;
}

void draw_side_panel(UiState& ui, const Snapshot& snapshot) {
    for (const Section& section : sections()) draw_section(section, ui, snapshot);
}

}  // namespace stencil
