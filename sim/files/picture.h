// Readers of PNG, JPEG and TIFF files, for image.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <span>

#include "sim/files/channel.h"
#include "sim/files/input_file.h"

namespace stencil {

struct PictureSize {
    int nx = 0;  ///< columns
    int ny = 0;  ///< rows
};

/// Reads a picture row by row. Throws InputError if it is damaged, cut off, unsupported, or claims more
/// pixels than its bytes could hold (checked before allocating).
class PictureReader {
  public:
    virtual ~PictureReader() = default;
    PictureReader(const PictureReader&) = delete;
    PictureReader& operator=(const PictureReader&) = delete;

    PictureSize size() const { return size_; }  ///< as stored
    /// How Exif says that the picture is turned: 1 to 8, 1 for as stored.
    virtual int orientation() { return 1; }
    /// Returns about how many bytes reading takes: for some rows, or for the whole picture if the file stores
    /// it in several passes.
    virtual double bytes() const = 0;
    /// Must be called before the first row.
    virtual void begin(Channel channel) = 0;
    /// Reads the values of the next of size().ny rows.
    virtual void read_row(std::span<double> values) = 0;

  protected:
    PictureReader() = default;
    PictureSize size_;
};

/// These readers begin at the start of a file, which must outlive them, and read its header.
std::unique_ptr<PictureReader> png_reader(InputFile& file);
std::unique_ptr<PictureReader> jpeg_reader(InputFile& file);
std::unique_ptr<PictureReader> tiff_reader(InputFile& file);

/// The orientation in an Exif block, which begins with "II" or "MM"; 1 if it has none.
int exif_orientation(std::span<const unsigned char> exif);

/// Throws InputError if the file is too short for so many pixels.
void require_plausible(const InputFile& file, PictureSize size, double max_pixels_per_byte);

/// Converts pixels of one (grey), two (grey, alpha), three or four samples to a channel. Every colour channel
/// of a grey pixel is its grey. Integer weights and a single division keep grey pixels exact and at most 1.
template <class Sample>
void to_channel(const Sample* samples, int count, Channel channel, std::span<double> values) {
    constexpr int kMax = std::numeric_limits<Sample>::max();
    const bool coloured = count >= 3, has_alpha = count % 2 == 0;
    std::array<int, 4> weights{1000, 0, 0, 0};
    if (coloured && channel == Channel::grey) weights = {299, 587, 114, 0};
    if (coloured && channel == Channel::green) weights = {0, 1000, 0, 0};
    if (coloured && channel == Channel::blue) weights = {0, 0, 1000, 0};
    if (coloured && channel == Channel::mean) weights = {1, 1, 1, 0};
    if (channel == Channel::alpha) weights = {};
    if (channel == Channel::alpha && has_alpha) weights[std::size_t(count) - 1] = 1000;
    const double whole = double(kMax) * std::max(std::accumulate(weights.begin(), weights.end(), 0), 1);
    for (double& value : values) {
        std::int64_t sum = channel == Channel::alpha && !has_alpha ? kMax : 0;
        for (int s = 0; s < count; ++s) sum += std::int64_t(weights[std::size_t(s)]) * samples[s];
        value = double(sum) / whole;
        samples += count;
    }
}

}  // namespace stencil
