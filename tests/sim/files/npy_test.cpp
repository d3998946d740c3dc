#include "sim/files/npy.h"

#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/paths.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

std::string little_endian(std::uint64_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += char(value >> 8 * i & 255);
    return text;
}

// A file of a version with the header as it is, without NumPy's padding.
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
    for (T& cell : cells) cell = T(random.uniform(-5, 5));
    return cells;
}

// Reads a file of these bytes, which must be refused: one line, "PATH: " and then what is returned.
std::string refusal(const ScratchFolder& folder, const std::string& bytes) {
    const auto path = write_bytes(folder / "hostile.npy", bytes);
    const std::string message = message_of<InputError>([&] { read_npy(path); });
    const std::string start = path.string() + ": ";
    INFO(message);
    REQUIRE(message.substr(0, start.size()) == start);
    REQUIRE(message.find_first_of("\n\r\t") == std::string::npos);
    return message.substr(start.size());
}

std::vector<std::filesystem::path> reference_files() {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(reference_file("")))
        if (entry.path().extension() == ".npy") files.push_back(entry.path());
    return files;
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
    CAPTURE(random.seed);
    const ScratchFolder folder;
    for (const auto& [nx, ny] : {std::pair{1, 1}, {1, 77}, {130, 1}, {63, 65}}) {
        Array<TestType> array(nx, ny);
        for (TestType& cell : array.cells()) cell = TestType(random.uniform(-5, 5));
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

TEST_CASE("A header is NumPy's to the byte") {
    const ScratchFolder folder;
    write_npy(folder / "field.npy", Field(DType::float32, 5, 2000));
    // As np.save of NumPy 1.24 to 2.3 writes it: padded to a multiple of 64 bytes, the line end last.
    const std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2000, 5), }";
    const std::string expected =
        std::string("\x93NUMPY\x01\0\x76\0", 10) + header + std::string(117 - header.size(), ' ') + '\n';
    CHECK(read_bytes(folder / "field.npy").substr(0, 128) == expected);
}

