// Curves of times over lengths, which the examples on arrays have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/examples/context.h"

namespace stencil {

/// 1e3, 1e4, ... up to --longest, as many as fit into half of so many bytes.
std::vector<std::int64_t> sweep_lengths(const ExampleRequest& request,
                                        double bytes_per_element,
                                        double bytes);
double free_host_bytes();

/// Few, because there are many lengths.
int sweep_repeats(const ExampleRequest& request);

/// Without series, both axes logarithmic.
ReportCurve sweep_curve(const std::string& id, const std::string& text, DType dtype);
void add_series(ReportCurve& curve, const std::string& name, std::vector<ReportPoint> points);

/// Dashed: how long the memory of each side takes for so many bytes an element, at the measured rate of a
/// copy. Over the lengths that the curve has.
void add_memory_limits(const ExampleRequest& request,
                       ExampleContext& context,
                       ReportCurve& curve,
                       double bytes_per_element);

}  // namespace stencil
