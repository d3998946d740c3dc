#include "sim/kernel_trial/faults.h"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <optional>
#include <tuple>

namespace stencil::user_kernel {
namespace {

struct Cell {
    int x = 0, y = 0;
};

std::string number(double value) {
    return std::isnan(value) ? "not a number" : fmt::format("{:.9g}", value);
}

std::string boundary_words(const std::string& boundary) {
    if (boundary == "zero") return "under the zero boundary what lies outside is 0";
    if (boundary == "insulated")
        return "under the insulated boundary what lies outside is as the cell at the edge";
    if (boundary == "periodic") return "under the periodic boundary the field goes on at its other side";
    return "the model's boundary is to be kept there";
}

/// A region of the field, and a likely reason for faults there.
struct Region {
    std::string words, advice;
};

template <class T>
class Finder {
  public:
    explicit Finder(const Outcome<T>& outcome)
        : o_(outcome), shape_(outcome.shape), nx_(shape_.nx), ny_(shape_.ny) {}

    std::string fault() const {
        std::string fault = written_outside(o_.made, "to");
        if (fault.empty()) fault = written_outside(o_.after, "from");
        if (fault.empty()) fault = written_to_source();
        if (fault.empty()) fault = never_written();
        if (fault.empty()) fault = wrong_values();
        return fault.empty() || o_.component.empty() ? fault : fmt::format("{}: {}", o_.component, fault);
    }

    std::string difference(const Cells<T>& again) const {
        const auto cells = cells_where([&](int x, int y) { return !same(o_.made, again, x, y); });
        if (cells.empty()) return "";
        const std::size_t first = shape_.at(cells.front().x, cells.front().y);
        return fmt::format(
            "twice the same launch gives different results: {} cells differ, first ({}, {}): {} and {}: "
            "threads write or read the same place in no fixed order",
            cells.size(),
            cells.front().x,
            cells.front().y,
            number(double(o_.made[first])),
            number(double(again[first])));
    }

  private:
    double made(int x, int y) const { return double(o_.made[shape_.at(x, y)]); }
    std::size_t total() const { return std::size_t(nx_) * std::size_t(ny_); }
    bool same(const Cells<T>& a, const Cells<T>& b, int x, int y) const {
        return bits_of(a[shape_.at(x, y)]) == bits_of(b[shape_.at(x, y)]);
    }

    // Lists the cells of the field that satisfy a condition, row by row.
    template <class Condition>
    std::vector<Cell> cells_where(Condition&& holds) const {
        std::vector<Cell> found;
        for (int y = 0; y < ny_; ++y)
            for (int x = 0; x < nx_; ++x)
                if (holds(x, y)) found.push_back({x, y});
        return found;
    }

    // Describes the position of a cell outside the field.
    std::string outside_words(std::size_t i) const {
        const auto first = std::ptrdiff_t(shape_.at(0, 0)), end = std::ptrdiff_t(shape_.at(0, ny_));
        const auto at = std::ptrdiff_t(i);
        if (at < first) return fmt::format("{} cells before the first one", first - at);
        if (at >= end) return fmt::format("{} cells behind the last row", at - end + 1);
        const std::ptrdiff_t y = (at - first) / shape_.pitch, x = (at - first) % shape_.pitch;
        return fmt::format("{} right of ({}, {})", x - nx_ + 1, nx_ - 1, y);
    }

    std::string written_outside(const Cells<T>& cells, const char* name) const {
        long long count = 0;
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (shape_.inside(i) || bits_of(cells[i]) == bits_of(band_mark<T>())) continue;
            // A cell near a row is more informative than one far before the field.
            if (!first || *first < shape_.band) first = i;
            ++count;
        }
        if (!first) return "";
        return fmt::format(
            "writes outside of the field: {} cell{} of `{}`, such as {}: ask whether x < size.nx and y < "
            "size.ny before you write",
            count,
            count == 1 ? "" : "s",
            name,
            outside_words(*first));
    }

    std::string written_to_source() const {
        const auto cells = cells_where([&](int x, int y) { return !same(o_.before, o_.after, x, y); });
        if (cells.empty()) return "";
        return fmt::format(
            "changes `from`, first in the cell ({}, {}): other blocks still read it; write to `to` alone",
            cells.front().x,
            cells.front().y);
    }

