// What a method knows beside the cells, in numbers that any machine and any file keeps exactly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace stencil {

using InnerNumbers = std::map<std::string, std::variant<std::int64_t, double>>;

}  // namespace stencil
