// Sets parsed formulas as mathematics: boxes of positioned glyphs and lines, which any surface can draw.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/statements.h"

namespace stencil::editing {

/// The width of a text in a font of this size.
using Measure = std::function<float(std::string_view text, float size)>;

/// A formula with its parts; y points down from the base line.
struct MathBox {
    struct Glyphs {
        float x, y, size;
        std::string text;
    };
    struct Line {
        float x0, y0, x1, y1;
    };
    /// A round bracket as high as its content, `x` its outer side.
    struct Bracket {
        float x, top, bottom, width;
        bool opens;
    };
    float width = 0, ascent = 0, descent = 0;
    std::vector<Glyphs> glyphs;
    std::vector<Line> lines;
    std::vector<Bracket> brackets;
};

/// Sets a formula in one line; as it was typed if it is nested too deep.
MathBox typeset(const equation::Syntax& formula, float size, const Measure& measure);

/// Sets every equation, definition, initial condition and side of a text, each in as many lines as the width
/// needs. Statements that cannot be read are set as they were typed, in red.
struct TypesetLine {
    MathBox box;
    bool mistake = false;
};
std::vector<TypesetLine> typeset(const equation::Statements& statements,
                                 float width,
                                 float size,
                                 const Measure& measure);

}  // namespace stencil::editing
