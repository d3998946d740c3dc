#include "sim/text/json.h"

#include <cmath>

STENCILSCOPE_JSON_TEMPLATES(, nlohmann::basic_json<>)
STENCILSCOPE_JSON_TEMPLATES(, nlohmann::basic_json<nlohmann::ordered_map>)

namespace stencil {
namespace {

std::string csv_cell(const nlohmann::ordered_json& value) {
    if (value.is_null()) return "";
    if (!value.is_string()) return value.dump();
    const std::string text = value.get<std::string>();
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

nlohmann::ordered_json program_json() {
    return {{"program", "stencilscope"}, {"version", STENCILSCOPE_VERSION}};
}

std::string json_text(const nlohmann::ordered_json& json) {
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

nlohmann::ordered_json finite_or_null(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

std::string csv_line(const std::vector<nlohmann::ordered_json>& cells) {
    std::string line;
    for (const auto& cell : cells) line += (&cell == cells.data() ? "" : ",") + csv_cell(cell);
    return line + "\n";
}

std::string csv_table(const nlohmann::ordered_json& rows) {
    std::string header, lines;
    for (const nlohmann::ordered_json& row : rows) {
        std::vector<nlohmann::ordered_json> names, values;
        for (const auto& [name, value] : row.items()) {
            names.emplace_back(name);
            values.push_back(value);
        }
        header = csv_line(names);
        lines += csv_line(values);
    }
    return header + lines;
}

}  // namespace stencil
