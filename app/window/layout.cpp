
#include <imgui.h>
#include <imgui_internal.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "app/window/other_runs.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/examples/example_panel.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"

namespace stencil {
namespace {

constexpr ImGuiWindowFlags kPart = kFixed | ImGuiWindowFlags_NoNavFocus;
constexpr ImGuiWindowFlags kStrip = kPart | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

// Draws the line between two parts of the window, unclipped so that it crosses the padding.
void draw_edge(ImVec2 from, ImVec2 to) {
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->PushClipRectFullScreen();
    list->AddLine(from, to, ImGui::GetColorU32(ImGuiCol_Separator));
    list->PopClipRect();
}

ImVec2 strip_padding() {
    return ImVec2(std::round(em(0.6f)), std::round(em(0.4f)));
}

float strip_height(float content) {
    return std::round(content + 2 * strip_padding().y);
}

ImVec2 part_padding() {
    return ImVec2(std::round(em(0.6f)), std::round(em(0.5f)));
}

// Draws a part at the left of `rest`, and at its right edge a grip that changes its width (at scale 1). The
// part is wide enough for its labels at larger text sizes.
template <class F>
void draw_resizable(const std::string& name, UiState& ui, Area& rest, float share, float& width, F&& draw) {
    const float most = share * rest.width, grip = std::max(3.0f, std::round(em(0.25f)));
    const float whole = std::floor(std::min(std::max(width * ui.scale, em(18)), most));
    const Area part = rest.cut_left(whole - grip), area = rest.cut_left(grip);
    draw(part);
    begin_area((name + " edge").c_str(), area, ImVec2(0, 0), kStrip);
    ImGui::InvisibleButton("##drag", ImVec2(area.width, std::max(1.0f, area.height)));
    const bool held = ImGui::IsItemActive();
    const bool touched = held || ImGui::IsItemHovered();
    if (touched) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (held) {
        const float wished = (ImGui::GetIO().MousePos.x - part.x - area.width / 2) / ui.scale;
        width = std::max(kMinPanelWidth, std::min({wished, kMaxPanelWidth, most / ui.scale}));
    }
    const ImU32 color = ImGui::GetColorU32(held      ? ImGuiCol_SeparatorActive
                                           : touched ? ImGuiCol_SeparatorHovered
                                                     : ImGuiCol_Separator);
    ImGui::GetWindowDrawList()->AddRectFilled(area.at(0, 0), area.at(1, 1), color);
    ImGui::End();
}

// Draws a strip across the window, with a line towards the rest of the window.
template <class F>
void strip(const char* name, const Area& area, bool below, F&& draw) {
    begin_area(name, area, strip_padding(), kStrip);
    const float y = below ? area.y + area.height - 1 : area.y;
    draw_edge(ImVec2(area.x, y), ImVec2(area.x + area.width, y));
    draw();
    ImGui::End();
}

// The tabs stay in place above the sections, which scroll; without room for both there are no tabs.
void draw_panel(UiState& ui, const Snapshot& snapshot, Area part) {
    const float tabs = strip_height(ImGui::GetFrameHeight());
    if (part.height > 2 * tabs) strip("##tabs", part.cut_top(tabs), true, [&] { draw_panel_tabs(ui); });
    begin_area("##panel", part, part_padding(), kPart | ImGuiWindowFlags_AlwaysVerticalScrollbar);
    draw_side_panel(ui, snapshot);
    ImGui::End();
}

// Draws the tools at the canvas' left edge, if that leaves room for the field. In a low window the mouse
// wheel scrolls them.
void draw_tool_column(UiState& ui, const Snapshot& snapshot, Area& rest) {
    if (rest.width < em(12)) return;
    const float padding = std::round(em(0.3f));
    const Area column = rest.cut_left(tool_side() + 2 * padding + 1);
    begin_area("##tools", column, ImVec2(padding, padding), kPart | ImGuiWindowFlags_NoScrollbar);
    const float right = column.x + column.width - 1;
    draw_edge(ImVec2(right, column.y), ImVec2(right, column.y + column.height));
    draw_tools(ui, snapshot);
    ImGui::End();
}

// Lists the windows that the keyboard cycles through: strips, panel, and windows over the canvas.
std::vector<ImGuiWindow*> parts_of(const ImGuiContext& context) {
    std::vector<ImGuiWindow*> parts;
    for (const char* name : {"##toolbar",
                             "##tabs",
                             "##panel",
                             "##editor",
                             "##tools",
                             "##corner",
                             "##tour",
                             "##timeline",
                             "##notices"})
        if (ImGuiWindow* window = ImGui::FindWindowByName(name); window && window->WasActive)
            parts.push_back(window);
    constexpr ImGuiWindowFlags kNone = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_ChildWindow |
                                       ImGuiWindowFlags_Popup | ImGuiWindowFlags_Tooltip;
    for (ImGuiWindow* window : context.Windows)
        if (window->WasActive && (window->Flags & kNone) == 0 && !window->IsFallbackWindow)
            parts.push_back(window);
    return parts;
}

// Moves the focus to the first control of the next part; after the last one, keys go to the canvas again.
void move_keyboard(int step) {
    if (ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup)) return;
    ImGuiContext& context = *ImGui::GetCurrentContext();
    const std::vector<ImGuiWindow*> parts = parts_of(context);
    const ImGuiWindow* now =
        context.NavWindow && context.IO.NavVisible ? context.NavWindow->RootWindow : nullptr;
    const auto found = std::ranges::find(parts, now);
    const auto count = std::ptrdiff_t(parts.size());
    const auto next = found == parts.end() ? (step > 0 ? 0 : count - 1) : found - parts.begin() + step;
    if (next < 0 || next >= count) return ImGui::FocusWindow(nullptr);
    ImGuiWindow* part = parts[std::size_t(next)];
    ImGui::FocusWindow(part);
    ImGui::NavInitWindow(part, true);
    context.NavDisableHighlight = false;
    context.NavDisableMouseHover = true;
}

// ImGui before 1.87 opens text fields by Enter and activates all else by Space alone.
void enter_activates() {
#if IMGUI_VERSION_NUM < 18700
    ImGuiContext& context = *ImGui::GetCurrentContext();
    if (context.NavActivateInputId != 0)
        context.NavActivateId = context.NavActivateDownId = context.NavActivateInputId;
#endif
}

}  // namespace

