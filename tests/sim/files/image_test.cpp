#include "sim/files/image.h"

#include "tests/support/fields.h"
#include "tests/support/png_file.h"

namespace {

std::string big_endian(std::uint32_t value, int bytes = 4) {
    std::string text;
    while (bytes-- > 0) text += char(value >> 8 * bytes & 255);
    return text;
}

std::string chunk(const std::string& type, const std::string& data) {
    std::uint32_t crc = ~0u;
    for (const char c : type + data) {
        crc ^= static_cast<unsigned char>(c);
        for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    }
    return big_endian(std::uint32_t(data.size())) + type + data + big_endian(~crc);
}

std::string ihdr(std::uint32_t nx, std::uint32_t ny, int bits, int color_type) {
    return chunk("IHDR",
                 big_endian(nx) + big_endian(ny) + char(bits) + char(color_type) + std::string(3, '\0'));
}

const std::string kPngStart = "\x89PNG\r\n\x1a\n";
const std::string kPngEnd = chunk("IEND", "");

// Returns rows of samples as one stored (uncompressed), unfiltered block.
std::string idat(const std::string& samples, int ny) {
    std::string raw;
    const std::size_t row = samples.size() / std::size_t(ny);
    for (std::size_t at = 0; at < samples.size(); at += row) raw += '\0' + samples.substr(at, row);
    std::uint32_t a = 1, b = 0;
    for (const char c : raw) {
        a = (a + static_cast<unsigned char>(c)) % 65521;
        b = (b + a) % 65521;
    }
    const auto length = std::uint16_t(raw.size()), inverse = std::uint16_t(~length);
    const auto two = [](std::uint16_t value) { return std::string{char(value & 255), char(value >> 8)}; };
    return chunk("IDAT", "\x78\x01\x01" + two(length) + two(inverse) + raw + big_endian(b << 16 | a));
}

// Pictures of 20 x 12 pixels, made by Pillow with quality 95: baseline with grey = 20 + 8 x + 5 y;
// progressive without chroma subsampling with (20 + 8 x + 5 y, 200 - 6 x - 3 y, 60 + 2 x + 9 y); and a
// palette of (0, 0, 0), (255, 0, 0), (0, 255, 0), (10, 20, 30) with entries (x + y) % 4.
const std::string kGreyJpeg = read_bytes(reference_file("grey_20x12.jpg"));
const std::string kProgressiveJpeg = read_bytes(reference_file("progressive_20x12.jpg"));
const std::string kPalettePng = read_bytes(reference_file("palette_20x12.png"));

std::string refusal(const ScratchFolder& folder, const std::string& bytes) {
    const auto path = write_bytes(folder / "hostile", bytes);
    return refusal_of_file(path, [&] { read_image(path); });
}

template <class Expected>
double largest_difference(const Array<double>& image, const Expected& expected) {
    double largest = 0;
    for (int y = 0; y < image.ny(); ++y)
        for (int x = 0; x < image.nx(); ++x)
            largest = std::max(largest, std::abs(image.at(x, y) - expected(x, y)));
    return largest;
}

Array<double> noise_field(Dice& random, int nx, int ny) {
    Array<double> field(nx, ny);
    random.fill(field.cells(), 0, 1);
    return field;
}

double mean(const Array<double>& field) {
    return total(field.clone()) / double(field.size());
}

}  // namespace

TEST_CASE("A field written as a grey PNG is read back within half a grey level") {
    Dice random;
    const ScratchFolder folder;
    for (const auto& [nx, ny] : {std::pair{1, 1}, {1, 300}, {257, 1}, {83, 61}}) {
        const Array<double> field = noise_field(random, nx, ny);
        write_png(folder / "field.png", field.clone(), colormap("grey"), {0, 1});
        CHECK(image_size(folder / "field.png") == std::pair(nx, ny));
        const Array<double> read = read_image(folder / "field.png");
        REQUIRE(read.nx() == nx);
        REQUIRE(read.ny() == ny);
        double largest = 0;
        for (std::size_t i = 0; i < field.size(); ++i) {
            largest = std::max(largest, std::abs(read.cells()[i] - field.cells()[i]));
            REQUIRE(read.cells()[i] == std::min(255.0, std::floor(field.cells()[i] * 256)) / 255);
        }
        CHECK(largest <= 1.0 / 255);
    }
    CHECK(folder.entries() == 1);
}

