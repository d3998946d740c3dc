// Readers of PNG and JPEG files, for image.h.
#pragma once

#include <limits>
#include <span>

#include "sim/field/field.h"
#include "sim/files/input_file.h"

namespace stencil {

struct PictureSize {
    int nx = 0;  ///< columns
    int ny = 0;  ///< rows
};

// Read from the start of a file; the `size` functions only its header. They throw InputError if it is
// damaged, cut off, unsupported, or claims more pixels than its bytes could hold (checked before allocating).

PictureSize png_size(InputFile& file);
Array<double> read_png(InputFile& file);
PictureSize jpeg_size(InputFile& file);
Array<double> read_jpeg(InputFile& file);

/// Throws InputError if the file is too short for so many pixels.
void require_plausible(const InputFile& file, PictureSize size, double max_pixels_per_byte);

/// Converts pixels to grey: the first sample, or 0.299 R + 0.587 G + 0.114 B. Integer weights and a single
/// division keep grey pixels exact and at most 1.
template <class Sample>
void to_grey(const Sample* samples, int channels, std::span<double> grey) {
    constexpr int kMax = std::numeric_limits<Sample>::max();
    for (double& value : grey) {
        value = channels < 3 ? double(samples[0]) / kMax
                             : (299 * samples[0] + 587 * samples[1] + 114 * samples[2]) / (1000.0 * kMax);
        samples += channels;
    }
}

}  // namespace stencil
