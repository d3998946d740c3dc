#include "sim/files/npy.h"

#include <cstring>
#include <limits>

#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/fields.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

std::string file_of(const std::string& descr,
                    const std::string& shape,
                    const std::string& data,
                    bool fortran) {
    const std::string header = "{'descr': " + descr + ", 'fortran_order': " + (fortran ? "True" : "False") +
                               ", 'shape': " + shape + ", }\n";
    return std::string("\x93NUMPY\x01\0", 8) + char(header.size() & 255) + char(header.size() >> 8) + header +
           data;
}

std::string file_of(const std::string& descr, const std::string& shape, const std::string& data) {
    return file_of("'" + descr + "'", shape, data, false);
}

template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

// Returns the error about a file with these bytes, one line after its path.
std::string array_refusal(const ScratchFolder& folder, const std::string& bytes) {
    const auto path = write_bytes(folder / "hostile.npy", bytes);
    const std::string message = message_of<InputError>([&] { read_npy_array(path, DType::float32); });
    const std::string start = path.string() + ": ";
    INFO(message);
    REQUIRE(message.substr(0, start.size()) == start);
    REQUIRE(message.find_first_of("\n\r\t") == std::string::npos);
    return message.substr(start.size());
}

template <class Source>
void check_conversion(Dice& random, const std::string& descr) {
    CAPTURE(descr);
    const ScratchFolder folder;
    std::vector<Source> values(30);
    for (Source& value : values) value = Source(random.engine());
    values[7] = std::numeric_limits<Source>::lowest();
    values[8] = std::numeric_limits<Source>::max();
    const auto path = write_bytes(folder / "a.npy", file_of(descr, "(5, 3, 2)", bytes_of_values(values)));
    const NpyArray single = read_npy_array(path, DType::float32);
    const NpyArray twice = read_npy_array(path, DType::float64);
    REQUIRE(twice.shape == std::vector<std::int64_t>{5, 3, 2});
    REQUIRE(single.shape == twice.shape);
    REQUIRE(single.size() == 30);
    for (std::size_t i = 0; i < values.size(); ++i) {
        CHECK(std::get<1>(twice.values)[i] == double(values[i]));
        CHECK(std::get<0>(single.values)[i] == float(values[i]));
    }
}

}  // namespace

TEST_CASE("Arrays of any shape survive writing and reading") {
    Dice random;
    CAPTURE(random.seed);
    const ScratchFolder folder;
    using Shape = std::vector<std::int64_t>;
    const Shape shape =
        GENERATE(as<Shape>(), Shape{}, Shape{7}, Shape{0}, Shape{3, 0, 2}, Shape{1, 1}, Shape{2, 3, 5, 7});
    std::size_t count = 1;
    for (const auto n : shape) count *= std::size_t(n);
    std::vector<double> values(count);
    for (double& value : values) value = random.uniform(-5, 5);
    write_npy_array(folder / "a.npy", {shape, values});
    const std::string bytes = read_bytes(folder / "a.npy");
    CHECK(bytes.size() == 128 + count * 8);
    const NpyArray read = read_npy_array(folder / "a.npy", DType::float64);
    CHECK(read.shape == shape);
    CHECK(std::get<1>(read.values) == values);
    CHECK(read_npy_header(folder / "a.npy").shape == shape);
    CHECK(read_npy_header(folder / "a.npy").descr == "<f8");

    std::vector<float> narrow(values.begin(), values.end());
    write_npy_array(folder / "b.npy", {shape, narrow});
    CHECK(std::get<0>(read_npy_array(folder / "b.npy", DType::float32).values) == narrow);
    CHECK(read_npy_header(folder / "b.npy").descr == "<f4");
}

TEST_CASE("Headers of arrays of any shape are NumPy's to the byte") {
    const ScratchFolder folder;
    const auto header = [&](const std::vector<std::int64_t>& shape, std::size_t count) {
        write_npy_array(folder / "a.npy", {shape, std::vector<float>(count)});
        return read_bytes(folder / "a.npy").substr(0, 128);
    };
    // As written by np.save of NumPy 1.24 to 2.4.
    const auto expected = [](const std::string& dict) {
        return std::string("\x93NUMPY\x01\0\x76\0", 10) + dict + std::string(117 - dict.size(), ' ') + '\n';
    };
    CHECK(header({}, 1) == expected("{'descr': '<f4', 'fortran_order': False, 'shape': (), }"));
    CHECK(header({3}, 3) == expected("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }"));
    CHECK(header({2, 1, 3}, 6) == expected("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 1, 3), }"));
}

