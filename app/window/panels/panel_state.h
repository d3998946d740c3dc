// What the panels remember between two frames: texts being typed, drags in progress.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/exports.h"
#include "sim/session/view.h"
#include "sim/view/value_range.h"

namespace stencil {

/// A value that a person is changing: shows the session's own until it is touched, and after it was sent
/// until the session has had the time to follow.
template <class T>
struct Draft {
    T value{};
    bool active = false;    ///< the widget has the focus
    bool sent = false;      ///< something of the drag in progress
    bool unsent = false;    ///< typed, and sent when the widget is left
    double hold_until = 0;  ///< ImGui's time
};

struct RangeDraft {
    Draft<double> low, high;
};

struct ToolbarState {
    Draft<long long> pace;
    double copied_until = 0;  ///< ImGui's time until which the copy button says so
};

struct SimulationState {
    Draft<double> coefficient;
    Draft<int> threads;
    int nx = 0, ny = 0;  ///< typed and not yet applied; 0: as the session
    long long steps = 100;
    long long jump = 1000;
    long long stop_wish = 10000;  ///< what ticking the box stops at
    Draft<long long> stop_at;
};

struct InitialState {
    std::string seen;  ///< the session's own when the draft was last made from it
    std::string name;  ///< of the condition chosen, applied or not; empty: a file
    std::map<std::string, double, std::less<>> parameters;
    Draft<std::string> seed;
    std::string path;
};

struct ViewState {
    Pane single = Pane::now;  ///< what three-up goes back to
    RangeDraft range, laplacian_range;
};

enum class SeriesOf { total, max, min, mean };

struct MeasureState {
    SeriesOf series = SeriesOf::total;
    std::string folder = "stencilscope-out";
};

struct ExportState {
    std::string folder = "stencilscope-out";
    std::vector<std::string> files = default_exports();
    std::string spec_path;
    long long record_every = 100;
    bool record_png = true, record_npy = false;
};

struct PanelState {
    ToolbarState toolbar;
    SimulationState simulation;
    InitialState initial;
    ViewState view;
    MeasureState measure;
    ExportState exports;
};

}  // namespace stencil