TEST_CASE("A coloured PNG is read with the weights of its colours") {
    const ScratchFolder folder;
    Array<float> field(256, 2);
    for (int x = 0; x < 256; ++x) {
        field.at(x, 0) = float(x);
        field.at(x, 1) = float(255 - x);
    }
    const Colormap& turbo = colormap("turbo");
    write_png(folder / "field.png", field.clone(), turbo, {0, 256});
    const Array<double> read = read_image(folder / "field.png");
    for (int x = 0; x < 256; ++x) {
        const Rgb color = turbo.colors[std::size_t(x)];
        const double grey = (0.299 * color.r + 0.587 * color.g + 0.114 * color.b) / 255;
        CHECK(std::abs(read.at(x, 0) - grey) < 1e-12);
        CHECK(read.at(255 - x, 1) == read.at(x, 0));
    }
}

TEMPLATE_TEST_CASE("Painting in bulk gives the colours of one value at a time", "", float, double) {
    Dice random;
    using Limits = std::numeric_limits<TestType>;
    Array<TestType> array(250, 40);
    random.fill(array.cells(), -2, 2);
    constexpr TestType nan = Limits::quiet_NaN(), infinity = Limits::infinity(), tiny = Limits::denorm_min();
    const TestType special[] = {
        nan, infinity, -infinity, Limits::max(), Limits::lowest(), 0, TestType(-0.0), tiny};
    std::ranges::copy(special, array.data());
    for (int i = 0; i <= 256; ++i) array.at(i % 250, 10 + i / 250) = TestType(-1 + i / 128.0);
    const Field field(array.clone());
    const double low = random.uniform(-1, 0);
    for (const ValueRange range : {ValueRange{-1, 1},
                                   {low, low + 1.3},
                                   {low, low},
                                   {1, -1},
                                   {0, 1e-300},
                                   {1e-3, 2, Scale::log},
                                   {-1, 1, Scale::symlog}})
        for (const Colormap& map : colormaps()) {
            CAPTURE(range.low, range.high, std::string(map.name));
            std::vector<Rgb> pixels(field.size());
            for (Rgb& pixel : pixels) pixel = {std::uint8_t(random.integer(0, 255)), 17, 99};
            paint(field, map, range, pixels);
            std::size_t wrong = 0;
            for (std::size_t i = 0; i < pixels.size(); ++i)
                wrong += !(pixels[i] == map.at(array.cells()[i], range));
            CHECK(wrong == 0);
        }
}

TEST_CASE("JPEG and palette PNG files of other programs are read, whatever they are called") {
    const ScratchFolder folder;
    const auto grey = write_bytes(folder / "grey.png", kGreyJpeg);
    CHECK(image_size(grey) == std::pair(20, 12));
    CHECK(largest_difference(read_image(grey), [](int x, int y) { return (20 + 8 * x + 5 * y) / 255.0; }) <
          2.5 / 255);
    const auto color = write_bytes(folder / "color", kProgressiveJpeg);
    CHECK(image_size(color) == std::pair(20, 12));
    CHECK(largest_difference(read_image(color), [](int x, int y) {
              return (0.299 * (20 + 8 * x + 5 * y) + 0.587 * (200 - 6 * x - 3 * y) +
                      0.114 * (60 + 2 * x + 9 * y)) /
                     255;
          }) < 2.5 / 255);
    const auto palette = write_bytes(folder / "palette.jpg", kPalettePng);
    CHECK(image_size(palette) == std::pair(20, 12));
    CHECK(largest_difference(read_image(palette), [](int x, int y) {
              constexpr double kGrey[] = {0, 0.299, 0.587, (0.299 * 10 + 0.587 * 20 + 0.114 * 30) / 255};
              return kGrey[(x + y) % 4];
          }) < 1e-12);
}

