// libpng reports errors by longjmp, which must not skip destructors: code under guarded() creates no C++
// objects, and the reader's destructor frees libpng's memory.
#include <fmt/format.h>
#include <png.h>

#include <bit>
#include <csetjmp>
#include <cstdint>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "sim/files/picture.h"

namespace stencil {
namespace {

class PngReader : public PictureReader {
  public:
    explicit PngReader(InputFile& file) : file_(file) {
        png_ = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, on_warning);
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
        if (info_ == nullptr) {
            png_destroy_read_struct(&png_, nullptr, nullptr);
            throw std::bad_alloc();
        }
    }
    ~PngReader() override { png_destroy_read_struct(&png_, &info_, nullptr); }

    void read_header() {
        guarded([this] {
            png_init_io(png_, file_.stream());
            png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
            png_set_crc_action(png_, PNG_CRC_ERROR_QUIT, PNG_CRC_ERROR_QUIT);
            // Skips profiles, texts and the like.
            png_set_keep_unknown_chunks(png_, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
            png_read_info(png_, info_);
        });
        size_ = {int(png_get_image_width(png_, info_)), int(png_get_image_height(png_, info_))};
        const double bits = double(png_get_bit_depth(png_, info_)) * png_get_channels(png_, info_);
        // Deflate encodes at most 258 bytes in 2 bits.
        constexpr double kMaxInflated = 1032;
        require_plausible(file_, size_, kMaxInflated * 8 / bits);
    }

    double bytes() const override {
        const bool in_passes = png_get_interlace_type(png_, info_) != PNG_INTERLACE_NONE;
        const double sample = png_get_bit_depth(png_, info_) == 16 ? 2 : 1;
        return 4 * sample * size_.nx * (in_passes ? size_.ny + 3.0 : 3.0);
    }

    void begin(Channel channel) override {
        channel_ = channel;
        guarded([this, channel] {
            png_set_expand(png_);  // expands palettes and fewer than 8 bits
            if (channel != Channel::alpha) png_set_strip_alpha(png_);
            if constexpr (std::endian::native == std::endian::little) png_set_swap(png_);
            passes_ = png_set_interlace_handling(png_);
            png_read_update_info(png_, info_);
        });
        // The passes of an interlaced picture fill in the same rows.
        rows_.resize(png_get_rowbytes(png_, info_) * (passes_ > 1 ? std::size_t(size_.ny) : 1));
        guarded([this] {
            for (int pass = 1; pass < passes_; ++pass)
                for (int y = 0; y < size_.ny; ++y) png_read_row(png_, row(y), nullptr);
        });
    }

    void read_row(std::span<double> values) override {
        const png_bytep pixels = row(next_);
        guarded([this, pixels] {
            png_read_row(png_, pixels, nullptr);
            if (++next_ == size_.ny) png_read_end(png_, nullptr);
        });
        const int samples = png_get_channels(png_, info_);
        if (png_get_bit_depth(png_, info_) == 16)
            to_channel(reinterpret_cast<const std::uint16_t*>(pixels), samples, channel_, values);
        else
            to_channel(pixels, samples, channel_, values);
    }

  private:
    png_bytep row(int y) {
        return rows_.data() + (passes_ > 1 ? png_get_rowbytes(png_, info_) * std::size_t(y) : 0);
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
    int passes_ = 1, next_ = 0;
    Channel channel_ = Channel::grey;
    std::vector<png_byte> rows_;
    char error_[200] = {};
};

class PngWriter {
  public:
    PngWriter() : png_(png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, ignore)) {
        info_ = png_ != nullptr ? png_create_info_struct(png_) : nullptr;
    }
    ~PngWriter() { png_destroy_write_struct(&png_, &info_); }
    PngWriter(const PngWriter&) = delete;
    PngWriter& operator=(const PngWriter&) = delete;

    std::string text(int nx, int ny, const PngRow& row) {
        if (info_ == nullptr || !write(nx, ny, row)) throw std::bad_alloc();
        return std::move(text_);
    }

  private:
    // Cells of few colours compress best unfiltered. Higher levels take twice the time, for files that are
    // smaller by a tenth or two.
    static constexpr int kLevel = 3;

    bool write(int nx, int ny, const PngRow& row) {
        if (setjmp(png_jmpbuf(png_)) != 0) return false;
        png_set_user_limits(png_, 0x7fffffff, 0x7fffffff);
        png_set_write_fn(png_, &text_, append, nullptr);
        png_set_filter(png_, PNG_FILTER_TYPE_BASE, PNG_FILTER_NONE);
        png_set_compression_level(png_, kLevel);
        png_set_IHDR(png_,
                     info_,
                     png_uint_32(nx),
                     png_uint_32(ny),
                     8,
                     PNG_COLOR_TYPE_RGB,
                     PNG_INTERLACE_NONE,
                     PNG_COMPRESSION_TYPE_DEFAULT,
                     PNG_FILTER_TYPE_DEFAULT);
        png_write_info(png_, info_);
        for (int y = 0; y < ny; ++y) png_write_row(png_, &row(y)->r);
        png_write_end(png_, nullptr);
        return true;
    }

    static void append(png_structp png, png_bytep bytes, std::size_t count) {
        bool fits = true;
        try {
            static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<char*>(bytes), count);
        } catch (const std::bad_alloc&) {
            fits = false;
        }
        if (!fits) png_longjmp(png, 1);
    }

    static void ignore(png_structp, png_const_charp) {}

    png_structp png_;
    png_infop info_ = nullptr;
    std::string text_;
};

}  // namespace

std::unique_ptr<PictureReader> png_reader(InputFile& file) {
    auto reader = std::make_unique<PngReader>(file);
    reader->read_header();
    return reader;
}

std::string png_text(int nx, int ny, const PngRow& row) {
    static_assert(sizeof(Rgb) == 3);
    return PngWriter().text(nx, ny, row);
}

}  // namespace stencil
