#include "app/window/canvas/canvas_overlay_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sim/view/colormap.h"

namespace stencil {
namespace {

// A cell's width in pixels at scale 1.
constexpr double kMinWidth = 46;
constexpr double kShareOfCell = 0.88;
// Of the text's own size.
constexpr double kSmallestText = 0.62;

bool large_enough(const UiState& ui) {
    return ui.show_numbers && ui.view.scale >= kMinWidth * ui.scale;
}

/// Black or white, by the luminance (Rec. 709) of what is behind it.
ImU32 contrasting(Rgb behind) {
    const double luminance = 0.2126 * behind.r + 0.7152 * behind.g + 0.0722 * behind.b;
    return luminance > 128 ? IM_COL32(0, 0, 0, 230) : IM_COL32(255, 255, 255, 230);
}

/// All values with the digits, and the size of text, with which the longest fits its cell.
struct Labels {
    std::vector<std::string> texts;
    double size = 0;
};

Labels fitting_labels(const Painter& painter, const std::vector<double>& values, double room) {
    Labels labels;
    const double whole = painter.line_height();
    for (int digits = 4; digits >= 2; --digits) {
        labels.texts.clear();
        double widest = 1;
        for (const double value : values) {
            labels.texts.push_back(fmt::format("{:.{}g}", value, digits));
            widest = std::max(widest, painter.text_width(labels.texts.back(), whole));
        }
        labels.size = std::floor(std::min(whole, whole * room / widest));
        if (labels.size >= whole * kSmallestText) break;
    }
    return labels;
}

}  // namespace

std::optional<CellBlock> numbered_cells(const UiState& ui, FieldSize field, const ResampleRequest& visible) {
    if (!large_enough(ui)) return std::nullopt;
    const int x0 = int(std::clamp(std::floor(visible.area.x0), 0.0, double(field.nx)));
    const int y0 = int(std::clamp(std::floor(visible.area.y0), 0.0, double(field.ny)));
    const int x1 = int(std::clamp(std::ceil(visible.area.x1), 0.0, double(field.nx)));
    const int y1 = int(std::clamp(std::ceil(visible.area.y1), 0.0, double(field.ny)));
    if (x1 <= x0 || y1 <= y0) return std::nullopt;
    return CellBlock{x0, y0, x1 - x0, y1 - y0};
}

void draw_numbers(Painter& painter, const OverlayScene& scene, const PaneSlot& slot) {
    const auto& frame = scene.snapshot.frame;
    if (!frame || !frame->numbers || frame->panes.empty() || !large_enough(scene.ui)) return;
    const PaneImage& image = frame->panes.front();
    const auto& [block, values] = *frame->numbers;
    if (image.request.pane != slot.pane || values.size() != std::size_t(block.nx) * std::size_t(block.ny))
        return;
    const double cell = scene.ui.view.scale;
    const Labels labels = fitting_labels(painter, values, cell * kShareOfCell);
    const Colormap& map = colormap(image.colormap);
    const Painter::Clip clip(painter, slot.picture);
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double x = block.x + double(i % std::size_t(block.nx));
        const double y = block.y + double(i / std::size_t(block.nx));
        const ScreenRect at = place(scene.ui.view, slot.picture, {x, y, x + 1, y + 1});
        if (intersection(at, slot.picture).width <= 0 || intersection(at, slot.picture).height <= 0) continue;
        const double left = at.x + (at.width - painter.text_width(labels.texts[i], labels.size)) / 2;
        const double top = at.y + (at.height - labels.size) / 2;
        const ImU32 color = contrasting(map.at(values[i], image.range.low, image.range.high));
        painter.text(left, top, labels.size, color, labels.texts[i]);
    }
}

}  // namespace stencil
