#include "sim/view/contours.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <unordered_map>

#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

std::optional<long long> number_of(std::string_view text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return digits ? read_integer(std::string(text)) : std::nullopt;
}

// Number of an edge between cell centres: twice the index of its left or upper cell, plus 1 if vertical.
using Edge = long long;
using Links = std::unordered_map<Edge, Edge>;

template <class T>
class Tracer {
  public:
    Tracer(const Array<T>& cells, double level) : cells_(cells), level_(level) {}

    void trace(std::vector<ContourLine>& lines) {
        Links ends;  // maps the end of each segment to its beginning
        for (int y = 0; y + 1 < cells_.ny(); ++y)
            for (int x = 0; x + 1 < cells_.nx(); ++x) add_square(x, y, ends);
        // Open lines, which run between sides of the field, come first; then closed ones.
        std::vector<Edge> begins;
        for (const auto& [begin, end] : next_)
            if (!ends.contains(begin)) begins.push_back(begin);
        std::ranges::sort(begins);
        for (const Edge begin : begins) follow(begin, lines);
        begins.clear();
        for (const auto& [begin, end] : next_) begins.push_back(begin);
        std::ranges::sort(begins);
        for (const Edge begin : begins)
            if (next_.contains(begin)) follow(begin, lines);
    }

  private:
    double value(int x, int y) const { return double(cells_.at(x, y)); }
    bool inside(double value) const { return value >= level_; }
    Edge across(int x, int y) const { return 2 * (1LL * y * cells_.nx() + x); }
    Edge down(int x, int y) const { return across(x, y) + 1; }

    // Walks around the square: a segment leads from where the inside ends to where it begins again.
    void add_square(int x, int y, Links& ends) {
        const std::array<double, 4> corners{
            value(x, y), value(x + 1, y), value(x + 1, y + 1), value(x, y + 1)};
        const double sum = corners[0] + corners[1] + corners[2] + corners[3];
        const auto count = std::ranges::count_if(corners, [&](double corner) { return inside(corner); });
        if (count == 0 || count == 4 || !std::isfinite(sum)) return;
        const std::array<Edge, 4> edges{across(x, y), down(x + 1, y), across(x, y + 1), down(x, y)};
        const int step = inside(sum / 4) ? 1 : 3;  // to the next or the previous crossed edge
        for (int i = 0; i < 4; ++i) {
            if (!inside(corners[i]) || inside(corners[(i + 1) % 4])) continue;
            int k = (i + step) % 4;
            while (inside(corners[k]) || !inside(corners[(k + 1) % 4])) k = (k + step) % 4;
            next_[edges[i]] = edges[k];
            ends[edges[k]] = edges[i];
        }
    }

    SamplePoint place(Edge edge) const {
        const int x = int(edge / 2 % cells_.nx()), y = int(edge / 2 / cells_.nx());
        const bool goes_down = edge % 2 == 1;
        const double here = value(x, y), there = goes_down ? value(x, y + 1) : value(x + 1, y);
        const double share = (level_ - here) / (there - here);
        return {x + 0.5 + (goes_down ? 0 : share), y + 0.5 + (goes_down ? share : 0)};
    }

    void follow(Edge edge, std::vector<ContourLine>& lines) {
        ContourLine line{level_, {place(edge)}};
        for (auto link = next_.find(edge); link != next_.end(); link = next_.find(edge)) {
            edge = link->second;
            next_.erase(link);
            line.points.push_back(place(edge));
        }
        lines.push_back(std::move(line));
    }

    const Array<T>& cells_;
    double level_;
    Links next_;
};

}  // namespace

std::string read_contours(std::string_view text) {
    const auto refuse = [&](std::string_view what) {
        throw InputError(Given{"contours", quotable(text)},
                         "{}; allowed: levels, e.g. 0.1,0.25, or how many, 1 to {}",
                         what,
                         kMaxContours);
    };
    if (text.empty()) return "";
    const bool digits = text.find_first_not_of("0123456789") == text.npos;
    const auto count = number_of(text);
    if (digits && (!count || *count < 1 || *count > kMaxContours)) refuse("not a number of contours");
    if (digits) return std::string(text);
    const auto levels = split(text.ends_with(',') ? text.substr(0, text.size() - 1) : text, ',');
    if (levels.size() > std::size_t(kMaxContours)) refuse("too many levels");
    for (const std::string& level : levels)
        if (!read_real(level)) refuse(fmt::format("'{}' is not a finite number", quotable(level)));
    return std::string(text);
}

std::vector<double> contour_levels(std::string_view text, const ValueRange& range) {
    std::vector<double> levels;
    if (const auto count = number_of(text)) {
        for (long long i = 1; i <= *count && range.low < range.high; ++i)
            levels.push_back(value_at(double(i) / double(*count + 1), range));
        return levels;
    }
    for (const std::string& level : split(text, ','))
        if (const auto value = read_real(level)) levels.push_back(*value);
    std::ranges::sort(levels);
    return levels;
}

int levels_reached(double value, const std::vector<double>& levels) {
    return int(std::ranges::upper_bound(levels, value) - levels.begin());
}

std::vector<ContourLine> contour_lines(const Field& field, const std::vector<double>& levels) {
    std::vector<ContourLine> lines;
    field.visit([&](const auto& cells) {
        for (const double level : levels) Tracer(cells, level).trace(lines);
    });
    return lines;
}

}  // namespace stencil
