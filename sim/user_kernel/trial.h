// A kernel of the user's tried out: compiled, checked and timed in a process of its own, which may hang or
// crash.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/bench/ladder.h"
#include "sim/bench/ladder_spec.h"

namespace stencil::user_kernel {

struct TrialRequest {
    std::string file;           ///< for messages
    std::string text;           ///< of the kernel
    LadderSpec ladder;          ///< resolved; of its rungs only the kernel is timed, on its sizes
    double limit_seconds = 10;  ///< for a launch, or any other piece of the work
    std::string program;        ///< that is started; empty: this one
};

struct TrialReport {
    std::string fault;     ///< of the kernel, one line; empty where it is right, or was not run
    std::string compiled;  ///< "compiled for sm_90: 24 registers, no spills"; empty where it was not
    bool on_gpu = false;   ///< there was one to run it on
    int sizes = 0;         ///< on which it was found right
    double error = 0;      ///< there, relative to the field's largest value
    int steps_fused = 1;
    std::vector<LadderRow> rows;  ///< one a size, of no method yet
    bool stopped = false;
};

/// Throws InputError where the file cannot be read.
std::string kernel_text(const std::string& file);

/// Throws MachineError where the machine failed: no compiler, no such process, not enough memory.
TrialReport try_kernel(const TrialRequest& request,
                       const std::function<void(const std::string& doing)>& doing = nullptr,
                       const std::function<bool()>& stop = nullptr);

/// The other end, which the program becomes when it is started as `stencilscope kernel-trial`: reads the
/// request from standard input and answers to kAnswers. Returns the exit status.
int trial_child();

}  // namespace stencil::user_kernel
