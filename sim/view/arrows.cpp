#include "sim/view/arrows.h"

#include <algorithm>
#include <cmath>

#include "sim/text/error.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

// The points at which central differences need values: left, right, above and below of each centre, half a
// spacing (at least one cell) away.
std::vector<SamplePoint> gradient_points(const ArrowLattice& lattice, int nx, int ny) {
    const double away = std::max(1.0, lattice.spacing / 2);
    // Samples between cell centres, so points are clamped to the centres of the outermost cells.
    const auto inside = [](double value, int cells) {
        return std::clamp(value, 0.5, std::max(0.5, cells - 0.5));
    };
    std::vector<SamplePoint> points;
    for (int row = 0; row < lattice.ny; ++row)
        for (int column = 0; column < lattice.nx; ++column) {
            const SamplePoint at = lattice.at(column, row);
            points.push_back({inside(at.x - away, nx), inside(at.y, ny)});
            points.push_back({inside(at.x + away, nx), inside(at.y, ny)});
            points.push_back({inside(at.x, nx), inside(at.y - away, ny)});
            points.push_back({inside(at.x, nx), inside(at.y + away, ny)});
        }
    return points;
}

// Gradients per cell from the values at those points.
std::vector<SamplePoint> gradients(const std::vector<SamplePoint>& points,
                                   const std::vector<double>& values) {
    std::vector<SamplePoint> found;
    const auto slope = [&](std::size_t low, double distance) {
        return distance > 0 ? (values[low + 1] - values[low]) / distance : 0;
    };
    for (std::size_t i = 0; i + 3 < std::min(points.size(), values.size()); i += 4)
        found.push_back(
            {slope(i, points[i + 1].x - points[i].x), slope(i + 2, points[i + 3].y - points[i + 2].y)});
    return found;
}

}  // namespace

std::string read_arrows(std::string_view text) {
    if (text.empty() || text == kGradientArrows || text == kFluxArrows || arrow_formulas(text).size() == 2)
        return std::string(text);
    throw InputError(Given{"arrows", quotable(text)}, "must be gradient, flux, or two formulas, e.g. u,v");
}

std::vector<std::string> arrow_formulas(std::string_view text) {
    if (text.empty() || text == kGradientArrows || text == kFluxArrows) return {};
    std::vector<std::string> formulas(1);
    int open = 0;
    for (const char c : text) {
        open += (c == '(' || c == '[') - (c == ')' || c == ']');
        if (c == ',' && open == 0)
            formulas.emplace_back();
        else if (c != ' ' || !formulas.back().empty())
            formulas.back() += c;
    }
    const bool two = formulas.size() == 2 && !formulas[0].empty() && !formulas[1].empty();
    return two ? formulas : std::vector<std::string>();
}

ArrowLattice arrow_lattice(const CellArea& area, int nx, int ny, double cells_apart) {
    ArrowLattice lattice;
    lattice.spacing = std::exp2(std::ceil(std::log2(std::max(cells_apart, 1.0))));
    // Centres the arrows in blocks of `spacing` cells, so that with spacing 1 they are at cell centres.
    const double offset = lattice.spacing / 2;
    const auto first = [&](double low) {
        return std::max(0.0, std::ceil((low - offset) / lattice.spacing)) * lattice.spacing + offset;
    };
    const auto count = [&](double begin, double high, int cells) {
        return std::max(0, int(std::floor((std::min(high, double(cells)) - begin) / lattice.spacing)) + 1);
    };
    lattice.x = first(area.x0);
    lattice.y = first(area.y0);
    lattice.nx = count(lattice.x, area.x1, nx);
    lattice.ny = count(lattice.y, area.y1, ny);
    return lattice;
}

Arrows measured_arrows(const ArrowLattice& lattice, std::vector<SamplePoint> vectors) {
    Arrows arrows{lattice, std::move(vectors)};
    for (const SamplePoint& v : arrows.vectors)
        if (const double length = std::hypot(v.x, v.y); std::isfinite(length))
            arrows.longest = std::max(arrows.longest, length);
    return arrows;
}

Arrows make_arrows(
    std::string_view setting, const ArrowLattice& lattice, int nx, int ny, const SampleFormula& sample) {
    const auto formulas = arrow_formulas(setting);
    if (formulas.empty()) {
        const std::vector<SamplePoint> points = gradient_points(lattice, nx, ny);
        std::vector<SamplePoint> vectors = gradients(points, sample("", points));
        if (setting == kFluxArrows)
            for (SamplePoint& v : vectors) v = {-v.x, -v.y};
        return measured_arrows(lattice, std::move(vectors));
    }
    std::vector<SamplePoint> points, vectors;
    for (int row = 0; row < lattice.ny; ++row)
        for (int column = 0; column < lattice.nx; ++column) points.push_back(lattice.at(column, row));
    const std::vector<double> across = sample(formulas[0], points), down = sample(formulas[1], points);
    for (std::size_t i = 0; i < points.size(); ++i) vectors.push_back({across[i], down[i]});
    return measured_arrows(lattice, std::move(vectors));
}

std::vector<ArrowShape> arrow_shapes(const Arrows& arrows) {
    constexpr double kLongest = 0.9, kShortest = 0.12, kHead = 0.28, kBarb = 0.45;
    std::vector<ArrowShape> shapes;
    if (!(arrows.longest > 0)) return shapes;
    const ArrowLattice& lattice = arrows.lattice;
    for (std::size_t i = 0; i < arrows.vectors.size(); ++i) {
        const SamplePoint& v = arrows.vectors[i];
        const double length = std::hypot(v.x, v.y) / arrows.longest * kLongest;
        if (!(length >= kShortest)) continue;  // also false for NaN
        const SamplePoint at = lattice.at(int(i) % lattice.nx, int(i) / lattice.nx);
        const double half = length * lattice.spacing / 2, norm = std::hypot(v.x, v.y);
        const double ux = v.x / norm, uy = v.y / norm, head = std::min(kHead * lattice.spacing, half);
        ArrowShape shape{{at.x - half * ux, at.y - half * uy}, {at.x + half * ux, at.y + half * uy}, {}, {}};
        const double bx = shape.tip.x - head * ux, by = shape.tip.y - head * uy;
        shape.left = {bx - kBarb * head * uy, by + kBarb * head * ux};
        shape.right = {bx + kBarb * head * uy, by - kBarb * head * ux};
        shapes.push_back(shape);
    }
    return shapes;
}

}  // namespace stencil
