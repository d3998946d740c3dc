#include "sim/session/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/text/parse.h"

namespace stencil {
namespace {

// The numbers along an axis, on which they are evenly spaced; empty: there are words among them.
std::vector<double> numbers_of(const Vary& axis) {
    std::vector<double> numbers;
    for (const std::string& value : axis.values)
        if (const auto number = read_real(value)) numbers.push_back(axis.log ? std::log(*number) : *number);
    if (numbers.size() != axis.values.size()) numbers.clear();
    return numbers;
}

double number_at(const std::vector<double>& numbers, double place) {
    const double at = std::clamp(place, 0.0, double(numbers.size() - 1));
    const auto i = std::min(std::size_t(at), numbers.size() - 2);
    return std::lerp(numbers[i], numbers[i + 1], at - double(i));
}

}  // namespace

std::string color_of(const SweepSpec& sweep) {
    return sweep.map.empty() && !sweep.observe.empty() ? sweep.observe.front() : sweep.map;
}

std::optional<double> place_on(const Vary& axis, const std::string& value) {
    const auto same = std::ranges::find(axis.values, value);
    if (same != axis.values.end()) return double(same - axis.values.begin()) + 0.5;
    const std::vector<double> numbers = numbers_of(axis);
    const auto number = read_real(value);
    if (numbers.size() < 2 || !number || (axis.log && !(*number > 0))) return std::nullopt;
    const double wanted = axis.log ? std::log(*number) : *number;
    const double sign = numbers.back() < numbers.front() ? -1 : 1;
    std::size_t i = 0;
    while (i + 2 < numbers.size() && sign * wanted > sign * numbers[i + 1]) ++i;
    const double share = (wanted - numbers[i]) / (numbers[i + 1] - numbers[i]);
    return std::clamp(double(i) + share + 0.5, 0.0, double(numbers.size()));
}

Vary refined(const Vary& axis, std::size_t first, std::size_t last) {
    const std::vector<double> numbers = numbers_of(axis);
    if (numbers.size() < 2)
        return {
            axis.name,
            {axis.values.begin() + std::ptrdiff_t(first), axis.values.begin() + std::ptrdiff_t(last) + 1}};
    const double beyond = first == last ? 0.5 : 0;
    const auto text = [&](double place) {
        const double number = number_at(numbers, place);
        return fmt::format("{:.12g}", axis.log ? std::exp(number) : number);
    };
    return parse_vary(fmt::format("{}={}:{}:{}{}",
                                  axis.name,
                                  text(double(first) - beyond),
                                  text(double(last) + beyond),
                                  axis.values.size(),
                                  axis.log ? ":log" : ""));
}

std::string MosaicTiles::text(std::size_t run) const {
    std::string text = fmt::format("{}: {}", sweep->name(run), status[run]);
    if (!observed.empty() && !failed(run)) text += fmt::format(", {} = {:.4g}", color, observed[run]);
    return text;
}

CellArea MosaicTiles::area(std::size_t run) const {
    const auto columns_of = std::size_t(columns);
    const double x = double(run % columns_of) * tile.nx,
                 y = double(std::size_t(rows) - 1 - run / columns_of) * tile.ny;
    return {x, y, x + tile.nx, y + tile.ny};
}

std::size_t MosaicTiles::at(SamplePoint point) const {
    const int column = std::clamp(int(point.x) / tile.nx, 0, columns - 1),
              row = std::clamp(int(point.y) / tile.ny, 0, rows - 1);
    return std::size_t((rows - 1 - row) * columns + column);
}

}  // namespace stencil
