// bench --kernel: a kernel of the user's beside the ladder.
#pragma once

#include <string>
#include <vector>

#include "app/commands/bench_command.h"
#include "sim/bench/ladder_report.h"

namespace stencil {

struct KernelRows {
    std::vector<LadderRow> rows;  ///< one a size
    std::shared_ptr<const Method> method;
    std::string name;            ///< of the method
    bool compiled_only = false;  ///< there is no GPU
    bool interrupted = false;

    /// The report with these rows, each behind the methods' at its size.
    LadderReport beside(LadderReport report) const;
};

/// Tries the kernel of the request, where there is one, and says how it went. Throws InputError where it is
/// wrong, and MachineError.
KernelRows try_kernel_of(const BenchRequest& request, const LadderSpec& resolved, const Machine& machine);

}  // namespace stencil
