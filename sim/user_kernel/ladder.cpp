#include "sim/user_kernel/ladder.h"

#include <algorithm>
#include <utility>

#include "sim/text/embedded.h"

namespace stencil::user_kernel {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// The number of lines of the head: the comment that a file begins with.
std::size_t head_size(const std::vector<std::string_view>& lines) {
    return std::size_t(
        std::ranges::find_if(lines, [](std::string_view line) { return !line.starts_with("//"); }) -
        lines.begin());
}

// Returns the paragraph of the head that begins with this word, on one line and without its table.
std::string paragraph_of(std::string_view text, std::string_view word) {
    std::string paragraph;
    const auto lines = lines_of(text);
    const std::string begin = "// " + std::string(word) + ": ";
    bool inside = false;
    for (std::size_t i = 0; i < head_size(lines); ++i) {
        const std::string_view line = lines[i];
        if (line.starts_with(begin)) {
            paragraph = line.substr(begin.size());
            inside = true;
        } else if (inside && line.starts_with("//   ") && !line.starts_with("//    ")) {
            paragraph += line.substr(4);
        } else if (line.size() > 2 && !line.starts_with("//   ")) {
            inside = false;
        }
    }
    return paragraph;
}

std::vector<std::string_view> code_of(std::string_view text) {
    auto lines = lines_of(text);
    lines.erase(lines.begin(), lines.begin() + std::ptrdiff_t(head_size(lines)));
    while (!lines.empty() && lines.front().empty()) lines.erase(lines.begin());
    return lines;
}

}  // namespace

const std::vector<Rung>& ladder() {
    static const std::vector<Rung> all = [] {
        std::vector<Rung> rungs;
        for (const EmbeddedFile& file : embedded_kernels()) {
            const std::string_view first = file.text.substr(0, file.text.find('\n'));
            rungs.push_back({file.name,
                             file.text,
                             std::string(first.substr(first.find(": ") + 2)),
                             paragraph_of(file.text, "New"),
                             paragraph_of(file.text, "Expect"),
                             paragraph_of(file.text, "Limit")});
        }
        std::ranges::sort(rungs, {}, &Rung::name);
        return rungs;
    }();
    return all;
}

const Rung* find_rung(std::string_view file) {
    if (file.ends_with(".cu")) file.remove_suffix(3);
    static constexpr std::pair<std::string_view, std::string_view> kEarlier[] = {
        {"tutorial", "1_naive"}, {"naive", "2_coalesced"}, {"tiled", "3_shared_tile"}};
    for (const auto& [earlier, name] : kEarlier)
        if (file == earlier) file = name;
    const auto found = std::ranges::find(ladder(), file, &Rung::name);
    return found == ladder().end() ? nullptr : &*found;
}

std::vector<CodeLine> code_lines(const Rung& rung, const Rung* before) {
    const auto now = code_of(rung.text);
    std::vector<CodeLine> lines;
    for (const std::string_view line : now) lines.push_back({line, before != nullptr});
    if (!before) return lines;
    const auto old = code_of(before->text);
    // common[i][j]: the most lines that now[i...] and old[j...] have in common, in order.
    std::vector<std::vector<int>> common(now.size() + 1, std::vector<int>(old.size() + 1));
    for (std::size_t i = now.size(); i-- > 0;)
        for (std::size_t j = old.size(); j-- > 0;)
            common[i][j] =
                now[i] == old[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    for (std::size_t i = 0, j = 0; i < now.size() && j < old.size();) {
        if (now[i] == old[j]) {
            lines[i].is_new = false;
            ++i, ++j;
        } else if (common[i + 1][j] >= common[i][j + 1]) {
            ++i;
        } else {
            ++j;
        }
    }
    for (CodeLine& line : lines) line.is_new &= !line.text.empty();
    return lines;
}

}  // namespace stencil::user_kernel
