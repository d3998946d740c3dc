#include "sim/files/deflate.h"

#include <zlib.h>

#include <new>

namespace stencil {

std::string deflated(std::string_view bytes) {
    uLongf size = compressBound(uLong(bytes.size()));
    std::string result(size, '\0');
    const int status = compress2(reinterpret_cast<Bytef*>(result.data()),
                                 &size,
                                 reinterpret_cast<const Bytef*>(bytes.data()),
                                 uLong(bytes.size()),
                                 Z_BEST_COMPRESSION);
    if (status != Z_OK) throw std::bad_alloc();
    result.resize(size);
    return result;
}

std::optional<std::string> inflated(std::string_view bytes, std::size_t most) {
    std::string result(most + 1, '\0');
    uLongf size = uLongf(result.size());
    const int status = uncompress(reinterpret_cast<Bytef*>(result.data()),
                                  &size,
                                  reinterpret_cast<const Bytef*>(bytes.data()),
                                  uLong(bytes.size()));
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_OK || size > most) return std::nullopt;
    result.resize(size);
    return result;
}

}  // namespace stencil
