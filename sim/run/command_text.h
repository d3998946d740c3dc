// A run as the words that a person would type.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sim/run/run_spec.h"

namespace stencil {

/// "stencilscope run --size 512x512 --steps 340 --at 100:coefficient=0.1 ...": what repeats a resolved spec,
/// quoted for a shell. Settings at their defaults are left out, and so are the backend (the method says it),
/// the threads, and what is exported.
std::string command_text(const RunSpec& spec);

/// " --out FOLDER --export FILES", the files where they are others than by default: what a run is to write.
std::string output_words(const std::filesystem::path& folder, const std::vector<std::string>& files);

struct CommandCopy {
    std::string text;  ///< repeats the run
    std::string file;  ///< that it reads; empty: none
};

/// What a person takes along of a run: its command line, or, where that is too long to read, `--spec` and a
/// file with the same settings, a new one in the folder. Throws InputError and MachineError where it cannot
/// be written.
CommandCopy command_copy(const RunSpec& spec, const std::filesystem::path& folder);

}  // namespace stencil
