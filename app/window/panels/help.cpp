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
    std::string_view keys, what;
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

constexpr std::string_view kAbout =
    "The equation is in the section Equation: edit it, or choose one from the gallery (G). Everything can be "
    "changed while it runs; only a new run, model, initial condition or seed starts again. Hover over any "
    "control for an explanation.";

// Above the lists, where beginners look first.
void draw_first_steps(UiState& ui, const Snapshot& snapshot) {
    if (button("Take the tour", ImVec2(0, 0), "A first look in eight cards\n--tour"))
        begin_tour(ui, snapshot);
}

// Rows are close together, so that all are visible at once.
std::string keys_of(const MouseUse& row) {
    return std::string(row.keys);
}
std::string keys_of(const Shortcut& row) {
    return row.keys();
}

template <class Row>
void draw_list(const char* title, const char* tip, std::span<const Row> rows) {
    subtitle(title, tip);
    ImGui::PushStyleVar(ImGuiStyleVar_CellPadding,
                        ImVec2(ImGui::GetStyle().CellPadding.x, std::round(em(0.14f))));
    const bool drawn = ImGui::BeginTable(title, 2, ImGuiTableFlags_RowBg);
    ImGui::PopStyleVar();
    if (!drawn) return;
    ImGui::TableSetupColumn("keys", ImGuiTableColumnFlags_WidthFixed, em(8.5f));
    ImGui::TableSetupColumn("what", ImGuiTableColumnFlags_WidthStretch);
    for (const Row& row : rows) {
        ImGui::TableNextColumn();
        colored_text(keys_of(row), text_color());
        ImGui::TableNextColumn();
        paragraph(row.what, text_color());
    }
    ImGui::EndTable();
}

void draw_keys(const char* title, std::span<const Shortcut> part) {
    draw_list(title, "While no text is being typed", part);
}

// In two columns if there is room.
void draw_lists() {
    const auto keys = shortcuts();
    const auto draw_mouse = [] { draw_list("Mouse", "On the canvas", std::span<const MouseUse>(kMouse)); };
    const std::size_t first = (keys.size() - std::size(kMouse)) / 2 - 1;  // the mouse's lines are longer
    if (ImGui::GetContentRegionAvail().x < em(50) || !ImGui::BeginTable("columns", 2)) {
        draw_mouse();
        return draw_keys("Keys", keys);
    }
    ImGui::TableNextColumn();
    draw_mouse();
    draw_keys("Keys", keys.first(first));
    ImGui::TableNextColumn();
    draw_keys("More keys", keys.subspan(first));
    ImGui::EndTable();
}

}  // namespace

void draw_help(UiState& ui, const Snapshot& snapshot) {
    if (!ui.help_open) return;
    // The help lies between toolbar and status line, which stay usable.
    over_canvas(ui, "Help", ui.help_open, {{0.96f, 0.98f}, {58, 43}}, [&] {
        paragraph(kAbout, text_color());
        draw_first_steps(ui, snapshot);
        draw_lists();
    });
}

}  // namespace stencil
