// Links that carry a model's text: stencilscope:CODED, its deflated text as letters.
#pragma once

#include <string>
#include <string_view>

namespace stencil {

inline constexpr std::string_view kTextLink = "stencilscope:";

std::string link_of_text(std::string_view text);

/// The text in a link. Throws InputError if the link is damaged or cut.
std::string text_of_link(std::string_view link);

}  // namespace stencil
