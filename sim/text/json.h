// JSON, and CSV (RFC 4180) made of it. The library's templates are instantiated only in json.cpp, which
// halves the compile time of its users.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The parser's types are not public, but have had these names since version 3.8 of the library.
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

/// The first entries of each report: the program's name and version.
nlohmann::ordered_json program_json();

/// Formats with indentation and a final newline. Invalid UTF-8 (as in file names) is replaced, because the
/// library would throw, possibly at the end of a long run.
std::string json_text(const nlohmann::ordered_json& json);

/// Infinities become null, because JSON has none.
nlohmann::ordered_json finite_or_null(double value);

/// Returns a line of CSV with its line end: text is quoted if needed, null is empty.
std::string csv_line(const std::vector<nlohmann::ordered_json>& cells);
/// Formats objects with equal keys as CSV, one per line, below a header of the keys; empty if there are none.
std::string csv_table(const nlohmann::ordered_json& rows);

}  // namespace stencil
