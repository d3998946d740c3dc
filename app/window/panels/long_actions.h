// What takes long, wherever it goes on: shown and stopped alike.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/panels/commands.h"

namespace stencil {

struct LongAction {
    std::string_view key;         ///< the same as long as it goes on
    std::string name;             ///< "jumping to step 5000"
    std::optional<double> share;  ///< done, 0 to 1; empty: nobody knows
    UiCommand stop = nullptr;
    std::string_view stop_tip;
    bool on_canvas = true;  ///< shown there, which is not to be in a film of it
};

/// All that goes on, the first to be stopped first.
std::vector<LongAction> long_actions(const UiState& ui, const Snapshot& snapshot);

/// Seconds that are left of it, by how long its share has taken; empty while that says little.
std::optional<double> seconds_left(const ActionClock& clock, double now);

/// Name, bar, time left and Stop of each, in a window over the canvas.
void draw_long_actions(UiState& ui, const Snapshot& snapshot);

/// What Esc does where nothing is open.
void stop_long_action(UiState& ui, const Snapshot& snapshot);

}  // namespace stencil
