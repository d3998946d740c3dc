#include "sim/model/presets.h"

#include <algorithm>

namespace stencil {

std::span<const Preset> presets() {
    return embedded_models();
}

const Preset* find_preset(std::string_view name) {
    const auto all = presets();
    const auto row = std::ranges::find(all, name, &Preset::name);
    return row == all.end() ? nullptr : &*row;
}

}  // namespace stencil
