// libpng reports errors by longjmp, which must not skip destructors: code under guarded() creates no C++
// objects, and the reader's destructor frees libpng's memory.
#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdint>
#include <new>
#include <vector>

#include "sim/files/picture.h"

namespace stencil {
namespace {

class PngReader {
  public:
    explicit PngReader(InputFile& file) : file_(file) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw std::bad_alloc();
        }
    }
    ~PngReader() { png_destroy_read_struct(&png_, &info_, nullptr); }
    PngReader(const PngReader&) = delete;
    PngReader& operator=(const PngReader&) = delete;

    PictureSize read_header() {
        guarded([this] {
            png_init_io(png_, file_.stream());
            png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
            png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
            // Skips profiles, texts and the like.
            png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
            png_read_info(png_, info_);
        });
        const PictureSize size{int(png_get_image_width(png_, info_)), int(png_get_image_height(png_, info_))};
        const double bits = double(png_get_bit_depth(png_, info_)) * png_get_channels(png_, info_);
        // Deflate encodes at most 258 bytes in 2 bits.
        constexpr double kMaxInflated = 1032;
        require_plausible(file_, size, kMaxInflated * 8 / bits);
        return size;
    }

    // Must be called after read_header().
    Array<double> read_pixels(PictureSize size) {
        guarded([this] {
            png_set_expand(png_);  // expands palettes and fewer than 8 bits
            png_set_strip_alpha(png_);
            if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
            png_read_update_info(png_, info_);
        });
        Array<double> picture(size.nx, size.ny);
        std::vector<png_byte> row(png_get_rowbytes(png_, info_));
        std::vector<double> grey(std::size_t(size.nx));
        guarded([this, &picture, &row, &grey] {
            if (png_get_interlace_type(png_, info_) == PNG_INTERLACE_NONE)
                read_rows(picture, row);
            else
                for (int pass = 0; pass < PNG_INTERLACE_ADAM7_PASSES; ++pass)
                    read_pass(picture, row, grey, pass);
            png_read_end(png_, nullptr);
        });
        return picture;
    }

  private:
    void read_rows(Array<double>& picture, std::vector<png_byte>& row) {
        for (int y = 0; y < picture.ny(); ++y) {
            png_read_row(png_, row.data(), nullptr);
            row_to_grey(row, {&picture.at(0, y), std::size_t(picture.nx())});
        }
    }

    // A pass of an interlaced picture is a small picture of every 8th, 4th or 2nd column and row.
    void read_pass(Array<double>& picture, std::vector<png_byte>& row, std::vector<double>& grey, int pass) {
        const auto columns = png_uint_32(PNG_PASS_COLS(png_uint_32(picture.nx()), pass));
        const auto rows = columns > 0 ? png_uint_32(PNG_PASS_ROWS(png_uint_32(picture.ny()), pass)) : 0;
        for (png_uint_32 y = 0; y < rows; ++y) {
            png_read_row(png_, row.data(), nullptr);
            row_to_grey(row, {grey.data(), columns});
            for (png_uint_32 x = 0; x < columns; ++x)
                picture.at(int(PNG_COL_FROM_PASS_COL(x, pass)), int(PNG_ROW_FROM_PASS_ROW(y, pass))) =
                    grey[x];
        }
    }

    void row_to_grey(const std::vector<png_byte>& row, std::span<double> grey) const {
        const int channels = png_get_channels(png_, info_);
        if (png_get_bit_depth(png_, info_) == 16)
            to_grey(reinterpret_cast<const std::uint16_t*>(row.data()), channels, grey);
        else
            to_grey(row.data(), channels, grey);
    }

    template <class Body>
    void guarded(const Body& body) {
        if (setjmp(png_jmpbuf(png_)) == 0) {
            body();
            return;
        }
        if (std::feof(file_.stream())) file_.refuse("cut off: a PNG that doesn't end");
        file_.refuse(fmt::format("a damaged PNG: {}", error_));
    }

    static PngReader& self(png_structp png) { return *static_cast<PngReader*>(png_get_error_ptr(png)); }

    [[noreturn]] static void on_error(png_structp png, png_const_charp text) {
        fmt::format_to_n(self(png).error_, sizeof error_ - 1, "{}", text);
        png_longjmp(png, 1);
    }

    static void on_warning(png_structp, png_const_charp) {}

    InputFile& file_;
    png_structp png_ = nullptr;
    png_infop info_ = nullptr;
    char error_[200] = {};
};

}  // namespace

PictureSize png_size(InputFile& file) {
    return PngReader(file).read_header();
}

Array<double> read_png(InputFile& file) {
    PngReader reader(file);
    const PictureSize size = reader.read_header();
    return reader.read_pixels(size);
}

}  // namespace stencil
