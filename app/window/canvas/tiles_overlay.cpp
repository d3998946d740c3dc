#include <algorithm>
#include <cmath>
#include <string>

#include "app/window/canvas/rimmed_overlay.h"
#include "app/window/other_runs.h"
#include "sim/problem/settings/settings.h"
#include "sim/session/tile_colors.h"

namespace stencil {
namespace {

constexpr double kGapsFrom = 8;  // pixels of a tile at scale 1

struct TilesOverlay : RimmedOverlay {
    const MosaicTiles& tiles;

    ScreenRect tile_rect(std::size_t run) const {
        return place(scene.ui.view, slot.picture, tiles.area(run));
    }

    void draw_all() {
        const Painter::Clip clip(painter, slot.picture);
        const double side = tiles.tile.nx * scene.ui.view.scale;
        if (side >= kGapsFrom * unit) draw_gaps();
        for (std::size_t run = 0; run < tiles.count(); ++run)
            if (tiles.failed(run)) draw_failure(run);
        if (!tiles.observed.empty() && side >= kPicturePixels) draw_observed();
        draw_present();
        if (scene.selection) {
            const auto& [from, to] = *scene.selection;
            rimmed_frame(place(scene.ui.view,
                               slot.picture,
                               {std::min(from.x, to.x),
                                std::min(from.y, to.y),
                                std::max(from.x, to.x),
                                std::max(from.y, to.y)}));
        } else if (const auto run = tile_at(scene.ui, scene.snapshot)) {
            rimmed_frame(tile_rect(*run));
        }
    }

    void draw_gaps() {
        const ScreenRect all = field_pixels(scene.ui.view, slot.picture, scene.field);
        for (int column = 1; column < tiles.columns; ++column)
            painter.fill({tile_rect(std::size_t(column)).x, all.y, 1, all.height}, scene.colors.outline);
        for (int row = 0; row + 1 < tiles.rows; ++row)
            painter.fill({all.x, tile_rect(std::size_t(row * tiles.columns)).y, all.width, 1},
                         scene.colors.outline);
    }

    // Writes why a run failed, or crosses its tile out where that has no room.
    void draw_failure(std::size_t run) {
        const ScreenRect at = tile_rect(run);
        if (intersection(at, slot.picture).width <= 0 || intersection(at, slot.picture).height <= 0) return;
        const double size = painter.line_height() * kSmallestText;
        const std::string& why = tiles.status[run];
        if (painter.text_width(why, size) < at.width) {
            painter.text(at.x + (at.width - painter.text_width(why, size)) / 2,
                         at.y + (at.height - size) / 2,
                         size,
                         scene.colors.faint_text,
                         why);
            return;
        }
        const double x = at.width / 4, y = at.height / 4;
        painter.line(at.x + x, at.y + y, at.x + 3 * x, at.y + 3 * y, scene.colors.faint_text, unit);
        painter.line(at.x + x, at.y + 3 * y, at.x + 3 * x, at.y + y, scene.colors.faint_text, unit);
    }

    // Frames each picture in the colour of its observable.
    void draw_observed() {
        const PaneImage* image = image_of(scene.snapshot, slot.pane);
        if (!image) return;
        const Colormap& map = colormap(number_colormap(image->colormap));
        for (std::size_t run = 0; run < tiles.count(); ++run)
            if (std::isfinite(tiles.observed[run]))
                painter.frame(
                    tile_rect(run), packed(map.at(tiles.observed[run], tiles.observed_range)), 3 * unit);
    }

    // Marks where the present run lies among the tiles.
    void draw_present() {
        SamplePoint at{tiles.tile.nx / 2.0, tiles.tile.ny / 2.0};
        for (std::size_t axis = 0; axis < tiles.sweep->vary.size(); ++axis) {
            const Vary& vary = tiles.sweep->vary[axis];
            const RunSpec& now = scene.snapshot.now;
            if (!now.model->index_of(vary.name) && !setting_named(vary.name)) return;
            const auto found = place_on(vary, setting_text(now, vary.name));
            if (!found) return;
            if (axis == 0)
                at.x = *found * tiles.tile.nx;
            else
                at.y = (tiles.rows - *found) * tiles.tile.ny;
        }
        rimmed_circle(on_screen(at), 2 * kHandle * unit, unit);
        cross(on_screen(at), kHandle * unit);
    }
};

}  // namespace

void draw_over_tiles(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    draw_outline_and_axes(painter, scene, slot);
    if (scene.snapshot.tiles) TilesOverlay{{painter, scene, slot}, *scene.snapshot.tiles}.draw_all();
}

}  // namespace stencil
