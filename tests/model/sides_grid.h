// Cells beyond the sides of a Grid, by rules apart from the program's.
#pragma once

#include "tests/model/typed_run.h"

/// How a field goes on beyond one side: `p`eriodic, a `f`lux, `v`alue, `z`ero, or `r`: u + 2 flux(u) = given.
struct SideRule {
    char kind = 'p';
    double given = 0;

    double beyond(double edge, double around, double spacing) const {
        switch (kind) {
            case 'p':
                return around;
            case 'f':
                return edge + spacing * given;
            case 'z':
                return 0;
            case 'r':
                return (given + edge * (2 / spacing - 0.5)) / (2 / spacing + 0.5);
            default:
                return 2 * given - edge;
        }
    }
};

/// The rules as a text states them.
struct RuledSides {
    const char* text;
    SideRule left, right, top, bottom;
};

inline double cell_of(const Grid& g, const RuledSides& sides, double spacing, int x, int y) {
    if (y < 0 || y >= g.ny)
        return (y < 0 ? sides.top : sides.bottom)
            .beyond(cell_of(g, sides, spacing, x, y < 0 ? 0 : g.ny - 1),
                    cell_of(g, sides, spacing, x, y < 0 ? g.ny - 1 : 0),
                    spacing);
    if (x < 0 || x >= g.nx)
        return (x < 0 ? sides.left : sides.right)
            .beyond(g(x < 0 ? 0 : g.nx - 1, y), g(x < 0 ? g.nx - 1 : 0, y), spacing);
    return g(x, y);
}

/// lap(u) at a cell.
inline double lap_of(const Grid& g, const RuledSides& sides, double spacing, int x, int y) {
    const auto at = [&](int i, int j) { return cell_of(g, sides, spacing, x + i, y + j); };
    return (at(1, 0) + at(-1, 0) + at(0, 1) + at(0, -1) - 4 * at(0, 0)) / (spacing * spacing);
}

/// Sides of a component or solved field `u`, for transforms of each kind.
inline const std::vector<RuledSides> kRuledSides{
    {"boundary = periodic", {'p'}, {'p'}, {'p'}, {'p'}},
    {"boundary = insulated", {'f'}, {'f'}, {'f'}, {'f'}},
    {"boundary = zero", {'z'}, {'z'}, {'z'}, {'z'}},
    {"all: u = 0", {'v'}, {'v'}, {'v'}, {'v'}},
    {"x: periodic; top, bottom: u = 0", {'p'}, {'p'}, {'v'}, {'v'}},
    {"x: zero; y: insulated", {'z'}, {'z'}, {'f'}, {'f'}},
    {"left: u = 1; right: u = -2; top: flux(u) = 0.3; bottom: flux(u) = 0",
     {'v', 1},
     {'v', -2},
     {'f', 0.3},
     {'f'}},
    {"left: flux(u) = 0.5; right: flux(u) = -0.1; y: periodic", {'f', 0.5}, {'f', -0.1}, {'p'}, {'p'}},
    {"left: u = 1; right: flux(u) = 0.2; top: flux(u) = -0.3; bottom: u = -2",
     {'v', 1},
     {'f', 0.2},
     {'f', -0.3},
     {'v', -2}},
    {"left: u = 1; right: u + 2*flux(u) = 0.4; y: periodic", {'v', 1}, {'r', 0.4}, {'p'}, {'p'}},
    {"left: u + b*flux(u) = 0.4; right: u + dx/2*flux(u) = 0; top: u + 2*flux(u) = 1; bottom: flux(u) = 0.2; "
     "b = 2",
     {'r', 0.4},
     {'z'},
     {'r', 1},
     {'f', 0.2}},
};
