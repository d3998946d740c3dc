#include "sim/examples/ridge/matrix_market.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
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
constexpr std::int64_t kAny = std::numeric_limits<std::int64_t>::max();
constexpr std::string_view kSpaces = " \t\r\v\f";

struct Entry {
    std::uint32_t row, column;
    double value;
};

struct Contents {
    std::int64_t rows = 0, columns = 0;
    std::vector<Entry> entries;
};

// Splits the text into words and counts lines for messages.
class Words {
  public:
    Words(const std::filesystem::path& path, std::string_view text) : path_(path), rest_(text) {}

    /// Moves to the next non-empty line, skipping comments; false at the end.
    bool next_line(bool comments = true) {
        while (!rest_.empty()) {
            const std::size_t end = std::min(rest_.find('\n'), rest_.size());
            line_ = rest_.substr(0, end);
            rest_.remove_prefix(std::min(rest_.size(), end + 1));
            ++number_;
            if (comments && line_.starts_with('%')) continue;
            if (line_.find_first_not_of(kSpaces) != std::string_view::npos) return true;
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

    std::int64_t left() const { return std::int64_t(rest_.size() + line_.size()); }

    std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
        const std::string_view text = word(what);
        const auto value = read_integer(text);
        if (!value || *value < least || *value > most)
            refuse(
                fmt::format("the {} {} must be an integer from {} to {}", what, quotable(text), least, most));
        return *value;
    }

    double real() {
        const std::string text(word("value"));
        if (const auto value = read_real(text)) return *value;
        char* end = nullptr;
        const bool zero = std::strtod(text.c_str(), &end) == 0;
        if (zero && end == text.c_str() + text.size()) return 0;  // too small for float64
        refuse(fmt::format("'{}' is not a finite number of float64", quotable(text)));
    }

    void end_line() {
        if (const std::string_view more = word(); !more.empty())
            refuse(fmt::format("nothing more is expected, but there is '{}'", quotable(more)));
    }

    [[noreturn]] void refuse(std::string_view what) const {
        throw InputError("{}: line {}: {}", path_.string(), std::max<std::int64_t>(1, number_), what);
    }

  private:
    std::filesystem::path path_;
    std::string_view rest_, line_;
    std::int64_t number_ = 0;
};

struct Banner {
    bool coordinate = false, pattern = false, integer = false, symmetric = false, skew = false;

