#include "sim/text/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>

#include "sim/text/quote.h"

namespace stencil {
namespace {

char lower(char c) {
    return char(std::tolower(static_cast<unsigned char>(c)));
}

// Optimal string alignment distance with three rolling rows.
int distance(std::string_view a, std::string_view b) {
    std::vector<int> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (std::size_t j = 0; j <= b.size(); ++j) last[j] = int(j);
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row[0] = int(i);
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const bool same = lower(a[i - 1]) == lower(b[j - 1]);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + !same});
            if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]))
                row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view given, std::span<const std::string> known) {
    constexpr std::size_t kMaxName = 64;  // the cost of the distance grows with the product of the lengths
    std::string best;
    if (given.size() > kMaxName) return best;
    int best_distance = int(std::max<std::size_t>(given.size(), 3)) / 2 + 1;
    for (const std::string& name : known) {
        const int d = distance(given, name);
        if (d < best_distance) {
            best = name;
            best_distance = d;
        }
    }
    return best;
}

std::string unknown_name_message(std::string_view kind,
                                 std::string_view given,
                                 std::span<const std::string> known) {
    const std::string nearest = nearest_name(given, known);
    const std::string hint = nearest.empty() ? "" : fmt::format(": did you mean '{}'?", nearest);
    const std::string allowed =
        known.empty() ? "there is none" : fmt::format("allowed: {}", fmt::join(known, ", "));
    return fmt::format("unknown {} '{}'{} ({})", kind, quotable(given), hint, allowed);
}

}  // namespace stencil
