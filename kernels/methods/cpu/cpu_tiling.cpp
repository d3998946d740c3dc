#include "kernels/methods/cpu/cpu_tiling.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "kernels/field/divide.h"
#include "kernels/methods/cpu/lifted_rows.h"
#include "kernels/methods/steppers.h"

namespace stencil {
namespace {

// A block should fill most of L1 (32 KB or more) and leave room for the rows that pass through.
constexpr std::size_t kBlockBytes = 24576;

// Costs relative to one step of one vector, as measured.
constexpr double kConversion = 8;  // converting a vector to the lifted layout and back
constexpr double kCall = 40;       // overhead of a block's step
constexpr double kMeeting = 4000;  // synchronising all threads, once per pass

int line_cells(const CpuShape& machine) {
    return int(64 / machine.cell_bytes);
}

CpuTiling tiling(FieldShape field, const CpuShape& machine, int levels, int bands, int strips) {
    const int width = std::min(round_up(ceil_div(field.nx, strips), line_cells(machine)), field.nx);
    const int columns = round_up(ceil_div(width + 2 * levels, machine.lanes), kColumnUnit);
    return {levels, bands, ceil_div(field.nx, width), width, columns};
}

// Cost per step of the thread with the most work.
double cost(FieldShape field, const CpuShape& machine, const CpuTiling& t) {
    const int blocks = ceil_div(ceil_div(field.ny, t.bands) + 2 * t.levels, kBlockRows);
    const double conversion = kConversion * kBlockRows * t.columns;
    const double steps = t.levels * (double(kBlockRows) * t.columns + kCall);
    const int rounds = ceil_div(t.parts(), machine.threads);
    const bool alone = t.parts() == 1;
    return (rounds * blocks * (conversion + steps) + (alone ? 0 : kMeeting)) / t.levels;
}

}  // namespace

CpuTiling choose_tiling(FieldShape field, const CpuShape& machine) {
    const int most_columns =
        int(kBlockBytes / (machine.cell_bytes * std::size_t(kBlockRows * machine.lanes)));
    const int widest = most_columns / kColumnUnit * kColumnUnit * machine.lanes;
    CpuTiling best{};
    double least = std::numeric_limits<double>::infinity();
    for (int levels = 1; levels <= kCpuSteps; ++levels)
        for (int bands = 1; bands <= std::min(machine.threads, field.ny); ++bands) {
            const int line = line_cells(machine);
            const int fewest = ceil_div(field.nx, (widest - 2 * levels) / line * line);
            // Enough strips that no thread is idle in the last round.
            const int even = round_up(fewest, machine.threads / std::gcd(machine.threads, bands));
            for (const int strips : {fewest, even}) {
                const CpuTiling t = tiling(field, machine, levels, bands, strips);
                const double c = cost(field, machine, t);
                if (c < least) {
                    least = c;
                    best = t;
                }
            }
        }
    return best;
}

}  // namespace stencil
