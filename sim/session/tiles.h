// The runs of a sweep as the tiles of a picture, for display.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"
#include "sim/sweep/sweep_spec.h"
#include "sim/view/value_range.h"

namespace stencil {

/// Tiles of at least so many pixels show pictures where a number colours them.
inline constexpr double kPicturePixels = 40;
inline constexpr std::string_view kNoBookmarkOfTiles =
    "Tiles keep no states to return to: a click on a tile opens its run, which can be bookmarked";

/// The tiles for display; coordinates of the picture are cells of tiles side by side.
struct MosaicTiles {
    std::shared_ptr<const SweepSpec> sweep;  ///< its base ends at the step that all runs are to reach
    int columns = 1, rows = 1;
    Size tile;                         ///< cells
    long long step = 0, furthest = 0;  ///< that all runs have reached, and had before they began again
    std::size_t begun = 0;             ///< runs that have begun, or could not
    std::string way;                   ///< how a GPU steps all runs together, in words; empty: it does not
    std::vector<std::string> status;   ///< per run: SweptRun::status
    std::string color;             ///< what colours tiles: a column of the table or a formula; empty: none
    std::vector<double> observed;  ///< per run, of `color`; empty: there is none
    ValueRange observed_range;     ///< that the colours of `observed` span

    std::size_t count() const { return status.size(); }
    /// Where a tile is in the picture, and the tile at a point of it. The first row is at the bottom.
    CellArea area(std::size_t run) const;
    std::size_t at(SamplePoint point) const;
    Size size() const { return {columns * tile.nx, rows * tile.ny}; }
    bool failed(std::size_t run) const { return status[run] != "waiting" && status[run] != "running"; }
    /// "F=0.04, k=0.06: running".
    std::string text(std::size_t run) const;
};

/// What colours the tiles of a sweep: its map, or else its first observable; empty: nothing.
std::string color_of(const SweepSpec& sweep);

/// Where a value lies along an axis of tiles: i + 0.5 is the middle of tile i; the ends if it lies beyond.
/// Empty for a word that no tile has.
std::optional<double> place_on(const Vary& axis, const std::string& value);
/// As many values from those of tile `first` to `last`, half a tile beyond for a single one; of words, those.
Vary refined(const Vary& axis, std::size_t first, std::size_t last);

}  // namespace stencil
