// bench --kernel: adds a user's kernel to the table of methods.
#pragma once

#include <string>
#include <vector>

#include "app/commands/bench_command.h"
#include "sim/bench/ladder_report.h"

namespace stencil {

struct KernelRows {
    std::vector<LadderRow> rows;  ///< one for each size
    std::shared_ptr<const Method> method;
    std::string name;            ///< of the method that is the kernel
    bool compiled_only = false;  ///< true without a GPU: the kernel was compiled but not run
    bool interrupted = false;

    /// Returns the report with these rows inserted after the methods' rows of each size.
    LadderReport beside(LadderReport report) const;
};

/// Compiles, checks and times the request's user kernel, if it has one, and prints how that went. Throws
/// InputError if the kernel is wrong, and MachineError.
KernelRows try_kernel_of(const BenchRequest& request, const LadderSpec& resolved, const Machine& machine);

}  // namespace stencil
