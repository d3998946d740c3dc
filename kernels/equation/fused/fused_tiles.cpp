#include "kernels/equation/fused/fused_tiles.h"

#include <cstdint>

#include "kernels/field/divide.h"
#include "kernels/methods/streaming/streaming_plan.h"

namespace stencil::equation {
namespace {

struct Strip {
    int origin, begin, end;
};

std::vector<Strip> strips_of(const FusedCut& cut, int count) {
    const auto down = [&](std::int64_t x) { return int(x / cut.packet * cut.packet); };
    const int halo = round_up(cut.levels, cut.packet);
    std::vector<Strip> strips;
    for (int k = 0; k < count; ++k) {
        Strip strip{0, 0, cut.nx};
        if (cut.wraps_x) {
            strip.begin = down(std::int64_t(cut.nx) * k / count);
            strip.origin = strip.begin - halo;
        } else if (k > 0) {
            // The last strip ends exactly with the field, at any alignment.
            const std::int64_t last = cut.nx - cut.width;
            strip.origin = k == count - 1 ? int(last) : down(last * k / (count - 1));
            strip.begin = round_up(strip.origin + cut.levels, cut.packet);
        }
        if (k > 0) strips.back().end = strip.begin;
        strips.push_back(strip);
    }
    return strips;
}

// Whether every column is written by a strip in which it is valid.
bool cover(const FusedCut& cut, const std::vector<Strip>& strips) {
    for (const Strip& strip : strips) {
        const bool at_the_edge = !cut.wraps_x && strip.end == cut.nx && strip.origin + cut.width == cut.nx;
        if (!at_the_edge && strip.end > strip.origin + cut.width - cut.levels) return false;
        if (strip.end < strip.begin) return false;
    }
    return true;
}

}  // namespace

bool fits(const FusedCut& cut) {
    // Rows that blocks compute beyond the field may wrap around it only once.
    return cut.ny >= 2 * cut.levels + cut.warps_lag + 8 && cut.nx >= cut.width &&
           cut.width > 2 * round_up(cut.levels, cut.packet) + 2 * cut.packet;
}

std::vector<FusedTile> fused_tiles(const FusedCut& cut) {
    std::vector<FusedTile> tiles;
    int count = 1;
    while (!cover(cut, strips_of(cut, count))) ++count;
    const std::vector<Strip> strips = strips_of(cut, count);
    const int segments = segments_over(cut.ny, count, {cut.blocks, 2 * cut.levels + cut.warps_lag});
    for (int segment = 0; segment < segments; ++segment)
        for (const Strip& strip : strips)
            tiles.push_back({strip.origin,
                             strip.begin,
                             strip.end,
                             int(std::int64_t(cut.ny) * segment / segments),
                             int(std::int64_t(cut.ny) * (segment + 1) / segments)});
    return tiles;
}

}  // namespace stencil::equation
