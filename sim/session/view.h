// The window's request for a picture (ViewRequest), and the answer (Frame).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/field/pixels.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_spec.h"
#include "sim/run/output/measures.h"
#include "sim/run/output/phase_plane.h"
#include "sim/run/output/spectrum.h"
#include "sim/view/arrows.h"
#include "sim/view/shape_outline.h"
#include "sim/view/value_range.h"

namespace stencil {

struct PaneRequest {
    Pane pane = Pane::now;
    ResampleRequest resample;
    friend bool operator==(const PaneRequest&, const PaneRequest&) = default;
};

/// Whole cells whose numbers are shown: columns [x, x + nx), rows [y, y + ny).
struct CellBlock {
    int x = 0, y = 0, nx = 0, ny = 0;
    friend bool operator==(const CellBlock&, const CellBlock&) = default;
};

/// Written by the window and read by the engine, which uses the newest. Everything refers to the first pane's
/// quantity unless said otherwise.
struct ViewRequest {
    std::uint64_t serial = 0;  ///< copied to the frame that answers it
    std::vector<PaneRequest> panes;
    bool host_pixels = true;  ///< false: pixels may stay on the device
    std::optional<SamplePoint> hover;
    std::optional<CellBlock> numbers;
    std::vector<ProfileLine> profiles;
    std::optional<ArrowLattice> arrows;      ///< for RunSpec::arrows, if set
    std::optional<ResampleRequest> outline;  ///< samples for a shape's outline; empty: no outline
    SurfaceView surface;                     ///< kept for exports and for repeating the run
    int histogram_bins = 0;                  ///< 0: none
    bool spectrum = false;
    std::optional<std::vector<SamplePoint>> plane;  ///< cells to locate in the phase plane; empty: no plane
    std::size_t fit_target = 0;                     ///< index of the target that the panes of a fit show
    bool exact = false;  ///< ranges and measurements must be of this step, however long that takes
    friend bool operator==(const ViewRequest&, const ViewRequest&) = default;

    /// Returns the value of --view that shows these panes.
    std::string name() const {
        std::vector<Pane> shown;
        for (const PaneRequest& pane : panes) shown.push_back(pane.pane);
        return std::string(view_of(shown));
    }
};

/// The view that an opened run is shown in.
struct OpenedView {
    std::vector<Pane> panes;
    std::vector<ProfileLine> profiles;
    SurfaceView surface;
};

/// A picture: values, and the range that the colours span.
struct PaneImage {
    PaneRequest request;
    std::shared_ptr<const Pixels> pixels;
    ValueRange range;
    std::string colormap;
    std::string formula = {};           ///< the formula shown
    std::string label = {};             ///< the quantity beside its colours, with its unit
    std::vector<double> contours = {};  ///< levels, ascending
};

struct Numbers {
    CellBlock block;
    std::vector<double> values;  ///< (ny, nx)
};

/// The difference of the field from a bookmark.
struct Comparison {
    double relative = 0;                       ///< 2-norm of the difference relative to the bookmark's
    double lowest = 0, highest = 0, mean = 0;  ///< of the difference
};

/// All data of one step of the run.
struct Frame {
    std::uint64_t serial = 0;  ///< from the request that it answers
    std::uint64_t count = 0;   ///< number of this frame
    long long step = 0;
    bool mid_batch = false;  ///< made for another view or to show progress within a batch
    int nx = 0, ny = 0;      ///< of the field
    std::vector<PaneImage> panes;
    std::optional<SamplePoint> hover;
    double hover_value = 0;
    std::optional<Numbers> numbers;
    std::vector<Profile> profiles;  ///< as in the request
    std::optional<Arrows> arrows;
    std::shared_ptr<const ShapeOutline> outline;  ///< null: not requested, or no shape
    std::optional<Histogram> histogram;
    std::shared_ptr<const RadialSpectrum> spectrum;  ///< per length of dx; null: not requested
    std::shared_ptr<const PhasePlane> plane;         ///< null: not requested, or only one component
    std::optional<Comparison> comparison;
};

}  // namespace stencil
