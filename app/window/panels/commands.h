// What buttons, menus and keys do, each spelled once.
#pragma once

#include "app/window/ui_state.h"

namespace stencil {

using UiCommand = void (*)(UiState&, const Snapshot&);

/// A setting of the run by its name on the command line.
void change(UiState& ui, std::string setting, std::string_view value, bool continuing = false);

/// A run of its own with this model, which undo takes back.
void begin_model(UiState& ui, std::string_view name);

void toggle_running(UiState& ui, const Snapshot& snapshot);
void single_step(UiState& ui, const Snapshot& snapshot);
void reset(UiState& ui, const Snapshot& snapshot);
void undo(UiState& ui, const Snapshot& snapshot);
void redo(UiState& ui, const Snapshot& snapshot);

/// Keeps the present moment, to come back to and to compare.
void set_bookmark(UiState& ui, const Snapshot& snapshot);

/// Twice, or half as many steps between two frames, exactly; from an automatic pace, of the newest batch.
void faster(UiState& ui, const Snapshot& snapshot);
void slower(UiState& ui, const Snapshot& snapshot);

/// A picture, an array, a run or, with the ending .cu, a kernel to be watched; it is one of the recent paths
/// then.
void open_path(UiState& ui, const std::string& path);

/// Writes the files chosen in the export section to its folder.
void export_now(UiState& ui, const Snapshot& snapshot);
/// Of a run that is long to tell, the command that reads it from a file beside the exports.
void copy_command_line(UiState& ui, const Snapshot& snapshot);
/// The canvas as a picture, for other programs.
void copy_picture(UiState& ui, const Snapshot& snapshot);
/// In the desktop's file manager; says so where there is none.
void open_folder(UiState& ui, const std::string& folder);

void fit(UiState& ui, const Snapshot& snapshot);
void one_cell_per_pixel(UiState& ui, const Snapshot& snapshot);
void show_pane(UiState& ui, Pane pane);
void next_view(UiState& ui, const Snapshot& snapshot);
void toggle_three_up(UiState& ui, const Snapshot& snapshot);
bool is_three_up(const UiState& ui);
bool shows_components(const UiState& ui);
/// Those of another model: as many as that has.
void follow_components(UiState& ui, const Snapshot& snapshot);
void snap_range(UiState& ui, const Snapshot& snapshot);

void use_brush(UiState& ui, const Snapshot& snapshot);
/// The left button paints 0, or the brush's value again.
void use_eraser(UiState& ui, const Snapshot& snapshot);
/// The next click takes the brush's value from the field.
void use_eyedropper(UiState& ui, const Snapshot& snapshot);
void use_probe(UiState& ui, const Snapshot& snapshot);
void use_profile(UiState& ui, const Snapshot& snapshot);
inline constexpr double kMinBrushRadius = 0.5, kMaxBrushRadius = 4096;  ///< cells
void smaller_brush(UiState& ui, const Snapshot& snapshot);
void larger_brush(UiState& ui, const Snapshot& snapshot);

void toggle_gallery(UiState& ui, const Snapshot& snapshot);
/// The keyboard goes to the next part of the window, or the one before, and behind the last to none of them.
void next_part(UiState& ui, const Snapshot& snapshot);
void previous_part(UiState& ui, const Snapshot& snapshot);
void toggle_help(UiState& ui, const Snapshot& snapshot);
/// The brush's radius follows the field's size where it is a share of it.
void follow_brush(UiState& ui, const Snapshot& snapshot);
void close_popups(UiState& ui, const Snapshot& snapshot);
void toggle_panels(UiState& ui, const Snapshot& snapshot);
void toggle_theme(UiState& ui, const Snapshot& snapshot);
void larger_text(UiState& ui, const Snapshot& snapshot);
void smaller_text(UiState& ui, const Snapshot& snapshot);
void toggle_full_screen(UiState& ui, const Snapshot& snapshot);
void quit(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
