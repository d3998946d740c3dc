#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "app/window/canvas/canvas_layout.h"
#include "app/window/format.h"
#include "app/window/panels/commands.h"
#include "app/window/panels/panels.h"
#include "app/window/panels/widgets/widgets.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

constexpr ImGuiWindowFlags kUnseen = kPlainWindow | ImGuiWindowFlags_NoBackground |
                                     ImGuiWindowFlags_NoBringToFrontOnFocus |
                                     ImGuiWindowFlags_NoScrollWithMouse;
// How far around a bar the mouse grabs it, and how far it must move to drag it: pixels at scale 1.
constexpr float kBarReach = 4;
constexpr float kBarMeant = 3;

RangeRule rule_of(const RunSpec& spec, std::string_view setting, const std::string& formula) {
    return setting == setting_name::range ? spec.coloring(formula).range : spec.laplacian_range;
}

/// A drag of a colour bar's end.
struct BarDrag {
    ValueRange start;  ///< the range when it began
    bool high = false;
    std::string sent;  ///< the newest rule sent
};

void drag(UiState& ui, const RunSpec& now, const PaneImage& image) {
    auto& drag = ui.panel.of<BarDrag>();
    const float least = ImGui::GetItemRectMin().x, width = ImGui::GetItemRectSize().x;
    const float mouse = ImGui::GetIO().MousePos.x;
    if (ImGui::IsItemActivated()) drag = {image.range, mouse > least + width / 2, ""};
    if (!ImGui::IsItemActive() || !ImGui::IsMouseDragging(ImGuiMouseButton_Left, kBarMeant * ui.scale))
        return;
    if (!(drag.start.low < drag.start.high)) return;
    const double by = ImGui::GetMouseDragDelta(ImGuiMouseButton_Left, 0).x / width;
    const bool centred = drag.start.scale == Scale::centred ||
                         (drag.start.scale != Scale::log && colormap(image.colormap).diverging);
    const std::string rule = to_string(dragged_range(drag.start, centred, drag.high, by));
    if (rule == drag.sent) return;
    change_colors(ui, now, image.formula, range_setting(image.request.pane), rule, !drag.sent.empty());
    drag.sent = rule;
}

void take(UiState& ui, const Snapshot& snapshot, const PaneImage& image) {
    const std::string_view setting = range_setting(image.request.pane);
    if (setting.empty()) return tooltip("Differences have their own colours, centred at zero");
    if (image.request.pane == Pane::mosaic && snapshot.tiles && image.formula == snapshot.tiles->color)
        return tooltip("The colours span the values of all runs");
    tooltip("Drag an end to move it. Double click: automatic range. Right click: menu.");
    drag(ui, snapshot.now, image);
    if (ImGui::IsItemHovered() || ImGui::IsItemActive()) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);
    if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(ImGuiMouseButton_Left)) {
        RangeRule rule = rule_of(RunSpec(), setting, "");
        rule.scale = rule_of(snapshot.now, setting, image.formula).scale;
        change_colors(ui, snapshot.now, image.formula, setting, to_string(rule));
    }
    ImGui::SetNextWindowSize(ImVec2(em(22), 0));
    if (!ImGui::BeginPopupContextItem("##colours")) return;
    draw_color_controls(ui, snapshot, setting == setting_name::laplacian_range, image.formula);
    ImGui::EndPopup();
}

}  // namespace

std::string_view range_setting(Pane pane) {
    if (quantity_of(pane) == Quantity::difference) return "";
    return pane == Pane::laplacian ? setting_name::laplacian_range : setting_name::range;
}

RangeRule dragged_range(const ValueRange& range, bool centred, bool high, double by) {
    const double most = centred ? 0.48 : 0.95;
    const double place = high ? 1 + std::max(by, -most) : std::min(by, most);
    const double value = value_at(place, range), other = high ? range.low : range.high;
    const double end = rounded_to(value, range.scale == Scale::log ? value : std::abs(value - other));
    RangeRule rule{RangeRule::Kind::fixed, range.low, range.high, range.scale};
    (high ? rule.high : rule.low) = end;
    if (centred) (high ? rule.low : rule.high) = -end;
    return rule;
}

void take_color_bar_input(UiState& ui, const Snapshot& snapshot) {
    const float reach = kBarReach * ui.scale;
    for (std::size_t i = 0; i < ui.color_bars.size(); ++i) {
        const auto& [pane, bar] = ui.color_bars[i];
        const PaneImage* image = image_of(snapshot, pane);
        if (!image || bar.width < 1) continue;
        const Area at = area_of(bar);
        const ImVec2 size(at.width, at.height + 2 * reach);
        begin_area(
            fmt::format("##bar{}", i).c_str(), {at.x, at.y - reach, size.x, size.y}, ImVec2(0, 0), kUnseen);
        ImGui::InvisibleButton("##range", size);
        take(ui, snapshot, *image);
        ImGui::End();
    }
}

void hold_visible_range(UiState& ui, const Snapshot& snapshot) {
    const FitRange* fit = ui.asked<FitRange>();
    if (!fit || !snapshot.frame) return;
    for (const PaneImage& image : snapshot.frame->panes) {
        if (range_setting(image.request.pane) != fit->setting || !image.pixels || image.pixels->on_device ||
            (!fit->formula.empty() && fit->formula != image.formula))
            continue;
        const std::string setting = ui.take<FitRange>()->setting;
        const auto count = std::size_t(image.pixels->width) * std::size_t(image.pixels->height);
        double low = INFINITY, high = -INFINITY;
        for (const float value : std::span(image.pixels->host).first(count)) {
            if (!std::isfinite(value)) continue;
            low = std::min(low, double(value));
            high = std::max(high, double(value));
        }
        const Scale scale = rule_of(snapshot.now, setting, image.formula).scale;
        const ValueRange range = color_range(low, high, scale, false);
        if (low < high)
            change_colors(ui,
                          snapshot.now,
                          image.formula,
                          setting,
                          to_string({RangeRule::Kind::fixed, range.low, range.high, scale}));
        else
            ui.say("All visible cells have the same value");
        return;
    }
}

}  // namespace stencil
