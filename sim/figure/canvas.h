// What a figure is drawn on: a PNG, an SVG or a PDF with lines, text and pictures in points, y downwards.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sim/figure/figure.h"
#include "sim/figure/raster.h"
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
};

enum class Anchor { start, middle, end };

struct TextStyle {
    double size = 10;
    Anchor anchor = Anchor::start;
    bool upwards = false;  ///< turned a quarter to the left
    Rgb color = {26, 26, 26};
};

struct Stroke {
    double width = 1;
    Rgb color = {26, 26, 26};
    double dash = 0;  ///< length of dashes and of the gaps between them; 0: none
};

/// Resolution of PNG figures; figures snap their boxes to this grid so that edges and pictures fall on whole
/// pixels.
inline constexpr double kPixelsPerPoint = 200.0 / 72.0;

class FigureCanvas {
  public:
    virtual ~FigureCanvas() = default;
    virtual void line(Point from, Point to, double width) = 0;
    virtual void frame(const Box& box, double width) = 0;
    /// From each point to the next, with round corners.
    virtual void path(std::span<const Point> points, const Stroke& stroke) = 0;
    virtual void fill(std::span<const Point> polygon, Rgb color) = 0;
    virtual void picture(const Raster& raster, const Box& box) = 0;
    /// `at` is where the baseline starts, has its middle or ends, as the style's anchor says.
    virtual void text(std::string_view text, Point at, const TextStyle& style) = 0;
    /// The whole file; the canvas takes nothing more.
    virtual std::string finish() = 0;
};

/// A white canvas of that many points; `title` goes into the metadata of SVG and PDF. It and its members
/// throw MachineError with Cairo's reason.
std::unique_ptr<FigureCanvas> make_canvas(FigureFormat format,
                                          double width,
                                          double height,
                                          const std::string& title);

void fill_disc(FigureCanvas& canvas, Point centre, double radius, Rgb color);

/// Width of text in the figures' font, in points.
double text_width(std::string_view text, double size);

}  // namespace stencil::figure
