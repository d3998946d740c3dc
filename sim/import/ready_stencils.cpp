#include "sim/import/ready_stencils.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

namespace stencil::import {
namespace {

using Row = std::pair<std::string_view, std::string_view>;

// Stencils, by what stands before `_a`. Ready's y axis points up; north is the row above in both programs.
constexpr auto kStencils = std::to_array<Row>({
    {"laplacian", "lap({0})"},
    {"x_gradient", "dx({0})"},
    {"y_gradient", "(-dy({0}))"},
    {"x_deriv2", "dxx({0})"},
    {"y_deriv2", "dyy({0})"},
    {"x_deriv3", "dx(dxx({0}))"},
    {"y_deriv3", "(-dy(dyy({0})))"},
    {"gradient_mag_squared", "grad2({0})"},
});

// Sobel's operators towards N, E, NE ...: the weights of the eight neighbours from the top left, by rows.
struct Sobel {
    std::string_view name;
    std::array<int, 9> weights;
};
constexpr auto kSobel = std::to_array<Sobel>({
    {"sobelN", {1, 2, 1, 0, 0, 0, -1, -2, -1}},
    {"sobelS", {-1, -2, -1, 0, 0, 0, 1, 2, 1}},
    {"sobelE", {-1, 0, 1, -2, 0, 2, -1, 0, 1}},
    {"sobelW", {1, 0, -1, 2, 0, -2, 1, 0, -1}},
    {"sobelNW", {2, 1, 0, 1, 0, -1, 0, -1, -2}},
    {"sobelNE", {0, 1, 2, -1, 0, 1, -2, -1, 0}},
    {"sobelSW", {0, -1, -2, 1, 0, -1, 2, 1, 0}},
    {"sobelSE", {-2, -1, 0, -1, 0, 1, 0, 1, 2}},
});

std::string neighbour(const std::string& u, int column, int row) {
    return column == 0 && row == 0 ? u : fmt::format("{}[{:+d},{:+d}]", u, column, row);
}

void add_term(std::string& sum, int weight, const std::string& of) {
    if (weight == 0) return;
    const std::string sign = weight < 0 ? (sum.empty() ? "-" : " - ") : sum.empty() ? "" : " + ";
    sum += sign + (std::abs(weight) == 1 ? "" : std::to_string(std::abs(weight)) + '*') + of;
}

// Sums over five by five cells, whose weights go by a cell's squared distance. The bilaplacian is isotropic:
// Patra and Karttunen, Numerical Methods for Partial Differential Equations 22 (2006).
struct RoundSum {
    std::string_view name;
    std::array<int, 9> weights;
    std::string_view divisor;
};
constexpr auto kRoundSums = std::to_array<RoundSum>({
    {"gaussian", {41, 26, 16, 0, 7, 4, 0, 0, 1}, "273"},
    {"bilaplacian", {36, -10, -2, 0, 1, 1, 0, 0, 0}, "(3*dx^4)"},
});

std::string sum_of(const RoundSum& round, const std::string& u) {
    std::string sum;
    for (int row = -2; row <= 2; ++row)
        for (int column = -2; column <= 2; ++column)
            add_term(sum, round.weights[std::size_t(row * row + column * column)], neighbour(u, column, row));
    return fmt::format("({})/{}", sum, round.divisor);
}

std::string sum_of(const Sobel& sobel, const std::string& u) {
    std::string sum;
    for (std::size_t i = 0; i < sobel.weights.size(); ++i)
        add_term(sum, sobel.weights[i], neighbour(u, int(i % 3) - 1, int(i / 3) - 1));
    return sum;
}

}  // namespace

std::string derivative_of(std::string_view kind, const std::string& u) {
    for (const auto& [theirs, ours] : kStencils)
        if (kind == theirs) return fmt::format(fmt::runtime(ours), u);
    return {};
}

std::string sum_over_cells(std::string_view kind, const std::string& u) {
    const auto sobel = std::ranges::find(kSobel, kind, &Sobel::name);
    const auto round = std::ranges::find(kRoundSums, kind, &RoundSum::name);
    if (sobel != kSobel.end()) return sum_of(*sobel, u);
    return round != kRoundSums.end() ? sum_of(*round, u) : "";
}

bool is_compass(std::string_view way) {
    for (std::size_t i = 0; i < way.size(); ++i) {
        if (std::string_view("nsew").find(way[i]) == way.npos) return false;
        if (i + 1 < way.size() && way[i + 1] >= '1' && way[i + 1] <= '8') ++i;
    }
    return !way.empty();
}

}  // namespace stencil::import
