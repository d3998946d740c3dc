#include "kernels/methods/method.h"

#include <algorithm>

#include "kernels/methods/steppers.h"

#if STENCILSCOPE_HAS_CUDA
#define ON_CUDA(make) make
#else
#define ON_CUDA(make) nullptr
#endif

namespace stencil {

namespace {

std::span<const Method> diffusion_methods() {
    static constexpr Method table[] = {
        {.name = "reference",
         .device = Device::cpu,
         .float64_state = true,
         .summary = "plain float64 loops, written like the formula",
         .make_float64 = make_reference},
        {.name = "cpu",
         .device = Device::cpu,
         .steps_at_a_time = kCpuSteps,
         .steps_fused = kCpuSteps,
         .summary = "threads and SIMD, several steps in each pass over the field",
         .make_float32 = make_cpu<float>,
         .make_float64 = make_cpu<double>},
        {.name = "spectral",
         .device = Device::cpu,
         .jumps = true,
         .unsupported_reason = spectral_cpu_unsupported,
         .summary = "any number of steps at once, by sine, cosine or Fourier transforms",
         .make_float32 = make_spectral_cpu<float>,
         .make_float64 = make_spectral_cpu<double>},
        {.name = "naive",
         .alias = "generated",
         .device = Device::cuda,
         .steps_at_a_time = kGraphSteps,
         .summary = "one cell per thread, straight from global memory",
         .make_float32 = ON_CUDA(make_naive<float>),
         .make_float64 = ON_CUDA(make_naive<double>)},
        {.name = "tiled",
         .device = Device::cuda,
         .steps_at_a_time = kGraphSteps,
         .summary = "a tile per block in registers and shared memory, 128-bit accesses",
         .make_float32 = ON_CUDA(make_tiled<float>),
         .make_float64 = ON_CUDA(make_tiled<double>)},
        {.name = "streaming",
         .device = Device::cuda,
         .steps_at_a_time = kStreamingSteps,
         .steps_fused = kStreamingSteps,
         .least_row_bytes = kStreamingRowBytes,
         .summary = "16 steps in each pass over the field, in registers, handed from warp to warp",
         .make_float32 = ON_CUDA(make_streaming<float>),
         .make_float64 = ON_CUDA(make_streaming<double>)},
        {.name = "resident",
         .device = Device::cuda,
         .whole_field = true,
         .steps_at_a_time = kResidentSteps,
         .steps_fused = 0,
         .unsupported_reason = ON_CUDA(resident_unsupported),
         .summary = "the field stays in registers; blocks exchange their halos every few steps",
         .make_float32 = ON_CUDA(make_resident<float>),
         .make_float64 = ON_CUDA(make_resident<double>)},
        {.name = "spectral",
         .device = Device::cuda,
         .jumps = true,
         .extra_arrays = 2,
         .unsupported_reason = ON_CUDA(spectral_cuda_unsupported),
         .summary = "any number of steps at once, by sine, cosine or Fourier transforms",
         .make_float32 = ON_CUDA(make_spectral_cuda<float>),
         .make_float64 = ON_CUDA(make_spectral_cuda<double>)},
    };
    return table;
}

std::span<const Method> equation_methods() {
    static constexpr Method table[] = {
        {.name = "reference",
         .device = Device::cpu,
         .model = kEquation,
         .float64_state = true,
         .summary = "one cell at a time in float64, as the formulas are written"},
        {.name = "cpu",
         .device = Device::cpu,
         .model = kEquation,
         .steps_fused = kEquationSteps,
         .summary = "threads and SIMD, the formulas interpreted by tiles, several steps in each pass"},
        {.name = "generated",
         .alias = "naive",
         .device = Device::cuda,
         .model = kEquation,
         .summary = "kernels generated from the formulas: fused, resident or of single steps, the fastest "
                    "that fits"},
        {.name = "fast",
         .device = Device::cuda,
         .model = kEquation,
         .fast = true,
         .summary = "the same with contraction and the GPU's own exp, log and division: faster, its bits "
                    "differ"},
    };
    return table;
}

}  // namespace

std::span<const Method> methods(std::string_view model) {
    return model == kEquation ? equation_methods() : diffusion_methods();
}

bool Method::is_built() const {
    if (model == kEquation) return device == Device::cpu || STENCILSCOPE_HAS_CUDA;
    return make_float32 || make_float64;
}

const Method* find_method(std::string_view name, std::optional<Device> device, std::string_view model) {
    // A method of earlier versions: a thread per cell, as in the first rung of the ladder.
    if (name == "tutorial") name = "naive";
    const auto all = methods(model);
    const auto found = std::ranges::find_if(all, [&](const Method& method) {
        return method.is_called(name) && (!device || method.device == *device);
    });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace stencil
