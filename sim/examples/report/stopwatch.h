// Timing the work of an example: warm-up, repeats, median.
#pragma once

#include <functional>

#include "sim/examples/report/report.h"

namespace stencil {

class CudaStream;
class ExampleContext;

/// Once, by the host's clock.
double seconds_of(const std::function<void()>& work);

struct Timing {
    double seconds = kNotMeasured;  ///< median
    double spread = 0;              ///< slowest minus fastest, as a share of the median
    int repeats = 0;

    void fill(ReportRow& row) const;
};

/// Repeats of work by the host's clock, from its call to its return; `repeats` 0: as many as about a second
/// takes, at least 5 (3 where one takes more than a second, 1 where it takes more than five) and at most 101.
/// The first call warms up, and is a repeat itself where only one is made. Between two calls the context may
/// throw Cancelled.
Timing time_host(ExampleContext& context, int repeats, const std::function<void()>& work);

/// The same by the device's clock, between events before and after what `work` enqueues on the stream.
Timing time_device(ExampleContext& context,
                   CudaStream& stream,
                   int repeats,
                   const std::function<void()>& work);

}  // namespace stencil
