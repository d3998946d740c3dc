// Compares a user's kernel with the reference: on awkward sizes, over several launches, each repeated.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/kernel_trial/faults.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

/// Makes `steps` steps at time `t` from one array per component to another, and returns when they are done.
/// Tests run host code.
template <class T>
using Launch = std::function<void(
    const GuardedShape& shape, std::vector<Cells<T>>& from, std::vector<Cells<T>>& to, int steps, double t)>;

/// Launches a kernel on the GPU, between arrays on the host; only in builds with CUDA. Throws CudaError if
/// the launch failed; the device is then unusable in this process.
template <class T>
Launch<T> gpu_launch(const UserKernel& kernel, const StepParameters& params);

struct Check {
    std::string fault;  ///< one line; empty if the kernel is correct
    int sizes = 0;      ///< number of sizes on which it was correct
    double error = 0;   ///< largest error, relative to its field's largest value
};

/// `run` determines all but the size. `alive` is called before each piece of work with a description.
template <class T>
Check check_kernel(const Launch<T>& launch,
                   const Entry& entry,
                   const LaunchShape& shape,
                   const RunSpec& run,
                   const std::function<void(const std::string&)>& alive);

}  // namespace stencil::user_kernel
