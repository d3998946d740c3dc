// Selection of `auto`: the method with the least expected time, from measured figures.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/field/boundary.h"
#include "kernels/methods/method.h"

namespace stencil {

/// The stepping task that `auto` chooses a method for.
struct MethodRequest {
    Device device = Device::cpu;
    FieldShape shape;
    std::size_t cell_bytes = sizeof(float);
    Boundary boundary = Boundary::zero;
    /// Steps per call; the fewer, the more a method's overhead per call weighs.
    long long steps = 10000;
    std::string_view model = kDiffusion;
};

/// Expected seconds of one call, from measured_figures(). Infinite if the method was not measured in this
/// precision, does not fit, is spectral (Method::jumps), or belongs to the other device.
double expected_seconds(const Method& method, const MethodRequest& request);

/// The method with the least expected time among those that `allowed` (if given) accepts; never a
/// spectral one (Method::jumps) or one that does not fit. Without measurements, the last fitting row of typed
/// equations, or the first of diffusion.
const Method& choose_method(const MethodRequest& request,
                            const std::function<bool(const Method&)>& allowed = {});

}  // namespace stencil
