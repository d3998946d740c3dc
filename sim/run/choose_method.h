// What `auto` means: the method that takes the least time, by what was measured.
#pragma once

#include <cstddef>
#include <functional>

#include "kernels/field/boundary.h"
#include "kernels/methods/method.h"

namespace stencil {

/// What is to be stepped, and how.
struct MethodRequest {
    Device device = Device::cpu;
    FieldShape shape;
    std::size_t cell_bytes = sizeof(float);
    Boundary boundary = Boundary::zero;
    /// In one call: what a method does once a call weighs the more the fewer they are.
    long long steps = 10000;
    std::string_view model = kDiffusion;
};

/// The seconds that a call of the request's steps takes, going by measured_figures(); infinite where the
/// method was not measured in this precision, does not fit, jumps, or is none of the device.
double expected_seconds(const Method& method, const MethodRequest& request);

/// The method with the least expected time among those that `allowed` allows (where it is given): never one
/// that jumps, nor one that does not fit. Where none was measured, the device's first one that can be used.
const Method& choose_method(const MethodRequest& request,
                            const std::function<bool(const Method&)>& allowed = {});

}  // namespace stencil
