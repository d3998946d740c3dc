#include "sim/examples/ridge/matrix_market.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>

#include "sim/files/input_file.h"
#include "sim/machine/host_memory.h"
#include "sim/text/error.h"
#include "sim/text/parse.h"
#include "sim/text/quote.h"

namespace stencil {
namespace {

constexpr std::int64_t kMaxIndices = std::int64_t(1) << 31;  // rows or columns
constexpr std::string_view kSpaces = " \t\r\v\f";

struct Entry {
    std::uint32_t row, column;
    double value;
};

// The text of a file, which gzip may have compressed. Throws InputError, also beyond half of the free memory.
std::string text_of(const std::filesystem::path& path) {
    InputFile file(path);
    std::string packed = file.read_text();
    if (!packed.starts_with("\x1f\x8b")) return packed;
    const double most = 0.5 * double(query_host_memory().free_bytes);
    std::string text, piece(std::size_t(1) << 20, '\0');
    z_stream stream{};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) throw std::bad_alloc();
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = uInt(packed.size());
    int status = Z_OK;
    while (status == Z_OK && double(text.size()) < most) {
        stream.next_out = reinterpret_cast<Bytef*>(piece.data());
        stream.avail_out = uInt(piece.size());
        status = inflate(&stream, Z_NO_FLUSH);
        text.append(piece, 0, piece.size() - stream.avail_out);
        // Files of gzip may follow one another.
        if (status == Z_STREAM_END && stream.avail_in > 0) status = inflateReset(&stream);
    }
    inflateEnd(&stream);
    if (status == Z_OK) file.refuse("unpacked it takes more than half of the free memory");
    if (status != Z_STREAM_END) file.refuse("is no complete .gz file");
    return text;
}

/// The contents of a file, with both halves of a symmetric matrix.
class MatrixFile {
  public:
    std::int64_t rows = 0, columns = 0;
    std::vector<Entry> entries;

    explicit MatrixFile(const std::filesystem::path& path) : path_(path), text_(text_of(path)), rest_(text_) {
        read_banner();
        if (!next_line()) refuse("the sizes are missing");
        rows = integer("number of rows", 0, kMaxIndices - 1);
        columns = integer("number of columns", 0, kMaxIndices - 1);
        if (half() && rows != columns)
            refuse(fmt::format("a symmetric matrix is square, not {} x {}", rows, columns));
        read_entries();
        // Even empty rows and columns take memory.
        const double needed = 32 * double(rows + columns);
        const double room = 0.5 * double(query_host_memory().free_bytes);
        if (needed > room)
            throw MachineError("{}: {} rows and {} columns need {} of memory, of which {} may be used",
                               path.string(),
                               rows,
                               columns,
                               format_bytes(needed),
                               format_bytes(room));
    }

    [[noreturn]] void refuse(std::string_view what) const {
        throw InputError("{}: line {}: {}", path_.string(), std::max<std::int64_t>(1, line_number_), what);
    }

  private:
    bool half() const { return symmetric_ || skew_; }

    /// Moves to the next line that has words, skipping comments; false at the end.
    bool next_line(bool comments = true) {
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            line_ = rest_.substr(0, end);
            rest_.remove_prefix(std::min(rest_.size(), end + 1));
            ++line_number_;
            const std::size_t begin = line_.find_first_not_of(kSpaces);
            if (begin != std::string_view::npos && !(comments && line_[begin] == '%')) return true;
        }
        line_ = {};
        return false;
    }

    /// The next word of the line; empty at its end.
    std::string_view word() {
        line_.remove_prefix(std::min(line_.find_first_not_of(kSpaces), line_.size()));
        const std::string_view found = line_.substr(0, line_.find_first_of(kSpaces));
        line_.remove_prefix(found.size());
        return found;
    }
    std::string_view word(std::string_view what) {
        const std::string_view found = word();
        if (found.empty()) refuse(fmt::format("the {} is missing", what));
        return found;
    }

