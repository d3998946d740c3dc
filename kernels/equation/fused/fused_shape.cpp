#include "kernels/equation/fused/fused_shape.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>

#include "kernels/field/divide.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil::equation {
namespace {

// Occupancy on Hopper: a thread has 255 registers with 8 warps and 168 with 12, of which most_held may hold
// rows. More warps hide latency better.
struct Occupancy {
    int warps, most_held;
    double cost;  // relative to 8 warps, for the same instructions
};
constexpr std::array<Occupancy, 2> kOccupancies{{{8, 216, 1}, {12, 96, 0.87}}};
constexpr int kMostColumns = 20;
constexpr std::size_t kMostShapes = 3;
constexpr int kReservedBytes = 1024;                        // shared memory that CUDA reserves per block
constexpr double kInstructionsPerBatch = 150;               // for loading, waiting and signalling
constexpr double kInstructionsPerByte = 31.7 * 0.75 / 4.2;  // issued while memory moves a byte

class Estimate {
  public:
    Estimate(const FusedProgram& program, bool float64, int nx, int shared_bytes)
        : program_(program), float64_(float64), nx_(nx), shared_bytes_(shared_bytes) {}

    bool fits_in(FusedShape& shape, int most_held) const {
        const int words = float64_ ? 2 : 1;
        if (program_.held_rows() * shape.steps * shape.columns * words > most_held) return false;
        const auto shared = [&] {
            return fused_shared_bytes(program_, float64_, shape, shape.warps) + kReservedBytes;
        };
        shape.batch = 4;
        if (shared() * shape.blocks() > shared_bytes_) shape.batch = 2;
        return shared() * shape.blocks() <= shared_bytes_ && fits(cut_of(shape));
    }

    /// Estimated instructions per cell and step, memory traffic included.
    double cost(const FusedShape& shape) const {
        const StreamCut cut = cut_of(shape);
        const double overlap = double(cut.width) / (cut.width - 2 * round_up(cut.levels, cut.packet));
        const double rows = double(program_.from.size()), stages = double(program_.stages.size());
        const double components = program_.program.components;
        const double moves = 2 * components / shape.steps + program_.only_read() * stages;
        const double handed = moves * per_handed_cell(shape), beside = 4 * rows * stages / shape.columns;
        const double per_batch = kInstructionsPerBatch / (shape.batch * shape.steps * shape.columns * stages);
        const double issued = (program_.operations() + handed + beside + per_batch) * (float64_ ? 2 : 1);
        const double bytes = (rows + components) * (float64_ ? 8 : 4);
        const double moved = bytes * kInstructionsPerByte / (shape.steps * shape.warps);
        // Copies overlap with instructions, but not completely.
        return overlap * (std::max(issued, moved) + 0.3 * std::min(issued, moved));
    }

    bool aligned() const { return program_.wraps_x || nx_ % (float64_ ? 2 : 4) == 0; }

  private:
    /// Shared-memory transactions per cell for lanes `columns` cells apart: below 1 for vector accesses
    /// (which need alignment), above 1 with bank conflicts.
    double per_handed_cell(const FusedShape& shape) const {
        const int words = float64_ ? 2 : 1;
        const int together = shape.aligned ? std::gcd(shape.columns, 4 / words) : 1;
        return double(std::gcd(shape.columns / together, 32 / words / together)) / together;
    }

    StreamCut cut_of(const FusedShape& shape) const {
        const int levels = shape.steps * shape.warps * int(program_.stages.size());
        constexpr int kEnoughRows = 1 << 20;
        return {nx_, kEnoughRows, program_.wraps_x, shape.width(), levels, float64_ ? 2 : 4, 1, 0};
    }

    const FusedProgram& program_;
    bool float64_;
    int nx_, shared_bytes_;
};

}  // namespace

std::vector<FusedShape> fused_shapes(const FusedProgram& program, bool float64, int nx, int shared_bytes) {
    if (!program.fuses()) return {};
    const Estimate estimate(program, float64, nx, shared_bytes);
    std::map<double, FusedShape> best;
    const auto add_best = [&](const Occupancy& occupancy, int warps, int steps) {
        std::pair<double, FusedShape> chosen{1e30, {}};
        for (int columns = 2; columns <= kMostColumns; ++columns) {
            FusedShape shape{steps, columns, warps, 4, estimate.aligned(), occupancy.warps};
            if (!estimate.fits_in(shape, occupancy.most_held)) continue;
            const double cost = occupancy.cost * estimate.cost(shape);
            if (cost < chosen.first) chosen = {cost, shape};
        }
        if (chosen.first < 1e30) best.insert(chosen);
    };
    for (const Occupancy& occupancy : kOccupancies)
        for (const int warps : {4, 2})
            for (const int steps : {1, 2, 3, 4, 6, 8}) add_best(occupancy, warps, steps);
    std::vector<FusedShape> shapes;
    for (const auto& [cost, shape] : best)
        if (shapes.size() < kMostShapes) shapes.push_back(shape);
    return shapes;
}

}  // namespace stencil::equation
