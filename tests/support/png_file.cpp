#include "tests/support/png_file.h"

#include <png.h>

#include <stdexcept>
#include <vector>

namespace stencil_test {

std::string png_file(int nx, int ny, PngKind kind, const std::string& rows) {
    std::string file;
    png_structp png = png_create_write_struct(
        PNG_LIBPNG_VER_STRING,
        nullptr,
        [](png_structp, png_const_charp text) { throw std::runtime_error(text); },
        nullptr);
    png_infop info = png_create_info_struct(png);
    png_set_write_fn(
        png,
        &file,
        [](png_structp to, png_bytep bytes, std::size_t count) {
            static_cast<std::string*>(png_get_io_ptr(to))->append(reinterpret_cast<char*>(bytes), count);
        },
        nullptr);
    png_set_IHDR(png,
                 info,
                 png_uint_32(nx),
                 png_uint_32(ny),
                 kind.bits,
                 kind.color_type,
                 kind.interlaced ? PNG_INTERLACE_ADAM7 : PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    std::vector<png_bytep> starts;
    const std::size_t bytes = png_get_rowbytes(png, info);
    for (int y = 0; y < ny; ++y)
        starts.push_back(const_cast<png_bytep>(reinterpret_cast<png_const_bytep>(rows.data())) +
                         std::size_t(y) * bytes);
    png_write_image(png, starts.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    return file;
}

}  // namespace stencil_test
