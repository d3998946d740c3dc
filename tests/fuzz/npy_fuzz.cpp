// Fuzzes fields and arrays in .npy files.
#include <cstring>

#include "sim/files/npy.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

template <class T>
bool same_bits(std::span<const T> a, std::span<const T> b) {
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}

void check_array(const NpyArray& array) {
    write_npy_array(scratch_file(), array);
    const NpyArray again = read_npy_array(scratch_file(), array.dtype());
    require(again.shape == array.shape, "an array keeps its shape");
    std::visit(
        [&](const auto& values) {
            using Values = std::remove_cvref_t<decltype(values)>;
            using T = typename Values::value_type;
            require(same_bits<T>(values, std::get<Values>(again.values)), "an array keeps its values");
        },
        array.values);
}

void check_field(const Field& field) {
    write_npy(scratch_file(), field);
    const Field again = read_npy(scratch_file());
    require(again.nx() == field.nx() && again.ny() == field.ny(), "a field keeps its size");
    field.visit([&]<class T>(const Array<T>& cells) {
        require(same_bits<T>(cells.cells(), again.as<T>().cells()), "a field keeps its cells");
    });
}

std::string file_of(const char* descr, const char* shape, bool fortran, std::size_t bytes) {
    std::string header = std::string("{'descr': '") + descr +
                         "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape +
                         ", }\n";
    return std::string("\x93NUMPY\x01\0", 8) + char(header.size()) + '\0' + header +
           std::string(bytes, '\x3f');
}

void run_one(std::string_view input) {
    const auto file = as_file(input);
    const bool header = accepted([&] { read_npy_header(file); });
    Field field;
    NpyArray narrow, wide;
    const bool is_field = accepted([&] { field = read_npy(file); });
    const bool is_narrow = accepted([&] { narrow = read_npy_array(file, DType::float32); });
    const bool is_wide = accepted([&] { wide = read_npy_array(file, DType::float64); });
    require(header || !is_wide, "values have a header");
    require(is_wide || (!is_narrow && !is_field), "what float32 or a field can hold, float64 can");
    if (is_field) check_field(field);
    if (is_narrow) check_array(narrow);
    if (is_wide) check_array(wide);
}

std::vector<std::string> seeds() {
    return {file_of("<f4", "(2, 3)", false, 24),
            file_of("<f8", "(3, 2)", true, 48),
            file_of("|b1", "(4,)", false, 4),
            file_of("<i2", "(2, 2, 2)", true, 16),
            file_of("<u8", "()", false, 8),
            file_of("<f4", "(0, 7)", false, 0),
            reference_bytes("jagged_96x128_seed3966789.npy").substr(0, 4096)};
}

const Target target("npy", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
