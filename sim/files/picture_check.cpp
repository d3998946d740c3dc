#include "sim/files/picture_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <numeric>
#include <string>
#include <string_view>
#include <vector>

namespace stencil {
namespace {

using Bytes = std::span<const std::uint8_t>;

constexpr std::array<std::uint8_t, 8> kPngStart = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
constexpr std::array<std::uint8_t, 3> kJpegStart = {0xff, 0xd8, 0xff};

// Deflate spends at least 2 bits on 258 bytes.
constexpr std::uint64_t kMaxInflated = 1032;
// A JPEG block of 8 x 8 samples takes at least one bit; with the oddest of allowed sampling factors (4x1
// beside 1x4) ten blocks make up 32 x 32 pixels, so 820 pixels a byte.
constexpr std::uint64_t kMaxPixelsPerJpegByte = 1024;

bool starts_with(Bytes bytes, Bytes start) {
    return bytes.size() >= start.size() && std::ranges::equal(bytes.first(start.size()), start);
}

std::uint32_t big_endian(Bytes bytes) {
    std::uint32_t value = 0;
    for (const std::uint8_t byte : bytes) value = value << 8 | byte;
    return value;
}

std::uint32_t crc32(Bytes bytes) {
    static constexpr auto table = [] {
        std::array<std::uint32_t, 256> entries{};
        for (std::uint32_t i = 0; i < 256; ++i) {
            std::uint32_t entry = i;
            for (int bit = 0; bit < 8; ++bit) entry = entry & 1 ? 0xedb88320u ^ entry >> 1 : entry >> 1;
            entries[i] = entry;
        }
        return entries;
    }();
    std::uint32_t crc = ~0u;
    for (const std::uint8_t byte : bytes) crc = table[(crc ^ byte) & 255] ^ crc >> 8;
    return ~crc;
}

[[noreturn]] void cut_off(std::string_view format) {
    throw PictureError(fmt::format("cut off: a {} that doesn't end", format));
}

[[noreturn]] void damaged(std::string_view format, std::string_view what) {
    throw PictureError(fmt::format("a damaged {}: {}", format, what));
}

void check_claim(PictureHeader header, std::uint64_t most_pixels, std::size_t bytes) {
    if (std::uint64_t(header.nx) * std::uint64_t(header.ny) <= most_pixels) return;
    throw PictureError(
        fmt::format("claims {} x {} pixels, more than its {} bytes can hold", header.nx, header.ny, bytes));
}

struct PngHeader {
    PictureHeader picture;
    int channels = 0;
};

PngHeader read_ihdr(Bytes data) {
    if (data.size() != 13) damaged("PNG", "a header of the wrong size");
    const std::uint32_t nx = big_endian(data.first(4)), ny = big_endian(data.subspan(4, 4));
    if (nx == 0 || ny == 0 || nx > 0x7fffffff || ny > 0x7fffffff)
        damaged("PNG", fmt::format("a size of {} x {} pixels", nx, ny));
    constexpr int kChannels[] = {1, 0, 3, 1, 2, 0, 4};  // by colour type
    const int bits = data[8];
    const int channels = data[9] < std::size(kChannels) ? kChannels[data[9]] : 0;
    if (channels == 0 || (bits != 1 && bits != 2 && bits != 4 && bits != 8 && bits != 16))
        damaged("PNG", fmt::format("{} bits of colour type {}", bits, data[9]));
    return {{int(nx), int(ny), bits}, channels};
}

PictureHeader check_png(Bytes bytes) {
    PngHeader header;
    std::uint64_t compressed = 0;
    std::string_view type;
    for (Bytes rest = bytes.subspan(kPngStart.size()); type != "IEND";) {
        if (rest.size() < 12) cut_off("PNG");
        const std::uint32_t length = big_endian(rest.first(4));
        if (length > rest.size() - 12) cut_off("PNG");
        const Bytes data = rest.subspan(8, length);
        type = {reinterpret_cast<const char*>(&rest[4]), 4};
        if (crc32(rest.subspan(4, 4 + length)) != big_endian(rest.subspan(8 + length, 4)))
            damaged("PNG", fmt::format("a wrong checksum at byte {}", rest.data() - bytes.data()));
        const bool first = header.channels == 0;
        if (first != (type == "IHDR")) damaged("PNG", "its header is not the first and only one");
        if (first) header = read_ihdr(data);
        if (type == "IDAT") compressed += length;
        rest = rest.subspan(12 + length);
    }
    if (compressed == 0) damaged("PNG", "no pixels");
    const auto bits_of_pixel = std::uint64_t(header.channels * header.picture.bits);
    check_claim(header.picture, compressed * kMaxInflated * 8 / bits_of_pixel, bytes.size());
    return header.picture;
}

// Walks the segments of a JPEG. The decoder (stb_image 2.27 in Debian 12) writes beyond its tables where a
// Huffman table has more than 256 codes and decodes with tables that were never given, so both are looked at
// here.
class JpegCheck {
  public:
    explicit JpegCheck(Bytes bytes) : bytes_(bytes) {}

    PictureHeader run() {
        bool scanned = false;
        for (std::uint8_t marker = next_marker(); marker != kEnd; marker = next_marker()) {
            if (marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7)) continue;  // no segment
            const Bytes data = next_segment();
            if (marker == kHuffman)
                huffman_tables(data);
            else if (marker == kQuantisation)
                quantisation_tables(data);
            else if (marker >= 0xc0 && marker <= 0xcf && marker != 0xc8 && marker != 0xcc)
                frame(marker, data);
            if (marker != kScan) continue;
            scan(data);
            scanned = true;
            skip_scan();
        }
        if (!scanned) damaged("JPEG", "no pixels");
        check_claim(header_, bytes_.size() * kMaxPixelsPerJpegByte, bytes_.size());
        return header_;
    }

