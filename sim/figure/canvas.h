// The surface of a file: a PNG, an SVG or a PDF, in points, which takes pictures as well.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/figure/figure.h"
#include "sim/figure/raster.h"
#include "sim/figure/surface.h"

namespace stencil::figure {

/// Resolution of PNG figures; figures snap their boxes to this grid so that edges and pictures fall on whole
/// pixels.
inline constexpr double kPixelsPerPoint = 200.0 / 72.0;

class FigureCanvas : public Surface {
  public:
    virtual void picture(const Raster& raster, const Box& box) = 0;
    void text(std::string_view text, Point at, const TextStyle& style) final;
    /// Turned a quarter to the left.
    void text_upwards(std::string_view text, Point at, const TextStyle& style);
    double text_width(std::string_view text, double size) const final;
    /// The whole file; the canvas takes nothing more.
    virtual std::string finish() = 0;

  private:
    virtual void put_text(std::string_view text, Point at, const TextStyle& style, bool upwards) = 0;
};

/// A white canvas of that many points; `title` goes into the metadata of SVG and PDF. It and its members
/// throw MachineError with Cairo's reason.
std::unique_ptr<FigureCanvas> make_canvas(FigureFormat format,
                                          double width,
                                          double height,
                                          const std::string& title);

/// Width of text in the figures' font, in points.
double text_width(std::string_view text, double size);

}  // namespace stencil::figure
