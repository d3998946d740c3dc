#include "sim/session/gallery/thumbnail.h"

#include <png.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/files/image.h"
#include "sim/files/npy.h"
#include "sim/problem/panes.h"
#include "sim/problem/run_spec.h"
#include "sim/view/value_range.h"

namespace stencil {
namespace {

namespace fs = std::filesystem;

// Larger files take more than some tenths of a second.
constexpr std::int64_t kMostCells = 20'000'000;

// Reads a PNG with its colours, which read_image() does not keep. `begin` opens it.
template <class F>
GalleryPicture read_colors(F begin) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    if (begin(image) == 0) return {};
    image.format = PNG_FORMAT_RGB;
    const std::int64_t cells = std::int64_t(image.width) * image.height;
    if (cells > kMostCells) {
        png_image_free(&image);
        return {};
    }
    std::vector<Rgb> pixels(static_cast<std::size_t>(cells));
    const png_color black{};
    if (png_image_finish_read(&image, &black, pixels.data(), 0, nullptr) == 0) return {};
    return thumbnail_of(int(image.width), int(image.height), pixels);
}

GalleryPicture painted(const Field& field, const Colormap& colors, const RangeRule& rule) {
    const Field wide = field.to(DType::float64);
    const double share = std::min(1.0, double(GalleryPicture::kSide) / std::max(field.nx(), field.ny()));
    const auto side = [&](int n) { return std::max(1, int(share * n)); };
    const Field small(resample(wide.as<double>(), side(field.nx()), side(field.ny())));
    GalleryPicture picture{.nx = small.nx(), .ny = small.ny()};
    picture.pixels.resize(small.size());
    paint(small, colors, find_range(small, rule, colors.diverging), picture.pixels);
    return picture;
}

GalleryPicture read_array(const fs::path& path) {
    const NpyHeader header = read_field_header(path);
    if (std::int64_t(header.count) > kMostCells) return {};
    const RunSpec plain;
    return painted(read_npy(path), field_colors(plain), plain.range);
}

GalleryPicture read_jpeg_picture(const fs::path& path) {
    const auto [nx, ny] = image_size(path);
    if (std::int64_t(nx) * ny > kMostCells) return {};
    return painted(Field(read_image(path)), colormap("grey"), {RangeRule::Kind::fixed, 0, 1});
}

GalleryPicture picture_of_file(const fs::path& path) {
    std::string ending = path.extension().string();
    std::ranges::transform(
        ending, ending.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    const auto begin = [&](png_image& image) { return png_image_begin_read_from_file(&image, path.c_str()); };
    return ending == ".png"                        ? read_colors(begin)
           : ending == ".npy"                      ? read_array(path)
           : ending == ".jpg" || ending == ".jpeg" ? read_jpeg_picture(path)
                                                   : GalleryPicture();
}

// Returns the picture of a run's first component, or of what is shown.
fs::path exported_picture(const fs::path& folder) {
    std::error_code failed;
    fs::path found = folder / "field.png";
    if (fs::is_regular_file(found, failed)) return found;
    found.clear();
    for (const auto& entry : fs::directory_iterator(folder, failed)) {
        const std::string name = entry.path().filename().string();
        const bool fits = name.starts_with("field-") && name.ends_with(".png");
        if (fits && (found.empty() || entry.path() < found)) found = entry.path();
    }
    return found;
}

}  // namespace

GalleryPicture thumbnail_of(int nx, int ny, std::span<const Rgb> pixels) {
    if (nx < 1 || ny < 1) return {};
    const double share = std::min(1.0, double(GalleryPicture::kSide) / std::max(nx, ny));
    GalleryPicture small{.nx = std::max(1, int(share * nx)), .ny = std::max(1, int(share * ny))};
    for (int y = 0; y < small.ny; ++y) {
        const int top = int(std::int64_t(y) * ny / small.ny),
                  bottom = int(std::int64_t(y + 1) * ny / small.ny);
        for (int x = 0; x < small.nx; ++x) {
            const int left = int(std::int64_t(x) * nx / small.nx),
                      right = int(std::int64_t(x + 1) * nx / small.nx);
            std::array<std::int64_t, 3> sum{};
            for (int row = top; row < bottom; ++row)
                for (int column = left; column < right; ++column) {
                    const Rgb& pixel = pixels[std::size_t(row) * std::size_t(nx) + std::size_t(column)];
                    sum[0] += pixel.r;
                    sum[1] += pixel.g;
                    sum[2] += pixel.b;
                }
            const std::int64_t count = std::int64_t(bottom - top) * (right - left);
            const auto mean = [&](std::size_t i) { return std::uint8_t(sum[i] / count); };
            small.pixels.push_back({mean(0), mean(1), mean(2)});
        }
    }
    return small;
}

GalleryPicture picture_of_png(std::string_view bytes) {
    return read_colors([&](png_image& image) {
        return png_image_begin_read_from_memory(&image, bytes.data(), bytes.size());
    });
}

GalleryPicture picture_of_path(const fs::path& path) {
    try {
        std::error_code failed;
        if (fs::is_directory(path, failed)) return picture_of_file(exported_picture(path));
        if (path.extension() != ".json") return picture_of_file(path);
        const fs::path beside = fs::path(path).replace_extension(".png");
        return picture_of_file(fs::is_regular_file(beside, failed) ? beside
                                                                   : exported_picture(path.parent_path()));
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace stencil
