// A run as a command line.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/problem/run_spec.h"

namespace stencil {

/// The shell-quoted command that repeats a resolved spec: "stencilscope run --size 512x512 --steps 340 --at
/// 100:coefficient=0.1 ...". It leaves out defaults, the backend (implied by the method), threads and
/// exports.
std::string command_text(const RunSpec& spec);

/// The output options " --out FOLDER --export FILES"; --export only if the files differ from the default.
std::string output_words(const std::filesystem::path& folder, const std::vector<std::string>& files);

struct CommandCopy {
    std::string text;  ///< repeats the run
    std::string file;  ///< the spec file that it reads; empty: none
};

/// The command line of a run for the clipboard. If it is too long to read, writes the settings to a new file
/// in the folder and returns a command with `--spec`. Throws InputError or MachineError if that fails.
CommandCopy command_copy(const RunSpec& spec, const std::filesystem::path& folder);

}  // namespace stencil
