// Fuzzes matrices and vectors in Matrix Market files.
#include "sim/examples/ridge/matrix_market.h"
#include "tests/fuzz/fuzz.h"

using namespace stencil;

namespace stencil_fuzz {
namespace {

// Checks that each row's columns increase.
void check_rows(const SparseMatrix<double>& a) {
    require(a.start.size() == std::size_t(a.rows) + 1, "each row has a start");
    require(a.start.back() == std::int64_t(a.value.size()), "the last row ends with the entries");
    for (std::size_t row = 0; row + 1 < a.start.size(); ++row)
        for (auto k = a.start[row]; k < a.start[row + 1]; ++k) {
            require(a.column[std::size_t(k)] < a.columns, "columns are inside");
            const bool first = k == a.start[row];
            require(first || a.column[std::size_t(k)] > a.column[std::size_t(k) - 1],
                    "columns rise in a row");
        }
}

// Finds sizes that are valid but would exhaust memory: seven to eleven digits after leading zeros.
bool is_large(std::string_view text) {
    std::size_t digits = 0;
    for (const char c : text) {
        if (c >= '0' && c <= '9') {
            if (digits > 0 || c != '0') ++digits;
            continue;
        }
        if (digits >= 7 && digits <= 11) return true;
        digits = 0;
    }
    return digits >= 7 && digits <= 11;
}

// Writes the format with numbers that read back exactly.
std::string text_of(const SparseMatrix<double>& a) {
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(a.rows) + " " +
                       std::to_string(a.columns) + " " + std::to_string(a.value.size()) + "\n";
    char number[40];
    for (std::size_t row = 0; row + 1 < a.start.size(); ++row)
        for (auto k = std::size_t(a.start[row]); k < std::size_t(a.start[row + 1]); ++k) {
            std::snprintf(number, sizeof number, " %.17g\n", a.value[k]);
            text += std::to_string(row + 1) + " " + std::to_string(a.column[k] + 1) + number;
        }
    return text;
}

void run_one(std::string_view input) {
    if (is_large(input)) return;
    const auto file = as_file(input);
    SparseMatrix<double> a;
    constexpr std::int64_t kMaxRows = 100'000;  // larger ones only cost time
    if (accepted([&] { a = read_matrix_market(file); })) {
        check_rows(a);
        if (a.rows < kMaxRows) {
            const SparseMatrix<double> again = read_matrix_market(as_file(text_of(a)));
            require(again.start == a.start && again.column == a.column && again.value == a.value,
                    "a matrix stays what it is",
                    std::string(input));
        }
    }
    accepted([&] { read_matrix_market_vector(as_file(input)); });
}

std::vector<std::string> seeds() {
    return {"%%MatrixMarket matrix coordinate real general\n% text\n2 3 2\n1 1 0.5\n2 3 -1e-3\n",
            "%%MatrixMarket matrix coordinate integer symmetric\n3 3 3\n1 1 4\n3 1 -2\n3 3 1\n",
            "%%MatrixMarket matrix coordinate pattern skew-symmetric\n2 2 1\n2 1\n",
            "%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n4\n",
            "%%MatrixMarket matrix array real general\n3 1\n1\n2.5\n-3\n",
            "%%MatrixMarket matrix array real general\n0 000900000\n"};
}

const Target target("matrix_market", run_one, seeds);

}  // namespace
}  // namespace stencil_fuzz