bool draw_interface(UiState& ui, const Snapshot& snapshot) {
    const ImGuiIO& io = ImGui::GetIO();
    const float line = ImGui::GetTextLineHeight(), frame = ImGui::GetFrameHeight();
    const float least_canvas = 2 * frame;
    Area rest{0, 0, io.DisplaySize.x, io.DisplaySize.y};
    enter_activates();
    if (ui.take<FocusNext>()) move_keyboard(1);
    if (ui.take<FocusPrevious>()) move_keyboard(-1);
    if (ui.take<ClosePopups>()) ImGui::ClosePopupsOverWindow(nullptr, false);
    follow_example(ui, snapshot);
    follow_kernel(ui, snapshot);
    follow_opened(ui, snapshot);
    follow_components(ui, snapshot);
    follow_beside(ui, snapshot);
    follow_brush(ui, snapshot);
    follow_equation(ui, snapshot);
    follow_revealed(ui);
    // Sections that need these values set them again in each frame in which they are visible.
    ui.wants_histogram = ui.wants_spectrum = ui.wants_plane = ui.panel.equation.editing = false;
    ui.panel.code.waits = ui.panel.sessions.waits = false;
    ui.on_profile.reset();
    ui.slider_drawn = false;

    // If the window is too low, drop toolbar and notices.
    const bool roomy = rest.height >= strip_height(line) + strip_height(toolbar_height()) +
                                          strip_height(frame) + least_canvas;
    const bool shown = ui.preferences.panels && roomy && !ui.presenter;
    if (ui.presenter && roomy) {
        const Area area = rest.cut_top(strip_height(presenter_height()));
        strip("##presenter", area, true, [&] { draw_presenter(ui, snapshot); });
    }
    if (!ui.presenter && rest.height >= strip_height(line) + least_canvas) {
        const Area area = rest.cut_bottom(strip_height(line));
        strip("##status", area, false, [&] { draw_status_line(ui, snapshot); });
    }
    if (shown) {
        const Area area = rest.cut_top(strip_height(toolbar_height()));
        strip("##toolbar", area, true, [&] { draw_toolbar(ui, snapshot); });
        draw_resizable(
            "##panel", ui, rest, float(kLargestPanelShare), ui.preferences.panel_width, [&](Area part) {
                draw_panel(ui, snapshot, part);
            });
        // Beside the canvas, so that the field is seen while its equation is typed.
        if (ui.panel.equation.large)
            draw_resizable("##editor",
                           ui,
                           rest,
                           float(kLargestEditorShare),
                           ui.preferences.editor_width,
                           [&](const Area& part) {
                               begin_area("##editor", part, part_padding(), kStrip);
                               draw_large_editor(ui, snapshot);
                               ImGui::End();
                           });
        if (rest.height >= strip_height(frame) + least_canvas) {
            const Area below = rest.cut_bottom(strip_height(frame));
            strip("##timeline", below, false, [&] { draw_timeline(ui, snapshot); });
        }
        draw_tool_column(ui, snapshot, rest);
    }
    const double sx = double(io.DisplayFramebufferScale.x), sy = double(io.DisplayFramebufferScale.y);
    ui.canvas = {rest.x * sx, rest.y * sy, rest.width * sx, rest.height * sy};
    ui.corner_taken = 0;
    if (shown && !ui.bare_canvas) draw_canvas_corner(ui, snapshot);
    if (roomy) draw_notices(ui, snapshot);
    draw_long_actions(ui, snapshot);
    take_color_bar_input(ui, snapshot);
    draw_plots(ui, snapshot);
    draw_large_results(ui);
    draw_gallery(ui, snapshot);
    draw_help(ui, snapshot);
    draw_tour(ui);
    draw_start_page(ui, snapshot);
    ui.popup_open = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopup);
    const EquationState& equation = ui.panel.equation;
    const bool text_waits = equation.typed_at >= 0 || ImGui::GetTime() < equation.hold_until;
    return tooltip_waits() || text_waits || ui.panel.code.waits || ui.panel.sessions.waits ||
           notice_fades(ui, snapshot) || ui.panel.tour.done || ui.panel.tour.settles > 0 ||
           ImGui::GetTime() < std::max(ui.panel.copied_until, ui.said_until);
}

}  // namespace stencil
