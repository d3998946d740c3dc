// Arrows over a field: the gradient of the observable, its opposite, or two formulas as x and y.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"

namespace stencil {

inline constexpr std::string_view kGradientArrows = "gradient";
inline constexpr std::string_view kFluxArrows = "flux";  ///< downhill, as heat flows

/// Validates the setting: "gradient", "flux", two formulas "u,v" or "dy(psi),-dx(psi)", or empty for none.
/// Returns it. The formulas are not read. Throws InputError.
std::string read_arrows(std::string_view text);
/// Returns the two formulas; empty for gradient, flux and none.
std::vector<std::string> arrow_formulas(std::string_view text);

/// A lattice of nx x ny arrow centres, in cell coordinates.
struct ArrowLattice {
    double x = 0, y = 0;  ///< first centre
    double spacing = 1;
    int nx = 0, ny = 0;
    SamplePoint at(int column, int row) const { return {x + column * spacing, y + row * spacing}; }
    friend bool operator==(const ArrowLattice&, const ArrowLattice&) = default;
};

/// Covers the part of an nx x ny field within the area, with centres at least `cells_apart` apart. The
/// spacing is a power of two and the lattice is fixed to the field, so arrows move with it when panning.
ArrowLattice arrow_lattice(const CellArea& area, int nx, int ny, double cells_apart);

struct Arrows {
    ArrowLattice lattice;
    std::vector<SamplePoint> vectors;  ///< (ny, nx): x to the right, y down
    double longest = 0;                ///< length of the longest finite vector
};

/// Makes arrows with `longest` set.
Arrows measured_arrows(const ArrowLattice& lattice, std::vector<SamplePoint> vectors);

/// Interpolates a formula at points; an empty formula is the displayed observable.
using SampleFormula =
    std::function<std::vector<double>(const std::string& formula, const std::vector<SamplePoint>& points)>;

/// Makes the arrows of a setting for a field of nx x ny cells: its two formulas, or the gradient; "flux" is
/// the opposite of the gradient.
Arrows make_arrows(
    std::string_view setting, const ArrowLattice& lattice, int nx, int ny, const SampleFormula& sample);

/// Tail, tip and barbs of an arrow; empty if it is too short. The longest arrow is nearly as long as the
/// lattice spacing.
struct ArrowShape {
    SamplePoint tail, tip, left, right;
};
std::vector<ArrowShape> arrow_shapes(const Arrows& arrows);

}  // namespace stencil
