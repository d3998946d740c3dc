#include "sim/examples/ridge/matrix_market.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <span>
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

enum class Symmetry { general, symmetric, skew };

struct Contents {
    std::int64_t rows = 0, columns = 0;
    std::vector<Entry> entries;
};

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c;
}

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
        std::size_t begin = 0;
        while (begin < line_.size() && space(line_[begin])) ++begin;
        std::size_t end = begin;
        while (end < line_.size() && !space(line_[end])) ++end;
        const std::string_view found = line_.substr(begin, end - begin);
        line_.remove_prefix(end);
        return found;
    }

    std::size_t left() const { return rest_.size() + line_.size(); }

    std::int64_t integer(std::string_view what, std::int64_t least, std::int64_t most) {
        const std::string_view text = word();
        if (text.empty()) refuse(fmt::format("the {} is missing", what));
        std::int64_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (end != text.data() + text.size() || error == std::errc::invalid_argument)
            refuse(fmt::format("the {} '{}' is not an integer", what, quotable(text)));
        if (error == std::errc::result_out_of_range || value < least || value > most)
            refuse(fmt::format("the {} {} must be from {} to {}", what, quotable(text), least, most));
        return value;
    }

    double real() {
        std::string_view text = word();
        if (text.empty()) refuse("the value is missing");
        const std::string_view whole = text;
        if (text.starts_with('+')) text.remove_prefix(1);
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error == std::errc::result_out_of_range && end == text.data() + text.size() && tiny(text))
            return 0;
        if (error != std::errc() || end != text.data() + text.size() || text.starts_with('+'))
            refuse(fmt::format("'{}' is not a number of float64", quotable(whole)));
        if (!std::isfinite(value)) refuse(fmt::format("the value {} is not finite", quotable(whole)));
        return value;
    }

    void end_line() {
        const std::string_view more = word();
        if (!more.empty())
            refuse(
                fmt::format("nothing more is expected after the entry, but there is '{}'", quotable(more)));
    }

    [[noreturn]] void refuse(std::string_view what) const {
        throw InputError(
            fmt::format("{}: line {}: {}", path_.string(), std::max<std::int64_t>(1, number_), what));
    }
    [[noreturn]] void refuse_file(std::string_view what) const {
        throw InputError(fmt::format("{}: {}", path_.string(), what));
    }

  private:
    static bool space(char c) { return kSpaces.find(c) != std::string_view::npos; }

    // Whether a number beyond float64's range is too small, hence negligible, and not too large.
    static bool tiny(std::string_view text) {
        const std::size_t e = text.find_first_of("eE");
        return e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
    }

    std::filesystem::path path_;
    std::string_view rest_, line_;
    std::int64_t number_ = 0;
};

struct Banner {
    bool coordinate = false;
    bool pattern = false;
    bool integer = false;
    Symmetry symmetry = Symmetry::general;
};

Banner read_banner(Words& words) {
    if (!words.next_line(false))
        words.refuse_file("is empty: a Matrix Market file begins with %%MatrixMarket");
    if (words.word() != "%%MatrixMarket")
        words.refuse("is no Matrix Market file: it does not begin with %%MatrixMarket");
    const auto next = [&](const char* what, const char* said, std::span<const std::string_view> allowed) {
        std::string word(words.word());
        std::ranges::transform(word, word.begin(), lower);
        if (word.empty()) words.refuse(fmt::format("the {} is missing", what));
        const auto found = std::ranges::find(allowed, word);
        if (found == allowed.end())
            words.refuse(fmt::format("the {} must be {}, not '{}'", what, said, quotable(word)));
        return *found;
    };
    constexpr std::string_view kObjects[] = {"matrix"}, kFormats[] = {"coordinate", "array"},
                               kFields[] = {"real", "double", "integer", "unsigned-integer", "pattern"},
                               kSymmetries[] = {"general", "symmetric", "skew-symmetric"};
    Banner banner;
    next("object", "matrix", kObjects);
    banner.coordinate = next("format", "coordinate or array", kFormats) == "coordinate";
    const std::string_view field = next("field", "real, integer or pattern", kFields);
    banner.pattern = field == "pattern";
    banner.integer = field.ends_with("integer");
    const std::string_view symmetry = next("symmetry", "general, symmetric or skew-symmetric", kSymmetries);
    banner.symmetry = symmetry == "general"     ? Symmetry::general
                      : symmetry == "symmetric" ? Symmetry::symmetric
                                                : Symmetry::skew;
    words.end_line();
    if (banner.pattern && !banner.coordinate) words.refuse("an array cannot be a pattern");
    if (banner.pattern && banner.symmetry == Symmetry::skew)
        words.refuse("a pattern cannot be skew-symmetric");
    return banner;
}

