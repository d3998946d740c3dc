#include "sim/editing/wrap.h"

#include <algorithm>

#include "sim/editing/text_edit.h"

namespace stencil::editing {
namespace {

constexpr int kIndent = 4;  // characters

bool breaks_after(char c) {
    return std::string_view(" ,;+-*/)").find(c) != std::string_view::npos;
}

}  // namespace

std::vector<TextRow> wrapped(std::string_view text, float width, const Advance& advance) {
    std::vector<TextRow> rows;
    const float indent = std::min(width / 4, float(kIndent) * advance(" "));
    TextRow row;
    float x = 0;
    std::size_t good = 0;  // the last place to break
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t next = after(text, at);
        if (text[at] == '\n') {
            row.end = at;
            rows.push_back(row);
            row = {next, next, 0};
            x = 0;
            good = at = next;
            continue;
        }
        const float wide = advance(text.substr(at, next - at));
        // A space may extend beyond the width.
        if (x + wide > width - row.indent && text[at] != ' ' && at > row.begin) {
            row.end = good > row.begin ? good : at;
            rows.push_back(row);
            row = {row.end, row.end, indent};
            good = row.begin;
            x = 0;
            at = row.begin;
            continue;
        }
        x += wide;
        at = next;
        if (breaks_after(text[next - 1])) good = next;
    }
    row.end = text.size();
    rows.push_back(row);
    return rows;
}

std::size_t row_of(const std::vector<TextRow>& rows, std::size_t at) {
    const auto next = std::ranges::upper_bound(rows, at, {}, &TextRow::begin);
    return next == rows.begin() ? 0 : std::size_t(next - rows.begin()) - 1;
}

float x_of(std::string_view text, const TextRow& row, std::size_t at, const Advance& advance) {
    float x = row.indent;
    for (std::size_t i = row.begin; i < std::min(at, row.end);) {
        const std::size_t next = after(text, i);
        x += advance(text.substr(i, next - i));
        i = next;
    }
    return x;
}

std::size_t place_at(std::string_view text,
                     const std::vector<TextRow>& rows,
                     std::size_t row,
                     float x,
                     const Advance& advance) {
    const TextRow& r = rows[row];
    // At a line break within a line of text, the row's end is the beginning of the next row.
    const bool goes_on = row + 1 < rows.size() && rows[row + 1].begin == r.end;
    const std::size_t last = goes_on ? std::max(r.begin, before(text, r.end)) : r.end;
    float left = r.indent;
    for (std::size_t i = r.begin; i < last;) {
        const std::size_t next = after(text, i);
        const float wide = advance(text.substr(i, next - i));
        if (x < left + wide / 2) return i;
        left += wide;
        i = next;
    }
    return last;
}

}  // namespace stencil::editing
