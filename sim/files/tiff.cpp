// TIFF pictures by libtiff. Other samples than whole numbers of 8 or 16 bits and floats are read as 8-bit
// RGBA.
#include <fmt/format.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "kernels/cpu/late_library.h"
#include "sim/files/picture.h"

// Declarations from the headers of versions 4.0 to 4.7, so that building does not need them.
extern "C" {
struct tiff;
using ErrorHandler = void (*)(const char* module, const char* format, std::va_list values);
ErrorHandler TIFFSetErrorHandler(ErrorHandler);
ErrorHandler TIFFSetWarningHandler(ErrorHandler);
tiff* TIFFClientOpen(const char* name,
                     const char* mode,
                     void* file,
                     std::ptrdiff_t (*read)(void* file, void* to, std::ptrdiff_t count),
                     std::ptrdiff_t (*write)(void* file, void* from, std::ptrdiff_t count),
                     std::uint64_t (*seek)(void* file, std::uint64_t place, int from),
                     int (*close)(void* file),
                     std::uint64_t (*size)(void* file),
                     int (*map)(void* file, void** bytes, std::uint64_t* count),
                     void (*unmap)(void* file, void* bytes, std::uint64_t count));
void TIFFClose(tiff*);
int TIFFGetFieldDefaulted(tiff*, std::uint32_t tag, ...);
int TIFFIsTiled(tiff*);
std::ptrdiff_t TIFFScanlineSize(tiff*);
int TIFFReadScanline(tiff*, void* to, std::uint32_t row, std::uint16_t sample);
int TIFFRGBAImageOK(tiff*, char why[1024]);
int TIFFReadRGBAImageOriented(
    tiff*, std::uint32_t nx, std::uint32_t ny, std::uint32_t* raster, int orientation, int stop);
}

namespace stencil {
namespace {

const LazyLibrary& library() {
    static const LazyLibrary opened(load_library({"libtiff.so.6"}) ? "libtiff.so.6" : "libtiff.so.5",
                                    "TIFF pictures need the library libtiff (package libtiff-tools)");
    return opened;
}
#define TIFF(name) LATE_FUNCTION(library(), name)

thread_local std::string last_error;

enum Tag : std::uint32_t {
    kWidth = 256,
    kLength = 257,
    kBits = 258,
    kPhotometric = 262,
    kOrientation = 274,
    kSamples = 277,
    kPlanar = 284,
    kFormat = 339
};

class TiffReader : public PictureReader {
  public:
    explicit TiffReader(InputFile& file) : file_(file) {
        if (const std::string& why = library().why_none(); !why.empty()) file.refuse(why);
        TIFF(TIFFSetWarningHandler)(nullptr);
        TIFF(TIFFSetErrorHandler)
        ([](const char*, const char* format, std::va_list values) {
            char text[256];
            std::vsnprintf(text, sizeof text, format, values);
            last_error = text;
        });
        const auto stream = [](void* of) { return static_cast<InputFile*>(of)->stream(); };
        tiff_ = TIFF(TIFFClientOpen)(
            "",
            "rm",
            &file,
            [](void* of, void* to, std::ptrdiff_t count) {
                return std::ptrdiff_t(std::fread(to, 1, std::size_t(count), decltype(stream)()(of)));
            },
            [](void*, void*, std::ptrdiff_t) { return std::ptrdiff_t(-1); },
            [](void* of, std::uint64_t place, int from) {
                std::FILE* const in = decltype(stream)()(of);
                return fseeko(in, off_t(place), from) == 0 ? std::uint64_t(ftello(in)) : std::uint64_t(-1);
            },
            [](void*) { return 0; },
            [](void* of) { return std::uint64_t(static_cast<InputFile*>(of)->size()); },
            nullptr,
            nullptr);
        if (!tiff_) damaged();
    }
    ~TiffReader() override { TIFF(TIFFClose)(tiff_); }

