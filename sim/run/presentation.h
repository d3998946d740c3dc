// What is seen of a run and what is written: neither changes a bit of its fields.
#pragma once

#include <string>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/run/units.h"
#include "sim/view/surface_view.h"
#include "sim/view/value_range.h"

namespace stencil {

/// What was asked for; where a model does not have it, its own choice counts while that model is stepped.
struct Presentation {
    std::string show;                ///< what is seen and measured, a formula; else the first component
    std::string colormap;            ///< empty: the text's own, or viridis
    std::string laplacian_colormap;  ///< empty: the colormap where one is given, else inferno
    RangeRule range;
    RangeRule laplacian_range{RangeRule::Kind::percentile, 5, 95};
    Unit unit_length, unit_time;  ///< what a length and a time of 1 are in the world
    std::string contours;         ///< levels of the field's values, or how many; empty: none
    std::string arrows;           ///< "gradient" of what is shown, or two components, "u,v"; empty: none
    SurfaceView surface;
    bool range_per_frame = false;  ///< each frame its own range, rather than the first one's for all
};

/// From one point of the field to another.
struct ProfileLine {
    SamplePoint from, to;
    friend bool operator==(const ProfileLine&, const ProfileLine&) = default;
};

struct Output {
    long long every = 0;       ///< 0: no frames
    long long checkpoint = 0;  ///< every N steps; 0: none
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
    std::vector<Bookmark> bookmarks;  ///< of the window
};

}  // namespace stencil
