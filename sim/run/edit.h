// Changes in mid-run, as --at and spec.json spell them: 120:coefficient=0.1, 300:paint=1,20,replace,64.5,80.
#pragma once

#include <string>
#include <string_view>

#include "kernels/view/brush.h"

namespace stencil {

/// How far a change of a setting reaches.
enum class SettingKind {
    view,       ///< what is shown or written; the field knows nothing of it
    parameter,  ///< coefficient and boundary: from the next step on
    device,     ///< where and how it is stepped: the field goes on
    shape,      ///< size and precision: the field is carried over
    origin,     ///< what the field started from: a new run
};

SettingKind kind_of(std::string_view setting);

/// One change at one step: a setting's new value, or, where `setting` is "paint", a piece of a brush stroke
/// as VALUE,RADIUS,STYLE,X,Y (a point) or VALUE,RADIUS,STYLE,X0,Y0,X1,Y1 (joined to the piece before), STYLE
/// being replace, replace-soft, add or add-soft.
struct Edit {
    long long step = 0;
    std::string setting;
    std::string value;
    friend bool operator==(const Edit&, const Edit&) = default;
};

inline constexpr std::string_view kPaint = "paint";

/// Reads STEP:SETTING=VALUE; the value is checked. Throws InputError.
Edit parse_edit(std::string_view text);
std::string to_string(const Edit& edit);

/// The value of a paint edit, and back: exact for coordinates that are short in decimal.
BrushPiece parse_piece(std::string_view text);
std::string to_string(const BrushPiece& piece);

}  // namespace stencil
