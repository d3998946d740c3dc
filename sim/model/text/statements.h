// A model's text as statements, as typed: evolutions, definitions, settings and boundary conditions. Names
// are resolved later.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/model/text/syntax.h"

namespace stencil::equation {

/// A name that `complex psi` declares: a component of two parts, psi_re and psi_im.
struct ComplexName {
    std::string name;
    TextSpan span;
};
/// The components that are the parts of a complex component.
std::array<std::string, 2> parts_of(std::string_view complex_name);

/// An evolution: du/dt = formula, or u' = formula.
struct Evolution {
    std::string component;
    bool rate = true;  ///< else `formula` is the next value
    Syntax formula;
    TextSpan span;  ///< position of the component's name
};

/// A definition NAME = formula, or an initial value NAME(0) = formula.
struct NamedFormula {
    std::string name;
    Syntax formula;
    TextSpan span;  ///< position of the name
};

/// A function of the text's own: f(u, v) = formula.
struct OwnFunction {
    Syntax head;  ///< the call with the names of its arguments: f(u, v)
    Syntax formula;
    std::string name;
    TextSpan span;  ///< position of the name
};

/// An equation without time derivative for a field that has no evolution: lap(psi) = -w.
struct EllipticStatement {
    Syntax left, right;
    TextSpan span;
};

/// A parameter: NAME = number [in [low, high]] [unit].
struct ParameterStatement {
    std::string name;
    double value = 0, low = 0, high = 0;  ///< low = high if no range was given
    std::string unit;
    TextSpan span;           ///< position of the name
    TextSpan number, range;  ///< positions of the value and of [low, high]
};

/// Where a condition holds; `edge` is the edge of `inside`.
enum class Side { left, right, top, bottom, edge };
inline constexpr std::array kSides{Side::left, Side::right, Side::top, Side::bottom};
inline constexpr std::array kSideNames{"left", "right", "top", "bottom", "edge"};

/// A boundary condition on one side: an equation `left = right` in the value on the face and flux(), or a
/// word (periodic, insulated, zero).
struct SideStatement {
    Side side = Side::left;
    std::string word;           ///< empty: an equation
    Syntax left, right;         ///< sides of the equation
    int named = 1;              ///< number of sides that its label names (4 for `all`)
    TextSpan span;              ///< position of the label
    std::size_t statement = 0;  ///< index in Statements::places
};

/// A setting with a number, a word or a string: dx = 1, integrator = rk4, source = "...".
struct SettingStatement {
    std::string name, text;  ///< the text of a number is what it comes to: 0.125 of 1/8
    double number = 0;
    TextSpan span;  ///< position of the value
};

/// NAME = ..., NAME(0) = ..., left: ... and all others.
enum class StatementForm { value, start, side, other };

/// The position of a statement of any kind.
struct StatementPlace {
    StatementForm form = StatementForm::other;
    std::string name;
    TextSpan span, value;  ///< the whole statement, and the part after '='
};

struct Statements {
    std::string text;
    std::vector<StatementPlace> places;
    std::vector<Evolution> evolutions;
    std::vector<ComplexName> complex;
    std::vector<NamedFormula> definitions, initials;
    std::vector<OwnFunction> functions;
    /// Components whose equation is of second order in time: u_tt = ... stands for du/dt = u_t and du_t/dt =
    /// ...
    std::vector<std::string> second_order;
    std::vector<EllipticStatement> elliptic;
    std::vector<ParameterStatement> parameters;
    std::vector<SideStatement> sides;
    std::vector<SideStatement> edges;  ///< conditions at the edge of `inside`
    std::vector<SettingStatement> settings;
    std::optional<std::array<Syntax, 2>> origin;  ///< x and y of the field's corner, given by `origin = ...`
    std::vector<TextSpan> unreadable;             ///< statements with errors, only from readable_statements()

    /// The value that it states of a setting; empty if it states none.
    std::string value(std::string_view setting) const;
};

enum class SettingForm { number, time_step, word, size, string, formulas, condition };
struct SettingWord {
    std::string name, help;
};
struct SettingRow {
    std::string_view name;
    SettingForm form;
    std::string_view allowed;  ///< allowed values, for messages
    std::string_view example;  ///< of a value
    /// The words that an editor offers. Null: names of the model, or none.
    std::vector<SettingWord> (*words)() = nullptr;
    /// The parser of the setting. Returns the value as the setting writes it. Throws InputError. Null: the
    /// form alone decides.
    std::string (*parse)(std::string_view) = nullptr;
};
std::span<const SettingRow> setting_rows();
/// The present name of a setting, for a former one too; any other name unchanged.
std::string_view setting_name(std::string_view written);

/// The words that name sides before ':': left, x, all ...
std::vector<std::string> side_words();
/// The keyword that declares complex components.
inline constexpr std::string_view kComplex = "complex";
/// The word before ':' for the edge of `inside`.
inline constexpr std::string_view kEdge = "edge";

bool is_complex(const Statements& statements, std::string_view name);
/// The name of a component's rate of change, which is a component where its equation is of second order: u_t.
std::string rate_name(std::string_view component);
/// The components in the order of their equations, complex ones as their parts.
std::vector<std::string> component_names(const Statements& statements);

/// Parses a text into statements. Throws TextError.
Statements read_statements(std::string_view text);
/// Reads a text while it is being typed: statements with errors are left out and listed in `unreadable`.
Statements readable_statements(std::string_view text);

/// The value of a formula of numbers alone; empty if it contains names or field functions.
std::optional<double> constant_value(const Syntax& formula);

}  // namespace stencil::equation
