// Decompresses the texts that links of web pages carry, in the format of the JavaScript library lz-string.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace stencil {

/// Decodes the output of the library's function compressToEncodedURIComponent, as UTF-8. Throws InputError if
/// the text is damaged or would become longer than `most` UTF-16 units.
std::string decompress_lz_string(std::string_view coded, std::size_t most);

}  // namespace stencil
