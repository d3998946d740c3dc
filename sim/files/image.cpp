#include "sim/files/image.h"

#include <fmt/format.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/picture_check.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

struct EncodedPicture {
    InputFile file;
    std::vector<std::uint8_t> bytes;
    PictureHeader header;
};

EncodedPicture load_picture(const std::filesystem::path& path) {
    EncodedPicture picture{InputFile(path), {}, {}};
    // The decoder counts a file's bytes in an int.
    constexpr int kMaxBytes = std::numeric_limits<int>::max();
    if (picture.file.size() > kMaxBytes)
        picture.file.refuse(
            fmt::format("{} bytes; a picture has at most {}", picture.file.size(), kMaxBytes));
    picture.bytes.resize(picture.file.size());
    picture.file.read(std::as_writable_bytes(std::span(picture.bytes)));
    try {
        picture.header = check_picture(picture.bytes);
    } catch (const PictureError& error) {
        picture.file.refuse(error.what());
    }
    return picture;
}

// Whole weights and one division: grey pixels keep their value exactly, and nothing exceeds 1.
template <class Sample>
void to_grey(const Sample* samples, int channels, std::span<double> grey) {
    constexpr int kMax = std::numeric_limits<Sample>::max();
    if (channels < 3) {
        for (std::size_t i = 0; i < grey.size(); ++i)
            grey[i] = double(samples[i * std::size_t(channels)]) / kMax;
        return;
    }
    for (double& value : grey) {
        value = (299 * samples[0] + 587 * samples[1] + 114 * samples[2]) / (1000.0 * kMax);
        samples += channels;
    }
}

template <class Sample, class Decode>
Array<double> decode_grey(const EncodedPicture& picture, Decode decode) {
    int nx = 0, ny = 0, channels = 0;
    const std::unique_ptr<Sample, void (*)(void*)> samples(
        decode(picture.bytes.data(), int(picture.bytes.size()), &nx, &ny, &channels, 0), stbi_image_free);
    if (!samples) {
        const std::string_view reason = stbi_failure_reason();
        if (reason == "Out of memory") throw std::bad_alloc();
        picture.file.refuse(fmt::format("can't be decoded: {}", reason));
    }
    if (nx != picture.header.nx || ny != picture.header.ny || channels < 1)
        picture.file.refuse("can't be decoded: two sizes");
    Array<double> result(nx, ny);
    to_grey(samples.get(), channels, result.cells());
    return result;
}

// The encoder is C and must not be left by an exception, or its memory would stay behind.
struct PngSink {
    AtomicFile* file = nullptr;
    std::exception_ptr error;

    static void write(void* context, void* data, int size) {
        PngSink& sink = *static_cast<PngSink*>(context);
        try {
            sink.file->write(std::span(static_cast<const std::byte*>(data), std::size_t(size)));
        } catch (...) {
            sink.error = std::current_exception();
        }
    }
};

void check_png_size(const std::filesystem::path& path, int nx, int ny) {
    // The encoder puts one byte before each row; in all but the narrowest pictures they hardly count.
    const long long encoder_bytes = (3LL * nx + 1) * ny;
    if (nx < 1 || ny < 1 || 1LL * nx * ny > kMaxPngCells || encoder_bytes > 3 * kMaxPngCells + 50'000'000)
        throw InputError(fmt::format(
            "{}: a PNG of {} x {} cells; allowed: 1 to {} cells", path.string(), nx, ny, kMaxPngCells));
}

/// Fills the file and gives it its name.
void encode_png(AtomicFile& file, const std::filesystem::path& path, int nx, int ny, const Rgb* pixels) {
    static_assert(sizeof(Rgb) == 3);
    PngSink sink{&file, nullptr};
    const int written = stbi_write_png_to_func(PngSink::write, &sink, nx, ny, 3, pixels, 3 * nx);
    if (sink.error) std::rethrow_exception(sink.error);
    if (written == 0)
        throw MachineError(fmt::format("cannot write {}: the PNG encoder failed", path.string()));
    file.commit();
}

}  // namespace

std::pair<int, int> image_size(const std::filesystem::path& path) {
    const PictureHeader header = load_picture(path).header;
    return {header.nx, header.ny};
}

Array<double> read_image(const std::filesystem::path& path) {
    const EncodedPicture picture = load_picture(path);
    if (picture.header.bits == 16) return decode_grey<stbi_us>(picture, stbi_load_16_from_memory);
    return decode_grey<stbi_uc>(picture, stbi_load_from_memory);
}

void paint(const Field& field, const Colormap& colors, ValueRange range, std::span<Rgb> pixels) {
    const double low = range.low, width = range.high - range.low;
    constexpr int kNotANumber = 256;
    std::array<Rgb, 257> table;
    std::ranges::copy(colors.colors, table.begin());
    table[kNotANumber] = colors.at(std::numeric_limits<double>::quiet_NaN(), 0, 1);
    // The sums of Colormap::at(), in its order, without its branches.
    const auto quick = [&](double value) {
        double entry = (value - low) / width * 256;
        entry = entry > 0 ? entry : 0;
        entry = entry < 255 ? entry : 255;
        const int index = int(entry);
        return table[std::size_t(value == value ? index : kNotANumber)];
    };
    const auto slow = [&](double value) { return colors.at(value, range.low, range.high); };
    field.visit([&](const auto& array) {
        if (range.high > range.low)
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
    AtomicFile file(path);
    std::vector<Rgb> pixels(field.size());
    paint(field, colors, range, pixels);
    encode_png(file, path, field.nx(), field.ny(), pixels.data());
}

void write_png(const std::filesystem::path& path, int nx, int ny, std::span<const Rgb> pixels) {
    check_png_size(path, nx, ny);
    AtomicFile file(path);
    encode_png(file, path, nx, ny, pixels.data());
}

}  // namespace stencil