    /// Only the lower half is in the file.
    bool half() const { return symmetric || skew; }
};

Banner read_banner(Words& words) {
    if (!words.next_line(false) || words.word() != "%%MatrixMarket")
        words.refuse("is not a Matrix Market file: it does not begin with %%MatrixMarket");
    const auto next = [&](const char* what, std::initializer_list<std::string_view> allowed) {
        std::string word(words.word(what));
        std::ranges::transform(word, word.begin(), [](unsigned char c) { return char(std::tolower(c)); });
        if (std::ranges::find(allowed, word) == allowed.end())
            words.refuse(
                fmt::format("the {} must be {}, not '{}'", what, fmt::join(allowed, " or "), quotable(word)));
        return word;
    };
    next("object", {"matrix"});
    Banner banner;
    banner.coordinate = next("format", {"coordinate", "array"}) == "coordinate";
    const std::string field = next("field", {"real", "double", "integer", "unsigned-integer", "pattern"});
    banner.pattern = field == "pattern";
    banner.integer = field.ends_with("integer");
    const std::string symmetry = next("symmetry", {"general", "symmetric", "skew-symmetric"});
    banner.symmetric = symmetry == "symmetric";
    banner.skew = symmetry == "skew-symmetric";
    words.end_line();
    if (banner.pattern && !banner.coordinate) words.refuse("an array cannot be a pattern");
    if (banner.pattern && banner.skew) words.refuse("a pattern cannot be skew-symmetric");
    return banner;
}

// Moves to the next place of an array: column by column, of a half the lower triangle, without its diagonal
// where that is zero.
void next_place(const Banner& banner, const Contents& contents, Entry& entry) {
    if (++entry.row < contents.rows) return;
    ++entry.column;
    entry.row = banner.half() ? entry.column + (banner.skew ? 1 : 0) : 0;
}

void read_coordinates(Words& words, const Banner& banner, const Contents& contents, Entry& entry) {
    entry.row = std::uint32_t(words.integer("row", 1, contents.rows) - 1);
    entry.column = std::uint32_t(words.integer("column", 1, contents.columns) - 1);
    if (banner.half() && entry.row < entry.column)
        words.refuse(
            "of a symmetric matrix only the lower half is given: the row must not be less than the column");
}

std::int64_t count_of(Words& words, const Banner& banner, const Contents& contents) {
    if (banner.coordinate) return words.integer("number of entries", 0, kAny);
    const std::int64_t n = contents.rows;
    return banner.skew ? n * (n - 1) / 2 : banner.symmetric ? n * (n + 1) / 2 : n * contents.columns;
}

void read_entries(Words& words, const Banner& banner, Contents& contents) {
    const std::int64_t count = count_of(words, banner, contents);
    words.end_line();
    // A line takes at least "1 1\n" or "1\n", so an impossible count is refused before memory is reserved.
    if (count > words.left() / (banner.coordinate ? 4 : 2) + 1)
        words.refuse(fmt::format("{} entries are announced, which the file is too short for", count));
    contents.entries.reserve(std::size_t(count) * (banner.half() ? 2 : 1));
    Entry entry{banner.skew ? 1u : 0u, 0, 1};
    for (std::int64_t k = 0; k < count; ++k) {
        if (!words.next_line())
            words.refuse(fmt::format("the file ends after {} of the {} entries announced", k, count));
        if (banner.coordinate) read_coordinates(words, banner, contents, entry);
        if (banner.integer)
            entry.value = double(words.integer("value", -kAny - 1, kAny));
        else if (!banner.pattern)
            entry.value = words.real();
        words.end_line();
        const bool diagonal = entry.row == entry.column;
        if (banner.skew && diagonal && entry.value != 0)
            words.refuse("a skew-symmetric matrix has no diagonal");
        if (banner.coordinate || entry.value != 0) {
            contents.entries.push_back(entry);
            if (banner.half() && !diagonal)
                contents.entries.push_back(
                    {entry.column, entry.row, banner.skew ? -entry.value : entry.value});
        }
        if (!banner.coordinate) next_place(banner, contents, entry);
    }
    if (words.next_line()) words.refuse(fmt::format("there are more than the {} entries announced", count));
}

// Even empty rows and columns take memory.
void require_room(const std::filesystem::path& path, const Contents& contents) {
    constexpr double kBytes = 32;
    const double needed = kBytes * double(contents.rows + contents.columns);
    const double room = 0.5 * double(query_host_memory().free_bytes);
    if (needed > room)
        throw MachineError("{}: {} rows and {} columns need {} of memory, of which {} may be used",
                           path.string(),
                           contents.rows,
                           contents.columns,
                           format_bytes(needed),
                           format_bytes(room));
}

Contents read_contents(const std::filesystem::path& path) {
    const std::string text = InputFile(path).read_text();
    Words words(path, text);
    const Banner banner = read_banner(words);
    if (!words.next_line()) words.refuse("the sizes are missing");
    Contents contents;
    contents.rows = words.integer("number of rows", 0, kMaxIndices - 1);
    contents.columns = words.integer("number of columns", 0, kMaxIndices - 1);
    if (banner.half() && contents.rows != contents.columns)
        words.refuse(
            fmt::format("a symmetric matrix is square, not {} x {}", contents.rows, contents.columns));
    read_entries(words, banner, contents);
    require_room(path, contents);
    return contents;
}

// Duplicates are summed in the order of the file.
SparseMatrix<double> compressed(const std::filesystem::path& path, Contents contents) {
    SparseMatrix<double> a{contents.rows, contents.columns, {}, {}, {}};
    a.start.assign(std::size_t(a.rows) + 1, 0);
    const auto place = [](const Entry& entry) { return std::pair(entry.row, entry.column); };
    std::vector<Entry>& entries = contents.entries;
    if (!std::ranges::is_sorted(entries, {}, place)) std::ranges::stable_sort(entries, {}, place);
    for (auto entry = entries.begin(); entry != entries.end();) {
        const auto [row, column] = place(*entry);
        double value = entry->value;
        while (++entry != entries.end() && place(*entry) == std::pair(row, column)) value += entry->value;
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

}  // namespace

SparseMatrix<double> read_matrix_market(const std::filesystem::path& path) {
    return compressed(path, read_contents(path));
}

std::vector<double> read_matrix_market_vector(const std::filesystem::path& path) {
    const Contents contents = read_contents(path);
    if (contents.rows != 1 && contents.columns != 1)
        throw InputError("{}: must have one column, but has {} rows and {} columns",
                         path.string(),
                         contents.rows,
                         contents.columns);
    const auto size = std::size_t(contents.rows * contents.columns);
    if (size > std::size_t(std::numeric_limits<std::uint32_t>::max())) throw std::bad_alloc();
    std::vector<double> values(size, 0.0);
    for (const Entry& entry : contents.entries) values[std::max(entry.row, entry.column)] += entry.value;
    return values;
}

}  // namespace stencil
