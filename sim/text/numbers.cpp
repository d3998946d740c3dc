#include "sim/text/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "sim/text/json.h"

namespace stencil {

long long whole_number(const nlohmann::ordered_json& json,
                       std::string_view name,
                       long long least,
                       long long most) {
    const bool fits = json.is_number_unsigned() ? std::cmp_less_equal(json.get<std::uint64_t>(), most)
                                                : json.is_number_integer();
    if (!fits || json.get<long long>() < least || json.get<long long>() > most)
        throw NumberError("{} must be a whole number from {} to {}", name, least, most);
    return json.get<long long>();
}

double real_number(const nlohmann::ordered_json& json, std::string_view name, double least, double most) {
    const double value = json.is_number() ? json.get<double>() : NAN;
    if (!(value >= least && value <= most))
        throw NumberError("{} must be a number from {} to {}", name, least, most);
    return value;
}

std::optional<long long> exact_whole(double value) {
    if (!(std::abs(value) <= 0x1p53) || value != std::floor(value)) return std::nullopt;
    return static_cast<long long>(value);
}

long long nearest_whole(double value, long long least, long long most) {
    if (!(value > double(least))) return least;
    return value < double(most) ? std::llround(value) : most;
}

}  // namespace stencil