double read_value(Words& words, const Banner& banner) {
    if (banner.pattern) return 1;
    if (!banner.integer) return words.real();
    return double(words.integer(
        "value", std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
}

// Adds an entry and its mirror image by symmetry.
void add_entry(Contents& contents, const Banner& banner, const Entry& entry) {
    contents.entries.push_back(entry);
    if (banner.symmetry == Symmetry::general || entry.row == entry.column) return;
    const double sign = banner.symmetry == Symmetry::skew ? -1 : 1;
    contents.entries.push_back({entry.column, entry.row, sign * entry.value});
}

void read_coordinates(Words& words, const Banner& banner, Contents& contents) {
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    const std::int64_t count = words.integer("number of entries", 0, most);
    words.end_line();
    // A line takes at least the 4 bytes "1 1\n", so an impossible count is refused before memory is reserved.
    if (std::uint64_t(count) > (words.left() + 4) / 4)
        words.refuse(fmt::format("{} entries are announced, which the file is too short for", count));
    contents.entries.reserve(std::size_t(count) * (banner.symmetry == Symmetry::general ? 1 : 2));
    for (std::int64_t k = 0; k < count; ++k) {
        if (!words.next_line())
            words.refuse(fmt::format("the file ends after {} of the {} entries announced", k, count));
        Entry entry{};
        entry.row = std::uint32_t(words.integer("row", 1, contents.rows) - 1);
        entry.column = std::uint32_t(words.integer("column", 1, contents.columns) - 1);
        entry.value = read_value(words, banner);
        words.end_line();
        if (banner.symmetry == Symmetry::skew && entry.row == entry.column && entry.value != 0)
            words.refuse("a skew-symmetric matrix has no diagonal");
        if (banner.symmetry != Symmetry::general && entry.row < entry.column)
            words.refuse(
                "of a symmetric matrix only the lower half is given: the row must not be less than the "
                "column");
        add_entry(contents, banner, entry);
    }
    if (words.next_line()) words.refuse(fmt::format("there are more than the {} entries announced", count));
}

// Reads column by column: for symmetric matrices the lower triangle, for skew-symmetric ones without the
// diagonal.
void read_array(Words& words, const Banner& banner, Contents& contents) {
    words.end_line();
    const std::int64_t below = banner.symmetry == Symmetry::skew ? 1 : 0;
    const double announced =
        double(contents.rows) * double(contents.columns) / (banner.symmetry == Symmetry::general ? 1 : 2);
    if (announced > double(words.left()) + double(contents.rows))
        words.refuse(fmt::format("{} x {} values are announced, which the file is too short for",
                                 contents.rows,
                                 contents.columns));
    const std::int64_t columns =
        contents.rows > 0 ? contents.columns : 0;  // avoids looping over a billion empty columns
    for (std::int64_t j = 0; j < columns; ++j) {
        const std::int64_t first = banner.symmetry == Symmetry::general ? 0 : j + below;
        for (std::int64_t i = first; i < contents.rows; ++i) {
            if (!words.next_line())
                words.refuse(fmt::format("the file ends before row {} of column {}", i + 1, j + 1));
            const double value = read_value(words, banner);
            words.end_line();
            if (value != 0) add_entry(contents, banner, {std::uint32_t(i), std::uint32_t(j), value});
        }
    }
    if (words.next_line()) words.refuse("there are more values than announced");
}

// Even empty rows and columns take memory.
void require_room(const std::filesystem::path& path, const Contents& contents) {
    constexpr double kBytes = 32;
    const double needed = kBytes * double(contents.rows + contents.columns);
    const double room = 0.5 * double(query_host_memory().free_bytes);
    if (needed > room)
        throw MachineError(
            fmt::format("{}: {} rows and {} columns need {} of memory, of which {} may be used",
                        path.string(),
                        contents.rows,
                        contents.columns,
                        format_bytes(needed),
                        format_bytes(room)));
}

Contents read_contents(const std::filesystem::path& path) {
    const std::string text = InputFile(path).read_text();
    Words words(path, text);
    const Banner banner = read_banner(words);
    if (!words.next_line()) words.refuse("the sizes are missing");
    Contents contents;
    contents.rows = words.integer("number of rows", 0, kMaxIndices - 1);
    contents.columns = words.integer("number of columns", 0, kMaxIndices - 1);
    if (banner.symmetry != Symmetry::general && contents.rows != contents.columns)
        words.refuse(
            fmt::format("a symmetric matrix is square, not {} x {}", contents.rows, contents.columns));
    if (banner.coordinate)
        read_coordinates(words, banner, contents);
    else
        read_array(words, banner, contents);
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
            throw InputError(fmt::format("{}: the entries of row {}, column {} sum up to what is not finite",
                                         path.string(),
                                         row + 1,
                                         column + 1));
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
        throw InputError(fmt::format("{}: must have one column, but has {} rows and {} columns",
                                     path.string(),
                                     contents.rows,
                                     contents.columns));
    const auto size = std::size_t(contents.rows * contents.columns);
    if (size > std::size_t(std::numeric_limits<std::uint32_t>::max())) throw std::bad_alloc();
    std::vector<double> values(size, 0.0);
    for (const Entry& entry : contents.entries) values[std::max(entry.row, entry.column)] += entry.value;
    return values;
}

}  // namespace stencil
