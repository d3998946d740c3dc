// Tables of numbers: .csv and .txt files as NumPy, pandas and spreadsheets write them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {

struct Table {
    std::vector<std::string> names;  ///< of the columns; empty: there is no line of names
    std::size_t columns = 0;
    std::vector<double> values;  ///< row by row; NaN where a cell is empty

    std::size_t rows() const { return columns > 0 ? values.size() / columns : 0; }
    double at(std::size_t row, std::size_t column) const { return values[row * columns + column]; }
    /// A column by its name, which may have a unit behind it: `x (mm)`.
    std::optional<std::size_t> column(std::string_view name) const;
    /// The name of a column without its unit.
    std::string bare_name(std::size_t column) const {
        return names[column].substr(0, names[column].find(" ("));
    }
};

/// Whether a file's name is that of a table.
bool is_table_file(const std::string& file);

/// Throws InputError.
Table read_table(const std::string& file);

}  // namespace stencil