TEST_CASE("Versions 1 to 3 are read, whatever the order of the keys and the spaces") {
    Dice random;
    CAPTURE(random.seed);
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
    CAPTURE(random.seed);
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
    CHECK(refusal(folder, "") == "not a .npy file (too short)");
    CHECK(refusal(folder, "\x93NUM") == "not a .npy file (too short)");
    CHECK(refusal(folder, "PK\x03\x04 an archive") == "not a .npy file (it doesn't start with \\x93NUMPY)");
    CHECK(refusal(folder, "\x93NUMPY\x01") == "cut off: its header needs 8 bytes, the file has 7");
    CHECK(refusal(folder, std::string("\x93NUMPY\x01\0\x76", 9)) ==
          "cut off: its header needs 10 bytes, the file has 9");
    CHECK(refusal(folder, std::string("\x93NUMPY\x02\0\x76\0", 10)) ==
          "cut off: its header needs 12 bytes, the file has 10");
    CHECK(refusal(folder, std::string("\x93NUMPY\x01\0\x76\0{}", 12)) ==
          "cut off: its header needs 128 bytes, the file has 12");
    CHECK(refusal(folder, std::string("\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14)) ==
          "cut off: its header needs 4294967307 bytes, the file has 14");
    CHECK(refusal(folder, npy(4, dict("<f4", "(1, 1)"), "1234")) ==
          ".npy version 4.0; allowed: 1.0, 2.0, 3.0");
    CHECK(refusal(folder, npy(0, dict("<f4", "(1, 1)"), "1234")) ==
          ".npy version 0.0; allowed: 1.0, 2.0, 3.0");
    std::string minor = npy(1, dict("<f4", "(1, 1)"), "1234");
    minor[7] = 3;
    CHECK(refusal(folder, minor) == ".npy version 1.3; allowed: 1.0, 2.0, 3.0");
    CHECK(refusal(folder, npy(2, std::string(70'000, ' '), "")) ==
          "a header of 70000 bytes; at most 65536 are read");
}

TEST_CASE("A header that is not the expected dict is refused") {
    const ScratchFolder folder;
    const auto why = [&](const std::string& header) {
        const std::string text = refusal(folder, npy(1, header, "12345678"));
        const std::string start = "a damaged .npy header: ";
        REQUIRE(text.substr(0, start.size()) == start);
        return text.substr(start.size());
    };
    const std::string rest = ", 'fortran_order': False, 'shape': (1, 2)}";
    CHECK(why("") == "expected a dict at byte 0");
    CHECK(why("{}") == "no 'descr'");
    CHECK(why("{'descr': '<f4'}") == "no 'fortran_order'");
    CHECK(why("{'descr': '<f4', 'fortran_order': False}") == "no 'shape'");
    CHECK(why("{'descr': '<f4', 'descr': '<f4'" + rest) == "two values of 'descr'");
    CHECK(why("{'descr': '<f4', 'a\nkey': 1" + rest) == "unknown key 'a?key'");
    CHECK(why("{'descr': __import__('os')" + rest) == "expected the type in quotes at byte 10");
    CHECK(why("{'descr': '<f4" + rest.substr(0, 1)) == "expected the type in quotes at byte 10");
    CHECK(why("{'descr' '<f4'" + rest) == "expected ':' after a key at byte 9");
    CHECK(why("{'descr': '<f\\x34'" + rest) == "a backslash in the type");
    CHECK(why("{'descr': '<f4'" + rest + " x") == "text after the dict");
    CHECK(why("{'descr': '<f4'" + rest + std::string(1, '\0')) == "text after the dict");
    CHECK(why("{'descr': '<f4'" + rest.substr(0, rest.size() - 1)) ==
          "expected ',' or '}' after a value at byte 56");
    CHECK(why("{'descr': '<f4', 'fortran_order': 0, 'shape': (1, 2)}") ==
          "'fortran_order' is neither True nor False");
    const auto shape = [&](const std::string& text) {
        return why("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + "}");
    };
    CHECK(shape("[1, 2]") == "expected '(' of the shape at byte 50");
    CHECK(shape("(2)") == "'shape' is no tuple");
    CHECK(shape("(1, -2)") == "a negative axis in 'shape'");
    CHECK(shape("(1, 2.0)") == "expected ',' or ')' after an axis at byte 55");
    CHECK(shape("(1, x)") == "expected a whole number in 'shape' at byte 54");
    CHECK(shape("(1, 2") == "expected ',' or ')' after an axis at byte 55");
    CHECK(shape("(,)") == "expected a whole number in 'shape' at byte 51");
    CHECK(why("{'descr': [('x', '<f4', 'fortran_order'") == "a list that doesn't end");
}

TEST_CASE("Types other than little-endian float32 and float64 are refused by name") {
    const ScratchFolder folder;
    const auto why = [&](const std::string& descr) {
        return refusal(folder, npy(1, dict(descr, "(1, 1)"), "12345678"));
    };
    const std::string allowed = "; allowed: float32 and float64, e.g. with array.astype('<f4')";
    CHECK(why(">f4") == "big-endian; save it as little-endian, e.g. with array.astype('<f4')");
    CHECK(why(">f8") == "big-endian; save it as little-endian, e.g. with array.astype('<f8')");
    CHECK(why("<f2") == "dtype '<f2' (float16)" + allowed);
    CHECK(why("<f16") == "dtype '<f16' (float128)" + allowed);
    CHECK(why("<i4") == "dtype '<i4' (int32)" + allowed);
    CHECK(why(">i8") == "dtype '>i8' (int64)" + allowed);
    CHECK(why("|u1") == "dtype '|u1' (uint8)" + allowed);
    CHECK(why("|b1") == "dtype '|b1' (bool)" + allowed);
    CHECK(why("<c8") == "dtype '<c8' (complex64)" + allowed);
    CHECK(why("|O") == "dtype '|O' (objects)" + allowed);
    CHECK(why("<U7") == "dtype '<U7' (text)" + allowed);
    CHECK(why("<M8[ns]") == "dtype '<M8[ns]' (dates or times)" + allowed);
    CHECK(why("|V12") == "dtype '|V12' (raw bytes)" + allowed);
    CHECK(why("") == "dtype ''" + allowed);
    CHECK(why("nonsense\n") == "dtype 'nonsense?'" + allowed);
    CHECK(why("<f99999999999999999999") == "dtype '<f99999999999999999999'" + allowed);
    const std::string structured =
        "{'descr': [('x', '<f4'), ('y]', '<f4', (2,))], 'fortran_order': False, 'shape': (1, 1)}";
    CHECK(refusal(folder, npy(1, structured, "12345678")) ==
          "a structured dtype; allowed: float32 and float64");
}

TEST_CASE("Shapes that are no field are refused before memory is taken") {
    const ScratchFolder folder;
    const auto why = [&](const std::string& shape) {
        return refusal(folder, npy(1, dict("<f4", shape), "12345678"));
    };
    CHECK(why("()") == "0 axes, shape (); allowed: two axes (rows, columns)");
    CHECK(why("(2,)") == "1 axes, shape (2,); allowed: two axes (rows, columns)");
    CHECK(why("(1, 2, 1)") == "3 axes, shape (1, 2, 1); allowed: two axes (rows, columns)");
    CHECK(why("(0, 2)") == "no cells, shape (0, 2)");
    CHECK(why("(2, 0)") == "no cells, shape (2, 0)");
    CHECK(why("(1073741825, 1)") == "shape (1073741825, 1); an axis has at most 1073741824 cells");
    CHECK(why("(1, 18446744073709551617)") ==
          "shape (1, 18446744073709551617); an axis has at most 1073741824 cells");
    CHECK(why("(4294967296, 4294967296)") ==
          "shape (4294967296, 4294967296); an axis has at most 1073741824 cells");
    const std::string huge = why("(1000000, 1000000)");
    CHECK(huge == "cut off: shape (1000000, 1000000) of float32 needs 4000000000082 bytes, the file has 90");
    CHECK(why("(1073741824, 1073741824)").find("needs 4611686018427387992 bytes, the file has 96") !=
          std::string::npos);
}

TEST_CASE("A file of another size than its header promises is refused with both sizes") {
    Dice random;
    const ScratchFolder folder;
    const std::string whole = npy(1, dict("<f8", "(3, 4)"), bytes_of_cells(random_cells<double>(random, 12)));
    REQUIRE(whole.size() == 166);
    REQUIRE(read_npy(write_bytes(folder / "whole.npy", whole)).size() == 12);
    CHECK(refusal(folder, whole.substr(0, 165)) ==
          "cut off: shape (3, 4) of float64 needs 166 bytes, the file has 165");
    CHECK(refusal(folder, whole.substr(0, 70)) ==
          "cut off: shape (3, 4) of float64 needs 166 bytes, the file has 70");
    CHECK(refusal(folder, whole + "1") ==
          "1 bytes follow the array; shape (3, 4) of float64 needs 166 bytes, the file has 167");
    for (std::size_t length = 0; length < whole.size(); ++length) {
        CAPTURE(length);
        CHECK_FALSE(refusal(folder, whole.substr(0, length)).empty());
    }
}

TEMPLATE_TEST_CASE("Values that are not finite are counted and refused", "", float, double) {
    Dice random;
    CAPTURE(random.seed);
    const ScratchFolder folder;
    auto cells = random_cells<TestType>(random, 35);
    using Limits = std::numeric_limits<TestType>;
    cells[0] = Limits::quiet_NaN();
    cells[17] = Limits::infinity();
    cells[34] = -Limits::infinity();
    const std::string descr = sizeof(TestType) == 4 ? "<f4" : "<f8";
    for (const bool fortran_order : {false, true})
        CHECK(refusal(folder, npy(1, dict(descr, "(5, 7)", fortran_order), bytes_of_cells(cells))) ==
              "3 of 35 values are not finite (NaN or infinite)");
}

TEST_CASE("What can't be opened is refused with the reason") {
    const ScratchFolder folder;
    const auto why = [](const std::filesystem::path& path) {
        return message_of<InputError>([&] { read_field_header(path); });
    };
    CHECK(why(folder / "none.npy") == (folder / "none.npy").string() + ": there is no such file");
    CHECK(why(folder.path()) == folder.path().string() + ": is a folder, not a file");
    REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
    CHECK(why(folder / "pipe") == (folder / "pipe").string() + ": is not a regular file");
    const auto secret = write_bytes(folder / "secret.npy", npy(1, dict("<f4", "(1, 1)"), "1234"));
    ::chmod(secret.c_str(), 0);
    // Nothing is unreadable to root.
    if (::access(secret.c_str(), R_OK) != 0) CHECK(why(secret) == secret.string() + ": Permission denied");
}

TEST_CASE("A field that can't be written is an error of the machine") {
    const ScratchFolder folder;
    const auto path = folder / "none" / "field.npy";
    CHECK(message_of<MachineError>([&] { write_npy(path, Field(DType::float32, 2, 2)); }) ==
          "cannot write " + path.string() + ": there is no folder " + (folder / "none").string());
}
