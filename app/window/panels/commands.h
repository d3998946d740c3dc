// The commands behind buttons, menus and keys.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

using UiCommand = void (*)(UiState&, const Snapshot&);

// Commands that only send an action, make a request, choose a tool or switch something.
template <class A>
void act(UiState& ui, const Snapshot&) {
    ui.act(A{});
}
template <class Request>
void ask(UiState& ui, const Snapshot&) {
    ui.ask(Request{});
}
template <Tool kTool>
void use(UiState& ui, const Snapshot&) {
    ui.tool = kTool;
}
template <bool UiState::*kSwitch>
void toggle(UiState& ui, const Snapshot&) {
    ui.*kSwitch = !(ui.*kSwitch);
}

/// Changes a setting of the run, named as on the command line.
void change(UiState& ui, std::string setting, std::string_view value, bool continuing = false);

/// Changes a setting of colours where a formula's are kept.
void change_colors(UiState& ui,
                   const RunSpec& now,
                   const std::string& formula,
                   std::string_view setting,
                   std::string_view value,
                   bool continuing = false);

/// Starts a new run with this model; undo brings back the previous one.
void begin_model(UiState& ui, std::string_view name);

void toggle_running(UiState& ui, const Snapshot& snapshot);
void undo(UiState& ui, const Snapshot& snapshot);
void redo(UiState& ui, const Snapshot& snapshot);

/// Doubles or halves the steps per frame; if the pace is automatic, starting from the newest batch.
void faster(UiState& ui, const Snapshot& snapshot);
void slower(UiState& ui, const Snapshot& snapshot);

/// Opens an image, array, run or kernel (.cu, which is then watched), and adds it to the recent paths.
void open_path(UiState& ui, const std::string& path);

/// Opens the toolbar's popup of what can be opened.
void show_open_popup(UiState& ui, const Snapshot& snapshot);

/// Writes the files chosen in the export section to its folder.
void export_now(UiState& ui, const Snapshot& snapshot);
/// Writes the figure of the view (view.pdf, view.svg or view.png) to the exports' folder.
void export_view(UiState& ui, const Snapshot& snapshot, const std::string& file);
/// Copies the command that repeats the run. If the run is too long for a line, the command reads a spec file
/// that is written beside the exports.
void copy_command_line(UiState& ui, const Snapshot& snapshot);
/// Opens the folder in the desktop's file manager, or says that there is none.
void open_folder(UiState& ui, const std::string& folder);

void fit(UiState& ui, const Snapshot& snapshot);
void one_cell_per_pixel(UiState& ui, const Snapshot& snapshot);
void show_pane(UiState& ui, Pane pane);
void next_view(UiState& ui, const Snapshot& snapshot);
void toggle_three_up(UiState& ui, const Snapshot& snapshot);
bool is_three_up(const UiState& ui);
bool shows_components(const UiState& ui);
/// Takes over how a run that was opened is looked at.
void follow_opened(UiState& ui, const Snapshot& snapshot);

/// Adapts the component panes to the number of components of the model.
void follow_components(UiState& ui, const Snapshot& snapshot);
void snap_range(UiState& ui, const Snapshot& snapshot);

void use_brush(UiState& ui, const Snapshot& snapshot);
/// Switches the left button between painting 0 and painting the brush's value.
void use_eraser(UiState& ui, const Snapshot& snapshot);
inline constexpr double kMinBrushRadius = 0.5, kMaxBrushRadius = 4096;  ///< cells
void smaller_brush(UiState& ui, const Snapshot& snapshot);
void larger_brush(UiState& ui, const Snapshot& snapshot);

/// Moves the equation's editor from the panel to a pane beside the canvas, or back.
void toggle_large_editor(UiState& ui, const Snapshot& snapshot);
void toggle_reference_card(UiState& ui, const Snapshot& snapshot);
/// Finds, or finds and replaces, in the equation, first the selected text.
void find_in_equation(UiState& ui, const Snapshot& snapshot);
void replace_in_equation(UiState& ui, const Snapshot& snapshot);

void toggle_gallery(UiState& ui, const Snapshot& snapshot);
/// Rescales a brush whose radius is a share of the field's size after that has changed.
void follow_brush(UiState& ui, const Snapshot& snapshot);
void close_popups(UiState& ui, const Snapshot& snapshot);
void toggle_panels(UiState& ui, const Snapshot& snapshot);
/// Shows the panel's next or previous tab; after the last one the first.
void next_tab(UiState& ui, const Snapshot& snapshot);
void previous_tab(UiState& ui, const Snapshot& snapshot);
/// Shows toolbar and panels, for what needs them.
void show_panels(UiState& ui);
void toggle_theme(UiState& ui, const Snapshot& snapshot);
void larger_text(UiState& ui, const Snapshot& snapshot);
void smaller_text(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
