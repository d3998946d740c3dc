// Compiles, checks and times a user's kernel in a child process, which may hang or crash. Without a GPU it is
// checked on the CPU, and not timed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sim/bench/suite.h"
#include "sim/bench/suite_spec.h"
#include "sim/kernel_trial/traffic.h"
#include "sim/user_kernel/user_kernel.h"

namespace stencil::user_kernel {

struct TrialRequest {
    std::string file;           ///< for messages
    std::string text;           ///< source text of the kernel
    SuiteSpec suite;            ///< resolved; only the kernel is timed, at its sizes
    double limit_seconds = 10;  ///< time limit for each launch or other piece of work
    std::string program = {};   ///< executable to start; empty: this program
    bool on_cpu = false;        ///< also where there is a GPU
    bool is_lesson = false;     ///< has to be right under every boundary, on the CPU
    bool is_large = false;      ///< has to number more cells than an int can, on the CPU
};

struct TrialReport {
    std::string fault;     ///< one line; empty if the kernel is correct or was not run
    std::string compiled;  ///< such as "compiled for sm_90: 24 registers, no spills"; empty if it was not
    bool on_gpu = false;   ///< whether there was a GPU to run it
    bool on_cpu = false;   ///< whether it ran on the CPU instead
    std::string why_not;   ///< it did not run there, either; one line
    int sizes = 0;         ///< number of sizes on which it was correct
    double error = 0;      ///< largest error on these sizes, relative to the field's largest value
    Traffic traffic;       ///< on the CPU
    std::vector<std::string> right_under, wrong_under;  ///< on the CPU: boundaries that were not asked for
    int steps_fused = 1;
    Usage usage;                 ///< of the compiled kernel
    int compute_capability = 0;  ///< that it was compiled for; 90 means 9.0
    std::vector<SuiteRow> rows;  ///< one per size, without a method yet
    bool stopped = false;

    /// What the CPU said of a kernel that is right: "right on 7 sizes, step by step; largest error 1e-07;
    /// ...".
    std::string cpu_words() const;
};

/// Reads the file; without it, returns the rung of the ladder with this name. Throws InputError if there is
/// neither.
std::string kernel_text(const std::string& file);

/// Throws MachineError if the machine failed: no compiler, no child process, not enough memory.
TrialReport try_kernel(const TrialRequest& request,
                       const std::function<void(const std::string& doing)>& doing = nullptr,
                       const std::function<bool()>& stop = nullptr);

/// The child's main function, run as `stencilscope kernel-trial`: reads the request from standard input and
/// answers to kAnswers. Returns the exit status.
int trial_child();

}  // namespace stencil::user_kernel
