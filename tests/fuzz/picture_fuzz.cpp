// Fuzzes PNG and JPEG files.
#include <zlib.h>

#include "sim/files/image.h"
#include "tests/fuzz/fuzz.h"
#include "tests/support/png_file.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

// Corrects the checksums of a PNG file's chunks, so that mutations get past them.
void repair(std::uint8_t* data, std::size_t size) {
    if (size <= 8 || data[0] != 0x89) return;
    for (std::size_t at = 8; at + 12 <= size;) {
        std::size_t length = 0;
        for (std::size_t i = 0; i < 4; ++i) length = length << 8 | data[at + i];
        if (length > size - at - 12) return;
        const auto crc = crc32(0, data + at + 4, uInt(length + 4));
        for (std::size_t i = 0; i < 4; ++i) data[at + 8 + length + i] = std::uint8_t(crc >> (24 - 8 * i));
        at += 12 + length;
    }
}

void run_one(std::string_view input) {
    const auto file = as_file(input);
    std::pair<int, int> size;
    if (!accepted([&] { size = image_size(file); })) return;
    constexpr double kMaxPixels = 1e6;  // larger ones only cost time
    if (double(size.first) * size.second > kMaxPixels) return;
    accepted([&] {
        const Array<double> picture = read_image(file);
        require(std::pair(picture.nx(), picture.ny()) == size, "a picture has the size that its header says");
        for (const double value : picture.cells())
            require(value >= 0 && value <= 1, "grey values are from 0 to 1", std::to_string(value));
    });
}

std::vector<std::string> seeds() {
    std::vector<std::string> all;
    for (const char* name : {"grey_20x12.jpg", "progressive_20x12.jpg", "palette_20x12.png"})
        all.push_back(reference_bytes(name));
    for (const int color_type : {0, 2, 4, 6})
        for (const int bits : {8, 16})
            all.push_back(
                stencil_test::png_file(5, 3, {bits, color_type, bits == 16}, std::string(120, '\x5a')));
    all.push_back(stencil_test::png_file(9, 2, {1, 0, true}, "\x12\x34\x56\x78"));
    return all;
}

const Target target("picture", run_one, seeds, repair);

}  // namespace
}  // namespace stencil_fuzz
