#include "sim/user_kernel/user_kernel.h"

#include <filesystem>

namespace stencil::user_kernel {

Method method_row(std::string_view name, const RunSpec& spec, const LaunchShape& shape) {
    Method row = *find_method("naive", Device::cuda, spec.model->family());
    row.name = name;
    row.steps_at_a_time = kLaunchesTogether * shape.steps;
    row.steps_fused = shape.steps;
    row.summary = "your kernel";
    return row;
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
    kernel->spacing = spec.spacing();
    kernel->method = method_row(kernel->name, spec, kernel->shape);
    return kernel;
}

}  // namespace stencil::user_kernel
