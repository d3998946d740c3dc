// Lines, boxes and text over the field, in pixels of the frame buffer.
#pragma once

#include <imgui.h>

#include <string_view>

#include "app/window/canvas/canvas_view.h"

namespace stencil {

/// The colour with its opacity multiplied by `share`.
ImU32 faded(ImU32 color, double share);

/// Draws into ImGui's list behind all its windows and in front of the field.
class Painter {
  public:
    Painter();

    void fill(const ScreenRect& rect, ImU32 color, double rounding = 0);
    /// One pixel or wider, inside the rectangle.
    void frame(const ScreenRect& rect, ImU32 color, double thickness = 1);
    void line(double x0, double y0, double x1, double y1, ImU32 color, double thickness);
    void circle(double x, double y, double radius, ImU32 color, double thickness);
    void disc(double x, double y, double radius, ImU32 color);
    /// From its base, a vertical line at x0 from y0 to y1, to its tip at x1, half way between these.
    void arrow(double x0, double y0, double y1, double x1, ImU32 color);

    /// Pixels from the top of a line of text to the top of the next one, in the font's own size.
    double line_height() const;
    /// `size` is the font's in pixels.
    double text_width(std::string_view text, double size) const;
    /// At its top left corner, moved to whole pixels so that it is sharp.
    void text(double x, double y, double size, ImU32 color, std::string_view text);

    /// While it lives nothing is drawn beyond the rectangle.
    class Clip {
      public:
        Clip(Painter& painter, const ScreenRect& rect);
        ~Clip();
        Clip(const Clip&) = delete;
        Clip& operator=(const Clip&) = delete;

      private:
        ImDrawList* list_;
    };

  private:
    ImVec2 at(double x, double y) const { return {float(x / scale_x_), float(y / scale_y_)}; }

    ImDrawList* list_;
    double scale_x_, scale_y_;  ///< pixels per unit of ImGui's
};

}  // namespace stencil
