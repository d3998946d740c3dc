#include "sim/files/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>

#include "sim/files/field_file.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\"";
    const std::size_t begin = text.find_first_not_of(kSpace);
    return begin == text.npos ? "" : text.substr(begin, text.find_last_not_of(kSpace) - begin + 1);
}

// NaN for an empty cell; nothing for a word.
std::optional<double> cell_value(std::string_view text, char separator) {
    if (text.empty() || text == "NA" || text == "--" || text == "null") return kNone;
    std::string number(text.starts_with('+') ? text.substr(1) : text);
    if (separator == ';') std::ranges::replace(number, ',', '.');  // decimal commas of spreadsheets
    double value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (end != number.data() + number.size() || error == std::errc::invalid_argument) return std::nullopt;
    if (error == std::errc::result_out_of_range && number.find("e-") == number.npos) return HUGE_VAL;
    return value;
}

class TableReader {
  public:
    explicit TableReader(const std::string& file) : file_(file) {
        std::string text = file_.read_text();
        if (text.find('\0') != text.npos) file_.refuse("not a table of numbers");
        std::string_view rest = text;
        if (rest.starts_with("\xef\xbb\xbf")) rest.remove_prefix(3);
        for (long long line = 1; !rest.empty(); ++line) {
            const std::size_t end = std::min(rest.find('\n'), rest.size());
            add(rest.substr(0, end), line);
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        if (!ends_empty_) return;
        // A separator ends each line.
        std::size_t at = 0;
        std::erase_if(table_.values, [&](double) { return ++at % table_.columns == 0; });
        --table_.columns;
    }

    Table table() && { return std::move(table_); }

    // Rows of a field, or columns x, y and values.
    FoundField field(const FieldPlace& place) {
        const auto x = table_.column("x"), y = table_.column("y");
        if (x && y) return by_place(place, *x, *y);
        const std::size_t skipped = numbered_rows() ? 1 : 0;
        require_field_size(file_, table_.columns - std::min(skipped, table_.columns), table_.rows());
        Array<double> cells(int(table_.columns - skipped), int(table_.rows()));
        for (int row = 0; row < cells.ny(); ++row)
            for (int i = 0; i < cells.nx(); ++i)
                cells.at(i, row) =
                    table_.values[std::size_t(row) * table_.columns + std::size_t(i) + skipped];
        return made(std::move(cells));
    }

  private:
    void add(std::string_view line, long long number) {
        const std::string_view whole = trimmed(line);
        if (whole.empty() || whole.front() == '#' || whole.front() == '%') return;
        if (separator_ == 0)
            separator_ = line.find(';') != line.npos    ? ';'
                         : line.find(',') != line.npos  ? ','
                         : line.find('\t') != line.npos ? '\t'
                                                        : ' ';
        const std::vector<std::string_view> cells = split_line(separator_ == ' ' ? whole : line);
        const bool first = table_.names.empty() && table_.values.empty();
        std::vector<double> values;
        for (const std::string_view cell : cells) {
            const auto value = cell_value(cell, separator_);
            if (!value && first) return table_.names.assign(cells.begin(), cells.end());
            if (!value) file_.refuse(fmt::format("line {}: '{}' is not a number", number, quotable(cell)));
            values.push_back(*value);
        }
        if (first && counts_columns(values)) return table_.names.assign(cells.begin(), cells.end());
        if (table_.values.empty()) table_.columns = values.size();
        if (values.size() != table_.columns)
            file_.refuse(fmt::format(
                "line {} has {} values, and those above {}", number, values.size(), table_.columns));
        ends_empty_ = (table_.values.empty() || ends_empty_) && table_.columns > 1 && cells.back().empty();
        table_.values.insert(table_.values.end(), values.begin(), values.end());
    }

    std::vector<std::string_view> split_line(std::string_view line) const {
        std::vector<std::string_view> cells;
        for (;;) {
            const std::size_t end =
                std::min(separator_ == ' ' ? line.find_first_of(" \t") : line.find(separator_), line.size());
            if (separator_ != ' ' || end > 0) cells.push_back(trimmed(line.substr(0, end)));
            if (end == line.size()) return cells;
            line.remove_prefix(end + 1);
        }
    }

    // The line ",0,1,2" above a frame of pandas.
    static bool counts_columns(const std::vector<double>& values) {
        if (values.size() < 2 || !std::isnan(values[0])) return false;
        for (std::size_t i = 1; i < values.size(); ++i)
            if (values[i] != double(i - 1)) return false;
        return true;
    }

    bool numbered_rows() const { return !table_.names.empty() && table_.names.front().empty(); }

    FoundField by_place(const FieldPlace& place, std::size_t x, std::size_t y) {
        std::vector<std::string> names;
        std::vector<std::size_t> columns;
        for (std::size_t i = 0; i < std::min(table_.names.size(), table_.columns); ++i) {
            const std::string name = table_.bare_name(i);
            if (i == x || i == y || name.empty() || name == "t" || name == "time" || name == "step") continue;
            names.push_back(name);
            columns.push_back(i);
        }
        const std::size_t value = columns[chosen_variable(file_, place, names)];
        const std::map<double, int> along_x = places_of(x), along_y = places_of(y);
        require_field_size(file_, along_x.size(), along_y.size());
        constexpr std::size_t kFewest = 64;  // a sixty-fourth of the rectangle has values
        if (along_x.size() * along_y.size() / kFewest > table_.rows())
            file_.refuse(fmt::format("{} different x and {} different y in {} lines are no grid",
                                     along_x.size(),
                                     along_y.size(),
                                     table_.rows()));
        Array<double> cells(int(along_x.size()), int(along_y.size()));
        std::ranges::fill(cells.cells(), kNone);
        std::vector<bool> given(cells.size());
        for (std::size_t row = 0; row < table_.rows(); ++row) {
            const double* const line = &table_.values[row * table_.columns];
            const int i = along_x.at(line[x]), j = along_y.at(line[y]);
            const std::size_t cell = std::size_t(j) * along_x.size() + std::size_t(i);
            if (given[cell]) file_.refuse(fmt::format("two values at x = {}, y = {}", line[x], line[y]));
            given[cell] = true;
            cells.at(i, j) = line[value];
        }
        return made(std::move(cells));
    }

    std::map<double, int> places_of(std::size_t column) const {
        std::map<double, int> places;
        for (std::size_t row = 0; row < table_.rows(); ++row) {
            const double place = table_.values[row * table_.columns + column];
            if (!std::isfinite(place)) file_.refuse("a line without x or y");
            places[place] = 0;
        }
        int next = 0;
        for (auto& [place, index] : places) index = next++;
        return places;
    }

    static FoundField made(Array<double> cells) {
        const auto kept = std::make_shared<Array<double>>(std::move(cells));
        return {kept->nx(), kept->ny(), [kept] { return Field(kept->clone()); }};
    }

    InputFile file_;
    char separator_ = 0;
    Table table_;
    bool ends_empty_ = false;
};

}  // namespace

std::optional<std::size_t> Table::column(std::string_view name) const {
    for (std::size_t i = 0; i < std::min(names.size(), columns); ++i)
        if (names[i] == name || names[i].starts_with(std::string(name) + " (")) return i;
    return std::nullopt;
}

bool is_table_file(const std::string& file) {
    const FieldFormat* format = find_format(file);
    return format && format->open == open_table;
}

Table read_table(const std::string& file) {
    return TableReader(file).table();
}

FoundField open_table(const FieldPlace& place) {
    return TableReader(place.file).field(place);
}

}  // namespace stencil
