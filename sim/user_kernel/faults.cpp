#include "sim/user_kernel/faults.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

namespace stencil::user_kernel {
namespace {

std::string number(double value) {
    return std::isnan(value) ? "not a number" : fmt::format("{:.9g}", value);
}

// A place outside of the field, seen from it.
std::string outside_words(const GuardedShape& shape, std::size_t i) {
    const auto first = std::ptrdiff_t(shape.at(0, 0)), end = std::ptrdiff_t(shape.at(0, shape.ny));
    const auto at = std::ptrdiff_t(i);
    if (at < first) return fmt::format("{} cells before the first one", first - at);
    if (at >= end) return fmt::format("{} cells behind the last row", at - end + 1);
    const std::ptrdiff_t y = (at - first) / shape.pitch, x = (at - first) % shape.pitch;
    return fmt::format("{} right of ({}, {})", x - shape.nx + 1, shape.nx - 1, y);
}

template <class T>
std::string write_outside(const GuardedShape& shape, const Cells<T>& cells, const char* name) {
    long long count = 0;
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        if (shape.inside(i) || bits_of(cells[i]) == bits_of(band_mark<T>())) continue;
        // What lies beside a cell says more than what lies far before the field.
        if (!first || *first < shape.band) first = i;
        ++count;
    }
    if (!first) return "";
    return fmt::format(
        "writes outside of the field: {} cell{} of `{}`, such as {}: ask whether x < size.nx and y < size.ny "
        "before you write",
        count,
        count == 1 ? "" : "s",
        name,
        outside_words(shape, *first));
}

template <class T>
std::string write_to_source(const Outcome<T>& o) {
    for (int y = 0; y < o.shape.ny; ++y)
        for (int x = 0; x < o.shape.nx; ++x)
            if (const std::size_t i = o.shape.at(x, y); bits_of(o.before[i]) != bits_of(o.after[i]))
                return fmt::format(
                    "changes `from`, first in the cell ({}, {}): other blocks still read it; write to `to` "
                    "alone",
                    x,
                    y);
    return "";
}

template <class T>
Shape shape_of(const Outcome<T>& o) {
    return {o.shape.nx, o.shape.ny, o.tile_x, o.tile_y};
}

template <class T>
bool is_unwritten(T value) {
    return bits_of(value) == bits_of(unwritten_mark<T>());
}

// The cells of the field for which a condition holds, row by row.
template <class Condition>
std::vector<Place> places(const GuardedShape& shape, Condition&& holds) {
    std::vector<Place> found;
    for (int y = 0; y < shape.ny; ++y)
        for (int x = 0; x < shape.nx; ++x)
            if (holds(x, y)) found.push_back({x, y});
    return found;
}

std::string count_words(const std::vector<Place>& cells, const Shape& shape, const char* what) {
    const Where where = where_are(cells, shape);
    const long long total = static_cast<long long>(shape.nx) * shape.ny;
    if (where == Where::all) return fmt::format("every cell is {}", what);
    const std::string words = words_for(where, shape);
    return fmt::format(
        "{} of {} cells are {}{}{}", cells.size(), total, what, words.empty() ? "" : ", ", words);
}

template <class T>
std::string never_written(const Outcome<T>& o) {
    const auto cells = places(o.shape, [&](int x, int y) { return is_unwritten(o.made[o.shape.at(x, y)]); });
    if (cells.empty()) return "";
    return fmt::format("{}: the first is ({}, {}); the grid has a block for every {}x{} cells",
                       count_words(cells, shape_of(o), "never written"),
                       cells.front().x,
                       cells.front().y,
                       o.tile_x,
                       o.tile_y);
}

// The right field moved by some cells is what was made: within the field, where there is enough of it.
template <class T>
bool is_moved(const Outcome<T>& o, int dx, int dy) {
    if (o.shape.nx < 8 || o.shape.ny < 8) return false;
    for (int y = 2; y < o.shape.ny - 2; ++y)
        for (int x = 2; x < o.shape.nx - 2; ++x)
            if (!(std::abs(double(o.made[o.shape.at(x, y)]) - o.right.at(x + dx, y + dy)) <= o.tolerance))
                return false;
    return true;
}

template <class T>
std::string advice_for_most(const Outcome<T>& o) {
    const auto same = [&](int x, int y) {
        return bits_of(o.made[o.shape.at(x, y)]) == bits_of(o.before[o.shape.at(x, y)]);
    };
    if (places(o.shape, same).size() == std::size_t(o.shape.nx) * std::size_t(o.shape.ny))
        return "the field is as it was: nothing was added to it";
    for (const auto& [dx, dy, whose] : {std::tuple(1, 0, "to the right"),
                                        std::tuple(-1, 0, "to the left"),
                                        std::tuple(0, 1, "below"),
                                        std::tuple(0, -1, "above")})
        if (is_moved(o, dx, dy)) return fmt::format("each has the value of the cell {}", whose);
    return "";
}

std::string boundary_words(const std::string& boundary) {
    if (boundary == "zero") return "under the zero boundary what lies outside is 0";
    if (boundary == "insulated")
        return "under the insulated boundary what lies outside is as the cell at the edge";
    if (boundary == "periodic") return "under the periodic boundary the field goes on at its other side";
    return "the model's boundary is to be kept there";
}

template <class T>
std::string advice(const Outcome<T>& o, const std::vector<Place>& wrong) {
    const Place first = wrong.front();
    const double got = double(o.made[o.shape.at(first.x, first.y)]);
    const double right = o.right.at(first.x, first.y);
    if (std::isnan(got))
        return "it comes from outside of the field, or from `to` before that is written: ask before you read";
    const Where where = where_are(wrong, shape_of(o));
    switch (where) {
        case Where::last_column:
        case Where::first_column:
        case Where::last_row:
        case Where::first_row:
        case Where::edge:
            return boundary_words(o.boundary);
        case Where::tile_edges:
            return "a cell there needs neighbours that another block makes";
        case Where::last_columns:
        case Where::last_rows:
            return "the blocks there stick out of the field";
        default:
            break;
    }
    if (sizeof(T) == sizeof(double) && std::abs(got - right) <= 1e-5 * std::abs(right))
        return "so little is the rounding of float: is there a float, or a number such as 0.2f?";
    return 4 * wrong.size() >= 3 * o.right.size() ? advice_for_most(o) : "";
}

template <class T>
std::string wrong_values(const Outcome<T>& o) {
    const auto is_wrong = [&](int x, int y) {
        const double right = o.right.at(x, y);
        // Negated, so that what is no number is wrong.
        return std::isfinite(right) && !(std::abs(double(o.made[o.shape.at(x, y)]) - right) <= o.tolerance);
    };
    const auto wrong = places(o.shape, is_wrong);
    if (wrong.empty()) return "";
    const Place first = wrong.front();
    const std::string hint = advice(o, wrong);
    return fmt::format("{}: the first, ({}, {}), is {}, and {} would be right{}{}",
                       count_words(wrong, shape_of(o), "wrong"),
                       first.x,
                       first.y,
                       number(double(o.made[o.shape.at(first.x, first.y)])),
                       number(o.right.at(first.x, first.y)),
                       hint.empty() ? "" : ": ",
                       hint);
}

}  // namespace

