#include "app/window/canvas/canvas_arrows.h"

namespace stencil {
namespace {

constexpr double kApart = 28;  // least distance in pixels at scale 1

}  // namespace

ArrowLattice arrows_on(const UiState& ui, FieldSize field, const CellArea& visible) {
    return arrow_lattice(visible, field.nx, field.ny, kApart * ui.scale / ui.view.scale);
}

void draw_arrows(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    const auto& frame = scene.snapshot.frame;
    const bool of_values = slot.pane == Pane::now || component_of(slot.pane);
    if (!of_values || !frame || !frame->arrows || scene.snapshot.now.drawn_arrows().empty()) return;
    const Painter::Clip clip(painter, slot.picture);
    const auto line = [&](SamplePoint from, SamplePoint to, ImU32 color, double width) {
        const ScreenRect a = place(scene.ui.view, slot.picture, {from.x, from.y, from.x, from.y});
        const ScreenRect b = place(scene.ui.view, slot.picture, {to.x, to.y, to.x, to.y});
        painter.line(a.x, a.y, b.x, b.y, color, width * scene.ui.scale);
    };
    const auto shapes = arrow_shapes(*frame->arrows);
    // Light with a dark outline, to be visible over any colour.
    for (const auto& [color, width] :
         {std::pair{IM_COL32(0, 0, 0, 150), 3.0}, std::pair{IM_COL32(255, 255, 255, 235), 1.3}})
        for (const ArrowShape& shape : shapes) {
            line(shape.tail, shape.tip, color, width);
            line(shape.left, shape.tip, color, width);
            line(shape.right, shape.tip, color, width);
        }
}

}  // namespace stencil
