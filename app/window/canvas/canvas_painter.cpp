#include "app/window/canvas/canvas_painter.h"

#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace stencil {
namespace {

// The signs beyond ASCII that ticks and labels have, and what stands for them.
struct Substitute {
    ImWchar code;
    std::string_view utf8, plain;
};
constexpr std::array<Substitute, 14> kSubstitutes = {{{0x2212, "−", "-"},
                                                      {0x00d7, "×", "x"},
                                                      {0x207b, "⁻", "-"},
                                                      {0x2070, "⁰", "0"},
                                                      {0x00b9, "¹", "1"},
                                                      {0x00b2, "²", "2"},
                                                      {0x00b3, "³", "3"},
                                                      {0x2074, "⁴", "4"},
                                                      {0x2075, "⁵", "5"},
                                                      {0x2076, "⁶", "6"},
                                                      {0x2077, "⁷", "7"},
                                                      {0x2078, "⁸", "8"},
                                                      {0x2079, "⁹", "9"},
                                                      {0x00b7, "·", "-"}}};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
}

}  // namespace

ImU32 faded(ImU32 color, double share) {
    const ImU32 alpha = (color >> IM_COL32_A_SHIFT) & 0xff;
    return (color & ~IM_COL32_A_MASK) | (ImU32(std::lround(alpha * share)) << IM_COL32_A_SHIFT);
}

Painter::Painter() : list_(ImGui::GetBackgroundDrawList()) {
    const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
    scale_x_ = scale.x > 0 ? scale.x : 1;
    scale_y_ = scale.y > 0 ? scale.y : 1;
}

void Painter::fill(const ScreenRect& rect, ImU32 color, double rounding) {
    list_->AddRectFilled(
        at(rect.x, rect.y), at(rect.x + rect.width, rect.y + rect.height), color, float(rounding / scale_x_));
}

void Painter::frame(const ScreenRect& rect, ImU32 color, double thickness) {
    const double t = thickness;
    fill({rect.x, rect.y, rect.width, t}, color);
    fill({rect.x, rect.y + rect.height - t, rect.width, t}, color);
    fill({rect.x, rect.y + t, t, rect.height - 2 * t}, color);
    fill({rect.x + rect.width - t, rect.y + t, t, rect.height - 2 * t}, color);
}

void Painter::line(double x0, double y0, double x1, double y1, ImU32 color, double thickness) {
    // ImGui's AddLine() would move it by half a unit.
    list_->PathLineTo(at(x0, y0));
    list_->PathLineTo(at(x1, y1));
    list_->PathStroke(color, 0, float(thickness / scale_x_));
}

void Painter::circle(double x, double y, double radius, ImU32 color, double thickness) {
    list_->AddCircle(at(x, y), float(radius / scale_x_), color, 0, float(thickness / scale_x_));
}

void Painter::disc(double x, double y, double radius, ImU32 color) {
    list_->AddCircleFilled(at(x, y), float(radius / scale_x_), color);
}

double Painter::line_height() const {
    return ImGui::GetFontSize() * scale_y_;
}

double Painter::text_width(const std::string& text, double size) const {
    const char* begin = text.c_str();
    const float font_size = float(size / scale_y_);
    const ImVec2 extent = ImGui::GetFont()->CalcTextSizeA(font_size, 1e30f, 0.0f, begin, begin + text.size());
    return extent.x * scale_x_;
}

void Painter::text(double x, double y, double size, ImU32 color, const std::string& text) {
    const char* begin = text.c_str();
    const ImVec2 corner = at(std::round(x), std::round(y));
    list_->AddText(ImGui::GetFont(), float(size / scale_y_), corner, color, begin, begin + text.size());
}

std::string Painter::writable(const std::string& text) const {
    bool whole = true;
    for (const Substitute& sign : kSubstitutes)
        if (text.find(sign.utf8) != std::string::npos)
            whole = whole && ImGui::GetFont()->FindGlyphNoFallback(sign.code);
    if (whole) return text;
    std::string plain = text;
    replace_all(plain, "×10", "x10^");
    for (const Substitute& sign : kSubstitutes) replace_all(plain, sign.utf8, sign.plain);
    return plain;
}

Painter::Clip::Clip(Painter& painter, const ScreenRect& rect) : list_(painter.list_) {
    list_->PushClipRect(
        painter.at(rect.x, rect.y), painter.at(rect.x + rect.width, rect.y + rect.height), true);
}

Painter::Clip::~Clip() {
    list_->PopClipRect();
}

}  // namespace stencil
