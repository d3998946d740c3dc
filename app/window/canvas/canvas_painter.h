// Draws lines, boxes and text over the field, in pixels of the frame buffer.
#pragma once

#include <imgui.h>

#include <string_view>

#include "app/window/canvas_view.h"
#include "sim/view/colormap.h"

namespace stencil {

/// Returns the opaque colour in ImGui's format.
inline ImU32 packed(Rgb color) {
    return IM_COL32(color.r, color.g, color.b, 255);
}

/// Returns the colour with its opacity multiplied by `share`.
ImU32 faded(ImU32 color, double share);

/// Draws into ImGui's background list: behind all windows, in front of the field.
class Painter {
  public:
    Painter();

    void fill(const ScreenRect& rect, ImU32 color, double rounding = 0);
    /// Draws a frame one pixel wide or wider, inside the rectangle.
    void frame(const ScreenRect& rect, ImU32 color, double thickness = 1);
    void line(double x0, double y0, double x1, double y1, ImU32 color, double thickness);
    void circle(double x, double y, double radius, ImU32 color, double thickness) {
        list_->AddCircle(at(x, y), float(radius / scale_x_), color, 0, float(thickness / scale_x_));
    }
    void disc(double x, double y, double radius, ImU32 color) {
        list_->AddCircleFilled(at(x, y), float(radius / scale_x_), color);
    }
    /// Fills a triangle whose base is the vertical line at x0 from y0 to y1 and whose tip is at x1.
    void arrow(double x0, double y0, double y1, double x1, ImU32 color);

    /// Distance in pixels between lines of text in the font's own size.
    double line_height() const { return ImGui::GetFontSize() * scale_y_; }
    /// `size` is the font size in pixels.
    double text_width(std::string_view text, double size) const;
    /// Draws text at its top left corner, rounded to whole pixels to be sharp.
    void text(double x, double y, double size, ImU32 color, std::string_view text);

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

    ImDrawList* list_;
    double scale_x_, scale_y_;  ///< pixels per ImGui unit
};

}  // namespace stencil
