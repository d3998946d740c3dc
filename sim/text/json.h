// JSON as every file reads and writes it. The library is all templates: they are translated in json.cpp
// alone, which halves the time that the files with JSON take to compile.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

// Those of the parser are no part of the library's interface, but have had these names since its version 3.8.
#define STENCILSCOPE_JSON_TEMPLATES(EXTERN, JSON)                               \
    EXTERN template class JSON;                                                 \
    EXTERN template class nlohmann::detail::serializer<JSON>;                   \
    EXTERN template class nlohmann::detail::json_sax_dom_parser<JSON>;          \
    EXTERN template class nlohmann::detail::json_sax_dom_callback_parser<JSON>; \
    STENCILSCOPE_JSON_PARSER(EXTERN, JSON, std::string::const_iterator)         \
    STENCILSCOPE_JSON_PARSER(EXTERN, JSON, std::string_view::const_iterator)
#define STENCILSCOPE_JSON_PARSER(EXTERN, JSON, ITERATOR)                                                     \
    EXTERN template class nlohmann::detail::lexer<JSON, nlohmann::detail::iterator_input_adapter<ITERATOR>>; \
    EXTERN template class nlohmann::detail::parser<JSON, nlohmann::detail::iterator_input_adapter<ITERATOR>>;

STENCILSCOPE_JSON_TEMPLATES(extern, nlohmann::basic_json<>)
STENCILSCOPE_JSON_TEMPLATES(extern, nlohmann::basic_json<nlohmann::ordered_map>)

namespace stencil {

/// Indented, with an end of line. Text that is not UTF-8 (a file's name, say) gets replacement characters
/// where the library would throw, at the end of a long run.
std::string json_text(const nlohmann::ordered_json& json);

/// JSON has no infinities.
nlohmann::ordered_json finite_or_null(double value);

}  // namespace stencil
