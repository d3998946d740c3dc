// Converts rows of a benchmark to the figures that method `auto` uses (bench --save).
#pragma once

#include <vector>

#include "sim/bench/ladder.h"
#include "sim/run/measured_speeds.h"

namespace stencil {

/// Measurements of one device: `long_calls` with many steps per call, `single_steps` (--steps 1) with one.
/// Rows keep the dtype in which they were measured. Rows without a speed, and sizes that only one of the two
/// has, are ignored.
struct PrecisionRows {
    DType dtype = DType::float32;
    std::vector<LadderRow> long_calls;
    std::vector<LadderRow> single_steps;
};
std::vector<MeasuredMethod> measured_methods(const std::vector<PrecisionRows>& rows);

}  // namespace stencil
