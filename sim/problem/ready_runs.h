// Example runs that come with the program: the files of assets/runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/problem/run_spec.h"

namespace stencil {

/// A spec.json with title and description, which may come from its equations' text.
struct ReadyRun {
    std::string name;  ///< file name without extension
    std::string title, about;
    std::string text;  ///< of the file
    RunSpec spec;
};

/// All ready runs in alphabetical order of their files.
std::span<const ReadyRun> ready_runs();

/// Null if there is none of that name.
const ReadyRun* find_ready_run(std::string_view name);

/// Resolves --spec: a ready run's name or a file. Throws InputError.
RunSpec named_spec(const std::string& name_or_file);
/// The text of that file; empty if there is none.
std::string named_text(const std::string& name_or_file);

}  // namespace stencil
