// Drawing surfaces for PNG, SVG and PDF files, in points; they also take pictures.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/figure/figure.h"
#include "sim/figure/raster.h"
#include "sim/figure/surface.h"

namespace stencil::figure {

/// Resolution of PNG figures. Boxes snap to this grid, so that edges and pictures are on whole pixels.
inline constexpr double kPixelsPerPoint = 200.0 / 72.0;

class FigureCanvas : public Surface {
  public:
    virtual void picture(const Raster& raster, const Box& box) = 0;
    void text(std::string_view text, Point at, const TextStyle& style) final;
    /// Draws text rotated by 90 degrees, reading upwards.
    void text_upwards(std::string_view text, Point at, const TextStyle& style);
    double text_width(std::string_view text, double size) const final;
    /// Returns the whole file; nothing can be drawn afterwards.
    virtual std::string finish() = 0;

  private:
    virtual void put_text(std::string_view text, Point at, const TextStyle& style, bool upwards) = 0;
};

/// Makes a white canvas of a size in points; `title` goes into the metadata of SVG and PDF. This and the
/// members throw MachineError with Cairo's reason.
std::unique_ptr<FigureCanvas> make_canvas(FigureFormat format,
                                          double width,
                                          double height,
                                          const std::string& title);

/// Returns the width of text in the figures' font, in points.
double text_width(std::string_view text, double size);

}  // namespace stencil::figure
