// Boundary conditions: the one definition of what lies outside the field, used by every method on CPU and
// CUDA. A new boundary is an enumerator, a row of kBoundaries and a case of unfold() and of inside_index()
// (cell_update.h).
#pragma once

#include <array>
#include <string_view>

namespace stencil {

enum class Boundary { zero, insulated, periodic };

struct BoundaryRow {
    Boundary boundary;
    std::string_view name;
    std::string_view help;
    bool conserves_total;
};

inline constexpr std::array<BoundaryRow, 3> kBoundaries{{
    {Boundary::zero, "zero", "outside is 0", false},
    {Boundary::insulated, "insulated", "outside mirrors the edge cell; the total is conserved", true},
    {Boundary::periodic, "periodic", "the field wraps; the total is conserved", true},
}};

constexpr const BoundaryRow& row_of(Boundary boundary) {
    for (const BoundaryRow& row : kBoundaries)
        if (row.boundary == boundary) return row;
    return kBoundaries.front();
}

constexpr std::string_view name_of(Boundary boundary) {
    return row_of(boundary).name;
}

/// A cell and the sign with which it is continued (1, -1 or 0).
struct Unfolded {
    int index;
    int sign;
};

/// The field extended infinitely along an axis: the value at index i is that of a cell, times a sign. The
/// extension is periodic (periodic), even (insulated), or odd around the zeros just outside (zero). Steps
/// preserve these symmetries, even to the bit if north + south and west + east are summed first; an extended
/// field therefore needs no boundary code.
constexpr Unfolded unfold(Boundary boundary, int i, int n) {
    const auto wrap = [i](long long period) { return ((i % period) + period) % period; };
    if (boundary == Boundary::periodic) return {int(wrap(n)), 1};
    if (boundary == Boundary::insulated) {
        const long long j = wrap(2LL * n);
        return {int(j < n ? j : 2LL * n - 1 - j), 1};
    }
    const long long j = wrap(2LL * n + 2);
    if (j < n) return {int(j), 1};
    if (j == n || j == 2LL * n + 1) return {0, 0};
    return {int(2LL * n - j), -1};
}

/// Calls f with the boundary as a compile-time constant (`value`), to specialise kernels.
template <Boundary B>
struct BoundaryConstant {
    static constexpr Boundary value = B;
};

template <class F>
decltype(auto) with_boundary(Boundary boundary, F&& f) {
    switch (boundary) {
        case Boundary::insulated:
            return f(BoundaryConstant<Boundary::insulated>{});
        case Boundary::periodic:
            return f(BoundaryConstant<Boundary::periodic>{});
        case Boundary::zero:
            break;
    }
    return f(BoundaryConstant<Boundary::zero>{});
}

}  // namespace stencil
