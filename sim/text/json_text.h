// JSON as it is written to files.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace stencil {

/// Indented, with an end of line. Text that is not UTF-8 (a file's name, say) gets replacement characters
/// where the library would throw, at the end of a long run.
std::string json_text(const nlohmann::ordered_json& json);

}  // namespace stencil
