// Device times of work that is over in microseconds.
#pragma once

#include <functional>

#include "sim/examples/report/report.h"

namespace stencil {

class CudaStream;
class ExampleContext;

/// Fills the row's time with that of what `enqueue` enqueues. Where it takes less than a tenth of a
/// millisecond, up to 20 of them are timed between two events and share the time; the row then says how many.
void time_launches(ExampleContext& context,
                   CudaStream& stream,
                   int repeats,
                   const std::function<void()>& enqueue,
                   ReportRow& row);

}  // namespace stencil
