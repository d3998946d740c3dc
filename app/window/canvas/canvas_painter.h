// Draws lines, boxes and text over the field, in pixels of the frame buffer.
#pragma once

#include <imgui.h>

#include <cmath>
#include <cstdint>
#include <string_view>

#include "app/window/canvas_view.h"
#include "sim/view/colormap.h"

namespace stencil {

/// Returns the opaque colour in ImGui's format.
inline ImU32 packed(Rgb color) {
    return IM_COL32(color.r, color.g, color.b, 255);
}

/// Returns the colour without its opacity.
inline Rgb rgb_of(ImU32 color) {
    const auto part = [&](int shift) { return std::uint8_t(color >> shift & 0xff); };
    return {part(IM_COL32_R_SHIFT), part(IM_COL32_G_SHIFT), part(IM_COL32_B_SHIFT)};
}

/// Returns the colour with its opacity multiplied by `share`.
inline ImU32 faded(ImU32 color, double share) {
    const ImU32 alpha = (color >> IM_COL32_A_SHIFT) & 0xff;
    return (color & ~IM_COL32_A_MASK) | (ImU32(std::lround(alpha * share)) << IM_COL32_A_SHIFT);
}

/// Draws into ImGui's background list: behind all windows, in front of the field.
class Painter {
  public:
    void fill(const ScreenRect& rect, ImU32 color, double rounding = 0) {
        list_->AddRectFilled(at(rect.x, rect.y),
                             at(rect.x + rect.width, rect.y + rect.height),
                             color,
                             float(rounding / scale_x_));
    }
    /// Draws a frame one pixel wide or wider, inside the rectangle.
    void frame(const ScreenRect& rect, ImU32 color, double thickness = 1) {
        const double t = thickness;
        fill({rect.x, rect.y, rect.width, t}, color);
        fill({rect.x, rect.y + rect.height - t, rect.width, t}, color);
        fill({rect.x, rect.y + t, t, rect.height - 2 * t}, color);
        fill({rect.x + rect.width - t, rect.y + t, t, rect.height - 2 * t}, color);
    }
    void line(double x0, double y0, double x1, double y1, ImU32 color, double thickness) {
        // ImGui's AddLine() would shift the line by half a unit.
        list_->PathLineTo(at(x0, y0));
        list_->PathLineTo(at(x1, y1));
        list_->PathStroke(color, 0, float(thickness / scale_x_));
    }
    void circle(double x, double y, double radius, ImU32 color, double thickness) {
        list_->AddCircle(at(x, y), float(radius / scale_x_), color, 0, float(thickness / scale_x_));
    }
    void disc(double x, double y, double radius, ImU32 color) {
        list_->AddCircleFilled(at(x, y), float(radius / scale_x_), color);
    }
    /// Fills a triangle whose base is the vertical line at x0 from y0 to y1 and whose tip is at x1.
    void arrow(double x0, double y0, double y1, double x1, ImU32 color) {
        list_->AddTriangleFilled(at(x0, y0), at(x1, (y0 + y1) / 2), at(x0, y1), color);
    }

    /// Line spacing of the current font, in pixels.
    double line_height() const { return ImGui::GetFontSize() * scale_y_; }
    /// `size` is the font size in pixels.
    double text_width(std::string_view text, double size) const {
        const char* end = text.data() + text.size();
        return ImGui::GetFont()->CalcTextSizeA(float(size / scale_y_), 1e30f, 0, text.data(), end).x *
               scale_x_;
    }
    /// Draws text at its top left corner, rounded to whole pixels to be sharp.
    void text(double x, double y, double size, ImU32 color, std::string_view text) {
        const ImVec2 corner = at(std::round(x), std::round(y));
        const char* end = text.data() + text.size();
        list_->AddText(ImGui::GetFont(), float(size / scale_y_), corner, color, text.data(), end);
    }

    /// Clips drawing to a rectangle for its lifetime.
    class Clip {
      public:
        Clip(Painter& painter, const ScreenRect& rect) : list_(painter.list_) {
            const ImVec2 most = painter.at(rect.x + rect.width, rect.y + rect.height);
            list_->PushClipRect(painter.at(rect.x, rect.y), most, true);
        }
        ~Clip() { list_->PopClipRect(); }
        Clip(const Clip&) = delete;
        Clip& operator=(const Clip&) = delete;

      private:
        ImDrawList* list_;
    };

  private:
    ImVec2 at(double x, double y) const { return {float(x / scale_x_), float(y / scale_y_)}; }

    static double pixels(float scale) { return scale > 0 ? scale : 1; }

    ImDrawList* list_ = ImGui::GetBackgroundDrawList();
    // Pixels per ImGui unit.
    double scale_x_ = pixels(ImGui::GetIO().DisplayFramebufferScale.x);
    double scale_y_ = pixels(ImGui::GetIO().DisplayFramebufferScale.y);
};

}  // namespace stencil
