#include "sim/examples/arrays/ways/timed_launches.h"

#include <algorithm>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/examples/report/stopwatch.h"

namespace stencil {

#if STENCILSCOPE_HAS_CUDA

void time_launches(ExampleContext& context,
                   CudaStream& stream,
                   int repeats,
                   const std::function<void()>& enqueue,
                   ReportRow& row) {
    constexpr double kEnough = 1e-4;  // seconds
    constexpr int kMax = 20;
    enqueue();
    CudaTimer timer;
    timer.start(stream);
    enqueue();
    timer.stop(stream);
    const double once = timer.seconds();
    const int together = once < kEnough ? std::clamp(int(2 * kEnough / std::max(once, 1e-9)), 2, kMax) : 1;
    Timing timing = time_device(context, stream, repeats, [&] {
        for (int i = 0; i < together; ++i) enqueue();
    });
    timing.seconds /= together;
    timing.fill(row);
    if (together > 1) row.more.emplace_back("launches_timed_together", together);
}

#endif

}  // namespace stencil