    void read_header() {
        constexpr double kMostPixelsPerByte = 8256;  // deflate, at one bit a pixel
        const auto nx = number<std::uint32_t>(kWidth), ny = number<std::uint32_t>(kLength);
        if (nx < 1 || ny < 1 || nx > 0x7fffffff || ny > 0x7fffffff) file_.refuse("a TIFF without pixels");
        size_ = {int(nx), int(ny)};
        require_plausible(file_, size_, kMostPixelsPerByte);
        bits_ = number<std::uint16_t>(kBits);
        samples_ = number<std::uint16_t>(kSamples);
        const int format = number<std::uint16_t>(kFormat), photometric = number<std::uint16_t>(kPhotometric);
        constexpr int kWhole = 1, kFloat = 3, kBlackIsZero = 1, kRgb = 2, kTogether = 1;
        const bool rows = !TIFF(TIFFIsTiled)(tiff_) &&
                          (samples_ == 1 || number<std::uint16_t>(kPlanar) == kTogether) && samples_ <= 4 &&
                          (photometric == kBlackIsZero || photometric == kRgb);
        is_float_ = rows && format == kFloat && samples_ == 1 && (bits_ == 32 || bits_ == 64);
        by_rows_ = is_float_ || (rows && format == kWhole && (bits_ == 8 || bits_ == 16));
        char why[1024] = "";
        if (!by_rows_ && !TIFF(TIFFRGBAImageOK)(tiff_, why))
            file_.refuse(fmt::format(
                "a TIFF of a kind that is not read ({} samples of {} bits): {}", samples_, bits_, why));
    }

    // The library turns RGBA pictures itself.
    int orientation() override { return by_rows_ ? number<std::uint16_t>(kOrientation) : 1; }

    double bytes() const override {
        return by_rows_ ? 16.0 * samples_ * size_.nx : 4.0 * size_.nx * double(size_.ny);
    }

    void begin(Channel channel) override {
        channel_ = channel;
        if (by_rows_) return row_.resize(std::size_t(TIFF(TIFFScanlineSize)(tiff_)));
        constexpr int kTopLeft = 1;
        row_.resize(4 * std::size_t(size_.nx) * std::size_t(size_.ny));
        if (!TIFF(TIFFReadRGBAImageOriented)(tiff_,
                                             std::uint32_t(size_.nx),
                                             std::uint32_t(size_.ny),
                                             reinterpret_cast<std::uint32_t*>(row_.data()),
                                             kTopLeft,
                                             1))
            damaged();
    }

    void read_row(std::span<double> values) override {
        const auto y = std::uint32_t(next_++);
        if (!by_rows_) return to_channel(&row_[4 * values.size() * y], 4, channel_, values);
        if (TIFF(TIFFReadScanline)(tiff_, row_.data(), y, 0) < 0) damaged();
        if (is_float_ && bits_ == 32)
            std::copy_n(reinterpret_cast<const float*>(row_.data()), values.size(), values.data());
        else if (is_float_)
            std::copy_n(reinterpret_cast<const double*>(row_.data()), values.size(), values.data());
        else if (bits_ == 16)
            to_channel(reinterpret_cast<const std::uint16_t*>(row_.data()), samples_, channel_, values);
        else
            to_channel(row_.data(), samples_, channel_, values);
    }

  private:
    template <class T>
    T number(Tag tag) {
        T value = 0;
        TIFF(TIFFGetFieldDefaulted)(tiff_, tag, &value);
        return value;
    }
    [[noreturn]] void damaged() { file_.refuse("a damaged TIFF: " + std::exchange(last_error, "")); }

    InputFile& file_;
    tiff* tiff_ = nullptr;
    int bits_ = 0, samples_ = 0, next_ = 0;
    bool is_float_ = false, by_rows_ = false;
    Channel channel_ = Channel::grey;
    std::vector<std::uint8_t> row_;  ///< of whole pictures all rows
};

}  // namespace

std::unique_ptr<PictureReader> tiff_reader(InputFile& file) {
    auto reader = std::make_unique<TiffReader>(file);
    reader->read_header();
    return reader;
}

}  // namespace stencil
