// Rows of a ladder on their way from one process to another.
#pragma once

#include <nlohmann/json.hpp>

#include "sim/bench/ladder.h"

namespace stencil::user_kernel {

nlohmann::json row_json(const LadderRow& row);
/// Of no method. Throws nlohmann::json::exception for anything else.
LadderRow row_from(const nlohmann::json& json, const LadderSpec& spec);

}  // namespace stencil::user_kernel
