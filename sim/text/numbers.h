// Numbers from files and typed texts that become whole numbers, checked against their limits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "sim/text/error.h"

namespace stencil {

/// Thrown if a number in a file has another type or is outside its limits; the message names it.
struct NumberError : InputError {
    using InputError::InputError;
};

// Read a number of a file. They throw NumberError.
long long whole_number(const nlohmann::ordered_json& json,
                       std::string_view name,
                       long long least,
                       long long most);
double real_number(const nlohmann::ordered_json& json, std::string_view name, double least, double most);

/// Returns the value as a whole number; empty if it is not whole or so large that doubles skip whole numbers.
std::optional<long long> exact_whole(double value);

/// The nearest whole number within the limits; the least for NaN.
long long nearest_whole(double value, long long least, long long most);

}  // namespace stencil
