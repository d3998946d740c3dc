// Formulas of Ready: statements in OpenCL C that each cell executes in order.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/import/pieces.h"

namespace stencil::import {

/// Converts statements to equations: each assignment becomes a definition, which later statements refer to,
/// and the values at the end are the next state.
class CodeReader {
  public:
    CodeReader(std::vector<std::string> chemicals, const std::vector<std::string>& parameters);

    /// Reads statements: assignments, `if`, and loops over arrays whose bounds are numbers. Throws InputError
    /// for any other control flow.
    void read(std::string_view code);
    /// The resulting definitions and equations.
    std::vector<std::string> lines();

    Names names;

  private:
    void statements(Pieces pieces);
    std::size_t branch(Pieces pieces, std::size_t at);
    std::size_t loop(Pieces pieces, std::size_t at);
    void in_case(const std::string& condition, Pieces body);
    void statement(Pieces pieces);
    void declare(const std::string& target, bool integer);
    bool is_integer(std::string_view name) const;
    bool is_whole(Pieces pieces) const;
    std::optional<std::string> whole_quotient(const std::string& above, Pieces below);
    void assign(const std::string& target, std::string text);
    std::string condition(Pieces pieces);
    std::string write(Pieces pieces);
    std::string call(const std::string& function, Pieces arguments);
    std::string name(const std::string& name);
    std::string stencil(std::string_view kind, const std::string& chemical);
    bool is_chemical(std::string_view name) const;
    bool is_rate(std::string_view name) const;
    bool has_value(const std::string& name) const;

    std::vector<std::string> chemicals_;
    /// The current name of each assigned variable in the resulting text; for an int, its value.
    std::map<std::string, std::string, std::less<>> now_;
    std::vector<std::map<std::string, std::string>> outer_;  ///< by open block: the outer variables that its
                                                             ///< own hide
    std::map<std::string, std::string> sums_;  ///< definitions of sums over cells, by their names in Ready
    std::vector<std::string> definitions_;
    std::vector<std::string> conditions_;  ///< of the branches that enclose the current statement
    std::size_t statements_ = 0, repeated_ = 0;
    int deep_ = 0;
};

}  // namespace stencil::import
