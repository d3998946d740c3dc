#include "sim/examples/report/report.h"

#include <algorithm>

namespace stencil {
namespace {

bool counts(const ReportRow& row) {
    return row.measured() && !row.inexact && !row.failed && !row.not_compared && row.seconds > 0;
}

const ReportRow* fastest(const Report& report, const ReportRow& like, Device device) {
    const ReportRow* best = nullptr;
    for (const ReportRow& row : report.rows) {
        if (!counts(row) || row.backend != device || row.work != like.work || row.dtype != like.dtype)
            continue;
        if (!best || row.seconds < best->seconds) best = &row;
    }
    return best;
}

}  // namespace

std::vector<SpeedUp> speedups_of(const Report& report) {
    std::vector<SpeedUp> all;
    for (const ReportRow& row : report.rows) {
        const bool known = std::ranges::any_of(
            all, [&](const SpeedUp& one) { return one.work == row.work && one.dtype == row.dtype; });
        if (known) continue;
        const ReportRow* cpu = fastest(report, row, Device::cpu);
        const ReportRow* gpu = fastest(report, row, Device::cuda);
        if (cpu && gpu)
            all.push_back({row.work, row.dtype, cpu->name, gpu->name, cpu->seconds / gpu->seconds});
    }
    return all;
}

}  // namespace stencil
