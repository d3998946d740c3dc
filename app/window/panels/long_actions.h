// Actions that take long, which are all shown and stopped in the same way.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/commands.h"

namespace stencil {

struct LongAction {
    std::string_view key;         ///< constant while the action lasts
    std::string name;             ///< such as "jumping to step 5000"
    std::optional<double> share;  ///< done, 0 to 1; empty: unknown
    UiCommand stop = nullptr;
    std::string_view stop_tip;
    bool on_canvas = true;  ///< shown on the canvas; false for a film of it
};

/// Returns the running actions; the first is stopped first.
std::vector<LongAction> long_actions(const UiState& ui, const Snapshot& snapshot);

/// Estimates the remaining seconds from the progress so far; empty while that is too little.
std::optional<double> seconds_left(const ActionClock& clock, double now);

/// Draws name, progress bar, remaining time and a Stop button for each, in a window over the canvas.
void draw_long_actions(UiState& ui, const Snapshot& snapshot);

/// Stops the first one; Esc does this if no popup is open.
void stop_long_action(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
