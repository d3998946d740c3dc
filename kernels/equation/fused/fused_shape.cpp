#include "kernels/equation/fused/fused_shape.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>

#include "kernels/field/divide.h"
#include "kernels/methods/streaming/stream_tiles.h"

namespace stencil::equation {
namespace {

// Warps of a multiprocessor: a thread has 255 registers with up to 8 warps and 168 with 12, of which
// most_held may hold rows. More warps hide latency better.
struct Occupancy {
    int warps, most_held;
    double cost;  // relative to 8 warps, for the same instructions
};
constexpr std::array<Occupancy, 3> kOccupancies{{{4, 216, 1.22}, {8, 216, 1}, {12, 96, 0.87}}};
constexpr int kMostColumns = 20;
constexpr std::size_t kMostShapes = 5;
// Larger fields take one multiprocessor longer than several with their exchanges (measured on an H200).
constexpr double kCellsOfBlock = 96 * 96;
constexpr double kInstructionsPerBatch = 150;  // for loading, waiting and signalling
// A GPU sustains this share of the instructions that it could issue while memory moves a byte (measured on an
// H200).
constexpr double kSustained = 0.83;

class Estimate {
  public:
    Estimate(const FusedProgram& program, bool float64, FieldCells size, const GpuFacts& gpu)
        : program_(program), float64_(float64), size_(size), gpu_(gpu) {}

    bool fits_registers(const FusedShape& shape, int most_held) const {
        // Compilers give the same text more registers for 12.0, and for GPUs on which lanes copy the rows.
        most_held -= gpu_.capability >= 120 ? 32 : gpu_.capability < 90 ? 24 : 0;
        return program_.held_rows() * shape.steps * shape.columns * (float64_ ? 2 : 1) <= most_held;
    }
    bool fits_shared(FusedShape& shape) const {
        for (const int batch : {4, 2}) {
            shape.batch = batch;
            if (gpu_.blocks_with(fused_shared_bytes(program_, float64_, shape, shape.warps)) >=
                shape.blocks())
                return true;
        }
        return false;
    }
    bool fits_in(FusedShape& shape, int most_held) const {
        return fits_registers(shape, most_held) && fits_shared(shape) && fits(cut_of(shape));
    }

    /// Estimated instructions per cell and step, memory traffic included.
    double cost(const FusedShape& shape) const {
        const double rows = double(program_.from.size()), stages = double(program_.stages.size());
        const double components = program_.program.components;
        const double moves = 2 * components / shape.steps + program_.only_read() * stages;
        const double handed = moves * per_handed_cell(shape), beside = 4 * rows * stages / shape.columns;
        const double per_batch = kInstructionsPerBatch / (shape.batch * shape.steps * shape.columns * stages);
        const double issued = program_.operations() * (float64_ ? gpu_.float64_cost : 1) +
                              (handed + beside + per_batch) * (float64_ ? 2 : 1);
        const double bytes = (rows + components) * (float64_ ? 8 : 4);
        const double moved = bytes * kSustained * gpu_.instructions_per_byte / (shape.steps * shape.warps);
        // Copies overlap with instructions, but not completely.
        return computed_cells(shape) * (std::max(issued, moved) + 0.3 * std::min(issued, moved));
    }

    bool aligned() const { return program_.wraps_x || size_.nx % (float64_ ? 2 : 4) == 0; }

  private:
    /// Shared-memory transactions per cell for lanes `columns` cells apart: below 1 for vector accesses
    /// (which need alignment), above 1 with bank conflicts.
    double per_handed_cell(const FusedShape& shape) const {
        const int words = float64_ ? 2 : 1;
        const int together = shape.aligned ? std::gcd(shape.columns, 4 / words) : 1;
        return double(std::gcd(shape.columns / together, 32 / words / together)) / together;
    }

    /// Cells that a pass computes for each cell that it writes, as if all blocks took as long as the longest:
    /// about those of stream_tiles(), which would take long for each of some hundred shapes.
    double computed_cells(const FusedShape& shape) const {
        const StreamCut cut = cut_of(shape);
        const int strips = ceil_div(cut.nx, cut.width - 2 * round_up(cut.levels, cut.packet));
        constexpr int kMostWaves = 8, kFewestRows = 8;
        const int most = std::max(1, std::min(cut.ny / kFewestRows, kMostWaves * cut.blocks / strips));
        double least = 1e300;
        for (int segments = 1; segments <= most; ++segments)
            least = std::min(least,
                             double(ceil_div(cut.ny, segments) + cut.extra_rows) *
                                 double(ceil_div(std::int64_t(strips) * segments, cut.blocks)));
        return least * cut.blocks * cut.width / (double(cut.nx) * cut.ny);
    }

