#include <algorithm>
#include <cmath>
#include <utility>

#include "app/window/canvas/canvas_overlay.h"
#include "sim/figure/ticks.h"
#include "sim/view/colormap.h"

namespace stencil {
namespace {

// Sizes in lines of text.
constexpr double kTop = 0.55;
constexpr double kThickness = 0.7;
constexpr double kArrow = 0.55;
constexpr double kTick = 0.25;
constexpr double kLabelGap = 0.6;
constexpr double kWidest = 24;
constexpr double kNarrowest = 3.2;
constexpr double kRoomForTicks = 7;
constexpr double kSmallText = 0.9;

/// Colours each column by the value at its middle, as the field's pixels are.
void draw_colors(Painter& painter, const ScreenRect& bar, const Colormap& map, const ValueRange& range) {
    const int columns = int(bar.width);
    const double last = range.low < range.high ? 1 : 0;
    int first = 0;
    ImU32 color = packed(map.at(last * 0.5 / columns, {}));
    for (int column = 1; column <= columns; ++column) {
        const ImU32 next = packed(map.at(last * (column + 0.5) / columns, {}));
        if (next == color && column < columns) continue;
        painter.fill({bar.x + first, bar.y, double(column - first), bar.height}, color);
        first = column;
        color = next;
    }
}

/// Draws an arrow in the end's colour at each end that values exceed.
void draw_arrows(Painter& painter,
                 const CanvasColors& colors,
                 const ScreenRect& bar,
                 const PaneImage& image,
                 double length) {
    const Colormap& map = colormap(image.colormap);
    const auto arrow = [&](double base, double tip, Rgb color) {
        const double outwards = tip < base ? -1 : 1;
        painter.arrow(base, bar.y - 1, bar.y + bar.height + 1, tip + 2 * outwards, colors.outline);
        painter.arrow(base, bar.y, bar.y + bar.height, tip, packed(color));
    };
    const double left = bar.x - 1, right = bar.x + bar.width + 1;
    if (image.range.below) arrow(left, left - length + 2, map.colors.front());
    if (image.range.above) arrow(right, right + length - 2, map.colors.back());
}

/// Skips labels that would touch the one to their right.
void draw_ticks(Painter& painter,
                const CanvasColors& colors,
                const ScreenRect& bar,
                const figure::Ticks& ticks) {
    const double line = painter.line_height();
    const double size = line * kSmallText;
    double free_from = bar.x - line * kWidest;
    for (const figure::Tick& tick : ticks.marks) {
        const double x = bar.x + std::floor(tick.position * (bar.width - 1));
        const double bottom = bar.y + bar.height;
        painter.fill({x, bottom, 1, std::round(kTick * line)}, colors.text);
        const double width = painter.text_width(tick.label, size);
        const double left = std::max(bar.x, std::min(x + 0.5 - width / 2, bar.x + bar.width - width));
        if (tick.label.empty() || left < free_from) continue;
        painter.text(left, bottom + kTick * line, size, colors.text, tick.label);
        free_from = left + width + size * 0.4;
    }
}

/// Puts ticks at both ends and as many between as fit; if the end labels do not fit, they get fewer digits.
figure::Ticks ticks_on(const Painter& painter, ValueRange range, double width) {
    const double size = painter.line_height() * kSmallText;
    const auto measure = [&](std::string_view label) { return painter.text_width(label, size); };
    figure::Ticks ticks = figure::fitting_ticks(
        [&](int most) { return figure::value_ticks(range, most); }, width, 0.4 * size, measure);
    ticks = figure::with_ends(std::move(ticks), width, 0.6 * size, measure);
    const auto& marks = ticks.marks;
    const bool has_ends = marks.size() > 1 && marks.front().position == 0 && marks.back().position == 1;
    if (has_ends || ticks.low.empty() || !(range.low < range.high)) return ticks;
    const std::string low = figure::number_text(range.low, 2), high = figure::number_text(range.high, 2);
    if (measure(low) + measure(high) + size > width) return ticks;
    return {{{0, low}, {0.5, ""}, {1, high}}, "", "", ""};
}

/// Returns the width that the text at the bar's left leaves for the bar.
double bar_width(double strip, double beside, double line) {
    return std::floor(std::min(kWidest * line, strip - beside - kLabelGap * line));
}

/// Returns the quantity's label, or an empty one if it would make the bar too small: the title has it, too.
std::string label_beside(const Painter& painter, const ScreenRect& strip, const PaneImage& image) {
    const double line = painter.line_height();
    const std::string& label = image.label;
    const double beside = painter.text_width(label, line * kSmallText);
    const double width = bar_width(strip.width, beside, line);
    const bool crowded =
        width < kNarrowest * line || (width < kRoomForTicks * line && beside > strip.width / 3);
    return crowded ? "" : label;
}

}  // namespace

ScreenRect draw_color_bar(Painter& painter,
                          const CanvasColors& colors,
                          const ScreenRect& strip,
                          const PaneImage& image) {
    const double line = painter.line_height();
    const double size = line * kSmallText;
    if (strip.height < line) return {};

    std::string label = label_beside(painter, strip, image);
    double width = bar_width(strip.width, painter.text_width(label, size), line);
    // The note (such as a power of ten) qualifies the tick labels, so if it does not fit there are no ticks.
    const double arrow = std::round(kArrow * line);
    const double arrows = arrow * (image.range.below + image.range.above) + 2;
    figure::Ticks ticks = ticks_on(painter, image.range, 0.8 * width - arrows);
    const double beside = std::max(painter.text_width(label, size), painter.text_width(ticks.note, size));
    width = bar_width(strip.width, beside, line);
    ticks = ticks_on(painter, image.range, width - arrows);
    // The narrower bar may have ticks with another, longer note.
    if (width < kNarrowest * line || painter.text_width(ticks.note, size) > beside) {
        width = bar_width(strip.width, painter.text_width(label, size), line);
        ticks = {};
    }
    if (width < line) return {};

    // Align the frame's right end with the picture's.
    const double left = image.range.below ? arrow : 0;
    const ScreenRect bar{strip.x + strip.width - width + 1 + left,
                         strip.y + std::round(kTop * line),
                         width - arrows,
                         std::round(kThickness * line)};
    draw_colors(painter, bar, colormap(image.colormap), image.range);
    draw_arrows(painter, colors, bar, image, arrow);
    painter.frame({bar.x - 1, bar.y - 1, bar.width + 2, bar.height + 2}, colors.outline);
    draw_ticks(painter, colors, bar, ticks);

    const auto left_of_bar = [&](const std::string& text, double y) {
        const double x = bar.x - left - kLabelGap * line - painter.text_width(text, size);
        painter.text(x, y, size, colors.text, text);
    };
    left_of_bar(label, bar.y + bar.height / 2 - size / 2);
    if (!ticks.note.empty()) left_of_bar(ticks.note, bar.y + bar.height + kTick * line);
    return bar;
}

}  // namespace stencil
