#include "app/window/canvas/canvas_painter.h"

#include <cmath>

namespace stencil {

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
    // ImGui's AddLine() would shift the line by half a unit.
    list_->PathLineTo(at(x0, y0));
    list_->PathLineTo(at(x1, y1));
    list_->PathStroke(color, 0, float(thickness / scale_x_));
}

void Painter::arrow(double x0, double y0, double y1, double x1, ImU32 color) {
    list_->PathLineTo(at(x0, y0));
    list_->PathLineTo(at(x1, (y0 + y1) / 2));
    list_->PathLineTo(at(x0, y1));
    list_->PathFillConvex(color);
}

double Painter::text_width(std::string_view text, double size) const {
    const float font_size = float(size / scale_y_);
    const char* end = text.data() + text.size();
    return ImGui::GetFont()->CalcTextSizeA(font_size, 1e30f, 0.0f, text.data(), end).x * scale_x_;
}

void Painter::text(double x, double y, double size, ImU32 color, std::string_view text) {
    const ImVec2 corner = at(std::round(x), std::round(y));
    const char* end = text.data() + text.size();
    list_->AddText(ImGui::GetFont(), float(size / scale_y_), corner, color, text.data(), end);
}

}  // namespace stencil
