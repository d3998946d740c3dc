#include "sim/files/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "sim/error.h"
#include "tests/support/catch.h"
#include "tests/support/scratch.h"

using namespace stencil;
using namespace stencil_test;

namespace {

using Entries = std::map<std::pair<int, int>, double>;

Entries entries_of(const SparseMatrix<double>& a) {
    Entries entries;
    for (std::int64_t i = 0; i < a.rows; ++i)
        for (auto k = std::size_t(a.start[std::size_t(i)]); k < std::size_t(a.start[std::size_t(i) + 1]); ++k)
            entries[{int(i), int(a.column[k])}] = a.value[k];
    return entries;
}

void require_sound(const SparseMatrix<double>& a) {
    REQUIRE(a.start.size() == std::size_t(a.rows) + 1);
    REQUIRE(a.start.front() == 0);
    REQUIRE(a.start.back() == a.nonzeros());
    REQUIRE(a.column.size() == a.value.size());
    for (std::size_t i = 0; i < std::size_t(a.rows); ++i) {
        REQUIRE(a.start[i] <= a.start[i + 1]);
        for (auto k = std::size_t(a.start[i]); k < std::size_t(a.start[i + 1]); ++k) {
            REQUIRE(a.column[k] < a.columns);
            if (k > std::size_t(a.start[i])) REQUIRE(a.column[k - 1] < a.column[k]);
        }
    }
}

SparseMatrix<double> read(const std::string& text) {
    const ScratchFolder folder;
    const SparseMatrix<double> a = read_matrix_market(write_bytes(folder / "a.mtx", text));
    require_sound(a);
    return a;
}

std::string refusal(const std::string& text) {
    const ScratchFolder folder;
    const auto path = write_bytes(folder / "hostile.mtx", text);
    const std::string message = message_of<InputError>([&] { read_matrix_market(path); });
    CAPTURE(text.substr(0, 200), message);
    const std::string start = path.string() + ": ";
    REQUIRE(message.substr(0, start.size()) == start);
    REQUIRE(message.find_first_of("\n\r\t") == std::string::npos);
    return message.substr(start.size());
}

void require_refusal(const std::string& text, const std::string& part) {
    const std::string message = refusal(text);
    CAPTURE(text.substr(0, 200), message, part);
    REQUIRE(message.find(part) != std::string::npos);
}

const std::string kGeneral = "%%MatrixMarket matrix coordinate real general\n";

}  // namespace

TEST_CASE("A Matrix Market file of random entries in any order is read as written") {
    Dice random;
    CAPTURE(random.seed);
    const int rows = random.integer(1, 60), columns = random.integer(1, 60);
    Entries entries;
    for (int k = 0; k < 300; ++k)
        entries[{random.integer(0, rows - 1), random.integer(0, columns - 1)}] = random.uniform(-1e9, 1e9);
    std::vector<std::pair<std::pair<int, int>, double>> order(entries.begin(), entries.end());
    std::ranges::shuffle(order, random.engine);
    std::string text = kGeneral + "% a comment\n\n";
    text += fmt::format("{} {} {}\r\n", rows, columns, order.size());
    for (const auto& [place, value] : order)
        text += fmt::format("  {}\t{} {:+.17g}  \n%x\n", place.first + 1, place.second + 1, value);
    const SparseMatrix<double> a = read(text);
    REQUIRE(a.rows == rows);
    REQUIRE(a.columns == columns);
    REQUIRE(entries_of(a) == entries);
}

TEST_CASE("Entries of one place are summed") {
    const SparseMatrix<double> a = read(kGeneral + "2 3 4\n2 1 1.5\n1 3 2\n2 1 0.25\n2 1 -4\n");
    REQUIRE(entries_of(a) == Entries{{{0, 2}, 2.0}, {{1, 0}, -2.25}});
}

