#include "sim/bench/suite_spec.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <numbers>

#include "sim/bench/suite.h"
#include "sim/problem/settings/setting_names.h"
#include "sim/problem/settings/settings.h"
#include "sim/problem/start.h"
#include "sim/run/resolve.h"
#include "sim/run/simulation.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/parse.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {
namespace {

std::vector<std::string> method_names(std::optional<Device> device, std::string_view model = kDiffusion) {
    std::vector<std::string> names;
    for (const Method& method : methods(model))
        if (find_method(method.name, device, model) == &method) names.emplace_back(method.name);
    return names;
}

// Returns the device that all methods must share; checks them like methods of runs.
Device decide_device(const SuiteSpec& spec, const Machine& machine) {
    require_backend(spec.run.backend, machine);
    std::optional<Device> device;
    std::string first;
    for (const std::string& name : spec.methods) {
        RunSpec run = spec.run;
        run.method = name;
        run.validate();
        if (run.family() == kDiffusion && runs_on_both(name)) continue;
        const Device own = method_of(run)->device;
        if (device && own != *device)
            throw InputError(Given{"method", name},
                             "runs on {}, and {} on {}: methods of one device are measured at a time",
                             name_of(own),
                             first,
                             name_of(*device));
        if (own == Device::cuda && !machine.has_cuda())
            throw InputError("--method {} needs CUDA, and {}", name, machine.cuda.why_none);
        device = own;
        first = name;
    }
    const bool cuda = spec.run.backend == "cuda" || (spec.run.backend == "auto" && machine.has_cuda());
    return device.value_or(cuda ? Device::cuda : Device::cpu);
}

// Returns the edge of the largest square that fits into memory for at least one method.
int largest_edge(const SuiteSpec& spec, const Machine& machine) {
    // Bytes per cell hardly depend on the size once rows are long.
    constexpr Size kLarge{8192, 8192};
    const MemoryLimits limits = memory_limits(machine, spec.run.memory_limit);
    int largest = 0;
    for (const std::string& name : spec.methods) {
        const Method& method = method_of(spec, name);
        if (method.unsupported_reason &&
            !method.unsupported_reason({kLarge.nx, kLarge.ny}, bytes_of(spec.run.dtype)).empty())
            continue;
        largest = std::max(largest, largest_square(suite_needs(spec, method, kLarge), limits));
    }
    return largest;
}

// Decides dt on a small field.
void settle_dt(SuiteSpec& spec, const Machine& machine) {
    RunSpec small = spec.run;
    small.size = Size{64, 64};
    small.backend = "cpu";
    small.method = "auto";
    small = resolve(small, machine);
    State start = make_start(small);
    spec.run.dt = Simulation(small, std::move(start)).now().dt;
}

}  // namespace

SuiteSpec resolve(SuiteSpec spec, const Machine& machine) {
    spec.run.validate();
    if (spec.run.method == setting_name::fast && spec.methods.empty()) add_methods(spec, "generated,fast");
    if (spec.sweep && !spec.sizes.empty())
        throw InputError("--sweep chooses the sizes itself: leave --size out");
    const Device device = decide_device(spec, machine);
    spec.run.backend = name_of(device);
    spec.run.threads = thread_count(spec.run.threads, machine.cpu_threads);
    if (spec.methods.empty()) spec.methods = method_names(device, spec.run.family());
    const bool own_start = spec.run.initial == spec.run.model->equations->components.front().start;
    if (!spec.run.is_general() && own_start) spec.run.initial = "noise";
    settle_dt(spec, machine);
    const int largest = largest_edge(spec, machine);
    if (spec.sweep)
        for (const int edge : sweep_edges(largest)) spec.sizes.push_back({edge, edge});
    else if (spec.sizes.empty())
        for (const int edge : {512, 2000, 8192})
            if (edge <= largest || edge == 512) spec.sizes.push_back({edge, edge});
    return spec;
}

Device device_of(const SuiteSpec& spec) {
    return spec.run.backend == name_of(Device::cuda) ? Device::cuda : Device::cpu;
}

const Method& method_of(const SuiteSpec& spec, std::string_view name) {
    return *find_method(name, device_of(spec), spec.run.family());
}

RunSpec run_of(const SuiteSpec& spec, const Method& method, Size size) {
    RunSpec run = spec.run;
    run.size = size;
    run.method = method.name;
    run.backend = name_of(method.device);
    return run;
}

SolverSetup setup_of(const SuiteSpec& spec, const Method& method, Size size, DType dtype) {
    SolverSetup setup = solver_setup(run_of(spec, method, size));
    setup.dtype = dtype;
    setup.method = &method;
    setup.kernel = spec.kernel && &method == &spec.kernel->method ? spec.kernel : nullptr;
    return setup;
}

void add_sizes(SuiteSpec& spec, std::string_view text) {
    RunSpec one;
    for (const std::string& part : split(text, ',')) {
        find_setting(setting_name::size).set(one, part);
        if (!contains(spec.sizes, *one.size)) spec.sizes.push_back(*one.size);
    }
}

void add_methods(SuiteSpec& spec, std::string_view text) {
    auto known = method_names({});
    for (const std::string& name : method_names({}, kEquation))
        if (!contains(known, name)) known.push_back(name);
    for (std::string name : split(text, ',')) {
        const Method* called = find_method(name);
        if (called != nullptr && !contains(known, name)) name = called->name;
        if (!contains(known, name))
            throw InputError(Given{"method"}, unknown_name_message("method", name, known));
        if (!contains(spec.methods, name)) spec.methods.push_back(name);
    }
}

std::vector<int> sweep_edges(int largest) {
    constexpr int kUnit = 128;
    std::vector<int> edges;
    const auto whole = [](double edge) { return int(edge) / kUnit * kUnit; };
    largest = std::max(whole(largest), kMinSweep);
    for (double edge = kMinSweep; edge < largest; edge *= std::numbers::sqrt2)
        edges.push_back(whole(edge + kUnit / 2));
    edges.push_back(largest);
    return edges;
}

}  // namespace stencil
