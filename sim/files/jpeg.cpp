// libjpeg reports errors by longjmp, which must not skip destructors: code under guarded() creates no C++
// objects, and the reader's destructor frees libjpeg's memory.
#include <fmt/format.h>

#include <csetjmp>
#include <cstddef>
#include <cstring>
#include <new>
#include <string_view>
#include <vector>

// jpeglib.h needs <cstdio> and <cstddef> included before it.
#include <jpeglib.h>

#include <jerror.h>

#include "sim/files/picture.h"

namespace stencil {
namespace {

// An 8 x 8 block takes at least one bit; with extreme sampling factors (4x1 and 1x4) ten blocks cover 32 x 32
// pixels, which gives 820 pixels per byte.
constexpr double kMaxPixelsPerByte = 1024;
// Each scan of a progressive file passes over the whole picture; encoders write about ten.
constexpr int kMaxScans = 200;

class JpegReader : public PictureReader {
  public:
    explicit JpegReader(InputFile& file) : file_(file) {
        jpeg_.err = jpeg_std_error(&errors_);
        errors_.error_exit = on_error;
        errors_.emit_message = on_message;
        jpeg_.client_data = this;
        guarded([this] {
            jpeg_create_decompress(&jpeg_);
            jpeg_stdio_src(&jpeg_, file_.stream());
        });
        progress_.progress_monitor = on_progress;
        jpeg_.progress = &progress_;
    }
    ~JpegReader() override { jpeg_destroy_decompress(&jpeg_); }

    void read_header() {
        guarded([this] {
            jpeg_save_markers(&jpeg_, JPEG_APP0 + 1, 0xffff);
            jpeg_read_header(&jpeg_, TRUE);
        });
        if (jpeg_.arith_code) file_.refuse("a JPEG of a kind that isn't read (arithmetic coding)");
        size_ = {int(jpeg_.image_width), int(jpeg_.image_height)};
        require_plausible(file_, size_, kMaxPixelsPerByte);
        in_scans_ = jpeg_has_multiple_scans(&jpeg_) != FALSE;
    }

    int orientation() override {
        constexpr std::string_view kExif("Exif\0\0", 6);
        for (auto* marker = jpeg_.marker_list; marker != nullptr; marker = marker->next) {
            const std::span bytes(marker->data, marker->data_length);
            if (std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size())
                    .starts_with(kExif))
                return exif_orientation(bytes.subspan(kExif.size()));
        }
        return 1;
    }

    double bytes() const override {
        // Coefficients have two bytes; without scans there are some rows of blocks.
        return 2.0 * jpeg_.num_components * (size_.nx + 64) * (in_scans_ ? size_.ny + 64 : 64);
    }

    void begin(Channel channel) override {
        channel_ = channel;
        guarded([this] {
            const bool grey = jpeg_.jpeg_color_space == JCS_GRAYSCALE;
            const bool print = jpeg_.jpeg_color_space == JCS_CMYK || jpeg_.jpeg_color_space == JCS_YCCK;
            jpeg_.out_color_space = grey ? JCS_GRAYSCALE : print ? JCS_CMYK : JCS_RGB;
            jpeg_start_decompress(&jpeg_);
        });
        row_.resize(std::size_t(size_.nx) * std::size_t(jpeg_.output_components));
    }

    void read_row(std::span<double> values) override {
        JSAMPROW samples = row_.data();
        guarded([this, &samples] {
            jpeg_read_scanlines(&jpeg_, &samples, 1);
            if (++next_ == size_.ny) jpeg_finish_decompress(&jpeg_);
        });
        if (jpeg_.out_color_space == JCS_CMYK) remove_black(row_);
        to_channel(samples, jpeg_.output_components, channel_, values);
    }

  private:
    // Converts CMYK to RGB, with an alpha of 1. Adobe's programs store inverted ink values, as nearly all
    // files do.
    void remove_black(std::vector<JSAMPLE>& row) const {
        for (std::size_t i = 0; i < row.size(); i += 4) {
            const int black = jpeg_.saw_Adobe_marker ? row[i + 3] : 255 - row[i + 3];
            for (std::size_t c = 0; c < 3; ++c) {
                const int ink = jpeg_.saw_Adobe_marker ? row[i + c] : 255 - row[i + c];
                row[i + c] = JSAMPLE((ink * black + 127) / 255);
            }
            row[i + 3] = 255;
        }
    }

    template <class Body>
    void guarded(const Body& body) {
        if (setjmp(jump_) == 0) {
            body();
            return;
        }
        if (errors_.msg_code == JERR_OUT_OF_MEMORY) throw std::bad_alloc();
        if (errors_.msg_code == JWRN_JPEG_EOF) file_.refuse("cut off: a JPEG that doesn't end");
        file_.refuse(fmt::format("a damaged JPEG: {}", text_));
    }

    static JpegReader& self(const void* jpeg) {
        return *static_cast<JpegReader*>(static_cast<const jpeg_common_struct*>(jpeg)->client_data);
    }

    [[noreturn]] static void on_error(j_common_ptr jpeg) {
        jpeg->err->format_message(jpeg, self(jpeg).text_);
        std::longjmp(self(jpeg).jump_, 1);
    }

    // Treats warnings about damage as errors, except stray bytes between segments, which are harmless.
    static void on_message(j_common_ptr jpeg, int level) {
        if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA) on_error(jpeg);
    }

    static void on_progress(j_common_ptr jpeg) {
        JpegReader& reader = self(jpeg);
        if (reader.jpeg_.input_scan_number <= kMaxScans) return;
        std::strcpy(reader.text_, "too many scans");
        reader.errors_.msg_code = 0;
        std::longjmp(reader.jump_, 1);
    }

    InputFile& file_;
    jpeg_decompress_struct jpeg_ = {};
    jpeg_error_mgr errors_ = {};
    jpeg_progress_mgr progress_ = {};
    std::jmp_buf jump_;
    bool in_scans_ = false;
    int next_ = 0;
    Channel channel_ = Channel::grey;
    std::vector<JSAMPLE> row_;
    char text_[JMSG_LENGTH_MAX] = {};
};

}  // namespace

std::unique_ptr<PictureReader> jpeg_reader(InputFile& file) {
    auto reader = std::make_unique<JpegReader>(file);
    reader->read_header();
    return reader;
}

}  // namespace stencil