TEST_CASE("Integers of all sizes are converted") {
    Dice random;
    CAPTURE(random.seed);
    check_conversion<std::int8_t>(random, "|i1");
    check_conversion<std::uint8_t>(random, "|u1");
    check_conversion<std::int16_t>(random, "<i2");
    check_conversion<std::uint16_t>(random, "<u2");
    check_conversion<std::int32_t>(random, "<i4");
    check_conversion<std::uint32_t>(random, "=u4");
    check_conversion<std::int64_t>(random, "<i8");
    check_conversion<std::uint64_t>(random, "<u8");
}

TEST_CASE("Booleans are 0 and 1, also from bytes that are neither") {
    const ScratchFolder folder;
    const auto path = write_bytes(folder / "a.npy", file_of("|b1", "(4,)", std::string("\1\0\xff\2", 4)));
    CHECK(std::get<0>(read_npy_array(path, DType::float32).values) == std::vector<float>{1, 0, 1, 1});
}

TEST_CASE("Fortran order of any shape is turned") {
    Dice random;
    CAPTURE(random.seed);
    const ScratchFolder folder;
    const std::int64_t n = 3, m = 5, k = 4;
    std::vector<double> file(std::size_t(n * m * k));
    for (double& value : file) value = random.uniform(-5, 5);
    const auto path =
        write_bytes(folder / "a.npy", file_of("'<f8'", "(3, 5, 4)", bytes_of_values(file), true));
    const NpyArray read = read_npy_array(path, DType::float64);
    int wrong = 0;
    for (std::int64_t x = 0; x < n; ++x)
        for (std::int64_t y = 0; y < m; ++y)
            for (std::int64_t z = 0; z < k; ++z)
                wrong += std::get<1>(read.values)[std::size_t((x * m + y) * k + z)] !=
                         file[std::size_t(x + n * (y + m * z))];
    CHECK(wrong == 0);
    const auto line = write_bytes(folder / "b.npy", file_of("'<f8'", "(60,)", bytes_of_values(file), true));
    CHECK(std::get<1>(read_npy_array(line, DType::float64).values) == file);
}

TEST_CASE("Hostile arrays are refused in one line before memory is taken") {
    const ScratchFolder folder;
    CHECK(contains(array_refusal(folder, ""), "too short"));
    CHECK(contains(array_refusal(folder, "PK\x03\x04 an archive"), "not a .npy file"));
    std::string axes = "(";
    for (int i = 0; i < 65; ++i) axes += "1, ";
    const std::pair<std::string, const char*> cases[] = {
        {"(3,)", "cut off: shape (3,) of float32"},
        {"(1,)", "4 bytes follow"},
        {"()", "4 bytes follow"},
        {"(0, 7)", "8 bytes follow"},
        {"(18446744073709551617,)", "at most 2^48"},
        {"(4294967296, 4294967296)", "at most 2^48"},
        {"(0, 4294967296, 4294967296)", "at most 2^48"},
        {"(16777216, 16777216)", "cut off: shape (16777216, 16777216)"},
        {"(2)", "no tuple"},
        {axes + ")", "at most 64"},
    };
    for (const auto& [shape, part] : cases)
        CHECK(contains(array_refusal(folder, file_of("<f4", shape, "12345678")), part));
}

TEST_CASE("Types that are no real numbers are refused by name") {
    const ScratchFolder folder;
    const std::pair<std::string, const char*> cases[] = {{">f4", "astype('<f4')"},
                                                         {">i8", "astype('<i8')"},
                                                         {"<f2", "(float16)"},
                                                         {"<c8", "(complex64)"},
                                                         {"|O", "(objects)"},
                                                         {"<U2", "(text)"},
                                                         {"|i8", "(int64)"},
                                                         {"<b8", "'<b8'"},
                                                         {"", "dtype ''"}};
    for (const auto& [descr, part] : cases) {
        CAPTURE(descr);
        const std::string why = array_refusal(folder, file_of(descr, "(1,)", "12345678"));
        CHECK(contains(why, part));
        CHECK(contains(why, descr.starts_with(">") ? "big-endian" : "float32, float64, integers and bool"));
    }
    CHECK(
        contains(array_refusal(folder, file_of("[('x', '<f4')]", "(2,)", "12345678", false)), "structured"));
}

TEST_CASE("Values that are not finite, or too large for the precision asked for, are refused") {
    const ScratchFolder folder;
    std::vector<double> values = {1, std::numeric_limits<double>::quiet_NaN(), 3, 1e300};
    const auto path = write_bytes(folder / "a.npy", file_of("<f8", "(2, 2)", bytes_of_values(values)));
    const auto message = [&](DType dtype) {
        return message_of<InputError>([&] { read_npy_array(path, dtype); });
    };
    CHECK(contains(message(DType::float32), "2 of 4"));
    CHECK(contains(message(DType::float32), "float32"));
    CHECK(contains(message(DType::float64), "1 of 4"));
}
