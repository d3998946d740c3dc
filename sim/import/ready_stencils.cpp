#include "sim/import/ready_stencils.h"

#include <fmt/format.h>

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

}  // namespace

std::string derivative_of(std::string_view kind, const std::string& u) {
    for (const auto& [theirs, ours] : kStencils)
        if (kind == theirs) return fmt::format(fmt::runtime(ours), u);
    return {};
}

// Isotropic, over 5x5 cells: Patra and Karttunen, Numerical Methods for Partial Differential Equations 22
// (2006).
std::string bilaplacian_of(const std::string& u) {
    constexpr std::array kWeights{36, -10, -2, 0, 1, 1, 0, 0, 0};  // by a cell's squared distance
    std::string sum;
    for (int row = -2; row <= 2; ++row)
        for (int column = -2; column <= 2; ++column) {
            const int weight = kWeights[std::size_t(row * row + column * column)];
            if (weight == 0) continue;
            sum += weight < 0 ? (sum.empty() ? "-" : " - ") : sum.empty() ? "" : " + ";
            if (std::abs(weight) != 1) sum += std::to_string(std::abs(weight)) + '*';
            sum += column == 0 && row == 0 ? u : fmt::format("{}[{:+d},{:+d}]", u, column, row);
        }
    return fmt::format("({})/(3*dx^4)", sum);
}

bool is_compass(std::string_view way) {
    for (std::size_t i = 0; i < way.size(); ++i) {
        if (std::string_view("nsew").find(way[i]) == way.npos) return false;
        if (i + 1 < way.size() && way[i + 1] >= '1' && way[i + 1] <= '8') ++i;
    }
    return !way.empty();
}

}  // namespace stencil::import
