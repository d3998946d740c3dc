// The readers of PNG and JPEG files, and what they share. Others use image.h.
#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "sim/field/field.h"
#include "sim/files/input_file.h"

namespace stencil {

struct PictureSize {
    int nx = 0;  ///< columns
    int ny = 0;  ///< rows
};

// From the start of a file; `size` reads its header alone. InputError: damaged, cut off, of a kind that is
// not read, or of more pixels than its bytes could hold, which is found before memory is taken for them.

PictureSize png_size(InputFile& file);
Array<double> read_png(InputFile& file);
PictureSize jpeg_size(InputFile& file);
Array<double> read_jpeg(InputFile& file);

/// Throws InputError where the file is too short for so many pixels.
void require_plausible(const InputFile& file, PictureSize size, double max_pixels_per_byte);

/// The grey values of `grey.size()` pixels: their first sample, or 0.299 R + 0.587 G + 0.114 B of their first
/// three. Whole weights and one division: grey pixels keep their value exactly, and nothing exceeds 1.
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
