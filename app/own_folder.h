// Folders of results, which another run must not overwrite unasked.
#pragma once

#include <functional>
#include <string>

#include "sim/problem/run_spec.h"
#include "sim/text/json.h"

namespace stencil {

/// The settings that results depend on.
nlohmann::ordered_json problem_of(const RunSpec& spec);

bool holds_results(const std::string& folder);

/// The folder, or the first of FOLDER-2, FOLDER-3 ... without results of another run, with a note. `is_own`
/// gets the path of a spec.json; if it throws, that is another's.
std::string own_folder(const std::string& folder, const std::function<bool(const std::string& file)>& is_own);

}  // namespace stencil
