#include "kernels/methods/streaming/stream_tiles.h"

#include <algorithm>
#include <cstdint>

#include "kernels/field/divide.h"

namespace stencil {
namespace {

struct Strip {
    int origin, begin, end;
};

std::vector<Strip> strips_of(const StreamCut& cut, int count) {
    const auto up = [&](std::int64_t x) { return int(round_up(x, cut.packet)); };
    std::vector<Strip> strips;
    for (int k = 0; k < count; ++k) {
        Strip strip{0, 0, cut.nx};
        if (cut.wraps_x) {
            strip.begin = up(std::int64_t(cut.nx) * k / count);
            strip.origin = strip.begin - up(cut.levels);
        } else if (k > 0) {
            const std::int64_t last = cut.beyond_east ? up(cut.nx - cut.width) : cut.nx - cut.width;
            strip.origin = k == count - 1 ? int(last) : up(last * k / (count - 1));
            strip.begin = up(strip.origin + cut.levels);
        }
        if (k > 0) strips.back().end = strip.begin;
        strips.push_back(strip);
    }
    return strips;
}

// Whether every column is written by a strip in which it is valid.
bool cover(const StreamCut& cut, const std::vector<Strip>& strips) {
    return std::ranges::all_of(strips, [&](const Strip& strip) {
        const bool at_the_edge = !cut.wraps_x && strip.end == cut.nx && strip.origin + cut.width >= cut.nx;
        return strip.begin <= strip.end &&
               (at_the_edge || strip.end <= strip.origin + cut.width - cut.levels);
    });
}

int segments_over(const StreamCut& cut, int strips) {
    constexpr int kMaxWaves = 8;
    constexpr int kFewestRows = 8;
    int best = 1;
    std::int64_t best_cost = -1;
    const int most = std::max(1, std::min(cut.ny / kFewestRows, kMaxWaves * cut.blocks / strips));
    for (int segments = 1; segments <= most; ++segments) {
        const std::int64_t rows = ceil_div(cut.ny, segments) + cut.extra_rows;
        const std::int64_t waves = ceil_div(std::int64_t(strips) * segments, cut.blocks);
        if (best_cost >= 0 && rows * waves >= best_cost) continue;
        best = segments;
        best_cost = rows * waves;
    }
    return best;
}

}  // namespace

bool fits(const StreamCut& cut) {
    // Rows that blocks compute beyond the field may wrap around it only once.
    return cut.ny >= cut.extra_rows + 8 && cut.nx >= cut.width &&
           cut.width > 2 * round_up(cut.levels, cut.packet) + 2 * cut.packet;
}

std::vector<StreamTile> stream_tiles(const StreamCut& cut) {
    std::vector<Strip> strips = strips_of(cut, 1);
    while (!cover(cut, strips)) strips = strips_of(cut, int(strips.size()) + 1);
    const int segments = segments_over(cut, int(strips.size()));
    const int fewer = cut.ny / segments > cut.fewer_rows ? cut.fewer_rows : 0;
    const auto row = [&](std::int64_t k) { return std::min(int((cut.ny + fewer) * k / segments), cut.ny); };
    std::vector<StreamTile> tiles;
    for (int segment = 0; segment < segments; ++segment)
        for (const auto& [origin, begin, end] : strips)
            tiles.push_back({origin, begin, end, row(segment), row(segment + 1)});
    return tiles;
}

}  // namespace stencil