TEST_CASE("Symmetric and skew-symmetric matrices get their other half, patterns ones, integers their values") {
    REQUIRE(entries_of(read("%%MatrixMarket matrix coordinate real symmetric\n3 3 2\n3 1 2.5\n2 2 4\n")) ==
            Entries{{{0, 2}, 2.5}, {{2, 0}, 2.5}, {{1, 1}, 4.0}});
    REQUIRE(entries_of(read("%%MatrixMarket MATRIX Coordinate Integer Skew-Symmetric\n3 3 1\n3 1 -7\n")) ==
            Entries{{{0, 2}, 7.0}, {{2, 0}, -7.0}});
    REQUIRE(entries_of(read("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n")) ==
            Entries{{{0, 0}, 1.0}, {{0, 1}, 1.0}, {{1, 0}, 1.0}});
    REQUIRE(entries_of(read("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 3\n")) ==
            Entries{{{0, 2}, 1.0}});
}

TEST_CASE("Arrays are read column by column, without their zeros") {
    REQUIRE(entries_of(read("%%MatrixMarket matrix array real general\n2 2\n1.5\n-2\n0\n3e-2\n")) ==
            Entries{{{0, 0}, 1.5}, {{1, 0}, -2.0}, {{1, 1}, 0.03}});
    REQUIRE(entries_of(read("%%MatrixMarket matrix array integer symmetric\n2 2\n1\n2\n3\n")) ==
            Entries{{{0, 0}, 1.0}, {{0, 1}, 2.0}, {{1, 0}, 2.0}, {{1, 1}, 3.0}});
    REQUIRE(entries_of(read("%%MatrixMarket matrix array real skew-symmetric\n2 2\n5\n")) ==
            Entries{{{1, 0}, 5.0}, {{0, 1}, -5.0}});
}

TEST_CASE("Vectors come from arrays and from coordinates, with their zeros") {
    const ScratchFolder folder;
    const auto vector = [&](const std::string& text) {
        return read_matrix_market_vector(write_bytes(folder / "d.mtx", text));
    };
    REQUIRE(vector("%%MatrixMarket matrix array real general\n3 1\n1\n0\n-2.5\n") ==
            std::vector<double>{1, 0, -2.5});
    REQUIRE(vector(kGeneral + "4 1 2\n3 1 2\n1 1 7\n") == std::vector<double>{7, 0, 2, 0});
    REQUIRE(vector(kGeneral + "1 3 1\n1 2 9\n") == std::vector<double>{0, 9, 0});
    const auto path = write_bytes(folder / "m.mtx", kGeneral + "2 2 0\n");
    REQUIRE(message_of<InputError>([&] { read_matrix_market_vector(path); }).find("one column") !=
            std::string::npos);
}

TEST_CASE("A matrix may be empty, and tiny values become 0") {
    REQUIRE(read(kGeneral + "0 0 0\n").rows == 0);
    REQUIRE(entries_of(read(kGeneral + "3 2 0\n")).empty());
    REQUIRE(entries_of(read(kGeneral + "1 1 1\n1 1 1e-999\n")) == Entries{{{0, 0}, 0.0}});
}

TEST_CASE("What is no Matrix Market file is refused with the line that is wrong") {
    require_refusal("", "is empty");
    require_refusal("\n\n", "is empty");
    require_refusal("1 1 1\n", "line 1: is no Matrix Market file");
    require_refusal("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", "line 1: the field");
    require_refusal("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", "line 1: the symmetry");
    require_refusal("%%MatrixMarket vector coordinate real general\n1 1 0\n", "line 1: only a matrix");
    require_refusal("%%MatrixMarket matrix sparse real general\n1 1 0\n", "line 1: the format");
    require_refusal("%%MatrixMarket matrix coordinate real\n1 1 0\n", "line 1: the symmetry is missing");
    require_refusal("%%MatrixMarket matrix array pattern general\n1 1\n1\n", "line 1: an array");
    require_refusal(kGeneral, "the sizes are missing");
    require_refusal(kGeneral + "2 2\n", "line 2: the number of entries is missing");
    require_refusal(kGeneral + "2 2 1 1\n1 1 1\n", "line 2: nothing more");
    require_refusal(kGeneral + "-2 2 1\n1 1 1\n", "line 2: the number of rows -2 must be from 0");
    require_refusal(kGeneral + "2.5 2 1\n1 1 1\n", "line 2: the number of rows '2.5' is not an integer");
    require_refusal(kGeneral + "99999999999999999999 2 1\n1 1 1\n", "line 2: the number of rows");
    require_refusal("%%MatrixMarket matrix coordinate real symmetric\n3 2 0\n", "line 2: a symmetric matrix is square");
}

