// Formulas of VisualPDE in words of the language here. Its y axis points up: where y is a name, or a
// derivative along it, the sign turns.
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
    bool is_number = false;  ///< else a definition; FormulaWriter sets it
};

/// Definitions that a text needs besides its formulas.
struct Needs {
    bool x = false, y = false;        ///< definitions of the places
    std::vector<std::string> files;   ///< pictures: I_S, I_TR ...
    std::vector<std::string> noises;  ///< definitions of white noise
    bool integral = false;            ///< that of the whole field
};

/// Where a formula is read. Only in cells it has the names of definitions; conditions are about the outermost
/// cells at sides, and about each cell at the edge of a domain.
enum class Place { cell, edge, side };

class FormulaWriter {
  public:
    FormulaWriter(std::vector<std::string> species, std::vector<Parameter> parameters);

    /// Sets where the axes begin, as they were typed.
    void set_origin(const std::string& x, const std::string& y);
    /// Sets what GlobalInt is the integral of, as it was typed, over a line of cells or the whole field.
    void set_integral(const std::string& of, bool along_line);
    std::string write(std::string_view typed, Place place = Place::cell);
    /// The formula's value, if it is made of numbers and parameters.
    std::optional<double> value(std::string_view typed);

    bool has_picture(std::string_view typed) const;
    bool has_species(std::string_view typed) const;
    /// Whether it has derivatives of species, or reads their neighbours.
    bool has_slopes(std::string_view typed) const;
    /// Whether the names occur, also in parameters that the formula uses.
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
    std::map<std::string, std::size_t, std::less<>> places_;  ///< of the parameters, by name
    std::string x_origin_, y_origin_;                         ///< empty: 0
    std::string integrand_ = "0";
    bool along_line_ = false;
    Place place_ = Place::cell;
    bool numbers_ = false;
    int deep_ = 0;
    std::size_t written_ = 0;  ///< pieces
};

}  // namespace stencil::import
