// What the ridge example runs for a problem of some size, and about how long that takes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/examples/context.h"
#include "sim/examples/ridge/settings.h"

namespace stencil {

struct RidgeSize {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::int64_t nonzeros = 0;
};

/// Why the dense normal equations are not solved on the device; empty where they are.
std::string why_no_cholesky(const RidgeSize& size,
                            const RidgeSettings& settings,
                            const ExampleContext& context,
                            Device device);

/// Estimated seconds of drawing a random problem.
double drawing_seconds(const RidgeSize& size);

/// Estimated seconds of the parts of RidgeRun::run(), in their order.
std::vector<double> ridge_parts(const RidgeSize& size,
                                const RidgeSettings& settings,
                                const ExampleRequest& request,
                                const ExampleContext& context);

}  // namespace stencil
