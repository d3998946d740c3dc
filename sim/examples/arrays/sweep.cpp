#include "sim/examples/arrays/sweep.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/machine/host_memory.h"

namespace stencil {

std::vector<std::int64_t> sweep_lengths(const ExampleRequest& request,
                                        double bytes_per_element,
                                        double bytes) {
    const double most = std::min(double(request.options.integer("longest")), bytes / 2 / bytes_per_element);
    std::vector<std::int64_t> lengths;
    for (std::int64_t n = 1000; double(n) <= most; n *= 10) lengths.push_back(n);
    return lengths;
}

double free_host_bytes() {
    return double(query_host_memory().free_bytes);
}

int sweep_repeats(const ExampleRequest& request) {
    return request.repeats > 0 ? request.repeats : 7;
}

ReportCurve sweep_curve(const std::string& id, const std::string& text, DType dtype) {
    ReportCurve curve;
    curve.id = fmt::format("{}_{}", id, name_of(dtype));
    curve.title = fmt::format("{}, {}", text, name_of(dtype));
    curve.x_label = "elements";
    curve.y_label = "seconds";
    curve.log_x = curve.log_y = true;
    return curve;
}

void add_series(ReportCurve& curve, const std::string& name, std::vector<ReportPoint> points) {
    ReportSeries series;
    series.name = name;
    series.points = std::move(points);
    curve.series.push_back(std::move(series));
}

void add_memory_limits(const ExampleRequest& request,
                       ExampleContext& context,
                       ReportCurve& curve,
                       double bytes_per_element) {
    double least = 0, most = 0;
    for (const ReportSeries& series : curve.series)
        for (const ReportPoint& point : series.points) {
            least = least == 0 ? point.x : std::min(least, point.x);
            most = std::max(most, point.x);
        }
    if (most == 0) return;
    for (const Device device : {Device::cuda, Device::cpu}) {
        if (device == Device::cuda ? !context.gpu() : !request.on_cpu()) continue;
        const double per_element = bytes_per_element / (context.copy_gb_per_s(device) * 1e9);
        ReportSeries limit;
        limit.name = device == Device::cuda ? "GPU memory's limit" : "CPU memory's limit";
        limit.points = {{least, least * per_element, "", false}, {most, most * per_element, "", false}};
        limit.markers = false;
        limit.dashed = true;
        curve.series.push_back(std::move(limit));
    }
}

}  // namespace stencil
