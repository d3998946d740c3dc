// Arrows over a field: the gradient of what is shown, or two components across and down.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/view/resample.h"

namespace stencil {

inline constexpr std::string_view kGradientArrows = "gradient";

/// Checks a text that says what arrows show: "gradient", or two components, "u,v"; empty: none. Returns it.
/// Throws InputError.
std::string read_arrows(std::string_view text);
/// The two components; empty of the gradient and of none.
std::vector<std::string> arrow_components(std::string_view text);

/// The middles of arrows: nx columns and ny rows of them, in coordinates of cells.
struct ArrowLattice {
    double x = 0, y = 0;  ///< of the first one
    double spacing = 1;
    int nx = 0, ny = 0;
    SamplePoint at(int column, int row) const { return {x + column * spacing, y + row * spacing}; }
    friend bool operator==(const ArrowLattice&, const ArrowLattice&) = default;
};

/// Over the part of a field of nx x ny cells within the area, at least so many cells apart. The spacing is a
/// power of two and the lattice stands still on the field, so that panning moves the arrows with it.
ArrowLattice arrow_lattice(const CellArea& area, int nx, int ny, double cells_apart);

struct Arrows {
    ArrowLattice lattice;
    std::vector<SamplePoint> vectors;  ///< (ny, nx): to the right and down
    double longest = 0;                ///< of the finite ones
};

/// Sets `longest`.
Arrows measured_arrows(const ArrowLattice& lattice, std::vector<SamplePoint> vectors);

/// The points at which a gradient by central differences needs the values: left, right, above, below of each
/// middle, half a spacing away, but at least one cell.
std::vector<SamplePoint> gradient_points(const ArrowLattice& lattice, int nx, int ny);
/// Of the values there, per cell.
std::vector<SamplePoint> gradients(const std::vector<SamplePoint>& points, const std::vector<double>& values);

/// A shaft and its head, from tail to tip and the two barbs; empty where it is too short to point anywhere.
/// The longest arrow is nearly as long as the lattice is wide.
struct ArrowShape {
    SamplePoint tail, tip, left, right;
};
std::vector<ArrowShape> arrow_shapes(const Arrows& arrows);

}  // namespace stencil
