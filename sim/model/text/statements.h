// A model's text as statements: what is evolved, defined, set and demanded at the sides, as typed. What names
// mean is looked into later.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/syntax.h"

namespace stencil::equation {

/// du/dt = formula, or u' = formula.
struct Evolution {
    std::string component;
    bool rate = true;  ///< else the next value outright
    Syntax formula;
    Place place;  ///< of the component's name
};

/// NAME = formula; NAME(0) = formula.
struct NamedFormula {
    std::string name;
    Syntax formula;
    Place place;  ///< of the name
};

/// NAME = number [in [low, high]] [unit].
struct ParameterStatement {
    std::string name;
    double value = 0, low = 0, high = 0;  ///< low = high: no range was given
    std::string unit;
    Place place;  ///< of the name
};

enum class Side { left, right, top, bottom };
inline constexpr std::array kSides{Side::left, Side::right, Side::top, Side::bottom};

/// On one side: `left = right` at it as an equation for the value on the face and flux(), or a word
/// (periodic, insulated, zero).
struct SideStatement {
    Side side = Side::left;
    std::string word;    ///< empty: an equation
    Syntax left, right;  ///< of the equation
    int named = 1;       ///< how many sides its name stands for
    Place place;
};

/// dx = 1, stepper = rk4, source = "..."; numbers, words and texts.
struct SettingStatement {
    std::string name, text;
    double number = 0;
    Place place;  ///< of the value
};

struct Statements {
    std::string text;
    std::vector<Evolution> evolutions;
    std::vector<NamedFormula> definitions, initials;
    std::vector<ParameterStatement> parameters;
    std::vector<SideStatement> sides;
    std::vector<SettingStatement> settings;
};

/// What stands before '=' and sets something: dx, stepper, ...
std::vector<std::string> setting_names();

/// Throws TextError.
Statements read_statements(std::string_view text);

/// The value of a formula of numbers alone; empty where it has names or functions of fields.
std::optional<double> constant_value(const Syntax& formula);

}  // namespace stencil::equation
