#include "sim/files/image.h"

#include <fmt/format.h>
#include <stb/stb_image_write.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/files/atomic_file.h"
#include "sim/files/input_file.h"
#include "sim/files/picture.h"
#include "sim/text/error.h"

namespace stencil {
namespace {

// Detects the format by the first bytes, whatever the file's name.
std::unique_ptr<PictureReader> reader_of(InputFile& file) {
    constexpr std::pair<std::string_view, std::unique_ptr<PictureReader> (*)(InputFile&)> kReaders[] = {
        {"\x89PNG\r\n\x1a\n", png_reader},
        {"\xff\xd8\xff", jpeg_reader},
        {"II*", tiff_reader},
        {{"MM\0*", 4}, tiff_reader},
        {"II+", tiff_reader},
        {{"MM\0+", 4}, tiff_reader}};
    char start[8] = {};
    const std::size_t count = file.read_some(std::as_writable_bytes(std::span(start)));
    for (const auto& [bytes, reader] : kReaders)
        if (std::string_view(start, count).starts_with(bytes)) {
            file.rewind();
            return reader(file);
        }
    file.refuse("no PNG, JPEG or TIFF picture");
}

void check_png_size(const std::filesystem::path& path, int nx, int ny) {
    // The encoder adds one byte per row, which matters only for very narrow pictures.
    const long long encoder_bytes = (3LL * nx + 1) * ny;
    if (nx < 1 || ny < 1 || 1LL * nx * ny > kMaxPngCells || encoder_bytes > 3 * kMaxPngCells + 50'000'000)
        throw InputError(
            "{}: a PNG of {} x {} cells; allowed: 1 to {} cells", path.string(), nx, ny, kMaxPngCells);
}

// Resampling along one axis: target cell i is sum(weight * source) / divisor over the taps first[i] ...
// first[i + 1]. Integer weights add up to the divisor exactly, so constants are preserved and no value leaves
// the range.
struct Axis {
    struct Tap {
        int source;
        double weight;
    };
    std::vector<Tap> taps;
    std::vector<std::size_t> first;
    double divisor = 1;

