// A method's state besides the cells: numbers that files store exactly.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>

namespace stencil {

using InnerNumbers = std::map<std::string, std::variant<std::int64_t, double>>;

}  // namespace stencil
