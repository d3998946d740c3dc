// The wave that grows fastest, without the whole dispersion relation.
#pragma once

#include <optional>
#include <vector>

#include "sim/run/output/dispersion.h"

namespace stencil {

/// That of dispersion_relation(), in half the time.
std::optional<DispersionRelation::Wave> fastest_wave(const RunSpec& now,
                                                     const std::vector<double>& means,
                                                     double time);

}  // namespace stencil
