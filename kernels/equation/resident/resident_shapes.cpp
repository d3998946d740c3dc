#include <algorithm>
#include <cstdint>
#include <map>

#include "kernels/equation/resident/resident_text.h"
#include "kernels/equation/text/operation_text.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

constexpr std::size_t kMostShapes = 4;
constexpr int kOtherRegisters = 40;  // as PatchNeeds takes them; 14 more than a block kernel, for the tile
constexpr int kMostAlone = 1 << 20;  // steps per exchange for a tile without neighbours

// Cost model in clocks (fitted to measurements on an H200): the share of time in which the lanes of a
// multiprocessor issue, and an exchange, which is some round trips to L2.
constexpr double kIssuing = 0.88;
constexpr double kExchange = 4600, kExchangePerCell = 0.2, kExchangePerPack = 0.6;
constexpr int kSchedulers = 4;  // of a multiprocessor; each has whole warps

struct Axis {
    int cells, unit;
    bool wraps;
    int tiles = 1, halo = 0;

    int begin(int tile) const {
        return std::min(int(std::int64_t(ceil_div(cells, unit)) * tile / tiles) * unit, cells);
    }
    bool exchanges() const { return wraps || tiles > 1; }
    /// At least as many cells as the largest tile holds.
    int held() const {
        const int sides = wraps || tiles > 2 ? 2 : tiles - 1;
        return ceil_div(ceil_div(cells, unit), tiles) * unit + sides * halo;
    }
    /// Whether halos lie within the adjacent tiles, and what `length` cells of a block hold is not more than
    /// one field away from it.
    bool fits(int length) const {
        if (!exchanges()) return true;
        const int least = std::min(ceil_div(cells, unit) / tiles * unit, cells - begin(tiles - 1));
        if (least < std::max(halo, 1)) return false;
        return !wraps || begin(tiles - 1) - halo + length <= 2 * cells;
    }
};

class Planner {
  public:
    Planner(const FusedProgram& program, bool float64, FieldCells size, const GpuFacts& gpu)
        : program_(program),
          float64_(float64),
          gpu_(gpu),
          needs_(program, float64, gpu, kOtherRegisters),
          x_{size.nx, 1, program.wraps_x},
          y_{size.ny, 1, program.wraps_y} {}

    ResidentShapes best() {
        ResidentShapes found;
        if (!gpu_.cooperative) {
            found.why_none = "resident: this GPU has no cooperative launches";
            return found;
        }
        // Keeps the best shape for each number of warps a scheduler has, because the estimate does not
        // know how well more warps hide latency, or what fewer registers for each cost.
        std::map<int, ResidentShape> best;
        for (int columns = 1; columns <= 8; ++columns)
            for (int rows = 1; rows <= 16; ++rows) {
                if (!needs_.may_have(columns, rows) || needs_.conflict(columns)) continue;
                const ResidentShape shape = best_of(columns, rows);
                if (shape.tiles_x == 0) continue;
                ResidentShape& of_warps = best[ceil_div(shape.patches.threads, 32 * kSchedulers)];
                if (of_warps.tiles_x == 0 || shape.clocks_per_step < of_warps.clocks_per_step)
                    of_warps = shape;
            }
        for (const auto& [warps, shape] : best) found.all.push_back(shape);
        std::ranges::stable_sort(found.all, {}, &ResidentShape::clocks_per_step);
        if (found.all.size() > kMostShapes) found.all.resize(kMostShapes);
        if (found.all.empty()) found.why_none = why_none();
        return found;
    }

  private:
    ResidentShape best_of(int columns, int rows) {
        ResidentShape best;
        x_.unit = columns;
        for (const int together : {1, 2, 3, 4, 6, 8, 12, 16})
            for (int tiles = 1; tiles <= gpu_.multiprocessors; ++tiles) {
                const ResidentShape shape =
                    shape_of(columns, rows, together, tiles, gpu_.multiprocessors / tiles);
                if (shape.tiles_x > 0 && (best.tiles_x == 0 || shape.clocks_per_step < best.clocks_per_step))
                    best = shape;
            }
        return best;
    }

    ResidentShape shape_of(int columns, int rows, int together, int tiles_x, int tiles_y) {
        const int levels = int(program_.stages.size());
        x_.tiles = tiles_x;
        y_.tiles = std::min(tiles_y, y_.cells);
        x_.halo = round_up(together * levels, columns);
        y_.halo = together * levels;
        const PatchShape patches = needs_.shape(columns, rows, x_.held(), y_.held());
        if (patches.threads == 0 || !x_.fits(patches.width()) || !y_.fits(patches.height())) return {};
        const bool exchanges = x_.exchanges() || y_.exchanges();
        ResidentShape shape{patches,
                            {x_.cells % columns == 0, y_.tiles > 1 || y_.cells % rows == 0},
                            x_.tiles,
                            y_.tiles,
                            exchanges ? together : kMostAlone,
                            0};
        const double cells = round_up(patches.threads, 32 * kSchedulers) * columns * rows;
        const double lanes = gpu_.lanes() / (float64_ ? gpu_.float64_cost / 2.0 : 1);
        shape.clocks_per_step = cells * needs_.instructions(patches) / (kIssuing * lanes);
        if (exchanges) {
            const double edges =
                2.0 * (x_.halo * y_.held() + y_.halo * x_.held()) * program_.program.components;
            const double moved = edges * (kExchangePerCell + kExchangePerPack / columns);
            shape.clocks_per_step += (kExchange + moved * (float64_ ? 2 : 1)) / together;
        }
        return shape;
    }

    std::string why_none() const {
        if (!needs_.may_have(1, 1))
            return "resident: a cell takes more operations or registers than a thread has for it";
        const double bytes = double(x_.cells) * y_.cells * double(program_.from.size()) * (float64_ ? 8 : 4);
        const double there = 4.0 * gpu_.multiprocessors * gpu_.registers_per_multiprocessor;
        std::string text;
        if (bytes < 0.3 * there)
            append(text, "resident: %dx%d cells are too few in a row or column", x_.cells, y_.cells);
        else
            append(
                text,
                "resident: the field takes %.1f MB of registers, with room beside it for edges of tiles and "
                "what a step computes, and there are %.1f MB",
                bytes * 1e-6,
                there * 1e-6);
        return text;
    }

    const FusedProgram& program_;
    bool float64_;
    GpuFacts gpu_;
    PatchNeeds needs_;
    Axis x_, y_;
};

}  // namespace

ResidentShapes resident_shapes(const FusedProgram& program,
                               bool float64,
                               FieldCells size,
                               const GpuFacts& gpu) {
    return Planner(program, float64, size, gpu).best();
}

}  // namespace stencil::equation
