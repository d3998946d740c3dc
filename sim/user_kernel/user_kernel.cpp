#include "sim/user_kernel/user_kernel.h"

#include <filesystem>

namespace stencil::user_kernel {

Method method_row(std::string_view name, const RunSpec& spec, int steps_a_launch) {
    Method row = *find_method("naive", Device::cuda, spec.family());
    row.name = name;
    row.steps_at_a_time = kLaunchesTogether * steps_a_launch;
    row.steps_fused = steps_a_launch;
    row.summary = "your kernel";
    return row;
}

bool fits(const Configuration& spec) {
    if (!spec.kernel || spec.backend == name_of(Device::cpu)) return false;
    const UserKernel& kernel = *spec.kernel;
    const bool same_boundary = kernel.entry.boundary == boundary_of(spec);
    return kernel.model == spec.model && kernel.stepper == spec.stepper && same_boundary &&
           kernel.entry.dtype == spec.dtype && kernel.spacing == spec.spacing();
}

std::string stepped_by(const RunSpec& spec) {
    return fits(spec) ? spec.kernel->name : spec.method;
}

std::shared_ptr<const UserKernel> make_user_kernel(const RunSpec& spec,
                                                   const std::string& text,
                                                   const std::string& file,
                                                   int compute_capability) {
    auto kernel = std::make_shared<UserKernel>();
    kernel->name = std::filesystem::path(file).filename();
    kernel->entry = entry_of(spec);
    kernel->shape = read_launch_shape(text, kernel->name);
    kernel->compiled = compile(kernel->entry, kernel->shape, text, kernel->name, compute_capability);
    kernel->model = spec.model;
    kernel->stepper = spec.stepper;
    kernel->spacing = spec.spacing();
    kernel->method = method_row(kernel->name, spec, kernel->shape.steps);
    return kernel;
}

}  // namespace stencil::user_kernel
