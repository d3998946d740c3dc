#include "kernels/equation/resident/resident_plan.h"

#include <algorithm>
#include <cstdint>

#include "kernels/equation/text/operation_text.h"
#include "kernels/field/divide.h"

namespace stencil::equation {
namespace {

constexpr int kMostTogether = 8;
constexpr int kMostAlone = 1 << 20;  // steps per exchange for a tile without neighbours

// Cost model in clocks, because issue slots and latencies bind (fitted to measurements on an H200): the lanes
// of a multiprocessor issue 70% of the time, and an exchange takes three round trips to L2.
constexpr double kIssuing = 0.7;
constexpr double kStage = 170, kExchange = 2210, kExchangePerPack = 0.51;

struct Axis {
    int cells, unit;
    bool wraps;
    int tiles = 1, halo = 0;

    int begin(int tile) const {
        return std::min(int(std::int64_t(ceil_div(cells, unit)) * tile / tiles) * unit, cells);
    }
    int own(int tile) const { return begin(tile + 1) - begin(tile); }
    bool exchanges() const { return wraps || tiles > 1; }
    /// Cells held by the largest tile.
    int held() const {
        int most = 0;
        for (int i = 0; i < tiles; ++i) {
            const int before = wraps || i > 0 ? halo : 0, after = wraps || i < tiles - 1 ? halo : 0;
            most = std::max(most, before + own(i) + after);
        }
        return round_up(most, unit);
    }
    /// Whether halos lie within the adjacent tiles, and patches that extend beyond a halo within the field.
    bool fits() const {
        if (!exchanges()) return true;
        for (int i = 0; i < tiles; ++i)
            if (own(i) < std::max(halo, 1)) return false;
        return !wraps || cells >= halo + 8;
    }
};

class Planner {
  public:
    Planner(const FusedProgram& program,
            bool float64,
            const ResidentShape& shape,
            FieldCells size,
            const GpuFacts& gpu)
        : program_(program),
          gpu_(gpu),
          shape_(shape),
          slots_(ResidentSlots(program).count),
          cell_bytes_(float64 ? 8 : 4),
          instructions_(program.operations() * (float64 ? gpu.float64_cost : 1) +
                        5.0 * double(program.from.size()) * (float64 ? 2 : 1)),
          x_{size.nx, ResidentShape::columns(float64), program.wraps_x},
          y_{size.ny, 1, program.wraps_y} {}

    ResidentPlan best() {
        ResidentPlan best;
        if (!gpu_.cooperative) {
            best.why_not = "resident: this GPU has no cooperative launches";
            return best;
        }
        for (const int together : {1, 2, 3, 4, 6, kMostTogether})
            for (int tiles = 1; tiles <= gpu_.multiprocessors; ++tiles) {
                ResidentPlan plan = plan_of(together, tiles, gpu_.multiprocessors / tiles);
                if (plan.slot > 0 && (best.slot == 0 || plan.clocks_per_step < best.clocks_per_step))
                    best = std::move(plan);
            }
        if (best.slot == 0) best.why_not = why_not();
        return best;
    }

  private:
    ResidentPlan plan_of(int together, int tiles_x, int tiles_y) {
        const int levels = int(program_.stages.size());
        x_.tiles = tiles_x;
        y_.tiles = std::min(tiles_y, y_.cells);
        x_.halo = round_up(together * levels, x_.unit);
        y_.halo = together * levels;
        ResidentPlan plan;
        plan.exchanges = x_.exchanges() || y_.exchanges();
        if (!x_.fits() || !y_.fits()) return plan;
        const int width = x_.held(), height = y_.held();
        // Reading a patch includes the cells around it, so slots are separated by padding.
        const std::int64_t room = width + x_.unit;
        const std::int64_t slot = std::int64_t(width) * (height + shape_.rows - 1) + room;
        const std::int64_t bytes = (slot * slots_ + room) * cell_bytes_;
        if (bytes > gpu_.shared_per_block) return plan;
        plan.tiles_x = x_.tiles;
        plan.tiles_y = y_.tiles;
        plan.together = plan.exchanges ? together : kMostAlone;
        plan.slot = int(slot);
        plan.shared_bytes = int(bytes);
        const int patches = ceil_div(height, shape_.rows) * (width / x_.unit);
        const int rounds = ceil_div(patches, shape_.threads);
        plan.threads = round_up(ceil_div(patches, rounds), 32);
        const double edges =
            2.0 * (x_.halo * height + y_.halo * width) / x_.unit * program_.program.components;
        plan.clocks_per_step =
            double(width) * (height - y_.halo) * instructions_ / (kIssuing * gpu_.lanes()) + levels * kStage;
        if (plan.exchanges) plan.clocks_per_step += (kExchange + edges * kExchangePerPack) / together;
        return plan;
    }

    std::string why_not() const {
        const double needed = double(x_.cells) * y_.cells * slots_ * cell_bytes_;
        const double there = double(gpu_.multiprocessors) * gpu_.shared_per_block;
        std::string text;
        if (needed < 0.9 * there)
            append(text, "resident: %dx%d cells are too few in a row or column", x_.cells, y_.cells);
        else
            append(text,
                   "resident: it takes %.1f MB of shared memory and room for edges of tiles, and there are "
                   "%.1f MB",
                   needed * 1e-6,
                   there * 1e-6);
        return text;
    }

    const FusedProgram& program_;
    GpuFacts gpu_;
    ResidentShape shape_;
    int slots_, cell_bytes_;
    double instructions_;
    Axis x_, y_;
};

}  // namespace

ResidentPlan resident_plan(const FusedProgram& program,
                           bool float64,
                           const ResidentShape& shape,
                           FieldCells size,
                           const GpuFacts& gpu) {
    return Planner(program, float64, shape, size, gpu).best();
}

}  // namespace stencil::equation
