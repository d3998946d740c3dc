#include <cmath>
#include <iterator>
#include <span>

#include "app/window/panels/panels.h"
#include "app/window/panels/tour.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/shortcuts.h"

namespace stencil {
namespace {

struct MouseUse {
    std::string_view mouse, what;
};

constexpr MouseUse kMouse[] = {
    {"Left", "Paints, erases, picks a value, places a probe, draws a line or pans, depending on the tool"},
    {"Right drag", "Erases: paints 0"},
    {"Wheel", "Zooms at the cursor"},
    {"Middle drag", "Pans the view; also Alt+left drag"},
    {"Ctrl+wheel", "Changes the brush radius"},
    {"Drop a file", "A picture or an array starts a new run; a spec.json or a run's folder opens that run"},
    {"Click a slider",
     "Type a number (keyboard: Space), or drag. Number fields accept 1e4, 10k, 2^20 and 3/8"},
};

void draw_entry(std::string_view keys, std::string_view what) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(keys.data(), keys.data() + keys.size());
    ImGui::TableNextColumn();
    paragraph(what, text_color());
}

// Rows are close together, so that all are visible at once.
bool begin_list(const char* id) {
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding,
                        ImVec2(ImGui::GetStyle().CellPadding.x, std::round(em(0.14f))));
    const bool drawn = ImGui::BeginTable(id, 2, ImGuiTableFlags_RowBg);
    ImGui::PopStyleVar();
    if (!drawn) return false;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, em(8.5f));
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

constexpr std::string_view kAbout =
    "The equation is in the section Equation: edit it, or choose one from the gallery (G). Everything can be "
    "changed while it runs; only a new run, model, initial condition or seed starts again. Hover over any "
    "control for an explanation.";

// Above the lists, where beginners look first.
void draw_first_steps(UiState& ui, const Snapshot& snapshot) {
    if (button("Take the tour", ImVec2(0, 0), "A first look in eight cards\n--tour"))
        begin_tour(ui, snapshot);
    if (ui.preferences.prompts_done.empty()) return;
    ImGui::SameLine();
    if (button("Show the first prompts again", ImVec2(0, 0), "The hints for new users on the canvas"))
        ui.preferences.prompts_done.clear();
}

void draw_mouse() {
    subtitle("Mouse", "On the canvas");
    if (!begin_list("mouse")) return;
    for (const MouseUse& use : kMouse) draw_entry(use.mouse, use.what);
    ImGui::EndTable();
}

void draw_keys(std::span<const Shortcut> part, const char* title) {
    subtitle(title, "While no text is being typed");
    if (!begin_list(title)) return;
    for (const Shortcut& shortcut : part) draw_entry(shortcut.keys, shortcut.what);
    ImGui::EndTable();
}

// In two columns if there is room.
void draw_lists() {
    const auto keys = shortcuts();
    const std::size_t first = (keys.size() - std::size(kMouse)) / 2 - 1;  // the mouse's lines are longer
    if (ImGui::GetContentRegionAvail().x < em(50) || !ImGui::BeginTable("columns", 2)) {
        draw_mouse();
        draw_keys(keys, "Keys");
        return;
    }
    ImGui::TableNextColumn();
    draw_mouse();
    draw_keys(keys.first(first), "Keys");
    ImGui::TableNextColumn();
    draw_keys(keys.subspan(first), "More keys");
    ImGui::EndTable();
}

}  // namespace

void draw_help(UiState& ui, const Snapshot& snapshot) {
    if (!ui.help_open) return;
    // Between toolbar and status line, which stay usable.
    const ImVec2 share(0.96f, 0.98f), most(em(58), em(43));
    if (begin_over_canvas("Help", &ui.help_open, ui.canvas, share, most, ImGuiCond_Appearing)) {
        paragraph(kAbout, text_color());
        draw_first_steps(ui, snapshot);
        draw_lists();
    }
    ImGui::End();
}

}  // namespace stencil
