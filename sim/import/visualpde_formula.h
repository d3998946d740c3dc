// Translates formulas of VisualPDE to the language here. VisualPDE's y axis points up, so y and derivatives
// along y change sign.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/pieces.h"

namespace stencil::import {

/// A parameter as it was typed.
struct Parameter {
    std::string name;
    std::vector<Piece> value;
    std::string range;       ///< "[0, 1]", or empty
    bool is_number = false;  ///< otherwise a definition; set by FormulaWriter
};

/// Definitions that the text needs in addition to its formulas.
struct Needs {
    bool x = false, y = false;        ///< definitions of the coordinates
    std::vector<std::string> files;   ///< pictures: I_S, I_TR ...
    std::vector<std::string> noises;  ///< definitions of white noise
    bool integral = false;            ///< the definition of the integral over the whole field
};

/// Where a formula is evaluated. Names of definitions are used in cells only; conditions apply to the
/// outermost cells at sides, and to each cell at the edge of a domain.
enum class Place { cell, edge, side };

class FormulaWriter {
  public:
    FormulaWriter(std::vector<std::string> species, std::vector<Parameter> parameters);

    /// Sets the origins of the axes, as typed.
    void set_origin(const std::string& x, const std::string& y);
    /// Sets the integrand of GlobalInt, as typed; the integral is over a line of cells or the whole field.
    void set_integral(const std::string& of, bool along_line);
    std::string write(std::string_view typed, Place place = Place::cell);
    /// The formula's value if it consists of numbers and parameters.
    std::optional<double> value(std::string_view typed);

    bool has_picture(std::string_view typed) const;
    bool has_species(std::string_view typed) const;
    /// Whether it contains derivatives of species or reads neighbours.
    bool has_slopes(std::string_view typed) const;
    /// Whether the names occur, also in the parameters that the formula uses.
    bool uses(std::string_view typed, const std::vector<std::string>& wanted) const;
    /// Whether the formula is the same in all cells.
    bool is_uniform(std::string_view typed) const;

    const std::vector<std::string>& species() const { return species_; }
    const std::vector<Parameter>& parameters() const { return parameters_; }
    Names names;
    Needs needs;
    std::string x_name, y_name;

  private:
    std::string write(Pieces pieces);
    std::string name(const std::string& name);
    std::string call(const std::string& function, Pieces arguments);
    std::string neighbour(const std::string& of, Pieces arguments);
    std::optional<std::string> derivative(const std::string& name);
    std::string coordinate(bool along_x);
    std::optional<int> cells(Pieces place, bool along_x);
    std::string outermost(bool interior) const;
    std::string noise(const std::string& name);
    std::string picture(const std::string& name, Pieces place = {});
    const Parameter* parameter(std::string_view name) const;
    const std::string* species_called(std::string_view name) const;

    std::vector<std::string> species_;
    std::vector<Parameter> parameters_;
    std::map<std::string, std::size_t, std::less<>> places_;  ///< index of each parameter, by name
    std::string x_origin_, y_origin_;                         ///< empty: 0
    std::string integrand_ = "0";
    bool along_line_ = false;
    Place place_ = Place::cell;
    bool numbers_ = false;
    int deep_ = 0;
    std::size_t written_ = 0;  ///< number of pieces
};

}  // namespace stencil::import