TEST_CASE("PNG samples of any width are read in every kind of colour, interlaced or not") {
    Dice random;
    const ScratchFolder folder;
    const int bits = GENERATE(1, 2, 4, 8, 16);
    const bool interlaced = GENERATE(false, true);
    for (const auto& [color_type, channels] : {std::pair{0, 1}, {4, 2}, {2, 3}, {6, 4}}) {
        if (bits < 8 && color_type != 0) continue;
        const int nx = random.integer(1, 20), ny = random.integer(1, 20);
        CAPTURE(bits, color_type, interlaced, nx, ny);
        const std::size_t row = (std::size_t(nx * channels * bits) + 7) / 8;
        const std::string rows = random.bytes(row * std::size_t(ny));
        const auto path =
            write_bytes(folder / "picture", png_file(nx, ny, {bits, color_type, interlaced}, rows));
        CHECK(image_size(path) == std::pair(nx, ny));
        const Array<double> read = read_image(path);
        REQUIRE(read.nx() == nx);
        REQUIRE(read.ny() == ny);
        const int samples = channels;
        const auto sample = [&](int x, int y, int channel) {
            const auto at = std::size_t(x * samples + channel) * std::size_t(bits);
            unsigned value = 0;
            for (std::size_t bit = at; bit < at + std::size_t(bits); ++bit) {
                const auto byte = static_cast<unsigned char>(rows[std::size_t(y) * row + bit / 8]);
                value = value << 1 | (byte >> (7 - bit % 8) & 1u);
            }
            return value / double((1u << bits) - 1);
        };
        const auto expected = [&](int x, int y) {
            return samples < 3 ? sample(x, y, 0)
                               : 0.299 * sample(x, y, 0) + 0.587 * sample(x, y, 1) + 0.114 * sample(x, y, 2);
        };
        CHECK(largest_difference(read, expected) < 1e-12);
        const bool coloured = samples > 2;
        for (const ChannelRow& one : kChannels) {
            CAPTURE(one.name);
            const auto of_channel = [&](int x, int y) {
                if (one.channel == Channel::grey) return expected(x, y);
                if (one.channel == Channel::mean)
                    return coloured ? (sample(x, y, 0) + sample(x, y, 1) + sample(x, y, 2)) / 3
                                    : sample(x, y, 0);
                if (one.channel == Channel::alpha) return samples % 2 == 0 ? sample(x, y, samples - 1) : 1.0;
                return sample(x, y, coloured ? int(one.channel) - int(Channel::red) : 0);
            };
            CHECK(largest_difference(read_image(path, one.channel), of_channel) < 1e-12);
        }
    }
}

TEST_CASE("A picture that is cut off anywhere is refused") {
    const ScratchFolder folder;
    for (const std::string& whole : {kGreyJpeg, kProgressiveJpeg, kPalettePng}) {
        REQUIRE(read_image(write_bytes(folder / "whole", whole)).size() == 240);
        for (std::size_t length = 0; length < whole.size(); ++length) {
            CAPTURE(length);
            const std::string why = refusal(folder, whole.substr(0, length));
            CHECK((contains(why, "cut off") || (length < 8 && contains(why, "no PNG"))));
        }
        // Bytes after the end marker are ignored.
        CHECK(read_image(write_bytes(folder / "longer", whole + std::string(9, '\0'))).size() == 240);
    }
}

TEST_CASE("Headers that claim what the file can't hold are refused before memory is taken") {
    const ScratchFolder folder;
    const auto png = [&](std::uint32_t nx, std::uint32_t ny) {
        return refusal(folder, kPngStart + ihdr(nx, ny, 8, 2) + idat("rgb", 1) + kPngEnd);
    };
    CHECK(contains(png(100'000, 100'000), "100000 x 100000"));
    CHECK(contains(png(2'147'483'647, 2'147'483'647), "2147483647 x 2147483647"));
    CHECK(contains(png(0, 7), "damaged"));
    CHECK(contains(png(7, 0x80000000), "damaged"));
    // Larger than the data, but not more than it could decompress to.
    CHECK(contains(png(30, 30), "damaged"));

    std::string jpeg = kGreyJpeg;
    const std::size_t frame = jpeg.find("\xff\xc0");
    REQUIRE(frame != std::string::npos);
    jpeg.replace(frame + 5, 4, "\xff\xff\xff\xff");
    CHECK(contains(refusal(folder, jpeg), "damaged JPEG"));  // libjpeg reads up to 65500
    jpeg.replace(frame + 5, 4, "\xfe\xff\xfe\xff");
    CHECK(contains(refusal(folder, jpeg), "65279 x 65279"));
    jpeg.replace(frame + 5, 2, 2, '\0');
    CHECK(contains(refusal(folder, jpeg), "damaged JPEG"));
    jpeg[frame + 6] = 12;
    jpeg.replace(frame + 7, 2, {'\0', '\x14'});
    jpeg[frame + 1] = '\xc9';
    CHECK(contains(refusal(folder, jpeg), "arithmetic"));
}

