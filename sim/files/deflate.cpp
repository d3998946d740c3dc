#include "sim/files/deflate.h"

#include <zlib.h>

#include <algorithm>
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

std::optional<std::string> inflated_member(std::string_view bytes, std::size_t size) {
    z_stream stream = {};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw std::bad_alloc();
    std::string result(size + 1, '\0');  // a longer member shows
    constexpr std::size_t kPart = std::size_t(1) << 30;
    std::size_t read = 0, written = 0;
    int status = Z_OK;
    while (status == Z_OK) {
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + read));
        stream.next_out = reinterpret_cast<Bytef*>(result.data() + written);
        const uInt in = uInt(std::min(bytes.size() - read, kPart)),
                   out = uInt(std::min(result.size() - written, kPart));
        stream.avail_in = in;
        stream.avail_out = out;
        status = inflate(&stream, Z_NO_FLUSH);
        read += in - stream.avail_in;
        written += out - stream.avail_out;
    }
    inflateEnd(&stream);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status != Z_STREAM_END || written != size) return std::nullopt;
    result.resize(size);
    return result;
}

std::uint32_t checksum(std::string_view bytes) {
    return std::uint32_t(crc32_z(0, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace stencil
