// Fonts, colours and spacing.
#pragma once

#include <imgui.h>

#include "app/window/ui_state.h"

namespace stencil {

/// Colours for the canvas; the panels use ImGui's style.
struct CanvasColors {
    ImU32 background, text, faint_text, outline, accent, warning, error;
};

/// Sets ImGui's style: the colours, and all sizes times `scale`.
void apply_theme(Theme theme, float scale);
CanvasColors canvas_colors(Theme theme);

/// Loads the packaged text font, merged with the icons, into ImGui's atlas, replacing other fonts. `pixels`
/// is the text size on the screen. Remake the atlas' texture afterwards.
void load_fonts(float pixels);

/// Returns the monospaced font, or the text font if there is none.
ImFont* monospace_font();

}  // namespace stencil
