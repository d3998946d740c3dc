#include <algorithm>

#include "app/window/panels/panels.h"
#include "app/window/panels/widgets.h"
#include "app/window/shortcuts.h"

namespace stencil {
namespace {

struct MouseUse {
    std::string_view mouse, what;
};

constexpr MouseUse kMouse[] = {
    {"Left", "Paints, pins a probe or draws a profile line, as the tool says"},
    {"Right drag", "Erases: paints 0"},
    {"Wheel", "Zooms at the cursor"},
    {"Middle drag", "Moves the view; so does Alt and the left button"},
    {"Ctrl+wheel", "Brush radius"},
    {"Drop a file", "A picture or an array begins a run; a spec.json or a run's folder opens it"},
    {"Ctrl+click", "On a slider: type the number; a double click does the same"},
};

void draw_entry(std::string_view keys, std::string_view what) {
    ImGui::TableNextRow();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(keys.data(), keys.data() + keys.size());
    ImGui::TableNextColumn();
    paragraph(what, ImGui::GetStyleColorVec4(ImGuiCol_Text));
}

bool begin_list(const char* id) {
    if (!ImGui::BeginTable(id, 2, ImGuiTableFlags_RowBg)) return false;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, em(11));
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    return true;
}

}  // namespace

void draw_help(UiState& ui) {
    if (!ui.help_open) return;
    const ImGuiIO& io = ImGui::GetIO();
    // Between the toolbar and the status line, which stay in use.
    const float top = float(ui.canvas.y) / io.DisplayFramebufferScale.y;
    const float height = float(ui.canvas.height) / io.DisplayFramebufferScale.y;
    const ImVec2 size(std::min(em(38), 0.9f * io.DisplaySize.x), std::min(em(48), 0.98f * height));
    const ImVec2 middle(io.DisplaySize.x / 2, top + height / 2);
    ImGui::SetNextWindowSize(size, ImGuiCond_Appearing);
    ImGui::SetNextWindowPos(middle, ImGuiCond_Appearing, ImVec2(0.5f, 0.5f));
    constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoCollapse;
    if (ImGui::Begin("Help", &ui.help_open, kFlags)) {
        subtitle("Mouse", "On the canvas");
        if (begin_list("mouse")) {
            for (const MouseUse& use : kMouse) draw_entry(use.mouse, use.what);
            ImGui::EndTable();
        }
        subtitle("Keys", "While no text is being typed");
        if (begin_list("keys")) {
            for (const Shortcut& shortcut : shortcuts()) draw_entry(shortcut.keys, shortcut.what);
            ImGui::EndTable();
        }
    }
    ImGui::End();
}

}  // namespace stencil
