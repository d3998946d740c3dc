// Messages between a trial's processes.
#pragma once

#include "sim/kernel_trial/trial.h"
#include "sim/text/json.h"

namespace stencil {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Size, nx, ny)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Speed, us_per_step, gcells_per_s, effective_gb_per_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LadderRow,
                                   size,
                                   fits,
                                   why_not,
                                   steps,
                                   repeats,
                                   seconds,
                                   spread,
                                   speed,
                                   total_steps,
                                   error,
                                   truth,
                                   truth_error)

namespace user_kernel {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(
    TrialReport, fault, compiled, on_gpu, sizes, error, steps_fused, rows, stopped)
}

/// Formats JSON on one line; invalid UTF-8 is replaced.
inline std::string json_line(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + '\n';
}

}  // namespace stencil