TEST_CASE("Entries that are wrong are refused with their line") {
    require_refusal(kGeneral + "% c\n2 2 1\n0 1 1\n", "line 4: the row 0 must be from 1 to 2");
    require_refusal(kGeneral + "2 2 1\n3 1 1\n", "line 3: the row 3 must be from 1 to 2");
    require_refusal(kGeneral + "2 2 1\n1 3 1\n", "line 3: the column 3 must be from 1 to 2");
    require_refusal(kGeneral + "2 2 1\n1 1\n", "line 3: the value is missing");
    require_refusal(kGeneral + "2 2 1\n1 1 1 0\n", "line 3: nothing more is expected");
    require_refusal(kGeneral + "2 2 1\n1 1 one\n", "line 3: 'one' is not a number");
    require_refusal(kGeneral + "2 2 1\n1 1 nan\n", "line 3: the value nan is not finite");
    require_refusal(kGeneral + "2 2 1\n1 1 -inf\n", "line 3: the value -inf is not finite");
    require_refusal(kGeneral + "2 2 1\n1 1 1e999\n", "line 3: '1e999'");
    require_refusal(kGeneral + "2 2 2\n1 1 1e308\n1 1 1e308\n", "row 1, column 1 sum up");
    require_refusal("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n", "'1.5' is not an integer");
    require_refusal("%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "line 3: of a symmetric");
    require_refusal("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "line 3: a skew-symmetric");
    require_refusal(kGeneral + "2 2 2\n1 1 1\n\n", "ends after 1 of the 2 entries");
    require_refusal(kGeneral + "2 2 1\n1 1 1\n2 2 1\n", "more than the 1 entries announced");
    require_refusal("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "ends before row 2 of column 2");
    require_refusal("%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "more values than announced");
}

TEST_CASE("Sizes that a short file cannot hold claim no memory") {
    require_refusal(kGeneral + "5 5 9223372036854775807\n1 1 1\n", "too short");
    require_refusal(kGeneral + "2000000 2000000 4000000000000\n1 1 1\n", "too short");
    require_refusal("%%MatrixMarket matrix array real general\n2000000 2000000\n1\n", "too short");
}

TEST_CASE("Random damage to a file is read or refused in one line, but nothing else") {
    Dice random;
    CAPTURE(random.seed);
    const ScratchFolder folder;
    const std::string sound = kGeneral + "% c\n3 4 3\n1 2 1.5\n3 4 -2e3\n2 1 7\n";
    int refused = 0;
    for (int round = 0; round < 400; ++round) {
        std::string text = sound;
        for (int k = random.integer(1, 3); k > 0; --k)
            text[std::size_t(random.integer(0, int(text.size()) - 1))] = char(random.integer(0, 255));
        if (random.integer(0, 3) == 0) text.resize(std::size_t(random.integer(0, int(text.size()))));
        const auto path = write_bytes(folder / "damaged.mtx", text);
        const std::string message = message_of<InputError>([&] { require_sound(read_matrix_market(path)); });
        REQUIRE(message.find('\n') == std::string::npos);
        refused += message.empty() ? 0 : 1;
    }
    REQUIRE(refused > 100);
}
