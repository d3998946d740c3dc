// Numbers from files and typed texts that become whole numbers, checked against their limits.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

#include "sim/text/error.h"

namespace stencil {

/// A number of a file is of another kind or outside of its limits; the message names it.
struct NumberError : InputError {
    using InputError::InputError;
};

// Take a number of a file. They throw NumberError.
long long whole_number(const nlohmann::ordered_json& json,
                       std::string_view name,
                       long long least,
                       long long most);
double real_number(const nlohmann::ordered_json& json, std::string_view name, double least, double most);

/// The value as a whole number; empty if it is none or too large for a double to hold all of them.
std::optional<long long> exact_whole(double value);

/// The nearest whole number within the limits; the least for NaN.
long long nearest_whole(double value, long long least, long long most);

}  // namespace stencil
