#include "sim/files/npy.h"

#include <fmt/format.h>

#include "sim/files/npy_rows.h"
#include "tests/support/fields.h"

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += char(value >> 8 * i & 255);
    return text;
}

// Makes a file of a format version with exactly this header, without NumPy's padding.
std::string npy(int version, const std::string& header, const std::string& cells) {
    return std::string("\x93NUMPY") + char(version) + '\0' +
           little_endian(header.size(), version == 1 ? 2 : 4) + header + cells;
}

std::string dict(const std::string& descr, const std::string& shape, bool fortran_order = false) {
    return "{'descr': '" + descr + "', 'fortran_order': " + (fortran_order ? "True" : "False") +
           ", 'shape': " + shape + ", }\n";
}

template <class T>
std::string bytes_of_cells(const std::vector<T>& cells) {
    return {reinterpret_cast<const char*>(cells.data()), cells.size() * sizeof(T)};
}

template <class T>
std::vector<T> random_cells(Dice& random, std::size_t count) {
    std::vector<T> cells(count);
    random.fill(std::span(cells), -5, 5);
    return cells;
}

std::string npy_refusal(const ScratchFolder& folder, const std::string& bytes) {
    const auto path = write_bytes(folder / "hostile.npy", bytes);
    return refusal_of_file(path, [&] { read_npy(path); });
}

std::string array_refusal(const ScratchFolder& folder, const std::string& bytes) {
    const auto path = write_bytes(folder / "hostile.npy", bytes);
    return refusal_of_file(path, [&] { read_npy_array(path, DType::float32); });
}

std::vector<std::filesystem::path> reference_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(reference_file("")))
        if (entry.path().extension() == ".npy") files.push_back(entry.path());
    return files;
}

