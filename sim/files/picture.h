// Readers of PNG and JPEG files, for image.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>

#include "sim/field/field.h"
#include "sim/files/channel.h"
#include "sim/files/input_file.h"

namespace stencil {

struct PictureSize {
    int nx = 0;  ///< columns
    int ny = 0;  ///< rows
};

// Read from the start of a file; the `size` functions only its header. They throw InputError if it is
// damaged, cut off, unsupported, or claims more pixels than its bytes could hold (checked before allocating).

PictureSize png_size(InputFile& file);
Array<double> read_png(InputFile& file, Channel channel);
PictureSize jpeg_size(InputFile& file);
Array<double> read_jpeg(InputFile& file, Channel channel);

/// Throws InputError if the file is too short for so many pixels.
void require_plausible(const InputFile& file, PictureSize size, double max_pixels_per_byte);

/// Converts pixels of one (grey), two (grey, alpha), three or four samples to a channel. All colours of a
/// grey pixel are its grey. Integer weights and a single division keep grey pixels exact and at most 1.
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
