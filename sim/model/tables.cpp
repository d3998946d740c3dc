// Tables of two columns in formulas, table("side.csv", t): linear between their rows, constant beyond.
#include <algorithm>
#include <vector>

#include "sim/files/input_file.h"
#include "sim/model/semantics.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kMostRows = 2000;
constexpr std::size_t kMostRowsOfCell = 64;  ///< of a table that is looked up in each cell

struct Row {
    double at, value;
};

// The numbers of a line, which commas, semicolons, tabs or blanks separate; empty if it has other words.
std::vector<double> numbers_of(std::string_view line) {
    std::vector<double> numbers;
    constexpr std::string_view kBetween = ",; \t\r";
    for (std::size_t at = line.find_first_not_of(kBetween); at < line.size();) {
        const std::size_t end = std::min(line.find_first_of(kBetween, at), line.size());
        const auto number = read_real(line.substr(at, end - at));
        if (!number) return {};
        numbers.push_back(*number);
        at = line.find_first_not_of(kBetween, end);
    }
    return numbers;
}

// Throws InputError for what is no table of two columns, whose first one rises.
std::vector<Row> read_table(const std::string& name) {
    constexpr std::uintmax_t kMostBytes = 1 << 20;
    InputFile file(name);
    const std::string text = file.read_text(kMostBytes);
    std::vector<Row> rows;
    std::size_t line_number = 0;
    bool has_names = false;
    for (std::size_t begin = text.starts_with("\ufeff") ? 3 : 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::string_view line = std::string_view(text).substr(begin, end - begin);
        begin = end + 1;
        ++line_number;
        const std::size_t first = line.find_first_not_of(" \t\r");
        if (first == line.npos || line[first] == '#') continue;
        const std::vector<double> numbers = numbers_of(line);
        if (numbers.empty() && rows.empty() && !std::exchange(has_names, true)) continue;
        const auto refuse = [&](std::string_view what) {
            file.refuse(fmt::format("line {}: {}", line_number, what));
        };
        if (numbers.size() != 2)
            refuse("a table has two columns of numbers, and a line of names may stand first");
        if (!rows.empty() && !(rows.back().at < numbers[0])) refuse("the first column rises from row to row");
        if (rows.size() == kMostRows) refuse(fmt::format("a table has at most {} rows", kMostRows));
        rows.push_back({numbers[0], numbers[1]});
    }
    if (rows.empty()) file.refuse("there are no numbers in it");
    return rows;
}

// The lines between the rows from `first` to `last`, found by halving.
Node between(Graph& g, const std::vector<Row>& rows, Node of, std::size_t first, std::size_t last) {
    if (last - first > 1) {
        const std::size_t middle = (first + last) / 2;
        const Node below = g.make(Op::less, {of, g.number(rows[middle].at)});
        return g.make(Op::select,
                      {below, between(g, rows, of, first, middle), between(g, rows, of, middle, last)});
    }
    const auto [at, value] = rows[first];
    const double slope = (rows[last].value - value) / (rows[last].at - at);
    return g.add(g.number(value), g.multiply(g.number(slope), g.subtract(of, g.number(at))));
}

}  // namespace

Value Semantics::table(const Syntax& call, Node of) {
    const Syntax& file = call.args[0];
    if (file.kind != SyntaxKind::string)
        refuse(file.span, "`table` takes a file's name in quotes: table(\"side.csv\", t)");
    std::vector<Row> rows;
    try {
        rows = read_table(file.text);
    } catch (const InputError& error) {
        refuse(file.span, error.sentence());
    }
    Graph& g = graph();
    const Dependence& depends = g.depends(of);
    if ((depends.cell || (depends.column && depends.row)) && rows.size() > kMostRowsOfCell)
        refuse(call.args[1].span,
               "a table of {} rows is of t, x or y; one that is looked up in each cell has at most {} rows",
               rows.size(),
               kMostRowsOfCell);
    if (rows.size() == 1) return g.number(rows[0].value);
    const Node within =
        g.make(Op::minimum, {g.make(Op::maximum, {of, g.number(rows.front().at)}), g.number(rows.back().at)});
    return between(g, rows, within, 0, rows.size() - 1);
}

}  // namespace stencil::equation
