#include "sim/examples/ridge/matrix_market.h"

#include <zlib.h>

#include <Eigen/Core>
#include <initializer_list>

#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "tests/support/catch.h"
#include "tests/support/examples/ridge_problems.h"

namespace {

Eigen::MatrixXd read(const std::string& text) {
    const ScratchFolder folder;
    const SparseMatrix<double> a = read_matrix_market(write_bytes(folder / "a.mtx", text));
    REQUIRE(a.start.size() == std::size_t(a.rows) + 1);
    for (std::size_t i = 0; i < std::size_t(a.rows); ++i)
        for (auto k = std::size_t(a.start[i]) + 1; k < std::size_t(a.start[i + 1]); ++k)
            REQUIRE(a.column[k - 1] < a.column[k]);
    return dense(a);
}

Eigen::MatrixXd matrix(std::initializer_list<std::initializer_list<double>> rows) {
    return Eigen::MatrixXd(rows);
}

// Returns the error about a file with this text, one line after its path.
std::string refusal(const std::string& text) {
    const ScratchFolder folder;
    const auto path = write_bytes(folder / "hostile.mtx", text);
    const std::string message = message_of<InputError>([&] { read_matrix_market(path); });
    CAPTURE(text, message);
    const std::string start = path.string() + ": ";
    REQUIRE(message.substr(0, start.size()) == start);
    REQUIRE(message.find_first_of("\n\r\t") == std::string::npos);
    return message.substr(start.size());
}

std::string coordinates(const std::string& kind, const std::string& lines) {
    return "%%MatrixMarket matrix coordinate " + kind + "\n" + lines;
}

}  // namespace

TEST_CASE("Matrix Market files are read in every kind and layout") {
    const Eigen::MatrixXd a = matrix({{0, 1.5, 0}, {-2e3, 0, 4}});
    CHECK(read(coordinates("real general", "2 3 3\n1 2 1.5\n2 3 4\n2 1 -2e3\n")) == a);
    CHECK(read("%%MatrixMarket MATRIX Coordinate Real GENERAL\r\n% a comment\r\n\r\n2 3 3\r\n"
               "%between\r\n 2 1 -2.0E+03 \r\n\t1 2\t+1.5\r\n2 3 4") == a);
    CHECK(read("%%MatrixMarket matrix array real general\n2 3\n0\n-2e3\n1.5\n0\n0\n4\n") == a);
    CHECK(read(coordinates("integer general", "2 2 2\n1 1 -7\n2 2 9\n")) == matrix({{-7, 0}, {0, 9}}));
    CHECK(read(coordinates("pattern general", "2 2 2\n1 2\n2 2\n")) == matrix({{0, 1}, {0, 1}}));
    CHECK(read(coordinates("real symmetric", "2 2 2\n1 1 3\n2 1 5\n")) == matrix({{3, 5}, {5, 0}}));
    CHECK(read(coordinates("pattern symmetric", "2 2 1\n2 1\n")) == matrix({{0, 1}, {1, 0}}));
    CHECK(read(coordinates("real skew-symmetric", "2 2 1\n2 1 5\n")) == matrix({{0, -5}, {5, 0}}));
    CHECK(read("%%MatrixMarket matrix array real symmetric\n2 2\n1\n2\n3\n") == matrix({{1, 2}, {2, 3}}));
    CHECK(read("%%MatrixMarket matrix array real skew-symmetric\n2 2\n2\n") == matrix({{0, -2}, {2, 0}}));
    CHECK(read(coordinates("real general", "1 2 3\n1 2 1\n1 2 0.25\n1 1 0\n")) == matrix({{0, 1.25}}));
    CHECK(read(coordinates("real general", "3 2 0\n")) == Eigen::MatrixXd::Zero(3, 2));
}

