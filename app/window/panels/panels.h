// The panels. Each function draws its part into the current ImGui window, reads the snapshot and appends
// actions; its state is in UiState::panel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

void draw_toolbar(UiState& ui, const Snapshot& snapshot);
void draw_status_line(UiState& ui, const Snapshot& snapshot);
void draw_timeline(UiState& ui, const Snapshot& snapshot);

/// Draws the newest message, if any.
void draw_notices(UiState& ui, const Snapshot& snapshot);
/// Returns the height of the content; 0 if there is no message.
float notices_height(const Snapshot& snapshot);

/// Draws its own window while UiState::help_open.
void draw_help(UiState& ui, const Snapshot& snapshot);

/// Draws its own window while UiState::gallery is open.
void draw_gallery(UiState& ui, const Snapshot& snapshot);

// Sections of the side panel.
void draw_equation(UiState& ui, const Snapshot& snapshot);
void draw_simulation(UiState& ui, const Snapshot& snapshot);
void draw_initial(UiState& ui, const Snapshot& snapshot);
void draw_view(UiState& ui, const Snapshot& snapshot);
void draw_brush(UiState& ui, const Snapshot& snapshot);
void draw_measure(UiState& ui, const Snapshot& snapshot);
void draw_performance(UiState& ui, const Snapshot& snapshot);
void draw_code(UiState& ui, const Snapshot& snapshot);
void draw_exports(UiState& ui, const Snapshot& snapshot);
void draw_examples(UiState& ui, const Snapshot& snapshot);
void draw_kernel(UiState& ui, const Snapshot& snapshot);

/// Call in every frame, even if the section is hidden: a kernel that passed its check takes over if it is to
/// be live, and not again after another method was chosen.
void follow_kernel(UiState& ui, const Snapshot& snapshot);
/// Watches this file from now on and shows the section.
void choose_kernel(UiState& ui, const std::string& file);

/// The effect of another size: the memory needed, or why it is refused. The text is empty while unknown.
struct MemoryPreview {
    bool fits = true;
    std::string text;
};
MemoryPreview memory_preview(const Snapshot& snapshot, Size size, MemoryNeedsOf& known);

/// Draws folder, files and the button; also used by the toolbar's popup.
void draw_export_choice(UiState& ui, const Snapshot& snapshot);

/// Returns the row of the pane on the canvas, kThreeUp or kComponents.
const PaneRow& shown_view(const UiState& ui);

/// Draws controls for the colour map, scale and range of the field's or the Laplacian's colours.
void draw_color_controls(UiState& ui, const Snapshot& snapshot, bool laplacian, RangeDraft& draft);

/// Draws a choice of what the canvas shows, as wide as set by SetNextItemWidth.
void view_combo(UiState& ui, const Snapshot& snapshot, std::string_view shown, std::string_view tip);

struct Section {
    const char* title;  ///< stored in Preferences::open_sections
    const char* tip;
    void (*draw)(UiState&, const Snapshot&);
};

/// Returns the sections in order, without those that have nothing to show.
std::span<const Section> sections();

/// Draws all sections, each below its header.
void draw_side_panel(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