TEST_CASE("A damaged JPEG is read as something or refused in one line, and never ends the program") {
    Dice random;
    const ScratchFolder folder;
    for (const std::string& whole : {kGreyJpeg, kProgressiveJpeg})
        for (int i = 0; i < 500; ++i) {
            std::string damaged = whole;
            for (int j = random.integer(1, 4); j > 0; --j)
                damaged[std::size_t(random.integer(2, int(whole.size()) - 1))] = char(random.integer(0, 255));
            const auto path = write_bytes(folder / "damaged", damaged);
            const std::string message = message_of<InputError>([&] {
                const Array<double> picture = read_image(path);
                for (const double value : picture.cells()) REQUIRE((value >= 0 && value <= 1));
            });
            REQUIRE(message.find('\n') == std::string::npos);
        }
}

TEST_CASE("What is not a picture is refused with the reason") {
    const ScratchFolder folder;
    CHECK(contains(refusal(folder, ""), "no PNG, JPEG or TIFF"));
    CHECK(contains(refusal(folder, "GIF89a"), "no PNG, JPEG or TIFF"));
    const std::string pixel = idat("rgb", 1);
    for (const std::string& chunks : {kPngEnd,
                                      ihdr(1, 1, 8, 2) + kPngEnd,
                                      ihdr(1, 1, 8, 5) + pixel + kPngEnd,
                                      ihdr(1, 1, 3, 0) + pixel + kPngEnd,
                                      pixel + ihdr(1, 1, 8, 2) + kPngEnd})
        CHECK(contains(refusal(folder, kPngStart + chunks), "damaged PNG"));
    CHECK(contains(refusal(folder, "\xff\xd8\xff\xd9"), "damaged JPEG"));
    const auto missing = folder / "none.png";
    CHECK(contains(message_of<InputError>([&] { image_size(missing); }),
                   missing.string() + ": there is no such"));
    CHECK(contains(message_of<InputError>([&] { image_size(folder.path()); }), "folder"));
}

TEST_CASE("Resampling to the same size changes nothing") {
    Dice random;
    const Array<double> field = noise_field(random, 37, 23);
    CHECK(std::ranges::equal(resample(field, 37, 23).cells(), field.cells()));
}

TEST_CASE("Shrinking averages areas exactly") {
    Array<double> field(5, 2);
    std::ranges::copy(std::vector<double>{1, 2, 4, 8, 16, 3, 5, 7, 9, 11}, field.data());
    // Each of the two columns covers 2.5 cells.
    const Array<double> narrow = resample(field, 2, 2);
    CHECK(narrow.at(0, 0) == (1 + 2 + 0.5 * 4) / 2.5);
    CHECK(narrow.at(1, 0) == (0.5 * 4 + 8 + 16) / 2.5);
    CHECK(narrow.at(0, 1) == (3 + 5 + 0.5 * 7) / 2.5);
    CHECK(narrow.at(1, 1) == (0.5 * 7 + 9 + 11) / 2.5);
    const Array<double> flat = resample(field, 5, 1);
    for (int x = 0; x < 5; ++x) CHECK(flat.at(x, 0) == (field.at(x, 0) + field.at(x, 1)) / 2);
}

TEST_CASE("Growing interpolates between cell centres and clamps at the edges") {
    Array<double> field(2, 1);
    field.at(0, 0) = 0.25;
    field.at(1, 0) = 0.75;
    const Array<double> wide = resample(field, 4, 3);
    for (int y = 0; y < 3; ++y) {
        CHECK(wide.at(0, y) == 0.25);
        CHECK(wide.at(1, y) == 0.375);
        CHECK(wide.at(2, y) == 0.625);
        CHECK(wide.at(3, y) == 0.75);
    }
    Array<double> column(1, 3);
    std::ranges::copy(std::vector<double>{0, 1, 0}, column.data());
    const Array<double> tall = resample(column, 1, 5);
    const double expected[] = {0, 0.4, 1, 0.4, 0};
    for (int y = 0; y < 5; ++y) CHECK(std::abs(tall.at(0, y) - expected[y]) < 1e-15);
}