template <class Source>
void check_conversion(Dice& random, const std::string& descr) {
    CAPTURE(descr);
    const ScratchFolder folder;
    std::vector<Source> values(30);
    for (Source& value : values) value = Source(random.engine());
    values[7] = std::numeric_limits<Source>::lowest();
    values[8] = std::numeric_limits<Source>::max();
    const auto path = write_bytes(folder / "a.npy", npy(1, dict(descr, "(5, 3, 2)"), bytes_of_cells(values)));
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

TEST_CASE("NumPy's own files come back byte for byte") {
    const ScratchFolder folder;
    const auto files = reference_files();
    REQUIRE(files.size() >= 13);
    for (const auto& path : files) {
        const Field field = read_npy(path);
        REQUIRE(field.dtype() == DType::float64);
        REQUIRE(field.nx() == 128);
        REQUIRE(field.ny() == 96);
        write_npy(folder / "again.npy", field);
        CHECK(read_bytes(folder / "again.npy") == read_bytes(path));
    }
}

TEMPLATE_TEST_CASE("Dice fields survive writing and reading", "", float, double) {
    Dice random;
    const ScratchFolder folder;
    for (const auto& [nx, ny] : {std::pair{1, 1}, {1, 77}, {130, 1}, {63, 65}}) {
        Array<TestType> array(nx, ny);
        random.fill(array.cells(), -5, 5);
        array.at(nx - 1, ny - 1) = std::numeric_limits<TestType>::denorm_min();
        write_npy(folder / "field.npy", array.clone());
        const std::string bytes = read_bytes(folder / "field.npy");
        REQUIRE(bytes.size() == 128 + array.size() * sizeof(TestType));
        const Field read = read_npy(folder / "field.npy");
        REQUIRE(read.nx() == nx);
        REQUIRE(read.ny() == ny);
        CHECK(std::memcmp(read.as<TestType>().data(), array.data(), array.size() * sizeof(TestType)) == 0);
    }
}

TEST_CASE("Headers of fields and of arrays of any shape are NumPy's to the byte") {
    const ScratchFolder folder;
    // As written by np.save of NumPy 1.24 to 2.4: padded to a multiple of 64 bytes, with the newline last.
    const auto expected = [](const std::string& shape) {
        const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
        return std::string("\x93NUMPY\x01\0\x76\0", 10) + header + std::string(117 - header.size(), ' ') +
               '\n';
    };
    write_npy(folder / "field.npy", Field(DType::float32, 5, 2000));
    CHECK(read_bytes(folder / "field.npy").substr(0, 128) == expected("(2000, 5)"));
    const auto header = [&](const std::vector<std::int64_t>& shape, std::size_t count) {
        write_npy_array(folder / "a.npy", {shape, std::vector<float>(count)});
        return read_bytes(folder / "a.npy").substr(0, 128);
    };
    CHECK(header({}, 1) == expected("()"));
    CHECK(header({3}, 3) == expected("(3,)"));
    CHECK(header({2, 1, 3}, 6) == expected("(2, 1, 3)"));
}

TEST_CASE("Versions 1 to 3 are read, whatever the order of the keys and the spaces") {
    Dice random;
    const ScratchFolder folder;
    const auto cells = random_cells<float>(random, 6);
    const int version = GENERATE(1, 2, 3);
    const std::string header =
        GENERATE(as<std::string>(),
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n",
                 "{'shape': (2, 3), 'descr': '<f4', 'fortran_order': False}",
                 "{'fortran_order':False,'shape':(2,3),'descr':'=f4'}          ",
                 " {\t\"shape\" : ( 2 ,\n3 , ) , \"fortran_order\":  False, \"descr\": \"<f4\" , } \n ",
                 "{'descr': '<f4', 'fortran_order': False, 'shape': (2L, 3L), }\n");
    CAPTURE(version, header);
    const auto path = write_bytes(folder / "field.npy", npy(version, header, bytes_of_cells(cells)));
    const NpyHeader read_header = read_field_header(path);
    CHECK(read_header.descr.ends_with("f4"));
    CHECK(read_header.shape == std::vector<std::int64_t>{2, 3});
    CHECK_FALSE(read_header.fortran_order);
    CHECK(read_header.data_offset == std::uintmax_t((version == 1 ? 10 : 12) + header.size()));
    const Field field = read_npy(path);
    for (int y = 0; y < 2; ++y)
        for (int x = 0; x < 3; ++x) CHECK(field.as<float>().at(x, y) == cells[std::size_t(y * 3 + x)]);
}

TEMPLATE_TEST_CASE("Fortran order is turned so that rows stay rows", "", float, double) {
    Dice random;
    const ScratchFolder folder;
    for (const auto& [nx, ny] : {std::pair{1, 9}, {9, 1}, {64, 64}, {65, 63}, {200, 131}}) {
        CAPTURE(nx, ny);
        const auto columns = random_cells<TestType>(random, std::size_t(nx * ny));
        const std::string shape = "(" + std::to_string(ny) + ", " + std::to_string(nx) + ")";
        const std::string header = dict(sizeof(TestType) == 4 ? "<f4" : "<f8", shape, true);
        const auto path = write_bytes(folder / "field.npy", npy(1, header, bytes_of_cells(columns)));
        REQUIRE(read_field_header(path).fortran_order);
        const Field field = read_npy(path);
        REQUIRE(field.nx() == nx);
        REQUIRE(field.ny() == ny);
        int wrong = 0;
        for (int y = 0; y < ny; ++y)
            for (int x = 0; x < nx; ++x)
                wrong += field.as<TestType>().at(x, y) !=
                         columns[std::size_t(x) * std::size_t(ny) + std::size_t(y)];
        CHECK(wrong == 0);
    }
}

TEST_CASE("What is no .npy file is refused") {
    const ScratchFolder folder;
    std::string minor = npy(1, dict("<f4", "(1, 1)"), "1234");
    minor[7] = 3;
    const std::pair<std::string, const char*> cases[] = {
        {"", "too short"},
        {"\x93NUM", "too short"},
        {"PK\x03\x04 an archive", "not a .npy file"},
        {"\x93NUMPY\x01", "needs 8 bytes, the file has 7"},
        {std::string("\x93NUMPY\x01\0\x76", 9), "needs 10 bytes, the file has 9"},
        {std::string("\x93NUMPY\x02\0\x76\0", 10), "needs 12 bytes, the file has 10"},
        {std::string("\x93NUMPY\x01\0\x76\0{}", 12), "needs 128 bytes, the file has 12"},
        {std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14), "needs 4294967307 bytes, the file has 14"},
        {npy(4, dict("<f4", "(1, 1)"), "1234"), "version 4.0"},
        {npy(0, dict("<f4", "(1, 1)"), "1234"), "version 0.0"},
        {minor, "version 1.3"},
        {npy(2, std::string(70'000, ' '), ""), "70000 bytes"},
    };
    for (const auto& [bytes, part] : cases) {
        CAPTURE(bytes);
        CHECK(contains(npy_refusal(folder, bytes), part));
    }
}

TEST_CASE("A header that is not the expected dict is refused") {
    const ScratchFolder folder;
    const std::string rest = ", 'fortran_order': False, 'shape': (1, 2)}";
    const std::string shape = "{'descr': '<f4', 'fortran_order': False, 'shape': ";
    const std::pair<std::string, const char*> cases[] = {
        {"", "no dict"},
        {"(1, 2)", "no dict"},
        {"{}", "no 'descr'"},
        {"{'descr': '<f4'}", "no 'fortran_order'"},
        {"{'descr': '<f4', 'fortran_order': False}", "no 'shape'"},
        {"{'descr': '<f4', 'descr': '<f4'" + rest, "two values of 'descr'"},
        {"{'descr': '<f4', 'key': 1" + rest, "other keys"},
        {"{'descr': '<f4', 'a\nkey': 1" + rest, "no dict"},
        {"{'descr': __import__('os')" + rest, "at byte 11"},
        {"{'descr': 4" + rest, "'descr' is not a type"},
        {"{'descr': '<f4,", "no dict"},
        {"{'descr' '<f4'" + rest, "no dict"},
        {"{'descr': '<f\\x34'" + rest, "no dict"},
        {"{'descr': '<f4'" + rest + " x", "no dict"},
        {"{'descr': '<f4'" + rest + std::string(1, '\0'), "no dict"},
        {"{'descr': '<f4'" + rest.substr(0, rest.size() - 1), "no dict"},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 2)}", "neither True nor False"},
        {"{'descr': '<f\\u0034'" + rest, "no dict"},
        {"{'descr\": '<f4'" + rest, "no dict"},
        {"{'descr': '<f4', 'fortran_order': false, 'shape': (1, 2)}", "no dict"},
        {shape + "[1, 2]}", "not a tuple"},
        {shape + "(1, 2]}", "no dict"},
        {shape + "(,)}", "no dict"},
        {shape + "(1, 1e30)}", "not whole"},
        {shape + "(1, 1e999)}", "beyond the largest double"},
        {shape + "12}", "not a tuple"},
        {shape + "(2)}", "not a tuple"},
        {shape + "(1, -2)}", "-2 in 'shape'"},
        {shape + "(1, 2.0)}", "2.0 in 'shape'"},
        {shape + "(1, '2')}", "in 'shape'"},
        {shape + "(1, x)}", "no dict"},
        {shape + "(1, 2}", "no dict"},
        {"{'descr': [('x', '<f4', 'fortran_order'", "no dict"},
    };
    for (const auto& [header, part] : cases) {
        CAPTURE(header);
        const std::string why = npy_refusal(folder, npy(1, header, "12345678"));
        CHECK(contains(why, "damaged"));
        CHECK(contains(why, part));
    }
}

TEST_CASE("Types other than little-endian floats, integers and bool are refused by name") {
    const ScratchFolder folder;
    for (const std::string& descr :
         items("<f16 | <c8 | |O | <U7 | <M8[ns] | |V12 |  | nonsense | |i8 | <b8 | <f999999999")) {
        CAPTURE(descr);
        const std::string why = npy_refusal(folder, npy(1, dict(descr, "(1, 1)"), "12345678"));
        CHECK(contains(why, "dtype '" + descr + "'; allowed: float16, float32, float64, integers and bool"));
    }
    for (const std::string type : {"f4", "f8", "i8"}) {
        const std::string why = npy_refusal(folder, npy(1, dict(">" + type, "(1, 1)"), "12345678"));
        CHECK((contains(why, "big-endian") && contains(why, "astype('<" + type + "')")));
    }
    const std::string structured =
        "{'descr': [('x', '<f4'), ('y]', '<f4', (2,))], 'fortran_order': False, 'shape': (1, 1)}";
    CHECK(contains(npy_refusal(folder, npy(1, structured, "12345678")), "structured"));
    CHECK(contains(array_refusal(folder, npy(1, structured, "12345678")), "structured"));
}

TEST_CASE("A field may be of integers or booleans, which become float64") {
    const ScratchFolder folder;
    const auto bytes =
        write_bytes(folder / "a.npy", npy(1, dict("|i1", "(2, 2)"), std::string("\1\xfe\3\4", 4)));
    const Field field = read_npy(bytes);
    REQUIRE(field.dtype() == DType::float64);
    const auto cells = field.as<double>().cells();
    CHECK(std::vector<double>(cells.begin(), cells.end()) == std::vector{1.0, -2.0, 3.0, 4.0});
    const auto flags = write_bytes(folder / "b.npy", npy(1, dict("|b1", "(1, 2)"), std::string("\1\0", 2)));
    CHECK(read_npy(flags).as<double>().at(0, 0) == 1);
    const auto halves = write_bytes(
        folder / "c.npy", npy(1, dict("float16", "(1, 4)"), std::string("\x55\x35\0\xc0\1\0\xff\x7b", 8)));
    const Field half = read_npy(halves);
    CHECK(half.dtype() == DType::float64);
    const auto values = half.as<double>().cells();
    CHECK(std::vector<double>(values.begin(), values.end()) ==
          std::vector{0.333251953125, -2.0, 0x1p-24, 65504.0});
    CHECK_FALSE(NpyReader(flags).has_rows());
}

TEST_CASE("Shapes that are no field are refused before memory is taken") {
    const ScratchFolder folder;
    const auto cases = pairs(
        "() => two axes | (2,) => two axes | (1, 2, 1) => two axes | (0, 2) => no cells | "
        "(2, 0) => no cells | (1073741825, 1) => at most 1073741824 cells | "
        "(1, 18446744073709551617) => at most 1073741824 cells | "
        "(4294967296, 4294967296) => at most 1073741824 cells | "
        "(1000000, 1000000) => needs 4000000000082 bytes, the file has 90 | "
        "(1073741824, 1073741824) => needs 4611686018427387992 bytes, the file has 96");
    for (const auto& [shape, part] : cases) {
        const std::string why = npy_refusal(folder, npy(1, dict("<f4", shape), "12345678"));
        CHECK(contains(why, part));
        CHECK(contains(why, shape));
    }
}

TEST_CASE("A file of another size than its header promises is refused with both sizes") {
    Dice random;
    const ScratchFolder folder;
    const std::string whole = npy(1, dict("<f8", "(3, 4)"), bytes_of_cells(random_cells<double>(random, 12)));
    REQUIRE(whole.size() == 166);
    REQUIRE(read_npy(write_bytes(folder / "whole.npy", whole)).size() == 12);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        const std::string why = npy_refusal(folder, whole.substr(0, length));
        CHECK_FALSE(why.empty());
        if (length == 70 || length == 165)
            CHECK((contains(why, "166") && contains(why, fmt::format("has {}", length))));
    }
    const std::string why = npy_refusal(folder, whole + "1");
    CHECK((contains(why, "1 bytes follow") && contains(why, "167")));
}

