// Runs to begin with, that come with the program: the files of assets/runs.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sim/run/run_spec.h"

namespace stencil {

/// A spec.json with a title and a sentence about it, which may stand in the text of its equations.
struct ReadyRun {
    std::string name;  ///< of its file, without the ending
    std::string title, about;
    RunSpec spec;
};

/// In the order of their files.
std::span<const ReadyRun> ready_runs();

/// Null where there is none of that name.
const ReadyRun* find_ready_run(std::string_view name);

/// What --spec takes: a ready run's name, or a file. Throws InputError.
RunSpec named_spec(const std::string& name_or_file);

}  // namespace stencil
