// From rows of the ladder to the figures that `auto` goes by (bench --save).
#pragma once

#include <vector>

#include "sim/bench/ladder.h"
#include "sim/run/measured_speeds.h"

namespace stencil {

/// The figures of one device. `long_calls` were measured with many steps a call, `single_steps` (--steps 1)
/// with one; rows of either precision, each with the dtype it was measured in. Jumps and what was not
/// measured are left out; so is a size that only one of the two has.
struct PrecisionRows {
    DType dtype = DType::float32;
    std::vector<LadderRow> long_calls;
    std::vector<LadderRow> single_steps;
};
std::vector<MeasuredMethod> measured_methods(const std::vector<PrecisionRows>& rows);

}  // namespace stencil