    // Returns the smallest region that contains all of the cells; empty text if none does.
    Region part_of(const std::vector<Cell>& cells) const {
        struct Row {
            bool is_there;
            Region part;
            std::function<bool(Cell)> holds;
        };
        const int rest_x = nx_ % o_.tile_x, rest_y = ny_ % o_.tile_y;
        const bool wide = nx_ > 2, high = ny_ > 2;
        const auto at_tile_edge = [](int i, int tile) {
            return tile > 2 && (i % tile == 0 || i % tile == tile - 1);
        };
        const std::string outside = boundary_words(o_.boundary);
        const std::string blocks = "the blocks there stick out of the field";
        const Row rows[] = {
            {wide, {"in the last column", outside}, [&](Cell p) { return p.x == nx_ - 1; }},
            {wide, {"in the first column", outside}, [](Cell p) { return p.x == 0; }},
            {high, {"in the last row", outside}, [&](Cell p) { return p.y == ny_ - 1; }},
            {high, {"in the first row", outside}, [](Cell p) { return p.y == 0; }},
            {rest_x > 0 && rest_x < nx_,
             {fmt::format("in the last {} columns (nx % {})", rest_x, o_.tile_x), blocks},
             [&](Cell p) { return p.x >= nx_ - rest_x; }},
            {rest_y > 0 && rest_y < ny_,
             {fmt::format("in the last {} rows (ny % {})", rest_y, o_.tile_y), blocks},
             [&](Cell p) { return p.y >= ny_ - rest_y; }},
            {wide && high,
             {"at the edge of the field", outside},
             [&](Cell p) { return p.x == 0 || p.x == nx_ - 1 || p.y == 0 || p.y == ny_ - 1; }},
            {true,
             {fmt::format("at the edges of the blocks' {}x{} cells", o_.tile_x, o_.tile_y),
              "a cell there needs neighbours that another block makes"},
             [&](Cell p) { return at_tile_edge(p.x, o_.tile_x) || at_tile_edge(p.y, o_.tile_y); }}};
        for (const Row& row : rows)
            if (cells.size() < total() && row.is_there && std::ranges::all_of(cells, row.holds))
                return row.part;
        return {};
    }

    std::string count_words(const std::vector<Cell>& cells, const char* what) const {
        if (cells.size() == total()) return fmt::format("every cell is {}", what);
        const std::string where = part_of(cells).words;
        return fmt::format(
            "{} of {} cells are {}{}{}", cells.size(), total(), what, where.empty() ? "" : ", all ", where);
    }

    std::string never_written() const {
        const auto cells = cells_where(
            [&](int x, int y) { return bits_of(o_.made[shape_.at(x, y)]) == bits_of(unwritten_mark<T>()); });
        if (cells.empty()) return "";
        return fmt::format("{}: the first is ({}, {}); the grid has a block for every {}x{} cells",
                           count_words(cells, "never written"),
                           cells.front().x,
                           cells.front().y,
                           o_.tile_x,
                           o_.tile_y);
    }

    bool is_right(int x, int y, double right) const { return std::abs(made(x, y) - right) <= o_.tolerance; }

    // Returns whether the result equals the correct field shifted by some cells, where they overlap enough.
    bool is_moved(int dx, int dy) const {
        const auto fits = [&](int x, int y) {
            const bool within = x >= 2 && y >= 2 && x < nx_ - 2 && y < ny_ - 2;
            return !within || is_right(x, y, o_.right.at(x + dx, y + dy));
        };
        return nx_ >= 8 && ny_ >= 8 && cells_where(fits).size() == total();
    }

    std::string advice_for_most() const {
        if (cells_where([&](int x, int y) { return same(o_.made, o_.before, x, y); }).size() == total())
            return "the field is as it was: nothing was added to it";
        for (const auto& [dx, dy, whose] : {std::tuple(1, 0, "to the right"),
                                            std::tuple(-1, 0, "to the left"),
                                            std::tuple(0, 1, "below"),
                                            std::tuple(0, -1, "above")})
            if (is_moved(dx, dy)) return fmt::format("each has the value of the cell {}", whose);
        return "";
    }

    std::string advice(const std::vector<Cell>& wrong) const {
        const double got = made(wrong.front().x, wrong.front().y);
        const double right = o_.right.at(wrong.front().x, wrong.front().y);
        if (std::isnan(got))
            return "it comes from outside of the field, or from `to` before that is written: ask before you "
                   "read";
        if (std::string there = part_of(wrong).advice; !there.empty()) return there;
        if (sizeof(T) == sizeof(double) && std::abs(got - right) <= 1e-5 * std::abs(right))
            return "so little is the rounding of float: is there a float, or a number such as 0.2f?";
        return 4 * wrong.size() >= 3 * total() ? advice_for_most() : "";
    }

    std::string wrong_values() const {
        const auto wrong = cells_where([&](int x, int y) {
            const double right = o_.right.at(x, y);
            return std::isfinite(right) && !is_right(x, y, right);  // NaN is wrong, too
        });
        if (wrong.empty()) return "";
        const Cell first = wrong.front();
        const std::string hint = advice(wrong);
        return fmt::format("{}: the first, ({}, {}), is {}, and {} would be right{}{}",
                           count_words(wrong, "wrong"),
                           first.x,
                           first.y,
                           number(made(first.x, first.y)),
                           number(o_.right.at(first.x, first.y)),
                           hint.empty() ? "" : ": ",
                           hint);
    }

    const Outcome<T>& o_;
    const GuardedShape& shape_;
    int nx_, ny_;
};

}  // namespace

template <class T>
std::string Outcome<T>::fault() const {
    return Finder<T>(*this).fault();
}

template <class T>
std::string Outcome<T>::difference(const Cells<T>& again) const {
    return Finder<T>(*this).difference(again);
}

template <class T>
double Outcome<T>::largest_error() const {
    double largest = 0;
    for (int y = 0; y < shape.ny; ++y)
        for (int x = 0; x < shape.nx; ++x)
            if (std::isfinite(right.at(x, y)))
                largest = std::max(largest, std::abs(double(made[shape.at(x, y)]) - right.at(x, y)));
    return largest;
}

template struct Outcome<float>;
template struct Outcome<double>;

}  // namespace stencil::user_kernel
