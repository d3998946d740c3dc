#include "sim/figure/paper.h"

#include "sim/figure/canvas.h"
#include "sim/figure/text.h"

namespace stencil::figure {
namespace {

// Lengths in points.
constexpr double kWidth = 576;
constexpr double kChartHeight = 346;
constexpr double kPaperMargin = 16;
constexpr double kPaperTitleSize = 12;
constexpr double kNoteSize = 8.5;
constexpr double kTitles = 42;  // height of both title lines
constexpr ChartStyle kPaper{};

// Makes a page with titles and lets `draw` fill the room below them.
template <class Draw>
std::string page(
    const std::string& title, const std::string& note, double height, FigureFormat format, const Draw& draw) {
    const Box area{kPaperMargin, kPaperMargin + kTitles, kWidth - 2 * kPaperMargin, height};
    const auto canvas = make_canvas(format, kWidth, area.bottom() + kPaperMargin, clean_text(title));
    const auto line = [&](const std::string& text, double y, double size, Rgb color) {
        const FittedText fitted = fit_text(clean_text(text), area.width, size, 0.7 * size);
        canvas->text(fitted.text, {area.left, y}, {fitted.size, Anchor::start, color});
    };
    const double first = kPaperMargin + kPaperTitleSize * kCapital;
    line(title, first, kPaperTitleSize, kPaper.ink);
    line(note, first + 1.6 * kNoteSize, kNoteSize, kPaper.faint);
    draw(*canvas, area);
    return canvas->finish();
}

}  // namespace

std::string chart_file(const Chart& chart, const std::string& note, FigureFormat format) {
    return page(chart.title, note, kChartHeight, format, [&](Surface& surface, const Box& area) {
        draw_chart(surface, chart, area, kPaper);
    });
}

std::string chart_file(const DotChart& chart, const std::string& note, FigureFormat format) {
    const double height = height_of(chart, kPaper);
    return page(chart.title, note, height, format, [&](Surface& surface, const Box& area) {
        draw_dots(surface, chart, area, kPaper);
    });
}

}  // namespace stencil::figure
