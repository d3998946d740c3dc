#include "sim/text/json.h"

#include <cmath>

STENCILSCOPE_JSON_TEMPLATES(, nlohmann::basic_json<>)
STENCILSCOPE_JSON_TEMPLATES(, nlohmann::basic_json<nlohmann::ordered_map>)

namespace stencil {

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json finite_or_null(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

}  // namespace stencil
