// Fonts, colours and spacing.
#pragma once

#include <imgui.h>

#include "app/window/ui_state.h"

namespace stencil {

/// Colours that the canvas draws with; the panels take theirs from ImGui's style.
struct CanvasColors {
    ImU32 background, text, faint_text, outline, accent, warning, error;
};

/// Sets ImGui's style: colours, and all sizes times `scale`.
void apply_theme(Theme theme, float scale);
CanvasColors canvas_colors(Theme theme);

/// Puts the packaged text font with the icons merged into it into ImGui's atlas, replacing what was there.
/// `pixels` is the size of the text on the screen. The atlas' texture has to be made again afterwards.
void load_fonts(float pixels);

/// For texts whose columns count; the text font where there is none.
ImFont* monospace_font();

}  // namespace stencil
