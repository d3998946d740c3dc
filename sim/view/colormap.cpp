#include "sim/view/colormap.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "sim/text/embedded.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"

namespace stencil {
namespace {

// In the order in which the maps are listed; each has a file in assets/colormaps.
constexpr std::string_view kSequential =
    "viridis inferno magma plasma turbo cividis grey batlow lapaz oslo lajolla thermal haline ice";
constexpr std::string_view kDiverging = "coolwarm vik berlin balance";
constexpr std::string_view kCyclic = "vikO";

void read_table(Colormap& map) {
    const std::string& name = map.name;
    const auto files = embedded_colormaps();
    const auto file = std::ranges::find(files, name, &EmbeddedFile::name);
    if (file == files.end()) throw std::logic_error("no colour table file " + name);
    const char* at = file->text.data();
    const char* end = at + file->text.size();
    const auto next = [&] {
        int value = -1;
        at = std::from_chars(at, end, value).ptr + 1;
        if (value < 0 || value > 255) throw std::logic_error("bad colour table " + name);
        return std::uint8_t(value);
    };
    for (Rgb& color : map.colors) {
        color.r = next();
        color.g = next();
        color.b = next();
    }
}

}  // namespace

bool has_borders(const ValueRange& range) {
    return range.high > range.low && (range.scale == Scale::log || range.scale == Scale::symlog);
}

EntryBorders entry_borders(const ValueRange& range) {
    EntryBorders borders;
    for (std::size_t i = 0; i < borders.size(); ++i) borders[i] = value_at(double(i + 1) / 256, range);
    return borders;
}

Rgb Colormap::at(double value, const ValueRange& range) const {
    if (!std::isfinite(value)) return {255, 0, 255};
    if (has_borders(range)) {
        std::size_t entry = 0, last = colors.size() - 1;  // searches the highest border reached
        while (entry < last) {
            const std::size_t middle = (entry + last + 1) / 2;
            if (value_at(double(middle) / 256, range) <= value)
                entry = middle;
            else
                last = middle - 1;
        }
        return colors[entry];
    }
    const double t = place_of(value, range);
    // If high - low overflows, t may be NaN, which must not become an index.
    return colors[t > 0 ? std::size_t(std::min(t * 256, 255.0)) : 0];
}

std::span<const Colormap> colormaps() {
    static const std::vector<Colormap> all = [] {
        std::vector<Colormap> maps;
        for (const std::string& name : split(kSequential, ' ')) maps.push_back({.name = name});
        for (const std::string& name : split(kDiverging, ' '))
            maps.push_back({.name = name, .diverging = true});
        for (const std::string& name : split(kCyclic, ' ')) maps.push_back({.name = name, .cyclic = true});
        std::ranges::for_each(maps, read_table);
        return maps;
    }();
    return all;
}

const Colormap& colormap(std::string_view name) {
    static const std::vector<Colormap> reversed = [] {
        std::vector<Colormap> maps(colormaps().begin(), colormaps().end());
        for (Colormap& map : maps) {
            map.name += kReversed;
            std::ranges::reverse(map.colors);
        }
        return maps;
    }();
    const auto found = std::ranges::find(reversed, name, &Colormap::name);
    if (found != reversed.end()) return *found;
    return row_named(colormaps(), "colour table", name);
}

}  // namespace stencil
