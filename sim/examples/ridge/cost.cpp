#include "sim/examples/ridge/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kernels/examples/ridge/dense_ridge.h"
#include "sim/machine/host_memory.h"
#include "sim/text/parse.h"

namespace stencil::ridge {
namespace {

constexpr std::int64_t kSensibleOnCpu = 4000, kSensibleOnGpu = 20000;  // columns

constexpr double kStepSeconds = 1e-5;   // of a step of the process on next to nothing
constexpr double kLimitsSeconds = 0.5;  // of measuring what a row is held against, once a device, about

double cholesky_seconds(const RidgeSize& size, std::size_t coefficients, const RoughRates& rates) {
    const double n = double(size.columns);
    return (double(size.rows) * n * n + double(coefficients) * n * n * n / 3) / rates.flops;
}

// Of one product with A and one with its transpose.
double products_seconds(const RidgeSize& size, const RoughRates& rates) {
    const double bytes = 14.0 * double(size.nonzeros) + 64.0 * double(size.rows + size.columns);
    return bytes / rates.bytes + kStepSeconds;
}

double process_seconds(const RidgeSize& size, bool certified, const RoughRates& rates) {
    // As found for random matrices.
    const double steps = (certified ? 25 : 8) * std::sqrt(double(std::min(size.rows, size.columns)));
    return steps * products_seconds(size, rates);
}

}  // namespace

std::string why_no_cholesky(const RidgeSize& size, const RidgeTask& task, Device device) {
    const RidgeSettings& settings = task.settings;
    const ExampleContext& context = task.context;
    const bool cpu = device == Device::cpu;
    if (!cpu && !context.gpu()) return context.why_no_gpu();
    if (settings.coefficients.front() == 0) return "c = 0 need not have one solution";
    const std::int64_t sensible = cpu ? kSensibleOnCpu : kSensibleOnGpu;
    if (settings.automatic && std::max(size.columns, size.rows / 4) > sensible)
        return fmt::format("more than {} columns take long (--methods cholesky does it)", sensible);
    const double bytes = dense_ridge_bytes(size.rows, size.columns);
    const double room = cpu ? 0.8 * double(query_host_memory().free_bytes) : context.gpu_budget();
    if (bytes > room)
        return fmt::format("needs {}, of which {} are there", format_bytes(bytes), format_bytes(room));
    return "";
}

double drawing_seconds(const RidgeSize& size) {
    return 6e-8 * double(size.nonzeros) + 1e-9 * double(size.rows) * double(size.columns) +
           6e-8 * double(size.rows);
}

std::vector<double> ridge_parts(const RidgeSize& size, const RidgeTask& task) {
    const auto& [request, context, settings] = task;
    std::vector<Device> devices;
    if (request.on_cpu()) devices.push_back(Device::cpu);
    if (context.gpu()) devices.push_back(Device::cuda);
    std::vector<double> parts;
    for (const Device device : devices) {
        if (!settings.cholesky || !why_no_cholesky(size, task, device).empty()) continue;
        const double once =
            cholesky_seconds(size, settings.coefficients.size(), rough_rates(device, context.thread_count()));
        parts.push_back(1.5 * once);  // the truth, refined
        parts.push_back(timed_seconds(once, request.repeats));
        parts.push_back(kLimitsSeconds);
    }
    if (!settings.process) return parts;
    parts.insert(parts.end(), devices.size(), 5e-8 * double(size.nonzeros + size.rows));  // layouts
    const RoughRates host = rough_rates(Device::cpu, context.thread_count());
    double limits = kLimitsSeconds;
    for (const bool certified : {true, false}) {
        if (!(certified ? settings.certified : settings.lsmr)) continue;
        for (const Device device : devices) {
            const RoughRates rates = rough_rates(device, context.thread_count());
            parts.push_back(timed_seconds(process_seconds(size, certified, rates), request.repeats));
            parts.push_back(limits);
            parts.push_back(double(settings.coefficients.size()) * products_seconds(size, host));  // errors
        }
        limits = 0;
    }
    return parts;
}

}  // namespace stencil::ridge
