#include "app/window/theme.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/window/system_fonts.h"
#include "sim/text/embedded.h"

namespace stencil {
namespace {

// Neutral greys let the field's colours stand out; one teal marks what is chosen.
constexpr Hue kWindow{0x1c1f24, 0xf6f7f9};
constexpr Hue kPopup{0x24282e, 0xffffff};
constexpr Hue kTitle{0x15181c, 0xe6e9ed};
constexpr Hue kFrame{0x14171b, 0xffffff};
constexpr Hue kFrameHovered{0x1a1e23, 0xf1f4f6};
constexpr Hue kFrameActive{0x20252b, 0xe8ecf0};
constexpr Hue kButton{0x2c3138, 0xe4e8ec};
constexpr Hue kHovered{0x383e47, 0xd6dce2};
constexpr Hue kActive{0x434b56, 0xc6ced6};
constexpr Hue kBorder{0x3a4049, 0xbcc5ce};
constexpr Hue kText{0xe4e7eb, 0x1d232a};
constexpr Hue kFaint{0x9ea7b3, 0x55606d};
constexpr Hue kAccent{0x35a99b, 0x128578};
constexpr Hue kBrightAccent{0x5cd0c1, 0x0b6b61};
constexpr Hue kOnAccent{0x235a55, 0xb5ddd8};
constexpr Hue kBar{0x28716a, 0x4caa9d};
constexpr Hue kCanvas{0x0f1114, 0xdfe3e8};
constexpr Hue kOutline{0x4a525e, 0x8c97a4};
constexpr Hue kWarning{0xf2b84b, 0x6b4600};
constexpr Hue kError{0xf58078, 0xa8201a};

struct Shade {
    ImGuiCol at;
    Hue color;
    float alpha = 1;
};

constexpr Shade kShades[] = {
    {ImGuiCol_Text, kText},
    {ImGuiCol_TextDisabled, kFaint},
    {ImGuiCol_TextSelectedBg, kOnAccent},
    {ImGuiCol_WindowBg, kWindow},
    {ImGuiCol_ChildBg, kWindow, 0},
    {ImGuiCol_PopupBg, kPopup},
    {ImGuiCol_MenuBarBg, kTitle},
    {ImGuiCol_Border, kBorder},
    {ImGuiCol_BorderShadow, kBorder, 0},
    {ImGuiCol_FrameBg, kFrame},
    {ImGuiCol_FrameBgHovered, kFrameHovered},
    {ImGuiCol_FrameBgActive, kFrameActive},
    {ImGuiCol_TitleBg, kTitle},
    {ImGuiCol_TitleBgActive, kTitle},
    {ImGuiCol_ScrollbarBg, kWindow, 0},
    {ImGuiCol_ScrollbarGrab, kHovered},
    {ImGuiCol_ScrollbarGrabHovered, kActive},
    {ImGuiCol_ScrollbarGrabActive, kAccent},
    {ImGuiCol_CheckMark, kBrightAccent},
    {ImGuiCol_SliderGrab, kAccent},
    {ImGuiCol_SliderGrabActive, kBrightAccent},
    {ImGuiCol_Button, kButton},
    {ImGuiCol_ButtonHovered, kHovered},
    {ImGuiCol_ButtonActive, kOnAccent},
    {ImGuiCol_Header, kButton},
    {ImGuiCol_HeaderHovered, kHovered},
    {ImGuiCol_HeaderActive, kOnAccent},
    {ImGuiCol_Separator, kBorder},
    {ImGuiCol_SeparatorHovered, kAccent},
    {ImGuiCol_SeparatorActive, kBrightAccent},
    {ImGuiCol_ResizeGrip, kBorder},
    {ImGuiCol_ResizeGripHovered, kAccent},
    {ImGuiCol_ResizeGripActive, kBrightAccent},
    {ImGuiCol_PlotHistogram, kBar},  // also behind a progress bar's text
    {ImGuiCol_NavHighlight, kBrightAccent},
    {ImGuiCol_Tab, kTitle},
    {ImGuiCol_TabHovered, kHovered},
    {ImGuiCol_TabActive, kOnAccent},
    {ImGuiCol_TableHeaderBg, kButton},
    {ImGuiCol_TableBorderStrong, kBorder},
    {ImGuiCol_TableBorderLight, kBorder, 0.6f},
    {ImGuiCol_TableRowBg, kButton, 0},
    {ImGuiCol_TableRowBgAlt, kButton, 0.4f},
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
                                   0xfffd,
                                   0xfffd,
                                   0};
constexpr ImWchar kIconRanges[] = {ICON_FIRST, ICON_LAST, 0};

constexpr ImWchar kLargeIconRanges[] = {0xf04b, 0xf04c, 0};  // ICON_PLAY, ICON_PAUSE
constexpr float kLarge = 1.9f;                               // relative to the text

constexpr std::string_view kMonospace = "DejaVuSansMono";

std::string_view packaged_font(std::string_view name) {
    const auto files = embedded_fonts();
    const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
    return file == files.end() ? std::string_view() : file->text;
}

// Characters from one font, as ImGui takes them.
struct LateFont {
    std::string bytes;
    int index = 0;
    std::vector<ImWchar> ranges;
};

std::vector<ImWchar> ranges_of(const std::set<unsigned>& characters) {
    std::vector<ImWchar> ranges;
    for (const unsigned one : characters) ranges.insert(ranges.end(), 2, ImWchar(one));
    ranges.push_back(0);
    return ranges;
}

std::vector<LateFont> late_fonts(const std::set<unsigned>& characters) {
    std::vector<LateFont> fonts;
    for (const SystemFont& font : system_fonts(characters)) {
        std::ifstream file(font.file, std::ios::binary);
        std::string bytes(std::istreambuf_iterator<char>(file), {});
        if (!bytes.empty()) fonts.push_back({std::move(bytes), font.index, ranges_of(font.characters)});
    }
    return fonts;
}

ImFontConfig font_config(const ImWchar* ranges, int across) {
    ImFontConfig made;
    made.OversampleH = across;
    made.OversampleV = 1;
    made.GlyphRanges = ranges;
    return made;
}

void add_font(std::string_view bytes, float pixels, ImFontConfig config) {
    if (bytes.empty()) throw std::logic_error("a font is not packaged");
    // The atlas reads the data without writing to it.
    config.FontDataOwnedByAtlas = false;
    void* const data = const_cast<char*>(bytes.data());
    ImGui::GetIO().Fonts->AddFontFromMemoryTTF(data, int(bytes.size()), pixels, &config);
}

// Merges other characters into the font that was added last: its own, then the system's.
void add_others(std::string_view own,
                float pixels,
                const ImWchar* ranges,
                const std::vector<LateFont>& late) {
    ImFontConfig config = font_config(ranges, 1);
    config.MergeMode = true;
    if (ranges[0] != 0) add_font(own, pixels, config);
    for (const LateFont& font : late) {
        config.GlyphRanges = font.ranges.data();
        config.FontNo = font.index;
        add_font(font.bytes, pixels, config);
    }
}

// False if ImGui cannot read a font.
bool build_atlas(float size, const ImWchar* others, const std::vector<LateFont>& late) {
    constexpr int kUsualOversampling = 3;
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.Clear();
    const std::string_view text = packaged_font("Roboto-Regular"),
                           symbols = packaged_font("fontawesome-webfont"),
                           monospace = packaged_font(kMonospace);
    add_font(text, size, font_config(kTextRanges, 3));
    // All icons have the same width, so that labels after them are aligned.
    ImFontConfig icons = font_config(kIconRanges, 2);
    icons.MergeMode = true;
    icons.PixelSnapH = true;
    icons.GlyphMinAdvanceX = icons.GlyphMaxAdvanceX = std::round(size * 1.2f);
    icons.GlyphOffset.y = std::round(size * 0.04f);
    add_font(symbols, size, icons);
    // Signs that Roboto does not have, such as the nabla.
    ImFontConfig signs = font_config(kTextRanges, kUsualOversampling);
    signs.MergeMode = true;
    if (!monospace.empty()) add_font(monospace, size, signs);
    add_others(text, size, others, late);
    const float large = std::round(kLarge * size);
    add_font(text, large, font_config(kTextRanges, kUsualOversampling));
    icons.GlyphRanges = kLargeIconRanges;
    icons.GlyphMinAdvanceX = icons.GlyphMaxAdvanceX = large;
    icons.GlyphOffset.y = std::round(large * 0.04f);
    add_font(symbols, large, icons);
    add_others(text, large, others, late);
    if (const float smaller = std::round(size * 0.87f); !monospace.empty()) {
        add_font(monospace, smaller, font_config(kTextRanges, 2));
        add_others(monospace, smaller, others, late);
    }
    return atlas.Build();
}

// --- Marks of missing characters

constexpr float kMarks = 2;  // beyond every place in the texture
constexpr float kCodes = 0x10000;

bool is_mark(unsigned code) {
    constexpr unsigned kFirst = 0x100, kSurrogates = 0xd800, kAfterPrivate = 0xf900, kReplacement = 0xfffd;
    return (code >= kFirst && code < kSurrogates) || (code >= kAfterPrivate && code < kReplacement);
}

void add_marks(ImFont& font, const std::set<unsigned>& tried) {
    constexpr float kNoSize = 1e-3f;
    for (unsigned code = 0; code < unsigned(kCodes); ++code) {
        if (!is_mark(code) || tried.contains(code) || font.FindGlyphNoFallback(ImWchar(code))) continue;
        const float place = kMarks + float(code) / kCodes;
        font.AddGlyph(nullptr, ImWchar(code), 0, 0, kNoSize, kNoSize, place, 0, place, 0, font.FontSize);
    }
    font.BuildLookupTable();
}

}  // namespace

void apply_theme(Theme theme, float scale) {
    ImGuiStyle style;
    if (theme == Theme::dark)
        ImGui::StyleColorsDark(&style);
    else
        ImGui::StyleColorsLight(&style);
    for (const Shade& shade : kShades) {
        style.Colors[shade.at] = ImGui::ColorConvertU32ToFloat4(shade.color.in(theme));
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
    return {kCanvas.in(theme),
            kText.in(theme),
            kFaint.in(theme),
            kOutline.in(theme),
            kWarning.in(theme),
            kError.in(theme)};
}

void load_fonts(float pixels, const std::set<unsigned>& others) {
    const float size = std::max(6.0f, std::round(pixels));
    const std::vector<ImWchar> ranges = ranges_of(others);
    const std::vector<LateFont> late = late_fonts(others);
    if (!build_atlas(size, ranges.data(), late)) build_atlas(size, ranges.data(), {});
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    atlas.ClearInputData();
    for (ImFont* font : atlas.Fonts) add_marks(*font, others);
}

std::set<unsigned> missing_glyphs(const ImDrawData& drawn) {
    std::set<unsigned> missing;
    for (int i = 0; i < drawn.CmdListsCount; ++i)
        for (const ImDrawVert& vertex : drawn.CmdLists[i]->VtxBuffer)
            if (vertex.uv.x >= kMarks) missing.insert(unsigned(std::lround((vertex.uv.x - kMarks) * kCodes)));
    return missing;
}

ImFont* large_font() {
    return ImGui::GetIO().Fonts->Fonts[1];
}

ImFont* monospace_font() {
    const auto& fonts = ImGui::GetIO().Fonts->Fonts;
    return fonts[fonts.Size > 2 ? 2 : 0];
}

}  // namespace stencil