// As scipy.io.mmread 1.17 has it, except that Fortran's exponents count: it reads 4.0D+01 as 4.
TEST_CASE("Matrix Market files that other programs write are read as SciPy reads them") {
    const std::string real = coordinates("real general", "1 1 1\n1 1 2\n");
    CHECK(read(real.substr(1)) == matrix({{2}}));  // %MatrixMarket
    CHECK(read("  " + real) == matrix({{2}}));
    CHECK(read(coordinates("real general", "  % a remark\n  2 2 1\n  1 1 2\n")) == matrix({{2, 0}, {0, 0}}));
    CHECK(read(coordinates("real general", "2 2 2\n1 1 4.0D+01\n2 2 3.0d0\n")) == matrix({{40, 0}, {0, 3}}));
    CHECK(read(coordinates("real symmetric", "2 2 2\n1 1 4\n1 2 5\n")) == matrix({{4, 5}, {5, 0}}));
    CHECK(read(coordinates("real symmetric", "2 2 2\n2 1 3\n1 2 5\n")) == matrix({{0, 8}, {8, 0}}));
    CHECK(read(coordinates("real skew-symmetric", "2 2 2\n1 1 3\n1 2 5\n")) == matrix({{3, 5}, {-5, 0}}));
    CHECK(read(coordinates("real hermitian", "2 2 1\n2 1 5\n")) == matrix({{0, 5}, {5, 0}}));
    CHECK(read(coordinates("pattern general", "2 2 2\n1 1 7\n2 2 3\n")) == matrix({{1, 0}, {0, 1}}));
    CHECK(read(coordinates("pattern skew-symmetric", "2 2 1\n2 1\n")) == matrix({{0, -1}, {1, 0}}));
    CHECK(read(coordinates("integer general", "1 2 2\n1 1 4.0\n1 2 4e1\n")) == matrix({{4, 40}}));
    // gzip's of the file `real`, and of its two halves one after the other
    const auto packed = [](std::string_view text) {
        std::string bytes(text.size() + 64, '\0');
        z_stream stream{};
        REQUIRE(deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream.avail_in = uInt(text.size());
        stream.next_out = reinterpret_cast<Bytef*>(bytes.data());
        stream.avail_out = uInt(bytes.size());
        REQUIRE(deflate(&stream, Z_FINISH) == Z_STREAM_END);
        bytes.resize(bytes.size() - stream.avail_out);
        deflateEnd(&stream);
        return bytes;
    };
    CHECK(read(packed(real)) == matrix({{2}}));
    CHECK(read(packed(real.substr(0, 20)) + packed(real.substr(20))) == matrix({{2}}));
    CHECK(refusal(packed(real).substr(0, 40)) == "is no complete .gz file");
}

TEST_CASE("A random matrix comes back from its Matrix Market file to the last bit") {
    Dice random;
    const auto a = random_sparse<double>(random, 61, 47, 0.2, -1);
    const ScratchFolder folder;
    const SparseMatrix<double> back = read_matrix_market(write_matrix_market(folder / "a.mtx", a));
    CHECK(back.rows == a.rows);
    CHECK(back.columns == a.columns);
    CHECK(back.start == a.start);
    CHECK(back.column == a.column);
    CHECK(back.value == a.value);
}

TEST_CASE("What is no readable Matrix Market file is refused with the line and what is wrong there") {
    const std::pair<std::string, const char*> cases[] = {
        {"", "does not begin with %%MatrixMarket"},
        {std::string("\0\1\2", 3), "%%MatrixMarket"},
        {"1 1 1\n1 1 1\n", "line 1: is not a Matrix Market file"},
        {"%%MatrixMarket matrix coordinate real\n1 1 1\n1 1 1\n", "line 1: the symmetry is missing"},
        {"%%MatrixMarket vector coordinate real general\n", "not 'vector'"},
        {"%%MatrixMarket matrix list real general\n", "coordinate or array, not 'list'"},
        {coordinates("complex general", "1 1 1\n1 1 1 1\n"),
         "the matrix is complex; only real ones are read"},
        {coordinates("real odd", "1 1 1\n1 1 1\n"), "general or symmetric or hermitian or skew-symmetric"},
        {"%%MatrixMarket matrix array pattern general\n1 1\n", "an array cannot be a pattern"},
        {coordinates("integer general", "2 2 1\n1 1 0.5\n"), "must be an integer"},
        {coordinates("real general", "% no sizes\n"), "the sizes are missing"},
        {coordinates("real general", "2 2\n"), "line 2: the number of entries is missing"},
        {coordinates("real general", "2 2 1 7\n1 1 1\n"), "nothing more is expected"},
        {coordinates("real general", "-1 2 1\n1 1 1\n"), "number of rows"},
        {coordinates("real general", "99999999999999999999 1 1\n1 1 1\n"), "must be an integer from 0 to"},
        {coordinates("real general", "2000000000 2000000000 2000000000\n1 1 1\n"), "too short"},
        {"%%MatrixMarket matrix array real general\n2000000000 2000000000\n1\n", "too short"},
        {coordinates("real general", "2 2 2\n1 1 1.0000000\n"), "ends after 1 of the 2 entries"},
        {coordinates("real general", "2 2 1\n1 1 1\n2 2 2\n"), "line 4: there are more than"},
        {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "more than the 1 entries"},
        {"%%MatrixMarket matrix array real general\n2 1\n1.000\n", "ends after 1 of the 2 entries"},
        {coordinates("real general", "2 2 1\n0 1 1\n"), "line 3: the row 0 must be an integer from 1 to 2"},
        {coordinates("real general", "2 2 1\n1 3 1\n"), "the column 3 must be an integer from 1 to 2"},
        {coordinates("real general", "2 2 1\n1.5 1 1\n"), "the row 1.5 must be an integer"},
        {coordinates("real general", "2 2 1\n1 1\n"), "the value is missing"},
        {coordinates("pattern general", "2 2 1\n1 1 1 1\n"), "nothing more is expected"},
        {coordinates("real general", "2 2 1\n1 1 nan\n"), "not a finite number"},
        {coordinates("real general", "2 2 1\n1 1 1e999\n"), "not a finite number of float64"},
        {coordinates("real general", "2 2 1\n1 1 1e-400\n"), "not a finite number of float64"},
        {coordinates("real general", "2 2 1\n1 1 0x10\n"), "not a finite number of float64"},
        {coordinates("real general", "1 1 2\n1 1 1e308\n1 1 1e308\n"), "sum up to what is not finite"},
        {coordinates("real symmetric", "2 3 1\n1 1 1\n"), "square, not 2 x 3"},
    };
    for (const auto& [text, what] : cases) {
        CAPTURE(text, what);
        CHECK(refusal(text).find(what) != std::string::npos);
    }
    const ScratchFolder folder;
    CHECK_FALSE(message_of<InputError>([&] { read_matrix_market(folder / "missing.mtx"); }).empty());
    const auto huge =
        write_bytes(folder / "huge.mtx", coordinates("real general", "2000000000 2000000000 0\n"));
    if (query_host_memory().free_bytes < 200'000'000'000)
        CHECK(message_of<MachineError>([&] { read_matrix_market(huge); }).find("of memory") !=
              std::string::npos);
}

TEST_CASE("A vector is read from a Matrix Market file of one column or one row") {
    const ScratchFolder folder;
    const auto vector = [&](const std::string& text) {
        return read_matrix_market_vector(write_bytes(folder / "d.mtx", text));
    };
    const std::vector<double> d{1, 0, -2};
    CHECK(vector("%%MatrixMarket matrix array real general\n3 1\n1\n0\n-2\n") == d);
    CHECK(vector("%%MatrixMarket matrix array integer general\n1 3\n1\n0\n-2\n") == d);
    CHECK(vector(coordinates("real general", "3 1 2\n3 1 -2\n1 1 1\n")) == d);
    const std::string message =
        message_of<InputError>([&] { vector(coordinates("real general", "2 2 1\n1 1 1\n")); });
    CHECK(message.find("one column") != std::string::npos);
}