template <class T>
std::string fault_of(const Outcome<T>& o) {
    std::string fault = write_outside(o.shape, o.made, "to");
    if (fault.empty()) fault = write_outside(o.shape, o.after, "from");
    if (fault.empty()) fault = write_to_source(o);
    if (fault.empty()) fault = never_written(o);
    if (fault.empty()) fault = wrong_values(o);
    if (fault.empty() || o.component.empty()) return fault;
    return fmt::format("{}: {}", o.component, fault);
}

template <class T>
std::string difference_of(const GuardedShape& shape, const Cells<T>& first, const Cells<T>& second) {
    const auto cells = places(shape, [&](int x, int y) {
        return bits_of(first[shape.at(x, y)]) != bits_of(second[shape.at(x, y)]);
    });
    if (cells.empty()) return "";
    return fmt::format(
        "twice the same launch gives different results: {} cells differ, first ({}, {}): {} and {}: threads "
        "write "
        "or read the same place in no fixed order",
        cells.size(),
        cells.front().x,
        cells.front().y,
        number(double(first[shape.at(cells.front().x, cells.front().y)])),
        number(double(second[shape.at(cells.front().x, cells.front().y)])));
}

template <class T>
double largest_error(const Outcome<T>& o) {
    double largest = 0;
    for (int y = 0; y < o.shape.ny; ++y)
        for (int x = 0; x < o.shape.nx; ++x)
            if (std::isfinite(o.right.at(x, y)))
                largest = std::max(largest, std::abs(double(o.made[o.shape.at(x, y)]) - o.right.at(x, y)));
    return largest;
}

template std::string fault_of<float>(const Outcome<float>&);
template std::string fault_of<double>(const Outcome<double>&);
template std::string difference_of<float>(const GuardedShape&, const Cells<float>&, const Cells<float>&);
template std::string difference_of<double>(const GuardedShape&, const Cells<double>&, const Cells<double>&);
template double largest_error<float>(const Outcome<float>&);
template double largest_error<double>(const Outcome<double>&);

}  // namespace stencil::user_kernel
