// What the window wants to see, and what it gets: the two halves of a frame.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/pixels.h"
#include "sim/run/output/measures.h"
#include "sim/run/run_spec.h"
#include "sim/view/arrows.h"
#include "sim/view/plane_density.h"
#include "sim/view/radial_spectrum.h"
#include "sim/view/value_range.h"

namespace stencil {

/// A picture of the field. The table kPanes in view.cpp names them. Those from first on are of the model's
/// components, whatever is shown, from_bookmark is seen where there are bookmarks, and a surface is the field
/// as it is in another drawing.
enum class Pane {
    now,
    laplacian,
    from_start,
    from_reference,
    start,
    first,
    second,
    third,
    from_bookmark,
    surface
};
inline constexpr std::size_t kPaneKinds = 10;

struct PaneRow {
    Pane pane;
    std::string_view name;   ///< on the command line (--view)
    std::string_view title;  ///< above the picture
    std::string_view brief;  ///< where there is little room
    std::string_view help;
};
std::span<const PaneRow> panes();
const PaneRow& row_of(Pane pane);

inline constexpr PaneRow kThreeUp{Pane::now,
                                  "three-up",
                                  "Start, now, Laplacian",
                                  "3-up",
                                  "The field at the start, as it is, and its Laplacian"};
inline constexpr PaneRow kComponents{Pane::first,
                                     "components",
                                     "Components side by side",
                                     "All",
                                     "The first three components of typed equations"};

/// Of the first components, at most three.
std::vector<Pane> component_panes(const Model& model);
/// The component that is seen whatever is shown; empty of the other panes.
std::optional<std::size_t> component_of(Pane pane);
/// What a pane is of; empty where the model has no such component.
std::string formula_of(Pane pane, const RunSpec& spec);
/// Above the picture: what is seen of typed equations, and "Now" of the others.
std::string title_of(Pane pane, const RunSpec& spec);

struct PaneRequest {
    Pane pane = Pane::now;
    ResampleRequest resample;
    friend bool operator==(const PaneRequest&, const PaneRequest&) = default;
};

/// A block of whole cells whose numbers are shown: columns [x, x + nx), rows [y, y + ny).
struct CellBlock {
    int x = 0, y = 0, nx = 0, ny = 0;
    friend bool operator==(const CellBlock&, const CellBlock&) = default;
};

/// Written by the interface, read by the engine; the newest one counts. Everything is of the first pane's
/// quantity unless said otherwise.
struct ViewRequest {
    std::uint64_t serial = 0;  ///< the frame that answers it says the same
    std::vector<PaneRequest> panes;
    bool host_pixels = true;  ///< false: pixels may stay on the device
    std::optional<SamplePoint> hover;
    std::optional<CellBlock> numbers;
    std::vector<ProfileLine> profiles;
    std::optional<ArrowLattice> arrows;  ///< of RunSpec::arrows, where there are such
    SurfaceView surface;                 ///< for whoever repeats or exports what is seen
    int histogram_bins = 0;              ///< 0: none is wanted
    bool spectrum = false;
    std::optional<std::vector<SamplePoint>> plane;  ///< cells that are to be found in it; empty: not wanted
    bool exact = false;  ///< ranges and measures are of this moment, whatever that takes
    friend bool operator==(const ViewRequest&, const ViewRequest&) = default;
};

/// One picture: values, and the range that the colours span.
struct PaneImage {
    PaneRequest request;
    std::shared_ptr<const Pixels> pixels;
    ValueRange range;
    std::string colormap;
    std::string formula = {};           ///< what it is of
    std::vector<double> contours = {};  ///< levels, ascending
};

struct Numbers {
    CellBlock block;
    std::vector<double> values;  ///< (ny, nx)
};

/// How far the field is from that of a bookmark.
struct Comparison {
    double relative = 0;                       ///< 2-norm of the difference over that of the bookmark's
    double lowest = 0, highest = 0, mean = 0;  ///< of the difference
};

/// The plane of the first two components: where cells are, and those that were asked for.
struct PhasePlane {
    long long step = 0;
    PlaneDensity density;         ///< of cells evenly spread over the field, at most kMostCells along an axis
    std::vector<SamplePoint> at;  ///< values of the first and the second component
    static constexpr int kMostCells = 160, kBins = 64;
};

/// All of one moment of the run.
struct Frame {
    std::uint64_t serial = 0;  ///< of the request that it answers
    std::uint64_t count = 0;   ///< frames so far, this one included
    long long step = 0;
    bool mid_batch = false;  ///< made for another view, or to show how far an order is
    int nx = 0, ny = 0;      ///< of the field
    std::vector<PaneImage> panes;
    std::optional<SamplePoint> hover;
    double hover_value = 0;
    std::optional<Numbers> numbers;
    std::vector<Profile> profiles;  ///< in the order of the request's
    std::optional<Arrows> arrows;
    std::optional<Histogram> histogram;
    std::shared_ptr<const RadialSpectrum> spectrum;  ///< per length of dx; null: not asked for
    std::shared_ptr<const PhasePlane> plane;         ///< null: not asked for, or of one component
    std::optional<Comparison> comparison;
};

/// What three-up shows, from left to right.
const std::vector<Pane>& three_up();
/// What --view takes; empty for an unknown name.
std::optional<std::vector<Pane>> panes_named(std::string_view name);

}  // namespace stencil