TEST_CASE("Resampling random fields keeps the mean where it shrinks and the values' bounds everywhere") {
    Dice random;
    for (int i = 0; i < 50; ++i) {
        const int nx = random.integer(1, 90), ny = random.integer(1, 90);
        const Array<double> field = noise_field(random, nx, ny);
        const auto [low, high] = std::ranges::minmax(field.cells());
        const int smaller_x = random.integer(1, nx), smaller_y = random.integer(1, ny);
        CAPTURE(nx, ny, smaller_x, smaller_y);
        CHECK(std::abs(mean(resample(field, smaller_x, smaller_y)) - mean(field)) < 1e-12);
        const Array<double> other = resample(field, random.integer(1, 200), random.integer(1, 200));
        const auto [other_low, other_high] = std::ranges::minmax(other.cells());
        CHECK(other_low >= low - 1e-15);
        CHECK(other_high <= high + 1e-15);
        // Mirroring the field mirrors the result.
        const auto mirrored = array_of(nx, ny, [&](int x, int y) { return field.at(nx - 1 - x, y); });
        const Array<double> other_mirrored = resample(mirrored, other.nx(), other.ny());
        CHECK(largest_difference(
                  other, [&](int x, int y) { return other_mirrored.at(other.nx() - 1 - x, y); }) < 1e-12);
    }
}

TEST_CASE("Sizes without cells are refused") {
    CHECK_THROWS_AS(resample(Array<double>(2, 2), 0, 1), InputError);
    CHECK_THROWS_AS(resample(Array<double>(), 1, 1), InputError);
    const ScratchFolder folder;
    CHECK_THROWS_AS(write_png(folder / "none.png", Field(), colormap("grey"), {0, 1}), InputError);
    CHECK(folder.entries() == 0);
}

TEST_CASE(
    "A picture that is resampled on the way has the bits of the whole one, however its rows are stored") {
    Dice random;
    const ScratchFolder folder;
    std::vector<std::string> files{kGreyJpeg, kProgressiveJpeg, kPalettePng};
    for (const int bits : {8, 16})
        for (const bool interlaced : {false, true}) {
            const int nx = random.integer(1, 40), ny = random.integer(1, 40);
            files.push_back(
                png_file(nx, ny, {bits, 6, interlaced}, random.bytes(std::size_t(nx * ny * bits / 2))));
        }
    for (const std::string& bytes : files) {
        const auto path = write_bytes(folder / "picture", bytes);
        const Array<double> whole = read_image(path, Channel::green);
        const int nx = whole.nx(), ny = whole.ny();
        for (const auto& [to_x, to_y] :
             {std::pair{nx, ny}, {1, 1}, {7, 5}, {nx, 3}, {2 * nx + 1, 4}, {90, 77}}) {
            CAPTURE(nx, ny, to_x, to_y);
            CHECK(same_bits(read_image(path, Channel::green, to_x, to_y), resample(whole, to_x, to_y)));
        }
        CHECK(whole.size() == std::size_t(nx) * std::size_t(ny));
    }
}

TEST_CASE("What a picture takes to read counts all of it only where its pixels come in several passes") {
    const ScratchFolder folder;
    const int side = 3000;
    struct Case {
        PngKind kind;
        double least, most;
    };
    const double pixels = 1.0 * side * side;
    for (const auto& [kind, least, most] : {Case{{8, 0, false}, 0, 2e6},
                                            {{16, 6, false}, 0, 2e6},
                                            {{8, 0, true}, pixels, 5 * pixels},
                                            {{16, 6, true}, 8 * pixels, 9 * pixels}}) {
        const std::size_t bytes =
            std::size_t(side) * std::size_t(kind.bits / 8 * (kind.color_type == 6 ? 4 : 1));
        const auto path = write_bytes(
            folder / "zeros", png_file(side, side, kind, std::string(bytes * std::size_t(side), '\0')));
        CAPTURE(kind.bits, kind.interlaced);
        CHECK(image_bytes(path, 16, 16) >= least);
        CHECK(image_bytes(path, 16, 16) <= most);
    }
    const auto coefficients = write_bytes(folder / "progressive", kProgressiveJpeg);
    CHECK(image_bytes(coefficients, 16, 16) > 20 * 12 * 6);
}