    std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
        const std::string_view text = word(what);
        const auto value = read_integer(text);
        if (value && *value >= least && *value <= most) return *value;
        refuse(fmt::format("the {} {} must be an integer from {} to {}", what, quotable(text), least, most));
    }

    double real() {
        const std::string_view text = word("value");
        auto value = read_real(text);
        if (!value) {  // as Fortran writes it: 4.0D+00
            std::string other(text);
            std::ranges::replace_if(
                other, [](char c) { return c == 'D' || c == 'd'; }, 'e');
            value = read_real(other);
        }
        if (!value) refuse(fmt::format("'{}' is not a finite number of float64", quotable(text)));
        if (integer_ && *value != std::floor(*value))
            refuse(fmt::format("the value '{}' must be an integer", quotable(text)));
        return *value;
    }

    void end_line() {
        if (const std::string_view more = word(); !more.empty())
            refuse(fmt::format("nothing more is expected, but there is '{}'", quotable(more)));
    }

    void read_banner() {
        const std::string_view banner = next_line(false) ? word() : "";
        if (banner != "%%MatrixMarket" && banner != "%MatrixMarket")
            refuse("is not a Matrix Market file: it does not begin with %%MatrixMarket");
        const auto next = [&](const char* what, std::initializer_list<std::string_view> allowed) {
            std::string text(word(what));
            std::ranges::transform(text, text.begin(), [](unsigned char c) { return char(std::tolower(c)); });
            if (std::ranges::find(allowed, text) == allowed.end())
                refuse(fmt::format(
                    "the {} must be {}, not '{}'", what, fmt::join(allowed, " or "), quotable(text)));
            return text;
        };
        next("object", {"matrix"});
        coordinate_ = next("format", {"coordinate", "array"}) == "coordinate";
        const std::string field =
            next("field", {"real", "double", "integer", "unsigned-integer", "pattern", "complex"});
        if (field == "complex") refuse("the matrix is complex; only real ones are read");
        pattern_ = field == "pattern";
        integer_ = field.ends_with("integer");
        const std::string symmetry =
            next("symmetry", {"general", "symmetric", "hermitian", "skew-symmetric"});
        symmetric_ = symmetry == "symmetric" || symmetry == "hermitian";
        skew_ = symmetry == "skew-symmetric";
        end_line();
        if (pattern_ && !coordinate_) refuse("an array cannot be a pattern");
    }

    void read_place(Entry& entry) {
        entry.row = std::uint32_t(integer("row", 1, rows) - 1);
        entry.column = std::uint32_t(integer("column", 1, columns) - 1);
    }

    // Moves to the next place of an array: column by column, of a half the lower triangle, without its
    // diagonal where that is zero.
    void next_place(Entry& entry) const {
        if (++entry.row < rows) return;
        ++entry.column;
        entry.row = half() ? entry.column + (skew_ ? 1 : 0) : 0;
    }

    void read_entries() {
        const std::int64_t count = coordinate_  ? integer("number of entries", 0, INT64_MAX)
                                   : skew_      ? rows * (rows - 1) / 2
                                   : symmetric_ ? rows * (rows + 1) / 2
                                                : rows * columns;
        end_line();
        // A line takes at least "1 1\n" or "1\n", so an impossible count is refused before memory is
        // reserved.
        if (count > std::int64_t(rest_.size()) / (coordinate_ ? 4 : 2) + 1)
            refuse(fmt::format("{} entries are announced, which the file is too short for", count));
        entries.reserve(std::size_t(count) * (half() ? 2 : 1));
        Entry entry{skew_ ? 1u : 0u, 0, 1};
        for (std::int64_t k = 0; k < count; ++k) {
            if (!next_line())
                refuse(fmt::format("the file ends after {} of the {} entries announced", k, count));
            if (coordinate_) read_place(entry);
            if (!pattern_) entry.value = real();
            // SciPy reads a pattern whose places have values, too.
            if (pattern_) word();
            end_line();
            const bool diagonal = entry.row == entry.column;
            if (coordinate_ || entry.value != 0) {
                entries.push_back(entry);
                if (half() && !diagonal)
                    entries.push_back({entry.column, entry.row, skew_ ? -entry.value : entry.value});
            }
            if (!coordinate_) next_place(entry);
        }
        if (next_line()) refuse(fmt::format("there are more than the {} entries announced", count));
    }

    std::filesystem::path path_;
    std::string text_;
    std::string_view rest_, line_;
    std::int64_t line_number_ = 0;
    bool coordinate_ = false, pattern_ = false, integer_ = false, symmetric_ = false, skew_ = false;
};

}  // namespace

// Duplicates are summed in the order of the file.
SparseMatrix<double> read_matrix_market(const std::filesystem::path& path) {
    MatrixFile file(path);
    SparseMatrix<double> a{file.rows, file.columns, {}, {}, {}};
    a.start.assign(std::size_t(a.rows) + 1, 0);
    const auto place = [](const Entry& entry) { return std::pair(entry.row, entry.column); };
    if (!std::ranges::is_sorted(file.entries, {}, place)) std::ranges::stable_sort(file.entries, {}, place);
    for (auto entry = file.entries.begin(); entry != file.entries.end();) {
        const auto [row, column] = place(*entry);
        double value = entry->value;
        while (++entry != file.entries.end() && place(*entry) == std::pair(row, column))
            value += entry->value;
        if (!std::isfinite(value))
            throw InputError("{}: the entries of row {}, column {} sum up to what is not finite",
                             path.string(),
                             row + 1,
                             column + 1);
        a.column.push_back(column);
        a.value.push_back(value);
        ++a.start[row + std::size_t(1)];
    }
    std::partial_sum(a.start.begin(), a.start.end(), a.start.begin());
    return a;
}

std::vector<double> read_matrix_market_vector(const std::filesystem::path& path) {
    const MatrixFile file(path);
    if (file.rows != 1 && file.columns != 1)
        throw InputError("{}: must have one column, but has {} rows and {} columns",
                         path.string(),
                         file.rows,
                         file.columns);
    std::vector<double> values(std::size_t(file.rows * file.columns), 0.0);
    for (const Entry& entry : file.entries) values[std::max(entry.row, entry.column)] += entry.value;
    return values;
}

}  // namespace stencil