    std::span<const Tap> of(int target) const {
        return std::span(taps).subspan(first[std::size_t(target)],
                                       first[std::size_t(target) + 1] - first[std::size_t(target)]);
    }
};

// Averages: in units of 1/target_cells of a source cell, source cell i covers [i, i + 1) * target_cells and
// target cell j covers [j, j + 1) * source_cells.
void add_areas(Axis& axis, std::int64_t source_cells, std::int64_t target_cells, std::int64_t target) {
    const std::int64_t begin = target * source_cells, end = begin + source_cells;
    for (std::int64_t i = begin / target_cells; i * target_cells < end; ++i) {
        const std::int64_t overlap =
            std::min(end, (i + 1) * target_cells) - std::max(begin, i * target_cells);
        axis.taps.push_back({int(i), double(overlap)});
    }
}

// Interpolates: the centre of target cell j lies ((2 j + 1) source_cells - target_cells) / (2 target_cells)
// source cells after the centre of the first.
void add_neighbours(Axis& axis, std::int64_t source_cells, std::int64_t target_cells, std::int64_t target) {
    const std::int64_t unit = 2 * target_cells;
    const std::int64_t centre = std::clamp(
        (2 * target + 1) * source_cells - target_cells, std::int64_t(0), (source_cells - 1) * unit);
    const std::int64_t left = centre / unit, part = centre % unit;
    axis.taps.push_back({int(left), double(unit - part)});
    if (part > 0) axis.taps.push_back({int(left + 1), double(part)});
}

Axis make_axis(int source_cells, int target_cells, Growing growing) {
    Axis axis;
    for (int j = 0; j < target_cells; ++j) {
        axis.first.push_back(axis.taps.size());
        if (target_cells == source_cells || (target_cells > source_cells && growing == Growing::nearest))
            axis.taps.push_back({int((2LL * j + 1) * source_cells / (2LL * target_cells)), 1});
        else if (target_cells < source_cells)
            add_areas(axis, source_cells, target_cells, j);
        else
            add_neighbours(axis, source_cells, target_cells, j);
    }
    axis.first.push_back(axis.taps.size());
    if (target_cells < source_cells) axis.divisor = source_cells;
    if (target_cells > source_cells && growing == Growing::linear) axis.divisor = 2.0 * target_cells;
    return axis;
}

// source_row(y) returns the cells of a row; y rises, except for steps back by one.
template <class Row>
Array<double> resampled(
    PictureSize from, int nx, int ny, Growing growing, double base, const Row& source_row) {
    const Axis columns = make_axis(from.nx, nx, growing), rows = make_axis(from.ny, ny, growing);
    Array<double> result(nx, ny);
    std::vector<double> row(std::size_t(from.nx));
    for (int y = 0; y < ny; ++y) {
        std::ranges::fill(row, 0.0);
        for (const auto& tap : rows.of(y)) {
            const auto* const cells = source_row(tap.source);
            for (std::size_t x = 0; x < row.size(); ++x) row[x] += tap.weight * (double(cells[x]) - base);
        }
        for (double& value : row) value /= rows.divisor;
        for (int x = 0; x < nx; ++x) {
            double sum = 0;
            for (const auto& tap : columns.of(x)) sum += tap.weight * row[std::size_t(tap.source)];
            result.at(x, y) = sum / columns.divisor;
        }
    }
    return result;
}

// Exif's orientations from 5 on exchange rows and columns.
bool is_turned(PictureReader& reader) {
    return reader.orientation() >= 5;
}

PictureSize upright_size(PictureReader& reader) {
    const PictureSize size = reader.size();
    return is_turned(reader) ? PictureSize{size.ny, size.nx} : size;
}

Array<double> upright(const Array<double>& stored, int orientation) {
    const bool turned = orientation >= 5;
    const bool from_right = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool from_below = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    Array<double> result(turned ? stored.ny() : stored.nx(), turned ? stored.nx() : stored.ny());
    for (int y = 0; y < result.ny(); ++y)
        for (int x = 0; x < result.nx(); ++x) {
            const int column = turned ? y : x, row = turned ? x : y;
            result.at(x, y) = stored.at(from_right ? stored.nx() - 1 - column : column,
                                        from_below ? stored.ny() - 1 - row : row);
        }
    return result;
}

Array<double> read_rows(PictureReader& reader, Channel channel, int nx, int ny) {
    const PictureSize size = reader.size();
    // A reader that has read its rows no longer knows it.
    if (const int orientation = reader.orientation(); orientation > 1) {
        Array<double> stored(size.nx, size.ny);
        reader.begin(channel);
        for (int y = 0; y < size.ny; ++y) reader.read_row({stored.view().row(y), std::size_t(size.nx)});
        return resample(upright(stored, orientation), nx, ny);
    }
    std::array<std::vector<double>, 2> last;  // the newest two rows, stored alternately
    for (auto& row : last) row.resize(std::size_t(size.nx));
    int read = 0;
    reader.begin(channel);
    return resampled(size, nx, ny, Growing::linear, 0, [&](int y) {
        for (; read <= y; ++read) reader.read_row(last[std::size_t(read % 2)]);
        return last[std::size_t(y % 2)].data();
    });
}

}  // namespace

// TIFF 6.0: the first directory's tag 274.
int exif_orientation(std::span<const unsigned char> exif) {
    if (exif.size() < 8 || exif[0] != exif[1] || (exif[0] != 'I' && exif[0] != 'M')) return 1;
    const auto number = [&](std::size_t at, std::size_t bytes) {
        std::size_t value = 0;
        for (std::size_t i = 0; i < bytes && at + bytes <= exif.size(); ++i)
            value |= std::size_t(exif[at + i]) << 8 * (exif[0] == 'I' ? i : bytes - 1 - i);
        return value;
    };
    const std::size_t directory = number(4, 4), entries = number(directory, 2);
    constexpr std::size_t kOrientation = 274, kEntryBytes = 12;
    for (std::size_t i = 0; i < entries; ++i) {
        const std::size_t entry = directory + 2 + i * kEntryBytes;
        if (number(entry, 2) != kOrientation) continue;
        const std::size_t value = number(entry + 8, 2);
        return value >= 1 && value <= 8 ? int(value) : 1;
    }
    return 1;
}

void require_plausible(const InputFile& file, PictureSize size, double max_pixels_per_byte) {
    if (double(size.nx) * size.ny > double(file.size()) * max_pixels_per_byte)
        file.refuse(fmt::format(
            "claims {} x {} pixels, more than its {} bytes can hold", size.nx, size.ny, file.size()));
}

std::pair<int, int> image_size(const std::filesystem::path& path) {
    InputFile file(path);
    const PictureSize size = upright_size(*reader_of(file));
    return {size.nx, size.ny};
}

Array<double> read_image(const std::filesystem::path& path, Channel channel) {
    InputFile file(path);
    const auto reader = reader_of(file);
    const PictureSize size = upright_size(*reader);
    return read_rows(*reader, channel, size.nx, size.ny);
}

Array<double> read_image(const std::filesystem::path& path, Channel channel, int nx, int ny) {
    InputFile file(path);
    return read_rows(*reader_of(file), channel, nx, ny);
}

double image_bytes(const std::filesystem::path& path, int nx, int ny) {
    InputFile file(path);
    const auto reader = reader_of(file);
    // Three rows of values, and the arrays of make_axis() for both axes, which grow.
    const PictureSize size = reader->size();
    const double whole = reader->orientation() > 1 ? 16.0 * size.nx * size.ny : 0;
    return reader->bytes() + whole + 24.0 * size.nx + 64.0 * (double(size.nx) + size.ny + nx + ny);
}

void paint(const Field& field, const Colormap& colors, ValueRange range, std::span<Rgb> pixels) {
    const bool even = !has_borders(range);
    const EntryBorders borders = even ? EntryBorders{} : entry_borders(range);
    field.visit([&](const auto& array) {
        std::ranges::transform(array.cells(), pixels.begin(), [&](double value) {
            if (even || !std::isfinite(value)) return colors.at(value, range);
            return colors.colors[std::size_t(std::ranges::upper_bound(borders, value) - borders.begin())];
        });
    });
}

void write_png(const std::filesystem::path& path,
               const Field& field,
               const Colormap& colors,
               ValueRange range) {
    check_png_size(path, field.nx(), field.ny());
    std::vector<Rgb> pixels(field.size());
    paint(field, colors, range, pixels);
    write_png(path, field.nx(), field.ny(), pixels);
}

void write_png(const std::filesystem::path& path, int nx, int ny, std::span<const Rgb> pixels) {
    check_png_size(path, nx, ny);
    write_text_file(path, png_text(nx, ny, pixels));
}

std::string png_text(int nx, int ny, std::span<const Rgb> pixels) {
    static_assert(sizeof(Rgb) == 3);
    std::string text;
    const auto take = [](void* to, void* bytes, int count) {
        static_cast<std::string*>(to)->append(static_cast<const char*>(bytes), std::size_t(count));
    };
    if (stbi_write_png_to_func(take, &text, nx, ny, 3, pixels.data(), 3 * nx) == 0)
        throw MachineError("the PNG encoder failed");
    return text;
}

template <class T>
Array<double> resample(const Array<T>& source, int nx, int ny, Growing growing, double base) {
    if (nx < 1 || ny < 1 || source.size() == 0)
        throw InputError("can't resample {} x {} cells to {} x {}", source.nx(), source.ny(), nx, ny);
    const auto row = [&](int y) { return &source.at(0, y); };
    return resampled({source.nx(), source.ny()}, nx, ny, growing, base, row);
}

template Array<double> resample(const Array<float>&, int, int, Growing, double);
template Array<double> resample(const Array<double>&, int, int, Growing, double);

}  // namespace stencil
