#include "sim/import/link.h"

#include "sim/files/deflate.h"
#include "sim/model/text/tokens.h"
#include "sim/text/base64.h"
#include "sim/text/error.h"

namespace stencil {

std::string link_of_text(std::string_view text) {
    return std::string(kTextLink) + base64url(deflated(text));
}

std::string text_of_link(std::string_view link) {
    link.remove_prefix(kTextLink.size());
    const auto bytes = bytes_of_base64(link);
    if (bytes)
        if (auto text = inflated(*bytes, equation::kMaxText)) return std::move(*text);
    throw InputError("the link is damaged or cut: copy all of it, without spaces");
}

}  // namespace stencil
