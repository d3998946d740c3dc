// A run as a model's text with its settings, which are read back and kept beside edits, and as a command
// line.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "sim/problem/run_spec.h"

namespace stencil {

/// The model's text with the run's values in it: parameters, size, boundary, dx, integrator, initial
/// formulas, and dt (added if missing only if `sets_dt`; left out if it follows the limit). Comments and
/// layout stay. It parses to the same settings, and applying the function again changes nothing.
std::string text_of_run(const Problem& now, bool sets_dt = true);

/// `next` is `before` with an edited text, possibly with choices of `before` still set. Returns the settings
/// to change so that the run follows the text, and is as before where the text says nothing; dt is decided
/// anew, since the equation may have changed.
std::vector<std::pair<std::string, std::string>> choices_of_text(const Problem& before, const Problem& next);

/// Components without an initial condition in the new text keep their previous one.
void keep_starts_of(const Problem& before, Problem& next);

/// `spec` has a new text and its defaults. Restores from `before` the choices made beside the old text that
/// the edit does not contradict: parameters, dt, size, shown formula, boundary and initial conditions if both
/// texts agree on them; integrator and dx always.
void keep_choices(RunSpec& spec, const RunSpec& before);

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
