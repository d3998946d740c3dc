// The figure of a run: panels side by side with titles, axes and colour bars, as PNG, SVG or PDF.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/field.h"
#include "sim/view/colormap.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil::figure {

enum class FigureFormat { png, svg, pdf };

/// Over a panel's picture, in coordinates of cells.
struct FigureLine {
    std::vector<SamplePoint> points;
    Rgb color;
    double width = 1;  ///< points
};

struct FigurePanel {
    std::string title;
    const Field* field = nullptr;
    const Colormap* colors = nullptr;
    ValueRange range;
    std::string value_label = {};       ///< beside the colour bar, e.g. "u" or "Laplacian of u"
    double cell = 1;                    ///< the edge of a cell in the unit of the axes
    std::string unit = {};              ///< empty: cells
    std::vector<double> contours = {};  ///< levels, ascending
    std::vector<FigureLine> lines = {};
    const SurfaceView* surface = nullptr;  ///< seen from there, without axes; else from above
};

/// Draws the panels in rows of `columns`, each with its title above, axes in cells (x to the right, y
/// downwards: row 0 on top, as in the PNGs), its colour bar with ticks at its ends and at round values and
/// arrows where values lie beyond it, and `caption` (one line that says what was run) below all of them.
/// Written atomically. Throws MachineError where the file cannot be written.
void write_figure(const std::filesystem::path& path,
                  FigureFormat format,
                  std::span<const FigurePanel> panels,
                  const std::string& caption,
                  std::size_t columns = 3);

/// The same as the bytes of a file.
std::string figure_bytes(FigureFormat format,
                         std::span<const FigurePanel> panels,
                         const std::string& caption,
                         std::size_t columns = 3);

}  // namespace stencil::figure
