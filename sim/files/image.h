// Pictures in and out: PNG and JPEG read as grey fields, fields written as PNG, one pixel a cell.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "sim/field/field.h"
#include "sim/view/colormap.h"
#include "sim/view/value_range.h"

namespace stencil {

/// Columns and rows of a PNG or JPEG file, read from its header. Throws InputError naming the file where it
/// is no readable picture of one of these formats, is cut off, or claims more pixels than its bytes could
/// hold.
std::pair<int, int> image_size(const std::filesystem::path& path);

/// The picture as a field in [0, 1]: grey = 0.299 R + 0.587 G + 0.114 B (alpha is ignored) over 255, or over
/// 65535 for 16-bit PNGs; row 0 is the top row. Throws InputError as image_size() does.
Array<double> read_image(const std::filesystem::path& path);

/// What a cell becomes along an axis that grows: interpolation between cell centres (clamped at the edges),
/// or the nearest cell.
enum class Growing { linear, nearest };

/// Resamples to (ny, nx) the differences from `base`; along an axis that shrinks, the exact average over each
/// target cell's area.
template <class T>
Array<double> resample(
    const Array<T>& source, int nx, int ny, Growing growing = Growing::linear, double base = 0);

/// The colour of every cell, as Colormap::at() gives it, row after row; `pixels` has room for all of them.
void paint(const Field& field, const Colormap& colors, ValueRange range, std::span<Rgb> pixels);

/// The largest number of cells that write_png() takes (the PNG writer counts the bytes of its growing buffer
/// in an int, and that buffer may double once more).
inline constexpr long long kMaxPngCells = 450'000'000;

/// One pixel a cell, row 0 on top, coloured by `colors` over `range`; atomically. Throws MachineError, and
/// InputError beyond kMaxPngCells.
void write_png(const std::filesystem::path& path,
               const Field& field,
               const Colormap& colors,
               ValueRange range);

/// A picture of nx x ny colours, row 0 on top; atomically. Throws as the other does.
void write_png(const std::filesystem::path& path, int nx, int ny, std::span<const Rgb> pixels);

/// The bytes of such a file, of up to some millions of pixels. Throws std::bad_alloc.
std::string png_text(int nx, int ny, std::span<const Rgb> pixels);

}  // namespace stencil
