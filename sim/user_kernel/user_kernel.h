// A kernel that somebody wrote, ready to step a model's fields.
#pragma once

#include <memory>
#include <string>

#include "kernels/methods/method.h"
#include "sim/user_kernel/compile.h"

namespace stencil::user_kernel {

/// Launches in one CUDA graph. Even, so that the double buffer ends as it began.
inline constexpr int kLaunchesTogether = 32;

struct UserKernel {
    std::string name;  ///< of its file, "heat.cu"
    Entry entry;
    LaunchShape shape;
    Compiled compiled;
    /// What it was made for.
    std::shared_ptr<const Model> model;
    std::string stepper;
    double spacing = 1;
    Method method;  ///< a row like those of the table, under this name
};

/// For runs like this one. `file` is a path, or what stands for it in messages. Throws as compile() and
/// entry_of() do.
std::shared_ptr<const UserKernel> make_user_kernel(const RunSpec& spec,
                                                   const std::string& text,
                                                   const std::string& file,
                                                   int compute_capability);

/// The spec has a kernel, and it was made for runs like that one.
bool fits(const Configuration& spec);
/// The name of what steps: the kernel's, or the method's.
std::string stepped_by(const RunSpec& spec);

/// The row under which its figures stand: `name` has to outlive it.
Method method_row(std::string_view name, const RunSpec& spec, int steps_a_launch);

}  // namespace stencil::user_kernel
