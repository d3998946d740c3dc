// The figure of a run: panels with titles, axes and colour bars, as PNG, SVG or PDF.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/field.h"
#include "sim/figure/ticks.h"
#include "sim/view/colormap.h"
#include "sim/view/contours.h"
#include "sim/view/shape_outline.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil::figure {

enum class FigureFormat { png, svg, pdf };

/// Returns the format of files with this ending, such as "svg".
constexpr FigureFormat format_named(std::string_view ending) {
    return ending == "svg" ? FigureFormat::svg : ending == "pdf" ? FigureFormat::pdf : FigureFormat::png;
}

/// A line over a panel's picture, in cell coordinates.
struct FigureLine {
    std::vector<SamplePoint> points;
    Rgb color;
    double width = 1;  ///< in points
};

/// What varies along an axis from one edge of the field to the other, such as time or a parameter.
struct FigureScale {
    std::string name;
    double first = 0, last = 1;
    std::string unit = {};
    std::vector<Tick> marks = {};  ///< positions from the left or the top; empty: at round values
    friend bool operator==(const FigureScale&, const FigureScale&) = default;
};

/// The coordinates of a field's cells.
struct FigureAxes {
    double cell = 1;                                        ///< edge of a cell in the unit of the axes
    double x = 0, y = 0;                                    ///< the field's left upper corner
    std::string unit = {};                                  ///< empty: cells, or lengths
    bool lengths = false;                                   ///< lengths even without a unit
    std::optional<FigureScale> along_x = {}, along_y = {};  ///< empty: lengths or cells
    friend bool operator==(const FigureAxes&, const FigureAxes&) = default;
};

struct FigurePanel {
    std::string title;
    const Field* field = nullptr;
    const Colormap* colors = nullptr;
    ValueRange range;
    std::string value_label = {};  ///< beside the colour bar, such as "u" or "Laplacian of u"
    FigureAxes axes = {};
    std::string x_name = "x";
    std::vector<double> contours = {};  ///< levels, ascending
    std::vector<FigureLine> lines = {};
    const SurfaceView* surface = nullptr;  ///< viewpoint of a surface in a box; null: flat
};

/// Adds the contours of --contours, each black or white, whichever contrasts with its level's colour: as
/// lines or, for a large field, in the pixels of its picture.
void add_contours(FigurePanel& panel, std::string_view contours);

/// Adds the outline of a shape, visible over any colour.
void add_outline(FigurePanel& panel, const ShapeOutline& outline);

/// Width and height in points; 0: as large as the contents need.
struct PageSize {
    double width = 0, height = 0;
};
inline constexpr double kPointsPerCm = 72 / 2.54;

/// How panels share a page.
struct FigurePage {
    std::size_t columns = 3;   ///< panels in a row
    std::string heading = {};  ///< above all panels
    PageSize size = {};
};

/// Draws the panels in rows. Each has a title, axes in cells (x to the right, y downwards with row 0 on top,
/// as in the PNGs), and a colour bar with ticks and with arrows where values lie beyond its ends. `caption`,
/// one line about the run, is at the bottom. The file is replaced atomically. Throws MachineError if it
/// cannot be written.
void write_figure(const std::filesystem::path& path,
                  FigureFormat format,
                  std::span<const FigurePanel> panels,
                  const std::string& caption,
                  const FigurePage& page = {});

/// Returns the figure as the bytes of a file.
std::string figure_bytes(FigureFormat format,
                         std::span<const FigurePanel> panels,
                         const std::string& caption,
                         const FigurePage& page = {});

}  // namespace stencil::figure
