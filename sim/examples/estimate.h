// How long an example will take on this machine's CPU: an estimate from what it computes and measured rates.
#pragma once

#include <string>

#include "sim/examples/example.h"

namespace stencil {

/// Measured rates of the CPU.
struct CpuRates {
    double bytes_per_s = 0;               ///< of a copy, reads and writes counted
    double operations_per_s[2] = {0, 0};  ///< multiply-adds by DType, two operations each
};

/// Measures them, in about a second. `threads` as in ExampleRequest.
CpuRates measure_cpu_rates(int threads);

/// Estimates below this are not worth telling.
inline constexpr double kLongSeconds = 10;

/// Returns the seconds that the rows on the CPU take together; 0 if there are none or they are not known. For
/// requests that their example's check accepts.
double estimated_seconds(const ExampleRequest& request, const CpuRates& rates);

/// Whether it may take longer than kLongSeconds on some CPU. Ask before measuring one.
bool may_be_long(const ExampleRequest& request);

/// Returns the request with smaller sizes, so that it takes some seconds; the same if no option sets them.
ExampleRequest sized_for(const ExampleRequest& request, const CpuRates& rates);

/// "about 9 min on this CPU".
std::string estimate_text(double seconds);

}  // namespace stencil
