// Plain arrays on the host: what the examples on them compute with and compare.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "kernels/cpu/aligned_buffer.h"
#include "kernels/cpu/thread_pool.h"
#include "sim/examples/context.h"
#include "sim/field/random.h"

namespace stencil {

/// Elements that take some tenths of a second: of work at the rate of memory, and of slow functions.
inline constexpr std::int64_t kQuickPart = std::int64_t(1) << 25, kSlowPart = std::int64_t(1) << 20;

/// work(first, count) on parts of [0, n). Throws Cancelled between two.
template <class F>
void in_parts(const ExampleContext& context, std::int64_t n, std::int64_t part, const F& work) {
    for (std::int64_t first = 0; first < n; first += part) {
        context.pause();
        work(first, std::min(part, n - first));
    }
}

/// work(begin, end) over [0, n) on all threads of the context. Throws Cancelled between two slow parts.
template <class F>
void on_threads(ExampleContext& context, std::int64_t n, const F& work) {
    in_parts(context, n, kSlowPart, [&](std::int64_t first, std::int64_t count) {
        context.threads().for_ranges(
            count, [&](std::int64_t begin, std::int64_t end) { work(first + begin, first + end); });
    });
}

/// What results in T are compared with: computed with more digits than T has.
template <class T>
using Exact = std::conditional_t<std::is_same_v<T, float>, double, long double>;

/// Estimates for ExampleContext::expect(): of drawing n numbers and computing with them exactly; of a row,
/// whose repeats take about a second.
inline double setup_seconds(std::int64_t n) {
    return 3e-8 * double(n);
}
inline double row_seconds(std::int64_t n) {
    return 1 + 1e-8 * double(n);
}
inline constexpr double kSweepSeconds = 3;  ///< of one way's curve

/// The next n numbers on [0, 1), as NumPy's generator draws them. Throws Cancelled.
template <class T>
AlignedBuffer<T> random_array(ExampleContext& context, Random& random, std::int64_t n);

/// Throws MachineError where so much does not fit into the host's free memory: what is needed, what is free
/// and how many elements fit.
void require_host_memory(double bytes_per_element, std::int64_t n);

/// ||got - exact|| / ||exact|| over n elements; NaN where any is NaN. Throws Cancelled.
template <class T>
double relative_error(ExampleContext& context, const T* got, const Exact<T>* exact, std::int64_t n);

/// |got - exact| / |exact| of one number.
double relative_error(double got, long double exact);

}  // namespace stencil
