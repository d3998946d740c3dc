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
constexpr double kTopOfTwoLines = 0.3, kTwoLinesText = 0.75;

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

/// Ticks at the ends alone, with labels that need no note and fit the width; without marks if none do.
figure::Ticks ends_on(const Painter& painter, ValueRange range, double width) {
    const double size = painter.line_height() * kSmallText;
    for (const int digits : {3, 2}) {
        figure::Ticks ends = figure::end_ticks(range, digits);
        double taken = -size;
        for (const figure::Tick& tick : ends.marks) taken += painter.text_width(tick.label, size) + size;
        if (taken <= width) return ends;
    }
    return {};
}

/// Puts ticks at both ends and as many between as fit; if the end labels do not fit, they get fewer digits.
figure::Ticks ticks_on(const Painter& painter, ValueRange range, double width) {
    const double size = painter.line_height() * kSmallText;
    const auto measure = [&](std::string_view label) { return painter.text_width(label, size); };
    figure::Ticks ticks = figure::fitting_ticks(
        [&](int most) { return figure::value_ticks(range, most); }, width, 0.4 * size, measure);
    ticks = figure::with_ends(std::move(ticks), width, 0.6 * size, measure);
    return tells_values(ticks, range) ? ticks : ends_on(painter, range, width);
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

/// Puts the label and the ticks' note (such as a power of ten), which qualifies their labels, beside the bar.
/// Without marks if the ends' labels do not fit.
ColorBarMarks marks_beside(
    const Painter& painter, double strip, const PaneImage& image, const std::string& label, double arrows) {
    const double line = painter.line_height(), size = line * kSmallText;
    ColorBarMarks marks{label, {}, bar_width(strip, painter.text_width(label, size), line), size};
    marks.ticks = ticks_on(painter, image.range, 0.8 * marks.width - arrows);
    const double beside =
        std::max(painter.text_width(label, size), painter.text_width(marks.ticks.note, size));
    marks.width = bar_width(strip, beside, line);
    marks.ticks = ticks_on(painter, image.range, marks.width - arrows);
    // The narrower bar may have ticks with another, longer note.
    if (marks.width >= kNarrowest * line && painter.text_width(marks.ticks.note, size) <= beside)
        return marks;
    marks.width = bar_width(strip, painter.text_width(label, size), line);
    marks.ticks = ends_on(painter, image.range, marks.width - arrows);
    return marks;
}

/// In a narrow strip the ends have one line each, in letters so small that they fit.
ColorBarMarks marks_of_ends(const Painter& painter, double strip, ValueRange range) {
    ColorBarMarks marks{"", {}, strip, painter.line_height() * kSmallText, true};
    const auto widest = [&](double size) {
        return widest_label(marks.ticks,
                            [&](std::string_view label) { return painter.text_width(label, size); });
    };
    marks.size = painter.line_height() * kTwoLinesText;
    for (int digits = 3; digits > 0; --digits) {
        marks.ticks = figure::end_ticks(range, digits);
        if (widest(marks.size) <= strip) return marks;
    }
    marks.size = std::floor(marks.size * strip / widest(marks.size));
    return marks;
}

void draw_two_lines(Painter& painter,
                    const CanvasColors& colors,
                    const ScreenRect& strip,
                    const ScreenRect& bar,
                    const ColorBarMarks& marks) {
    double y = bar.y + bar.height + 1;
    for (const figure::Tick& tick : marks.ticks.marks) {
        const double room = strip.width - painter.text_width(tick.label, marks.size);
        painter.text(strip.x + tick.position * room, y, marks.size, colors.text, tick.label);
        y += marks.size;
    }
}

}  // namespace

ColorBarMarks color_bar_marks(const Painter& painter,
                              const ScreenRect& strip,
                              const PaneImage& image,
                              double arrows) {
    for (const std::string& label : {label_beside(painter, strip, image), std::string()}) {
        ColorBarMarks marks = marks_beside(painter, strip.width, image, label, arrows);
        if (tells_values(marks.ticks, image.range)) return marks;
    }
    return marks_of_ends(painter, strip.width, image.range);
}

ScreenRect draw_color_bar(Painter& painter,
                          const CanvasColors& colors,
                          const ScreenRect& strip,
                          const PaneImage& image) {
    const double line = painter.line_height();
    const double size = line * kSmallText;
    if (strip.height < line) return {};
    const double arrow = std::round(kArrow * line);
    const double arrows = arrow * (image.range.below + image.range.above) + 2;
    const ColorBarMarks marks = color_bar_marks(painter, strip, image, arrows);
    if (marks.width - arrows < line / 2) return {};

    // Align the frame's right end with the picture's.
    const double left = image.range.below ? arrow : 0;
    const ScreenRect bar{strip.x + strip.width - marks.width + 1 + left,
                         strip.y + std::round((marks.two_lines ? kTopOfTwoLines : kTop) * line),
                         marks.width - arrows,
                         std::round(kThickness * line)};
    draw_colors(painter, bar, colormap(image.colormap), image.range);
    draw_arrows(painter, colors, bar, image, arrow);
    painter.frame({bar.x - 1, bar.y - 1, bar.width + 2, bar.height + 2}, colors.outline);
    if (marks.two_lines) {
        draw_two_lines(painter, colors, strip, bar, marks);
        return bar;
    }
    draw_ticks(painter, colors, bar, marks.ticks);
    const auto left_of_bar = [&](const std::string& text, double y) {
        const double x = bar.x - left - kLabelGap * line - painter.text_width(text, size);
        painter.text(x, y, size, colors.text, text);
    };
    left_of_bar(marks.label, bar.y + bar.height / 2 - size / 2);
    if (!marks.ticks.note.empty()) left_of_bar(marks.ticks.note, bar.y + bar.height + kTick * line);
    return bar;
}

}  // namespace stencil
