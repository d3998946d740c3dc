#include "app/window/theme.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "sim/text/embedded.h"

namespace stencil {
namespace {

struct Palette {
    ImU32 window, popup, title, frame, frame_hovered, frame_active, button, hovered, active, border, text,
        faint, accent, bright_accent, on_accent, bar, canvas, outline, warning, error;
};

constexpr ImU32 rgb(unsigned code) {
    return IM_COL32(code >> 16, code >> 8 & 0xff, code & 0xff, 255);
}

// Neutral greys let the field's colours stand out; one teal marks what is chosen.
constexpr Palette kDark = {
    .window = rgb(0x1c1f24),
    .popup = rgb(0x24282e),
    .title = rgb(0x15181c),
    .frame = rgb(0x14171b),
    .frame_hovered = rgb(0x1a1e23),
    .frame_active = rgb(0x20252b),
    .button = rgb(0x2c3138),
    .hovered = rgb(0x383e47),
    .active = rgb(0x434b56),
    .border = rgb(0x3a4049),
    .text = rgb(0xe4e7eb),
    .faint = rgb(0x9ea7b3),
    .accent = rgb(0x35a99b),
    .bright_accent = rgb(0x5cd0c1),
    .on_accent = rgb(0x235a55),
    .bar = rgb(0x28716a),
    .canvas = rgb(0x0f1114),
    .outline = rgb(0x4a525e),
    .warning = rgb(0xf2b84b),
    .error = rgb(0xf58078),
};

constexpr Palette kLight = {
    .window = rgb(0xf6f7f9),
    .popup = rgb(0xffffff),
    .title = rgb(0xe6e9ed),
    .frame = rgb(0xffffff),
    .frame_hovered = rgb(0xf1f4f6),
    .frame_active = rgb(0xe8ecf0),
    .button = rgb(0xe4e8ec),
    .hovered = rgb(0xd6dce2),
    .active = rgb(0xc6ced6),
    .border = rgb(0xbcc5ce),
    .text = rgb(0x1d232a),
    .faint = rgb(0x55606d),
    .accent = rgb(0x128578),
    .bright_accent = rgb(0x0b6b61),
    .on_accent = rgb(0xb5ddd8),
    .bar = rgb(0x4caa9d),
    .canvas = rgb(0xdfe3e8),
    .outline = rgb(0x8c97a4),
    .warning = rgb(0x6b4600),
    .error = rgb(0xa8201a),
};

const Palette& palette_of(Theme theme) {
    return theme == Theme::dark ? kDark : kLight;
}

struct Shade {
    ImGuiCol at;
    ImU32 Palette::*color;
    float alpha = 1;
};

constexpr Shade kShades[] = {
    {ImGuiCol_Text, &Palette::text},
    {ImGuiCol_TextDisabled, &Palette::faint},
    {ImGuiCol_TextSelectedBg, &Palette::on_accent},
    {ImGuiCol_WindowBg, &Palette::window},
    {ImGuiCol_ChildBg, &Palette::window, 0},
    {ImGuiCol_PopupBg, &Palette::popup},
    {ImGuiCol_MenuBarBg, &Palette::title},
    {ImGuiCol_Border, &Palette::border},
    {ImGuiCol_BorderShadow, &Palette::border, 0},
    {ImGuiCol_FrameBg, &Palette::frame},
    {ImGuiCol_FrameBgHovered, &Palette::frame_hovered},
    {ImGuiCol_FrameBgActive, &Palette::frame_active},
    {ImGuiCol_TitleBg, &Palette::title},
    {ImGuiCol_TitleBgActive, &Palette::title},
    {ImGuiCol_ScrollbarBg, &Palette::window, 0},
    {ImGuiCol_ScrollbarGrab, &Palette::hovered},
    {ImGuiCol_ScrollbarGrabHovered, &Palette::active},
    {ImGuiCol_ScrollbarGrabActive, &Palette::accent},
    {ImGuiCol_CheckMark, &Palette::bright_accent},
    {ImGuiCol_SliderGrab, &Palette::accent},
    {ImGuiCol_SliderGrabActive, &Palette::bright_accent},
    {ImGuiCol_Button, &Palette::button},
    {ImGuiCol_ButtonHovered, &Palette::hovered},
    {ImGuiCol_ButtonActive, &Palette::on_accent},
    {ImGuiCol_Header, &Palette::button},
    {ImGuiCol_HeaderHovered, &Palette::hovered},
    {ImGuiCol_HeaderActive, &Palette::on_accent},
    {ImGuiCol_Separator, &Palette::border},
    {ImGuiCol_SeparatorHovered, &Palette::accent},
    {ImGuiCol_SeparatorActive, &Palette::bright_accent},
    {ImGuiCol_ResizeGrip, &Palette::border},
    {ImGuiCol_ResizeGripHovered, &Palette::accent},
    {ImGuiCol_ResizeGripActive, &Palette::bright_accent},
    {ImGuiCol_PlotHistogram, &Palette::bar},  // also behind a progress bar's text
    {ImGuiCol_NavHighlight, &Palette::bright_accent},
    {ImGuiCol_Tab, &Palette::title},
    {ImGuiCol_TabHovered, &Palette::hovered},
    {ImGuiCol_TabActive, &Palette::on_accent},
    {ImGuiCol_TableHeaderBg, &Palette::button},
    {ImGuiCol_TableBorderStrong, &Palette::border},
    {ImGuiCol_TableBorderLight, &Palette::border, 0.6f},
    {ImGuiCol_TableRowBg, &Palette::button, 0},
    {ImGuiCol_TableRowBgAlt, &Palette::button, 0.4f},
};

void set_sizes(ImGuiStyle& style) {
    style.WindowPadding = {12, 10};
    style.FramePadding = {8, 4};
    style.ItemSpacing = {8, 7};
    style.ItemInnerSpacing = {6, 5};
    style.CellPadding = {6, 3};
    style.IndentSpacing = 16;
    style.ScrollbarSize = 12;
    style.GrabMinSize = 12;
    style.WindowRounding = 6;
    style.ChildRounding = 5;
    style.PopupRounding = 6;
    style.FrameRounding = 5;
    style.ScrollbarRounding = 6;
    style.GrabRounding = 4;
    style.TabRounding = 5;
    style.WindowTitleAlign = {0, 0.5f};
    style.WindowMenuButtonPosition = ImGuiDir_None;
}

// --- Fonts

// Roboto's Latin-1, Greek, punctuation, super- and subscripts, euro, mathematics; arrows are icons.
constexpr ImWchar kTextRanges[] = {0x0020,
                                   0x00ff,
                                   0x0370,
                                   0x03ff,
                                   0x2010,
                                   0x2027,
                                   0x2030,
                                   0x203a,
                                   0x2070,
                                   0x209c,
                                   0x20ac,
                                   0x20ac,
                                   0x2122,
                                   0x2122,
                                   0x2202,
                                   0x2265,
                                   0};
constexpr ImWchar kIconRanges[] = {ICON_FIRST, ICON_LAST, 0};

constexpr std::string_view kMonospace = "DejaVuSansMono";

bool has_font(std::string_view name) {
    return std::ranges::find(embedded_fonts(), name, &EmbeddedFile::name) != embedded_fonts().end();
}

void add_font(std::string_view name, float pixels, ImFontConfig config) {
    const auto files = embedded_fonts();
    const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
    if (file == files.end()) throw std::logic_error("no font " + std::string(name));
    // The atlas copies the data without writing to it.
    config.FontDataOwnedByAtlas = false;
    void* const bytes = const_cast<char*>(file->text.data());
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(bytes, int(file->text.size()), pixels, &config);
}

}  // namespace

void apply_theme(Theme theme, float scale) {
    const Palette& palette = palette_of(theme);
    ImGuiStyle style;
    if (theme == Theme::dark)
        ImGui::StyleColorsDark(&style);
    else
        ImGui::StyleColorsLight(&style);
    for (const Shade& shade : kShades) {
        style.Colors[shade.at] = ImGui::ColorConvertU32ToFloat4(palette.*shade.color);
        style.Colors[shade.at].w = shade.alpha;
    }
    set_sizes(style);
    style.ScaleAllSizes(scale);
    // Line widths are whole pixels, which ImGui's scaling does not ensure.
    const float line = std::max(1.0f, std::floor(scale));
    style.WindowBorderSize = style.ChildBorderSize = style.PopupBorderSize = line;
    style.FrameBorderSize = line;
    style.TabBorderSize = 0;
    ImGui::GetStyle() = style;
}

CanvasColors canvas_colors(Theme theme) {
    const Palette& p = palette_of(theme);
    return {p.canvas, p.text, p.faint, p.outline, p.bright_accent, p.warning, p.error};
}

void load_fonts(float pixels) {
    const float size = std::max(6.0f, std::round(pixels));
    ImGui::GetIO().Fonts->Clear();
    ImFontConfig text;
    text.OversampleH = 3;
    text.OversampleV = 1;
    text.GlyphRanges = kTextRanges;
    add_font("Roboto-Regular", size, text);
    // All icons have the same width, so that labels after them are aligned.
    ImFontConfig icons;
    icons.MergeMode = true;
    icons.OversampleH = 2;
    icons.OversampleV = 1;
    icons.PixelSnapH = true;
    icons.GlyphRanges = kIconRanges;
    icons.GlyphMinAdvanceX = icons.GlyphMaxAdvanceX = std::round(size * 1.2f);
    icons.GlyphOffset.y = std::round(size * 0.04f);
    add_font("fontawesome-webfont", size, icons);
    if (!has_font(kMonospace)) return;
    ImFontConfig code;
    code.OversampleH = 2;
    code.OversampleV = 1;
    code.GlyphRanges = kTextRanges;
    add_font(kMonospace, std::round(size * 0.87f), code);
}

ImFont* monospace_font() {
    const auto& fonts = ImGui::GetIO().Fonts->Fonts;
    return fonts[fonts.Size - 1];
}

}  // namespace stencil
