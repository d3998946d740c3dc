#include "app/commands/kernel_rows.h"

#include <algorithm>
#include <filesystem>

#include "app/console.h"
#include "app/interrupt.h"
#include "app/progress_bar.h"
#include "sim/text/error.h"
#include "sim/text/quote.h"
#include "sim/user_kernel/trial.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil {

LadderReport KernelRows::beside(LadderReport report) const {
    std::vector<LadderRow> all;
    std::size_t next = 0;
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        all.push_back(std::move(report.rows[i]));
        if ((i + 1) % report.spec.methods.size() == 0 && next < rows.size()) {
            all.push_back(rows[next++]);
            all.back().method = method.get();
        }
    }
    report.rows = std::move(all);
    return report;
}

KernelRows try_kernel_of(const BenchRequest& request, const LadderSpec& resolved, const Machine& machine) {
    KernelRows result;
    if (request.kernel.empty()) return result;
    if (machine.has_cuda() && device_of(resolved) == Device::cpu)
        throw InputError(
            "--kernel runs on the GPU, beside its methods: leave --backend cpu and the CPU's methods out");
    result.name = printable(std::filesystem::path(request.kernel).filename().string());
    ProgressLine progress(request.quiet);
    user_kernel::TrialReport report = user_kernel::try_kernel(
        {request.kernel, user_kernel::kernel_text(request.kernel), resolved, request.kernel_limit, ""},
        [&](const std::string& doing) {
            if (progress.due()) progress.show(result.name + ": " + doing);
        },
        [] { return interrupt_signal() != 0; });
    progress.clear();
    result.interrupted = report.stopped || interrupt_signal() != 0;
    if (result.interrupted) return result;
    if (!report.fault.empty()) throw InputError(report.fault);
    result.compiled_only = !report.on_gpu;
    if (!request.quiet)
        print("{}: {}{}\n",
              result.name,
              report.compiled,
              report.on_gpu ? "" : fmt::format("; no GPU here to run it on ({})", machine.cuda.why_none));
    if (!request.quiet && report.on_gpu)
        print("{}: right on {} sizes, step by step; largest error {:.1e}\n",
              result.name,
              report.sizes,
              report.error);
    result.rows = std::move(report.rows);
    // The method's row points into the name, so both share one allocation.
    auto kept = std::make_shared<std::pair<std::string, Method>>(result.name, Method());
    kept->second = user_kernel::method_row(kept->first, resolved.run, report.steps_fused);
    result.method = std::shared_ptr<const Method>(kept, &kept->second);
    return result;
}

}  // namespace stencil
