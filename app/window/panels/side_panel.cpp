#include <fmt/format.h>
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/shortcuts.h"
#include "sim/examples/example.h"
#include "sim/text/names.h"

namespace stencil {
namespace {

// The examples come last, because they are left out if their table is empty.
constexpr Section kSections[] = {
    {PanelTab::model, "Equation", "The equation as text: yours or a preset's", draw_equation},
    {PanelTab::model, "Simulation", "Boundary, steps, size and hardware", draw_simulation},
    {PanelTab::model, "Initial condition", "The field at step 0", draw_initial},
    {PanelTab::model, "Sweep", "Many runs over one or two parameters, as tiles", draw_sweep},
    {PanelTab::model, "Fit", "The parameters by which the run gives measured values", draw_fit},
    {PanelTab::view, "View", "What the canvas shows and in which colours", draw_view},
    {PanelTab::view, "Brush", "Shape, value and size of strokes on the canvas", draw_brush},
    {PanelTab::measure, "Measure", "Statistics, profiles and probes", draw_measure},
    {PanelTab::performance, "Performance", "Speed, and time per frame", draw_performance},
    {PanelTab::performance,
     "Generated code",
     "Stages, kernels, limits and code of a typed equation",
     draw_code},
    {PanelTab::performance,
     "Kernel ladder",
     "Eight kernels to learn from, each with one idea more than the one before",
     draw_ladder},
    {PanelTab::performance,
     "Your kernel",
     "Your own CUDA kernel, checked and timed each time it is saved",
     draw_kernel},
    {PanelTab::files, "Export", "Files, films, checkpoints and earlier runs", draw_exports},
    {PanelTab::performance, "Examples", "Other workloads on CPU and GPU", draw_examples},
};

// Content more than a page beyond the panel's edges, a distance that the keyboard cannot reach, keeps its
// height but is not drawn, unless the mouse or keyboard may be using it.
void draw_contents(const Section& section, UiState& ui, const Snapshot& snapshot, bool reveals) {
    const float top = ImGui::GetCursorPosY();
    const ImGuiID key = ImGui::GetID("height");
    const float height = ImGui::GetStateStorage()->GetFloat(key), at = ImGui::GetCursorScreenPos().y;
    const ImRect& clip = ImGui::GetCurrentWindow()->ClipRect;
    const float page = clip.GetHeight();
    const bool is_far = at > clip.Max.y + page || at + height < clip.Min.y - page;
    if (height > 0 && !reveals && !in_tour(ui) && !ImGui::IsAnyItemActive() && is_far)
        return ImGui::SetCursorPosY(top + height);
    section.draw(ui, snapshot);
    ImGui::GetStateStorage()->SetFloat(key, ImGui::GetCursorPosY() - top);
}

void draw_section(const Section& section, UiState& ui, const Snapshot& snapshot) {
    auto& open_sections = ui.preferences.open_sections;
    const auto* asked = ui.asked<RevealSection>();
    const bool is_asked = asked && asked->title == section.title && ui.take<RevealSection>();
    const bool reveals = is_asked || tour_reveals(ui, section.title);
    const bool was_open = contains(open_sections, section.title);
    ImGui::SetNextItemOpen(was_open || reveals);
    const bool is_open = ImGui::CollapsingHeader(section.title);
    tooltip(section.tip);
    if (reveals) ImGui::SetScrollHereY(0);
    if (is_open && !was_open) open_sections.emplace_back(section.title);
    if (!is_open && was_open) std::erase(open_sections, section.title);
    if (!is_open) return;
    const IdScope scope(section.title);
    draw_contents(section, ui, snapshot, reveals);
    ImGui::Dummy(ImVec2(0, em(0.2f)));
}

// Draws a tab as its title with half of `around` at either side, and the chosen one with a line below it.
void draw_tab(UiState& ui, PanelTab tab, float around) {
    const std::string title(kPanelTabs[std::size_t(tab)]);
    std::vector<std::string> titles;
    for (const Section& section : sections())
        if (section.tab == tab) titles.emplace_back(section.title);
    const bool is_shown = tab == ui.preferences.panel_tab;
    const ImVec4 plain = ImGui::GetStyleColorVec4(ImGuiCol_WindowBg);
    ImGui::PushStyleColor(ImGuiCol_Button, plain);
    ImGui::PushStyleColor(ImGuiCol_Text, is_shown ? text_color() : faint_color());
    const bool clicked = ImGui::Button(title.c_str(), ImVec2(text_width(title) + around, 0));
    ImGui::PopStyleColor(2);
    tooltip(with_keys(fmt::format("{}", fmt::join(titles, ", ")), next_tab));
    if (clicked) show_tab(ui, tab);
    if (!is_shown) return;
    const ImVec2 least = ImGui::GetItemRectMin(), most = ImGui::GetItemRectMax();
    const float thickness = std::max(2.0f, std::round(em(0.14f)));
    ImGui::GetWindowDrawList()->AddRectFilled(ImVec2(least.x, most.y - thickness / 2),
                                              ImVec2(most.x, most.y + thickness / 2),
                                              ImGui::GetColorU32(ImGuiCol_CheckMark));
}

/// The scroll position of each of the panel's tabs.
struct Scrolling {
    std::map<PanelTab, float> offsets;
    PanelTab drawn = PanelTab::model;  ///< the tab drawn in the newest frame
};

}  // namespace

std::span<const Section> sections() {
    const std::span<const Section> all(kSections);
    return examples().empty() ? all.first(all.size() - 1) : all;
}

std::optional<PanelTab> tab_of(std::string_view section) {
    const auto found = std::ranges::find(sections(), section, &Section::title);
    return found == sections().end() ? std::nullopt : std::optional(found->tab);
}

void show_tab(UiState& ui, PanelTab tab) {
    auto& open_sections = ui.preferences.open_sections;
    ui.preferences.panel_tab = tab;
    const auto is_open = [&](const Section& section) {
        return section.tab == tab && contains(open_sections, section.title);
    };
    if (std::ranges::none_of(sections(), is_open))
        open_sections.emplace_back(std::ranges::find(sections(), tab, &Section::tab)->title);
}

void follow_revealed(UiState& ui) {
    const auto* asked = ui.asked<RevealSection>();
    for (const Section& section : sections())
        if ((asked && asked->title == section.title) || tour_reveals(ui, section.title))
            ui.preferences.panel_tab = section.tab;
}

void draw_panel_tabs(UiState& ui) {
    float text = 0;
    for (const std::string_view title : kPanelTabs) text += text_width(title);
    const float room = ImGui::GetContentRegionAvail().x - text;
    const float around = std::max(0.0f, room / float(kPanelTabs.size()));
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, ImVec2(0, ImGui::GetStyle().FramePadding.y));
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    for (std::size_t i = 0; i < kPanelTabs.size(); ++i) {
        if (i > 0) ImGui::SameLine(0, 0);
        draw_tab(ui, PanelTab(i), around);
    }
    ImGui::PopStyleVar(2);
}

void draw_side_panel(UiState& ui, const Snapshot& snapshot) {
    // Each tab is scrolled by itself.
    const PanelTab tab = ui.preferences.panel_tab;
    auto& [offsets, drawn] = ui.panel.of<Scrolling>();
    float& scrolled = offsets[tab];
    if (std::exchange(drawn, tab) != tab)
        ImGui::SetScrollY(scrolled);
    else
        scrolled = ImGui::GetScrollY();
    for (const Section& section : sections())
        if (section.tab == tab) draw_section(section, ui, snapshot);
}

}  // namespace stencil
