// Fonts and styles, without a window.

#include <imgui.h>

#include "app/window/canvas/canvas_overlay.h"
#include "app/window/panels/widgets/widgets.h"
#include "app/window/system_fonts.h"
#include "app/window/theme.h"
#include "tests/support/catch.h"
#include "tests/support/window/imgui_panels.h"

namespace {

/// An ImGui context without a window.
struct Gui {
    Gui() { ImGui::CreateContext(); }
    ~Gui() { ImGui::DestroyContext(); }
    Gui(const Gui&) = delete;
    Gui& operator=(const Gui&) = delete;
};

ImFont& make_font(float pixels) {
    load_fonts(pixels);
    ImFontAtlas& atlas = *ImGui::GetIO().Fonts;
    unsigned char* bytes = nullptr;
    int width = 0, height = 0;
    atlas.GetTexDataAsAlpha8(&bytes, &width, &height);
    REQUIRE(bytes != nullptr);
    REQUIRE(atlas.Fonts.Size <= 3);  // one for equations, if installed
    return *atlas.Fonts[0];
}

/// Decodes a three-byte UTF-8 character.
ImWchar decode(const char* text) {
    const auto* bytes = reinterpret_cast<const unsigned char*>(text);
    REQUIRE(std::string(text).size() == 3);
    return ImWchar((bytes[0] & 0x0f) << 12 | (bytes[1] & 0x3f) << 6 | (bytes[2] & 0x3f));
}

double luminance(const ImVec4& color) {
    const auto linear = [](double c) {
        return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.x) + 0.7152 * linear(color.y) + 0.0722 * linear(color.z);
}

double contrast(const ImVec4& a, const ImVec4& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

ImVec4 over(const ImVec4& top, const ImVec4& below) {
    const auto mix = [&](float a, float b) { return a * top.w + b * (1 - top.w); };
    return {mix(top.x, below.x), mix(top.y, below.y), mix(top.z, below.z), 1};
}

ImVec4 wide(ImU32 color) {
    return ImGui::ColorConvertU32ToFloat4(color);
}

}  // namespace

TEST_CASE("All figures have the same width at every size, so that numbers don't jitter") {
    const Gui gui;
    stencil_test::Dice dice;
    for (const float size : {11.0f, 15.0f, 22.5f, 30.0f, float(dice.uniform(9, 48))}) {
        CAPTURE(size);
        ImFont& font = make_font(size);
        CHECK(font.FontSize == std::round(size));
        const float width = font.GetCharAdvance('0');
        CHECK(width > 0.4f * size);
        for (char digit = '1'; digit <= '9'; ++digit) CHECK(font.GetCharAdvance(ImWchar(digit)) == width);
        // Minus and plus have equal width, so columns stay aligned.
        CHECK(font.GetCharAdvance(0x2212) == Approx(font.GetCharAdvance('+')).margin(0.51));
    }
}

TEST_CASE("The font has what units and messages are written with") {
    const Gui gui;
    ImFont& font = make_font(15);
    for (const unsigned code : {0xb2u,   0xb3u,   0xb5u,   0xb7u,   0xd7u,   0xe4u,   0xf1u,   0x394u,
                                0x3b1u,  0x3bcu,  0x2013u, 0x2014u, 0x2026u, 0x2074u, 0x2081u, 0x2206u,
                                0x2212u, 0x221au, 0x221eu, 0x2248u, 0x2264u, 0x2265u}) {
        CAPTURE(code);
        CHECK(font.FindGlyphNoFallback(ImWchar(code)) != nullptr);
    }
}

TEST_CASE("Characters of other scripts come from the system's fonts once a text with them is drawn") {
    const Gui gui;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {600, 400};
    const auto missing = [&](const char* text) {
        io.Fonts->SetTexID(reinterpret_cast<void*>(1));
        ImGui::NewFrame();
        ImGui::GetForegroundDrawList()->AddText({5, 5}, IM_COL32_WHITE, text);
        ImGui::GetForegroundDrawList()->AddText(large_font(), 28, {5, 40}, IM_COL32_WHITE, text);
        ImGui::Render();
        return missing_glyphs(*ImGui::GetDrawData());
    };
    const auto is_drawn = [](const ImFont& font, unsigned code) {
        const ImFontGlyph* glyph = font.FindGlyphNoFallback(ImWchar(code));
        return glyph && glyph->X1 > glyph->X0 + 1 && glyph->U1 < 1;
    };
    make_font(15);
    const auto before = io.Fonts->TexHeight;
    CHECK(missing("\xce\xb1 = 1.5 \xc2\xb5m").empty());
    // The Cyrillic, Hebrew and Arabic letters are those of DejaVu Sans; no font has the unassigned one.
    const char* text = "\xd0\x96 \xd7\x90 \xd8\xb9 \xe0\xb8\x80";
    const std::set<unsigned> others{0x416, 0x5d0, 0x639, 0xe00};
    CHECK(missing(text) == others);
    load_fonts(15, others);
    CHECK(io.Fonts->TexHeight <= 2 * before);
    for (const ImFont* font : io.Fonts->Fonts) {
        for (const unsigned code : {0x416u, 0x5d0u, 0x639u}) CHECK(is_drawn(*font, code));
        CHECK(font->FindGlyphNoFallback(0xe00) == nullptr);
        CHECK(is_drawn(*font, font->FallbackChar));
        CHECK(font->FallbackChar == 0xfffd);
    }
    CHECK(missing(text).empty());
}

TEST_CASE("A font of the system is found for each character that one has") {
    const auto fonts = system_fonts({0x5d0, 0x639, 0xe00});
    std::set<unsigned> found;
    for (const SystemFont& font : fonts) {
        CHECK(std::filesystem::exists(font.file));
        found.insert(font.characters.begin(), font.characters.end());
    }
    CHECK(found == std::set<unsigned>{0x5d0, 0x639});
    CHECK(system_fonts({}).empty());
}

TEST_CASE("A button that is hardly wider than its label shows all of it") {
    stencil_test::HeadlessImGui gui(400, 300);
    const auto drawn_width = [&](float width) {
        float found = 0;
        gui.frame_of([&] {
            stencil_test::begin_window("one", 200, 100);
            button("8", {width, 0}, "");
            const auto& corners = ImGui::GetWindowDrawList()->VtxBuffer;  // the last four are the digit's
            found = corners[corners.Size - 3].pos.x - corners[corners.Size - 4].pos.x;
            ImGui::End();
        });
        return found;
    };
    CHECK(drawn_width(12) == Approx(drawn_width(80)));
}

TEST_CASE("Every icon is in the atlas under the code that its comment says, and all have one width") {
    const Gui gui;
    ImFont& font = make_font(15);
    std::ifstream header(stencil_test::reference_file("../../app/window/theme.h"));
    int icons = 0;
    float width = 0;
    for (std::string line; std::getline(header, line);) {
        const std::size_t comment = line.find("// f");
        if (line.rfind("#define ICON_", 0) != 0 || comment == std::string::npos) continue;
        CAPTURE(line);
        std::string text;
        for (std::size_t at = line.find("\\x"); at != std::string::npos; at = line.find("\\x", at + 1))
            text += char(std::stoi(line.substr(at + 2, 2), nullptr, 16));
        const ImWchar code = decode(text.c_str());
        CHECK(int(code) == std::stoi(line.substr(comment + 3, 4), nullptr, 16));
        const ImFontGlyph* glyph = font.FindGlyphNoFallback(code);
        REQUIRE(glyph != nullptr);
        CHECK(glyph->X1 > glyph->X0);
        if (icons++ == 0) width = glyph->AdvanceX;
        CHECK(glyph->AdvanceX == width);
    }
    CHECK(icons >= 22);
    CHECK(font.FindGlyphNoFallback(decode(ICON_PLAY)) != nullptr);
}

TEST_CASE("Text is readable on everything that it lies on, in both themes") {
    const Gui gui;
    constexpr double kEnough = 4.5;
    for (const Theme theme : {Theme::dark, Theme::light}) {
        CAPTURE(int(theme));
        apply_theme(theme, 1);
        const ImVec4* colors = ImGui::GetStyle().Colors;
        const ImVec4 window = colors[ImGuiCol_WindowBg];
        for (const int below :
             {ImGuiCol_WindowBg,       ImGuiCol_ChildBg,       ImGuiCol_PopupBg,       ImGuiCol_FrameBg,
              ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_TitleBg,       ImGuiCol_TitleBgActive,
              ImGuiCol_MenuBarBg,      ImGuiCol_Button,        ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive,
              ImGuiCol_Header,         ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive,  ImGuiCol_Tab,
              ImGuiCol_TabHovered,     ImGuiCol_TabActive,     ImGuiCol_TableHeaderBg, ImGuiCol_TableRowBgAlt,
              ImGuiCol_TextSelectedBg, ImGuiCol_PlotHistogram}) {
            CAPTURE(ImGui::GetStyleColorName(below));
            CHECK(contrast(colors[ImGuiCol_Text], over(colors[below], window)) >= kEnough);
        }
        for (const int below : {ImGuiCol_WindowBg, ImGuiCol_PopupBg, ImGuiCol_FrameBg, ImGuiCol_TitleBg})
            CHECK(contrast(colors[ImGuiCol_TextDisabled], over(colors[below], window)) >= kEnough);
        const CanvasColors canvas = canvas_colors(theme);
        for (const ImU32 ink : {canvas.text, canvas.faint_text, canvas.warning, canvas.error}) {
            CHECK(contrast(wide(ink), wide(canvas.background)) >= kEnough);
            CHECK(contrast(wide(ink), window) >= kEnough);
        }
        for (const ImVec4& ink : {error_color(), warning_color(), good_color(), faint_color()})
            for (const int below : {ImGuiCol_WindowBg,
                                    ImGuiCol_PopupBg,
                                    ImGuiCol_TitleBg,
                                    ImGuiCol_FrameBg,
                                    ImGuiCol_FrameBgActive,
                                    ImGuiCol_TableHeaderBg,
                                    ImGuiCol_TableRowBgAlt}) {
                CAPTURE(ImGui::GetStyleColorName(below));
                const ImVec4 ground = over(colors[below], window);
                CHECK(contrast(over(ink, ground), ground) >= kEnough);
            }
        // Badges over the canvas.
        for (const ImU32 ink : {canvas.warning, canvas.error}) {
            const ImVec4 plate = over(wide(faded(ink, kBadgeShare)), wide(canvas.background));
            CHECK(contrast(wide(ink), plate) >= kEnough);
        }
    }
}
