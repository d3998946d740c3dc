#include "sim/files/image.h"

#include <fmt/format.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/picture.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Detects the format by the first bytes, whatever the file's name.
bool is_png(InputFile& file) {
    constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n", kJpeg = "\xff\xd8\xff";
    char start[kPng.size()] = {};
    const std::size_t count = file.read_some(std::as_writable_bytes(std::span(start)));
    const std::string_view text(start, count);
    if (text != kPng && !text.starts_with(kJpeg)) file.refuse("neither a PNG nor a JPEG picture");
    file.rewind();
    return text == kPng;
}

void check_png_size(const std::filesystem::path& path, int nx, int ny) {
    // The encoder adds one byte per row, which matters only for very narrow pictures.
    const long long encoder_bytes = (3LL * nx + 1) * ny;
    if (nx < 1 || ny < 1 || 1LL * nx * ny > kMaxPngCells || encoder_bytes > 3 * kMaxPngCells + 50'000'000)
        throw InputError(fmt::format(
            "{}: a PNG of {} x {} cells; allowed: 1 to {} cells", path.string(), nx, ny, kMaxPngCells));
}

}  // namespace

void require_plausible(const InputFile& file, PictureSize size, double max_pixels_per_byte) {
    if (double(size.nx) * size.ny > double(file.size()) * max_pixels_per_byte)
        file.refuse(fmt::format(
            "claims {} x {} pixels, more than its {} bytes can hold", size.nx, size.ny, file.size()));
}

std::pair<int, int> image_size(const std::filesystem::path& path) {
    InputFile file(path);
    const PictureSize size = is_png(file) ? png_size(file) : jpeg_size(file);
    return {size.nx, size.ny};
}

Array<double> read_image(const std::filesystem::path& path) {
    InputFile file(path);
    return is_png(file) ? read_png(file) : read_jpeg(file);
}

void paint(const Field& field, const Colormap& colors, ValueRange range, std::span<Rgb> pixels) {
    const double low = range.low, width = range.high - range.low;
    constexpr int kNotFinite = 256;
    std::array<Rgb, 257> table;
    std::ranges::copy(colors.colors, table.begin());
    table[kNotFinite] = colors.at(std::numeric_limits<double>::quiet_NaN(), {});
    const EntryBorders borders = has_borders(range) ? entry_borders(range) : EntryBorders{};
    const auto by_borders = [&](double value) {
        const auto entry = std::ranges::upper_bound(borders, value) - borders.begin();
        return table[std::size_t(std::isfinite(value) ? entry : kNotFinite)];
    };
    // Computes the same as Colormap::at(), in the same order but without branches.
    const auto quick = [&](double value) {
        double entry = (value - low) / width * 256;
        entry = entry > 0 ? entry : 0;
        entry = entry < 255 ? entry : 255;
        const int index = int(entry);
        return table[std::size_t(std::isfinite(value) ? index : kNotFinite)];
    };
    const auto slow = [&](double value) { return colors.at(value, range); };
    field.visit([&](const auto& array) {
        if (has_borders(range))
            std::ranges::transform(array.cells(), pixels.begin(), by_borders);
        else if (range.high > range.low)
            std::ranges::transform(array.cells(), pixels.begin(), quick);
        else
            std::ranges::transform(array.cells(), pixels.begin(), slow);
    });
}

void write_png(const std::filesystem::path& path,
               const Field& field,
               const Colormap& colors,
               ValueRange range) {
    check_png_size(path, field.nx(), field.ny());
    std::vector<Rgb> pixels(field.size());
    paint(field, colors, range, pixels);
    write_png(path, field.nx(), field.ny(), pixels);
}

void write_png(const std::filesystem::path& path, int nx, int ny, std::span<const Rgb> pixels) {
    check_png_size(path, nx, ny);
    write_text_file(path, png_text(nx, ny, pixels));
}

std::string png_text(int nx, int ny, std::span<const Rgb> pixels) {
    static_assert(sizeof(Rgb) == 3);
    std::string text;
    const auto take = [](void* to, void* bytes, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), std::size_t(count));
    };
    if (stbi_write_png_to_func(take, &text, nx, ny, 3, pixels.data(), 3 * nx) == 0)
        throw MachineError("the PNG encoder failed");
    return text;
}

}  // namespace stencil
