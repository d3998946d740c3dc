// Pictures: PNG, JPEG and TIFF files read as grey fields, fields written as PNG with one pixel per cell.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "sim/field/field.h"
#include "sim/files/channel.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil {

/// Columns and rows of a picture, from its header. Throws InputError if it is none of these, is cut off,
/// or claims more pixels than its bytes could hold.
std::pair<int, int> image_size(const std::filesystem::path& path);

/// Reads a channel of a picture as values in [0, 1], samples divided by 255 (65535 for 16 bits), or those of
/// a TIFF of floats; row 0 is on top. Throws InputError as image_size() does.
Array<double> read_image(const std::filesystem::path& path, Channel channel = Channel::grey);
/// Reads a channel and resamples it to (ny, nx) row by row, so the whole picture is never in memory. Throws
/// InputError as image_size() does.
Array<double> read_image(const std::filesystem::path& path, Channel channel, int nx, int ny);
/// Returns about how many bytes that resampling allocates in addition to its result.
double image_bytes(const std::filesystem::path& path, int nx, int ny);

/// Upsampling: interpolation between cell centres (clamped at the edges), or the nearest cell.
enum class Growing { linear, nearest };

/// Resamples `source - base` to (ny, nx); downsampled axes are averaged exactly over each target cell's area.
template <class T>
Array<double> resample(
    const Array<T>& source, int nx, int ny, Growing growing = Growing::linear, double base = 0);

/// Colours each cell by Colormap::at(), row by row; `pixels` must hold all of them.
void paint(const Field& field, const Colormap& colors, ValueRange range, std::span<Rgb> pixels);

/// Limit of write_png(): the encoder keeps the size of its buffer in an int.
inline constexpr long long kMaxPngCells = 450'000'000;

/// Writes one pixel per cell, row 0 on top, coloured by `colors` over `range`. Atomic. Throws MachineError,
/// and InputError beyond kMaxPngCells.
void write_png(const std::filesystem::path& path,
               const Field& field,
               const Colormap& colors,
               ValueRange range);

/// Writes a picture of nx x ny colours, row 0 on top. Atomic; throws as above.
void write_png(const std::filesystem::path& path, int nx, int ny, std::span<const Rgb> pixels);

/// The bytes of a PNG file of at most kMaxPngCells pixels. Throws std::bad_alloc.
std::string png_text(int nx, int ny, std::span<const Rgb> pixels);

}  // namespace stencil
