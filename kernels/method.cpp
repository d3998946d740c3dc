#include "kernels/method.h"

#include <algorithm>

#include "kernels/steppers.h"

#if STENCILSCOPE_HAS_CUDA
#define CUDA_METHOD(make) make<float>, make<double>
#else
#define CUDA_METHOD(make) nullptr, nullptr
#endif

namespace stencil {

std::span<const Method> methods() {
    static constexpr Method table[] = {
        {"reference",
         Device::cpu,
         true,
         0,
         0,
         "plain loops in float64 that read as the mathematics",  //
         nullptr,
         make_reference},
        {"cpu",
         Device::cpu,
         false,
         0,
         10,
         "threads and SIMD, several steps in each pass over the rows",  //
         make_cpu<float>,
         make_cpu<double>},
        {"tutorial",
         Device::cuda,
         false,
         1,
         0,
         "8x8 shared tile that also writes the Laplacian every step",  //
         CUDA_METHOD(make_tutorial)},
        {"naive",
         Device::cuda,
         false,
         0,
         10,
         "one cell per thread, straight from global memory",  //
         CUDA_METHOD(make_naive)},
        {"tiled",
         Device::cuda,
         false,
         0,
         20,
         "shared-memory tile with halo, 128-bit accesses",  //
         CUDA_METHOD(make_tiled)},
    };
    return table;
}

const Method* find_method(std::string_view name) {
    const auto all = methods();
    const auto found = std::ranges::find(all, name, &Method::name);
    return found == all.end() ? nullptr : &*found;
}

const Method& fastest_method(Device device) {
    const Method* best = nullptr;
    for (const Method& method : methods())
        if (method.device == device && (!best || method.rank > best->rank)) best = &method;
    return *best;
}

}  // namespace stencil
