// A run as a model's text with its settings, which are read back and kept beside edits, and as a command
// line.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/problem/run_spec.h"

namespace stencil {

/// The model's text with the run's values in it: parameters, size, boundary, dx, integrator, initial
/// formulas, dt if it was chosen, the colormap, and what is shown if that has a name. Comments and layout
/// stay. It parses to the same settings, and applying the function again changes nothing.
std::string text_of_run(const RunSpec& now);

/// Gives the run another text. What the text states is the text's; where it states nothing, size, and what
/// was chosen beside the text before stay: boundary, dx, integrator, initial conditions, and a dt that the
/// run itself changes. Any other dt is decided anew, because the equation may have changed.
void use_text(RunSpec& spec, std::shared_ptr<const Model> model);

/// How a command names the files that it reads: by their whole paths, or by their names alone.
enum class Paths { whole, names };

/// The shell-quoted command that repeats a resolved spec: "stencilscope run --size 512x512 --steps 340 --at
/// 100:coefficient=0.1 ...". It leaves out defaults, the backend (implied by the method), threads and
/// exports.
std::string command_text(const RunSpec& spec, Paths paths = Paths::whole);

/// Replaces each absolute path in a text's quotes, or after `NAME=` of an initial condition, by the file's
/// name: what others read does not tell an author's folders.
std::string without_folders(const std::string& value);

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