  private:
    static constexpr std::uint8_t kHuffman = 0xc4, kEnd = 0xd9, kScan = 0xda, kQuantisation = 0xdb;

    struct Component {
        std::uint8_t id, quantisation;
    };

    std::uint8_t next_marker() {
        for (; at_ + 2 <= bytes_.size(); ++at_) {
            const std::uint8_t marker = bytes_[at_ + 1];
            // Fill bytes, and what careless programs leave between segments.
            if (bytes_[at_] != 0xff || marker == 0xff || marker == 0) continue;
            at_ += 2;
            return marker;
        }
        cut_off("JPEG");
    }

    Bytes next_segment() {
        if (at_ + 2 > bytes_.size()) cut_off("JPEG");
        const std::size_t length = big_endian(bytes_.subspan(at_, 2));
        if (length < 2) damaged("JPEG", fmt::format("a segment of {} bytes at byte {}", length, at_));
        if (length > bytes_.size() - at_) cut_off("JPEG");
        const Bytes data = bytes_.subspan(at_ + 2, length - 2);
        at_ += length;
        return data;
    }

    // The entropy-coded data ends at a marker: FF and what is neither a stuffed zero nor a restart nor
    // another FF.
    void skip_scan() {
        for (; at_ + 1 < bytes_.size(); ++at_) {
            const std::uint8_t next = bytes_[at_ + 1];
            if (bytes_[at_] == 0xff && next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7)) return;
        }
        cut_off("JPEG");
    }

    void huffman_tables(Bytes data) {
        while (!data.empty()) {
            const std::size_t codes = data.size() < 17 ? 257 : sum(data.subspan(1, 16));
            if (codes > 256 || data.size() < 17 + codes || data[0] >> 4 > 1 || (data[0] & 15) > 3)
                damaged("JPEG", "a bad Huffman table");
            has_huffman_[data[0] >> 4][data[0] & 15] = true;
            data = data.subspan(17 + codes);
        }
    }

    void quantisation_tables(Bytes data) {
        while (!data.empty()) {
            const std::size_t length = data[0] >> 4 == 0 ? 65 : 129;
            if (data.size() < length || data[0] >> 4 > 1 || (data[0] & 15) > 3)
                damaged("JPEG", "a bad quantisation table");
            has_quantisation_[data[0] & 15] = true;
            data = data.subspan(length);
        }
    }

    void frame(std::uint8_t marker, Bytes data) {
        // C0 to C2 are Huffman-coded: baseline, extended, progressive. The rest are lossless or arithmetic.
        if (marker > 0xc2)
            throw PictureError("a JPEG of a kind that isn't read (lossless or arithmetic coding)");
        if (!components_.empty()) damaged("JPEG", "two headers");
        if (data.size() < 9 || data.size() != 6 + std::size_t(3) * data[5])
            damaged("JPEG", "a header of the wrong size");
        if (data[0] != 8) throw PictureError(fmt::format("a JPEG of {} bits; allowed: 8", data[0]));
        header_ = {int(big_endian(data.subspan(3, 2))), int(big_endian(data.subspan(1, 2))), 8};
        if (header_.nx == 0 || header_.ny == 0)
            damaged("JPEG", fmt::format("a size of {} x {} pixels", header_.nx, header_.ny));
        progressive_ = marker == 0xc2;
        for (std::size_t i = 6; i < data.size(); i += 3) components_.push_back({data[i], data[i + 2]});
    }

    // Each component of a scan: its number, then its tables, direct current in the upper half of the byte. A
    // progressive scan holds either the direct or the alternating current; the refinement of the former is
    // not coded.
    void scan(Bytes data) {
        const std::size_t count = data.empty() ? 0 : data[0];
        if (count == 0 || data.size() != 4 + 2 * count) damaged("JPEG", "a scan without components");
        const Bytes settings = data.last(3);
        const bool direct = !progressive_ || (settings[0] == 0 && settings[2] >> 4 == 0);
        const bool alternating = !progressive_ || settings[0] != 0;
        for (std::size_t i = 0; i < count; ++i) {
            const std::uint8_t id = data[1 + 2 * i], tables = data[2 + 2 * i];
            const auto component = std::ranges::find(components_, id, &Component::id);
            if (component == components_.end()) damaged("JPEG", "a scan of no component");
            if ((direct && !has(has_huffman_[0], tables >> 4)) ||
                (alternating && !has(has_huffman_[1], tables & 15)))
                damaged("JPEG", "no Huffman table");
            if (!has(has_quantisation_, component->quantisation)) damaged("JPEG", "no quantisation table");
        }
    }

    using Given = std::array<bool, 4>;
    static bool has(const Given& given, int table) { return table < 4 && given[std::size_t(table)]; }

    static std::size_t sum(Bytes bytes) {
        return std::accumulate(bytes.begin(), bytes.end(), std::size_t(0));
    }

    Bytes bytes_;
    std::size_t at_ = 2;
    PictureHeader header_;
    bool progressive_ = false;
    std::vector<Component> components_;
    std::array<Given, 2> has_huffman_{};
    Given has_quantisation_{};
};

}  // namespace

PictureHeader check_picture(Bytes bytes) {
    if (starts_with(bytes, kPngStart)) return check_png(bytes);
    if (starts_with(bytes, kJpegStart)) return JpegCheck(bytes).run();
    throw PictureError("neither a PNG nor a JPEG picture");
}

}  // namespace stencil
