#include "sim/files/field_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>

#include "sim/files/atomic_file.h"
#include "sim/files/held_arrays.h"
#include "sim/files/npy.h"
#include "sim/text/error.h"
#include "sim/text/names.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

const std::vector<FieldFormat> kFormats{
    {{".npy"}, "\x93NUMPY", open_npy},
    {{".npz"}, "PK\x03\x04", open_npz},
    {{".csv", ".txt"}, "", open_table},
    {{".h5", ".hdf5"}, "\x89HDF\r\n\x1a\n", open_hdf5},
    {{".nc", ".cdf"}, "CDF", open_netcdf},
    {{".vti"}, "<", open_vti},
    {{".png"}, "\x89PNG\r\n\x1a\n", nullptr},
    {{".jpg", ".jpeg"}, "\xff\xd8\xff", nullptr},
    {{".tif", ".tiff"}, "II*", nullptr},
    {{}, "MM", nullptr},
};

std::string ending_of(const std::string& file) {
    std::string ending = std::filesystem::path(file).extension().string();
    std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return ending;
}

const FieldFormat* format_by_ending(const std::string& file) {
    const std::string ending = ending_of(file);
    const auto row =
        std::ranges::find_if(kFormats, [&](const FieldFormat& f) { return contains(f.endings, ending); });
    return row == kFormats.end() ? nullptr : &*row;
}

}  // namespace

std::span<const FieldFormat> field_formats() {
    return kFormats;
}

std::string field_endings() {
    std::vector<std::string_view> all;
    for (const FieldFormat& format : kFormats)
        all.insert(all.end(), format.endings.begin(), format.endings.end());
    return fmt::format("{}", fmt::join(all, " "));
}

const FieldFormat* find_format(const std::string& file) {
    if (const FieldFormat* format = format_by_ending(file)) return format;
    InputFile input(file);
    char bytes[8] = {};
    const std::size_t count = input.read_some(std::as_writable_bytes(std::span(bytes)));
    const std::string_view start(bytes, count);
    for (const FieldFormat& format : kFormats)
        if (!format.start.empty() && start.starts_with(format.start)) return &format;
    // A table comes through a pipe without a name.
    return is_stream(file) || descriptor_named(file) >= 0 ? format_by_ending("pipe.csv") : nullptr;
}

bool has_field_ending(const std::string& file) {
    return format_by_ending(file) != nullptr;
}

bool is_picture_file(const std::string& file) {
    const FieldFormat* format = find_format(file);
    return format && !format->open;
}

FoundField open_field(const FieldPlace& place) {
    if (const auto held = held_array(place.file))
        return {held->nx(), held->ny(), [held] { return held->clone(); }};
    const FieldFormat* format = find_format(place.file);
    if (!format || !format->open)
        InputFile(place.file).refuse("this is not read: allowed are " + field_endings());
    return format->open(place);
}

std::size_t chosen_variable(const InputFile& file,
                            const FieldPlace& place,
                            const std::vector<std::string>& names) {
    const auto found = std::ranges::find(names, place.variable);
    if (found != names.end()) return std::size_t(found - names.begin());
    if (names.empty()) file.refuse("it has no array of two axes (rows, columns)");
    if (names.size() == 1 && !place.required) return 0;
    const std::string all = printable(fmt::format("{}", fmt::join(names, ", ")));
    const std::string example = printable(fmt::format("array(\"FILE\", {})", names.front()));
    if (place.variable.empty()) file.refuse(fmt::format("it has {}: choose one, as in {}", all, example));
    file.refuse(fmt::format("it has no `{}` but {}{}",
                            printable(place.variable),
                            all,
                            place.required ? "" : ": choose one in the text, as in u(0) = " + example));
}

void require_field_size(const InputFile& file, std::uint64_t nx, std::uint64_t ny) {
    constexpr std::uint64_t kMost = std::uint64_t(1) << 30;
    if (nx < 1 || ny < 1) file.refuse("it has no cells");
    if (nx > kMost || ny > kMost)
        file.refuse(fmt::format("{} x {} cells; an axis has at most {}", nx, ny, kMost));
}

void unpack(Field& field, const std::function<double(const char* name, double otherwise)>& attribute) {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    const double scale = attribute("scale_factor", 1), offset = attribute("add_offset", 0),
                 fill = attribute("_FillValue", kNone), missing = attribute("missing_value", kNone);
    const bool packed = scale != 1 || offset != 0;
    field.visit([&]<class T>(Array<T>& array) {
        for (T& value : array.cells()) {
            const auto stored = double(value);
            if (packed) value = T(stored * scale + offset);
            if (stored == fill || stored == missing) value = T(kNone);
        }
    });
}

FoundField open_npy(const FieldPlace& place) {
    auto file = std::make_shared<InputFile>(place.file);
    const NpyHeader header = read_field_header(*file);
    return {int(header.shape[1]), int(header.shape[0]), [=] { return read_npy_cells(*file, header); }};
}

}  // namespace stencil
