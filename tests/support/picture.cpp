#include "tests/support/picture.h"

#include <png.h>

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

#include "sim/files/image.h"

namespace stencil_test {

using stencil::Rgb;

int apart(Rgb a, Rgb b) {
    return std::max({std::abs(a.r - b.r), std::abs(a.g - b.g), std::abs(a.b - b.b)});
}

Picture read_picture(const std::filesystem::path& png) {
    png_image image = {};
    image.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&image, png.c_str()) == 0)
        throw std::runtime_error("no picture: " + png.string());
    image.format = PNG_FORMAT_RGB;
    Picture picture{int(image.width), int(image.height), {}};
    picture.pixels.resize(std::size_t(picture.width) * std::size_t(picture.height));
    if (png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr) == 0)
        throw std::runtime_error("half a picture: " + png.string());
    return picture;
}

Picture colored(const stencil::Field& field, std::string_view colors, stencil::ValueRange range) {
    Picture picture{field.nx(), field.ny(), {}};
    picture.pixels.resize(std::size_t(picture.width) * std::size_t(picture.height));
    stencil::paint(field, stencil::colormap(colors), range, picture.pixels);
    return picture;
}

Picture cut(const Picture& whole, Spot corner, int width, int height) {
    Picture part{width, height, {}};
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) part.pixels.push_back(whole.at(corner + Spot{x, y}));
    return part;
}

Picture magnified(const Picture& picture, int factor) {
    Picture large{factor * picture.width, factor * picture.height, {}};
    for (int y = 0; y < large.height; ++y)
        for (int x = 0; x < large.width; ++x) large.pixels.push_back(picture.at({x / factor, y / factor}));
    return large;
}

bool shows(const Picture& whole, Spot corner, const Picture& part, int tolerance) {
    if (corner.x < 0 || corner.y < 0) return false;
    if (corner.x + part.width > whole.width || corner.y + part.height > whole.height) return false;
    for (int y = 0; y < part.height; ++y)
        for (int x = 0; x < part.width; ++x)
            if (apart(whole.at(corner + Spot{x, y}), part.at({x, y})) > tolerance) return false;
    return true;
}

std::optional<Spot> find(const Picture& whole, const Picture& part, int tolerance) {
    for (int y = 0; y + part.height <= whole.height; ++y)
        for (int x = 0; x + part.width <= whole.width; ++x)
            if (shows(whole, {x, y}, part, tolerance)) return Spot{x, y};
    return std::nullopt;
}

}  // namespace stencil_test
