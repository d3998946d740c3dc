#include "sim/web/equation_picture.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/editing/typeset.h"
#include "sim/figure/canvas.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

using editing::MathBox;

constexpr double kSize = 17, kGap = 8;

// Browsers may lack the font that was measured, so longer texts are given their width.
std::string glyphs_text(const MathBox::Glyphs& g, double y) {
    const double width = figure::text_width(g.text, g.size);
    const bool several = g.text.size() > utf8_length(g.text);
    return fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" font-size=\"{:.1f}\"{}>{}</text>",
        g.x,
        y + g.y,
        g.size,
        several ? fmt::format(" textLength=\"{:.1f}\" lengthAdjust=\"spacingAndGlyphs\"", width) : "",
        xml_escaped(g.text));
}

std::string bracket_text(const MathBox::Bracket& b, double y) {
    const double inner = b.x + (b.opens ? b.width : -b.width);
    const double control = b.x + (b.opens ? -b.width : b.width);
    return fmt::format("<path d=\"M{0:.1f} {1:.1f}Q{2:.1f} {3:.1f} {0:.1f} {4:.1f}\"/>",
                       inner,
                       y + b.top,
                       control,
                       y + (b.top + b.bottom) / 2,
                       y + b.bottom);
}

}  // namespace

std::string equation_picture(const equation::Statements& statements, double width) {
    const auto measure = [](std::string_view text, float size) {
        return float(figure::text_width(text, size));
    };
    std::string drawn;
    double y = 0, widest = 1;
    for (const auto& [box, mistake] : editing::typeset(statements, float(width), kSize, measure)) {
        y += box.ascent;
        for (const MathBox::Glyphs& g : box.glyphs) drawn += glyphs_text(g, y);
        for (const MathBox::Line& l : box.lines)
            drawn +=
                fmt::format("<path d=\"M{:.1f} {:.1f}L{:.1f} {:.1f}\"/>", l.x0, y + l.y0, l.x1, y + l.y1);
        for (const MathBox::Bracket& b : box.brackets) drawn += bracket_text(b, y);
        y += box.descent + kGap;
        widest = std::max(widest, double(box.width));
    }
    return fmt::format(
        "<svg class=\"equation\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "width=\"{:.0f}\" fill=\"currentColor\" font-family=\"'DejaVu Sans', Verdana, "
        "sans-serif\"><g>{}</g></svg>",
        xml_escaped(statements.text),
        widest + 2,
        std::max(y, 1.0),
        widest + 2,
        drawn);
}

}  // namespace stencil