    StreamCut cut_of(const FusedShape& shape) const {
        return fused_cut(
            program_, float64_, shape, shape.warps, size_, shape.blocks() * gpu_.multiprocessors);
    }

    const FusedProgram& program_;
    bool float64_;
    FieldCells size_;
    GpuFacts gpu_;
};

// Why fused_shapes() has none, by the least shape.
std::string why_not_fused(const FusedProgram& program, bool float64, FieldCells size, const GpuFacts& gpu) {
    FusedShape least{1, 2, 2, 2, false, kOccupancies.front().warps};
    const Estimate estimate(program, float64, size, gpu);
    if (!estimate.fits_registers(least, kOccupancies.front().most_held))
        return "fused: a step holds more rows than a thread has registers";
    if (!estimate.fits_shared(least))
        return "fused: rows take more than the " + std::to_string(gpu.shared_per_multiprocessor / 1024) +
               " KB of shared memory of a multiprocessor";
    return "fused: the field is smaller than a strip of " + std::to_string(least.width()) +
           " columns and a few rows";
}

}  // namespace

std::vector<FusedShape> fused_shapes(const FusedProgram& program,
                                     bool float64,
                                     FieldCells size,
                                     const GpuFacts& gpu) {
    if (!why_single_steps(program.program).empty()) return {};
    const Estimate estimate(program, float64, size, gpu);
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
        for (const int warps : {4, 2})  // of a block
            for (const int steps : {1, 2, 3, 4, 6, 8}) add_best(occupancy, warps, steps);
    std::vector<FusedShape> shapes;
    for (const auto& [cost, shape] : best)
        if (shapes.size() < kMostShapes) shapes.push_back(shape);
    return shapes;
}

StreamCut fused_cut(const FusedProgram& program,
                    bool float64,
                    const FusedShape& shape,
                    int warps,
                    FieldCells size,
                    int blocks) {
    const int levels_of_warp = shape.steps * int(program.stages.size()), levels = warps * levels_of_warp;
    return {size.nx,
            size.ny,
            program.wraps_x,
            shape.width(),
            levels,
            float64 ? 2 : 4,
            blocks,
            2 * levels + warps * (2 * levels_of_warp - 1)};
}

std::string name_of(const FusedShape& shape) {
    return std::to_string(shape.steps * shape.warps) + " steps per pass, " + std::to_string(shape.blocks()) +
           " x " + std::to_string(shape.warps) + " warps, " + std::to_string(shape.columns) + " columns";
}

std::string name_of(const KernelShape& shape) {
    if (const auto* block = std::get_if<BlockShape>(&shape)) return "one block, " + name_of(*block);
    return std::visit([](const auto& one) { return name_of(one); }, shape);
}

std::string text_of(const FusedProgram& program, bool float64, FieldCells size, const KernelShape& shape) {
    if (const auto* block = std::get_if<BlockShape>(&shape))
        return block_text(program, float64, size, *block, false);
    if (const auto* resident = std::get_if<ResidentShape>(&shape))
        return resident_text(program, float64, *resident);
    return fused_text(program, float64, std::get<FusedShape>(shape));
}

KernelShapes kernel_shapes(const FusedProgram& program, bool float64, FieldCells size, const GpuFacts& gpu) {
    KernelShapes shapes;
    shapes.why_none = why_single_steps(program.program);
    if (!shapes.why_none.empty()) return shapes;
    if (double(size.nx) * size.ny <= kCellsOfBlock) {
        const std::vector<BlockShape> blocks = block_shapes(program, float64, size, gpu);
        shapes.all.assign(blocks.begin(), blocks.begin() + std::min<std::ptrdiff_t>(std::ssize(blocks), 2));
    }
    const ResidentShapes resident = resident_shapes(program, float64, size, gpu);
    for (const ResidentShape& shape : resident.all) shapes.all.emplace_back(shape);
    for (const FusedShape& shape : fused_shapes(program, float64, size, gpu)) shapes.all.emplace_back(shape);
    if (shapes.all.empty())
        shapes.why_none = why_not_fused(program, float64, size, gpu) + "; " + resident.why_none;
    return shapes;
}

}  // namespace stencil::equation
