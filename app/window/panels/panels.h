// What a person reads and clicks. Each function draws its part into the current ImGui window, reads the
// snapshot and appends actions; what it remembers is in UiState::panel.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/window/ui_state.h"

namespace stencil {

void draw_toolbar(UiState& ui, const Snapshot& snapshot);
void draw_status_line(UiState& ui, const Snapshot& snapshot);
void draw_timeline(UiState& ui, const Snapshot& snapshot);

/// The newest message; nothing where there is none.
void draw_notices(UiState& ui, const Snapshot& snapshot);
/// The height of the content; 0 where there is nothing to say.
float notices_height(const Snapshot& snapshot);

/// Its own window, while UiState::help_open.
void draw_help(UiState& ui, const Snapshot& snapshot);

/// Its own window too, while UiState::gallery is open.
void draw_gallery(UiState& ui, const Snapshot& snapshot);

// The sections of the side panel.
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

/// In every frame, whether that section is seen or not: a kernel that was found right takes over where it is
/// to be live, and stays away once another method was chosen.
void follow_kernel(UiState& ui, const Snapshot& snapshot);
/// This file is watched from now on, and the section is seen.
void choose_kernel(UiState& ui, const std::string& file);

/// What applying another size would come to: the memory that it needs, or why it is refused. Without a text
/// where nothing is known of it yet.
struct MemoryPreview {
    bool fits = true;
    std::string text;
};
MemoryPreview memory_preview(const Snapshot& snapshot, Size size, MemoryNeedsOf& known);

/// Folder, files and the button: also the toolbar's popup.
void draw_export_choice(UiState& ui, const Snapshot& snapshot);

/// The row of the pane on the canvas, kThreeUp or kComponents.
const PaneRow& shown_view(const UiState& ui);

/// Map, scale and range of the field's or of the Laplacian's colours.
void draw_color_controls(UiState& ui, const Snapshot& snapshot, bool laplacian, RangeDraft& draft);

/// What the canvas shows, to choose from; as wide as SetNextItemWidth says.
void view_combo(UiState& ui, const Snapshot& snapshot, std::string_view shown, std::string_view tip);

struct Section {
    const char* title;  ///< also what Preferences::open_sections holds
    const char* tip;
    void (*draw)(UiState&, const Snapshot&);
};

/// In the order in which they stand; those that have nothing to show are left out.
std::span<const Section> sections();

/// All of them, each below its header.
void draw_side_panel(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
