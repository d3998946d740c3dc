// Presentation and output of a run. Neither changes a bit of its fields.
#pragma once

#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/run/units.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil {

/// Settings as asked for. If a model lacks something, its own default is used while it is stepped.
struct Presentation {
    std::string show;                ///< formula shown and measured; empty: the first component
    std::string colormap;            ///< empty: the text's own, or viridis
    std::string laplacian_colormap;  ///< empty: as colormap if given, else inferno
    RangeRule range;
    RangeRule laplacian_range{RangeRule::Kind::percentile, 5, 95};
    Unit unit_length, unit_time;  ///< physical length and time of 1
    std::string contours;         ///< contour levels, or their number; empty: none
    std::string arrows;           ///< "gradient" of the shown formula, or two components "u,v"; empty: none
    SurfaceView surface;
    bool range_per_frame = false;  ///< a range for each frame instead of the first one's for all
};

/// A line across the field, in cells.
struct ProfileLine {
    SamplePoint from, to;
    friend bool operator==(const ProfileLine&, const ProfileLine&) = default;
};

struct Output {
    long long every = 0;       ///< steps between frames; 0: none
    long long checkpoint = 0;  ///< steps between checkpoints; 0: none
    std::vector<std::string> exports;

    struct Cell {
        int x = 0, y = 0;
        friend bool operator==(const Cell&, const Cell&) = default;
    };
    std::vector<Cell> probes;
    std::vector<ProfileLine> profiles;
    struct Bookmark {
        long long step = 0;
        std::string name;
        friend bool operator==(const Bookmark&, const Bookmark&) = default;
    };
    std::vector<Bookmark> bookmarks;  ///< named steps, set in the window
};

}  // namespace stencil