TEST_CASE("Arrays of any shape survive writing and reading") {
    Dice random;
    const ScratchFolder folder;
    using Shape = std::vector<std::int64_t>;
    const Shape shape =
        GENERATE(as<Shape>(), Shape{}, Shape{7}, Shape{0}, Shape{3, 0, 2}, Shape{1, 1}, Shape{2, 3, 5, 7});
    std::size_t count = 1;
    for (const auto n : shape) count *= std::size_t(n);
    const auto values = random_cells<double>(random, count);
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

TEST_CASE("Integers of all sizes are converted") {
    Dice random;
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
    const auto path =
        write_bytes(folder / "a.npy", npy(1, dict("|b1", "(4,)"), std::string("\1\0\xff\2", 4)));
    CHECK(std::get<0>(read_npy_array(path, DType::float32).values) == std::vector<float>{1, 0, 1, 1});
}

TEST_CASE("Fortran order of any shape is turned") {
    Dice random;
    const ScratchFolder folder;
    const std::int64_t n = 3, m = 5, k = 4;
    const auto file = random_cells<double>(random, std::size_t(n * m * k));
    const auto path =
        write_bytes(folder / "a.npy", npy(1, dict("<f8", "(3, 5, 4)", true), bytes_of_cells(file)));
    const NpyArray read = read_npy_array(path, DType::float64);
    int wrong = 0;
    for (std::int64_t x = 0; x < n; ++x)
        for (std::int64_t y = 0; y < m; ++y)
            for (std::int64_t z = 0; z < k; ++z)
                wrong += std::get<1>(read.values)[std::size_t((x * m + y) * k + z)] !=
                         file[std::size_t(x + n * (y + m * z))];
    CHECK(wrong == 0);
    const auto line = write_bytes(folder / "b.npy", npy(1, dict("<f8", "(60,)", true), bytes_of_cells(file)));
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
        {"(2)", "not a tuple"},
        {axes + ")", "at most 64"},
    };
    for (const auto& [shape, part] : cases)
        CHECK(contains(array_refusal(folder, npy(1, dict("<f4", shape), "12345678")), part));
}

TEST_CASE("Values that are not finite, or too large for the precision asked for, are refused") {
    const ScratchFolder folder;
    std::vector<double> values = {1, std::numeric_limits<double>::quiet_NaN(), 3, 1e300};
    const auto path = write_bytes(folder / "a.npy", npy(1, dict("<f8", "(2, 2)"), bytes_of_cells(values)));
    const auto message = [&](DType dtype) {
        return message_of<InputError>([&] { read_npy_array(path, dtype); });
    };
    CHECK(contains(message(DType::float32), "2 of 4"));
    CHECK(contains(message(DType::float32), "float32"));
    CHECK(contains(message(DType::float64), "1 of 4"));
}
