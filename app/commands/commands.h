// The commands of the program, a file each.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>

namespace stencil {

struct ExampleRequest;
namespace fitting {
struct FitWords;
}

/// Returns the exit status: 0, 1 if results are wrong, or 128 + the signal that interrupted it (results so
/// far are written). Throws InputError, MachineError and CudaError.
using ChosenCommand = std::function<int()>;

// These add a command with its options. Parsing sets `chosen`, which keeps the options' values, if the
// command line names the command.

/// Runs a simulation without a window and writes its exports.
void add_run(CLI::App& app, ChosenCommand& chosen);
/// Runs a grid or a list of settings, and writes tables and phase diagrams.
void add_sweep(CLI::App& app, ChosenCommand& chosen);
/// Finds parameters by which a run has given values.
void add_fit(CLI::App& app, ChosenCommand& chosen);
/// Adds the options that say what is fitted, also to the window.
void add_fit_words(CLI::App& app, fitting::FitWords& words, const std::string& group = "");
/// Times the methods at one or more sizes and compares them with the machine's limits.
void add_bench(CLI::App& app, ChosenCommand& chosen);
/// Checks that this machine computes the expected bits.
void add_verify(CLI::App& app, ChosenCommand& chosen);
/// Lists the CPU and GPUs with their measured copy bandwidth.
void add_devices(CLI::App& app, ChosenCommand& chosen);
/// Lists the models, prints the text of one, or the code generated for it and its speed.
void add_models(CLI::App& app, ChosenCommand& chosen);
/// Runs a classic GPU workload on the CPU and the GPU.
void add_example(CLI::App& app, ChosenCommand& chosen);
/// Hands out broken CUDA kernels to mend, and checks what was mended.
void add_learn(CLI::App& app, ChosenCommand& chosen);
/// Generates the manual page and shell completions from the declared options.
void add_options(CLI::App& app, ChosenCommand& chosen);

/// Adds the options of the window, which the program opens if no command is given.
ChosenCommand add_window(CLI::App& app);

/// Parses words such as "ridge --rows 500", quoted as in a shell. Throws InputError.
ExampleRequest read_example(const std::string& words);

}  // namespace stencil
