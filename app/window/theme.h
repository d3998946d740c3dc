// Fonts, icons, colours and spacing.
#pragma once

#include <imgui.h>

#include <set>

#include "app/window/ui_state.h"

// Icons of the Font Awesome 4 font, as UTF-8.
#define ICON_FIRST 0xf000
#define ICON_LAST 0xf2e0
#define ICON_PLAY "\xef\x81\x8b"     // f04b
#define ICON_PAUSE "\xef\x81\x8c"    // f04c
#define ICON_STEP "\xef\x81\x91"     // f051 step-forward
#define ICON_RESET "\xef\x81\x89"    // f049 fast-backward
#define ICON_UNDO "\xef\x83\xa2"     // f0e2
#define ICON_REDO "\xef\x80\x9e"     // f01e repeat
#define ICON_SAVE "\xef\x83\x87"     // f0c7 floppy-o
#define ICON_COPY "\xef\x83\x85"     // f0c5 files-o
#define ICON_HELP "\xef\x81\x99"     // f059 question-circle
#define ICON_SUN "\xef\x86\x85"      // f185
#define ICON_MOON "\xef\x86\x86"     // f186
#define ICON_PANELS "\xef\x83\x89"   // f0c9 bars
#define ICON_BRUSH "\xef\x87\xbc"    // f1fc paint-brush
#define ICON_ERASER "\xef\x84\xad"   // f12d
#define ICON_PICK "\xef\x87\xbb"     // f1fb eyedropper
#define ICON_HAND "\xef\x89\x96"     // f256 hand-paper-o
#define ICON_PROBE "\xef\x81\x9b"    // f05b crosshairs
#define ICON_PROFILE "\xef\x88\x81"  // f201 line-chart
#define ICON_FIT "\xef\x82\xb2"      // f0b2 arrows-alt
#define ICON_CLOSE "\xef\x80\x8d"    // f00d times
#define ICON_WARNING "\xef\x81\xb1"  // f071 exclamation-triangle
#define ICON_INFO "\xef\x81\x9a"     // f05a info-circle
#define ICON_RECORD "\xef\x84\x91"   // f111 circle
#define ICON_MARK "\xef\x80\xae"     // f02e bookmark
#define ICON_FOLDER "\xef\x81\xbc"   // f07c folder-open
#define ICON_LEFT "\xef\x81\xa0"     // f060 arrow-left
#define ICON_PICTURE "\xef\x80\xbe"  // f03e picture-o
#define ICON_EDIT "\xef\x81\x84"     // f044 pencil-square-o
#define ICON_COMPASS "\xef\x85\x8e"  // f14e
#define ICON_THREE "\xef\x83\x9b"    // f0db columns

namespace stencil {

/// A colour in the dark and in the light theme, as 0xRRGGBB.
struct Hue {
    unsigned dark, light;
    constexpr ImU32 in(Theme theme) const {
        const unsigned code = theme == Theme::dark ? dark : light;
        return IM_COL32(code >> 16, code >> 8 & 0xff, code & 0xff, 255);
    }
};

/// Colours for the canvas; the panels use ImGui's style.
struct CanvasColors {
    ImU32 background, text, faint_text, outline, warning, error;
};

/// Sets ImGui's style: the colours, and all sizes times `scale`.
void apply_theme(Theme theme, float scale);
CanvasColors canvas_colors(Theme theme);

/// Builds ImGui's atlas anew of the packaged text font, merged with the icons. `pixels` is the text size on
/// the screen. Other characters come from the packaged fonts, else from the system's. Remake the atlas'
/// texture afterwards.
void load_fonts(float pixels, const std::set<unsigned>& others = {});

/// The characters that are not in the atlas and that texts of this frame have. An atlas of all of Unicode
/// would be large, and a text can come from anywhere, so each such character is drawn as a mark without a
/// size whose place in the texture is its code.
std::set<unsigned> missing_glyphs(const ImDrawData& drawn);

/// Returns the text font at about twice its size, with the icons of Run and Pause alone.
ImFont* large_font();

/// Returns the monospaced font, or the text font if there is none.
ImFont* monospace_font();

}  // namespace stencil
