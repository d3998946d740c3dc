// The commands behind buttons, menus and keys.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

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
/// Most frames per step in slow motion: one step in about a second.
inline constexpr int kSlowest = 64;
/// Changes the steps per frame by this factor; if the pace is automatic, starting from the newest batch. At
/// one step per frame slow motion begins.
template <int kTimes, int kPer>
void scale_pace(UiState& ui, const Snapshot& snapshot) {
    const bool slows = kTimes < kPer;
    if (snapshot.steps_per_frame == 1 && (slows || ui.frames_per_step > 1))
        ui.frames_per_step = std::clamp(ui.frames_per_step * kPer / kTimes, 1, kSlowest);
    else
        ui.act(action::ScalePace{double(kTimes) / kPer});
}
/// Applies a typed pace: steps per frame, or a fraction such as 1/4 for slow motion.
void enter_pace(UiState& ui, const Snapshot& snapshot, const std::string& text);
inline constexpr UiCommand faster = scale_pace<2, 1>, slower = scale_pace<1, 2>;

/// Shows toolbar and panels, for commands that need them.
void show_panels(UiState& ui);
/// Shows a tab of the panel, with its first section open if none is.
void show_tab(UiState& ui, PanelTab tab);

/// Changes a setting of the run, named as on the command line.
void change(UiState& ui, std::string setting, std::string_view value, bool continuing = false);

/// Changes a setting of a formula's colours, in --colors if they are stored there.
void change_colors(UiState& ui,
                   const RunSpec& now,
                   const std::string& formula,
                   std::string_view setting,
                   std::string_view value,
                   bool continuing = false);

/// Starts a new run with this model; undo brings back the previous one.
void begin_model(UiState& ui, std::string_view name);

void toggle_running(UiState& ui, const Snapshot& snapshot);
inline void undo(UiState& ui, const Snapshot& snapshot) {
    if (!snapshot.can_undo.empty()) ui.act(action::Undo{});
}
inline void redo(UiState& ui, const Snapshot& snapshot) {
    if (!snapshot.can_redo.empty()) ui.act(action::Redo{});
}

/// Opens an image, array, run or kernel (.cu, which is then watched), and adds it to the recent paths.
void open_path(UiState& ui, const std::string& path);

/// Opens the toolbar's popup of what can be opened.
void show_open_popup(UiState& ui, const Snapshot& snapshot);

/// Writes these files, such as a figure of the view, to the folder of the export section; in place of them
/// those of the sweep, if that is shown.
void export_files(UiState& ui, const Snapshot& snapshot, const std::vector<std::string>& files);
/// Writes the files chosen in that section.
inline void export_now(UiState& ui, const Snapshot& snapshot) {
    export_files(ui, snapshot, ui.preferences.exports.files);
}
/// Copies the command that repeats the run or, while it is shown, the sweep. If the run is too long for a
/// line, the command reads a spec file that is written beside the exports.
void copy_command_line(UiState& ui, const Snapshot& snapshot);
/// Copies the command that repeats a sweep.
void copy_sweep_command(UiState& ui, const SweepSpec& sweep);
/// Copies the command that repeats the fit.
void copy_fit_command(UiState& ui, const Snapshot& snapshot);
/// Copies a link that carries the equation with the run's settings.
void copy_link(UiState& ui, const Snapshot& snapshot);
/// Opens the folder in the desktop's file manager, or says that there is none.
void open_folder(UiState& ui, const std::string& folder);

void fit(UiState& ui, const Snapshot& snapshot);
void one_cell_per_pixel(UiState& ui, const Snapshot& snapshot);
inline void show_pane(UiState& ui, Pane pane) {
    ui.panes = {pane};
}
void next_view(UiState& ui, const Snapshot& snapshot);
void toggle_three_up(UiState& ui, const Snapshot& snapshot);
inline bool is_three_up(const UiState& ui) {
    return ui.panes == three_up();
}
inline bool shows_components(const UiState& ui) {
    return !ui.panes.empty() && ui.panes.front() == Pane::first;
}
/// Applies the view of a run that was opened.
void follow_opened(UiState& ui, const Snapshot& snapshot);

/// Adapts the component panes to the number of components of the model.
void follow_components(UiState& ui, const Snapshot& snapshot);
void snap_range(UiState& ui, const Snapshot& snapshot);

void use_brush(UiState& ui, const Snapshot& snapshot);
/// Switches the left button between painting 0 and painting the brush's value.
void use_eraser(UiState& ui, const Snapshot& snapshot);
/// Changes the brush's radius by this factor, in percent.
template <int kPercent>
void scale_brush(UiState& ui, const Snapshot&) {
    ui.preferences.brush.radius =
        std::clamp(ui.preferences.brush.radius * (kPercent / 100.0), kMinBrushRadius, kMaxBrushRadius);
}
inline constexpr UiCommand larger_brush = scale_brush<125>, smaller_brush = scale_brush<80>;

/// Moves the equation's editor from the panel to a pane beside the canvas, or back.
void toggle_large_editor(UiState& ui, const Snapshot& snapshot);
void toggle_reference_card(UiState& ui, const Snapshot& snapshot);

inline void toggle_gallery(UiState& ui, const Snapshot&) {
    ui.gallery.open = !ui.gallery.open;
}
/// Keeps a brush radius that is a share of the field's size at that share when the size changes.
void follow_brush(UiState& ui, const Snapshot& snapshot);
void close_popups(UiState& ui, const Snapshot& snapshot);
void toggle_panels(UiState& ui, const Snapshot& snapshot);
/// Opens a kept session, with its equation's text as typed.
void continue_session(UiState& ui, const std::string& path);
/// Returns the keyboard focus to the canvas, unless a text has it.
void leave_controls();
/// Shows the tab kBy places after the present one, in a cycle.
template <int kBy>
void turn_tab(UiState& ui, const Snapshot&) {
    leave_controls();
    show_panels(ui);
    show_tab(ui, PanelTab((std::size_t(ui.preferences.panel_tab) + kBy) % kPanelTabs.size()));
}
inline constexpr UiCommand next_tab = turn_tab<1>, previous_tab = turn_tab<int(kPanelTabs.size()) - 1>;
void toggle_theme(UiState& ui, const Snapshot& snapshot);
/// Changes the size of all text by so many pixels.
template <int kBy>
void resize_text(UiState& ui, const Snapshot&) {
    float& size = ui.preferences.font_size;
    size = std::clamp(std::round(size) + kBy, kMinFontSize, kMaxFontSize);
}
inline constexpr UiCommand larger_text = resize_text<1>, smaller_text = resize_text<-1>;

}  // namespace stencil
