// Interface on which charts are drawn, a file (canvas.h) or the window: lines, filled shapes and text.
// Lengths are in the surface's unit (points on paper, pixels on a screen), y downwards.
#pragma once

#include <span>
#include <string_view>

#include "sim/view/colormap.h"

namespace stencil::figure {

struct Point {
    double x = 0, y = 0;
};

struct Box {
    double left = 0, top = 0, width = 0, height = 0;
    double right() const { return left + width; }
    double bottom() const { return top + height; }
    double middle_x() const { return left + width / 2; }
    double middle_y() const { return top + height / 2; }

    bool overlaps(const Box& other) const {
        return left < other.right() && other.left < right() && top < other.bottom() && other.top < bottom();
    }
    bool holds(const Box& other) const {
        return other.left >= left && other.right() <= right() && other.top >= top &&
               other.bottom() <= bottom();
    }
    Box grown(double by) const { return {left - by, top - by, width + 2 * by, height + 2 * by}; }
};

enum class Anchor { start, middle, end };

inline constexpr Rgb kInk = {26, 26, 26};

struct TextStyle {
    double size = 10;
    Anchor anchor = Anchor::start;
    Rgb color = kInk;
};

struct Stroke {
    double width = 1;
    Rgb color = kInk;
    double dash = 0;  ///< length of dashes and gaps; 0: solid
};

// Metrics of text, in font sizes.
inline constexpr double kCapital = 0.73;  ///< height of capitals and digits
inline constexpr double kDescent = 0.24;  ///< depth of p, g and brackets

class Surface {
  public:
    virtual ~Surface() = default;
    /// Draws a line through the points, with round corners.
    virtual void path(std::span<const Point> points, const Stroke& stroke) = 0;
    /// Fills a convex polygon.
    virtual void fill(std::span<const Point> polygon, Rgb color) = 0;
    /// `at` is the start, middle or end of the baseline, as the style's anchor says.
    virtual void text(std::string_view text, Point at, const TextStyle& style) = 0;
    virtual double text_width(std::string_view text, double size) const = 0;
};

void draw_line(Surface& surface, Point from, Point to, const Stroke& stroke);
void draw_frame(Surface& surface, const Box& box, const Stroke& stroke);
void fill_box(Surface& surface, const Box& box, Rgb color);
void draw_circle(Surface& surface, Point centre, double radius, const Stroke& stroke);
void fill_disc(Surface& surface, Point centre, double radius, Rgb color);

}  // namespace stencil::figure
