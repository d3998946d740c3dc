// c = a + b.
#include <fmt/format.h>

#include "kernels/examples/arrays/elementwise.h"
#include "sim/examples/arrays/array_examples.h"
#include "sim/examples/arrays/array_options.h"
#include "sim/examples/arrays/ways/device_arrays.h"
#include "sim/examples/arrays/ways/map_rows.h"

namespace stencil {
namespace {

constexpr ExampleOption kOptions[] = {
    kLengthOption,
    kArraySeedOption,
};

constexpr DType kDTypes[] = {DType::float32, DType::float64};

template <class T>
MapWay<T> one_pass() {
    MapWay<T> way;
    way.name = "one pass";
    way.arrays_moved = 3;
    way.on_cpu = [](ExampleContext& context, const MapArrays<T>& arrays) {
        in_parts(context, arrays.n, kQuickPart, [&](std::int64_t first, std::int64_t count) {
            cpu_pass<T>(context.threads(),
                        Pass::sum,
                        arrays.at[0] + first,
                        arrays.at[1] + first,
                        arrays.at[2] + first,
                        count);
        });
    };
#if STENCILSCOPE_HAS_CUDA
    way.on_gpu = [](CudaStream& stream, const MapArrays<T>& arrays) {
        cuda_pass<T>(stream, Pass::sum, arrays.at[0], arrays.at[1], arrays.at[2], arrays.n);
    };
#endif
    return way;
}

template <class T>
void run_in(const ExampleRequest& request, ExampleContext& context) {
    MapWork<T> work;
    work.n = request.options.integer("length");
    work.name = fmt::format("c = a + b, {} elements", work.n);
    context.begin_part("random numbers");
    Random random = array_random(request);
    for (int i = 0; i < 2; ++i) work.inputs.push_back(random_array<T>(context, random, work.n));
    work.exact = AlignedBuffer<Exact<T>>(std::size_t(work.n));
    on_threads(context, work.n, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            work.exact.data()[i] = Exact<T>(work.inputs[0].data()[i]) + work.inputs[1].data()[i];
    });
    work.error_bound = sizeof(T) == 4 ? 6e-8 : 1.2e-16;  // one rounding
    add_map_rows(request, context, work, one_pass<T>());
}

void run(const ExampleRequest& request, ExampleContext& context) {
    const std::int64_t n = request.options.integer("length");
    in_widest_dtype(request, [&]<class T>(T) {
        require_host_memory(3 * sizeof(T) + sizeof(Exact<T>), n);
        require_gpu_memory(context, 3, n, sizeof(T), 0);
    });
    std::vector<double> parts;
    for (std::size_t i = 0; i < request.dtypes.size(); ++i) {
        parts.push_back(setup_seconds(n));
        parts.insert(parts.end(), std::size_t(sides(request, context)), row_seconds(n));
    }
    context.expect(parts);
    in_each_dtype(request, [&]<class T>(T) { run_in<T>(request, context); });
    context.report().notes.push_back(
        "A million elements are 12 or 24 MB and stay in the GPU's second-level cache between repeats, where "
        "rates exceed that of memory.");
}

}  // namespace

constinit const Example kAddExample{
    .name = "add",
    .summary = "c = a + b: nothing but memory",
    .about =
        "The tutorials' kernel has no guard: 3907 blocks of 256 threads are 1000192 threads, and the last "
        "192 write beyond the arrays; the time they print is that of the launch, because nothing waits for "
        "its end. Here a thread takes 16 bytes, all lengths are guarded, all elements are compared, and the "
        "time is the device's with the arrays in place; the copies to the GPU and back, which cost far more, "
        "stand beside it.",
    .options = kOptions,
    .dtypes = kDTypes,
    .check = check_array,
    .run = run};

}  // namespace stencil
