// The runs beside the run: those of a sweep, and run B.
#pragma once

#include <optional>
#include <string>

#include "app/window/ui_state.h"

namespace stencil {

/// Shows the runs beside the run when they appear, and the run alone when they are gone.
void follow_beside(UiState& ui, const Snapshot& snapshot);
/// The tiles that are watched, while the run waits; null: the run is shown.
const MosaicTiles* watched_tiles(const UiState& ui, const Snapshot& snapshot);
/// The step of what is shown, the run or the tiles, and its furthest step, which is later after going back.
struct ShownStep {
    long long step = 0, furthest = 0;
    bool is_behind() const { return step < furthest; }
};
ShownStep shown_step(const UiState& ui, const Snapshot& snapshot);
/// The tile under the mouse; empty: there is none.
std::optional<std::size_t> tile_at(const UiState& ui, const Snapshot& snapshot);
/// A sweep over a parameter's range along x or y, in place of what the present one varies there.
void sweep_over(UiState& ui, const Snapshot& snapshot, std::size_t axis, const Vary& vary);
/// Another sweep of the run with its present settings.
void show_sweep(UiState& ui, const Snapshot& snapshot, SweepSpec sweep);
/// Run B has another value of this parameter.
void show_run_b(UiState& ui,
                const Snapshot& snapshot,
                const std::string& parameter,
                double value,
                bool continuing = false);

}  // namespace stencil
