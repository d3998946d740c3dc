#include "sim/examples/report/stopwatch.h"

#include <algorithm>
#include <chrono>
#include <vector>

#include "kernels/cuda/cuda_runtime.h"
#include "sim/examples/context.h"
#include "sim/machine/median.h"

namespace stencil {
namespace {

// About as many as a second takes.
int sensible_repeats(double seconds) {
    constexpr int kMin = 5, kMax = 101;
    if (seconds > 5) return 1;
    if (seconds > 1) return 3;
    return std::clamp(int(1 / std::max(seconds, 1e-9)), kMin, kMax);
}

Timing take_times(ExampleContext& context, int repeats, const std::function<double()>& once) {
    context.begin_call(0, repeats == 1 ? 1 : 1 + std::max(repeats, 5));
    const double first = once();
    if (repeats == 0) repeats = sensible_repeats(first);
    std::vector<double> times;
    if (repeats == 1) times.push_back(first);
    while (int(times.size()) < repeats) {
        context.pause();
        context.begin_call(int(times.size()) + 1, repeats + 1);
        times.push_back(once());
    }
    const auto [least, most] = std::ranges::minmax(times);
    const double middle = median(times);
    return {middle, middle > 0 ? (most - least) / middle : 0, repeats};
}

}  // namespace

void Timing::fill(ReportRow& row) const {
    row.seconds = seconds;
    row.spread = spread;
    row.repeats = repeats;
}

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Timing time_host(ExampleContext& context, int repeats, const std::function<void()>& work) {
    return take_times(context, repeats, [&] { return seconds_of(work); });
}

#if STENCILSCOPE_HAS_CUDA
Timing time_device(ExampleContext& context,
                   CudaStream& stream,
                   int repeats,
                   const std::function<void()>& work) {
    CudaTimer timer;
    return take_times(context, repeats, [&] {
        timer.start(stream);
        work();
        timer.stop(stream);
        return timer.seconds();
    });
}
#endif

}  // namespace stencil
