// A user's kernel, compiled and ready to step a model.
#pragma once

#include <memory>
#include <string>

#include "kernels/methods/method.h"
#include "sim/user_kernel/compile.h"

namespace stencil::user_kernel {

/// Launches per CUDA graph; even, so that the double buffer ends as it began.
inline constexpr int kLaunchesTogether = 32;

struct UserKernel {
    std::string name;  ///< of its file, such as "heat.cu"
    Entry entry;
    LaunchShape shape;
    Compiled compiled;
    /// The configuration that it was compiled for.
    std::shared_ptr<const Model> model;
    std::string stepper;
    double spacing = 1;
    Method method;  ///< like a row of the table, with this name
};

/// Compiles a kernel for such runs. `file` is a path or a name. Throws as compile() and entry_of() do.
std::shared_ptr<const UserKernel> make_user_kernel(const RunSpec& spec,
                                                   const std::string& text,
                                                   const std::string& file,
                                                   int compute_capability);

/// Returns whether the spec has a kernel that was made for its configuration.
bool fits(const Configuration& spec);
/// Returns the name of the kernel or, without one, of the method.
std::string stepped_by(const RunSpec& spec);

/// Makes the row for its figures; `name` must outlive it.
Method method_row(std::string_view name, const RunSpec& spec, int steps_a_launch);

}  // namespace stencil::user_kernel
