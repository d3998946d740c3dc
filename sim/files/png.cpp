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

}  // namespace

std::unique_ptr<PictureReader> png_reader(InputFile& file) {
    auto reader = std::make_unique<PngReader>(file);
    reader->read_header();
    return reader;
}

}  // namespace stencil
